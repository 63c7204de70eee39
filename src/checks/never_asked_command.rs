//! PC0334: a rule about command lines that the runtime asks nobody about.

use super::{Cx, dead, said, written};
use crate::decide::visible;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Case, Dialect};
use crate::model::ResourceKind;
use crate::reach::Reach;
use crate::rule::{Action, Rule};
use crate::runtimes::UnaskedKind;
use rustc_hash::FxHashMap;

pub(crate) const CODE: Code = Code::new("PC0334", "never-asked-command", Severity::Warning);

/// What is put in the place of a star: a word, nothing, more of a word, options, a value, another command behind a value.
const FILLINGS: [&str; 7] = ["x", "", " x", "x y", "-x y", "x=y", "x=y z"];

/// A rule that no request can match, and a line that it was written for.
struct Never<'a> {
    rule: &'a Rule,
    line: String,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    // What is written from a program's source and was never compared with it may ask otherwise.
    if !cx.version.verified {
        return;
    }
    let mut asked: FxHashMap<&str, bool> = FxHashMap::default();
    let mut open: Vec<&Rule> = Vec::new();
    for rule in written::rules(cx.model) {
        let known = head(rule).is_some_and(|head| *asked.entry(head).or_insert_with(|| is_asked(head, cx)));
        open.extend((!known).then_some(rule));
    }
    let mut never: Vec<Never<'_>> = open.into_iter().filter_map(|rule| never(rule, cx)).collect();
    if never.is_empty() {
        return;
    }
    let reach = cx.reach();
    never.retain(|one| matters(one.rule, &reach, cx));
    let key = |one: &Never<'_>| (one.rule.origin.statement.file, std::cmp::Reverse(one.rule.action));
    never.sort_by_key(key);
    let alike = |a: &Never<'_>, b: &Never<'_>| key(a) == key(b);
    for group in never.chunk_by(alike) {
        report(group, cx, sink);
    }
}

/// The command that a rule's lines begin with, if that is a plain word.
fn head(rule: &Rule) -> Option<&str> {
    let text = rule.pattern.text();
    let head = text.split([' ', '*', '?']).next().filter(|head| !head.is_empty())?;
    head.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '-').then_some(head)
}

/// Whether somebody is asked about a command, which then holds for every rule whose lines begin with it. Taking a line apart
/// is dear, and rules are many about few commands.
fn is_asked(head: &str, cx: &Cx<'_>) -> bool {
    let call = cx.runtime.command_call(&format!("{head} x"), cx.version);
    let asks = call.and_then(|(tool, input)| cx.runtime.asks(tool, &input, cx.version, None).ok());
    asks.is_some_and(|asks| asks.unasked.is_empty() && !asks.requests.is_empty())
}

/// What a rule is if it speaks of command lines alone, and every line tried that it matches runs without a request for it.
fn never<'a>(rule: &'a Rule, cx: &Cx<'_>) -> Option<Never<'a>> {
    let mut spoken = written::spoken(cx.model, rule).peekable();
    spoken.peek()?;
    if !spoken.all(|(_, permission)| permission.resource == ResourceKind::Command) {
        return None;
    }
    let mut lines = lines(rule);
    let shown = lines.next().filter(|line| runs_unasked(rule, line, cx))?;
    lines.all(|line| runs_unasked(rule, &line, cx)).then_some(Never { rule, line: shown })
}

/// Lines that the rule matches, as different as they can be.
fn lines(rule: &Rule) -> impl Iterator<Item = String> + '_ {
    let text = rule.pattern.text();
    let fillings: &[&str] = match rule.pattern.dialect() {
        Dialect::Wildcard if !text.contains('*') => &[""],
        Dialect::Wildcard | Dialect::Prefix => &FILLINGS,
        Dialect::Exact => &[""],
        Dialect::Glob | Dialect::Regex => &[],
    };
    let filled = move |filling: &&str| match rule.pattern.dialect() {
        Dialect::Prefix => format!("{text} {filling}"),
        Dialect::Wildcard => text.replace('*', filling).replace('?', "x"),
        _ => text.to_owned(),
    };
    let meant = |line: &String| !line.trim().is_empty() && rule.pattern.matches(line, Case::Sensitive);
    fillings.iter().map(filled).filter(meant)
}

/// Whether the whole line is one part that nobody is asked about. What it holds within it may be asked by itself.
fn runs_unasked(rule: &Rule, line: &str, cx: &Cx<'_>) -> bool {
    let Some((tool, input)) = cx.runtime.command_call(line, cx.version) else { return false };
    let Ok(asks) = cx.runtime.asks(tool, &input, cx.version, None) else { return false };
    let matched = asks.requests.iter().any(|request| rule.pattern.matches(&request.resource, Case::Sensitive));
    let [part] = asks.unasked.as_slice() else { return false };
    !matched && part.what != UnaskedKind::Unreadable && part.text.trim() == line.trim()
}

/// Whether the model sees the tool where the rule stands, and no other check tells that the rule decides nothing.
fn matters(rule: &Rule, reach: &Reach, cx: &Cx<'_>) -> bool {
    let at_fault = reach
        .cases
        .iter()
        .flat_map(|case| &case.rules)
        .any(|fault| fault.at.rule(cx.rulesets).is_some_and(|other| other.id == rule.id));
    let mut sets = cx.rulesets.iter().filter(|set| set.rules.iter().any(|other| other.id == rule.id));
    let seen = |name: &str, set| visible(set, name, cx.model.visibility);
    !at_fault && sets.any(|set| written::spoken(cx.model, rule).any(|(name, _)| seen(name, set)))
}

fn report(group: &[Never<'_>], cx: &Cx<'_>, sink: &mut Sink) {
    let Some((first, others)) = group.split_first() else { return };
    let rules: Vec<&Rule> = group.iter().map(|one| one.rule).collect();
    let s = if rules.len() == 1 { "s" } else { "" };
    let (severity, text, help) = match first.rule.action {
        Action::Deny => (
            Severity::Error,
            format!("{} stop{s} nothing: nobody is asked about such a command", said::subject(&rules)),
            "no rule stops it but one that denies the whole tool",
        ),
        // What is allowed runs anyway, as its author wants it to.
        action => (
            if action == Action::Allow { Severity::Info } else { CODE.severity },
            format!("{} decide{s} nothing: nobody is asked about such a command", said::subject(&rules)),
            "delete it: such a command runs under any rules",
        ),
    };
    let finding = Finding::new(CODE, said::span(first.rule), text)
        .severity(severity)
        // A handful of lines was tried, not all.
        .confidence(Confidence::Catalogue)
        .label("never asked")
        .note(format!("`{}` runs without a request ({} {})", first.line, cx.runtime.name(), cx.version.id))
        .help(help);
    sink.push(dead::list(finding, others.iter().map(|one| said::span(one.rule)).collect(), "nor is this"));
}
