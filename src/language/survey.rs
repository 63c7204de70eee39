//! Decides the words of all entries at once, each with fresh letters in its gaps: what begins alike is walked once.
//!
//! One such decision settles most questions about an entry: whether it decides anything, and what would decide it otherwise.
#![expect(
    clippy::indexing_slicing,
    reason = "words, nodes and levels are numbered by the table; a level is made before it is read"
)]

use crate::language::alphabet::Alphabet;
use crate::language::table::Table;
use crate::language::trie::{NONE, ROOT, Trie, labels, passes};
use crate::language::walk::Range;
use crate::language::words::Generic;

/// The two highest ranks that match a string, the higher first; -1 is none.
pub(crate) type Highest = [i32; 2];

impl Table {
    /// Decides all entries' words now, which is quicker than one by one when all entries will be asked about.
    pub fn survey(&mut self) {
        let mut order: Vec<u32> = (0..self.words.of(self.colours.len().saturating_sub(1)).end as u32).collect();
        order.sort_unstable_by_key(|&word| self.ends[word as usize]);
        let mut found = vec![[-1; 2]; order.len()];
        let mut descent = Descent::new(&self.trie, &self.compiler.alphabet);
        for word in order {
            if let Some(generic) = Generic::of(self.words.get(word as usize), &self.compiler.alphabet) {
                found[word as usize] = descent.decide(&generic.symbols);
            }
        }
        self.surveyed = found;
    }

    /// The highest rank but `i` that matches the generic string of a word of `i`; -1 is none.
    pub(crate) fn other(&mut self, i: usize, word: usize, generic: &Generic) -> i32 {
        let rank = i as i32;
        if let Some(&[first, second]) = self.surveyed.get(word) {
            let other = if first == rank { second } else { first };
            if !usize::try_from(other).is_ok_and(|other| self.retired.get(other) == Some(&true)) {
                return other;
            }
        }
        self.walk(&generic.symbols, Range { skip: rank, ..Range::ALL })
    }
}

/// All that is known after some symbols.
#[derive(Default)]
struct Level {
    here: Vec<u32>,
    /// Gaps over everything: once entered they stay.
    stars: Vec<u32>,
    highest: Highest,
}

struct Descent<'a> {
    trie: &'a Trie,
    alphabet: &'a Alphabet,
    symbols: Vec<u16>,
    /// One more than there are symbols.
    levels: Vec<Level>,
    /// For each odd node the step at which it was last entered, since there can be several ways to it.
    entered: Vec<u32>,
    step: u32,
}

impl<'a> Descent<'a> {
    fn new(trie: &'a Trie, alphabet: &'a Alphabet) -> Descent<'a> {
        let entered = vec![0; trie.odd_count()];
        let mut descent = Descent { trie, alphabet, symbols: Vec::new(), levels: Vec::new(), entered, step: 0 };
        let mut start = Level { highest: [-1; 2], ..Level::default() };
        descent.tick();
        descent.enter(&mut start, ROOT);
        descent.levels.push(start);
        descent
    }

    fn decide(&mut self, symbols: &[u16]) -> Highest {
        let common = self.symbols.iter().zip(symbols).take_while(|(a, b)| a == b).count();
        self.symbols.truncate(common);
        for &symbol in &symbols[common..] {
            self.read(symbol);
        }
        let end = &self.levels[symbols.len()];
        let mut highest = end.highest;
        for &node in &end.here {
            self.fire(&mut highest, node);
        }
        highest
    }

    fn tick(&mut self) {
        self.step = self.step.wrapping_add(1);
        if self.step == 0 {
            self.entered.fill(0);
            self.step = 1;
        }
    }

    fn read(&mut self, symbol: u16) {
        let depth = self.symbols.len();
        self.symbols.push(symbol);
        self.tick();
        if self.levels.len() < depth + 2 {
            self.levels.push(Level::default());
        }
        let mut next = std::mem::take(&mut self.levels[depth + 1]);
        let from = std::mem::take(&mut self.levels[depth]);
        next.here.clear();
        next.stars.clear();
        next.highest = from.highest;
        if passes(symbol) {
            let live = |&&star: &&u32| self.trie.node(star).below > from.highest[1];
            next.stars.extend(from.stars.iter().filter(live));
        }
        for &node in from.stars.iter().chain(&from.here) {
            self.leave(&mut next, node, symbol);
        }
        self.levels[depth] = from;
        self.levels[depth + 1] = next;
    }

    fn leave(&mut self, next: &mut Level, place: u32, symbol: u16) {
        let trie = self.trie;
        let (label, other) = labels(symbol);
        let child = trie.edge(place, label);
        if child != NONE {
            self.enter(next, child);
        }
        if let Some(child) = other.map(|other| trie.edge(place, other)).filter(|&child| child != NONE) {
            self.enter(next, child);
        }
        let any = trie.node(place).any;
        if any != NONE && passes(symbol) {
            self.enter(next, any);
        }
        if let Some(odd) = trie.odd(place) {
            for &(token, child) in &odd.steps {
                if self.alphabet.reads(token, symbol) {
                    self.enter(next, child);
                }
            }
            if odd.stays != 0 && self.alphabet.has(odd.stays, symbol) {
                self.enter(next, place);
            }
        }
    }

    fn enter(&mut self, next: &mut Level, place: u32) {
        let trie = self.trie;
        let node = trie.node(place);
        let odd = trie.odd(place);
        if odd.is_some() {
            let entered = &mut self.entered[trie.odd_number(place)];
            if *entered == self.step {
                return;
            }
            *entered = self.step;
        }
        if node.last.max(node.below) > next.highest[1] {
            next.here.push(place);
        }
        if node.star != NONE && node.below > next.highest[1] {
            self.fire(&mut next.highest, node.star);
            if trie.node(node.star).below > next.highest[1] && !next.stars.contains(&node.star) {
                next.stars.push(node.star);
            }
        }
        for &inside in odd.map_or(&[][..], |odd| &odd.enters) {
            self.enter(next, inside);
        }
    }

    /// Counts what ends at a node.
    fn fire(&self, highest: &mut Highest, node: u32) {
        if self.trie.node(node).last <= highest[1] {
            return;
        }
        for &rank in self.trie.ranks(node) {
            let rank = rank as i32;
            if rank <= highest[1] {
                return;
            }
            // An entry of several words may match by more than one.
            if rank > highest[0] {
                *highest = [rank, highest[0]];
            } else if rank < highest[0] {
                highest[1] = rank;
            }
        }
    }
}
