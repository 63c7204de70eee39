//! The exact questions, each asked once: per distinct ruleset, and of a rule only until one agent shows that it matters.

use super::{Place, users_table};
use crate::language::{Answer, Budget, Call, Pattern, Table, TooLarge};
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

/// What is known of a rule that has not been shown to matter.
#[derive(Debug)]
pub(super) enum Verdict {
    /// It matches no call that can be made.
    Impossible(Place),
    /// Later rules decide all its calls.
    Dead(Dead),
    /// Without it the user's other rules decide the same; the call is one that it decides.
    Redundant(Place, Call),
    /// The budget ended first.
    Undecided(Place, usize),
}

/// A rule that never decides.
#[derive(Debug)]
pub(super) struct Dead {
    pub(super) at: Place,
    /// Later rules of the same ruleset, ascending.
    pub(super) cover: Vec<usize>,
    /// Their identities; none for a prelude's.
    ids: Vec<Option<u32>>,
    /// A call that it matches.
    pub(super) call: Call,
    /// Whether the one rule that covers it matches the same calls, no more.
    pub(super) twin: bool,
}

/// The answers, by rule.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) verdicts: BTreeMap<u32, Verdict>,
    pub(super) too_large: Vec<(Place, String)>,
    /// Rules that matter to some agent.
    fine: FxHashSet<u32>,
}

pub(super) fn verdicts(
    sets: &[Ruleset],
    judged: &[usize],
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Answers {
    let mut answers = Answers::default();
    for suffix in suffixes(sets, judged) {
        if let Err((at, error)) = suffix.ask(&mut answers, impossible, budget) {
            answers.too_large.push((at, error.to_string()));
        }
    }
    answers
}

/// A ruleset without the prelude's rules in front: those cannot hide a user's rule, and what they decide does not count.
pub(super) struct Suffix<'a> {
    /// The rulesets that end so; the first stands for all.
    pub(super) members: Vec<usize>,
    set: usize,
    start: usize,
    pub(super) ruleset: &'a Ruleset,
    pub(super) rules: &'a [Rule],
}

/// The distinct ones: agents that differ only in what their prelude says first share one.
pub(super) fn suffixes<'a>(sets: &'a [Ruleset], judged: &[usize]) -> Vec<Suffix<'a>> {
    let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    let mut out: Vec<Suffix<'a>> = Vec::new();
    for (set, ruleset) in judged.iter().filter_map(|&set| Some((set, sets.get(set)?))) {
        let start = ruleset.rules.iter().take_while(|rule| rule.origin.prelude).count();
        let rules = ruleset.rules.get(start..).unwrap_or_default();
        let mut hasher = FxHasher::default();
        rules.iter().for_each(|rule| rule.id.hash(&mut hasher));
        let same_hash = seen.entry(hasher.finish()).or_default();
        let known =
            |&&at: &&usize| out.get(at).is_some_and(|old| old.rules.len() == rules.len() && same(old.rules, rules));
        match same_hash.iter().find(known).and_then(|&at| out.get_mut(at)) {
            Some(suffix) => suffix.members.push(set),
            None => {
                same_hash.push(out.len());
                out.push(Suffix { members: vec![set], set, start, ruleset, rules });
            }
        }
    }
    out
}

fn same(a: &[Rule], b: &[Rule]) -> bool {
    let said = |rule: &Rule| (rule.id, rule.action);
    a.iter().zip(b).all(|(a, b)| said(a) == said(b) && a.permission == b.permission && a.pattern == b.pattern)
}

impl<'a> Suffix<'a> {
    fn place(&self, at: usize) -> Place {
        Place { set: self.set, index: self.start + at }
    }

    /// Asks of every rule that is still in question, first whether it decides, then whether it matters.
    fn ask(
        &self,
        answers: &mut Answers,
        impossible: &[(Pattern, Pattern)],
        budget: &mut Budget,
    ) -> Result<(), (Place, TooLarge)> {
        let positions = self.positions(answers);
        let (mut open, mut gone) = (Vec::new(), vec![false; self.rules.len()]);
        for (at, rule) in self.rules.iter().enumerate() {
            if rule.origin.prelude || answers.fine.contains(&rule.id) {
                continue;
            }
            match answers.verdicts.get(&rule.id) {
                Some(verdict) if self.stays_dead(at, verdict, &positions) => mark(&mut gone, at),
                _ => open.push(at),
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let too_large = |error: TooLarge| (self.place(error.entry().unwrap_or(0)), error);
        let mut table = users_table(self.rules.iter(), self.ruleset, impossible).map_err(too_large)?;
        let mut alive = Vec::with_capacity(open.len());
        for at in open {
            match table.decides(at, budget) {
                Answer::No => {
                    mark(&mut gone, at);
                    let verdict = self.dead(at, &mut table, budget);
                    self.note(at, verdict, answers);
                }
                Answer::Yes(_) | Answer::Undecided { .. } => alive.push(at),
            }
        }
        self.matter(&alive, &gone, table, answers, (impossible, budget)).map_err(too_large)
    }

    /// Where rules stand that verdicts of other rulesets name as covers.
    fn positions(&self, answers: &Answers) -> FxHashMap<u32, usize> {
        if answers.verdicts.is_empty() {
            return FxHashMap::default();
        }
        self.rules.iter().enumerate().filter(|(_, rule)| !rule.origin.prelude).map(|(at, rule)| (rule.id, at)).collect()
    }

    /// Whether what made a rule dead in another ruleset stands behind it in this one too.
    fn stays_dead(&self, at: usize, verdict: &Verdict, positions: &FxHashMap<u32, usize>) -> bool {
        match verdict {
            Verdict::Impossible(_) => true,
            Verdict::Dead(dead) => {
                dead.ids.iter().all(|id| id.is_some_and(|id| positions.get(&id).is_some_and(|&cover| cover > at)))
            }
            Verdict::Redundant(..) | Verdict::Undecided(..) => false,
        }
    }

    fn dead(&self, at: usize, table: &mut Table, budget: &mut Budget) -> Verdict {
        let call = match table.possible(at, budget) {
            Answer::No => return Verdict::Impossible(self.place(at)),
            Answer::Undecided { states } => return Verdict::Undecided(self.place(at), states),
            Answer::Yes(call) => call,
        };
        // The rule that decides a plain such call tells the truest story, if it alone suffices.
        let last = table.last(&call.key, &call.value).filter(|last| *last > at);
        let cover = match last.filter(|last| table.difference(at, &[*last], budget).is_no()) {
            Some(last) => vec![last],
            None => match table.cover(at, budget) {
                Answer::Yes(cover) => cover,
                Answer::No => Vec::new(),
                Answer::Undecided { states } => return Verdict::Undecided(self.place(at), states),
            },
        };
        let twin = match cover.as_slice() {
            [one] => table.difference(*one, &[at], budget).is_no(),
            _ => false,
        };
        let ids =
            cover.iter().map(|&cover| self.rules.get(cover).filter(|rule| !rule.origin.prelude).map(|rule| rule.id));
        let ids = ids.collect();
        let cover = cover.into_iter().map(|cover| self.start + cover).collect();
        Verdict::Dead(Dead { at: self.place(at), cover, ids, call, twin })
    }

    /// Which of the living rules change a decision. The dead are left out, so that of two equal rules one is reported: the
    /// one that never decides.
    fn matter(
        &self,
        alive: &[usize],
        gone: &[bool],
        mut table: Table,
        answers: &mut Answers,
        (impossible, budget): (&[(Pattern, Pattern)], &mut Budget),
    ) -> Result<(), TooLarge> {
        let any_gone = gone.contains(&true);
        let mut place_of: Vec<usize> = Vec::new();
        if any_gone {
            drop(table);
            let kept = || self.rules.iter().zip(gone).filter(|(_, gone)| !**gone).map(|(rule, _)| rule);
            table = users_table(kept(), self.ruleset, impossible)?;
            place_of = gone
                .iter()
                .scan(0, |next, gone| {
                    let place = *next;
                    *next += usize::from(!gone);
                    Some(place)
                })
                .collect();
        }
        for &at in alive {
            let place = place_of.get(at).copied().unwrap_or(at);
            let verdict = match table.matters(place, budget) {
                Answer::Yes(_) => None,
                Answer::Undecided { states } => Some(Verdict::Undecided(self.place(at), states)),
                Answer::No => match table.decides(place, budget) {
                    Answer::Yes(call) => Some(Verdict::Redundant(self.place(at), call)),
                    Answer::Undecided { states } => Some(Verdict::Undecided(self.place(at), states)),
                    Answer::No => None,
                },
            };
            match verdict {
                Some(verdict) => self.note(at, verdict, answers),
                None => self.fine(at, answers),
            }
        }
        Ok(())
    }

    fn fine(&self, at: usize, answers: &mut Answers) {
        let Some(rule) = self.rules.get(at) else { return };
        answers.verdicts.remove(&rule.id);
        answers.fine.insert(rule.id);
    }

    /// Joins what this ruleset says of a rule with what others said: it is dead only where it is dead for all.
    fn note(&self, at: usize, verdict: Verdict, answers: &mut Answers) {
        let Some(rule) = self.rules.get(at) else { return };
        let joined = match (answers.verdicts.remove(&rule.id), verdict) {
            (Some(old @ Verdict::Undecided(..)), _) => old,
            (Some(old), Verdict::Dead(_) | Verdict::Impossible(_)) => old,
            (_, new) => new,
        };
        answers.verdicts.insert(rule.id, joined);
    }
}

fn mark(gone: &mut [bool], at: usize) {
    if let Some(one) = gone.get_mut(at) {
        *one = true;
    }
}
