//! A policy as the text of a config.

use super::lower::{self, Lowered};
use super::semantics;
use crate::language::Budget;
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use crate::runtimes::{Emitted, Side, Wanted, Written};
use serde_json::ser::{Formatter, PrettyFormatter};
use serde_json::{Map, Serializer, Value};
use std::io::{self, Write};

/// The file of a config.
const FILE: &str = "opencode.json";

/// A policy as a config of version 1.18.
///
/// # Errors
/// It is to be of version 2: that one was not run yet, so what would be proved of a text would be proved of a guess.
pub fn emit(wanted: &Wanted<'_>, budget: &mut Budget) -> Result<Emitted, String> {
    if !wanted.version.verified {
        return Err(format!("OpenCode {} was not run yet, so no config is written for it", wanted.version.id));
    }
    let Lowered { config, stricter, refused } = lower::lower(wanted, budget);
    Ok(Emitted { files: vec![Written::new(FILE, print(&config))], stricter, refused, notes: notes(wanted) })
}

fn notes(wanted: &Wanted<'_>) -> Vec<String> {
    let Side { model, rulesets } = wanted.policy;
    let mut notes = Vec::new();
    let user = |rule: &&Rule| !rule.origin.prelude && rule.reason.is_some();
    let mut reasons: Vec<u32> =
        rulesets.iter().flat_map(|set| set.rules.iter().filter(user).map(|rule| rule.id)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if !reasons.is_empty() {
        notes.push(format!(
            "OpenCode has no place for the reason of a rule, so {} {} not written",
            reasons.len(),
            if reasons.len() == 1 { "is" } else { "are" }
        ));
    }
    let switches: Vec<&str> =
        model.switches.iter().filter(|(_, switch)| !switch.prelude).map(|(name, _)| name.as_str()).collect();
    if !switches.is_empty() {
        notes.push(format!("a config cannot hold switches, so these are not written: {}", switches.join(", ")));
    }
    let added = |set: &Ruleset| {
        let mut settled = set.clone();
        semantics::settle(&mut settled, None);
        settled.rules.len() > set.rules.len()
    };
    if wanted.core && rulesets.iter().any(added) {
        notes.push(
            "OpenCode lets every agent reach the folder of its own tool output; no config takes that back".to_owned(),
        );
    }
    notes
}

/// The text of a config, two blanks an indent.
///
/// OpenCode replaces `{env:NAME}` and `{file:PATH}` in the text before it parses it. In values that is what the policy's
/// author can only have meant; a key is a pattern, and is escaped so that it stays one.
pub fn print(config: &Map<String, Value>) -> String {
    let mut out = Vec::new();
    let mut serializer =
        Serializer::with_formatter(&mut out, Escaping { inner: PrettyFormatter::new(), in_key: false });
    // Writing to memory does not fail, and a map of strings is valid JSON.
    let _ = serde::Serialize::serialize(config, &mut serializer);
    let mut text = String::from_utf8(out).unwrap_or_default();
    text.push('\n');
    text
}

struct Escaping<'a> {
    inner: PrettyFormatter<'a>,
    in_key: bool,
}

impl Formatter for Escaping<'_> {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        if !self.in_key {
            return writer.write_all(fragment.as_bytes());
        }
        let safe = fragment.replace("{env:", "\\u007benv:").replace("{file:", "\\u007bfile:");
        writer.write_all(safe.as_bytes())
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.in_key = true;
        self.inner.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.in_key = false;
        self.inner.end_object_key(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_object(writer)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_object_value(writer)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.inner.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.inner.end_array_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_not_read_as_a_variable() {
        let config = serde_json::json!({ "permission": { "bash": { "echo {env:X}": "deny" } }, "x": "{file:p.md}" });
        let text = print(config.as_object().unwrap());
        assert!(text.contains(r#""echo \u007benv:X}": "deny""#) && text.contains(r#""{file:p.md}""#), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), config);
    }
}
