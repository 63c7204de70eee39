//! PC0315: a file that may not be read can be searched.

use super::Cx;
use super::secrets::{self, Kind};
use crate::capabilities::{Step, Way};
use crate::diagnostic::{Code, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0315", "secret-by-search-tool", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for leak in secrets::of(cx, sink).iter().filter(|leak| leak.kind == Kind::Searched) {
        let tools: Vec<&Way> = leak.ways.iter().collect();
        let does = |call: &Step| format!("`{}` searches it", call.permission);
        let help = |call: &Step| format!("deny `{}` too, or let a person be asked", call.permission);
        if let Some(finding) = secrets::told(CODE, leak, &tools, (does, help), cx) {
            sink.push(finding);
        }
    }
}
