//! Changes of files that are proved by what the finding itself proved.

use super::{Cx, said};
use crate::diagnostic::{Edit, Fix};
use crate::reach::Case;
use crate::rewrite;
use crate::rule::{Action, Rule};
use crate::source::Span;

/// Moves swallowed exceptions behind the broad rule. Only their own calls change by that, since they match no others; and
/// the calls that show them change, since no rule after the broad one decides those.
pub(crate) fn swap(case: &Case, cx: &Cx<'_>) -> Option<Fix> {
    let [cover] = case.cover.as_slice() else { return None };
    if case.rest {
        return None;
    }
    let set = cx.rulesets.get(cover.set)?;
    let broad = cover.rule(cx.rulesets)?;
    let target = alone(broad, cx)?;
    let mut statements = Vec::new();
    let mut changes = Vec::new();
    for fault in &case.rules {
        let (rule, call) = (fault.at.rule(cx.rulesets)?, fault.call.as_ref()?);
        let decision = cx.world.tables.speaking(set, &call.key).decide(&call.value);
        if fault.at.set != cover.set || decision.rule.is_none_or(|(at, _)| at != cover.index) {
            return None;
        }
        statements.push(alone(rule, cx)?);
        changes.push(rule.origin.span);
    }
    let exceptions = if statements.len() == 1 { "its exception" } else { "its exceptions" };
    let edits = rewrite::move_behind(&statements, target, cx.sources, &cx.layouts)?;
    let title = format!("write {} first, {exceptions} after it", said::rule(broad));
    Some(Fix { changes, ..Fix::new(title, edits) })
}

/// Deletes statements that never decide: without them every call is decided as before.
pub(crate) fn delete(case: &Case, cx: &Cx<'_>) -> Option<Fix> {
    if case.opposed || case.rest {
        return None;
    }
    Some(Fix::new("delete what never decides", without(case, cx)?))
}

/// Deletes the one rule of a case that is needless. Of several each is, but not all at once.
pub(crate) fn delete_one(case: &Case, cx: &Cx<'_>) -> Option<Fix> {
    if case.rules.len() != 1 {
        return None;
    }
    Some(Fix::new("delete what changes nothing", without(case, cx)?))
}

fn without(case: &Case, cx: &Cx<'_>) -> Option<Vec<Edit>> {
    let rules = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
    let spans: Option<Vec<Span>> = rules.iter().map(|rule| alone(rule, cx)).collect();
    rewrite::delete(&spans?, cx.sources, &cx.layouts)
}

/// The statement of a rule, if it holds this rule alone: in a policy a line with one permission and one pattern; in a config
/// an entry, where the files are read in the order they are written in, so that each entry is one rule.
fn alone(rule: &Rule, cx: &Cx<'_>) -> Option<Span> {
    let statement = rule.origin.statement;
    let text = cx.sources.slice(statement);
    let name = cx.sources.name(statement.file);
    let single = match rewrite::is_json(name) || name.ends_with(".md") {
        true => cx.as_written.is_none(),
        false => {
            let word = text.split_whitespace().next().and_then(Action::from_word)?;
            word == rule.action && !text.contains(['[', ',', '\n'])
        }
    };
    (single && rule.origin.via.is_empty() && !text.is_empty()).then_some(statement)
}
