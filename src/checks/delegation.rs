//! Who may start whom, as far as a person meets the agents.

use super::Cx;
use crate::capabilities::edges::{self, Edge};
use crate::model::Mode;
use crate::reach;

/// Every edge between agents that exist, parents and children in declaration order; those that only a person can choose
/// come last among the children. The runtime's own hidden agents are no parents: no person meets them.
pub(crate) fn edges<'a>(cx: &Cx<'a>) -> Vec<Edge<'a>> {
    let judged = reach::judged(cx.model, cx.rulesets);
    let sets = judged.into_iter().filter_map(|at| cx.rulesets.get(at));
    let all = sets.flat_map(|set| edges::from(cx.model, set));
    // A child of depth one starts nobody, so what only runs as a child never gets to delegate.
    all.filter(|edge| edge.parent.mode != Mode::Subagent || edge.declared.depth != Some(1)).collect()
}
