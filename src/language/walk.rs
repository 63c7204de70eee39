//! The decision: which rank is the last to match a concrete string, by walking the trie with all nodes at once.
//!
//! Memory is linear in the entries and the time polynomial. What can no longer beat the best match so far is dropped.

use crate::language::alphabet::Alphabet;
use crate::language::trie::{NONE, ROOT, Trie, labels, passes};

/// Which matches are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    /// Only ranks above this; it is the answer if there is none.
    pub(crate) floor: i32,
    /// Only ranks below this.
    pub(crate) below: i32,
    /// Not this one.
    pub(crate) skip: i32,
}

impl Range {
    pub(crate) const ALL: Range = Range { floor: -1, below: i32::MAX, skip: -1 };

    #[inline]
    fn has(self, rank: i32) -> bool {
        rank < self.below && rank != self.skip
    }

    /// The highest rank in the range that ends at a node; -1 is none.
    #[inline]
    fn last(self, trie: &Trie, node: u32) -> i32 {
        let last = trie.node(node).last;
        if last < 0 || self.has(last) {
            return last;
        }
        trie.ranks(node).iter().map(|&rank| rank as i32).find(|&rank| self.has(rank)).unwrap_or(-1)
    }
}

/// The nodes of a walk; kept between walks to save allocations.
#[derive(Default)]
pub(crate) struct Walk {
    here: Vec<u32>,
    next: Vec<u32>,
    /// Gaps over everything: once entered they stay.
    stars: Vec<u32>,
    /// For each odd node the step at which it was last entered, since there can be several ways to it.
    entered: Vec<u32>,
    step: u32,
    best: i32,
}

impl Walk {
    /// The highest rank in `range` that matches `symbols`, else the range's floor.
    pub(crate) fn last(&mut self, trie: &Trie, alphabet: &Alphabet, symbols: &[u16], range: Range) -> i32 {
        self.best = range.floor;
        self.here.clear();
        self.next.clear();
        self.stars.clear();
        if self.entered.len() < trie.odd_count() {
            self.entered.resize(trie.odd_count(), 0);
        }
        self.tick();
        self.enter(trie, ROOT, range);
        std::mem::swap(&mut self.here, &mut self.next);
        for &symbol in symbols {
            self.tick();
            self.read(trie, alphabet, symbol, range);
            if self.here.is_empty() && self.stars.is_empty() {
                return self.best;
            }
        }
        for &node in &self.here {
            self.best = self.best.max(range.last(trie, node));
        }
        self.best
    }

    fn tick(&mut self) {
        self.step = self.step.wrapping_add(1);
        if self.step == 0 {
            self.entered.fill(0);
            self.step = 1;
        }
    }

    fn enter(&mut self, trie: &Trie, place: u32, range: Range) {
        let node = trie.node(place);
        let odd = trie.odd(place);
        if odd.is_some() {
            let step = self.step;
            match self.entered.get_mut(trie.odd_number(place)) {
                Some(entered) if *entered != step => *entered = step,
                _ => return,
            }
        }
        if node.last > self.best || node.below > self.best {
            self.next.push(place);
        }
        if node.star != NONE && node.below > self.best {
            self.best = self.best.max(range.last(trie, node.star));
            if trie.node(node.star).below > self.best && !self.stars.contains(&node.star) {
                self.stars.push(node.star);
            }
        }
        for &inside in odd.map_or(&[][..], |odd| &odd.enters) {
            self.enter(trie, inside, range);
        }
    }

    fn read(&mut self, trie: &Trie, alphabet: &Alphabet, symbol: u16, range: Range) {
        self.next.clear();
        let stars = self.stars.len();
        for place in 0..stars {
            if let Some(&node) = self.stars.get(place) {
                self.leave(trie, alphabet, node, symbol, range);
            }
        }
        for place in 0..self.here.len() {
            if let Some(&node) = self.here.get(place) {
                self.leave(trie, alphabet, node, symbol, range);
            }
        }
        if !passes(symbol) {
            self.stars.drain(..stars);
        } else if stars > 3 {
            let best = self.best;
            self.stars.retain(|&star| trie.node(star).below > best);
        }
        std::mem::swap(&mut self.here, &mut self.next);
    }

    fn leave(&mut self, trie: &Trie, alphabet: &Alphabet, place: u32, symbol: u16, range: Range) {
        let (label, other) = labels(symbol);
        let child = trie.edge(place, label);
        if child != NONE {
            self.enter(trie, child, range);
        }
        if let Some(child) = other.map(|other| trie.edge(place, other)).filter(|&child| child != NONE) {
            self.enter(trie, child, range);
        }
        let any = trie.node(place).any;
        if any != NONE && passes(symbol) {
            self.enter(trie, any, range);
        }
        if let Some(odd) = trie.odd(place) {
            for &(token, child) in &odd.steps {
                if alphabet.reads(token, symbol) {
                    self.enter(trie, child, range);
                }
            }
            if odd.stays != 0 && alphabet.has(odd.stays, symbol) {
                self.enter(trie, place, range);
            }
        }
    }
}
