//! PC0107: the same rule stands there twice.

use super::dead::{Story, tell};
use super::{Cx, edits};
use crate::diagnostic::{Code, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0107", "duplicate-rule", Severity::Warning);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::Duplicate,
    because: |_, many| {
        let text = if many { "each is said again later" } else { "it is said again later" };
        text.to_owned()
    },
    help: |_, _| "delete one of the two".to_owned(),
    fix: edits::delete,
};

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
}
