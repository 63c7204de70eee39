//! What an agent can bring about: by a permission, through a command line, a tool nobody declared, another agent, a switch.
//!
//! A way is a chain of concrete calls, each of which the rules let pass, silently or after asking. Delegation by which a child
//! is bound by its parent's rules too adds nothing, since the parent could make each of the child's calls itself; so only
//! edges to children that act by their own rules are followed.

mod closure;
mod command;
mod direct;
pub mod edges;
mod remedy;

pub use closure::{Closure, Ways};
pub use direct::Entries;
pub use remedy::{Change, Remedy};

use crate::catalogue;
use crate::language::Pattern;
use crate::model::{Capability, Commands, Family, Mode, Model, ResourceKind};
use crate::reach::Tables;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::runtimes::{Runtime, Version};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is asked: a capability, about which paths, URLs or commands.
#[derive(Clone, Debug)]
pub struct Goal {
    /// The capability.
    pub capability: Capability,
    /// About these only; empty: about anything.
    pub include: Vec<Pattern>,
    /// But not about these.
    pub except: Vec<Pattern>,
    /// What asks a person first does not count.
    pub silently: bool,
    /// Tools that nobody declared do not count.
    pub declared: bool,
}

impl Goal {
    /// Any way to a capability.
    pub fn of(capability: Capability) -> Goal {
        Goal { capability, include: Vec::new(), except: Vec::new(), silently: false, declared: false }
    }

    /// Whether a call with this outcome is a way.
    fn counts(&self, action: Action) -> bool {
        action == Action::Allow || (action == Action::Ask && !self.silently)
    }
}

/// How the last call of a way gives the capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Its permission is declared to give it.
    Permission,
    /// It is a command line of the catalogue, or of the policy's own `commands`.
    Command {
        /// In what kind of way the command gives it.
        family: Option<Family>,
        /// The entry.
        line: Arc<str>,
        /// Why it gives it.
        reason: Option<Arc<str>>,
    },
    /// A tool that nobody declared, an MCP server's or a plugin's, may do anything.
    Undeclared,
    /// The runtime asks nobody about it.
    Unasked(&'static str),
    /// The session moves to another agent, or another agent starts: the chain itself.
    Chain,
}

/// One call of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Who makes it.
    pub agent: String,
    /// The permission it asks.
    pub permission: String,
    /// What for.
    pub resource: String,
    /// What becomes of it: allow or ask.
    pub action: Action,
    /// The place of the rule that decides in the agent's ruleset; `None`: no rule matches, or nobody is asked.
    pub rule: Option<usize>,
    /// The agent that acts from here on, where the call starts or selects one.
    pub to: Option<String>,
    /// The switch that selects it; `None`: it is started, if there is one.
    pub switch: Option<String>,
}

/// A way to a capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The calls, the last of which does it.
    pub steps: Vec<Step>,
    /// How it does it.
    pub act: Act,
}

impl Way {
    /// The call that does it.
    pub fn last(&self) -> Option<&Step> {
        self.steps.last()
    }

    /// Whether it begins with starting another agent.
    pub fn delegates(&self) -> bool {
        self.steps.first().is_some_and(|step| step.to.is_some() && step.switch.is_none())
    }

    /// Whether it begins with a switch to another agent.
    pub fn switches(&self) -> bool {
        self.steps.first().is_some_and(|step| step.switch.is_some())
    }

    /// Whether no person is asked on the way.
    pub fn is_silent(&self) -> bool {
        self.steps.iter().all(|step| step.action == Action::Allow)
    }

    /// The same way after other calls.
    fn after(&self, before: &[Step]) -> Way {
        Way { steps: before.iter().chain(&self.steps).cloned().collect(), act: self.act.clone() }
    }
}

/// A compiled policy, as the question sees it.
pub struct World<'a> {
    pub(crate) model: &'a Model,
    pub(crate) rulesets: &'a [Ruleset],
    pub(crate) runtime: &'a dyn Runtime,
    pub(crate) version: &'a Version,
    sets: FxHashMap<&'a str, &'a Ruleset>,
    /// What the rules say, as the engine takes it.
    pub(crate) tables: Tables<'a>,
    /// Switches that count as if they asked the person first.
    confirmed: Vec<String>,
}

impl<'a> World<'a> {
    /// A compiled policy.
    pub fn new(model: &'a Model, rulesets: &'a [Ruleset], runtime: &'a dyn Runtime, version: &'a Version) -> World<'a> {
        World {
            model,
            rulesets,
            runtime,
            version,
            sets: rulesets.iter().map(|set| (set.agent.as_str(), set)).collect(),
            tables: Tables::new(model, runtime),
            confirmed: Vec::new(),
        }
    }

    /// The command lines that give a capability: the policy's own, then the shipped catalogue's.
    fn commands(&self, capability: Capability) -> impl Iterator<Item = &'a Commands> {
        let shipped: &'static [Commands] = &catalogue::shipped().commands;
        let all = self.model.commands.iter().chain(shipped);
        all.filter(move |commands| commands.capabilities.contains(&capability))
    }

    /// Plausible resources of a permission; of one that the runtime does not know those of another about the same.
    fn hints(&self, name: &str) -> Vec<String> {
        let known = |name: &str| self.runtime.hints(name).into_iter().any(|hint| hint != "*");
        let kind = self.model.permissions.get(name).map(|declared| declared.resource);
        let kind = kind.filter(|kind| matches!(kind, ResourceKind::Path | ResourceKind::Url | ResourceKind::Command));
        let alike = self.model.permissions.iter().filter(|(_, declared)| kind == Some(declared.resource));
        let kin = alike.map(|(name, _)| name.as_str()).find(|name| known(name)).filter(|_| !known(name));
        self.runtime.hints(kin.unwrap_or(name))
    }

    /// How deep an agent is started at least: who only runs as a child is at the first level.
    fn level(&self, set: &Ruleset) -> u32 {
        u32::from(self.model.agents.get(&set.agent).is_some_and(|agent| agent.mode == Mode::Subagent))
    }

    fn set_of(&self, agent: &str) -> Option<&'a Ruleset> {
        self.sets.get(agent).copied()
    }
}
