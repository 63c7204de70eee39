//! Calls that a person would believe: the engine's witnesses are the shortest, which is not always how anyone writes.

use super::{Cx, written};
use crate::language::{Call, Case, Dialect, Pattern};
use crate::model::{Model, ResourceKind};
use crate::rule::Rule;
use crate::runtimes::Runtime;

/// So many are tried.
const TRIED: usize = 3;

/// A few plausible calls that both patterns of a rule match and that can be made.
pub(crate) fn of_rule(cx: &Cx<'_>, rule: &Rule, case: Case) -> Vec<Call> {
    calls(cx, &rule.permission, &rule.pattern, case)
}

/// A few plausible calls that a pattern of permissions and one of resources match and that can be made.
pub(crate) fn calls(cx: &Cx<'_>, permission: &Pattern, pattern: &Pattern, case: Case) -> Vec<Call> {
    calls_of((cx.model, cx.runtime), permission, pattern, case)
}

/// The same where there is no check.
pub(crate) fn calls_of(
    (model, runtime): (&Model, &dyn Runtime),
    permission: &Pattern,
    pattern: &Pattern,
    case: Case,
) -> Vec<Call> {
    let mut out = Vec::new();
    for key in keys(model, permission, case) {
        let never = runtime.impossible(&key);
        let possible =
            |value: &String| pattern.matches(value, case) && !never.iter().any(|never| never.matches(value, case));
        let values = runtime.hints(&key).into_iter().chain(filled(model, &key, pattern));
        out.extend(values.filter(possible).map(|value| Call { key: key.clone(), value }));
        if out.len() >= TRIED {
            break;
        }
    }
    out.truncate(TRIED);
    out
}

/// The permission itself, or the declared ones that the pattern matches and that are asked about something.
fn keys(model: &Model, permission: &Pattern, case: Case) -> Vec<String> {
    if written::is_literal(permission) {
        return vec![permission.text().to_owned()];
    }
    let telling = model.permissions.iter().filter(|(name, declared)| {
        !name.contains(['*', '?']) && declared.capability.is_some() && declared.resource != ResourceKind::None
    });
    telling.map(|(name, _)| name).filter(|name| written::matches(permission, name, case)).cloned().collect()
}

/// The pattern with something in its gaps.
fn filled(model: &Model, key: &str, pattern: &Pattern) -> Option<String> {
    if pattern.dialect() != Dialect::Wildcard {
        return None;
    }
    let kind = model.permissions.get(key).map(|declared| declared.resource);
    let word = match kind {
        Some(ResourceKind::Path) => "notes",
        Some(ResourceKind::Command) => "x",
        _ => "name",
    };
    let text = pattern.text();
    let mut out = String::with_capacity(text.len() + word.len());
    let mut gap = false;
    for letter in text.chars() {
        match letter {
            '*' if gap => {}
            // A file whose name is only an extension reads better than one with a made-up name.
            '*' if out.is_empty() && text.starts_with("*.") => {}
            '*' => out.push_str(word),
            '?' => out.push('x'),
            other => out.push(other),
        }
        gap = letter == '*';
    }
    Some(out)
}
