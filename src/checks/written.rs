//! The rules a user wrote, each once, as they stood before a runtime settled them; and what they speak of.

use crate::language::{Case, Dialect, Pattern};
use crate::model::{Capability, Model, Permission, ResourceKind};
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use crate::source::Span;

/// The rules of the user's files in reading order, layers first.
pub(crate) fn rules(model: &Model) -> impl Iterator<Item = &Rule> {
    let layers = model.layers.values().flat_map(|layer| &layer.rules);
    layers.chain(model.agents.values().flat_map(|agent| &agent.own)).filter(|rule| !rule.origin.prelude)
}

/// The plainly named permissions that a rule speaks of, with what is declared of them.
pub(crate) fn spoken<'a>(model: &'a Model, rule: &'a Rule) -> impl Iterator<Item = (&'a str, &'a Permission)> {
    let plain = model.permissions.iter().filter(|(name, _)| !name.contains(['*', '?']));
    plain
        .filter(|(name, _)| matches(&rule.permission, name, Case::Sensitive))
        .map(|(name, permission)| (name.as_str(), permission))
}

/// The permissions whose resources are of this kind.
pub(crate) fn of_kind(model: &Model, kind: ResourceKind) -> impl Iterator<Item = (&str, &Permission)> {
    let all = model.permissions.iter().filter(move |(_, permission)| permission.resource == kind);
    all.map(|(name, permission)| (name.as_str(), permission))
}

/// The plainly named permissions about paths that are declared to give a capability.
pub(crate) fn giving(model: &Model, capability: Capability) -> impl Iterator<Item = &str> {
    let gives = move |(name, declared): &(&str, &Permission)| {
        declared.capability == Some(capability) && !name.contains(['*', '?'])
    };
    of_kind(model, ResourceKind::Path).filter(gives).map(|(name, _)| name)
}

/// [`Pattern::matches`], quick where the pattern is a plain name or a star, as permissions mostly are.
pub(crate) fn matches(pattern: &Pattern, name: &str, case: Case) -> bool {
    let text = pattern.text();
    if text == "*" || text == name {
        return pattern.matches(name, case);
    }
    if case == Case::Sensitive && is_literal(pattern) && !text.contains('\\') && !name.contains('\\') {
        return false;
    }
    pattern.matches(name, case)
}

/// Whether a pattern stands for its own text alone.
pub(crate) fn is_literal(pattern: &Pattern) -> bool {
    match pattern.dialect() {
        Dialect::Exact => true,
        Dialect::Wildcard => !pattern.text().contains(['*', '?']),
        Dialect::Glob | Dialect::Prefix | Dialect::Regex => false,
    }
}

/// The part of a ruleset that speaks of one permission: it decides that permission's requests as the whole does.
pub(crate) fn about(set: &Ruleset, permission: &str) -> Ruleset {
    let rules = set.rules.iter().filter(|rule| matches(&rule.permission, permission, set.case)).cloned().collect();
    Ruleset { agent: set.agent.clone(), rules, case: set.case }
}

/// The statements that rules stand in, each once, in the order of the rules.
pub(crate) fn statements(rules: &[&Rule]) -> Vec<Span> {
    let mut out: Vec<Span> = rules.iter().map(|rule| rule.origin.statement).collect();
    out.dedup();
    out
}

/// Words in backticks, with commas; after `most` of them only how many more there are.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let mut text = words.iter().take(most).map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    if words.len() > most {
        text.push_str(&format!(" and {} more", words.len() - most));
    }
    text
}
