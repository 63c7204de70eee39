//! The policy as a hook asks it: the one place that knows what it was made of.

use super::told::clipped;
use crate::decide;
use crate::engine::{self, Part, Table};
use crate::language::{beginning, covered};
use crate::model::Permission;
use crate::project::Compilation;
use crate::rule::{self, Action};
use crate::ruleset::{self, Ruleset};
use crate::runtimes::{Asks, Environment, RUNTIMES, Runtime, Version};
use crate::source::SourceMap;
use std::borrow::Cow;
use std::cell::RefCell;

/// A policy, to be asked.
#[derive(Debug)]
pub struct Policy<'a> {
    runtime: (&'static dyn Runtime, &'static Version),
    environment: Option<&'a Environment>,
    permissions: Vec<(&'a str, Cow<'a, Permission>)>,
    made: Made<'a>,
}

/// What it was made of.
#[derive(Debug)]
enum Made<'a> {
    Texts { compilation: &'a Compilation, sources: &'a SourceMap },
    Table { table: &'a Table, decider: RefCell<Option<engine::Decider<'a>>> },
}

/// A decision, and the rule that took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// What becomes of the request.
    pub action: Action,
    /// The rule; `None`: no rule matches.
    pub rule: Option<Decider>,
}

/// A rule of an agent, as far as it matters to whether its decision counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decider {
    /// Its place among the agent's rules, for [`Policy::rule`].
    pub at: usize,
    /// Whether it speaks of some resources and not of all.
    pub narrow: bool,
    /// Whether it speaks of some permissions and not of all.
    pub named: bool,
}

/// A rule as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its action, permission and pattern.
    pub text: String,
    /// Where it stands.
    pub place: String,
    /// What its author said of it.
    pub because: Option<String>,
}

impl Verdict {
    /// What becomes of a request for an agent that there is not.
    const NOBODY: Verdict = Verdict { action: Action::Deny, rule: None };
}

fn decider(at: usize, rule: &rule::Rule) -> Decider {
    Decider { at, narrow: !rule.pattern.is_everything(), named: !rule.permission.is_everything() }
}

impl<'a> Policy<'a> {
    /// A policy that was compiled from texts, for a session with these facts of the machine.
    pub fn of(
        compilation: &'a Compilation,
        sources: &'a SourceMap,
        environment: Option<&'a Environment>,
    ) -> Policy<'a> {
        let declared = compilation.model.permissions.iter();
        Policy {
            runtime: (compilation.runtime, compilation.version),
            environment,
            permissions: declared.map(|(name, permission)| (name.as_str(), Cow::Borrowed(permission))).collect(),
            made: Made::Texts { compilation, sources },
        }
    }

    /// A policy that was compiled to a table.
    ///
    /// # Errors
    /// The table is for a runtime or a version that is not known here.
    pub fn of_table(table: &'a Table, environment: Option<&'a Environment>) -> Result<Policy<'a>, String> {
        let (name, version) = (table.runtime.0.as_str(), table.runtime.1.as_str());
        let runtime = RUNTIMES.into_iter().find(|runtime| runtime.name() == name);
        let found =
            runtime.and_then(|runtime| Some((runtime, runtime.versions().iter().find(|one| one.id == version)?)));
        let runtime = found.ok_or_else(|| format!("the table is for `{name}` {version}, which is not known here"))?;
        let declared = table.permissions.iter();
        Ok(Policy {
            runtime,
            environment,
            permissions: declared.map(|asked| (asked.name.as_str(), Cow::Owned(asked.permission()))).collect(),
            made: Made::Table { table, decider: RefCell::new(None) },
        })
    }

    /// The agent that decides: the one named, else the policy's default.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn agent(&self, named: Option<&str>) -> Result<&'a str, String> {
        let Some(named) = named else {
            return self.default_agent().map_err(|why| format!("{why}: name an agent with `--agent`"));
        };
        let found = match &self.made {
            Made::Texts { .. } => self.set(named).map(|set| set.agent.as_str()),
            Made::Table { table, .. } => table.agents().find(|agent| *agent == named),
        };
        found.ok_or_else(|| format!("the policy has no agent `{}`: declare it there", clipped(named)))
    }

    fn default_agent(&self) -> Result<&'a str, String> {
        match &self.made {
            Made::Table { table, .. } => table.default_agent.as_deref().map_err(Clone::clone),
            Made::Texts { compilation, .. } => {
                let model = &compilation.model;
                ruleset::default_agent(model)
                    .map(|agent| agent.name.as_str())
                    .map_err(|why| why.message(model.default_agent.as_ref().map_or("", |name| &name.node)))
            }
        }
    }

    /// The decision of a request.
    pub fn decide(&self, agent: &str, permission: &str, resource: &str) -> Verdict {
        if let Some(verdict) = self.by_table(agent, |table| table.decide(permission, resource)) {
            return verdict;
        }
        let Some(set) = self.set(agent) else { return Verdict::NOBODY };
        let decision = decide::decide(set, permission, resource);
        Verdict { action: decision.action, rule: decision.rule.map(|(at, rule)| decider(at, rule)) }
    }

    /// The strictest decision that any request for a permission may have that is about a resource of a part: what holds of
    /// one that is not known.
    pub fn strictest(&self, agent: &str, permission: &str, part: &Part) -> Verdict {
        if let Some(verdict) = self.by_table(agent, |table| table.strictest(permission, part)) {
            return verdict;
        }
        let Some(set) = self.set(agent) else { return Verdict::NOBODY };
        let mut worst: Option<(usize, &rule::Rule)> = None;
        let speaking = |(_, rule): &(usize, &rule::Rule)| {
            rule.permission.matches(permission, set.case) && part.may_hold(&beginning(&rule.pattern, set.case))
        };
        for (at, rule) in set.rules.iter().enumerate().rev().filter(speaking) {
            if worst.is_none_or(|(_, worst)| rule.action > worst.action) {
                worst = Some((at, rule));
            }
            // Nothing before it decides.
            if rule.pattern.is_everything() || part.is_within(covered(&rule.pattern, set.case).as_deref()) {
                return verdict(worst, rule.action);
            }
        }
        verdict(worst.filter(|(_, rule)| rule.action >= decide::FALLBACK), decide::FALLBACK)
    }

    /// A rule of an agent, to be told; `None`: there is none at that place.
    pub fn rule(&self, agent: &str, decider: Decider) -> Option<Rule> {
        match &self.made {
            Made::Texts { sources, .. } => self.set(agent)?.rules.get(decider.at).map(|rule| told(rule, sources)),
            Made::Table { .. } => self.asked(agent, |table| table.told(decider.at))?.map(|told| Rule {
                text: clipped(&told.rule),
                place: clipped(&told.place),
                because: told.reason.as_deref().map(clipped),
            }),
        }
    }

    /// Whether an agent's model sees the tools of a permission.
    pub fn visible(&self, agent: &str, permission: &str) -> bool {
        match &self.made {
            Made::Texts { compilation, .. } => {
                let visibility = compilation.model.visibility;
                self.set(agent).is_some_and(|set| decide::visible(set, permission, visibility))
            }
            Made::Table { .. } => self.asked(agent, |decider| decider.visible(permission)).unwrap_or(false),
        }
    }

    /// The permissions that are declared, in the order of their declaration.
    pub fn permissions(&self) -> impl Iterator<Item = (&str, &Permission)> {
        self.permissions.iter().map(|(name, permission)| (*name, permission.as_ref()))
    }

    /// What a table says of an agent; `None`: there is no table, or no such agent.
    fn by_table(
        &self,
        agent: &str,
        ask: impl FnOnce(&mut engine::Decider<'a>) -> engine::Verdict<'a>,
    ) -> Option<Verdict> {
        let verdict = self.asked(agent, ask)?;
        let rule = verdict.rule.map(|(at, told)| Decider { at, narrow: told.narrow, named: told.named });
        Some(Verdict { action: verdict.action, rule })
    }

    fn asked<T>(&self, agent: &str, ask: impl FnOnce(&mut engine::Decider<'a>) -> T) -> Option<T> {
        let Made::Table { table, decider } = &self.made else { return None };
        let mut kept = decider.borrow_mut();
        if kept.as_ref().is_none_or(|decider| decider.agent() != agent) {
            *kept = table.decider(agent);
        }
        kept.as_mut().map(ask)
    }

    /// What the policy's own runtime asks for a command line; `None`: it does not say.
    pub fn line(&self, text: &str, folder: Option<&str>) -> Option<Result<Asks, String>> {
        let (runtime, version) = self.runtime;
        let (tool, mut input) = runtime.command_call(text, version)?;
        if let (Some(folder), Some(fields)) = (folder, input.as_object_mut()) {
            fields.insert("workdir".to_owned(), folder.into());
        }
        Some(runtime.asks(tool, &input, version, self.environment))
    }

    /// The permission that guards what lies outside the workspace, if there is one.
    pub fn guard(&self) -> Option<&str> {
        let guard = self.runtime.0.guards_outside();
        guard.or_else(|| self.permissions().map(|(name, _)| name).find(|name| *name == "external_directory"))
    }

    /// Whether paths outside the workspace are told as seen from it.
    pub fn tells_outside_relative(&self) -> bool {
        self.runtime.0.tells_outside_relative()
    }

    fn set(&self, agent: &str) -> Option<&'a Ruleset> {
        let Made::Texts { compilation, .. } = &self.made else { return None };
        compilation.rulesets.iter().find(|set| set.agent == agent)
    }
}

fn told(rule: &rule::Rule, sources: &SourceMap) -> Rule {
    let pattern = match rule.pattern.is_everything() {
        true => String::new(),
        false => format!(" `{}`", clipped(rule.pattern.text())),
    };
    Rule {
        text: format!("{} {}{pattern}", rule.action, clipped(rule.permission.text())),
        place: clipped(&sources.place(rule.origin.span)),
        because: rule.reason.as_deref().map(clipped),
    }
}

fn verdict(rule: Option<(usize, &rule::Rule)>, otherwise: Action) -> Verdict {
    Verdict { action: rule.map_or(otherwise, |(_, rule)| rule.action), rule: rule.map(|(at, rule)| decider(at, rule)) }
}
