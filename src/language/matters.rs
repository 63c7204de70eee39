//! Whether an entry changes anything: a call that it decides and that would have another colour without it.
//!
//! First by a decision: the word with fresh letters in its gaps may be such a call. Then by guesses: a string that is both in
//! the entry's word and in the word of a recent entry of another colour. Then by a search, which needs only look at entries
//! above the last one that surely matches the whole word.
#![expect(
    clippy::indexing_slicing,
    reason = "entries are checked by `Table::contains`; nodes and parents are the trie's"
)]

use crate::language::alphabet::{AUTOMATON, Alphabet, CLASS, GAP, Kind, SEP, SLASH, SLASHES};
use crate::language::answer::{Answer, Budget, Call, Colours, Meter};
use crate::language::goal::{LastMatch, Reach, Want};
use crate::language::table::Table;
use crate::language::trie::ROOT;
use crate::language::walk::Range;
use crate::language::words::Generic;

/// What the entries before a place can do, kept from one question to the next.
#[derive(Default)]
pub(crate) struct Sweep {
    /// The entries counted so far.
    done: usize,
    pub(crate) reach: Reach,
    /// The counted entries by colour: those whose value begins with a gap, and the others.
    recent: [[Vec<u32>; 2]; 4],
}

/// What one decision tells of a word.
enum Glance {
    /// The string that was sought.
    Found(Vec<u16>),
    /// There is none: a later entry matches all of the word, or it is of one string only.
    Settled,
    /// An entry at or below this place can be disregarded: that one surely matches all of the word; -1 is none.
    Above(i32),
}

/// How many recent entries of a kind are tried.
const GUESSES: usize = 12;

impl Table {
    /// A possible call whose colour would be another one without entry `i`. `No`: the entry is redundant, or dead.
    ///
    /// Ask with ascending `i`: what the entries before `i` can do is carried on from one question to the next, and computed
    /// anew when `i` falls.
    pub fn matters(&mut self, i: usize, budget: &mut Budget) -> Answer<Call> {
        budget.ask(|meter| self.difference_made(i, meter).map(|symbols| self.call(&symbols)))
    }

    fn difference_made(&mut self, i: usize, meter: &mut Meter) -> Answer<Vec<u16>> {
        if !self.contains(i) {
            return Answer::No;
        }
        let wanted = Colours::except(self.colours[i]);
        let mut open = Vec::new();
        for word in self.words.of(i) {
            match self.glance(i, word, wanted) {
                Glance::Found(symbols) => return Answer::Yes(symbols),
                Glance::Settled => {}
                Glance::Above(floor) => open.push((word, floor)),
            }
        }
        let mut answer = Answer::No;
        for (word, floor) in open {
            self.sweep_to(i);
            match self.word_matters(i, word, floor, wanted, meter) {
                Answer::No => {}
                Answer::Undecided { states } => answer = Answer::Undecided { states },
                found => return found,
            }
        }
        answer
    }

    /// What one decision tells of a word with fresh letters in its gaps: whether it is the entry's, and what would decide it
    /// otherwise.
    fn glance(&mut self, i: usize, word: usize, wanted: Colours) -> Glance {
        let rank = i as i32;
        let generic = self.shortcuts.then(|| Generic::of(self.words.get(word), &self.compiler.alphabet)).flatten();
        let Some(generic) = generic else { return Glance::Above(-1) };
        let other = self.other(i, word, &generic);
        if other < rank && wanted.has(self.ranks().colour(other)) {
            return Glance::Found(generic.symbols);
        }
        if self.is_one_string(word) {
            return Glance::Settled;
        }
        match other >= 0 && generic.proves(self.shape(other)) {
            true if other > rank => Glance::Settled,
            true => Glance::Above(other),
            false => Glance::Above(-1),
        }
    }

    /// Whether a string that entry `i` decides has a wanted colour without it.
    fn changes(&mut self, symbols: &[u16], i: usize, wanted: Colours) -> bool {
        let last = self.walk(symbols, Range { below: i as i32, ..Range::ALL });
        wanted.has(self.ranks().colour(last))
    }

    /// Whether a word stands for one string only, and not for several spellings of it.
    fn is_one_string(&self, word: usize) -> bool {
        let splits = self.compiler.alphabet.splits();
        self.words.get(word).iter().all(|&token| token < CLASS && !(splits && token == SLASHES))
    }

    /// By guesses, then by a search.
    fn word_matters(
        &mut self,
        i: usize,
        word: usize,
        floor: i32,
        wanted: Colours,
        meter: &mut Meter,
    ) -> Answer<Vec<u16>> {
        if self.shortcuts
            && let Some(symbols) = self.guess(i, word, floor, wanted)
        {
            return Answer::Yes(symbols);
        }
        let goal = LastMatch {
            ranks: self.ranks(),
            limit: i as i32,
            floor,
            want: Want::Colour(wanted, &self.sweep.reach),
            spoilers: None,
        };
        self.search_word(self.words.get(word), &[ROOT], self.shortcuts, &goal, meter)
    }

    /// A string that is likely to be in the word and in that of a recent entry of a wanted colour, if it is what is sought.
    fn guess(&mut self, i: usize, word: usize, floor: i32, wanted: Colours) -> Option<Vec<u16>> {
        let lists = self.sweep.recent.iter().enumerate().filter(|(colour, _)| wanted.has(*colour as u8));
        let latest = |list: &Vec<u32>| {
            let above = list.iter().rev().take_while(|&&entry| entry as i32 > floor);
            above.take(GUESSES).copied().collect::<Vec<u32>>()
        };
        let candidates: Vec<u32> = lists.flat_map(|(_, kinds)| kinds.iter().flat_map(latest)).collect();
        let others: Vec<usize> = candidates.into_iter().flat_map(|entry| self.words.of(entry as usize)).collect();
        for other in others {
            let spliced = splice(self.words.get(word), self.words.get(other), &self.compiler.alphabet);
            let Some(symbols) = spliced else { continue };
            let last = self.walk(&symbols, Range { floor: i as i32 - 1, ..Range::ALL });
            if last == i as i32 && self.changes(&symbols, i, wanted) {
                return Some(symbols);
            }
        }
        None
    }

    /// Counts the entries before `i` and no others.
    pub(crate) fn sweep_to(&mut self, i: usize) {
        if self.sweep.done > i || self.sweep.reach.is_empty() {
            self.start_sweep();
        }
        while self.sweep.done < i {
            let entry = self.sweep.done;
            self.sweep.done += 1;
            if self.retired[entry] {
                continue;
            }
            let colour = usize::from(self.colours[entry]);
            for word in self.words.of(entry) {
                let reach = &mut self.sweep.reach;
                self.trie.climb(self.ends[word], |node| reach[node as usize][colour] = entry as i32);
            }
            let first = self.words.of(entry).start;
            let value = self.words.get(first).split(|&token| token == SEP).nth(1);
            let gap = value.and_then(<[u16]>::first).is_some_and(|&token| token >= GAP);
            self.sweep.recent[colour][usize::from(gap)].push(entry as u32);
        }
    }

    fn start_sweep(&mut self) {
        let reach = vec![[-1; 4]; self.trie.len() as usize];
        self.sweep = Sweep { done: 0, reach, recent: Default::default() };
    }
}

/// A string that is in both words if a simple merge of their parts is, and maybe even if it is not.
fn splice(left: &[u16], right: &[u16], alphabet: &Alphabet) -> Option<Vec<u16>> {
    let mut left = left.split(|&token| token == SEP);
    let mut right = right.split(|&token| token == SEP);
    let mut symbols = merge(left.next()?, right.next()?, alphabet)?;
    symbols.push(SEP);
    symbols.extend(merge(left.next()?, right.next()?, alphabet)?);
    Some(symbols)
}

/// The longer beginning, the inner parts of both, the longer end.
fn merge(left: &[u16], right: &[u16], alphabet: &Alphabet) -> Option<Vec<u16>> {
    let gaps = |word: &[u16]| {
        let is_gap = |&token: &u16| token >= GAP;
        Some((word.iter().position(is_gap)?, word.iter().rposition(is_gap)?))
    };
    let (Some((left_from, left_to)), Some((right_from, right_to))) = (gaps(left), gaps(right)) else {
        return match (gaps(left), gaps(right)) {
            (None, None) => {
                (left.len() == right.len() && agree(left.iter(), right.iter())).then(|| fill(left, alphabet))?
            }
            (None, _) => fill(left, alphabet),
            _ => fill(right, alphabet),
        };
    };
    let (left_end, right_end) = (&left[left_to + 1..], &right[right_to + 1..]);
    if !agree(left[..left_from].iter(), right[..right_from].iter())
        || !agree(left_end.iter().rev(), right_end.iter().rev())
    {
        return None;
    }
    let start = if left_from > right_from { &left[..left_from] } else { &right[..right_from] };
    let end = if left_end.len() > right_end.len() { left_end } else { right_end };
    let mut symbols = fill(start, alphabet)?;
    for part in [&left[left_from..=left_to], &right[right_from..=right_to], end] {
        symbols.extend(fill(part, alphabet)?);
    }
    Some(symbols)
}

fn agree<'w>(left: impl Iterator<Item = &'w u16>, right: impl Iterator<Item = &'w u16>) -> bool {
    left.zip(right).all(|(one, other)| one == other || *one >= CLASS || *other >= CLASS)
}

fn fill(word: &[u16], alphabet: &Alphabet) -> Option<Vec<u16>> {
    let symbol = |&token: &u16| match token {
        SLASHES => Some(SLASH),
        _ if token < CLASS => Some(token),
        _ if token >= AUTOMATON => None,
        _ => alphabet.fresh_in(Alphabet::class_of(token), Kind::Plain),
    };
    word.iter().map(symbol).collect()
}
