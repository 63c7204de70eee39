//! PC0403: an agent that may not edit writes by an option of a command that otherwise reads.

use super::{Cx, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0403", "dangerous-option", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::Option, Family::Network], cx, sink);
}
