//! The exact questions about two rulesets: of each rule that only one of them has, which calls it changes, and how.

use super::{Asking, Direction, action};
use crate::checks::{plausible, written};
use crate::decide;
use crate::language::{Answer, Blame, Budget, Call, Colours, Dialect, Diff, Difference, Entry, List, Pattern, Side};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

/// So many changed rules of two rulesets are asked about one by one.
const MOST_ASKED: usize = 5_000;

/// A rule that changes decisions in one way.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) list: List,
    /// Its place in its ruleset.
    pub(super) place: usize,
    /// What decides the call in the other one.
    pub(super) instead: Option<usize>,
    pub(super) before: Action,
    pub(super) after: Action,
    pub(super) call: Call,
    pub(super) permissions: Vec<String>,
    pub(super) undeclared: bool,
}

/// The answers about two rulesets.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) found: Vec<Found>,
    /// Rules of which it is not known.
    pub(super) open: Vec<(List, usize)>,
    /// How many rules were not asked about.
    pub(super) left: usize,
    /// Claims that the naive meaning does not confirm.
    pub(super) wrong: Vec<Found>,
}

/// Everything that the new ruleset decides otherwise than the old one.
pub(super) fn pair(asking: &Asking<'_>, old: &Ruleset, new: &Ruleset, budget: &mut Budget) -> Answers {
    let mut answers = Answers::default();
    if same(old, new) {
        return answers;
    }
    let entries = [entries(old), entries(new)];
    let [before, after] = entries.each_ref().map(|entries| Side { entries, fallback: decide::FALLBACK.colour() });
    let Ok(diff) = Diff::new(before, after, &asking.impossible, new.case) else {
        answers.left = old.rules.len() + new.rules.len();
        return answers;
    };
    let changed = [diff.changed(List::Old), diff.changed(List::New)];
    let mut pair = Pair { asking, old, new, changed, diff, budget, answers };
    pair.ask_all();
    pair.confirm();
    pair.answers
}

/// Whether two rulesets are the same, rule by rule.
pub(super) fn same(old: &Ruleset, new: &Ruleset) -> bool {
    old.case == new.case
        && old.rules.len() == new.rules.len()
        && old.rules.iter().zip(&new.rules).all(|(old, new)| {
            old.action == new.action && old.permission == new.permission && old.pattern == new.pattern
        })
}

fn entries(set: &Ruleset) -> Vec<Entry<'_>> {
    let rules = set.rules.iter();
    rules.map(|rule| Entry { key: &rule.permission, value: &rule.pattern, colour: rule.action.colour() }).collect()
}

struct Pair<'a> {
    asking: &'a Asking<'a>,
    old: &'a Ruleset,
    new: &'a Ruleset,
    /// The places, ascending, of rules that only the old or only the new ruleset has.
    changed: [Vec<usize>; 2],
    diff: Diff,
    budget: &'a mut Budget,
    answers: Answers,
}

impl<'a> Pair<'a> {
    fn set(&self, list: List) -> &'a Ruleset {
        match list {
            List::Old => self.old,
            List::New => self.new,
        }
    }

    fn ask_all(&mut self) {
        let [old, new] = &self.changed;
        let places: Vec<(List, usize)> =
            new.iter().map(|place| (List::New, *place)).chain(old.iter().map(|place| (List::Old, *place))).collect();
        for (list, place) in places.iter().take(MOST_ASKED) {
            self.ask(*list, *place);
        }
        self.answers.left = places.len().saturating_sub(MOST_ASKED);
    }

    /// Asks whether a rule changes anything, and if so how.
    fn ask(&mut self, list: List, place: usize) {
        let Some(rule) = self.set(list).rules.get(place) else { return };
        let others: Vec<Action> =
            Action::ALL.into_iter().filter(|other| self.counts(list, rule.action, *other)).collect();
        let blame =
            |wanted: &[Action], kept| Blame { list, place, wanted: colours(wanted), kept, include: None, exclude: &[] };
        if others.is_empty() || self.diff.decided_by(&blame(&others, false), self.budget).is_no() {
            return;
        }
        for other in others {
            // What a new rule decides is told of that rule.
            let blame = blame(&[other], list == List::Old);
            match self.diff.decided_by(&blame, self.budget) {
                Answer::No => {}
                Answer::Undecided { .. } => return self.open(list, place),
                Answer::Yes(found) => self.tell(&blame, rule, other, found),
            }
        }
    }

    fn open(&mut self, list: List, place: usize) {
        self.answers.open.push((list, place));
    }

    /// Whether it is of interest that a rule of this action stands against another action on the other side.
    fn counts(&self, list: List, ours: Action, other: Action) -> bool {
        let (before, after) = ways(list, ours, other);
        before != after && (!self.asking.looser_only || Direction::of(before, after) == Direction::Looser)
    }

    fn tell(&mut self, blame: &Blame<'_>, rule: &Rule, other: Action, found: Difference) {
        let (list, place) = (blame.list, blame.place);
        let (before, after) = ways(list, rule.action, other);
        let Some((permissions, undeclared, named)) = self.spread(blame, rule) else {
            return self.open(list, place);
        };
        let found = named.unwrap_or(found);
        let instead = if list == List::New { found.old } else { found.new };
        let mut found = Found { list, place, instead, before, after, call: found.call, permissions, undeclared };
        self.make_plausible(rule, &mut found);
        self.answers.found.push(found);
    }

    /// The declared permissions that a rule changes calls of, whether it changes others, and one of the declared ones.
    fn spread(&mut self, blame: &Blame<'_>, rule: &Rule) -> Option<(Vec<String>, bool, Option<Difference>)> {
        if written::is_literal(&rule.permission) {
            return Some((vec![rule.permission.text().to_owned()], false, None));
        }
        let (mut permissions, mut shown, mut declared) = (Vec::new(), None, Vec::new());
        let case = self.new.case;
        for name in self.asking.names.iter().filter(|name| rule.permission.matches(name, case)) {
            let key = Pattern::new(Dialect::Exact, name).ok()?;
            let blame = Blame { include: Some((&key, &rule.pattern)), ..*blame };
            match self.diff.decided_by(&blame, self.budget) {
                Answer::No => {}
                Answer::Undecided { .. } => return None,
                Answer::Yes(found) => {
                    permissions.push(name.clone());
                    shown = shown.or(Some(found));
                }
            }
            declared.push((key, Pattern::wildcard("*")));
        }
        let blame = Blame { include: Some((&rule.permission, &rule.pattern)), exclude: &declared, ..*blame };
        match self.diff.decided_by(&blame, self.budget) {
            Answer::No => Some((permissions, false, shown)),
            Answer::Undecided { .. } => None,
            Answer::Yes(_) => Some((permissions, true, shown)),
        }
    }

    /// Puts a call that a person would believe in the place of a shortest one, if one shows the same.
    fn make_plausible(&mut self, rule: &Rule, found: &mut Found) {
        let other = self.set(if found.list == List::New { List::Old } else { List::New });
        let instead = found.instead.and_then(|place| other.rules.get(place));
        let names = (self.asking.model, self.asking.runtime);
        let key = match Pattern::new(Dialect::Exact, &found.call.key) {
            Ok(key) if self.asking.names.contains(&found.call.key) => key,
            _ => rule.permission.clone(),
        };
        let narrow = instead.filter(|other| other.permission.matches(&found.call.key, self.new.case));
        let patterns = std::iter::once(&rule.pattern).chain(narrow.map(|other| &other.pattern));
        let calls: Vec<Call> =
            patterns.flat_map(|pattern| plausible::calls_of(names, &key, pattern, self.new.case)).collect();
        let shown = calls.into_iter().find_map(|call| Some((self.shows(found, &call)?, call)));
        if let Some((instead, call)) = shown {
            (found.call, found.instead) = (call, instead);
        }
    }

    /// What decides a call on the other side, if the call shows what was found.
    fn shows(&mut self, found: &Found, call: &Call) -> Option<Option<usize>> {
        let [old, new] = self.diff.decide(call);
        let [_, changed] = &self.changed;
        let kept = found.list == List::New || new.is_none_or(|new| changed.binary_search(&new).is_err());
        let (ours, other) = if found.list == List::New { (new, old) } else { (old, new) };
        let ways = (action(self.old, old), action(self.new, new));
        (ours == Some(found.place) && kept && ways == (found.before, found.after)).then_some(other)
    }

    /// Decides every call again by the naive meaning.
    fn confirm(&mut self) {
        let found = std::mem::take(&mut self.answers.found);
        let calls: Vec<(&str, &str)> =
            found.iter().map(|found| (found.call.key.as_str(), found.call.value.as_str())).collect();
        let decided = decide::decide_all(self.old, &calls).into_iter().zip(decide::decide_all(self.new, &calls));
        let holds: Vec<bool> = decided
            .zip(&found)
            .map(|((old, new), found)| {
                let place = |decision: decide::Decision<'_>| decision.rule.map(|(place, _)| place);
                let (ours, others) = if found.list == List::New { (new, old) } else { (old, new) };
                (old.action, new.action) == (found.before, found.after)
                    && place(ours) == Some(found.place)
                    && place(others) == found.instead
            })
            .collect();
        for (found, holds) in found.into_iter().zip(holds) {
            if holds { self.answers.found.push(found) } else { self.answers.wrong.push(found) }
        }
    }
}

fn colours(actions: &[Action]) -> Colours {
    Colours::of(&actions.iter().map(|action| action.colour()).collect::<Vec<_>>())
}

/// Before and after, of a rule's action and that of the other side.
fn ways(list: List, ours: Action, other: Action) -> (Action, Action) {
    match list {
        List::New => (other, ours),
        List::Old => (ours, other),
    }
}
