//! PC0333: `ask` or `deny` for a permission that nothing asks.

use super::{Cx, dead, said, written};
use crate::decide::visible;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::Case;
use crate::model::Permission;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::codes::INERT_KEY;

pub(crate) const CODE: Code = Code::new("PC0333", "ask-where-nothing-asks", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let unasked = cx.runtime.holes(cx.version).unasked;
    let void: Vec<&Rule> = written::rules(cx.model).filter(|rule| is_void(rule, unasked, cx)).collect();
    let alike = |a: &&Rule, b: &&Rule| {
        (a.origin.statement.file, a.permission.text()) == (b.origin.statement.file, b.permission.text())
    };
    for rules in void.chunk_by(alike) {
        let Some((first, others)) = rules.split_first() else { continue };
        let permission = first.permission.text();
        let has_tool = written::spoken(cx.model, first).any(|(_, declared)| !declared.tools.is_empty());
        let (text, note, help) = match has_tool {
            true => (
                "its tool is shown and passes without a question",
                "such a tool is shown or hidden, and a call of it asks nobody",
                "deny all of it, which hides the tool, or write `allow`",
            ),
            false => (
                "it stops nothing",
                "no tool of this version has this permission",
                "delete it, and write the rule for the permission that is asked instead",
            ),
        };
        let finding = Finding::new(
            CODE,
            said::span(first),
            format!("{}: nothing asks `{permission}`, so {text}", said::rule(first)),
        )
        .confidence(Confidence::Catalogue)
        .label("nothing asks this")
        .note(format!("{note} ({} {})", cx.runtime.name(), cx.version.id))
        .help(help);
        sink.push(dead::list(finding, others.iter().map(|rule| said::span(rule)).collect(), "nor this"));
    }
}

/// Whether a rule that should hold something back holds nothing back.
fn is_void(rule: &Rule, unasked: &[&str], cx: &Cx<'_>) -> bool {
    let mut spoken = written::spoken(cx.model, rule).peekable();
    rule.action != Action::Allow
        && spoken.peek().is_some()
        && spoken
            .all(|(name, declared)| declared.prelude && unasked.contains(&name) && !hides(rule, name, declared, cx))
        && !is_told(rule, cx)
}

/// Whether a rule hides the tool of a permission.
fn hides(rule: &Rule, name: &str, declared: &Permission, cx: &Cx<'_>) -> bool {
    let alone = Ruleset { agent: String::new(), rules: vec![rule.clone()], case: Case::Sensitive };
    !declared.tools.is_empty() && !visible(&alone, name, cx.model.visibility)
}

/// Whether the reader of the config has said it of this key.
fn is_told(rule: &Rule, cx: &Cx<'_>) -> bool {
    cx.found.iter().any(|finding| {
        let span = finding.primary.span;
        let key = cx.sources.slice(span).trim_matches(['"', '\'']);
        finding.code == INERT_KEY && span.file == rule.origin.statement.file && key == rule.permission.text()
    })
}
