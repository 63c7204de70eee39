//! The smallest change that closes all ways of an agent: narrow rules, edges and switches, none of which can be left out.

use super::{Act, Closure, Goal, Way, World};
use crate::decide::FALLBACK;
use crate::language::{Budget, Dialect, Entry, Pattern, Table, Template};
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::Ruleset;
use std::sync::Arc;

/// A change of a policy that only takes away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// One more rule in an agent's ruleset, right behind the rule that lets a way pass.
    Deny {
        /// The agent.
        agent: String,
        /// The rule's permission.
        permission: String,
        /// The rule's pattern, in the wildcard dialect.
        pattern: String,
        /// What of the pattern stays as it was.
        keep: Vec<String>,
        /// The place in the ruleset before the change; `None`: no rule matched, so it comes first.
        after: Option<usize>,
    },
    /// A rule no longer speaks of tools that nobody declared; of all others it says what it said.
    DeclaredOnly {
        /// The agent.
        agent: String,
        /// The place of the rule; `None`: no rule matched, so what nobody declared is denied first of all.
        at: Option<usize>,
    },
    /// A switch asks the person first.
    Confirm {
        /// The switch.
        switch: String,
    },
}

/// Changes that close all ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remedy {
    /// The changes. It was decided that no way is left with all of them, and that one is left without any of them.
    pub changes: Vec<Change>,
}

/// So many rounds of closing what was found and looking again.
const ROUNDS: usize = 6;
/// With more ways than this through one rule the rule itself is taken away.
const APART: usize = 3;

impl World<'_> {
    /// The narrowest changes that close all ways of an agent; none if there are ways that no rule can close.
    pub fn remedy(&self, who: &str, goal: &Goal, budget: &mut Budget) -> Option<Remedy> {
        let mut changes: Vec<Change> = Vec::new();
        for _ in 0..ROUNDS {
            let left = self.left(who, goal, &changes, budget)?;
            if left.is_empty() {
                break;
            }
            let before = changes.len();
            for way in &left {
                let change = self.change(way, &left, goal)?;
                if !changes.contains(&change) {
                    changes.push(change);
                }
            }
            if changes.len() == before {
                return None;
            }
        }
        if !self.left(who, goal, &changes, budget)?.is_empty() {
            return None;
        }
        let mut at = 0;
        while at < changes.len() {
            let mut fewer = changes.clone();
            fewer.remove(at);
            match self.left(who, goal, &fewer, budget)?.is_empty() {
                true => changes = fewer,
                false => at += 1,
            }
        }
        Some(Remedy { changes })
    }

    /// The ways that changes leave; `None`: a question stayed open.
    fn left(&self, who: &str, goal: &Goal, changes: &[Change], budget: &mut Budget) -> Option<Vec<Way>> {
        let rulesets: Vec<Ruleset> = self.rulesets.iter().map(|set| self.changed(set, changes)).collect();
        let mut world = World::new(self.model, &rulesets, self.runtime, self.version);
        world.confirmed = changes
            .iter()
            .filter_map(|change| match change {
                Change::Confirm { switch } => Some(switch.clone()),
                Change::Deny { .. } | Change::DeclaredOnly { .. } => None,
            })
            .collect();
        let mut ways = Closure::new(&world, goal.clone()).ways(who, budget);
        for step in ways.ways.iter_mut().flat_map(|way| &mut way.steps) {
            step.rule = step.rule.and_then(|at| place_before(world.set_of(&step.agent)?, at));
        }
        ways.doubts.is_empty().then_some(ways.ways)
    }

    /// What closes a way: its first edge, else what lets its one call pass.
    fn change(&self, way: &Way, all: &[Way], goal: &Goal) -> Option<Change> {
        let step = way.steps.first()?;
        if let Some(switch) = &step.switch {
            return Some(Change::Confirm { switch: switch.clone() });
        }
        let set = self.set_of(&step.agent)?;
        let rule = step.rule.and_then(|at| set.rules.get(at));
        let narrow = match &way.act {
            _ if step.to.is_some() => Some(step.resource.clone()),
            Act::Command { line, .. } => {
                let by_rule = all
                    .iter()
                    .filter(|other| other.steps.len() == 1 && other.last().map(|last| last.rule) == Some(step.rule));
                (by_rule.count() <= APART).then(|| narrowed(line)).flatten()
            }
            Act::Permission | Act::Undeclared | Act::Unasked(_) | Act::Chain => None,
        };
        let agent = step.agent.clone();
        let permission = step.permission.clone();
        match (&way.act, rule) {
            // A call that asks nobody is stopped only where the tool is hidden.
            (Act::Unasked(_), _) => {
                let after = set.rules.len().checked_sub(1);
                Some(Change::Deny { agent, permission, pattern: "*".to_owned(), keep: Vec::new(), after })
            }
            (Act::Undeclared, _) if step.to.is_none() => Some(Change::DeclaredOnly { agent, at: step.rule }),
            (act, rule) => {
                let whole = match rule {
                    Some(rule) => rule.pattern.widened()?.first()?.clone(),
                    None => "*".to_owned(),
                };
                let keep = match act {
                    Act::Permission if step.to.is_none() => kept(goal, &whole, set),
                    _ => Vec::new(),
                };
                Some(Change::Deny { agent, permission, pattern: narrow.unwrap_or(whole), keep, after: step.rule })
            }
        }
    }

    /// A ruleset with the changes of its agent.
    fn changed(&self, set: &Ruleset, changes: &[Change]) -> Ruleset {
        let Some(span) = self.model.agents.get(&set.agent).map(|agent| agent.span) else { return set.clone() };
        let origin = Arc::new(Origin { span, statement: span, slot: "own".into(), prelude: false, via: Vec::new() });
        let new = |action: Action, permission: &str, pattern: &str| Rule {
            id: NEW,
            permission: Pattern::wildcard(permission),
            pattern: Pattern::wildcard(pattern),
            action,
            reason: None,
            origin: Arc::clone(&origin),
        };
        let declared: Vec<&String> = self.model.permissions.keys().collect();
        let behind = |place: Option<usize>, rules: &mut Vec<Rule>| {
            let rule = place.and_then(|at| set.rules.get(at));
            let action = rule.map_or(FALLBACK, |rule| rule.action);
            // What says again what declared tools may do comes first, or it would undo the denies.
            let (again, denies): (Vec<&Change>, Vec<&Change>) =
                changes.iter().partition(|change| matches!(change, Change::DeclaredOnly { .. }));
            for change in again.into_iter().chain(denies) {
                match change {
                    Change::Deny { agent, permission, pattern, keep, after }
                        if *agent == set.agent && *after == place =>
                    {
                        rules.push(new(Action::Deny, permission, pattern));
                        rules.extend(keep.iter().map(|pattern| new(action, permission, pattern)));
                    }
                    Change::DeclaredOnly { agent, at } if *agent == set.agent && *at == place => {
                        rules.push(new(Action::Deny, rule.map_or("*", |rule| rule.permission.text()), "*"));
                        let speaks = |name: &&&String| rule.is_none_or(|rule| rule.permission.matches(name, set.case));
                        rules.extend(declared.iter().filter(speaks).map(|name| Rule {
                            pattern: rule.map_or_else(|| Pattern::wildcard("*"), |rule| rule.pattern.clone()),
                            ..new(action, name, "*")
                        }));
                    }
                    _ => {}
                }
            }
        };
        let mut rules = Vec::with_capacity(set.rules.len() + changes.len());
        behind(None, &mut rules);
        for (at, rule) in set.rules.iter().enumerate() {
            rules.push(rule.clone());
            behind(Some(at), &mut rules);
        }
        Ruleset { agent: set.agent.clone(), rules, case: set.case }
    }
}

/// The identity of rules that a change puts in; the last number is that of what runtimes add.
const NEW: u32 = u32::MAX - 1;

/// The place that a rule of a changed ruleset had before; of one that a change put in, the place of what it stands behind.
fn place_before(set: &Ruleset, at: usize) -> Option<usize> {
    set.rules.get(..=at)?.iter().filter(|rule| rule.id != NEW).count().checked_sub(1)
}

/// What a goal leaves out and a rule's pattern holds whole.
fn kept(goal: &Goal, whole: &str, set: &Ruleset) -> Vec<String> {
    let inside = |except: &&Pattern| {
        let [key, outer] = ["*", whole].map(Pattern::wildcard);
        let entries = [(&key, *except), (&key, &outer)].map(|(key, value)| Entry { key, value, colour: 0 });
        let table = Table::new(&entries, &[], 0, set.case);
        table.is_ok_and(|mut table| table.includes(1, 0, &mut Budget::default()))
    };
    let wildcards = goal.except.iter().filter(|except| except.dialect() == Dialect::Wildcard);
    wildcards.filter(inside).map(|except| except.text().to_owned()).collect()
}

/// A wildcard that matches every line of an entry.
fn narrowed(line: &str) -> Option<String> {
    let template = Template::new(line).ok()?;
    match template.pattern().widened()?.as_slice() {
        [one] if one.chars().any(|letter| letter.is_alphanumeric()) => Some(one.clone()),
        _ => None,
    }
}
