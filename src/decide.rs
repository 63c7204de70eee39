//! The meaning, in one page: what becomes of a request, of a call, and which tools the model sees.
//!
//! Everything faster or cleverer is held to this by property tests.

use crate::language::Dialect;
use crate::model::Visibility;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use std::collections::BTreeMap;

/// What becomes of a request that no rule matches.
pub const FALLBACK: Action = Action::Ask;

/// A decision and the rule that took it.
#[derive(Clone, Copy, Debug)]
pub struct Decision<'a> {
    /// What becomes of the request.
    pub action: Action,
    /// Place in the ruleset and rule; `None`: no rule matched.
    pub rule: Option<(usize, &'a Rule)>,
}

/// Decides a request: the LAST rule whose permission and pattern both match; none: ask.
pub fn decide<'a>(set: &'a Ruleset, permission: &str, resource: &str) -> Decision<'a> {
    let rule = set.rules.iter().enumerate().rfind(|(_, rule)| matches(set, rule, permission, resource));
    Decision { action: rule.map_or(FALLBACK, |(_, rule)| rule.action), rule }
}

/// Decides many requests, each as [`decide`] does, going once through the rules.
pub fn decide_all<'a>(set: &'a Ruleset, requests: &[(&str, &str)]) -> Vec<Decision<'a>> {
    let mut out = vec![Decision { action: FALLBACK, rule: None }; requests.len()];
    let mut open: BTreeMap<&str, Vec<(&str, &mut Decision<'a>)>> = BTreeMap::new();
    for ((permission, resource), decision) in requests.iter().zip(&mut out) {
        open.entry(permission).or_default().push((resource, decision));
    }
    for (at, rule) in set.rules.iter().enumerate().rev() {
        for (_, asking) in open.iter_mut().filter(|(permission, _)| rule.permission.matches(permission, set.case)) {
            asking.retain_mut(|(resource, decision)| {
                let decides = rule.pattern.matches(resource, set.case);
                if decides {
                    **decision = Decision { action: rule.action, rule: Some((at, rule)) };
                }
                !decides
            });
        }
    }
    out
}

/// Every rule that matches a request, in order; the last one decides.
pub fn trace<'a>(set: &'a Ruleset, permission: &str, resource: &str) -> Vec<(usize, &'a Rule)> {
    set.rules.iter().enumerate().filter(|(_, rule)| matches(set, rule, permission, resource)).collect()
}

fn matches(set: &Ruleset, rule: &Rule, permission: &str, resource: &str) -> bool {
    rule.permission.matches(permission, set.case) && rule.pattern.matches(resource, set.case)
}

/// Decides a call: it asks one or more requests, and the strictest answer decides. A call that asks nothing passes.
pub fn strictest(decisions: impl IntoIterator<Item = Action>) -> Action {
    decisions.into_iter().max().unwrap_or(Action::Allow)
}

/// Whether the model sees a tool whose permission key is `key`.
pub fn visible(set: &Ruleset, key: &str, visibility: Visibility) -> bool {
    // The pattern's text counts here, not what it matches: `**` denies as much as `*` and hides nothing.
    let bare_deny = |rule: &Rule| {
        rule.action == Action::Deny && rule.pattern.dialect() == Dialect::Wildcard && rule.pattern.text() == "*"
    };
    let mut speaking = set.rules.iter().filter(|rule| rule.permission.matches(key, set.case));
    match visibility {
        Visibility::LastDeny => !speaking.next_back().is_some_and(bare_deny),
        Visibility::BareDeny => !speaking.any(bare_deny),
        Visibility::Fixed => true,
    }
}
