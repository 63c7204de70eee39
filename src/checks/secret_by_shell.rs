//! PC0314: a file that may not be read can be read by a command.

use super::{Cx, secrets, ways, written};
use crate::capabilities::{Act, Way};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0314", "secret-by-shell", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for leak in secrets::of(cx, sink).iter() {
        let commands: Vec<&Way> = leak.ways.iter().filter(|way| shows(way, &leak.path)).collect();
        let Some((way, call)) = commands.first().and_then(|way| Some((way, way.last()?))) else { continue };
        let open = leak.agents(way, cx);
        let agents = written::listed(open.iter().map(String::as_str), 6);
        let text = format!("reading `{}` is denied, and `{}` shows it: {agents}", leak.path, call.resource);
        let finding = Finding::new(CODE, leak.span, text)
            .label("denies reading")
            .confidence(Confidence::Catalogue)
            .help("deny the commands that read files, or let a person be asked about them");
        sink.push(ways::told(ways::about(finding, &open), &commands, cx));
    }
}

/// Whether a way is a command that is there to show files and names this one. What git shows of a file that it keeps, or any
/// command that reads a redirection, is too far from what people mean by such a rule.
fn shows(way: &Way, path: &str) -> bool {
    let Act::Command { line, .. } = &way.act else { return false };
    let names = way.last().is_some_and(|last| last.resource.contains(path));
    names && !line.starts_with('*') && !line.starts_with("git ")
}
