//! PC0305: an agent that may not edit has another one write.

use super::{Cx, chains, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0305", "write-by-delegation", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::Agent], cx, sink);
    chains::tell(CODE, |chains| chains.iter().any(|way| way.steps.len() == 2), cx, sink);
}
