//! A decision and the rule that took it, as text and as JSON.

use crate::language::Dialect;
use crate::rule::{Rule, Via};
use crate::secret::redact;
use crate::source::SourceMap;
use serde_json::{Value, json};

/// `{"permission","pattern","dialect","action","reason","origin"}`
pub(super) fn rule_json(rule: &Rule, sources: &SourceMap) -> Value {
    let at = sources.file(rule.origin.span.file).map(|file| file.line_column(rule.origin.span.start));
    json!({
        "permission": redact(rule.permission.text()),
        "pattern": redact(rule.pattern.text()),
        "dialect": dialect(rule.pattern.dialect()),
        "action": rule.action.word(),
        "reason": rule.reason.as_deref().map(redact),
        "origin": {
            "file": sources.name(rule.origin.span.file),
            "line": at.map(|at| at.line),
            "column": at.map(|at| at.column),
            "layer": &*rule.origin.slot,
        },
    })
}

fn dialect(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Wildcard => "wildcard",
        Dialect::Glob => "glob",
        Dialect::Prefix => "prefix",
        Dialect::Exact => "exact",
        Dialect::Regex => "regex",
    }
}

/// The pattern as a policy would write it.
pub(super) fn pattern(rule: &Rule) -> String {
    let text = crate::report::shown::line(rule.pattern.text());
    match rule.pattern.dialect() {
        Dialect::Wildcard => format!("\"{text}\""),
        other => format!("{} \"{text}\"", dialect(other)),
    }
}

/// Where a rule was written, in which slot it stands, and the way it came.
pub(super) fn origin(rule: &Rule, sources: &SourceMap) -> String {
    let mut text = format!("{} ({}", sources.place(rule.origin.span), rule.origin.slot);
    for via in &rule.origin.via {
        match via {
            Via::Let { name, .. } => text.push_str(&format!(", from list {name}")),
            Via::Extend(_) => text.push_str(", from extend"),
            Via::Use(span) => text.push_str(&format!(", used at {}", sources.place(*span))),
            Via::From(span) => text.push_str(&format!(", taken at {}", sources.place(*span))),
        }
    }
    text.push(')');
    text
}

/// A value without what looks like a secret in its texts.
pub(super) fn redacted(input: &Value) -> Value {
    match input {
        Value::String(text) => redact(text).into(),
        Value::Array(items) => items.iter().map(redacted).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (redact(key).into_owned(), redacted(value))).collect()
        }
        other => other.clone(),
    }
}
