//! PC0901: a rule or a promise names a permission that nothing asks, where another was meant.

use super::vocabulary::{self, Word};
use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::model::{Model, PromiseKind};
use crate::rule::Action;
use crate::source::Span;

pub(crate) const CODE: Code = Code::new("PC0901", "unknown-permission", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut told: Vec<(Span, &str)> = Vec::new();
    for rule in written::rules(cx.model) {
        let (span, word) = (rule.origin.statement, rule.permission.text());
        // The rules of one statement stand together, so looking back is short.
        if told.iter().rev().take(8).any(|one| *one == (span, word)) {
            continue;
        }
        let Some(finding) = finding(cx.model, span, word, "this rule") else { continue };
        told.push((span, word));
        // A reader knows more of its own runtime's keys.
        if !cx.said(&["PC1006"], span) {
            sink.push(if rule.action == Action::Allow { finding.severity(Severity::Warning) } else { finding });
        }
    }
    for promise in &cx.model.promises {
        if let PromiseKind::Requests { permission, .. } = &promise.kind
            && let Some(finding) = finding(cx.model, permission.span, permission.node.text(), "this promise")
        {
            sink.push(finding);
        }
    }
}

fn finding(model: &Model, span: Span, word: &str, what: &str) -> Option<Finding> {
    let (text, note, ours) = match vocabulary::permission(model, word) {
        Word::Fine => return None,
        Word::Tool(owner) => (
            format!("`{word}` is a tool, not a permission: {what} decides nothing"),
            format!("what the tool `{word}` does is asked as `{owner}`"),
            owner,
        ),
        Word::Foreign(runtime, ours) => (
            format!("`{word}` is {runtime}'s word: nothing here asks it, so {what} decides nothing"),
            format!("the permission is called `{ours}` here"),
            ours,
        ),
        Word::Slip(near) => (
            format!("nothing asks a permission `{word}`, so {what} decides nothing"),
            "a name that is near to no known one passes: tools of servers and plugins have names of their own"
                .to_owned(),
            near,
        ),
    };
    Some(Finding::new(CODE, span, text).note(note).help(format!("did you mean `{ours}`?")))
}
