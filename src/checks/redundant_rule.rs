//! PC0106: a rule decides, but without it the same would be decided.

use super::{Cx, dead, edits, plausible, proof, said};
use crate::decide::decide;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Call;
use crate::reach::Kind;
use crate::rule::Rule;
use crate::ruleset::Ruleset;

pub(crate) const CODE: Code = Code::new("PC0106", "redundant-rule", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    report(CODE, Kind::Redundant, cx, sink);
}

/// Reports needless rules that decide: the first of a block with the rule that decides the same without it.
pub(super) fn report(code: Code, kind: Kind, cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    for case in reach.of_kind(kind) {
        let Some((fault, set, call)) = dead::first(case, cx) else { continue };
        let rules = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
        let mut places = said::places(&rules).into_iter();
        let (Some(rule), Some(primary)) = (rules.first(), places.next()) else { continue };
        let changes =
            if rules.len() == 1 { "changes nothing: without it" } else { "change nothing: without any one of them" };
        let text = format!("{} {changes} the same is decided", said::subject(&rules));
        let mut finding = Finding::new(code, primary, text).label("changes nothing");
        if &*rule.origin.slot == "own" {
            finding = finding.agent(set.agent.clone());
        }
        let instead = without(set, call, fault.at.index);
        let plausible = plausible::of_rule(cx, rule, set.case);
        if let Some(other) = instead {
            finding = finding.related(said::span(other), format!("decides the same without it: {}", other.action));
        }
        let mut finding = dead::list(finding, places.collect(), "changes nothing either").help("delete it");
        finding.fix = edits::delete_one(case, cx);
        let (at, action) = (fault.at.index, rule.action);
        proof::push(sink, finding, set, (call, &plausible), |call, decision| {
            decision.rule.is_some_and(|(decider, _)| decider == at)
                && without(set, call, at).is_some_and(|other| other.action == action)
        });
    }
}

/// The rule that decides a call without the one at a place, by the naive meaning.
fn without<'a>(set: &'a Ruleset, call: &Call, at: usize) -> Option<&'a Rule> {
    let decider = decide(set, &call.key, &call.value).rule?;
    if decider.0 != at {
        return Some(decider.1);
    }
    let matches =
        |rule: &&Rule| rule.permission.matches(&call.key, set.case) && rule.pattern.matches(&call.value, set.case);
    set.rules.get(..at)?.iter().rfind(matches)
}
