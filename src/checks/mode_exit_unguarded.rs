//! PC0308: an agent that may not edit moves the session to one that may, and nobody confirms it.

use super::{Cx, loopholes, ways};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Finding, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0308", "mode-exit-unguarded", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let all = loopholes::of(cx, sink);
    for loophole in all.iter() {
        let Some(agent) = loophole.agents.first() else { continue };
        let exits: Vec<&Way> = loophole.ways.iter().filter(|way| way.switches()).collect();
        let Some(first) = exits.first().and_then(|way| way.steps.first()) else { continue };
        let to = first.to.as_deref().unwrap_or_default();
        let text = format!("`{agent}` may not edit, and moves to `{to}`, which may, without a person's word");
        let finding = Finding::new(CODE, loophole.deny, text).agent(agent).label("denies editing");
        let help = format!("let a person confirm the switch, or deny `{}` to `{agent}`", first.permission);
        sink.push(ways::told(finding, &exits, cx).help(help));
    }
}
