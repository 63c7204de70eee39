//! No finding shows a call that the naive meaning decides otherwise: such a finding is a mistake of policyc, and said to be.

use crate::decide::{Decision, decide, decide_all};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink, Witness, WitnessCall};
use crate::language::Call;
use crate::reach::Place;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::source::Span;
use std::collections::BTreeMap;

pub(crate) const CODE: Code = Code::new("PC0999", "internal-error", Severity::Error);

/// Pushes a finding with a call that shows it, if the naive meaning decides the call so that it `holds`. The first of some
/// plausible calls that shows it as well stands in for what the engine found.
pub(crate) fn push(
    sink: &mut Sink,
    finding: Finding,
    set: &Ruleset,
    (call, plausible): (&Call, &[Call]),
    holds: impl Fn(&Call, &Decision<'_>) -> bool,
) {
    let shown = |call: &Call| {
        let decision = decide(set, &call.key, &call.value);
        holds(call, &decision).then(|| witness(set, call, &decision))
    };
    match shown(call) {
        Some(shortest) => sink.push(finding.witness(plausible.iter().find_map(shown).unwrap_or(shortest))),
        None => sink.push(wrong(&finding, set, call)),
    }
}

/// A finding about what an agent's rules say of a call.
pub(crate) struct Shown {
    pub(crate) finding: Finding,
    pub(crate) call: Call,
    /// The outcome, and the rule that has to decide it, if that matters.
    pub(crate) action: Action,
    pub(crate) by: Option<u32>,
}

/// Pushes findings with the calls that show them, if the naive meaning decides the calls so.
pub(crate) fn push_shown(sink: &mut Sink, set: &Ruleset, all: Vec<Shown>) {
    let requests: Vec<(&str, &str)> =
        all.iter().map(|shown| (shown.call.key.as_str(), shown.call.value.as_str())).collect();
    for (shown, decision) in all.iter().zip(decide_all(set, &requests)) {
        let by = |id: u32| decision.rule.is_some_and(|(_, rule)| rule.id == id);
        let holds = decision.action == shown.action && shown.by.is_none_or(by);
        sink.push(match holds {
            true => shown.finding.clone().witness(witness(set, &shown.call, &decision)),
            false => wrong(&shown.finding, set, &shown.call),
        });
    }
}

/// A finding about a rule that never decides, and a call that the rule matches and a later one decides.
pub(crate) struct Claim {
    pub(crate) finding: Finding,
    pub(crate) dead: Place,
    pub(crate) call: Call,
}

/// Pushes findings about dead rules with calls that show them, if the naive meaning decides the calls so.
pub(crate) fn push_all(sink: &mut Sink, claims: Vec<Claim>, sets: &[Ruleset]) {
    let mut by_set: BTreeMap<usize, Vec<Claim>> = BTreeMap::new();
    for claim in claims {
        by_set.entry(claim.dead.set).or_default().push(claim);
    }
    for (set, claims) in by_set {
        let Some(set) = sets.get(set) else { continue };
        let requests: Vec<(&str, &str)> =
            claims.iter().map(|claim| (claim.call.key.as_str(), claim.call.value.as_str())).collect();
        for (claim, decision) in claims.iter().zip(decide_all(set, &requests)) {
            let Claim { finding, dead, call } = claim;
            let matched = set.rules.get(dead.index).is_some_and(|rule| {
                rule.permission.matches(&call.key, set.case) && rule.pattern.matches(&call.value, set.case)
            });
            let later = decision.rule.is_some_and(|(decider, _)| decider > dead.index);
            sink.push(match matched && later {
                true => finding.clone().witness(witness(set, call, &decision)),
                false => wrong(finding, set, call),
            });
        }
    }
}

/// Says of calls, by agent, that the engine found and the naive meaning decides otherwise.
pub(crate) fn push_wrong(sink: &mut Sink, code: Code, span: Span, wrong_calls: &[(String, Call)], sets: &[Ruleset]) {
    let finding = Finding::new(code, span, "");
    for (agent, call) in wrong_calls {
        if let Some(set) = sets.iter().find(|set| set.agent == *agent) {
            sink.push(wrong(&finding, set, call));
        }
    }
}

fn wrong(finding: &Finding, set: &Ruleset, call: &Call) -> Finding {
    let text = format!("a proof of {} does not hold: this is a mistake of policyc", finding.code.id);
    Finding::new(CODE, finding.primary.span, text)
        .confidence(Confidence::Undecided)
        .note(format!("the call was `{}` `{}`, by `{}`", call.key, call.value, set.agent))
        .help("please report it with the policy; what it says of this rule is not to be relied on")
}

/// A call and what becomes of it.
pub(crate) fn witness(set: &Ruleset, call: &Call, decision: &Decision<'_>) -> Witness {
    let (agent, permission, resource) = (set.agent.clone(), call.key.clone(), call.value.clone());
    Witness { calls: vec![WitnessCall { agent, permission, resource }], decision: decision.action.to_string() }
}
