//! No finding shows a call that the naive meaning decides otherwise: such a finding is a mistake of policyc, and said to be.

use crate::decide::{Decision, decide};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink, Witness, WitnessCall};
use crate::language::Call;
use crate::ruleset::Ruleset;

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
