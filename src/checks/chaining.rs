//! PC0401: a pattern over a whole line of commands, where the runtime asks for each command by itself.

use super::{Cx, dead, said, witness, written};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink, Witness};
use crate::language::{Case, Dialect};
use crate::model::ResourceKind;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::Request;

pub(crate) const CODE: Code = Code::new("PC0401", "chaining", Severity::Warning);

/// A rule that no command of such a line matches, and what the line asks.
struct Whole<'a> {
    rule: &'a Rule,
    line: String,
    requests: Vec<Request>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let commands = |rule: &&Rule| {
        written::spoken(cx.model, rule).any(|(_, permission)| permission.resource == ResourceKind::Command)
    };
    let found: Vec<Whole<'_>> = written::rules(cx.model).filter(commands).filter_map(|rule| whole(rule, cx)).collect();
    let alike = |a: &Whole<'_>, b: &Whole<'_>| {
        let holds = |set: &Ruleset, one: &Whole<'_>| set.rules.iter().any(|rule| rule.id == one.rule.id);
        let together = || cx.rulesets.iter().any(|set| holds(set, a) && holds(set, b));
        reach::same_block(a.rule, b.rule)
            && together()
            && (a.rule.action == Action::Deny) == (b.rule.action == Action::Deny)
    };
    for group in found.chunk_by(alike) {
        report(group, cx, sink);
    }
}

/// What a rule is if it can match no line of several commands, though it is written for one.
fn whole<'a>(rule: &'a Rule, cx: &Cx<'_>) -> Option<Whole<'a>> {
    let text = rule.pattern.text();
    if rule.pattern.dialect() != Dialect::Wildcard || !text.contains(['&', '|', ';', '\n']) {
        return None;
    }
    let line = filled(text);
    let (tool, input) = cx.runtime.command_call(&line, cx.version)?;
    let asks = cx.runtime.asks(tool, &input, cx.version, None).ok()?;
    let matched = |request: &Request| rule.pattern.matches(&request.resource, Case::Sensitive);
    let parts = !asks.requests.is_empty() && !asks.requests.iter().any(matched);
    parts.then_some(Whole { rule, line, requests: asks.requests })
}

/// The pattern with a command in each gap that begins one, and a word in the others.
fn filled(text: &str) -> String {
    let mut names = ["git status", "ls"].into_iter().cycle();
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '*' if out.trim_end().is_empty() || out.trim_end().ends_with(['&', '|', ';']) => {
                out.push_str(names.next().unwrap_or("ls"));
            }
            '*' | '?' => out.push('x'),
            other => out.push(other),
        }
    }
    out
}

fn report(group: &[Whole<'_>], cx: &Cx<'_>, sink: &mut Sink) {
    let rules: Vec<&Rule> = group.iter().map(|one| one.rule).collect();
    let [first, ..] = group else { return };
    let shown = group.iter().find_map(|one| Some((one, passing(one, cx)?)));
    let denies = first.rule.action == Action::Deny;
    let severity = if denies && shown.is_some() { Severity::Error } else { Severity::Warning };
    let are = if rules.len() == 1 { "is" } else { "are" };
    let text =
        format!("{} {are} for lines of several commands, and each command is asked by itself", said::subject(&rules));
    let (one, call) = shown.map_or((first, None), |(one, call)| (one, Some(call)));
    let asked = written::listed(one.requests.iter().map(|request| request.resource.as_str()), 6);
    let help = match denies {
        true => "deny the commands that must not run, each by itself",
        false => "write a rule for each command of the line",
    };
    let mut finding = Finding::new(CODE, said::span(first.rule), text)
        .severity(severity)
        // One line of the pattern is taken apart, not all.
        .confidence(Confidence::Catalogue)
        .label("holds more than one command")
        .note(format!("`{}` asks {asked}", one.line))
        .note("only a command that holds such text within it could match: in quotes, in `$(...)`, in a heredoc")
        .help(help);
    if let Some(call) = call {
        finding = finding.witness(call);
    }
    let others = group.iter().skip(1).map(|one| said::span(one.rule)).collect();
    sink.push(dead::list(finding, others, "so does this"));
}

/// Every request of the line, where none is stopped.
fn passing(one: &Whole<'_>, cx: &Cx<'_>) -> Option<Witness> {
    let agents = cx.rulesets.iter().filter(|set| set.rules.iter().any(|rule| rule.id == one.rule.id));
    let mut all = agents.filter_map(|set| {
        let calls: Vec<_> =
            one.requests.iter().map(|asked| (set, asked.permission.as_str(), asked.resource.as_str())).collect();
        [Action::Allow, Action::Ask].into_iter().find_map(|action| witness::chain(&calls, action))
    });
    all.next()
}
