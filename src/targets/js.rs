//! A policy as one JavaScript module without dependencies, that decides as [`crate::decide`] does.
//!
//! Its code is written once, as JavaScript whose types stand in comments: ` /*: T */` behind a name, and `/*::` to `*/`
//! around declarations. Without them it is the module; read as types it is a part of a TypeScript file.

mod back;

use crate::language::form::{Form, Part, Units};
use crate::language::{Case, Dialect, Pattern, PatternError};
use crate::model::{Model, Visibility};
use crate::rule::Rule;
use crate::ruleset::{self, Ruleset};
use crate::secret::redact;
use crate::source::SourceMap;
use indexmap::IndexSet;
use serde_json::Value;
use std::fmt::Write;

/// The file that the module is written to.
pub const MODULE_FILE: &str = "policy.mjs";
/// The file of its types.
pub const TYPES_FILE: &str = "policy.d.mts";

const DECIDE: &str = include_str!("js/decide.js");
const VISIBLE: &str = include_str!("js/visible.js");
const TYPES: &str = include_str!("js/policy.d.ts");

/// The first line of a file that was written for JavaScript.
const HEAD: &str = "// Written by `policyc compile --target js`: change the policy, not this file.\n\n";

const RULES_HEAD: &str = "/** The policy's rules, each once. */
// biome-ignore format: one rule a line
const RULES /*: readonly Rule[] */ = [
";

const POLICY_HEAD: &str = "/** Rules in the order they decide in, the strongest last. */
function pick(...order /*: number[] */) /*: readonly Rule[] */ {
\treturn order.map((at) => RULES[at]);
}

// biome-ignore format: one agent a line
const POLICY /*: Table */ = {
";

/// What a module decides by.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// One ruleset an agent.
    pub rulesets: &'a [Ruleset],
    /// When a denied tool disappears.
    pub visibility: Visibility,
    /// The agent a session starts with.
    pub default_agent: Option<&'a str>,
    /// Tools whose permission has another name, with that name.
    pub keys: &'a [(String, String)],
}

/// Tools whose permission has another name, with that name.
pub fn keys(model: &Model) -> Vec<(String, String)> {
    let key = |tool: &str| (tool.to_owned(), model.key_of(tool).to_owned());
    model.tools().map(key).filter(|(tool, key)| tool != key).collect()
}

/// The name of the default agent of a model, if it has one.
pub fn default_agent(model: &Model) -> Option<&str> {
    ruleset::default_agent(model).ok().map(|agent| agent.name.as_str())
}

/// The module's text.
///
/// # Errors
/// A regular expression is too large where the case of letters does not count.
pub fn module(policy: &Policy<'_>, sources: &SourceMap) -> Result<String, PatternError> {
    let table = table(policy, sources, untyped)?;
    Ok(format!("{HEAD}{}\n{table}{}", untyped(DECIDE), untyped(VISIBLE)))
}

/// The text of its types.
pub fn types(policy: &Policy<'_>) -> String {
    let names: Vec<String> = policy.rulesets.iter().map(|set| quoted(&set.agent)).collect();
    let names = if names.is_empty() { "never".to_owned() } else { names.join(" | ") };
    format!("{HEAD}{}", TYPES.replace("AGENTS", &names))
}

/// The code that decides, without the dialects that are not used in `with` or its table, and the table: as parts of a
/// TypeScript file.
///
/// # Errors
/// As [`module`].
pub(super) fn typed(policy: &Policy<'_>, sources: &SourceMap, with: &str) -> Result<(String, String), PatternError> {
    let table = table(policy, sources, as_types)?;
    let mut code = as_types(DECIDE).replace("\nexport ", "\n");
    for dialect in ["exact", "prefix", "glob", "regex"] {
        let call = format!(" {dialect}(");
        if !table.contains(&call) && !with.contains(&call) {
            code = without(&code, dialect).unwrap_or(code);
        }
    }
    Ok((code, table))
}

/// The code without one of its functions and the comment on it.
fn without(code: &str, function: &str) -> Option<String> {
    let (before, rest) = code.split_once(&format!("\nfunction {function}("))?;
    let (before, _) = before.rsplit_once("\n/**")?;
    let (_, after) = rest.split_once("\n}\n")?;
    Some(format!("{}{after}", before.trim_end_matches('\n').to_owned() + "\n"))
}

/// The rules, each once, and the order of each agent; `annotate` takes the types out or in.
fn table(policy: &Policy<'_>, sources: &SourceMap, annotate: fn(&str) -> String) -> Result<String, PatternError> {
    let mut lines: IndexSet<String> = IndexSet::new();
    let mut agents = String::new();
    for set in policy.rulesets {
        let mut order = Vec::new();
        for rule in &set.rules {
            let (at, _) = lines.insert_full(line(rule, set.case, sources)?);
            order.push(at.to_string());
        }
        let _ = writeln!(agents, "\t\t{}: pick({}),", key(&set.agent), order.join(", "));
    }
    let mut rules = String::new();
    for (at, line) in lines.iter().enumerate() {
        let _ = writeln!(rules, "\t/* {at} */ {line},");
    }
    let keys: Vec<String> = policy.keys.iter().map(|(tool, name)| format!("{}: {}", key(tool), quoted(name))).collect();
    let default_agent = policy.default_agent.map_or("null".to_owned(), quoted);
    let mut out = annotate(RULES_HEAD);
    let _ = write!(out, "{rules}];\n\n{}", annotate(POLICY_HEAD));
    let _ = write!(out, "\tvisibility: {},\n\tkeys: {{ {} }},\n", quoted(policy.visibility.word()), keys.join(", "));
    let _ = write!(out, "\tdefaultAgent: {default_agent},\n\tagents: {{\n{agents}\t}},\n}};\n");
    Ok(out)
}

fn line(rule: &Rule, case: Case, sources: &SourceMap) -> Result<String, PatternError> {
    let mut line = format!(
        "{{ action: {}, permission: {}, pattern: {}",
        quoted(rule.action.word()),
        pattern(&rule.permission, case)?,
        pattern(&rule.pattern, case)?
    );
    if let Some(reason) = &rule.reason {
        let _ = write!(line, ", reason: {}", quoted(&redact(reason)));
    }
    let _ = write!(line, ", from: {} }}", quoted(&sources.place(rule.origin.span).to_string()));
    Ok(line)
}

/// A pattern as an expression.
pub(super) fn pattern(pattern: &Pattern, case: Case) -> Result<String, PatternError> {
    let text = quoted(pattern.text());
    let folded = if case == Case::Folded { ", true" } else { "" };
    Ok(match (pattern.form(case)?, pattern.dialect()) {
        (Form::Words(words), _) => {
            let words: Vec<String> = words.iter().map(|word| word_text(word)).collect();
            format!("glob({text}, [{}])", words.join(", "))
        }
        (Form::States { first, empty, states }, _) => {
            let states =
                states.iter().map(|state| format!("[{}, {:?}, {}]", ranges(&state.units), state.next, state.last));
            let states: Vec<String> = states.collect();
            format!("regex({text}, {{ first: {first:?}, empty: {empty}, states: [{}] }}{folded})", states.join(", "))
        }
        (Form::Text, Dialect::Exact) => format!("exact({text}{folded})"),
        (Form::Text, Dialect::Prefix) => format!("prefix({text}{folded})"),
        (Form::Text, _) => format!("wildcard({text}{folded})"),
    })
}

/// Letters that stand together, one unit of a set, any run of one.
fn word_text(word: &[Part]) -> String {
    let mut parts = Vec::new();
    let mut letters: Vec<u16> = Vec::new();
    for part in word {
        match part.units.as_slice() {
            // Half a surrogate pair is no text, but with its other half it is.
            [(low, high)] if low == high && !part.many => letters.push(*low),
            _ => {
                flush(&mut letters, &mut parts);
                let name = if part.many { "many" } else { "one" };
                parts.push(format!("{{ {name}: {} }}", ranges(&part.units)));
            }
        }
    }
    flush(&mut letters, &mut parts);
    format!("[{}]", parts.join(", "))
}

fn flush(letters: &mut Vec<u16>, parts: &mut Vec<String>) {
    if !letters.is_empty() {
        parts.push(quoted(&String::from_utf16_lossy(letters)));
        letters.clear();
    }
}

fn ranges(units: &Units) -> String {
    let ends: Vec<String> = units.iter().flat_map(|&(low, high)| [low.to_string(), high.to_string()]).collect();
    format!("[{}]", ends.join(", "))
}

/// The rulesets of a written text, read from its table: what is proved of them is proved of the text.
///
/// # Errors
/// The table is not as it is written here.
pub(super) fn read_back(text: &str, case: Case) -> Result<Vec<Ruleset>, String> {
    back::read(text, case).ok_or_else(|| "the table that was written cannot be read back".to_owned())
}

/// A text as JavaScript writes it.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A name of an object's field: `__proto__` is one only in brackets.
fn key(name: &str) -> String {
    if name == "__proto__" { "[\"__proto__\"]".to_owned() } else { quoted(name) }
}

/// The text without its types.
fn untyped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment, after)) = next_comment(rest) {
        out.push_str(before);
        // A block of declarations stands in lines of its own.
        rest = if comment.starts_with(':') { after.trim_start_matches('\n') } else { after };
    }
    out.push_str(rest);
    out
}

/// The text with its types.
pub(super) fn as_types(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment, after)) = next_comment(rest) {
        out.push_str(before);
        match comment.strip_prefix(':') {
            Some(block) => out.push_str(block.trim()),
            None => {
                let _ = write!(out, ": {}", comment.trim());
            }
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// What stands before a comment of types (its blank not), in it, and behind it.
fn next_comment(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("/*:")?;
    let (comment, after) = rest.split_once("*/")?;
    Some((before.strip_suffix(' ').unwrap_or(before), comment, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_taken_out_or_in() {
        let text = "/*::\ntype A = 1;\n*/\n\nconst a /*: A */ = f(b /*: B */);\n";
        assert_eq!(untyped(text), "const a = f(b);\n");
        assert_eq!(as_types(text), "type A = 1;\n\nconst a: A = f(b: B);\n");
    }
}
