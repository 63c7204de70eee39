//! PC0320: an agent that may not edit acts as another user.

use super::{Cx, shell_ways};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::Family;

pub(crate) const CODE: Code = Code::new("PC0320", "privilege-wrapper", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    shell_ways::tell(CODE, &[Family::Privilege], cx, sink);
}
