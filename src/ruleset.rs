//! Flattening: one ordered ruleset per agent. The last to know layers and merge order.

use crate::language::Case;
use crate::model::{Agent, Combine, Layer, Model};
use crate::rule::Rule;

/// The ordered rules of one agent; the last that matches decides.
#[derive(Debug, Clone)]
pub struct Ruleset {
    /// The agent.
    pub agent: String,
    /// Its rules in deciding order, the strongest last.
    pub rules: Vec<Rule>,
    /// How letters are compared.
    pub case: Case,
}

/// The rulesets of all agents that exist, in declaration order.
pub fn flatten_all(model: &Model, case: Case) -> Vec<Ruleset> {
    model.live_agents().map(|agent| flatten(model, agent, case)).collect()
}

/// The ruleset of one agent: the rules of its merge order, slot after slot.
pub fn flatten(model: &Model, agent: &Agent, case: Case) -> Ruleset {
    let mut rules = Vec::new();
    for slot in &model.merge_of(agent).slots {
        match &**slot {
            "builtin" => rules.extend_from_slice(&agent.builtin),
            "own" => rules.extend_from_slice(&agent.own),
            layer => rules.extend(model.layers.get(layer).into_iter().flat_map(ordered)),
        }
    }
    Ruleset { agent: agent.name.clone(), rules, case }
}

/// The rules of the layers alone, in the merge order of agents that have none of their own.
pub fn of_layers(model: &Model, case: Case) -> Ruleset {
    let slots = model.merge.slots.iter().filter_map(|slot| model.layers.get(&**slot));
    Ruleset { agent: String::new(), rules: slots.flat_map(ordered).collect(), case }
}

/// A layer's rules as its combining algorithm orders them for last-match-wins.
fn ordered(layer: &Layer) -> Vec<Rule> {
    let mut rules = layer.rules.clone();
    match layer.combine {
        None => {}
        Some(Combine::FirstMatch) => rules.reverse(),
        Some(Combine::DenyOverrides) => rules.sort_by_key(|rule| rule.action),
    }
    rules
}

/// The default agent, or why there is none.
pub fn default_agent(model: &Model) -> Result<&Agent, NoDefault> {
    let Some(named) = &model.default_agent else {
        return model
            .live_agents()
            .find(|agent| agent.selectable() && !agent.hidden)
            .ok_or(NoDefault::NoVisiblePrimary);
    };
    let agent = model.agents.get(&named.node).filter(|agent| !agent.disabled);
    match agent {
        None => Err(NoDefault::NotFound),
        Some(agent) if !agent.selectable() => Err(NoDefault::IsSubagent),
        Some(agent) if agent.hidden => Err(NoDefault::IsHidden),
        Some(agent) => Ok(agent),
    }
}

/// Why no agent is the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoDefault {
    /// The one named does not exist, or is disabled.
    NotFound,
    /// It can only be started by other agents.
    IsSubagent,
    /// It is hidden.
    IsHidden,
    /// None is named, and no agent that exists is both selectable and visible.
    NoVisiblePrimary,
}

impl NoDefault {
    /// The message, in the words of the runtimes' own errors.
    pub fn message(self, named: &str) -> String {
        match self {
            NoDefault::NotFound => format!("default agent `{named}` not found"),
            NoDefault::IsSubagent => format!("default agent `{named}` is a subagent"),
            NoDefault::IsHidden => format!("default agent `{named}` is hidden"),
            NoDefault::NoVisiblePrimary => "no primary visible agent found".to_owned(),
        }
    }
}
