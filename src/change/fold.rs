//! All agents together: equal pairs of rulesets are asked about once, and agents that share a change are told together.

use super::ask::{self, Answers, Found};
use super::{Asking, Change, Direction, Open, RuleChange, Wrong};
use crate::decide;
use crate::language::{Budget, List};
use crate::rule::Rule;
use crate::ruleset::Ruleset;

/// Compares the old and the new ruleset of each agent.
pub(super) fn pairs(asking: &Asking<'_>, pairs: &[(&Ruleset, &Ruleset)], budget: &mut Budget) -> Change {
    let mut change = Change::default();
    let mut asked: Vec<(usize, Answers)> = Vec::new();
    for (at, (old, new)) in pairs.iter().enumerate() {
        let known = asked.iter().position(|(known, _)| {
            pairs
                .get(*known)
                .is_some_and(|(other_old, other_new)| ask::same(other_old, old) && ask::same(other_new, new))
        });
        let place = known.unwrap_or_else(|| {
            asked.push((at, ask::pair(asking, old, new, budget)));
            asked.len() - 1
        });
        if let Some((_, answers)) = asked.get(place) {
            add(&mut change, answers, old, new);
        }
    }
    change.rules.sort_by_key(RuleChange::direction);
    change
}

fn add(change: &mut Change, answers: &Answers, old: &Ruleset, new: &Ruleset) {
    let agent = &new.agent;
    for found in &answers.found {
        let Some(told) = told(found, old, new) else { continue };
        let same = |known: &&mut RuleChange| is_one(known, &told) && shows(known, old, new);
        match change.rules.iter_mut().find(same) {
            Some(known) => {
                if known.agents.last() != Some(agent) {
                    known.agents.push(agent.clone());
                }
                for name in told.permissions {
                    if !known.permissions.contains(&name) {
                        known.permissions.push(name);
                    }
                }
                known.undeclared |= told.undeclared;
            }
            None => change.rules.push(told),
        }
    }
    for (list, place) in &answers.open {
        let rule = side(*list, old, new).rules.get(*place).cloned();
        change.open.push(Open { agent: agent.clone(), rule: rule.map(|rule| (*list, rule)), left: 1 });
    }
    if answers.left > 0 {
        change.open.push(Open { agent: agent.clone(), rule: None, left: answers.left });
    }
    for found in &answers.wrong {
        if let Some(told) = told(found, old, new) {
            change.wrong.push(Wrong { agent: agent.clone(), rule: told.rule, call: told.call });
        }
    }
}

fn side<'a>(list: List, old: &'a Ruleset, new: &'a Ruleset) -> &'a Ruleset {
    match list {
        List::Old => old,
        List::New => new,
    }
}

fn told(found: &Found, old: &Ruleset, new: &Ruleset) -> Option<RuleChange> {
    let (ours, other) = match found.list {
        List::Old => (old, new),
        List::New => (new, old),
    };
    Some(RuleChange {
        agents: vec![new.agent.clone()],
        list: found.list,
        rule: ours.rules.get(found.place)?.clone(),
        instead: found.instead.and_then(|place| other.rules.get(place)).cloned(),
        before: found.before,
        after: found.after,
        call: found.call.clone(),
        permissions: found.permissions.clone(),
        undeclared: found.undeclared,
    })
}

/// Whether two changes are by the same written rule, in the same way.
fn is_one(a: &RuleChange, b: &RuleChange) -> bool {
    (a.list, a.before, a.after) == (b.list, b.before, b.after) && is_same_rule(&a.rule, &b.rule)
}

fn is_same_rule(a: &Rule, b: &Rule) -> bool {
    a.origin.span == b.origin.span && a.permission == b.permission && a.pattern == b.pattern
}

/// Whether the call of a change shows it for these rulesets too.
fn shows(known: &RuleChange, old: &Ruleset, new: &Ruleset) -> bool {
    let decide = |set| decide::decide(set, &known.call.key, &known.call.value);
    let (before, after) = (decide(old), decide(new));
    let decider = if known.list == List::Old { before.rule } else { after.rule };
    (before.action, after.action) == (known.before, known.after)
        && decider.is_some_and(|(_, rule)| is_same_rule(rule, &known.rule))
}

impl Change {
    /// The changes that go one way.
    pub fn rules_that_go(&self, direction: Direction) -> impl Iterator<Item = &RuleChange> {
        self.rules.iter().filter(move |change| change.direction() == direction)
    }
}
