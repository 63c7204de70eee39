//! PC0302: an agent that may not edit writes by redirecting the output of a command.

use super::{Cx, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0302", "write-by-redirect", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::Redirect], cx, sink);
}
