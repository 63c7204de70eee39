//! Names that people type: checks, agents, runtimes. An unknown one is answered with the nearest.

use crate::checks::{CHECKS, Check, is_selector};
use crate::cli::exit::Failure;
use crate::diagnostic::near_name;
use crate::project::Compilation;
use crate::ruleset::{self, Ruleset};
use crate::runtimes::{RUNTIMES, Runtime};

/// `did you mean ...`, or all there are if they are few.
pub(super) fn help(name: &str, known: &[&str], otherwise: &str) -> String {
    match near_name(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.len() <= 12 && !known.is_empty() => format!("known are {}", known.join(", ")),
        None => otherwise.to_owned(),
    }
}

/// A check by code or name.
pub(super) fn check(name: &str) -> Result<&'static Check, Failure> {
    let is = |check: &&Check| check.code.id.eq_ignore_ascii_case(name) || check.code.name == name;
    CHECKS.iter().find(is).ok_or_else(|| {
        let known: Vec<&str> = CHECKS.iter().flat_map(|check| [check.code.id, check.code.name]).collect();
        let help = help(name, &known, "`policyc explain --list` shows all checks");
        Failure::new(format!("no check is called `{name}`"), help)
    })
}

/// A code, a name, or the beginning of a code.
pub(super) fn selector(text: &str) -> Result<(), Failure> {
    if is_selector(text) { Ok(()) } else { check(text).map(|_| ()) }
}

/// A runtime by its word.
pub(super) fn runtime(name: &str) -> Result<&'static dyn Runtime, Failure> {
    RUNTIMES.iter().copied().find(|runtime| runtime.name() == name).ok_or_else(|| {
        let known: Vec<&str> = RUNTIMES.iter().map(|runtime| runtime.name()).collect();
        Failure::new(format!("no runtime is called `{name}`"), help(name, &known, ""))
    })
}

/// The ruleset of an agent; of the default one if none is named.
pub(super) fn agent<'a>(compilation: &'a Compilation, name: Option<&str>) -> Result<&'a Ruleset, Failure> {
    let name = match name {
        Some(name) => name,
        None => default_agent(compilation)?,
    };
    compilation.rulesets.iter().find(|set| set.agent == name).ok_or_else(|| {
        let known: Vec<&str> = compilation.rulesets.iter().map(|set| set.agent.as_str()).collect();
        let disabled = compilation.model.agents.get(name).is_some_and(|agent| agent.disabled);
        let what = if disabled { "is disabled" } else { "does not exist" };
        Failure::new(format!("agent `{name}` {what}"), help(name, &known, "`policyc flatten FILE` shows all agents"))
    })
}

fn default_agent(compilation: &Compilation) -> Result<&str, Failure> {
    let agent = ruleset::default_agent(&compilation.model);
    agent.map(|agent| agent.name.as_str()).map_err(|why| {
        let named = compilation.model.default_agent.as_ref().map_or("", |named| &named.node);
        Failure::new(why.message(named), "name an agent with `--agent`")
    })
}

/// A slot of the merge order that can be given rules.
pub(super) fn slot(compilation: &Compilation, name: &str) -> Result<(), Failure> {
    let known = compilation.model.slots();
    if known.contains(&name) {
        return Ok(());
    }
    let message = format!("no merge order of this policy has a slot `{name}` to fill");
    Err(Failure::new(message, help(name, &known, "name it in `merge`")))
}
