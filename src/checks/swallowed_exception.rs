//! PC0104: an exception stands before the broad rule that it is meant to be an exception to.

use super::dead::{Story, tell};
use super::{Cx, said};
use crate::diagnostic::{Code, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0104", "swallowed-exception", Severity::Error);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::Swallowed,
    because: |cover, many| match cover {
        [one, ..] => {
            format!("{} after {} matches all {} calls", said::rule(one), them(many), if many { "their" } else { "its" })
        }
        [] => String::new(),
    },
    help: |cover, _| match cover {
        [one, ..] => format!("the last match decides: move {} above, the exceptions after it", said::rule(one)),
        [] => "the last match decides: write broad rules first".to_owned(),
    },
};

fn them(many: bool) -> &'static str {
    if many { "them" } else { "it" }
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
}
