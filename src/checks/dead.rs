//! How rules that never decide are told: one story for several checks.

use super::proof::Claim;
use super::{Cx, plausible, proof, said};
use crate::decide::decide;
use crate::diagnostic::{Code, Finding, Fix, Severity, Sink};
use crate::language::Call;
use crate::reach::{Case, Fault, Kind};
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use crate::source::Span;

/// What one check says of its cases.
pub(crate) struct Story {
    /// Its code.
    pub(crate) code: Code,
    /// The cases it reports.
    pub(crate) kind: Kind,
    /// What the rule that decides instead does, after "never decides: ".
    pub(crate) because: fn(cover: &[&Rule], many: bool) -> String,
    /// What to do.
    pub(crate) help: fn(cover: &[&Rule], opposed: bool) -> String,
    /// The change that does it, where one is proved.
    pub(crate) fix: fn(&Case, &Cx<'_>) -> Option<Fix>,
}

/// Reports all cases of a story.
pub(crate) fn tell(story: &Story, cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    let claims = reach.of_kind(story.kind).filter_map(|case| claim(story, case, cx)).collect();
    proof::push_all(sink, claims, cx.rulesets);
}

fn claim(story: &Story, case: &Case, cx: &Cx<'_>) -> Option<Claim> {
    let faults: Vec<&Fault> = case.rules.iter().filter(|fault| !moved_by_keys(fault, cx)).collect();
    let fault = *faults.first()?;
    let (set, call) = (cx.rulesets.get(fault.at.set)?, fault.call.as_ref()?);
    let dead = said::rules(faults.iter().map(|fault| fault.at), cx.rulesets);
    let cover = said::rules(case.cover.iter().copied(), cx.rulesets);
    let never = if dead.len() == 1 { "never decides" } else { "never decide" };
    let because =
        if case.rest { "later rules decide instead".to_owned() } else { (story.because)(&cover, dead.len() > 1) };
    let message = format!("{} {never}: {because}", said::subject(&dead));
    let severity = if case.opposed { Severity::Error } else { story.code.severity.min(Severity::Warning) };
    let mut places = said::places(&dead).into_iter();
    let primary = places.next()?;
    let mut finding = Finding::new(story.code, primary, message).severity(severity).label("never decides");
    if dead.first().is_some_and(|rule| &*rule.origin.slot == "own") {
        finding = finding.agent(set.agent.clone());
    }
    let instead = if case.kind == Kind::Union { "decides some of them" } else { "decides instead" };
    for (place, action) in said::places(&cover).into_iter().zip(cover.iter().map(|cover| cover.action)) {
        finding = finding.related(place, format!("{instead}: {action}"));
    }
    finding = list(finding, places.collect(), "never decides either");
    finding = finding.note("no call exists that it decides").help((story.help)(&cover, case.opposed));
    finding.fix = (story.fix)(case, cx);
    let rule = *dead.first()?;
    let decided = |call: &Call| cx.world.tables.speaking(set, &call.key).decide(&call.value).rule;
    let later = |call: &Call| decided(call).is_some_and(|(at, _)| at > fault.at.index);
    let plausible = plausible::of_rule(cx, rule, set.case).into_iter().find(later);
    Some(Claim { finding, dead: fault.at, call: plausible.unwrap_or_else(|| call.clone()) })
}

/// Whether a rule decides its call in the order it was written in, and only the order of keys takes the call from it: PC0203
/// tells of that, and moving lines would not help.
fn moved_by_keys(fault: &Fault, cx: &Cx<'_>) -> bool {
    let (Some(as_written), Some(call)) = (cx.as_written, &fault.call) else { return false };
    let (Some(rule), Some(set)) = (fault.at.rule(cx.rulesets), cx.rulesets.get(fault.at.set)) else { return false };
    let Some(wrote) = as_written.iter().find(|wrote| wrote.agent == set.agent) else { return false };
    let same = |other: &Rule| {
        (other.origin.span, &other.permission, &other.pattern) == (rule.origin.span, &rule.permission, &rule.pattern)
    };
    decide(set, &call.key, &call.value).action != rule.action
        && decide(wrote, &call.key, &call.value).rule.is_some_and(|(_, decider)| same(decider))
}

/// The first rule of a case with its ruleset and the call that shows it.
pub(crate) fn first<'c, 'a>(case: &'c Case, cx: &Cx<'a>) -> Option<(&'c Fault, &'a Ruleset, &'c Call)> {
    let fault = case.rules.first()?;
    Some((fault, cx.rulesets.get(fault.at.set)?, fault.call.as_ref()?))
}

/// More places of the same, the first few one by one.
pub(crate) fn list(mut finding: Finding, places: Vec<Span>, text: &str) -> Finding {
    for place in places.iter().take(said::LISTED) {
        finding = finding.related(*place, text);
    }
    match places.len().saturating_sub(said::LISTED) {
        0 => finding,
        more => finding.note(format!("and {more} more such rules")),
    }
}
