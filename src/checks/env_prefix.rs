//! PC0411: a command is denied, and with an assignment before it it passes.

use super::proof::{self, Shown};
use super::{Cx, dead, lines, said};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::Call;
use crate::reach::Speaking;
use crate::rule::{Action, Rule};

pub(crate) const CODE: Code = Code::new("PC0411", "env-prefix", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for speaking in lines::all(cx, |rule| rule.action == Action::Deny) {
        let denies = speaking.users().into_iter().filter(|rule| rule.action == Action::Deny);
        let found: Vec<(&Rule, String)> =
            denies.filter_map(|deny| Some((deny, evaded(deny, &speaking, cx)?))).collect();
        let shown = found.first().map(|(first, line)| report(first, line, &found, &speaking));
        proof::push_shown(sink, speaking.set, shown.into_iter().collect());
    }
}

/// A command that the rule denies, with an assignment before it, if that passes silently.
fn evaded(deny: &Rule, speaking: &Speaking<'_>, cx: &Cx<'_>) -> Option<String> {
    let line = format!("A=1 {}", lines::denied(deny, speaking, cx)?);
    let passes = speaking.decide(&line).action == Action::Allow;
    (passes && cx.runtime.asks_whole(cx.version, &speaking.permission, &line)).then_some(line)
}

fn report(first: &Rule, line: &str, found: &[(&Rule, String)], speaking: &Speaking<'_>) -> Shown {
    let denies: Vec<&Rule> = found.iter().map(|(deny, _)| *deny).collect();
    let verb = if denies.len() == 1 { "stops" } else { "stop" };
    let text =
        format!("{} {verb} nothing that has an assignment before it: `{line}` is allowed", said::subject(&denies));
    let finding = Finding::new(CODE, said::span(first), text)
        .confidence(Confidence::Catalogue)
        .label("begins with the command")
        .agent(&speaking.set.agent)
        .note("the runtime compares the whole text, assignments included")
        .help("deny it once more with `* ` before it, or allow only a list of commands");
    let others = denies.iter().skip(1).map(|deny| said::span(deny)).collect();
    let finding = dead::list(finding, others, "so does this one");
    let call = Call { key: speaking.permission.to_string(), value: line.to_owned() };
    Shown { finding, call, action: Action::Allow, by: None }
}
