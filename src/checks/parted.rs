//! Permissions of which a user's rules deny a part and let another pass: what the checks of the runtime's own holes start
//! from. A hole that no rule closes is told once for a whole report.

use super::{Cx, dead, plausible, said};
use crate::diagnostic::{Code, Finding};
use crate::language::{Answer, Call, Pattern};
use crate::reach::{self, Speaking};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// So many calls that pass are tried.
const TRIED: usize = 8;

/// A user's rule that denies, and a call that it stops while others of the same permission pass or are asked.
pub(super) struct Parted<'a> {
    pub(super) set: &'a Ruleset,
    pub(super) rule: &'a Rule,
    pub(super) denied: Call,
    speaking: Rc<Speaking<'a>>,
}

impl Parted<'_> {
    /// A few calls of the permission with one of these outcomes, those that people write rules for first.
    pub(super) fn others(&self, wanted: &[Action], cx: &mut Cx<'_>) -> Vec<Call> {
        let meant = |call: &Call| wanted.contains(&self.speaking.decide(&call.value).action);
        let key = Pattern::wildcard(&self.denied.key);
        let rules = self.speaking.rules.iter().rev().filter(|rule| wanted.contains(&rule.action));
        let mut calls: Vec<Call> = rules
            .flat_map(|rule| plausible::calls(cx, &key, &rule.pattern, self.set.case))
            .filter(meant)
            .take(TRIED)
            .collect();
        if calls.is_empty() {
            calls.extend(found(&self.speaking, &Pattern::wildcard("*"), wanted, self.rule, cx));
        }
        calls
    }

    /// The rule that decides a call of the permission.
    pub(super) fn decider(&self, call: &Call) -> Option<&Rule> {
        self.speaking.decider(&call.value)
    }
}

/// Of each user's rule that denies a part of one of these permissions: the first that `tell` makes something of, over all
/// rulesets that it stands in.
pub(super) fn each<'a, T>(
    cx: &mut Cx<'a>,
    permissions: &[&str],
    mut tell: impl FnMut(&Parted<'a>, &mut Cx<'a>) -> Option<T>,
) -> Vec<(Parted<'a>, T)> {
    let rulesets = cx.rulesets;
    let groups = reach::alike(rulesets, &reach::judged(cx.model, rulesets));
    let mut out: Vec<(Parted<'a>, T)> = Vec::new();
    let mut known: FxHashSet<(u32, &str)> = FxHashSet::default();
    for set in groups.iter().filter_map(|group| rulesets.get(*group.first()?)) {
        for permission in permissions {
            let speaking = cx.world.tables.speaking(set, permission);
            for rule in speaking.users().into_iter().filter(|rule| rule.action == Action::Deny) {
                let new = !known.contains(&(rule.id, permission));
                let Some(parted) = new.then(|| parted(cx, &speaking, rule)).flatten() else { continue };
                if let Some(told) = tell(&parted, cx) {
                    known.insert((rule.id, permission));
                    out.push((parted, told));
                }
            }
        }
    }
    out.sort_by_key(|(parted, _)| said::span(parted.rule));
    out
}

fn parted<'a>(cx: &mut Cx<'a>, speaking: &Rc<Speaking<'a>>, rule: &'a Rule) -> Option<Parted<'a>> {
    let passes = speaking.rules.iter().any(|rule| rule.action != Action::Deny);
    let denied = passes.then(|| stopped(cx, speaking, rule)).flatten()?;
    Some(Parted { set: speaking.set, rule, denied, speaking: Rc::clone(speaking) })
}

/// A call that this rule denies.
fn stopped(cx: &mut Cx<'_>, speaking: &Speaking<'_>, rule: &Rule) -> Option<Call> {
    let key = Pattern::wildcard(&speaking.permission);
    let by_it = |call: &Call| speaking.decider(&call.value).is_some_and(|by| by.id == rule.id);
    let plausible = plausible::calls(cx, &key, &rule.pattern, speaking.set.case).into_iter().find(by_it);
    plausible.or_else(|| found(speaking, &rule.pattern, &[Action::Deny], rule, cx).filter(by_it))
}

fn found(speaking: &Speaking<'_>, pattern: &Pattern, wanted: &[Action], about: &Rule, cx: &mut Cx<'_>) -> Option<Call> {
    let include = [(Pattern::wildcard(&speaking.permission), pattern.clone())];
    match speaking.find(&include, &[], wanted, cx.budget).ok()? {
        Answer::Yes(call) => Some(call),
        Answer::No => None,
        Answer::Undecided { .. } => {
            cx.doubt(said::span(about), "which calls a denial stops and which it lets pass");
            None
        }
    }
}

/// The rules, each once.
pub(super) fn rules<'a, T>(all: &[(Parted<'a>, T)]) -> Vec<&'a Rule> {
    let mut rules: Vec<&Rule> = all.iter().map(|(parted, _)| parted.rule).collect();
    rules.dedup_by_key(|rule| rule.id);
    rules
}

/// A finding at a rule; it names the agent where the rule is its own.
pub(super) fn about(code: Code, parted: &Parted<'_>, text: String) -> Finding {
    let finding = Finding::new(code, said::span(parted.rule), text);
    if &*parted.rule.origin.slot == "own" { finding.agent(&parted.set.agent) } else { finding }
}

/// Adds the places of all rules but the first, which the finding is about.
pub(super) fn listed<T>(finding: Finding, all: &[(Parted<'_>, T)], text: &str) -> Finding {
    let others = rules(all).into_iter().skip(1).map(said::span).filter(|place| *place != finding.primary.span);
    let others = others.collect();
    dead::list(finding, others, text)
}
