//! Findings as workflow commands of GitHub Actions, which shows them beside the lines of a pull request.
//!
//! It shows ten of each level a step, so the list is in the order in which people should read it.

use crate::diagnostic::{Finding, Severity};
use crate::report::{Report, order, shown, told};
use crate::source::SourceMap;
use std::fmt::Write;

/// One command a line.
pub fn report(report: &Report, sources: &SourceMap) -> String {
    let mut all = report.findings();
    order::for_people(&mut all, sources);
    all.iter().map(|(target, finding)| command(target, finding, sources)).collect()
}

fn command(target: &str, finding: &Finding, sources: &SourceMap) -> String {
    let word = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "notice",
    };
    let title = format!("{} {}", finding.code.id, finding.code.name);
    let mut out = format!("::{word} {}title={}::", place(finding, sources), property(&title));
    out.push_str(&data(&told::text(target, finding)));
    out.push('\n');
    out
}

/// File and place as properties; of a file that could not be read its name alone.
fn place(finding: &Finding, sources: &SourceMap) -> String {
    let span = finding.primary.span;
    let Some(file) = sources.file(span.file) else { return String::new() };
    let mut out = format!("file={},", property(&shown::line(file.name())));
    if file.text().is_empty() {
        return out;
    }
    let (from, to) = (file.line_column(span.start), file.line_column(span.end));
    let _ = write!(out, "line={},endLine={},col={},", from.line, to.line, from.column);
    if from.line == to.line {
        // Columns of a place over lines are not taken.
        let _ = write!(out, "endColumn={},", to.column);
    }
    out
}

/// A message: what would end it, or start an escape, is escaped.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property: also what would end a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
