//! Findings as plain text: place, message, help, and the source line with carets.

use policyc::diagnostic::Finding;
use policyc::source::SourceMap;
use std::fmt::Write;

/// The findings one after another.
pub(crate) fn render(sources: &SourceMap, findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let _ = writeln!(out, "{} {}: {}", finding.code.id, sources.place(finding.primary.span), finding.message);
        if let Some(file) = sources.file(finding.primary.span.file) {
            let at = file.line_column(finding.primary.span.start);
            let line = file.text().lines().nth(at.line - 1).unwrap_or("");
            let width = sources.slice(finding.primary.span).lines().next().unwrap_or("").chars().count().max(1);
            let _ = writeln!(out, "  | {line}\n  | {}{}", " ".repeat(at.column - 1), "^".repeat(width));
        }
        for label in &finding.related {
            let _ = writeln!(out, "  {}: {}", sources.place(label.span), label.text);
        }
        for note in &finding.notes {
            let _ = writeln!(out, "  note: {note}");
        }
        if let Some(help) = &finding.help {
            let _ = writeln!(out, "  help: {help}");
        }
    }
    out
}
