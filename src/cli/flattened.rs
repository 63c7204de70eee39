//! Flattened rulesets as JSON, `policyc/flatten/1`: what `flatten --format json` prints and `compile --target json` writes.

use super::decision;
use crate::project::Compilation;
use crate::ruleset::{self, Ruleset};
use crate::source::SourceMap;
use serde_json::{Value, json};

/// The rulesets with what is needed to decide by them.
pub(super) fn json(compilation: &Compilation, sets: &[&Ruleset], sources: &SourceMap) -> Value {
    let agents = sets.iter().map(|set| {
        let agent = compilation.model.agents.get(&set.agent);
        json!({
            "name": set.agent,
            "mode": agent.map(|agent| agent.mode.word()),
            "hidden": agent.is_some_and(|agent| agent.hidden),
            "rules": set.rules.iter().map(|rule| decision::rule_json(rule, sources)).collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": "policyc/flatten/1",
        "runtime": compilation.runtime.name(),
        "version": compilation.version.id,
        "default_agent": ruleset::default_agent(&compilation.model).ok().map(|agent| &agent.name),
        "agents": agents.collect::<Vec<_>>(),
    })
}
