//! The exact questions, each asked once: per distinct ruleset, and of a rule only until one agent shows that it matters.

use super::{Place, users_table};
use crate::language::{Answer, Budget, Call, Pattern, Table, TooLarge};
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
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
}

/// Asks first, of every rule and everywhere, whether it decides; then, of those that do, whether it matters. The second
/// question leaves out what never decides anywhere, so that of two equal rules one is reported.
pub(super) fn verdicts(
    sets: &[Ruleset],
    judged: &[usize],
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Answers {
    let mut answers = Answers::default();
    let mut living = Living::default();
    let parts = suffixes(sets, judged);
    // The table of the first question serves the second too, as long as all of them can be kept.
    let keep = parts.iter().map(|part| part.rules.len()).sum::<usize>() <= KEPT || parts.len() == 1;
    let mut asking = Asking { impossible, budget, tables: FxHashMap::default() };
    for part in &parts {
        match part.decide(&mut answers, &mut living, &mut asking) {
            Ok(Some(table)) if keep => {
                asking.tables.insert(part.set, table);
            }
            Ok(_) => {}
            Err(error) => answers.too_large.push((part.place(error.entry().unwrap_or(0)), error.to_string())),
        }
    }
    let dead: FxHashSet<u32> = answers.verdicts.keys().copied().collect();
    for part in &parts {
        if answers.too_large.iter().any(|(at, _)| at.set == part.set) {
            continue;
        }
        if let Err(error) = part.matter(&dead, &mut answers, &mut living, &mut asking) {
            answers.too_large.push((part.place(error.entry().unwrap_or(0)), error.to_string()));
        }
    }
    answers
}

/// Rules that some agent needs.
#[derive(Default)]
struct Living {
    /// It decides something for some agent.
    decide: FxHashSet<u32>,
    /// It changes something for some agent.
    matter: FxHashSet<u32>,
}

/// What every question takes.
struct Asking<'a> {
    impossible: &'a [(Pattern, Pattern)],
    budget: &'a mut Budget,
    /// By ruleset.
    tables: FxHashMap<usize, Table>,
}

/// The most rules, over all rulesets, of which tables are kept from the first question to the second.
const KEPT: usize = 200_000;

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

    /// Asks of every rule that does not yet live whether it decides; gives back the table, if that took one.
    fn decide(
        &self,
        answers: &mut Answers,
        living: &mut Living,
        asking: &mut Asking<'_>,
    ) -> Result<Option<Table>, TooLarge> {
        let positions = self.positions(answers);
        let open = self.rules.iter().enumerate().filter(|(at, rule)| {
            let known = || answers.verdicts.get(&rule.id).is_some_and(|old| stays_dead(*at, old, &positions));
            !rule.origin.prelude && !living.decide.contains(&rule.id) && !known()
        });
        let open: Vec<(usize, u32)> = open.map(|(at, rule)| (at, rule.id)).collect();
        if open.is_empty() {
            return Ok(None);
        }
        let mut table = users_table(self.rules.iter(), self.ruleset, asking.impossible)?;
        if open.len() > self.rules.len() / 4 {
            table.survey();
        }
        for (at, id) in open {
            match table.decides(at, asking.budget) {
                Answer::No => {
                    let verdict = self.dead(at, &mut table, asking.budget);
                    answers.verdicts.entry(id).or_insert(verdict);
                }
                Answer::Yes(_) | Answer::Undecided { .. } => {
                    living.decide.insert(id);
                    answers.verdicts.remove(&id);
                }
            }
        }
        Ok(Some(table))
    }

    /// Where rules stand that verdicts of other rulesets name as covers.
    fn positions(&self, answers: &Answers) -> FxHashMap<u32, usize> {
        if answers.verdicts.is_empty() {
            return FxHashMap::default();
        }
        self.rules.iter().enumerate().filter(|(_, rule)| !rule.origin.prelude).map(|(at, rule)| (rule.id, at)).collect()
    }

    fn dead(&self, at: usize, table: &mut Table, budget: &mut Budget) -> Verdict {
        let call = match table.possible(at, budget) {
            Answer::No => return Verdict::Impossible(self.place(at)),
            Answer::Undecided { states } => return Verdict::Undecided(self.place(at), states),
            Answer::Yes(call) => call,
        };
        // The rule that decides a plain such call tells the truest story, if it alone suffices.
        let last = table.last(&call.key, &call.value).filter(|last| *last > at);
        let cover = match last.filter(|last| table.includes(*last, at, budget)) {
            Some(last) => vec![last],
            None => match table.cover(at, budget) {
                Answer::Yes(cover) => cover,
                Answer::No => Vec::new(),
                Answer::Undecided { states } => return Verdict::Undecided(self.place(at), states),
            },
        };
        let twin = match cover.as_slice() {
            [one] => table.includes(at, *one, budget),
            _ => false,
        };
        let ids =
            cover.iter().map(|&cover| self.rules.get(cover).filter(|rule| !rule.origin.prelude).map(|rule| rule.id));
        let ids = ids.collect();
        let cover = cover.into_iter().map(|cover| self.start + cover).collect();
        Verdict::Dead(Dead { at: self.place(at), cover, ids, call, twin })
    }

    /// Asks of every rule that decides, and is not yet needed, whether it changes a decision.
    fn matter(
        &self,
        dead: &FxHashSet<u32>,
        answers: &mut Answers,
        living: &mut Living,
        asking: &mut Asking<'_>,
    ) -> Result<(), TooLarge> {
        let open = |rule: &Rule, living: &Living| {
            !rule.origin.prelude && !dead.contains(&rule.id) && !living.matter.contains(&rule.id)
        };
        if !self.rules.iter().any(|rule| open(rule, living)) {
            return Ok(());
        }
        let mut table = match asking.tables.remove(&self.set) {
            Some(table) => table,
            None => users_table(self.rules.iter(), self.ruleset, asking.impossible)?,
        };
        let is_dead = |rule: &Rule| dead.contains(&rule.id) && !rule.origin.prelude;
        table.retire(|at| self.rules.get(at).is_some_and(is_dead));
        let mut whole: Option<Table> = None;
        for (at, rule) in self.rules.iter().enumerate() {
            if !open(rule, living) {
                continue;
            }
            let verdict = match table.matters(at, asking.budget) {
                Answer::Yes(_) => {
                    living.matter.insert(rule.id);
                    answers.verdicts.remove(&rule.id);
                    continue;
                }
                Answer::Undecided { states } => Verdict::Undecided(self.place(at), states),
                Answer::No => match table.decides(at, asking.budget) {
                    // What is dead behind it may come to life without it.
                    Answer::Yes(call) => match self.matters_to_all(at, &mut whole, is_dead, asking)? {
                        Answer::No => Verdict::Redundant(self.place(at), call),
                        Answer::Undecided { states } => Verdict::Undecided(self.place(at), states),
                        Answer::Yes(_) => {
                            living.matter.insert(rule.id);
                            answers.verdicts.remove(&rule.id);
                            continue;
                        }
                    },
                    Answer::Undecided { states } => Verdict::Undecided(self.place(at), states),
                    // It decides elsewhere.
                    Answer::No => continue,
                },
            };
            let undecided = matches!(verdict, Verdict::Undecided(..));
            let known = answers.verdicts.entry(rule.id);
            match known {
                Entry::Vacant(vacant) => {
                    vacant.insert(verdict);
                }
                Entry::Occupied(mut old) if undecided => {
                    old.insert(verdict);
                }
                Entry::Occupied(_) => {}
            }
        }
        Ok(())
    }

    /// Whether a rule that is needless among those that decide changes a decision among all.
    fn matters_to_all(
        &self,
        at: usize,
        whole: &mut Option<Table>,
        is_dead: impl Fn(&Rule) -> bool,
        asking: &mut Asking<'_>,
    ) -> Result<Answer<Call>, TooLarge> {
        if !self.rules.iter().any(is_dead) {
            return Ok(Answer::No);
        }
        let table = match whole {
            Some(table) => table,
            None => whole.insert(users_table(self.rules.iter(), self.ruleset, asking.impossible)?),
        };
        Ok(table.matters(at, asking.budget))
    }
}

/// Whether what made a rule dead in another ruleset stands behind it in this one too.
fn stays_dead(at: usize, verdict: &Verdict, positions: &FxHashMap<u32, usize>) -> bool {
    let behind = |id: &Option<u32>| id.is_some_and(|id| positions.get(&id).is_some_and(|&cover| cover > at));
    match verdict {
        Verdict::Impossible(_) => true,
        Verdict::Dead(dead) => dead.ids.iter().all(behind),
        Verdict::Redundant(..) | Verdict::Undecided(..) => false,
    }
}
