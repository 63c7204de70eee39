//! The same answers as [`decide`](crate::decide) gives, from one compiled table, for systems that decide while agents run.
//!
//! What a decision costs grows with the resource and with how many stars of patterns it reaches, not with the rules: the
//! resources of an agent's rules are read by automata, one for what comes before the first star of a pattern, shared by all,
//! and one for what comes after each star. Rules whose automata would grow without measure, and regular expressions, are
//! compared one by one, as many as there are. A table is linear in its rules.

mod agent;
mod alphabet;
mod automaton;
mod file;
mod run;
mod store;
mod trie;

pub use file::{Broken, FORMAT};

use crate::decide::FALLBACK;
use crate::language::{Case, beginning, covered};
use crate::model::{Capability, Model, Permission, ResourceKind, Visibility};
use crate::rule::{Action, Rule};
use crate::ruleset::{self, Ruleset};
use crate::source::{SourceMap, Span};
use crate::syntax::ast::Name;
use agent::AgentTable;
use run::Room;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// So many permissions are kept with the columns that speak of them.
const KNOWN: usize = 1_024;

/// The rules of all agents of a policy, compiled, with what a person is told of each.
#[derive(Debug, Serialize, Deserialize)]
pub struct Table {
    /// The runtime that the policy is for, and its version.
    pub runtime: (String, String),
    /// The files that it was made from, as they are shown, each with the SHA-256 of its text.
    pub sources: Vec<(String, [u8; 32])>,
    /// The home and the worktree that its rules hold for; `None`: they hold for any.
    pub machine: Option<(String, String)>,
    /// The agent that a session begins with, or why there is none.
    pub default_agent: Result<String, String>,
    /// The declared permissions.
    pub permissions: Vec<Asked>,
    visibility: u8,
    agents: Vec<AgentTable>,
    rules: Vec<Told>,
}

/// A declared permission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Its name.
    pub name: String,
    prelude: bool,
    /// Tools whose key it is, and further tools that ask it.
    tools: (Vec<String>, Vec<String>),
    resource: String,
    capability: Option<String>,
}

impl Asked {
    /// The permission as a model has it, without the places and what it says of delegation.
    pub fn permission(&self) -> Permission {
        let span = nowhere();
        let names = |names: &[String]| names.iter().map(|name| Name::new(name.clone(), span)).collect();
        Permission {
            span,
            prelude: self.prelude,
            tools: names(&self.tools.0),
            asked_by: names(&self.tools.1),
            resource: ResourceKind::from_word(&self.resource).unwrap_or(ResourceKind::Name),
            capability: self.capability.as_deref().and_then(Capability::from_word),
            delegate: None,
            depth: None,
        }
    }
}

/// A rule as a person is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Told {
    /// Action, permission, and its pattern if it is narrow.
    pub rule: String,
    /// What its author said of it.
    pub reason: Option<String>,
    /// `file:line:column` of what was written.
    pub place: String,
    /// What every resource that it speaks of begins with.
    pub begins: String,
    /// It speaks of whatever begins with this; `None`: no such text is known.
    pub covers: Option<String>,
    /// Whether it speaks of some resources and not of all.
    pub narrow: bool,
    /// Whether it speaks of some permissions and not of all.
    pub named: bool,
}

/// Resources of which only a part is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Part {
    /// What they begin with.
    pub begins: String,
    /// Whether they are paths inside the workspace, which are relative.
    pub inside: bool,
}

impl Part {
    /// Whether a rule may speak of one of them, all of whose resources begin with `begins`.
    pub fn may_hold(&self, begins: &str) -> bool {
        let outside = begins.starts_with(['/', '~']) || begins.starts_with("../");
        let fits = begins.starts_with(&self.begins) || self.begins.starts_with(begins);
        fits && !(self.inside && outside)
    }

    /// Whether a rule speaks of all of them that speaks of whatever begins with `covers`.
    pub fn is_within(&self, covers: Option<&str>) -> bool {
        covers.is_some_and(|covers| self.begins.starts_with(covers))
    }
}

/// A decision, and the rule that took it.
#[derive(Clone, Copy, Debug)]
pub struct Verdict<'t> {
    /// What becomes of the request.
    pub action: Action,
    /// The place of the rule in the agent's ruleset, and what is told of it; `None`: no rule matched.
    pub rule: Option<(usize, &'t Told)>,
}

impl Table {
    /// Compiles the rulesets of a policy.
    pub fn new(model: &Model, rulesets: &[Ruleset], sources: &SourceMap, runtime: (&str, &str)) -> Table {
        let default_agent = ruleset::default_agent(model);
        let named = model.default_agent.as_ref().map_or("", |name| &name.node);
        let mut rules: Vec<Told> = Vec::new();
        let mut places: FxHashMap<u32, u32> = FxHashMap::default();
        for (set, rule) in rulesets.iter().flat_map(|set| set.rules.iter().map(move |rule| (set, rule))) {
            places.entry(rule.id).or_insert_with(|| {
                rules.push(told(rule, set.case, sources));
                rules.len() as u32 - 1
            });
        }
        let place = |rule: &Rule| places.get(&rule.id).copied().unwrap_or_default();
        let asked = |(name, declared): (&String, &Permission)| Asked {
            name: name.clone(),
            prelude: declared.prelude,
            tools: (names(&declared.tools), names(&declared.asked_by)),
            resource: declared.resource.word().to_owned(),
            capability: declared.capability.map(|capability| capability.word().to_owned()),
        };
        Table {
            runtime: (runtime.0.to_owned(), runtime.1.to_owned()),
            sources: file::hashes(sources),
            machine: None,
            default_agent: default_agent.map(|agent| agent.name.clone()).map_err(|why| why.message(named)),
            permissions: model.permissions.iter().map(asked).collect(),
            visibility: Visibility::ALL.iter().position(|one| *one == model.visibility).unwrap_or_default() as u8,
            agents: rulesets.iter().map(|set| AgentTable::new(set, place)).collect(),
            rules,
        }
    }

    /// The agents, in declaration order.
    pub fn agents(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(|agent| agent.name.as_str())
    }

    /// Decides for an agent; `None`: there is no such agent.
    pub fn decider(&self, agent: &str) -> Option<Decider<'_>> {
        let agent = self.agents.iter().find(|one| one.name == agent)?;
        Some(Decider { table: self, agent, room: Room::default(), known: FxHashMap::default(), columns: Vec::new() })
    }

    fn visibility(&self) -> Visibility {
        Visibility::ALL.get(usize::from(self.visibility)).copied().unwrap_or(Visibility::Fixed)
    }
}

fn names(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| name.node.clone()).collect()
}

/// The place of what a table tells without one.
fn nowhere() -> Span {
    Span::new(SourceMap::default().add("", ""), 0..0)
}

fn told(rule: &Rule, case: Case, sources: &SourceMap) -> Told {
    let narrow = !rule.pattern.is_everything();
    Told {
        rule: if narrow { rule.to_string() } else { format!("{} {}", rule.action, rule.permission.text()) },
        begins: beginning(&rule.pattern, case),
        covers: covered(&rule.pattern, case),
        narrow,
        named: !rule.permission.is_everything(),
        reason: rule.reason.as_deref().map(str::to_owned),
        place: sources.place(rule.origin.span),
    }
}

/// Decides requests of one agent, and keeps what it needs from one to the next.
#[derive(Debug)]
pub struct Decider<'t> {
    table: &'t Table,
    agent: &'t AgentTable,
    room: Room,
    /// Where the columns of permissions lie.
    known: FxHashMap<Box<str>, usize>,
    columns: Vec<Box<[u32]>>,
}

impl<'t> Decider<'t> {
    /// What [`decide`](crate::decide::decide) says of a request.
    pub fn decide(&mut self, permission: &str, resource: &str) -> Verdict<'t> {
        let known = self.known(permission);
        let columns = self.columns.get(known).map(AsRef::as_ref).unwrap_or_default();
        match self.agent.decide(columns, resource, &mut self.room) {
            None => Verdict { action: FALLBACK, rule: None },
            Some((at, action)) => Verdict { action, rule: self.told(at).map(|told| (at, told)) },
        }
    }

    /// The agent.
    pub fn agent(&self) -> &'t str {
        &self.agent.name
    }

    /// What [`visible`](crate::decide::visible) says of a tool whose permission is `key`.
    pub fn visible(&mut self, key: &str) -> bool {
        let known = self.known(key);
        let columns = self.columns.get(known).map(AsRef::as_ref).unwrap_or_default();
        self.agent.visible(columns, self.table.visibility())
    }

    /// The strictest of what may become of a request for a permission about any resource of a part, and a rule that says so.
    pub fn strictest(&mut self, permission: &str, part: &Part) -> Verdict<'t> {
        let known = self.known(permission);
        let columns = self.columns.get(known).map(AsRef::as_ref).unwrap_or_default();
        let mut worst: Option<Verdict<'t>> = None;
        for (at, action) in self.agent.rules(columns) {
            let Some(told) = self.told(at).filter(|told| part.may_hold(&told.begins)) else { continue };
            if worst.is_none_or(|worst| action > worst.action) {
                worst = Some(Verdict { action, rule: Some((at, told)) });
            }
            if !told.narrow || part.is_within(told.covers.as_deref()) {
                // Nothing before it decides.
                return worst.unwrap_or(Verdict { action, rule: Some((at, told)) });
            }
        }
        let fallback = Verdict { action: FALLBACK, rule: None };
        worst.filter(|worst| worst.action >= FALLBACK).unwrap_or(fallback)
    }

    /// What is told of the rule at a place of the agent's ruleset.
    pub fn told(&self, at: usize) -> Option<&'t Told> {
        self.agent.rules.get(at).and_then(|place| self.table.rules.get(*place as usize))
    }

    /// Where the columns that speak of a permission lie.
    fn known(&mut self, permission: &str) -> usize {
        if let Some(known) = self.known.get(permission) {
            return *known;
        }
        if self.columns.len() >= KNOWN {
            self.known.clear();
            self.columns.clear();
        }
        let fresh = self.columns.len();
        self.columns.push(self.agent.columns(permission).into());
        self.known.insert(permission.into(), fresh);
        fresh
    }
}
