//! PC0303: an agent that may not edit writes by a tool whose business it is.

use super::{Cx, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0303", "write-by-filter-tool", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::FilterTool, Family::Windows], cx, sink);
}
