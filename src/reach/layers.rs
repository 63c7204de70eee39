//! Layers that change nothing: whether all rules of one can be taken away at once.

use super::ask::{Verdict, suffixes};
use super::users_table;
use crate::language::{Answer, Budget, Colours, Pattern, Table};
use crate::model::Model;
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Above so many rules behind the layer the question is not asked; its rules are then reported one by one.
const LATER: usize = 2_000;

/// The user's layers without which every agent decides as before.
pub(super) fn idle(
    model: &Model,
    sets: &[Ruleset],
    judged: &[usize],
    verdicts: &BTreeMap<u32, Verdict>,
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Vec<String> {
    let harmless = |rule: &Rule| match verdicts.get(&rule.id) {
        Some(Verdict::Dead(dead)) => {
            let ruleset = sets.get(dead.at.set);
            let cover = |&at: &usize| ruleset.and_then(|set| set.rules.get(at));
            dead.cover.iter().all(|at| cover(at).is_some_and(|cover| cover.action == rule.action))
        }
        Some(Verdict::Redundant(..)) => true,
        Some(Verdict::Impossible(_) | Verdict::Undecided(..)) | None => false,
    };
    let candidates = model.layers.iter().filter(|(_, layer)| {
        let mut own = layer.rules.iter().filter(|rule| !rule.origin.prelude).peekable();
        !layer.prelude && own.peek().is_some() && own.all(harmless)
    });
    let candidates: Vec<&String> = candidates.map(|(name, _)| name).collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let dead = verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Dead(_))).map(|(id, _)| *id).collect();
    let parts = suffixes(sets, judged);
    let idle = candidates.into_iter().filter(|name| {
        parts.iter().all(|part| changes_nothing(part.ruleset, part.rules, (name.as_str(), &dead), impossible, budget))
    });
    idle.cloned().collect()
}

/// Whether a ruleset decides the same without a slot: each call that a rule of it decides is decided so by what stands before.
fn changes_nothing(
    set: &Ruleset,
    rules: &[Rule],
    (slot, dead): (&str, &FxHashSet<u32>),
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> bool {
    let ours = |rule: &Rule| *rule.origin.slot == *slot && !rule.origin.prelude;
    let Some(first) = rules.iter().position(ours) else { return true };
    let mut before: Option<Table> = None;
    for (at, rule) in rules.iter().enumerate().skip(first).filter(|(_, rule)| ours(rule) && !dead.contains(&rule.id)) {
        let later: Vec<(Pattern, Pattern)> =
            rules.iter().skip(at + 1).map(|rule| (rule.permission.clone(), rule.pattern.clone())).collect();
        if later.len() > LATER {
            return false;
        }
        if before.is_none() {
            before = users_table(rules.iter().take(first), set, impossible).ok();
        }
        let Some(before) = &mut before else { return false };
        let include = [(rule.permission.clone(), rule.pattern.clone())];
        match before.find(&include, &later, Colours::except(rule.action.colour()), budget) {
            Answer::No => {}
            Answer::Yes(_) | Answer::Undecided { .. } => return false,
        }
    }
    true
}
