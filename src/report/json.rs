//! Findings for machines: sorted by (file, offset, code), so that identical input gives identical bytes.

use crate::diagnostic::{Finding, Fix, Label, Severity, Witness};
use crate::report::Report;
use crate::secret::redact;
use crate::source::{SourceMap, Span};
use serde_json::{Value, json};

/// The whole report: `policyc/check/1`.
pub fn report(report: &Report, sources: &SourceMap) -> Value {
    json!({
        "schema": "policyc/check/1",
        "findings": findings(report, sources),
        "summary": {
            "errors": report.count(Severity::Error),
            "warnings": report.count(Severity::Warning),
            "infos": report.count(Severity::Info),
            "agents": report.agents(),
            "rules": report.rules(),
        },
        "sources": report.sources(),
    })
}

/// The findings alone.
pub fn findings(report: &Report, sources: &SourceMap) -> Vec<Value> {
    sorted(report, sources).into_iter().map(|(_, finding)| one(finding, sources)).collect()
}

/// The findings in the order of files, places and codes, each with its target.
pub(super) fn sorted<'a>(report: &'a Report, sources: &SourceMap) -> Vec<(&'a str, &'a Finding)> {
    in_order(report.findings(), sources)
}

/// The ignored ones in the same order.
pub(super) fn sorted_ignored<'a>(report: &'a Report, sources: &SourceMap) -> Vec<(&'a str, &'a Finding)> {
    in_order(report.ignored(), sources)
}

fn in_order<'a>(mut all: Vec<(&'a str, &'a Finding)>, sources: &SourceMap) -> Vec<(&'a str, &'a Finding)> {
    all.sort_by_cached_key(|(_, finding)| {
        let span = finding.primary.span;
        let what = (finding.code.id, finding.message.clone(), finding.agent.clone());
        (sources.name(span.file).to_owned(), span.start, what)
    });
    all
}

fn one(finding: &Finding, sources: &SourceMap) -> Value {
    let help: Vec<&str> = finding.notes.iter().chain(&finding.help).map(String::as_str).collect();
    let labels = std::iter::once(&finding.primary).chain(&finding.related);
    json!({
        "code": finding.code.id,
        "name": finding.code.name,
        "severity": finding.severity.to_string(),
        "confidence": finding.confidence.to_string(),
        "message": redact(&finding.message),
        "help": (!help.is_empty()).then(|| redact(&help.join("\n")).into_owned()),
        "agent": finding.agent.as_deref().map(redact),
        "locations": labels.map(|label| location(label, sources)).collect::<Vec<_>>(),
        "witness": finding.witness.as_ref().map(witness),
        "fix": finding.fix.as_ref().map(|fix| self::fix(fix, sources)),
    })
}

fn location(label: &Label, sources: &SourceMap) -> Value {
    let mut place = place(label.span, sources);
    if let Some(place) = place.as_object_mut() {
        place.insert("text".to_owned(), json!(redact(&label.text)));
    }
    place
}

/// Lines and columns from 1, columns in characters, the end excluded.
fn place(span: Span, sources: &SourceMap) -> Value {
    let at = |offset| sources.file(span.file).map(|file| file.line_column(offset));
    let (from, to) = (at(span.start), at(span.end));
    json!({
        "file": sources.name(span.file),
        "line": from.map(|at| at.line),
        "column": from.map(|at| at.column),
        "end_line": to.map(|at| at.line),
        "end_column": to.map(|at| at.column),
    })
}

/// The calls of a witness and what becomes of the last.
pub(super) fn witness(witness: &Witness) -> Value {
    let calls = witness.calls.iter().map(|call| {
        let (agent, permission) = (redact(&call.agent), redact(&call.permission));
        json!({ "agent": agent, "permission": permission, "resource": redact(&call.resource) })
    });
    json!({ "calls": calls.collect::<Vec<_>>(), "decision": witness.decision })
}

fn fix(fix: &Fix, sources: &SourceMap) -> Value {
    let edits = fix.edits.iter().map(|edit| {
        let mut place = place(edit.span, sources);
        if let Some(place) = place.as_object_mut() {
            // Not redacted: an edit is applied, and only ever moves what its file holds already.
            place.insert("text".to_owned(), json!(edit.text));
        }
        place
    });
    json!({ "title": redact(&fix.title), "edits": edits.collect::<Vec<_>>() })
}
