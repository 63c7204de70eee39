//! Who may start whom: one edge for each agent that another may delegate to.

use super::Cx;
use super::written;
use crate::decide::FALLBACK;
use crate::model::{Agent, Delegate, Mode, Permission, ResourceKind};
use crate::reach;
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
    /// The rule that decides; `None`: none matches.
    rule: Option<&'a Rule>,
}

impl<'a> Edge<'a> {
    /// The rule that decides, if the user wrote it and it names the permission: a `*` rule says nothing of delegation.
    pub(crate) fn user_rule(&self) -> Option<&'a Rule> {
        self.rule.filter(|rule| !rule.origin.prelude && !rule.permission.is_everything())
    }

    /// Whether the child acts by its own rules alone.
    pub(crate) fn unbounded(&self) -> bool {
        self.declared.delegate != Some(Delegate::Bounded)
    }
}

/// Every edge between agents that exist, parents and children in declaration order; those that only a person can choose
/// come last among the children. The runtime's own hidden agents are no parents: no person meets them.
pub(crate) fn edges<'a>(cx: &Cx<'a>) -> Vec<Edge<'a>> {
    let mut children: Vec<&Agent> = cx.model.live_agents().collect();
    children.sort_by_key(|child| child.mode == Mode::Primary);
    let mut out = Vec::new();
    for set in reach::judged(cx.model, cx.rulesets).into_iter().filter_map(|at| cx.rulesets.get(at)) {
        let Some(parent) = cx.model.agents.get(&set.agent) else { continue };
        for (permission, declared) in written::of_kind(cx.model, ResourceKind::Agent) {
            // A child of depth one starts nobody, so what only runs as a child never gets to delegate.
            if parent.mode == Mode::Subagent && declared.depth == Some(1) {
                continue;
            }
            let speaking: Vec<&Rule> =
                set.rules.iter().filter(|rule| written::matches(&rule.permission, permission, set.case)).collect();
            for child in &children {
                let rule =
                    speaking.iter().rfind(|rule| written::matches(&rule.pattern, &child.name, set.case)).copied();
                let action = rule.map_or(FALLBACK, |rule| rule.action);
                if action != Action::Deny {
                    out.push(Edge { parent, child, permission, declared, action, rule });
                }
            }
        }
    }
    out
}
