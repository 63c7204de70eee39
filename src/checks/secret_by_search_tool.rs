//! PC0315: a file that may not be read can be searched.

use super::secrets::{self, Kind};
use super::{Cx, ways, written};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0315", "secret-by-search-tool", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for leak in secrets::of(cx, sink).iter().filter(|leak| leak.kind == Kind::Searched) {
        let tools: Vec<&Way> = leak.ways.iter().collect();
        let Some((way, call)) = tools.first().and_then(|way| Some((way, way.last()?))) else { continue };
        let open = leak.agents(way, cx);
        let agents = written::listed(open.iter().map(String::as_str), 6);
        let text = format!("reading `{}` is denied, and `{}` searches it: {agents}", leak.path, call.permission);
        let finding = Finding::new(CODE, leak.span, text)
            .label("denies reading")
            .confidence(Confidence::Catalogue)
            .help(format!("deny `{}` too, or let a person be asked", call.permission));
        sink.push(ways::told(ways::about(finding, &open), &tools, cx));
    }
}
