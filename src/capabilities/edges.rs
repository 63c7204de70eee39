//! Who can have whom act: delegation, caller by caller, and switches.

use super::direct::step;
use super::{Step, World};
use crate::decide::{self, FALLBACK};
use crate::model::{Agent, Delegate, Mode, Model, Permission, ResourceKind, Unattended};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

/// `parent` may start `child`, silently or after asking.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    /// Who starts.
    pub parent: &'a Agent,
    /// Who is started.
    pub child: &'a Agent,
    /// The permission that delegates.
    pub permission: &'a str,
    /// What is declared of it.
    pub declared: &'a Permission,
    /// `Allow` or `Ask`.
    pub action: Action,
    /// The place of the rule that decides in the parent's ruleset, and the rule; `None`: none matches.
    pub rule: Option<(usize, &'a Rule)>,
}

impl<'a> Edge<'a> {
    /// The rule that decides, if the user wrote it and it names the permission: a `*` rule says nothing of delegation.
    pub fn user_rule(&self) -> Option<&'a Rule> {
        let rule = self.rule.map(|(_, rule)| rule);
        rule.filter(|rule| !rule.origin.prelude && !rule.permission.is_everything())
    }

    /// Whether the child acts by its own rules alone.
    pub fn unbounded(&self) -> bool {
        self.declared.delegate != Some(Delegate::Bounded)
    }
}

/// The edges from one agent, children in declaration order; those that only a person can choose come last.
pub fn from<'a>(model: &'a Model, set: &'a Ruleset) -> Vec<Edge<'a>> {
    let mut out = Vec::new();
    let Some(parent) = model.agents.get(&set.agent) else { return out };
    let mut children: Vec<&Agent> = model.live_agents().collect();
    children.sort_by_key(|child| child.mode == Mode::Primary);
    let delegating = model.permissions.iter().filter(|(_, declared)| declared.resource == ResourceKind::Agent);
    for (permission, declared) in delegating {
        let speaks = |(_, rule): &(usize, &Rule)| rule.permission.matches(permission, set.case);
        let speaking: Vec<(usize, &Rule)> = set.rules.iter().enumerate().filter(speaks).collect();
        for child in &children {
            let rule = speaking.iter().rfind(|(_, rule)| rule.pattern.matches(&child.name, set.case)).copied();
            let action = rule.map_or(FALLBACK, |(_, rule)| rule.action);
            if action != Action::Deny {
                out.push(Edge { parent, child, permission, declared, action, rule });
            }
        }
    }
    out
}

/// A way from one agent to another.
#[derive(Clone, Debug)]
pub(super) struct Hop {
    /// The call, with the agent it leads to.
    pub(super) step: Step,
    /// For a delegation how deep it may nest, if that is limited; `None`: it is a switch.
    pub(super) depth: Option<Option<u32>>,
}

impl World<'_> {
    /// The hops from an agent.
    pub(super) fn hops(&self, set: &Ruleset) -> Vec<Hop> {
        let edges = from(self.model, set).into_iter().filter(Edge::unbounded);
        let delegations = edges.filter(|edge| edge.child.name != set.agent).map(|edge| Hop {
            step: Step {
                agent: set.agent.clone(),
                permission: edge.permission.to_owned(),
                resource: edge.child.name.clone(),
                action: edge.action,
                rule: edge.rule.map(|(at, _)| at),
                to: Some(edge.child.name.clone()),
                switch: None,
            },
            depth: Some(edge.declared.depth),
        });
        delegations.chain(self.switches(set)).collect()
    }

    /// The switches that an agent can make without a person's word.
    pub(super) fn switches<'s>(&'s self, set: &'s Ruleset) -> impl Iterator<Item = Hop> + 's {
        let from_here = self.model.switches.iter().filter(move |(name, switch)| {
            let guarded = switch.confirm.is_some() && switch.unattended == Unattended::Stay;
            let leaves = switch.from.as_ref().is_none_or(|from| from.node == set.agent);
            leaves && !guarded && !self.confirmed.contains(*name)
        });
        from_here.filter_map(move |(name, switch)| {
            let to = switch.to.as_ref()?.node.clone();
            let exists = self.model.agents.get(&to).is_some_and(|agent| !agent.disabled);
            let key = self.model.key_of(name);
            let step = Step { switch: Some(name.clone()), ..step(set, key, "*", Some(to.clone())) };
            let shown = decide::visible(set, key, self.model.visibility);
            (exists && shown && step.action != Action::Deny && to != set.agent).then_some(Hop { step, depth: None })
        })
    }
}
