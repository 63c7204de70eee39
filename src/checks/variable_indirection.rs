//! PC0412: a deny names a file in command lines, and the shell can name it in another way.

use super::{Cx, dead, lines, said, witness};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink, Witness};
use crate::language::Dialect;
use crate::reach::Speaking;
use crate::rule::{Action, Rule};

pub(crate) const CODE: Code = Code::new("PC0412", "variable-indirection", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for speaking in lines::all(cx, |rule| file(rule).is_some()) {
        let found: Vec<(&Rule, String, Witness)> =
            speaking.users().into_iter().filter_map(|rule| evaded(rule, &speaking, cx)).collect();
        let Some((first, line, witness)) = found.first() else { continue };
        let denies: Vec<&Rule> = found.iter().map(|(deny, ..)| *deny).collect();
        let (verb, name) = if denies.len() == 1 { ("names", "a file") } else { ("name", "files") };
        let text = format!("{} {verb} {name} in command lines, and `{line}` passes", said::subject(&denies));
        let finding = Finding::new(CODE, said::span(first), text)
            .confidence(Confidence::Heuristic)
            .label("binds the text, not the file")
            .agent(&speaking.set.agent)
            .note("the shell puts the name together after the runtime has compared it")
            .help("allow only commands that open no files, or ask about those that do")
            .witness(witness.clone());
        let others = denies.iter().skip(1).map(|deny| said::span(deny)).collect();
        sink.push(dead::list(finding, others, "so does this one"));
    }
}

/// The file that a rule denies wherever a command line names it: `*.env*`.
fn file(rule: &Rule) -> Option<&str> {
    let text = rule.pattern.text();
    let name = text.strip_prefix('*')?.trim_matches('*').trim();
    let plain = name.len() > 2 && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let denies = rule.action == Action::Deny && rule.pattern.dialect() == Dialect::Wildcard;
    (denies && plain && name.contains(['.', '/'])).then_some(name)
}

/// A line by which the file is shown although the rule denies naming it, if all that it asks passes silently.
fn evaded<'a>(deny: &'a Rule, speaking: &Speaking<'a>, cx: &Cx<'_>) -> Option<(&'a Rule, String, Witness)> {
    let name = file(deny)?;
    let named = speaking.decider(&format!("cat {name}")).is_some_and(|decider| decider.id == deny.id);
    let line = format!("f={name}; cat \"$f\"");
    let (tool, input) = cx.runtime.command_call(&line, cx.version)?;
    let asks = cx.runtime.asks(tool, &input, cx.version, None).ok()?;
    let calls: Vec<_> =
        asks.requests.iter().map(|one| (speaking.set, one.permission.as_str(), one.resource.as_str())).collect();
    let silent = |call| witness::chain(&[call], Action::Allow).is_some();
    if !named || !calls.iter().all(|call| silent(*call)) {
        return None;
    }
    Some((deny, line, witness::chain(&calls, Action::Allow)?))
}
