//! Flattened rulesets as JSON, `policyc/flatten/1`: what `flatten --format json` prints and `compile --target json` writes.

use super::decision;
use crate::project::Compilation;
use crate::rule::Rule;
use crate::ruleset::{self, Ruleset};
use crate::secret::redact;
use crate::source::SourceMap;
use serde_json::{Value, json};

/// The rulesets with what is needed to decide by them.
pub(super) fn json(compilation: &Compilation, sets: &[&Ruleset], sources: &SourceMap) -> Value {
    let agents = sets.iter().map(|set| {
        let agent = compilation.model.agents.get(&set.agent);
        json!({
            "name": redact(&set.agent),
            "mode": agent.map(|agent| agent.mode.word()),
            "hidden": agent.is_some_and(|agent| agent.hidden),
            "rules": set.rules.iter().map(|rule| verbatim(rule, sources)).collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": "policyc/flatten/1",
        "runtime": compilation.runtime.name(),
        "version": compilation.version.id,
        "default_agent": ruleset::default_agent(&compilation.model).ok().map(|agent| redact(&agent.name)),
        "agents": agents.collect::<Vec<_>>(),
    })
}

/// A rule to decide by. Nothing is redacted: a `*` in the place of a secret would be another pattern.
fn verbatim(rule: &Rule, sources: &SourceMap) -> Value {
    let mut value = decision::rule_json(rule, sources);
    if let Some(fields) = value.as_object_mut() {
        fields.insert("permission".to_owned(), rule.permission.text().into());
        fields.insert("pattern".to_owned(), rule.pattern.text().into());
    }
    value
}
