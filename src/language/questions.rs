//! What can be asked of a table: what an entry matches, what it decides, and where a colour can be had.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::language::answer::{Answer, Budget, Call, Colours, Meter};
use crate::language::goal::{LastMatch, Want};
use crate::language::left::Left;
use crate::language::pattern::Pattern;
use crate::language::search::{Field, Goal, search};
use crate::language::table::Table;
use crate::language::trie::{Growth, Mark, ROOT};
use crate::language::walk::Range;
use crate::language::words::{Generic, Words};

/// What a string must not be in: above every entry.
const FORBIDDEN: u32 = i32::MAX as u32;

impl Table {
    /// A possible call that entry `i` matches, whoever decides it.
    pub fn possible(&mut self, i: usize, budget: &mut Budget) -> Answer<Call> {
        self.difference(i, &[], budget)
    }

    /// A possible call that entry `i` decides. `No`: the entry is dead.
    pub fn decides(&mut self, i: usize, budget: &mut Budget) -> Answer<Call> {
        self.answer(budget, |table, meter| table.alive(i, meter, None))
    }

    /// The same as symbols.
    pub(crate) fn alive(
        &mut self,
        i: usize,
        meter: &mut Meter,
        spoilers: Option<&RefCell<BTreeSet<i32>>>,
    ) -> Answer<Vec<u16>> {
        if !self.contains(i) {
            return Answer::No;
        }
        let mut answer = Answer::No;
        for word in self.words.of(i) {
            match self.word_alive(i as i32, word, meter, spoilers) {
                Answer::Yes(symbols) => return Answer::Yes(symbols),
                Answer::Undecided { states } => answer = Answer::Undecided { states },
                Answer::No => {}
            }
        }
        answer
    }

    /// By a decision where that settles it: the word with fresh letters in its gaps is live, or what matches it covers all.
    fn word_alive(
        &mut self,
        i: i32,
        word: usize,
        meter: &mut Meter,
        spoilers: Option<&RefCell<BTreeSet<i32>>>,
    ) -> Answer<Vec<u16>> {
        if self.shortcuts
            && let Some(generic) = Generic::of(self.words.get(word), &self.compiler.alphabet)
        {
            // Without a survey only what is above the entry need be looked at.
            let other = match self.surveyed.is_empty() {
                true => self.walk(&generic.symbols, Range { floor: i, ..Range::ALL }),
                false => self.other(i as usize, word, &generic),
            };
            if other <= i {
                return Answer::Yes(generic.symbols);
            }
            if generic.proves(self.shape(other)) {
                return Answer::No;
            }
        }
        let goal = LastMatch { ranks: self.ranks(), limit: i, floor: i, want: Want::Anything, spoilers };
        self.search_word(self.words.get(word), &[ROOT], false, &goal, meter)
    }

    /// A possible call that both entries match.
    pub fn overlap(&mut self, i: usize, j: usize, budget: &mut Budget) -> Answer<Call> {
        if !self.contains(i) || !self.contains(j) {
            return Answer::No;
        }
        self.answer(budget, |table, meter| {
            let target = table.ranks().target();
            let (mark, root) = table.grow(&table.copy(&[j]), target as u32);
            let goal = LastMatch {
                ranks: table.ranks(),
                limit: target,
                floor: target - 1,
                want: Want::Target(root),
                spoilers: None,
            };
            let words = table.words.of(i);
            let found = table.search_words(words.map(|word| table.words.get(word)), &[ROOT, root], &goal, meter);
            table.trie.shrink(&mark);
            found
        })
    }

    /// A possible call that entry `i` matches and none of `others` does. `No`: the others cover it; with one other entry
    /// that is inclusion.
    pub fn difference(&mut self, i: usize, others: &[usize], budget: &mut Budget) -> Answer<Call> {
        let others: Vec<usize> = others.iter().copied().filter(|&other| self.contains(other)).collect();
        if !self.contains(i) {
            return Answer::No;
        }
        self.answer(budget, |table, meter| {
            let (mark, root) = table.grow(&table.copy(&others), FORBIDDEN);
            let limit = table.ranks().target();
            let goal = LastMatch { ranks: table.ranks(), limit, floor: limit, want: Want::Anything, spoilers: None };
            let words = table.words.of(i);
            let found = table.search_words(words.map(|word| table.words.get(word)), &[ROOT, root], &goal, meter);
            table.trie.shrink(&mark);
            found
        })
    }

    /// Whether entry `other` matches every possible call that entry `i` matches: what [`Table::difference`] decides, mostly by
    /// one decision a word.
    pub fn includes(&mut self, other: usize, i: usize, budget: &mut Budget) -> bool {
        if !self.contains(i) || !self.contains(other) {
            return self.difference(i, &[other], budget).is_no();
        }
        let mut open = false;
        for word in self.words.of(i) {
            let generic = Generic::of(self.words.get(word), &self.compiler.alphabet).filter(|_| self.shortcuts);
            let Some(generic) = generic else {
                open = true;
                continue;
            };
            let rank = other as i32;
            let matched = self.walk(&generic.symbols, Range { floor: rank - 1, below: rank + 1, skip: -1 }) == rank;
            let floor = self.ranks().target();
            if !matched && self.walk(&generic.symbols, Range { floor, ..Range::ALL }) == floor {
                return false;
            }
            open |= !(matched && generic.proves(self.shape(rank)));
        }
        !open || self.difference(i, &[other], budget).is_no()
    }

    /// A shortest possible call in `include`, not in `exclude`, whose colour is in `wanted`, with the entry that decides it.
    ///
    /// Like [`Table::matters`] it uses what all entries can do; that is computed at the first such question and kept.
    pub fn find(
        &mut self,
        include: &[(Pattern, Pattern)],
        exclude: &[(Pattern, Pattern)],
        wanted: Colours,
        budget: &mut Budget,
    ) -> Answer<(Call, Option<usize>)> {
        let count = self.len();
        self.sweep_to(count);
        let reach = std::mem::take(&mut self.sweep.reach);
        let limit = self.ranks().target();
        let found = self.answer(budget, |table, meter| {
            table.within(include, exclude, meter, |table, words, roots, meter| {
                let goal = LastMatch {
                    ranks: table.ranks(),
                    limit,
                    floor: -1,
                    want: Want::Colour(wanted, &reach),
                    spoilers: None,
                };
                table.search_words(words, roots, &goal, meter)
            })
        });
        self.sweep.reach = reach;
        found.map(|call| {
            let last = self.last(&call.key, &call.value);
            (call, last)
        })
    }

    /// A shortest possible call in `include` that no entry matches.
    pub fn uncovered(&mut self, include: &[(Pattern, Pattern)], budget: &mut Budget) -> Answer<Call> {
        self.answer(budget, |table, meter| {
            table.within(include, &[], meter, |table, words, roots, meter| {
                let goal =
                    LastMatch { ranks: table.ranks(), limit: -1, floor: -1, want: Want::Anything, spoilers: None };
                table.search_words(words, roots, &goal, meter)
            })
        })
    }

    fn answer(
        &mut self,
        budget: &mut Budget,
        question: impl FnOnce(&mut Table, &mut Meter) -> Answer<Vec<u16>>,
    ) -> Answer<Call> {
        budget.ask(|meter| question(self, meter).map(|symbols| self.call(&symbols)))
    }

    /// Compiles the patterns of a question and asks it with the words to include, the others being forbidden.
    pub(crate) fn within(
        &mut self,
        include: &[(Pattern, Pattern)],
        exclude: &[(Pattern, Pattern)],
        meter: &mut Meter,
        question: impl FnOnce(&Table, &mut dyn Iterator<Item = &[u16]>, &[u32], &mut Meter) -> Answer<Vec<u16>>,
    ) -> Answer<Vec<u16>> {
        let (mut included, mut excluded) = (Words::new(), Words::new());
        for (patterns, words) in [(include, &mut included), (exclude, &mut excluded)] {
            for (key, value) in patterns {
                if self.compiler.entry(key, value, words).is_err() {
                    return Answer::Undecided { states: 0 };
                }
            }
        }
        self.compiler.forget_keys();
        self.compiler.alphabet.settle();
        let (mark, root) = self.grow(&excluded, FORBIDDEN);
        let mut words = (0..included.len()).map(|word| included.get(word));
        let found = question(self, &mut words, &[ROOT, root], meter);
        self.trie.shrink(&mark);
        found
    }

    /// The words of some entries, by themselves.
    fn copy(&self, entries: &[usize]) -> Words {
        let mut words = Words::new();
        for &entry in entries {
            words.copy(&self.words, entry);
        }
        words
    }

    /// Adds words of one rank to the trie, until [`crate::language::trie::Trie::shrink`].
    fn grow(&mut self, words: &Words, rank: u32) -> (Mark, u32) {
        let mark = self.trie.mark();
        let growth = Growth { words, rank: &|_| rank, colours: &|_| 0b1111, automata: &self.compiler.automata };
        let (root, _) = self.trie.grow(&growth);
        (mark, root)
    }

    pub(crate) fn search_word<G: Goal>(
        &self,
        word: &[u16],
        roots: &[u32],
        greedy: bool,
        goal: &G,
        meter: &mut Meter,
    ) -> Answer<Vec<u16>> {
        let left = Left::new(word, &self.compiler.automata);
        let field = Field { trie: &self.trie, alphabet: &self.compiler.alphabet, left: &left, roots, greedy };
        search(&field, goal, meter)
    }

    /// The shortest string over all words.
    pub(crate) fn search_words<'w, G: Goal>(
        &self,
        words: impl Iterator<Item = &'w [u16]>,
        roots: &[u32],
        goal: &G,
        meter: &mut Meter,
    ) -> Answer<Vec<u16>> {
        let mut best = Answer::No;
        for word in words {
            best = shorter(best, self.search_word(word, roots, false, goal, meter));
        }
        best
    }
}

/// The better of two answers: a string before none, the shorter before the longer, the first of equals.
fn shorter(left: Answer<Vec<u16>>, right: Answer<Vec<u16>>) -> Answer<Vec<u16>> {
    match (&left, &right) {
        (Answer::Yes(one), Answer::Yes(other)) if one.len() <= other.len() => left,
        (Answer::Yes(_), Answer::No | Answer::Undecided { .. }) | (_, Answer::No) => left,
        _ => right,
    }
}
