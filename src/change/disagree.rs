//! Configs of several runtimes in one project: a call that one of them denies by what its author wrote, and another allows.

use crate::checks::compared::RUNTIMES_DISAGREE;
use crate::checks::{said, undecided};
use crate::decide::{self, Decision};
use crate::diagnostic::{Confidence, Finding, Witness, WitnessCall};
use crate::fidelity::{self, Difference, Fidelity, Side};
use crate::language::{Budget, Call, Pattern};
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
        match compared((set, other), permission, &impossible.concat(), budget) {
            Fidelity::Looser(Difference::Decision { call, .. }) => finding((ours, set), (theirs, other), &call),
            Fidelity::Undecided => undecided(ours, theirs, permission),
            _ => None,
        }
    });
    found.collect()
}

/// The rules of the agent that a session begins with.
fn begins_with(side: &Compilation) -> Option<&Ruleset> {
    let agent = ruleset::default_agent(&side.model).ok()?;
    side.rulesets.iter().find(|set| set.agent == agent.name)
}

/// How two sides stand for a permission if the first were to deny what its author denies and nothing else, and the second to
/// allow what it allows and nothing else: looser by a shortest call that the one denies and the other allows.
fn compared(
    (ours, theirs): (&Ruleset, &Ruleset),
    permission: &str,
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Fidelity {
    let denied = |rule: &Rule| rule.action == Action::Deny && !rule.origin.prelude;
    let denies = |rule: &Rule| if denied(rule) { Action::Deny } else { Action::Allow };
    let allows = |rule: &Rule| if rule.action == Action::Allow { Action::Allow } else { Action::Deny };
    let ours = simplified(ours, permission, Action::Allow, denies);
    let theirs = simplified(theirs, permission, Action::Deny, allows);
    let side = |set| Side { set, visibility: Visibility::Fixed };
    fidelity::compare(side(&ours), side(&theirs), impossible, budget)
}

/// The rules that speak of a permission, with other actions, over a rule for all of it.
fn simplified(set: &Ruleset, permission: &str, first: Action, action: impl Fn(&Rule) -> Action) -> Ruleset {
    let mut speaking = fidelity::of_permission(set, permission);
    speaking.rules.iter_mut().for_each(|rule| rule.action = action(rule));
    let base =
        speaking.rules.first().map(|rule| Rule { pattern: Pattern::wildcard("*"), action: first, ..rule.clone() });
    speaking.rules.splice(0..0, base);
    speaking
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

/// The budget ended before it was known.
fn undecided(ours: &Compilation, theirs: &Compilation, permission: &str) -> Option<Finding> {
    let (one, two) = (ours.runtime.title(), theirs.runtime.title());
    let text = format!("whether {two} allows what {one} denies of `{permission}` is undecided within the budget");
    let finding = Finding::new(undecided::CODE, ours.start()?, text).confidence(Confidence::Undecided);
    Some(finding.help("give it more states with `--budget`"))
}
