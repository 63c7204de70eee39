//! PC0404: an agent that may not edit writes by an option before the subcommand.

use super::{Cx, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0404", "global-option", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::GlobalOption], cx, sink);
}
