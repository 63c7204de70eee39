//! PC0901: a rule or a promise names a permission that nothing asks, where another was meant.

use super::vocabulary::{self, Word};
use super::{Cx, written};
use crate::decide;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Case;
use crate::model::PromiseKind;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::codes::INERT_KEY;
use crate::source::{FileId, Span};
use indexmap::IndexMap;

pub(crate) const CODE: Code = Code::new("PC0901", "unknown-permission", Severity::Error);

/// How many places of one word are shown.
const SHOWN: usize = 8;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut groups: IndexMap<(FileId, &str), Vec<&Rule>> = IndexMap::new();
    for rule in written::rules(cx.model) {
        let word = rule.permission.text();
        if let Some(ours) = meaning(cx, word).meant()
            && !done_anyway(cx, rule, ours)
            && !said(cx, rule, word)
        {
            groups.entry((rule.origin.statement.file, word)).or_default().push(rule);
        }
    }
    for ((_, word), rules) in groups {
        let mut places = written::statements(&rules).into_iter();
        let found = places.next().and_then(|span| finding(&meaning(cx, word), span, word, "this rule"));
        let Some(finding) = found else { continue };
        let loose = rules.iter().all(|rule| rule.action == Action::Allow);
        let mut finding = if loose { finding.severity(Severity::Warning) } else { finding };
        for span in places.by_ref().take(SHOWN) {
            finding = finding.related(span, "nor does this");
        }
        let more = places.count();
        sink.push(if more > 0 { finding.note(format!("and {more} more rules")) } else { finding });
    }
    for promise in &cx.model.promises {
        if let PromiseKind::Requests { permission, .. } = &promise.kind
            && let word = permission.node.text()
            && let Some(finding) = finding(&meaning(cx, word), permission.span, word, "this promise")
        {
            sink.push(finding);
        }
    }
}

/// Whether the permission that was meant is decided as the rule says all the same, wherever the rule stands: many write
/// `write` beside `edit`, and lose nothing by it.
fn done_anyway(cx: &Cx<'_>, rule: &Rule, ours: &str) -> bool {
    let mut resources = vec![rule.pattern.text().replace(['*', '?'], "x")];
    resources.extend(cx.runtime.hints(ours).into_iter().filter(|hint| rule.pattern.matches(hint, Case::Sensitive)));
    let holds = |set: &&Ruleset| set.rules.iter().any(|other| other.id == rule.id);
    let mut sets = cx.rulesets.iter().filter(holds);
    sets.all(|set| resources.iter().all(|resource| decide::decide(set, ours, resource).action == rule.action))
}

/// Whether a reader, which knows more of its own runtime's keys, has spoken of this one.
fn said(cx: &Cx<'_>, rule: &Rule, word: &str) -> bool {
    cx.found.iter().any(|finding| {
        let span = finding.primary.span;
        let key = || cx.sources.file(span.file).map_or("", |file| file.slice(span)).trim_matches(['"', '\'']);
        finding.code == INERT_KEY && span.file == rule.origin.statement.file && key() == word
    })
}

fn meaning(cx: &Cx<'_>, word: &str) -> Word {
    match vocabulary::permission(cx.model, word) {
        Word::Fine => vocabulary::server(cx.model, cx.servers, word),
        other => other,
    }
}

fn finding(meaning: &Word, span: Span, word: &str, what: &str) -> Option<Finding> {
    let (text, note, ours) = match meaning {
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
            "a permission is matched by its name, letter by letter".to_owned(),
            near,
        ),
        Word::Server(tools) => (
            format!("no server has a tool `{word}`, so {what} decides nothing"),
            format!("the tools of the server that is declared here are asked as `{tools}`"),
            tools,
        ),
    };
    Some(Finding::new(CODE, span, text).note(note).help(format!("did you mean `{ours}`?")))
}
