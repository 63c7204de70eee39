//! A finding in plain words, for formats that have one text a finding.

use crate::diagnostic::{Confidence, Finding, Witness};
use crate::report::shown;

/// Message, calls, notes, help and fix, a line each.
pub(super) fn text(target: &str, finding: &Finding) -> String {
    let mut lines = vec![message(finding)];
    lines.extend(details(target, finding).into_iter().map(|(key, text)| format!("{key}: {text}")));
    lines.join("\n")
}

/// The message, with how sure it is where that is not certain.
pub(super) fn message(finding: &Finding) -> String {
    let message = shown::line(&finding.message);
    match finding.confidence {
        Confidence::Proved => message,
        other => format!("{message} ({other})"),
    }
}

/// What belongs to a finding, each with its word.
pub(super) fn details(target: &str, finding: &Finding) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&str, String)> = Vec::new();
    if let Some(witness) = &finding.witness {
        lines.extend(calls(target, witness).into_iter().map(|call| ("call", call)));
    }
    lines.extend(finding.notes.iter().map(|note| ("note", shown::lines(note))));
    lines.extend(finding.help.iter().map(|help| ("help", shown::lines(help))));
    lines.extend(finding.fix.iter().map(|fix| ("fix", shown::line(&fix.title))));
    lines
}

/// The commands that show a finding; the last one says what becomes of it.
pub(super) fn calls(target: &str, witness: &Witness) -> Vec<String> {
    let last = witness.calls.len().saturating_sub(1);
    let calls = witness.calls.iter().enumerate().map(|(at, call)| {
        let dash = [&call.permission, &call.resource].iter().any(|text| text.starts_with('-'));
        let command = format!(
            "policyc decide {target} --agent {} {}{} {}",
            shown::argument(&call.agent),
            if dash { "-- " } else { "" },
            shown::argument(&call.permission),
            shown::argument(&call.resource),
        );
        let command = crate::secret::redact(&command).into_owned();
        if at == last { format!("{command}  =>  {}", witness.decision) } else { command }
    });
    calls.collect()
}
