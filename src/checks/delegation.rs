//! Who may start whom: one edge for each agent that another may delegate to.

use super::Cx;
use super::written;
use crate::decide;
use crate::model::{Agent, Delegate, Mode, Model, Permission, ResourceKind};
use crate::rule::{Action, Rule};

/// `parent` may start `child`, silently or after asking.
#[derive(Clone, Copy)]
pub(crate) struct Edge<'a> {
    pub(crate) parent: &'a Agent,
    pub(crate) child: &'a Agent,
    /// The permission that delegates.
    pub(crate) permission: &'a str,
    pub(crate) declared: &'a Permission,
    /// `Allow` or `Ask`.
    pub(crate) action: Action,
    /// Place of the rule that decides in the parent's ruleset, and that rule; `None`: none matches.
    rule: Option<u32>,
}

impl<'a> Edge<'a> {
    /// The rule that decides, if the user wrote it and it names the permission: a `*` rule says nothing of delegation.
    pub(crate) fn user_rule(&self, model: &'a Model) -> Option<&'a Rule> {
        let id = self.rule?;
        written::rules(model).find(|rule| rule.id == id && !rule.permission.is_everything())
    }

    /// Whether the child acts by its own rules alone.
    pub(crate) fn unbounded(&self) -> bool {
        self.declared.delegate != Some(Delegate::Bounded)
    }
}

/// Every edge between agents that exist, parents and children in declaration order.
pub(crate) fn edges<'a>(cx: &Cx<'a>) -> Vec<Edge<'a>> {
    let mut out = Vec::new();
    for set in cx.rulesets {
        let Some(parent) = cx.model.agents.get(&set.agent) else { continue };
        for (permission, declared) in written::of_kind(cx.model, ResourceKind::Agent) {
            // A child of depth one starts nobody, so what only runs as a child never gets to delegate.
            if parent.mode == Mode::Subagent && declared.depth == Some(1) {
                continue;
            }
            let speaking = written::about(set, permission);
            for child in cx.model.live_agents() {
                let decision = decide::decide(&speaking, permission, &child.name);
                if decision.action != Action::Deny {
                    let rule = decision.rule.map(|(_, rule)| rule.id);
                    out.push(Edge { parent, child, permission, declared, action: decision.action, rule });
                }
            }
        }
    }
    out
}
