//! Witnesses: every call that a finding shows was decided again by the naive meaning.

use crate::decide;
use crate::diagnostic::{Witness, WitnessCall};
use crate::rule::Action;
use crate::ruleset::Ruleset;

/// A request, by the agent of `set`, that is decided as `expected`; `None` if the naive meaning does not agree.
pub(crate) fn request(set: &Ruleset, permission: &str, resource: &str, expected: Action) -> Option<Witness> {
    chain(&[(set, permission, resource)], expected)
}

/// Requests made one after another, by the agents of their sets: all but the last pass or ask, the last is decided as
/// `expected`.
pub(crate) fn chain(calls: &[(&Ruleset, &str, &str)], expected: Action) -> Option<Witness> {
    let ((last, last_permission, last_resource), before) = calls.split_last()?;
    let passes = before
        .iter()
        .all(|(set, permission, resource)| decide::decide(set, permission, resource).action != Action::Deny);
    if !passes || decide::decide(last, last_permission, last_resource).action != expected {
        return None;
    }
    let calls = calls.iter().map(|(set, permission, resource)| WitnessCall {
        agent: set.agent.clone(),
        permission: (*permission).to_owned(),
        resource: (*resource).to_owned(),
    });
    Some(Witness { calls: calls.collect(), decision: expected.to_string() })
}
