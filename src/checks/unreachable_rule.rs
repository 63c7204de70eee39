//! PC0101: one later rule matches every call that a rule matches.

use super::dead::{Story, tell};
use super::{Cx, said};
use crate::diagnostic::{Code, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0101", "unreachable-rule", Severity::Warning);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::Unreachable,
    because: |cover, many| match cover {
        [one, ..] => {
            format!("{} comes later and matches all {} calls", said::rule(one), if many { "their" } else { "its" })
        }
        [] => String::new(),
    },
    help: |_, opposed| {
        let help = if opposed {
            "write it after the rule that decides instead, or delete it"
        } else {
            "delete it: the later rule says the same"
        };
        help.to_owned()
    },
};

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
}
