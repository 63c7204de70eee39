//! PC0318: a file that may not be read is sent away by one command.

use super::Cx;
use super::secrets::{self, Kind};
use crate::capabilities::Step;
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0318", "exfiltration-path", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    // Where a command shows the file, PC0314 tells it, and that it can leave from there.
    for leak in secrets::of(cx, sink).iter().filter(|leak| leak.kind == Kind::Sent) {
        let does = |call: &Step| format!("`{}` sends it away", call.resource);
        let help = |_: &Step| "deny the commands that send files, or let a person be asked about them".to_owned();
        let finding = secrets::told(CODE, leak, &leak.commands(Family::Network), (does, help), cx);
        if let Some(finding) = finding {
            sink.push(finding);
        }
    }
}
