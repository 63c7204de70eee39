//! PC0304: an agent that may not edit writes by running code, or any command.

use super::{Cx, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0304", "write-by-interpreter", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::Interpreter, Family::Shell, Family::Runner], cx, sink);
}
