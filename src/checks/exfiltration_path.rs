//! PC0318: a file that may not be read is sent away by one command.

use super::secrets::{self, Kind};
use super::{Cx, ways, written};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0318", "exfiltration-path", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    // Where a command shows the file, PC0314 tells it, and that it can leave from there.
    for leak in secrets::of(cx, sink).iter().filter(|leak| leak.kind == Kind::Sent) {
        let commands = leak.commands(Family::Network);
        let Some((way, call)) = commands.first().and_then(|way| Some((way, way.last()?))) else { continue };
        let open = leak.agents(way, cx);
        let agents = written::listed(open.iter().map(String::as_str), 6);
        let text = format!("reading `{}` is denied, and `{}` sends it away: {agents}", leak.path, call.resource);
        let finding = Finding::new(CODE, leak.span, text)
            .label("denies reading")
            .confidence(Confidence::Catalogue)
            .help("deny the commands that send files, or let a person be asked about them");
        sink.push(ways::told(ways::about(finding, &open), &commands, cx));
    }
}
