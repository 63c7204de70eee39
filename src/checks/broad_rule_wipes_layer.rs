//! PC0202: one rule of a later layer makes many rules of earlier ones void.

use super::{Cx, dead, plausible, proof, said, written};
use crate::decide::decide_all;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Call;
use crate::reach::{self, Kind, Reach, statements};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0202", "broad-rule-wipes-layer", Severity::Warning);

/// So many shared denies that an agent's own rule makes void are no exception any more.
const MANY: usize = 3;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    for at in reach::judged(cx.model, cx.rulesets) {
        if let Some(set) = cx.rulesets.get(at) {
            for_one_agent(set, &reach, cx, sink);
        }
    }
    for case in reach.of_kind(Kind::WipesLayer) {
        let Some((fault, set, call)) = dead::first(case, cx) else { continue };
        let dead = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
        let Some(cover) = case.cover.first().and_then(|place| place.rule(cx.rulesets)) else { continue };
        let mut blocks: Vec<String> = dead.iter().map(|rule| said::block(rule, set)).collect();
        blocks.dedup();
        blocks.truncate(3);
        let (number, of) = (statements(dead.iter().copied()), blocks.join(" and "));
        let text = match case.rest {
            false => format!("{} makes {number} rules of {of} void", said::rule(cover)),
            true => format!("{number} more rules of earlier layers never decide"),
        };
        let loosened = dead.iter().any(|rule| rule.action == Action::Deny && cover.action < Action::Deny);
        let severity = if loosened { Severity::Error } else { CODE.severity };
        let finding = Finding::new(CODE, said::span(cover), text)
            .severity(severity)
            .label("matches every call that they match")
            .note("a later layer is stronger than an earlier one, however narrow the earlier rule is")
            .help("narrow it, or move it to the first layer");
        let finding = dead::list(finding, said::places(&dead), "never decides");
        let at = fault.at.index;
        let plausible = dead.first().map(|rule| plausible::of_rule(cx, rule, set.case)).unwrap_or_default();
        proof::push(sink, finding, set, (call, &plausible), |_, decision| {
            decision.rule.is_some_and(|(decider, _)| decider > at)
        });
    }
}

/// Denies that others keep, and that one rule of this agent's own makes void for it: it allows all that they are about.
fn for_one_agent(set: &Ruleset, reach: &Reach, cx: &Cx<'_>, sink: &mut Sink) {
    let opens = |rule: &Rule| is_own(rule) && rule.action == Action::Allow && rule.pattern.is_everything();
    let shared = |rule: &Rule| !rule.origin.prelude && !is_own(rule) && rule.action == Action::Deny;
    // Of two for the same permission the later one decides.
    let opening: IndexMap<&str, (usize, &Rule)> =
        set.rules.iter().enumerate().filter(|(_, rule)| opens(rule)).map(|at| (at.1.permission.text(), at)).collect();
    if opening.is_empty() {
        return;
    }
    let shared: Vec<(usize, &Rule)> = set.rules.iter().enumerate().filter(|(_, rule)| shared(rule)).collect();
    let faults = || reach.cases.iter().flat_map(|case| &case.rules).filter_map(|fault| fault.at.rule(cx.rulesets));
    let mut told: Option<FxHashSet<u32>> = None;
    for (at, rule) in opening.into_values() {
        let told = told.get_or_insert_with(|| faults().map(|rule| rule.id).collect());
        let before = shared.iter().take_while(|(place, _)| *place < at).map(|(_, deny)| *deny);
        let denies: Vec<(&Rule, Call)> = before
            .filter(|deny| covers(rule, deny, set) && !told.contains(&deny.id))
            .filter_map(|deny| Some((deny, plausible::of_rule(cx, deny, set.case).into_iter().next()?)))
            .collect();
        let requests: Vec<(&str, &str)> =
            denies.iter().map(|(_, call)| (call.key.as_str(), call.value.as_str())).collect();
        // A later rule of the agent's may deny the same again.
        let loosened = denies.iter().zip(decide_all(set, &requests));
        let loosened = loosened.filter(|(_, decision)| decision.rule.is_some_and(|(decider, _)| decider == at));
        let (void, calls): (Vec<&Rule>, Vec<&Call>) = loosened.map(|((deny, call), _)| (*deny, call)).unzip();
        let (number, Some(call)) = (statements(void.iter().copied()), calls.first()) else { continue };
        if number < MANY {
            continue;
        }
        let text = format!("{} makes {number} shared denies void for `{}`", said::rule(rule), set.agent);
        let finding = Finding::new(CODE, said::span(rule), text)
            .agent(&set.agent)
            .label("allows every call that they deny")
            .note("an agent's own rules come after the shared ones, however narrow those are")
            .help("repeat what must stay denied after it, or allow by name what this agent needs");
        let finding = dead::list(finding, said::places(&void), "void for this agent");
        proof::push(sink, finding, set, (call, &[]), |_, decision| {
            decision.rule.is_some_and(|(decider, _)| decider == at)
        });
    }
}

fn is_own(rule: &Rule) -> bool {
    !rule.origin.prelude && &*rule.origin.slot == "own"
}

/// Whether a rule for all resources matches every call of another one.
fn covers(rule: &Rule, deny: &Rule, set: &Ruleset) -> bool {
    let named = || written::is_literal(&deny.permission);
    rule.permission.is_everything() || named() && written::matches(&rule.permission, deny.permission.text(), set.case)
}
