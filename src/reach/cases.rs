//! From verdicts to cases: one kind a rule, one case a cause.

use super::ask::{Dead, Verdict};
use super::{Case, Fault, Kind, Place, Reach, same_block, statements};
use crate::language::Call;
use crate::model::Model;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many rules of earlier layers that one rule kills are told as one story about that rule.
const WIPE: usize = 3;

/// So many cases of one kind are told one by one; the rest is one case.
const MOST: usize = 100;

/// Sorts verdicts into cases; rules of idle layers become one case a layer.
pub(super) fn sort(
    model: &Model,
    sets: &[Ruleset],
    verdicts: BTreeMap<u32, Verdict>,
    idle: &[String],
    reach: &mut Reach,
) {
    let mut sorter = Sorter { model, sets, idle, cases: Vec::new(), by_cause: FxHashMap::default(), wider: None };
    for verdict in verdicts.into_values() {
        match verdict {
            Verdict::Undecided(at, states) => reach.undecided.push((at, states)),
            Verdict::Impossible(at) => sorter.judge(at, Kind::Unmatchable, Vec::new(), None),
            Verdict::Dead(dead) => sorter.dead(dead),
            Verdict::Redundant(at, call) => sorter.redundant(at, call),
        }
    }
    reach.cases = sorter.finish();
}

/// What makes rules one case.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Cause {
    /// They stand in one block: a slot, the agent if it is an agent's own, and the file.
    Block(Arc<str>, Option<usize>, FileId),
    /// The same statements decide instead.
    Cover(Vec<Span>),
}

struct Sorter<'a> {
    model: &'a Model,
    sets: &'a [Ruleset],
    idle: &'a [String],
    cases: Vec<Case>,
    by_cause: FxHashMap<(Kind, Cause, Option<usize>), usize>,
    /// For the ruleset it was built for: rules that end in ` *`, by permission, text before it, and action.
    wider: Option<(usize, FxHashSet<Head<'a>>)>,
}

/// Permission, the pattern before its final ` *`, action.
type Head<'a> = (&'a str, &'a str, Action);

impl<'a> Sorter<'a> {
    fn dead(&mut self, dead: Dead) {
        let Some(rule) = dead.at.rule(self.sets) else { return };
        let cover: Vec<Place> = dead.cover.iter().map(|&index| Place { set: dead.at.set, index }).collect();
        let rules: Vec<&Rule> = cover.iter().filter_map(|place| place.rule(self.sets)).collect();
        let opposed = rules.iter().any(|cover| cover.action != rule.action);
        // A prelude that says the same again is no mistake of the user's.
        if !opposed && rules.iter().all(|cover| cover.origin.prelude) {
            return;
        }
        let kind = match rules.as_slice() {
            [one] if !opposed && dead.twin => Kind::Duplicate,
            [one] if !opposed && adds_tail(rule, one) => Kind::Mergeable,
            [one] if !same_block(rule, one) => Kind::WipesLayer,
            [_] if opposed => Kind::Swallowed,
            [_] => Kind::Unreachable,
            _ => Kind::Union,
        };
        self.judge(dead.at, kind, cover, Some(dead.call));
    }

    fn redundant(&mut self, at: Place, call: Call) {
        let Some(rule) = at.rule(self.sets) else { return };
        if is_base(rule) || keeps_visible(rule, at, self.sets) {
            return;
        }
        let wider = self.wider(at.set).contains(&(rule.permission.text(), rule.pattern.text(), rule.action));
        self.judge(at, if wider { Kind::Mergeable } else { Kind::Redundant }, Vec::new(), Some(call));
    }

    /// The rules of a ruleset that match a command alone and with further words.
    fn wider(&mut self, set: usize) -> &FxHashSet<Head<'a>> {
        if self.wider.as_ref().is_none_or(|(of, _)| *of != set) {
            let rules = self.sets.get(set).map(|set| set.rules.as_slice()).unwrap_or_default();
            let tails = rules.iter().filter(|rule| !rule.origin.prelude).filter_map(|rule| {
                Some((rule.permission.text(), rule.pattern.text().strip_suffix(" *")?, rule.action))
            });
            self.wider = Some((set, tails.collect()));
        }
        &self.wider.get_or_insert_with(|| (set, FxHashSet::default())).1
    }

    fn judge(&mut self, at: Place, kind: Kind, cover: Vec<Place>, call: Option<Call>) {
        let Some(rule) = at.rule(self.sets) else { return };
        let covers: Vec<&Rule> = cover.iter().filter_map(|place| place.rule(self.sets)).collect();
        let opposed = covers.iter().any(|cover| cover.action != rule.action);
        let idle = self.idle.iter().any(|layer| **layer == *rule.origin.slot);
        let kind = if idle { Kind::DeadLayer } else { kind };
        let cause = match kind {
            Kind::WipesLayer | Kind::Swallowed | Kind::Union | Kind::Unreachable => {
                Cause::Cover(covers.iter().map(|cover| cover.origin.statement).collect())
            }
            _ => {
                let owner = (&*rule.origin.slot == "own").then_some(at.set);
                Cause::Block(rule.origin.slot.clone(), owner, rule.origin.statement.file)
            }
        };
        let by_cover = matches!(cause, Cause::Cover(_));
        let key = (kind, cause, self.ignored(rule));
        match self.by_cause.get(&key).and_then(|&known| self.cases.get_mut(known)) {
            Some(case) => {
                case.rules.push(Fault { at, call });
                case.opposed |= opposed;
                // Other rules of the same statements, for other permissions of it.
                for place in cover.into_iter().filter(|_| by_cover) {
                    let id = place.rule(self.sets).map(|rule| rule.id);
                    if !case.cover.iter().any(|known| known.rule(self.sets).map(|rule| rule.id) == id) {
                        case.cover.push(place);
                    }
                }
            }
            None => {
                self.by_cause.insert(key, self.cases.len());
                self.cases.push(Case { kind, rules: vec![Fault { at, call }], cover, opposed, rest: false });
            }
        }
    }

    /// The innermost `@ignore` that a rule stands in: a case never mixes rules inside and outside of one.
    fn ignored(&self, rule: &Rule) -> Option<usize> {
        let scopes =
            self.model.ignores.iter().enumerate().filter(|(_, ignore)| ignore.scope.contains(rule.origin.statement));
        scopes.min_by_key(|(_, ignore)| ignore.scope.end - ignore.scope.start).map(|(at, _)| at)
    }

    fn finish(self) -> Vec<Case> {
        let sets = self.sets;
        let mut cases: Vec<Case> = self.cases.into_iter().flat_map(|case| across_layers(case, sets)).collect();
        cases.sort_by_key(|case| case.kind);
        fold_the_rest(cases)
    }
}

/// Whether a rule says the same of a whole permission that a broader rule says of all: the base of its exceptions, there
/// for the reader.
fn is_base(rule: &Rule) -> bool {
    rule.pattern.is_everything() && !rule.permission.text().contains(['*', '?'])
}

/// Whether a tool is in the model's view because of this rule alone: it is the last that speaks of the tool, and the one
/// before it denies the whole tool.
fn keeps_visible(rule: &Rule, at: Place, sets: &[Ruleset]) -> bool {
    let Some(set) = sets.get(at.set) else { return false };
    let key = rule.permission.text();
    let mut speaking = set.rules.iter().rev().filter(|rule| rule.permission.matches(key, set.case));
    let last = speaking.next().is_some_and(|last| last.id == rule.id);
    last && speaking.next().is_some_and(|before| before.action == Action::Deny && before.pattern.text() == "*")
}

/// Whether `wider` is `rule` with an optional rest of the line.
fn adds_tail(rule: &Rule, wider: &Rule) -> bool {
    rule.permission == wider.permission && wider.pattern.text().strip_suffix(" *") == Some(rule.pattern.text())
}

/// Rules of earlier layers that one later rule kills: many are a wiped layer, a few are each what they are.
fn across_layers(case: Case, sets: &[Ruleset]) -> Vec<Case> {
    if case.kind != Kind::WipesLayer || statements(case.rules.iter().filter_map(|fault| fault.at.rule(sets))) >= WIPE {
        return vec![case];
    }
    let cover = case.cover.first().and_then(|place| place.rule(sets)).map(|cover| cover.action);
    let action = |fault: &Fault| fault.at.rule(sets).map(|rule| rule.action);
    let overridden = |fault: &Fault| action(fault) == Some(Action::Deny) && cover != Some(Action::Deny);
    let (denies, others): (Vec<Fault>, Vec<Fault>) = case.rules.into_iter().partition(overridden);
    let mut out = Vec::new();
    for (kind, rules) in [(Kind::OverridesDeny, denies), (Kind::Unreachable, others)] {
        let opposed = rules.iter().any(|fault| action(fault) != cover);
        if !rules.is_empty() {
            out.push(Case { kind, rules, cover: case.cover.clone(), opposed, rest: false });
        }
    }
    out
}

/// Keeps a report of a hopeless file readable: beyond [`MOST`] cases of a kind, the rest is one.
fn fold_the_rest(cases: Vec<Case>) -> Vec<Case> {
    let mut out: Vec<Case> = Vec::with_capacity(cases.len().min(2_000));
    let mut told = 0;
    for case in cases {
        match out.last_mut() {
            Some(last) if last.kind == case.kind && told >= MOST => {
                last.rules.extend(case.rules);
                last.opposed |= case.opposed;
                last.rest = true;
            }
            Some(last) => {
                told = if last.kind == case.kind { told + 1 } else { 1 };
                out.push(case);
            }
            None => {
                told = 1;
                out.push(case);
            }
        }
    }
    out
}
