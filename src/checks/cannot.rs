//! Promises that there is no way to a capability; told as PC0801, with the ways as parts.

use super::{Cx, assertion_failed::CODE, promises, proof, ways, written};
use crate::capabilities::{Closure, Goal, Ways};
use crate::diagnostic::{Confidence, Finding, Sink};
use crate::language::Pattern;
use crate::model::{Capability, Promise};
use crate::source::Spanned;

/// A promise about a capability, taken apart.
pub(super) struct Cannot<'a> {
    pub(super) promise: &'a Promise,
    pub(super) who: &'a [String],
    pub(super) capability: Capability,
    pub(super) patterns: &'a [Spanned<Pattern>],
    pub(super) except: &'a [Spanned<Pattern>],
}

/// Finds out whether it holds.
pub(super) fn run(cannot: &Cannot<'_>, cx: &mut Cx<'_>, sink: &mut Sink) {
    let nodes = |patterns: &[Spanned<Pattern>]| patterns.iter().map(|pattern| pattern.node.clone()).collect();
    let goal = Goal { include: nodes(cannot.patterns), except: nodes(cannot.except), ..Goal::of(cannot.capability) };
    let mut closure = Closure::new(cx.world, goal);
    let mut failed: Vec<(&str, Ways)> = Vec::new();
    let mut open: Vec<(&str, usize)> = Vec::new();
    for agent in cannot.who {
        // The first that fails is told with all its ways; of the others it is enough that there is one.
        let found = match failed.is_empty() {
            true => closure.ways(agent, cx.budget),
            false => closure.first(agent, cx.budget),
        };
        proof::push_wrong(sink, CODE, cannot.promise.span, &found.wrong, cx.rulesets);
        if !found.ways.is_empty() {
            failed.push((agent, found));
        } else if let Some(states) = found.doubts.first() {
            open.push((agent, *states));
        }
    }
    if let Some((agent, found)) = failed.first() {
        let agents: Vec<&str> = failed.iter().map(|(agent, _)| *agent).collect();
        sink.push(refuted(cannot, agent, found, &agents, cx));
    }
    if let Some((_, states)) = open.first() {
        let agents = written::listed(open.iter().map(|(agent, _)| *agent), 6);
        let text = promises::as_written(cannot.promise, cx);
        let text = format!("whether {text} holds for {agents} was not settled, so it counts as failed");
        let finding = Finding::new(CODE, cannot.promise.span, text).confidence(Confidence::Undecided);
        sink.push(finding.label(format!("undecided after {states} states")).help("raise `--budget`"));
    }
}

fn refuted(cannot: &Cannot<'_>, agent: &str, found: &Ways, agents: &[&str], cx: &Cx<'_>) -> Finding {
    let text = promises::as_written(cannot.promise, cx);
    let listed = written::listed(agents.iter().copied(), 6);
    let kinds = ways::each_kind(&found.ways);
    let confidence = kinds.first().map_or(Confidence::Proved, |way| ways::confidence(way));
    let finding = Finding::new(CODE, cannot.promise.span, format!("{text} does not hold for {listed}"))
        .agent(agent)
        .label("broken")
        .confidence(confidence);
    let what = cannot.capability;
    ways::told(finding, &kinds, cx)
        .help(format!("`policyc can FILE {agent} {what}` lists every way, and the fewest changes that close them"))
}
