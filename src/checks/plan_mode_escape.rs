//! PC0307: a read-only agent of the runtime itself that can write, as its maker leaves it.

use super::{Cx, loopholes, ways, written};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Finding, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0307", "plan-mode-escape", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let all = loopholes::of(cx, sink);
    let native: Vec<_> = all.iter().filter(|loophole| loophole.native).collect();
    let Some(first) = native.first() else { return };
    let agents = written::listed(native.iter().filter_map(|loophole| loophole.agents.first()).map(String::as_str), 6);
    let text = format!("{agents} of the runtime may not edit, and can write all the same, as the runtime ships them");
    let kinds: Vec<&Way> =
        native.iter().flat_map(|loophole| ways::each_kind(&loophole.ways).into_iter().take(1)).collect();
    let finding = Finding::new(CODE, first.deny, text).label("denies editing");
    sink.push(
        ways::told(finding, &kinds, cx)
            .help("close them in your own config: deny them the shell, and the agents they may start"),
    );
}
