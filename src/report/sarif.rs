//! Findings as SARIF 2.1.0, which code hosts read: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>.

use crate::diagnostic::{Code, Edit, Finding, Fix, Label, Severity, Witness};
use crate::report::{Report, fingerprint, json, shown, told};
use crate::secret::redact;
use crate::source::{SourceMap, Span};
use serde_json::{Map, Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Code hosts refuse a run with more results.
const MOST: usize = 25_000;
/// Of a larger run they keep so many, the most severe first.
const KEPT: usize = 5_000;
/// They refuse a result with more places.
const PLACES: usize = 1_000;

/// A report, and what was left out of it.
#[derive(Clone, Debug)]
pub struct Sarif {
    /// The log file.
    pub log: Value,
    /// What the limits of code hosts cut, or will cut.
    pub notes: Vec<String>,
}

/// The whole report; `pages` are the pages of the checks, of which those stand in it that found something.
pub fn report(report: &Report, sources: &SourceMap, pages: &[(Code, &str)]) -> Sarif {
    let mut notes = Vec::new();
    let all = chosen(report, sources, &mut notes);
    let codes: BTreeMap<&str, Code> = all.iter().map(|(_, finding)| (finding.code.id, finding.code)).collect();
    let rules: Vec<Value> = codes.values().map(|code| rule(*code, pages)).collect();
    let findings: Vec<&Finding> = all.iter().map(|(_, finding)| *finding).collect();
    let prints = fingerprint::numbered(&findings, sources);
    let index: BTreeMap<&str, usize> = codes.keys().enumerate().map(|(at, id)| (*id, at)).collect();
    let results: Vec<Value> = all
        .iter()
        .zip(&prints)
        .map(|((target, finding), print)| result(target, finding, sources, index.get(finding.code.id), print))
        .collect();
    let long = findings.iter().filter(|finding| finding.related.len() >= PLACES).count();
    if long > 0 {
        notes.push(format!("{long} of the findings have more than {PLACES} places; the rest of those is left out"));
    }
    let told: Vec<Value> = notes.iter().map(|note| json!({ "level": "note", "message": { "text": note } })).collect();
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "policyc",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": told }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    Sarif { log, notes }
}

/// The findings that are written, and those that are ignored, with a note where there are too many.
fn chosen<'a>(report: &'a Report, sources: &SourceMap, notes: &mut Vec<String>) -> Vec<(&'a str, &'a Finding)> {
    let mut all = json::sorted(report, sources);
    all.extend(json::sorted_ignored(report, sources));
    if all.len() > MOST {
        let cut = all.len() - MOST;
        notes.push(format!("{cut} findings, the least severe, are left out: code hosts take {MOST} a run"));
        let mut ranked: Vec<(usize, (&str, &Finding))> = all.into_iter().enumerate().collect();
        ranked.sort_by_key(|(at, (_, finding))| (finding.ignored.is_some(), Reverse(finding.severity), *at));
        ranked.truncate(MOST);
        ranked.sort_by_key(|(at, _)| *at);
        all = ranked.into_iter().map(|(_, finding)| finding).collect();
    }
    if all.len() > KEPT {
        notes.push(format!("code hosts keep {KEPT} findings of a run, the most severe first"));
    }
    all
}

fn rule(code: Code, pages: &[(Code, &str)]) -> Value {
    let page = pages.iter().find(|(other, _)| *other == code).map_or("", |(_, page)| page.trim_end());
    // A page is its title, a line that says what it finds, then sections.
    let summary = page.lines().find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or(code.name);
    json!({
        "id": code.id,
        "name": code.name,
        "shortDescription": { "text": summary },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": level(code.severity) },
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn result(target: &str, finding: &Finding, sources: &SourceMap, rule: Option<&usize>, print: &str) -> Value {
    let related = finding.related.iter().take(PLACES - 1).enumerate();
    let related: Vec<Value> = related.map(|(at, label)| location(label, Some(at + 1), sources)).collect();
    let mut out = json!({
        "ruleId": finding.code.id,
        "ruleIndex": rule,
        "level": level(finding.severity),
        "message": { "text": text(&told::text(target, finding)) },
        "locations": [location(&finding.primary, None, sources)],
        "relatedLocations": related,
        // The first is the one that code hosts look for.
        "partialFingerprints": { "primaryLocationLineHash": print, "policyc/v1": print },
        "properties": properties(finding),
    });
    let Some(fields) = out.as_object_mut() else { return out };
    if let Some(witness) = finding.witness.as_ref().filter(|witness| witness.calls.len() > 1) {
        fields.insert("codeFlows".to_owned(), json!([flow(witness, finding.primary.span, sources)]));
    }
    if let Some(fix) = &finding.fix {
        fields.insert("fixes".to_owned(), json!([self::fix(fix, sources)]));
    }
    if let Some(reason) = &finding.ignored {
        let reason = shown::line(reason);
        fields.insert("suppressions".to_owned(), json!([{ "kind": "inSource", "justification": reason }]));
    }
    out
}

fn properties(finding: &Finding) -> Value {
    let mut out = Map::new();
    out.insert("confidence".to_owned(), finding.confidence.to_string().into());
    if let Some(agent) = &finding.agent {
        out.insert("agent".to_owned(), redact(agent).into());
    }
    if let Some(witness) = &finding.witness {
        out.insert("witness".to_owned(), json::witness(witness));
    }
    out.into()
}

/// A message: `[text](1)` would be a link to another place.
fn text(text: &str) -> String {
    text.replace("](", "\\](")
}

fn location(label: &Label, id: Option<usize>, sources: &SourceMap) -> Value {
    let mut out = json!({ "physicalLocation": physical(label.span, sources) });
    if let Some(fields) = out.as_object_mut() {
        if let Some(id) = id {
            fields.insert("id".to_owned(), id.into());
        }
        if !label.text.is_empty() {
            fields.insert("message".to_owned(), json!({ "text": text(&shown::line(&label.text)) }));
        }
    }
    out
}

/// A place; of a file that is empty, or could not be read, the file alone.
fn physical(span: Span, sources: &SourceMap) -> Value {
    let mut out = json!({ "artifactLocation": { "uri": uri(sources.name(span.file)) } });
    let region = region(span, sources);
    if let (Some(fields), Some(region)) = (out.as_object_mut(), region) {
        fields.insert("region".to_owned(), region);
    }
    out
}

/// Lines and columns from 1, columns in characters, the end excluded.
fn region(span: Span, sources: &SourceMap) -> Option<Value> {
    let file = sources.file(span.file).filter(|file| !file.text().is_empty())?;
    let (from, to) = (file.line_column(span.start), file.line_column(span.end.max(span.start)));
    Some(json!({ "startLine": from.line, "startColumn": from.column, "endLine": to.line, "endColumn": to.column }))
}

/// A path as a URI reference, relative where the path is.
fn uri(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match plain(byte) {
            true => out.push(char::from(byte)),
            false => out.push_str(&format!("%{byte:02X}")),
        }
    }
    if out.starts_with('/') { format!("file://{out}") } else { out }
}

/// The chain of calls of a loophole, one step each.
fn flow(witness: &Witness, span: Span, sources: &SourceMap) -> Value {
    let last = witness.calls.len().saturating_sub(1);
    let steps = witness.calls.iter().enumerate().map(|(at, call)| {
        let (agent, permission) = (shown::line(&call.agent), shown::line(&call.permission));
        let mut step = format!("`{agent}` asks {permission} `{}`", shown::line(&call.resource));
        if at == last {
            step.push_str(&format!(": {}", witness.decision));
        }
        let message = json!({ "text": text(&step) });
        json!({ "location": { "physicalLocation": physical(span, sources), "message": message } })
    });
    json!({ "threadFlows": [{ "locations": steps.collect::<Vec<_>>() }] })
}

fn fix(fix: &Fix, sources: &SourceMap) -> Value {
    let mut files: Vec<(&str, Vec<&Edit>)> = Vec::new();
    for edit in &fix.edits {
        let name = sources.name(edit.span.file);
        match files.iter_mut().find(|(known, _)| *known == name) {
            Some((_, edits)) => edits.push(edit),
            None => files.push((name, vec![edit])),
        }
    }
    let changes = files.into_iter().map(|(name, edits)| {
        let replacements = edits.iter().map(|edit| {
            // Not redacted: an edit is applied, and only ever moves what its file holds already.
            json!({ "deletedRegion": region(edit.span, sources), "insertedContent": { "text": edit.text } })
        });
        json!({ "artifactLocation": { "uri": uri(name) }, "replacements": replacements.collect::<Vec<_>>() })
    });
    json!({ "description": { "text": shown::line(&fix.title) }, "artifactChanges": changes.collect::<Vec<_>>() })
}
