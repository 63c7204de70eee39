//! Which later entries make an entry dead.
#![expect(clippy::indexing_slicing, reason = "entry numbers are checked by `Table::contains`")]

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::language::answer::{Answer, Budget, Meter};
use crate::language::table::Table;
use crate::language::walk::Range;
use crate::language::words::Generic;

/// How many single coverers of a word are looked at for one of another colour.
const MAX_SINGLES: usize = 64;
/// A union of more entries than this is not made minimal.
const MAX_UNION: usize = 256;

impl Table {
    /// For a dead entry `i`: later entries that together match all its possible calls, ascending, none of which can be left
    /// out (as far as the budget goes). Where there is a choice, one of another colour is among them if it can be.
    ///
    /// `No`: the entry is not dead, or matches no possible call at all.
    pub fn cover(&mut self, i: usize, budget: &mut Budget) -> Answer<Vec<usize>> {
        if !self.contains(i) {
            return Answer::No;
        }
        if !self.surely_possible(i) {
            match self.possible(i, budget) {
                Answer::Yes(_) => {}
                answer => return answer.map(|_| Vec::new()),
            }
        }
        let singles: Vec<Option<Vec<usize>>> = self.words.of(i).map(|word| self.singles(i, word)).collect();
        let union = if let Some(singles) = singles.iter().cloned().collect::<Option<Vec<_>>>() {
            // An empty list: the word matches impossible calls only.
            let words: Vec<Vec<usize>> = singles.into_iter().filter(|single| !single.is_empty()).collect();
            self.choose(i, &words)
        } else {
            match self.union(i, budget) {
                Answer::Yes(union) => union,
                answer => return answer,
            }
        };
        let cover = self.shrink(i, union, budget);
        if cover.is_empty() { Answer::No } else { Answer::Yes(cover) }
    }

    /// Whether some word with fresh letters in its gaps is a possible call.
    fn surely_possible(&mut self, i: usize) -> bool {
        let floor = self.ranks().target();
        self.words.of(i).any(|word| {
            let generic = Generic::of(self.words.get(word), &self.compiler.alphabet);
            generic.is_some_and(|generic| self.walk(&generic.symbols, Range { floor, ..Range::ALL }) == floor)
        })
    }

    /// The later entries that cover a whole word by themselves; none if that is not known.
    fn singles(&mut self, i: usize, word: usize) -> Option<Vec<usize>> {
        let generic = Generic::of(self.words.get(word), &self.compiler.alphabet)?;
        let target = self.ranks().target();
        let mut singles = Vec::new();
        let mut range = Range { floor: i as i32, ..Range::ALL };
        for _ in 0..MAX_SINGLES {
            let last = self.walk(&generic.symbols, range);
            if last <= i as i32 {
                break;
            }
            if generic.proves(self.shape(last)) {
                if last > target {
                    return Some(Vec::new());
                }
                singles.push(last as usize);
            }
            range.below = last;
        }
        (!singles.is_empty()).then_some(singles)
    }

    /// One coverer for each word: one that covers all words, else the last of each; of another colour where possible.
    fn choose(&self, i: usize, words: &[Vec<usize>]) -> Vec<usize> {
        let other = |&&single: &&usize| self.colours[single] != self.colours[i];
        let Some(first) = words.first() else { return Vec::new() };
        let common = || first.iter().filter(|single| words.iter().all(|word| word.contains(single)));
        if let Some(&single) = common().find(other).or_else(|| common().next()) {
            return vec![single];
        }
        let each = words.iter().filter_map(|word| word.iter().find(other).or_else(|| word.first()).copied());
        each.collect::<BTreeSet<usize>>().into_iter().collect()
    }

    /// The entries that spoil every string of a dead entry, as a search meets them.
    fn union(&mut self, i: usize, budget: &mut Budget) -> Answer<Vec<usize>> {
        let spoilers = RefCell::new(BTreeSet::new());
        budget.ask(|meter: &mut Meter| {
            let shortcuts = std::mem::replace(&mut self.shortcuts, false);
            let alive = self.alive(i, meter, Some(&spoilers));
            self.shortcuts = shortcuts;
            match alive {
                Answer::Yes(_) => Answer::No,
                Answer::Undecided { states } => Answer::Undecided { states },
                Answer::No => {
                    let target = self.ranks().target();
                    let entries =
                        spoilers.borrow().iter().filter(|&&rank| rank < target).map(|&rank| rank as usize).collect();
                    Answer::Yes(entries)
                }
            }
        })
    }

    /// Leaves out what can be left out: first entries of the same colour, the broadest of them first.
    fn shrink(&mut self, i: usize, mut union: Vec<usize>, budget: &mut Budget) -> Vec<usize> {
        if union.len() < 2 || union.len() > MAX_UNION {
            return union;
        }
        let mut order = union.clone();
        let length = |entry: usize| self.words.of(entry).map(|word| self.words.get(word).len()).min();
        order.sort_by_key(|&entry| (self.colours[entry] != self.colours[i], length(entry), entry));
        for entry in order {
            let others: Vec<usize> = union.iter().copied().filter(|&other| other != entry).collect();
            if self.difference(i, &others, budget).is_no() {
                union = others;
            }
        }
        union
    }
}
