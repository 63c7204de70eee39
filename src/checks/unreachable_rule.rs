//! PC0101: one later rule matches every call that a rule matches.

use super::dead::{Story, tell};
use super::{Cx, edits, said};
use crate::diagnostic::{Code, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0101", "unreachable-rule", Severity::Warning);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::Unreachable,
    because: |cover, many| {
        let its = if many { "their" } else { "its" };
        format!("{} later on {} all {its} calls", said::subject(cover), said::matches(cover))
    },
    help: |_, opposed| {
        let help = if opposed {
            "write it after the rule that decides instead, or delete it"
        } else {
            "delete it: the later rule says the same"
        };
        help.to_owned()
    },
    fix: edits::delete,
};

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
}
