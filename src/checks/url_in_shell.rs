//! PC0413: a rule about command lines holds a URL, which command lines can write in many ways.

use super::proof::{self, Shown};
use super::{Cx, lines, said};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Call, Dialect};
use crate::reach::Speaking;
use crate::rule::{Action, Rule};

pub(crate) const CODE: Code = Code::new("PC0413", "url-in-shell", Severity::Info);

/// A site that nobody means.
const ELSEWHERE: &str = "https://elsewhere.example/";

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for speaking in lines::all(cx, has_url) {
        let rules = speaking.users().into_iter().filter(|rule| has_url(rule));
        let shown = rules.filter_map(|rule| match rule.action {
            Action::Allow => allowed(rule, &speaking, cx),
            Action::Deny => denied(rule, &speaking, cx),
            Action::Ask => None,
        });
        proof::push_shown(sink, speaking.set, shown.collect());
    }
}

fn has_url(rule: &Rule) -> bool {
    rule.pattern.dialect() == Dialect::Wildcard && rule.pattern.text().contains("://")
}

/// An allowed site with another one after it: programs that fetch take several.
fn allowed(rule: &Rule, speaking: &Speaking<'_>, cx: &Cx<'_>) -> Option<Shown> {
    let line = format!("{}x {ELSEWHERE}", rule.pattern.text().strip_suffix('*')?.trim_end());
    let mine = speaking.decider(&line).is_some_and(|decider| decider.id == rule.id);
    let text = format!("{} names a site, and lets others be fetched too: `{line}`", said::rule(rule));
    (mine && !line.contains('*') && passes(&line, speaking, cx)).then(|| shown(rule, text, line, speaking))
}

/// A denied site with an option before it.
fn denied(rule: &Rule, speaking: &Speaking<'_>, cx: &Cx<'_>) -> Option<Shown> {
    let inner = lines::denied(rule, speaking, cx)?;
    let (program, rest) = inner.split_once(' ')?;
    let line = format!("{program} -s {rest}");
    let text = format!("{} stops one way to write it: `{line}` is allowed", said::rule(rule));
    passes(&line, speaking, cx).then(|| shown(rule, text, line, speaking))
}

fn passes(line: &str, speaking: &Speaking<'_>, cx: &Cx<'_>) -> bool {
    speaking.decide(line).action == Action::Allow && cx.runtime.asks_whole(cx.version, &speaking.permission, line)
}

fn shown(rule: &Rule, text: String, line: String, speaking: &Speaking<'_>) -> Shown {
    let finding = Finding::new(CODE, said::span(rule), text)
        .confidence(Confidence::Heuristic)
        .label("a URL in a command line")
        .agent(&speaking.set.agent)
        .help("let the runtime's own tool fetch pages, whose rules are about URLs, and ask about commands that fetch");
    Shown { finding, call: Call { key: speaking.permission.to_string(), value: line }, action: Action::Allow, by: None }
}
