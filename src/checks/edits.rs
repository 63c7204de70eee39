//! Changes of policy files that are proved by what the finding itself proved.

use super::{Cx, said};
use crate::diagnostic::{Edit, Fix};
use crate::reach::Case;
use crate::rule::{Action, Rule};
use crate::source::Span;

/// Swaps a swallowed exception with the broad rule right after it. Only calls of the exception change by that, and the
/// exception then decides them: nothing stands between the two, and no rule after the broad one decides the call that the
/// finding shows.
pub(crate) fn swap(case: &Case, cx: &Cx<'_>) -> Option<Fix> {
    let ([fault], [cover]) = (case.rules.as_slice(), case.cover.as_slice()) else { return None };
    if fault.at.index + 1 != cover.index {
        return None;
    }
    let set = cx.rulesets.get(fault.at.set)?;
    let (rule, broad) = (fault.at.rule(cx.rulesets)?, cover.rule(cx.rulesets)?);
    let call = fault.call.as_ref()?;
    let after = set.rules.iter().skip(cover.index + 1);
    let mut later = after
        .filter(|rule| rule.permission.matches(&call.key, set.case) && rule.pattern.matches(&call.value, set.case));
    if later.next().is_some() {
        return None;
    }
    let (one, other) = (alone(rule, cx)?, alone(broad, cx)?);
    if one.file != other.file || one.start >= other.start {
        return None;
    }
    let text = |span: Span| cx.sources.slice(span).to_owned();
    let edits = vec![Edit { span: one, text: text(other) }, Edit { span: other, text: text(one) }];
    Some(Fix { title: format!("write {} first, its exception after it", said::rule(broad)), edits })
}

/// Deletes statements that never decide: without them every call is decided as before.
pub(crate) fn delete(case: &Case, cx: &Cx<'_>) -> Option<Fix> {
    if case.opposed || case.rest {
        return None;
    }
    let rules = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
    let spans: Option<Vec<Span>> = rules.iter().map(|rule| line(alone(rule, cx)?, cx)).collect();
    let mut edits: Vec<Edit> = spans?.into_iter().map(|span| Edit { span, text: String::new() }).collect();
    edits.sort_by_key(|edit| edit.span);
    Some(Fix { title: "delete what never decides".to_owned(), edits })
}

/// The statement of a rule, if it is one of a policy file and holds this rule alone.
fn alone(rule: &Rule, cx: &Cx<'_>) -> Option<Span> {
    let statement = rule.origin.statement;
    let text = cx.sources.slice(statement);
    let word = text.split_whitespace().next().and_then(Action::from_word)?;
    let single = word == rule.action && rule.origin.via.is_empty() && !text.contains(['[', ',', '\n']);
    single.then_some(statement)
}

/// The whole line of a statement, if nothing else stands on it.
fn line(statement: Span, cx: &Cx<'_>) -> Option<Span> {
    let text = cx.sources.file(statement.file)?.text();
    let range = statement.range();
    let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let end = range.end + after.find('\n')? + 1;
    let blank = |from: usize, to: usize| text.get(from..to).is_some_and(|part| part.trim().is_empty());
    (blank(start, range.start) && blank(range.end, end)).then(|| Span::new(statement.file, start..end))
}
