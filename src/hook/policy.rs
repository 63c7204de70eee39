//! The policy as a hook asks it: the one place that knows what it was made of.

use super::told::clipped;
use crate::decide;
use crate::model::Permission;
use crate::project::Compilation;
use crate::rule::{self, Action};
use crate::ruleset::{self, Ruleset};
use crate::runtimes::{Asks, Environment};
use crate::source::SourceMap;

/// A compiled policy, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    compilation: &'a Compilation,
    sources: &'a SourceMap,
    environment: Option<&'a Environment>,
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
        Policy { compilation, sources, environment }
    }

    /// The agent that decides: the one named, else the policy's default.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn agent(&self, named: Option<&str>) -> Result<&'a str, String> {
        let model = &self.compilation.model;
        let Some(named) = named else {
            return ruleset::default_agent(model).map(|agent| agent.name.as_str()).map_err(|why| {
                let name = model.default_agent.as_ref().map_or("", |name| &name.node);
                format!("{}: name an agent with `--agent`", why.message(name))
            });
        };
        match self.set(named) {
            Some(set) => Ok(&set.agent),
            None => Err(format!("the policy has no agent `{}`: declare it there", clipped(named))),
        }
    }

    /// The decision of a request.
    pub fn decide(&self, agent: &str, permission: &str, resource: &str) -> Verdict {
        let Some(set) = self.set(agent) else { return Verdict::NOBODY };
        let decision = decide::decide(set, permission, resource);
        Verdict { action: decision.action, rule: decision.rule.map(|(at, rule)| decider(at, rule)) }
    }

    /// The strictest decision that any request for a permission may have: what holds of one that is not known.
    pub fn strictest(&self, agent: &str, permission: &str) -> Verdict {
        let Some(set) = self.set(agent) else { return Verdict::NOBODY };
        let mut worst: Option<(usize, &rule::Rule)> = None;
        let speaking = |(_, rule): &(usize, &rule::Rule)| rule.permission.matches(permission, set.case);
        for (at, rule) in set.rules.iter().enumerate().rev().filter(speaking) {
            if worst.is_none_or(|(_, worst)| rule.action > worst.action) {
                worst = Some((at, rule));
            }
            // Nothing before it decides.
            if rule.pattern.is_everything() {
                return verdict(worst, rule.action);
            }
        }
        verdict(worst.filter(|(_, rule)| rule.action >= decide::FALLBACK), decide::FALLBACK)
    }

    /// A rule of an agent, to be told; `None`: there is none at that place.
    pub fn rule(&self, agent: &str, decider: Decider) -> Option<Rule> {
        self.set(agent)?.rules.get(decider.at).map(|rule| self.told(rule))
    }

    /// Whether an agent's model sees the tools of a permission.
    pub fn visible(&self, agent: &str, permission: &str) -> bool {
        let visibility = self.compilation.model.visibility;
        self.set(agent).is_some_and(|set| decide::visible(set, permission, visibility))
    }

    /// The permissions that are declared, in the order of their declaration.
    pub fn permissions(&self) -> impl Iterator<Item = (&'a str, &'a Permission)> {
        self.compilation.model.permissions.iter().map(|(name, permission)| (name.as_str(), permission))
    }

    /// What the policy's own runtime asks for a command line; `None`: it does not say.
    pub fn line(&self, text: &str, folder: Option<&str>) -> Option<Result<Asks, String>> {
        let (runtime, version) = (self.compilation.runtime, self.compilation.version);
        let (tool, mut input) = runtime.command_call(text, version)?;
        if let (Some(folder), Some(fields)) = (folder, input.as_object_mut()) {
            fields.insert("workdir".to_owned(), folder.into());
        }
        Some(runtime.asks(tool, &input, version, self.environment))
    }

    /// The permission that guards what lies outside the workspace, if there is one.
    pub fn guard(&self) -> Option<&'a str> {
        let guard = self.compilation.runtime.guards_outside();
        guard.or_else(|| self.permissions().map(|(name, _)| name).find(|name| *name == "external_directory"))
    }

    /// Whether paths outside the workspace are told as seen from it.
    pub fn tells_outside_relative(&self) -> bool {
        self.compilation.runtime.tells_outside_relative()
    }

    fn set(&self, agent: &str) -> Option<&'a Ruleset> {
        self.compilation.rulesets.iter().find(|set| set.agent == agent)
    }

    fn told(&self, rule: &rule::Rule) -> Rule {
        let pattern = match rule.pattern.is_everything() {
            true => String::new(),
            false => format!(" `{}`", clipped(rule.pattern.text())),
        };
        Rule {
            text: format!("{} {}{pattern}", rule.action, clipped(rule.permission.text())),
            place: clipped(&self.sources.place(rule.origin.span)),
            because: rule.reason.as_deref().map(clipped),
        }
    }
}

fn verdict(rule: Option<(usize, &rule::Rule)>, otherwise: Action) -> Verdict {
    Verdict { action: rule.map_or(otherwise, |(_, rule)| rule.action), rule: rule.map(|(at, rule)| decider(at, rule)) }
}
