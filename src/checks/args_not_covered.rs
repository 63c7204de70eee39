//! PC0408: a command is allowed bare, and with anything after it it is not.

use super::proof::{self, Shown};
use super::{Cx, dead, lines, said};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Call, Dialect};
use crate::reach::Speaking;
use crate::rule::{Action, Rule};
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0408", "args-not-covered", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut told: FxHashSet<u32> = FxHashSet::default();
    for speaking in lines::all(cx, is_bare) {
        let bare = speaking.users().into_iter().filter(|rule| is_bare(rule) && !told.contains(&rule.id));
        let found: Vec<(&Rule, String)> = bare.filter_map(|rule| Some((rule, stopped(rule, &speaking, cx)?))).collect();
        told.extend(found.iter().map(|(rule, _)| rule.id));
        let shown = found.first().map(|(first, line)| report(first, line, &found, &speaking));
        proof::push_shown(sink, speaking.set, shown.into_iter().collect());
    }
}

/// Whether a rule allows one plain command and nothing else.
fn is_bare(rule: &Rule) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || " -_./:=@".contains(c);
    rule.action == Action::Allow
        && matches!(rule.pattern.dialect(), Dialect::Wildcard | Dialect::Exact)
        && rule.pattern.text().starts_with(|c: char| c.is_ascii_alphanumeric())
        && rule.pattern.text().chars().all(plain)
}

/// The command with an option after it, where no rule of the author's speaks of that.
fn stopped(rule: &Rule, speaking: &Speaking<'_>, cx: &Cx<'_>) -> Option<String> {
    let command = rule.pattern.text();
    speaking.decider(command).filter(|decider| decider.id == rule.id)?;
    let line = format!("{command} -v");
    let decision = speaking.decide(&line);
    let meant = decision.rule.is_some_and(|(_, other)| other.pattern.text().starts_with(command));
    let whole = cx.runtime.asks_whole(cx.version, &speaking.permission, &line);
    (decision.action != Action::Allow && !meant && whole).then_some(line)
}

fn report(first: &Rule, line: &str, found: &[(&Rule, String)], speaking: &Speaking<'_>) -> Shown {
    let rules: Vec<&Rule> = found.iter().map(|(rule, _)| *rule).collect();
    let action = speaking.decide(line).action;
    let becomes = if action == Action::Deny { "denied" } else { "asked" };
    let text =
        format!("{} {} the bare command only: `{line}` is {becomes}", said::subject(&rules), said::matches(&rules));
    let finding = Finding::new(CODE, said::span(first), text)
        .confidence(Confidence::Catalogue)
        .label("nothing may follow")
        .agent(&speaking.set.agent)
        .help(format!("write `{} *`, which matches the bare command too", first.pattern.text()));
    let others = rules.iter().skip(1).map(|rule| said::span(rule)).collect();
    let finding = dead::list(finding, others, "here neither");
    let call = Call { key: speaking.permission.to_string(), value: line.to_owned() };
    Shown { finding, call, action, by: None }
}
