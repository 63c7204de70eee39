//! What a policy's checks find, shortly.

use super::compile::policy;
use policyc::checks::Date;
use policyc::diagnostic::Finding;
use policyc::files::Files;
use policyc::language::Budget;
use policyc::project;
use std::fmt::Write as _;

/// The day of the tests.
pub(crate) const TODAY: &str = "2026-12-01";

/// What all checks find, and the files.
pub(crate) fn all(text: &str) -> (Files, Vec<Finding>) {
    let (files, compiled) = policy(text);
    let today = Date::parse(TODAY).unwrap();
    let findings = project::check(&compiled, &files.sources, today, true, &mut Budget::default());
    (files, findings)
}

/// What checks of a group (`PC05`) find: severity, code, place and message, then what belongs to it, a line each.
pub(crate) fn of(group: &str, text: &str) -> String {
    let (files, findings) = all(text);
    let mut out = String::new();
    for finding in findings.iter().filter(|finding| finding.code.id.starts_with(group)) {
        let place = files.sources.place(finding.primary.span);
        writeln!(out, "{} {} {place} {}", finding.severity, finding.code.id, finding.message).unwrap();
        for label in &finding.related {
            writeln!(out, "  {} {}", files.sources.place(label.span), label.text).unwrap();
        }
        for witness in finding.witness.iter() {
            for call in &witness.calls {
                writeln!(out, "  call {} {} `{}`", call.agent, call.permission, call.resource).unwrap();
            }
            writeln!(out, "  => {}", witness.decision).unwrap();
        }
        for note in &finding.notes {
            writeln!(out, "  note: {note}").unwrap();
        }
        for help in finding.help.iter() {
            writeln!(out, "  help: {help}").unwrap();
        }
    }
    out
}

/// The same for policies that belong together, each with its text.
pub(crate) fn each(group: &str, texts: &[&str]) -> String {
    let show = |text: &&str| format!("{}\n--\n{}", text.trim(), of(group, text));
    texts.iter().map(show).collect::<Vec<_>>().join("\n")
}

/// That these policies give nothing of a group.
pub(crate) fn none(group: &str, texts: &[&str]) {
    for text in texts {
        assert_eq!(of(group, text), "", "{text}");
    }
}
