//! How it is told that an agent that may not edit has others write: one story for two checks.

use super::{Cx, loopholes, ways, written};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Confidence, Finding, Sink};

/// Reports the agents that reach writers by delegation alone, where the chains are of this kind.
pub(crate) fn tell(code: Code, of_kind: impl Fn(&[&Way]) -> bool, cx: &mut Cx<'_>, sink: &mut Sink) {
    let all = loopholes::of(cx, sink);
    for loophole in all.iter().filter(|loophole| !loophole.native) {
        let chains: Vec<&Way> = loophole.ways.iter().filter(|way| way.delegates()).collect();
        if chains.is_empty() || !of_kind(&chains) {
            continue;
        }
        let shortest = chains.iter().map(|way| way.steps.len()).min().unwrap_or_default();
        let mut names: Vec<&str> = Vec::new();
        for name in chains.iter().filter_map(|way| way.steps.first()?.to.as_deref()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let to = written::listed(names.iter().copied(), 4);
        let through = match (shortest > 2, names.len()) {
            (false, _) => ", which may write",
            (true, 1) => ", which starts others that write",
            (true, _) => ", which start others that write",
        };
        let agents = written::listed(loophole.agents.iter().map(String::as_str), 6);
        let text = format!("{agents} may not edit, and may start {to}{through}");
        let finding = Finding::new(code, loophole.deny, text).label("denies editing");
        let finding = ways::about(finding, &loophole.agents);
        let finding = finding.confidence(chains.first().map_or(Confidence::Proved, |way| ways::confidence(way)));
        let help = "deny starting them, or deny editing and the shell to them too; where handing over is the point, \
                    ignore this with a reason";
        sink.push(ways::told(finding, &chains, cx).help(help));
    }
}
