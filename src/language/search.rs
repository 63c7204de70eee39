//! The search for a string of a word that a goal accepts: a best-first walk through pairs of a place in the word and a set of
//! trie nodes.
//!
//! From a set of nodes a letter that no useful edge reads leads to the same set as a letter of no pattern, or to a larger one,
//! which is never better; so only the useful letters and the blank ones are tried. The estimate of what is left never
//! exceeds it, so that a shortest string is found first, unless any will do.
#![expect(clippy::indexing_slicing, reason = "numbers of sets and steps are made here")]

use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::alphabet::{ANY, Alphabet, BACKSLASH, CLASS, Kind, SLASH, SLASHES};
use crate::language::answer::{Answer, Meter};
use crate::language::left::Left;
use crate::language::trie::{NONE, Trie, labels, passes};

/// What a search is for.
pub(crate) trait Goal {
    /// What is remembered of the matches so far.
    type Best: Copy + Eq + Hash;

    fn start(&self) -> Self::Best;
    /// Words of these ranks (descending) match. False: the string is of no use whatever follows.
    fn fire(&self, best: &mut Self::Best, ranks: &[u32]) -> bool;
    /// Whether a match at or below a node can still change anything.
    fn keeps(&self, trie: &Trie, node: u32, best: Self::Best) -> bool;
    /// Whether a match at or below a node can be one that is sought.
    fn helps(&self, trie: &Trie, node: u32, best: Self::Best) -> bool;
    /// At least so many more symbols; none: there is no way.
    fn bound(&self, trie: &Trie, nodes: &[u32], best: Self::Best) -> Option<u32>;
    fn accepts(&self, best: Self::Best) -> bool;
    /// Whether any match, or none, is as good as another, so that no letter is better than a blank one.
    fn is_indifferent(&self) -> bool;
}

/// Where a search looks.
pub(crate) struct Field<'a> {
    pub(crate) trie: &'a Trie,
    pub(crate) alphabet: &'a Alphabet,
    pub(crate) left: &'a Left,
    /// The roots the node set starts from.
    pub(crate) roots: &'a [u32],
    /// Any string will do, not only a shortest one.
    pub(crate) greedy: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State<B> {
    place: u32,
    set: u32,
    best: B,
    /// After a high surrogate, so that only a low one may follow.
    high: bool,
}

struct Step<B> {
    state: State<B>,
    depth: u32,
    from: u32,
    symbol: u16,
}

struct Search<'a, G: Goal> {
    field: &'a Field<'a>,
    goal: &'a G,
    sets: FxHashMap<Rc<[u32]>, u32>,
    numbered: Vec<Rc<[u32]>>,
    depths: FxHashMap<State<G::Best>, u32>,
    steps: Vec<Step<G::Best>>,
    /// The steps to go on from, by estimate.
    open: Vec<Vec<u32>>,
    lowest: usize,
    reached: Vec<u32>,
    best: G::Best,
    lost: bool,
}

const START: u32 = u32::MAX;

/// A string of `field.left` that `goal` accepts, as symbols.
pub(crate) fn search<G: Goal>(field: &Field, goal: &G, meter: &mut Meter) -> Answer<Vec<u16>> {
    let mut search = Search {
        field,
        goal,
        sets: FxHashMap::default(),
        numbered: Vec::new(),
        depths: FxHashMap::default(),
        steps: Vec::new(),
        open: Vec::new(),
        lowest: 0,
        reached: Vec::new(),
        best: goal.start(),
        lost: false,
    };
    for &root in field.roots {
        search.enter(root);
    }
    if !search.lost {
        search.push(0, false, Step { state: search.blank_state(), depth: 0, from: START, symbol: 0 });
    }
    search.run(meter)
}

impl<G: Goal> Search<'_, G> {
    fn run(&mut self, meter: &mut Meter) -> Answer<Vec<u16>> {
        let mut letters = Vec::new();
        while self.lowest < self.open.len() {
            let Some(number) = self.open[self.lowest].pop() else {
                self.lowest += 1;
                continue;
            };
            if !meter.spend() {
                return meter.undecided();
            }
            let Step { state, depth, .. } = self.steps[number as usize];
            if self.field.left.is_end(state.place) {
                if !state.high && self.accepts(state) {
                    return Answer::Yes(self.trace(number));
                }
                continue;
            }
            let Some(place) = self.field.left.place(state.place) else { continue };
            let nodes = Rc::clone(&self.numbered[state.set as usize]);
            for &(token, to) in &place.steps {
                self.letters(token, &nodes, state, &mut letters);
                for &symbol in &letters {
                    self.step(&nodes, state.best, symbol);
                    if !self.lost {
                        let high = self.field.alphabet.kind(symbol) == Kind::High;
                        let step = Step { state: self.blank_state(), depth: depth + 1, from: number, symbol };
                        self.push(to, high, step);
                    }
                }
            }
        }
        Answer::No
    }

    fn blank_state(&self) -> State<G::Best> {
        State { place: 0, set: 0, best: self.best, high: false }
    }

    /// Opens the step at a place and at all that can be skipped to from there.
    fn push(&mut self, place: u32, high: bool, step: Step<G::Best>) {
        let (trie, goal, best) = (self.field.trie, self.goal, step.state.best);
        self.reached.retain(|&node| goal.keeps(trie, node, best));
        self.reached.sort_unstable();
        self.reached.dedup();
        let Some(bound) = goal.bound(trie, &self.reached, best) else { return };
        let set = self.number();
        let mut next = Some(place);
        while let Some(place) = next {
            let Some(there) = self.field.left.place(place) else { return };
            let state = State { place, set, best, high };
            if self.depths.get(&state).is_none_or(|&known| known > step.depth) {
                self.depths.insert(state, step.depth);
                let estimate = if self.field.greedy {
                    step.depth / 4 + bound + there.rest
                } else {
                    step.depth + bound.max(there.rest)
                };
                self.open_at(estimate as usize);
                self.steps.push(Step { state, ..step });
            }
            next = there.skip;
        }
    }

    fn open_at(&mut self, estimate: usize) {
        // Automata without an end are infinitely far from it.
        if estimate >= usize::from(u16::MAX) {
            return;
        }
        if self.open.len() <= estimate {
            self.open.resize(estimate + 1, Vec::new());
        }
        self.open[estimate].push(self.steps.len() as u32);
        self.lowest = self.lowest.min(estimate);
    }

    fn number(&mut self) -> u32 {
        if let Some(&number) = self.sets.get(self.reached.as_slice()) {
            return number;
        }
        let set: Rc<[u32]> = self.reached.as_slice().into();
        let number = self.numbered.len() as u32;
        self.numbered.push(Rc::clone(&set));
        self.sets.insert(set, number);
        number
    }

    fn enter(&mut self, place: u32) {
        let node = self.field.trie.node(place);
        self.reached.push(place);
        if node.star != NONE {
            self.lost |= !self.goal.fire(&mut self.best, self.field.trie.ranks(node.star));
            self.reached.push(node.star);
        }
        for &inside in self.field.trie.odd(place).map_or(&[][..], |odd| &odd.enters) {
            self.enter(inside);
        }
    }

    fn step(&mut self, nodes: &[u32], best: G::Best, symbol: u16) {
        self.reached.clear();
        self.best = best;
        self.lost = false;
        let (trie, alphabet) = (self.field.trie, self.field.alphabet);
        let (label, other) = labels(symbol);
        for &place in nodes {
            if self.lost {
                return;
            }
            let node = trie.node(place);
            if node.stays() && passes(symbol) {
                self.reached.push(place);
            }
            let any = if passes(symbol) { node.any } else { NONE };
            let children = [trie.edge(place, label), other.map_or(NONE, |other| trie.edge(place, other)), any];
            for child in children {
                if child != NONE {
                    self.enter(child);
                }
            }
            if let Some(odd) = trie.odd(place) {
                for &(token, child) in &odd.steps {
                    if alphabet.reads(token, symbol) {
                        self.enter(child);
                    }
                }
                if odd.stays != 0 && alphabet.has(odd.stays, symbol) {
                    self.enter(place);
                }
            }
        }
    }

    /// The letters worth trying for a token of the word.
    fn letters(&self, token: u16, nodes: &[u32], state: State<G::Best>, letters: &mut Vec<u16>) {
        letters.clear();
        let alphabet = self.field.alphabet;
        match token {
            SLASHES => {
                // The last is tried first among equals: a path that people write has no backslash.
                if alphabet.splits() {
                    letters.push(BACKSLASH);
                }
                letters.push(SLASH);
            }
            _ if token < ANY => letters.push(token),
            _ => {
                if !self.goal.is_indifferent() {
                    self.useful_letters(nodes, state.best, letters);
                    letters.retain(|&symbol| alphabet.has(token - CLASS, symbol));
                }
                self.blank_letters(token - CLASS, nodes, state.high, letters);
                letters.sort_unstable();
                letters.dedup();
                // The last is tried first among equals: let it be a blank one.
                letters.reverse();
            }
        }
        letters.retain(|&symbol| (alphabet.kind(symbol) == Kind::Low) == state.high);
    }

    fn useful_letters(&self, nodes: &[u32], best: G::Best, letters: &mut Vec<u16>) {
        let trie = self.field.trie;
        let mut add = |symbol: u16, child: u32| {
            if self.goal.helps(trie, child, best) {
                match symbol {
                    SLASHES if self.field.alphabet.splits() => letters.extend([SLASH, BACKSLASH]),
                    SLASHES => letters.push(SLASH),
                    _ => letters.push(symbol),
                }
            }
        };
        for &node in nodes.iter().filter(|&&node| self.goal.helps(trie, node, best)) {
            trie.edges(node).for_each(|(symbol, child)| add(symbol, child));
            let steps = trie.odd(node).map_or(&[][..], |odd| &odd.steps);
            steps.iter().filter(|step| step.0 < CLASS).for_each(|&(symbol, child)| add(symbol, child));
        }
    }

    /// Without classes in reach one fresh letter stands for all; with them one for each way of being in the classes.
    fn blank_letters(&self, class: u16, nodes: &[u32], high: bool, letters: &mut Vec<u16>) {
        let alphabet = self.field.alphabet;
        if nodes.iter().all(|&node| self.field.trie.odd_number(node) == 0) {
            let kind = if high { Kind::Low } else { Kind::Plain };
            if let Some(fresh) = alphabet.fresh_in(class, kind) {
                letters.push(fresh);
                return;
            }
        }
        let classes = self.classes(nodes);
        let mut known = FxHashSet::default();
        for &symbol in alphabet.blanks().iter().filter(|&&symbol| alphabet.has(class, symbol)) {
            let has = |bits: u64, &class: &u16| bits << 1 | u64::from(alphabet.has(class, symbol));
            let signature = (alphabet.kind(symbol), classes.iter().fold(0, has));
            // A literal is no better than a fresh letter of the same classes.
            let new = if alphabet.is_literal(symbol) { !known.contains(&signature) } else { known.insert(signature) };
            if new || classes.len() > 64 {
                letters.push(symbol);
            }
        }
    }

    /// The classes by which some node of the set reads.
    fn classes(&self, nodes: &[u32]) -> Vec<u16> {
        let mut classes = Vec::new();
        for odd in nodes.iter().filter_map(|&node| self.field.trie.odd(node)) {
            let steps = odd.steps.iter().filter(|step| step.0 >= CLASS).map(|step| Alphabet::class_of(step.0));
            classes.extend(steps.chain((odd.stays != 0).then_some(odd.stays)));
        }
        classes.sort_unstable();
        classes.dedup();
        classes
    }

    fn accepts(&self, state: State<G::Best>) -> bool {
        let mut best = state.best;
        let nodes = &self.numbered[state.set as usize];
        nodes.iter().all(|&node| self.goal.fire(&mut best, self.field.trie.ranks(node))) && self.goal.accepts(best)
    }

    fn trace(&self, number: u32) -> Vec<u16> {
        let mut symbols = Vec::new();
        let mut step = &self.steps[number as usize];
        while step.from != START {
            symbols.push(step.symbol);
            step = &self.steps[step.from as usize];
        }
        symbols.reverse();
        symbols
    }
}
