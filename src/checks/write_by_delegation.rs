//! PC0305: an agent that may not edit has another one write.

use super::{Cx, loopholes};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0305", "write-by-delegation", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    loopholes::tell(CODE, &[Family::Agent], cx, sink);
    let one = |chains: &[&Way]| chains.iter().any(|way| way.steps.len() == 2);
    super::transitive_delegation::tell(CODE, one, cx, sink);
}
