//! How rules and places are named to a person.

use crate::reach::Place;
use crate::rule::{Rule, Via};
use crate::ruleset::Ruleset;
use crate::source::Span;

/// So many places are listed one by one; of more only the number is said.
pub(crate) const LISTED: usize = 10;
/// The longest pattern that is shown whole, in characters.
const LONG: usize = 60;

/// A rule as the language writes it, in backticks; a long pattern is cut.
pub(crate) fn rule(rule: &Rule) -> String {
    let (permission, text) = (rule.permission.text(), rule.pattern.text());
    match text {
        "*" => format!("`{} {permission}`", rule.action),
        _ if text.chars().count() <= LONG => format!("`{} {permission} \"{text}\"`", rule.action),
        _ => format!("`{} {permission} \"{}…\"`", rule.action, text.chars().take(LONG).collect::<String>()),
    }
}

/// Where a rule is said: its pattern, or the name of the list that the pattern came through.
pub(crate) fn span(rule: &Rule) -> Span {
    let list = rule.origin.via.iter().rev().find_map(|via| match via {
        Via::Let { span, .. } => Some(*span),
        Via::Extend(_) | Via::Use(_) | Via::From(_) => None,
    });
    list.unwrap_or(rule.origin.span)
}

/// The block a rule stands in, for a sentence.
pub(crate) fn block(rule: &Rule, set: &Ruleset) -> String {
    match &*rule.origin.slot {
        "own" => format!("the rules of `{}`", set.agent),
        "builtin" => format!("what the runtime says of `{}`", set.agent),
        "runtime" => "what the runtime adds last".to_owned(),
        layer => format!("layer `{layer}`"),
    }
}

/// What rules are called together: the rule, the patterns of one statement, or their number.
pub(crate) fn subject(rules: &[&Rule]) -> String {
    match rules {
        [one] => rule(one),
        [first, rest @ ..] if rest.iter().all(|rule| rule.origin.statement == first.origin.statement) => {
            format!("{} and {} more of this rule", rule(first), rest.len())
        }
        _ => format!("{} rules", rules.len()),
    }
}

/// The verb for rules that stand before it in a sentence as [`subject`] names them.
pub(crate) fn matches(rules: &[&Rule]) -> &'static str {
    if rules.len() == 1 { "matches" } else { "match" }
}

/// One place for each statement that rules stand in: the whole statement where it holds several of them, else the pattern.
pub(crate) fn places(rules: &[&Rule]) -> Vec<Span> {
    let mut out: Vec<Span> = Vec::new();
    for group in rules.chunk_by(|a, b| a.origin.statement == b.origin.statement) {
        match group {
            [one] => out.push(span(one)),
            [first, ..] => out.push(first.origin.statement),
            [] => {}
        }
    }
    out
}

/// The rules of places; all of them if the rulesets are those that were analysed.
pub(crate) fn rules(places: impl IntoIterator<Item = Place>, sets: &[Ruleset]) -> Vec<&Rule> {
    places.into_iter().filter_map(|place| place.rule(sets)).collect()
}
