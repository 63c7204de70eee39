//! PC0104: an exception stands before the broad rule that it is meant to be an exception to.

use super::dead::{Story, tell};
use super::{Cx, edits, said};
use crate::diagnostic::{Code, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0104", "swallowed-exception", Severity::Error);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::Swallowed,
    because: |cover, many| {
        let (it, its) = if many { ("them", "their") } else { ("it", "its") };
        format!("{} after {it} {} all {its} calls", said::subject(cover), said::matches(cover))
    },
    help: |cover, _| format!("the last match decides: move {} above, the exceptions after it", said::subject(cover)),
    fix: edits::swap,
};

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
}
