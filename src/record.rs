//! What a config decides now, as `test` blocks that pin it before someone edits it: for each agent and permission a call
//! that each deciding rule decides, found by the exact engine, and one that no rule matches.

use crate::checks::plausible;
use crate::decide;
use crate::language::{Answer, Budget, Call, Entry, Pattern, Table};
use crate::project::Compilation;
use crate::reach;
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use crate::secret;
use std::fmt::Write;

/// Tests as text, and what is left out of them.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    /// The text of a policy file with nothing but tests.
    pub text: String,
    /// How many expectations there are.
    pub expectations: usize,
    /// Rules whose calls were too hard to find within the budget.
    pub undecided: usize,
    /// Calls that hold what looks like a secret.
    pub secrets: usize,
}

/// The tests of every agent that a person can meet. `again` is the command that runs them, for the file's first line.
pub fn tests(compilation: &Compilation, again: &str, budget: &mut Budget) -> Recorded {
    let mut out = Recorded::default();
    let (runtime, version) = (compilation.runtime.name(), compilation.version.id);
    let _ = write!(out.text, "# What is decided now, one call a rule. Run it again with\n#   {again}\n");
    let _ = writeln!(out.text, "runtime {runtime} {}", quoted(version));
    for at in reach::judged(&compilation.model, &compilation.rulesets) {
        if let Some(set) = compilation.rulesets.get(at) {
            agent(compilation, set, &mut out, budget);
        }
    }
    out
}

fn agent(compilation: &Compilation, set: &Ruleset, out: &mut Recorded, budget: &mut Budget) {
    let mut lines = Vec::new();
    for permission in compilation.model.permissions.keys().filter(|name| !name.contains(['*', '?'])) {
        for call in calls(compilation, set, permission, out, budget) {
            if secret::redact(&call.value) != call.value.as_str() {
                out.secrets += 1;
                continue;
            }
            let action = decide::decide(set, &call.key, &call.value).action;
            lines.push(format!("{} {} => {action}", name(&call.key), quoted(&call.value)));
        }
    }
    lines.extend(sights(compilation, set));
    if lines.is_empty() {
        return;
    }
    out.expectations += lines.len();
    let _ = writeln!(out.text, "\ntest {} \"recorded\" {{\n  {}\n}}", name(&set.agent), lines.join("\n  "));
}

/// Calls of one permission, one for each rule that decides any, and one that falls to the default.
fn calls(
    compilation: &Compilation,
    set: &Ruleset,
    permission: &str,
    out: &mut Recorded,
    budget: &mut Budget,
) -> Vec<Call> {
    let rules: Vec<&Rule> = set.rules.iter().filter(|rule| rule.permission.matches(permission, set.case)).collect();
    let key = Pattern::wildcard(permission);
    let entries: Vec<Entry<'_>> =
        rules.iter().map(|rule| Entry { key: &key, value: &rule.pattern, colour: rule.action.colour() }).collect();
    let never = reach::impossible(&compilation.model, compilation.runtime);
    let Ok(mut table) = Table::new(&entries, &never, decide::FALLBACK.colour(), set.case) else {
        out.undecided += rules.len();
        return Vec::new();
    };
    let mut calls = Vec::new();
    for (at, rule) in rules.iter().enumerate() {
        match table.decides(at, budget) {
            Answer::Yes(call) => calls.push(believable(compilation, set, rule, &key, call)),
            Answer::No => {}
            Answer::Undecided { .. } => out.undecided += 1,
        }
    }
    match table.uncovered(&[(key, Pattern::wildcard("*"))], budget) {
        Answer::Yes(call) => calls.push(call),
        Answer::No => {}
        Answer::Undecided { .. } => out.undecided += 1,
    }
    calls
}

/// A call as a person would write it, if the same rule decides it; else the shortest.
fn believable(compilation: &Compilation, set: &Ruleset, rule: &Rule, key: &Pattern, shortest: Call) -> Call {
    let model = (&compilation.model, compilation.runtime);
    let plausible = plausible::calls_of(model, key, &rule.pattern, set.case);
    let decides = |call: &Call| {
        decide::decide(set, &call.key, &call.value).rule.is_some_and(|(_, decider)| std::ptr::eq(decider, rule))
    };
    plausible.into_iter().find(decides).unwrap_or(shortest)
}

/// Which tools the model sees: all hidden ones, and of those shown the ones that a user's rule speaks of.
fn sights(compilation: &Compilation, set: &Ruleset) -> Vec<String> {
    let model = &compilation.model;
    let mut lines = Vec::new();
    for (key, permission) in model.permissions.iter().filter(|(name, _)| !name.contains(['*', '?'])) {
        let spoken = set.rules.iter().any(|rule| !rule.origin.prelude && rule.permission.matches(key, set.case));
        let seen = decide::visible(set, key, model.visibility);
        for tool in permission.tools.iter().filter(|_| spoken || !seen) {
            lines.push(format!("{} {}", if seen { "visible" } else { "hidden" }, name(&tool.node)));
        }
    }
    lines
}

/// A name as the language writes it: bare where that is possible.
fn name(text: &str) -> String {
    let start = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let plain = start && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if plain && !matches!(text, "visible" | "hidden" | "allow" | "ask" | "deny") {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A string with JSON's escapes, which are the language's.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
