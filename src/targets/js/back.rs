//! The table of a written text, read back line by line: only its texts and its order are believed.

use crate::language::{Case, Dialect, Pattern};
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::Ruleset;
use crate::source::{SourceMap, Span};
use std::sync::Arc;

pub(super) fn read(text: &str, case: Case) -> Option<Vec<Ruleset>> {
    let (_, rest) = text.split_once("const RULES")?;
    let (rules, rest) = rest.split_once("\n];\n")?;
    let (_, agents) = rest.split_once("\tagents: {\n")?;
    let (agents, _) = agents.split_once("\t},\n};\n")?;
    let mut nowhere = SourceMap::default();
    let span = Span::new(nowhere.add("", ""), 0..0);
    let origin = Origin { span, statement: span, slot: "own".into(), prelude: false, via: Vec::new() };
    let origin = Arc::new(origin);
    let lines = rules.lines().skip(1).enumerate();
    let rules = lines.map(|(id, line)| rule(u32::try_from(id).ok()?, line, &origin)).collect::<Option<Vec<Rule>>>()?;
    agents.lines().map(|line| ruleset(line, &rules, case)).collect()
}

/// `/* 0 */ { action: "deny", permission: wildcard("*"), pattern: glob("a/*", [...]), ... },`
fn rule(id: u32, line: &str, origin: &Arc<Origin>) -> Option<Rule> {
    let rest = line.trim_start().strip_prefix(&format!("/* {id} */ {{ action: "))?;
    let (action, rest) = text(rest)?;
    let (permission, rest) = pattern(rest.strip_prefix(", permission: ")?)?;
    let (pattern, _) = pattern(rest.split_once(", pattern: ")?.1)?;
    let action = Action::from_word(&action)?;
    Some(Rule { id, permission, pattern, action, reason: None, origin: origin.clone() })
}

/// `wildcard("...`
fn pattern(rest: &str) -> Option<(Pattern, &str)> {
    let (dialect, rest) = rest.split_once('(')?;
    let dialect = match dialect {
        "wildcard" => Dialect::Wildcard,
        "exact" => Dialect::Exact,
        "prefix" => Dialect::Prefix,
        "glob" => Dialect::Glob,
        "regex" => Dialect::Regex,
        _ => return None,
    };
    let (text, rest) = text(rest)?;
    Some((Pattern::new(dialect, &text).ok()?, rest))
}

/// `"name": pick(0, 1),`
fn ruleset(line: &str, rules: &[Rule], case: Case) -> Option<Ruleset> {
    let line = line.trim_start();
    let (agent, rest) = text(line.strip_prefix('[').unwrap_or(line))?;
    let order = rest.trim_start_matches(']').strip_prefix(": pick(")?.strip_suffix("),")?;
    let places = order.split(", ").filter(|place| !place.is_empty());
    let rules = places.map(|place| rules.get(place.parse::<usize>().ok()?).cloned()).collect::<Option<_>>()?;
    Some(Ruleset { agent, rules, case })
}

/// A text at the start of a line, and what follows.
fn text(rest: &str) -> Option<(String, &str)> {
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    let text = values.next()?.ok()?;
    let after = rest.get(values.byte_offset()..)?;
    Some((text, after))
}
