//! Configs of several runtimes in one project: a call that one of them denies by what its author wrote, and another allows.

use crate::checks::compared::RUNTIMES_DISAGREE;
use crate::checks::said;
use crate::decide::{self, Decision};
use crate::diagnostic::{Finding, Witness, WitnessCall};
use crate::fidelity::{self, Difference, Fidelity, Side};
use crate::language::{Budget, Call, Dialect, Pattern};
use crate::model::Visibility;
use crate::project::Compilation;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::{self, Ruleset};

/// What the author of `ours` denies and `theirs` allows, as findings at the denying rules: a shortest call for each permission
/// that both have, of the agents that sessions begin with. Nothing for two configs of one runtime.
pub fn disagreements(ours: &Compilation, theirs: &Compilation, budget: &mut Budget) -> Vec<Finding> {
    if ours.runtime.name() == theirs.runtime.name() {
        return Vec::new();
    }
    let (Some(set), Some(other)) = (begins_with(ours), begins_with(theirs)) else { return Vec::new() };
    let both = ours.model.permissions.keys().filter(|name| theirs.model.permissions.contains_key(*name));
    let found = both.filter_map(|permission| {
        let impossible = [(ours, set), (theirs, other)].map(|(side, _)| reach::impossible(&side.model, side.runtime));
        let call = denied_and_allowed((set, other), permission, &impossible.concat(), budget)?;
        finding((ours, set), (theirs, other), &call)
    });
    found.collect()
}

/// The rules of the agent that a session begins with.
fn begins_with(side: &Compilation) -> Option<&Ruleset> {
    let agent = ruleset::default_agent(&side.model).ok()?;
    side.rulesets.iter().find(|set| set.agent == agent.name)
}

/// A shortest call of a permission that one side denies by its author's rules and the other allows.
fn denied_and_allowed(
    (ours, theirs): (&Ruleset, &Ruleset),
    permission: &str,
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Option<Call> {
    // What the author does not deny passes here, and what they do not allow is denied there: only what is sought is looser.
    let denies = |rule: &Rule| rule.action == Action::Deny && !rule.origin.prelude;
    let ours =
        simplified(ours, permission, Action::Allow, |rule| if denies(rule) { Action::Deny } else { Action::Allow })?;
    let allows = |rule: &Rule| rule.action == Action::Allow;
    let theirs =
        simplified(theirs, permission, Action::Deny, |rule| if allows(rule) { Action::Allow } else { Action::Deny })?;
    let side = |set| Side { set, visibility: Visibility::Fixed };
    match fidelity::compare(side(&ours), side(&theirs), impossible, budget) {
        Fidelity::Looser(Difference::Decision { call, .. }) => Some(call),
        _ => None,
    }
}

/// The rules that speak of a permission, as rules of that one alone with other actions, over a rule for all of it.
fn simplified(set: &Ruleset, permission: &str, first: Action, action: impl Fn(&Rule) -> Action) -> Option<Ruleset> {
    let name = Pattern::new(Dialect::Exact, permission).ok()?;
    let speaking = set.rules.iter().filter(|rule| rule.permission.matches(permission, set.case));
    let rules: Vec<Rule> =
        speaking.map(|rule| Rule { permission: name.clone(), action: action(rule), ..rule.clone() }).collect();
    let base = rules.first().map(|rule| Rule { pattern: Pattern::wildcard("*"), action: first, ..rule.clone() });
    Some(Ruleset { rules: base.into_iter().chain(rules).collect(), ..set.clone() })
}

fn finding(
    (ours, set): (&Compilation, &Ruleset),
    (theirs, other): (&Compilation, &Ruleset),
    call: &Call,
) -> Option<Finding> {
    let decided = decide::decide(set, &call.key, &call.value);
    let Decision { action: Action::Deny, rule: Some((_, rule)) } = decided else { return None };
    let Decision { action: Action::Allow, rule: their_rule } = decide::decide(other, &call.key, &call.value) else {
        return None;
    };
    let (one, two) = (ours.runtime.title(), theirs.runtime.title());
    let text = format!("{two} allows what {one} denies here: {} `{}`", call.key, call.value);
    let called = WitnessCall { agent: set.agent.clone(), permission: call.key.clone(), resource: call.value.clone() };
    let witness = Witness { calls: vec![called], decision: Action::Deny.to_string() };
    let mut finding = Finding::new(RUNTIMES_DISAGREE, said::span(rule), text)
        .label(format!("denies in {one}"))
        .help("deny it in both, or write one policy for all runtimes and compile it: `policyc compile --target all`")
        .agent(&set.agent)
        .witness(witness);
    if let Some((_, rule)) = their_rule {
        finding = finding.related(said::span(rule), format!("allows in {two}"));
    }
    Some(finding)
}
