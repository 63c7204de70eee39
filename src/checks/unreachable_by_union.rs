//! PC0102: several later rules together match every call that a rule matches; none of them does alone.

use super::dead::{Story, tell};
use super::{Cx, edits};
use crate::diagnostic::{Code, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0102", "unreachable-by-union", Severity::Warning);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::Union,
    because: |cover, many| {
        let its = if many { "their" } else { "its" };
        format!("{} later rules together match all {its} calls", cover.len())
    },
    help: |_, opposed| {
        let help =
            if opposed { "write it after them, or delete it" } else { "delete it: the later rules say the same" };
        help.to_owned()
    },
    fix: edits::delete,
};

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
}
