//! PC0306: an agent that may not edit has another one start a third, which writes.

use super::{Cx, chains};
use crate::diagnostic::{Code, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0306", "transitive-delegation", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    chains::tell(CODE, |chains| chains.iter().all(|way| way.steps.len() > 2), cx, sink);
}
