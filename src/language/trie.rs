//! All words of a table in one tree, so that common beginnings are read once.
//!
//! A node is a place in some words. Reading a literal goes down an edge; a gap's node is entered without reading and then
//! stays; a regular expression hangs its states between a node and the node where it ends. Where wildcards are all there
//! is, a node has at most two special children; everything else is *odd* and kept aside.
#![expect(clippy::indexing_slicing, reason = "node numbers, edge ranges and odd numbers are made here, in step")]

use crate::language::alphabet::{ANY, AUTOMATON, Alphabet, BACKSLASH, CLASS, GAP, SEP, SLASH, SLASHES, STAR};
use crate::language::words::{Automaton, Words};

/// Where the first words of a trie begin.
pub(crate) const ROOT: u32 = 0;
/// No node: the root is nobody's child.
pub(crate) const NONE: u32 = 0;

///
/// Half a cache line: a decision is as fast as these can be fetched.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Node {
    /// The place of the first literal edge. In preorder its child is the next node.
    edges: u32,
    /// The symbol of the first edge, if there is one.
    first: u16,
    /// How many literal edges there are.
    count: u16,
    /// The place of the first rank that ends here; they end where the next node's begin. The highest bit says that this is a
    /// gap over everything: any symbol but the separator stays here.
    ranks: u32,
    /// The child by any one symbol.
    pub(crate) any: u32,
    /// The child that is a gap over everything; entered without reading.
    pub(crate) star: u32,
    /// The number of what is odd here; 0 is nothing.
    odd: u32,
    /// The highest rank that ends here; -1 is none.
    pub(crate) last: i32,
    /// The highest rank that ends strictly below.
    pub(crate) below: i32,
}

const STAYS: u32 = 1 << 31;

impl Node {
    fn ranks(&self) -> usize {
        (self.ranks & !STAYS) as usize
    }

    fn move_ranks(&mut self, start: usize) {
        self.ranks = (self.ranks & STAYS) | start as u32;
    }

    /// Whether any symbol but the separator stays here.
    #[inline]
    pub(crate) fn stays(&self) -> bool {
        self.ranks & STAYS != 0
    }
}

/// What only classes and regular expressions need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Odd {
    /// Children by a class, or steps of an automaton: a token and a node.
    pub(crate) steps: Vec<(u16, u32)>,
    /// Nodes that are entered without reading: gaps over a class, an automaton's first states or its end.
    pub(crate) enters: Vec<u32>,
    /// The class whose symbols stay here; 0 is none.
    pub(crate) stays: u16,
    /// For an automaton's state: the node where the automaton ends. [`NONE`]: not a state.
    home: u32,
}

#[derive(Default)]
pub(crate) struct Trie {
    nodes: Vec<Node>,
    parents: Vec<u32>,
    symbols: Vec<u16>,
    targets: Vec<u32>,
    /// Descending at each node.
    ranks: Vec<u32>,
    odds: Vec<Odd>,
    /// The fewest symbols from a node to an end of each colour.
    least: Vec<[u16; 4]>,
}

/// How far a trie reached before it grew.
pub(crate) struct Mark {
    nodes: usize,
    edges: usize,
    ranks: usize,
    odds: usize,
}

/// The words to add, each with its rank.
pub(crate) struct Growth<'a> {
    pub(crate) words: &'a Words,
    /// The rank of each entry of `words`.
    pub(crate) rank: &'a dyn Fn(usize) -> u32,
    /// The colours an end of a rank counts for, as bits.
    pub(crate) colours: &'a dyn Fn(u32) -> u8,
    pub(crate) automata: &'a [Automaton],
}

impl Trie {
    pub(crate) fn new() -> Trie {
        Trie { odds: vec![Odd::default()], ..Trie::default() }
    }

    pub(crate) fn len(&self) -> u32 {
        self.nodes.len().saturating_sub(1) as u32
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The ranks that end at a node, descending.
    pub(crate) fn ranks(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.ranks[self.nodes[node].ranks()..self.nodes[node + 1].ranks()]
    }

    /// The literal edges of a node, ascending by symbol.
    pub(crate) fn edges(&self, node: u32) -> impl Iterator<Item = (u16, u32)> + '_ {
        let node = &self.nodes[node as usize];
        let range = node.edges as usize..node.edges as usize + usize::from(node.count);
        self.symbols[range.clone()].iter().copied().zip(self.targets[range].iter().copied())
    }

    /// The child by a literal symbol, or [`NONE`].
    #[inline]
    pub(crate) fn edge(&self, node: u32, symbol: u16) -> u32 {
        let from = &self.nodes[node as usize];
        if from.count == 0 {
            return NONE;
        }
        if from.first == symbol {
            return node + 1;
        }
        if from.count == 1 {
            return NONE;
        }
        let start = from.edges as usize;
        let symbols = &self.symbols[start..start + usize::from(from.count)];
        let place = if symbols.len() <= 8 {
            symbols.iter().position(|&other| other == symbol)
        } else {
            symbols.binary_search(&symbol).ok()
        };
        place.map_or(NONE, |place| self.targets[start + place])
    }

    #[inline]
    pub(crate) fn odd(&self, node: u32) -> Option<&Odd> {
        let odd = self.nodes[node as usize].odd;
        (odd != 0).then(|| &self.odds[odd as usize])
    }

    /// The number of what is odd at a node; 0 is nothing.
    #[inline]
    pub(crate) fn odd_number(&self, node: u32) -> usize {
        self.nodes[node as usize].odd as usize
    }

    pub(crate) fn odd_count(&self) -> usize {
        self.odds.len()
    }

    /// The highest rank that ends here or below, when no more symbols need be read for what ends in a gap here.
    #[inline]
    pub(crate) fn top(&self, node: u32) -> i32 {
        let node = &self.nodes[node as usize];
        if node.stays() { node.below } else { node.below.max(node.last) }
    }

    /// Visits a node and all above it, up to the root of the first words.
    pub(crate) fn climb(&self, mut node: u32, mut visit: impl FnMut(u32)) {
        while node != ROOT {
            visit(node);
            node = self.parents[node as usize];
        }
        visit(ROOT);
    }

    /// The node whose ranks are those that can be reached from here: itself, or for a state of an automaton its end.
    #[inline]
    pub(crate) fn home(&self, node: u32) -> u32 {
        match self.odd(node) {
            Some(odd) if odd.home != NONE => odd.home,
            _ => node,
        }
    }

    pub(crate) fn least(&self, node: u32) -> &[u16; 4] {
        &self.least[node as usize]
    }

    /// Adds words under a new root. Returns the root and the node where each word ends.
    pub(crate) fn grow(&mut self, growth: &Growth) -> (u32, Vec<u32>) {
        self.nodes.pop();
        self.parents.pop();
        let root = self.nodes.len();
        let mut owners = Vec::with_capacity(growth.words.len());
        let mut entry = 0;
        for word in 0..growth.words.len() {
            while growth.words.of(entry).end <= word {
                entry += 1;
            }
            owners.push((growth.rank)(entry));
        }
        let mut order: Vec<u32> = (0..growth.words.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            let word = |number: u32| growth.words.get(number as usize);
            word(a).cmp(word(b)).then(owners[b as usize].cmp(&owners[a as usize]))
        });
        self.reserve(growth.words, &order);
        let ends = self.plant(growth, &order, &owners);
        let end = self.nodes.len();
        self.summarise(root, growth);
        self.hang_automata(root, end, growth.automata);
        self.push_node(NONE);
        (root as u32, ends)
    }

    /// Room for the nodes of sorted words and no more: with a hundred thousand rules the slack would be felt.
    fn reserve(&mut self, words: &Words, order: &[u32]) {
        let mut previous: &[u16] = &[];
        let mut more = 2;
        for &number in order {
            let word = words.get(number as usize);
            more += word.len() - word.iter().zip(previous).take_while(|(a, b)| a == b).count();
            previous = word;
        }
        // A question's words come and go; they must not double the room of a large table.
        let more = if self.nodes.is_empty() { more } else { more * 2 };
        self.nodes.reserve_exact(more);
        self.parents.reserve_exact(more);
        self.least.reserve_exact(more);
    }

    fn push_node(&mut self, parent: u32) -> u32 {
        self.parents.push(parent);
        self.nodes.push(Node {
            edges: self.symbols.len() as u32,
            first: 0,
            count: 0,
            ranks: self.ranks.len() as u32,
            any: NONE,
            star: NONE,
            odd: 0,
            last: -1,
            below: -1,
        });
        (self.nodes.len() - 1) as u32
    }

    /// Makes the nodes, in preorder of the sorted words.
    fn plant(&mut self, growth: &Growth, order: &[u32], owners: &[u32]) -> Vec<u32> {
        let mut ends = vec![NONE; order.len()];
        let root = self.push_node(NONE);
        let mut edges: Vec<(u32, u16, u32)> = Vec::new();
        let mut path = vec![root];
        let mut previous: &[u16] = &[];
        for &number in order {
            let word = growth.words.get(number as usize);
            let common = word.iter().zip(previous).take_while(|(a, b)| a == b).count();
            path.truncate(common + 1);
            for &token in &word[common..] {
                let parent = path[path.len() - 1];
                let child = self.push_node(parent);
                match token {
                    ANY => self.nodes[parent as usize].any = child,
                    STAR => {
                        self.nodes[parent as usize].star = child;
                        self.nodes[child as usize].ranks |= STAYS;
                    }
                    _ if token < CLASS => edges.push((parent, token, child)),
                    _ => self.adopt(parent, token, child),
                }
                path.push(child);
            }
            let end = path[path.len() - 1] as usize;
            ends[number as usize] = end as u32;
            self.nodes[end].last = self.nodes[end].last.max(owners[number as usize] as i32);
            self.ranks.push(owners[number as usize]);
            previous = word;
        }
        self.lay_edges(root as usize, &edges);
        ends
    }

    fn make_odd(&mut self, node: u32) -> &mut Odd {
        let place = &mut self.nodes[node as usize].odd;
        if *place == 0 {
            *place = self.odds.len() as u32;
            self.odds.push(Odd::default());
        }
        &mut self.odds[*place as usize]
    }

    fn adopt(&mut self, parent: u32, token: u16, child: u32) {
        match token {
            CLASS..GAP => self.make_odd(parent).steps.push((token, child)),
            GAP..AUTOMATON => {
                self.make_odd(parent).enters.push(child);
                self.make_odd(child).stays = Alphabet::class_of(token);
            }
            // The states come later; until then the token is kept where they will be.
            _ => {
                self.make_odd(parent).steps.push((token, child));
                self.make_odd(child);
            }
        }
    }

    /// Groups the edges by node; they come ascending by symbol for each.
    fn lay_edges(&mut self, root: usize, edges: &[(u32, u16, u32)]) {
        let base = self.symbols.len();
        let mut starts = vec![0_u32; self.nodes.len() - root + 1];
        for &(parent, ..) in edges {
            starts[parent as usize - root + 1] += 1;
        }
        for place in 1..starts.len() {
            starts[place] += starts[place - 1];
        }
        for (node, range) in self.nodes[root..].iter_mut().zip(starts.windows(2)) {
            node.edges = base as u32 + range[0];
            node.count = (range[1] - range[0]) as u16;
        }
        self.symbols.resize(base + edges.len(), 0);
        self.targets.resize(base + edges.len(), NONE);
        for &(parent, symbol, child) in edges {
            let start = &mut starts[parent as usize - root];
            self.symbols[base + *start as usize] = symbol;
            self.targets[base + *start as usize] = child;
            if child == parent + 1 {
                self.nodes[parent as usize].first = symbol;
            }
            *start += 1;
        }
    }

    /// Carries ranks and least distances up from the children, which come after their parents.
    fn summarise(&mut self, root: usize, growth: &Growth) {
        self.least.resize(self.nodes.len(), [u16::MAX; 4]);
        let lengths = self.automaton_lengths(root, growth.automata);
        for place in (root..self.nodes.len()).rev() {
            let node = self.nodes[place];
            let end = self.nodes.get(place + 1).map_or(self.ranks.len(), Node::ranks);
            for &rank in &self.ranks[node.ranks()..end] {
                let colours = (growth.colours)(rank);
                (0..4).filter(|colour| colours & (1 << colour) != 0).for_each(|colour| self.least[place][colour] = 0);
            }
            if place == root {
                break;
            }
            let length = match self.odds[node.odd as usize].stays {
                _ if node.stays() => 0,
                class if class != 0 => 0,
                _ if node.odd != 0 => lengths.get(&(place as u32)).copied().unwrap_or(1),
                _ => 1,
            };
            let (least, parent) = (self.least[place], self.parents[place] as usize);
            let reached = node.below.max(node.last);
            self.nodes[parent].below = self.nodes[parent].below.max(reached);
            for (colour, least) in least.iter().enumerate() {
                let shortest = &mut self.least[parent][colour];
                *shortest = (*shortest).min(least.saturating_add(length));
            }
        }
    }

    /// For each node where an automaton ends, the fewest symbols the automaton reads.
    fn automaton_lengths(&self, root: usize, automata: &[Automaton]) -> rustc_hash::FxHashMap<u32, u16> {
        let mut lengths = rustc_hash::FxHashMap::default();
        for node in self.nodes[root..].iter().filter(|node| node.odd != 0) {
            for &(token, child) in &self.odds[node.odd as usize].steps {
                if token >= AUTOMATON {
                    lengths.insert(child, automata[usize::from(token - AUTOMATON)].least);
                }
            }
        }
        lengths
    }

    /// Puts each automaton's states between the node before it and the node where it ends.
    fn hang_automata(&mut self, root: usize, end: usize, automata: &[Automaton]) {
        for place in root..end {
            if self.nodes[place].odd == 0 {
                continue;
            }
            let odd = self.nodes[place].odd as usize;
            let (hung, steps): (Vec<_>, Vec<_>) =
                std::mem::take(&mut self.odds[odd].steps).into_iter().partition(|step| step.0 >= AUTOMATON);
            self.odds[odd].steps = steps;
            for (token, home) in hung {
                self.hang(place as u32, home, &automata[usize::from(token - AUTOMATON)]);
            }
        }
    }

    fn hang(&mut self, parent: u32, home: u32, automaton: &Automaton) {
        let start = self.hang_state(parent, home, automaton.least);
        let base = start + 1;
        for state in &automaton.states {
            self.hang_state(parent, home, state.least);
        }
        let step = |&place: &u32| (automaton.states[place as usize].token, base + place);
        let mut first = Odd { home, steps: automaton.first.iter().map(step).collect(), ..Odd::default() };
        if automaton.least == 0 {
            first.enters.push(home);
        }
        *self.make_odd(start) = first;
        for (place, state) in automaton.states.iter().enumerate() {
            let enters = if state.last { vec![home] } else { vec![] };
            let steps = state.next.iter().map(step).collect();
            *self.make_odd(base + place as u32) = Odd { home, steps, enters, stays: 0 };
        }
        self.make_odd(parent).enters.push(start);
    }

    fn hang_state(&mut self, parent: u32, home: u32, length: u16) -> u32 {
        let node = self.push_node(parent);
        let end = self.nodes[home as usize];
        self.nodes[node as usize].below = end.below.max(end.last);
        let least = self.least[home as usize].map(|least| least.saturating_add(length));
        self.least.push(least);
        node
    }

    /// Takes ranks out of the first words' ends. What is known of the nodes above stays as it was, which is no more than a
    /// bound from above (of ranks) or below (of lengths).
    pub(crate) fn retire(&mut self, gone: &dyn Fn(u32) -> bool) {
        let (mut kept, mut from) = (0, 0);
        for place in 0..self.nodes.len().saturating_sub(1) {
            let to = self.nodes[place + 1].ranks();
            let start = kept;
            for at in from..to {
                if !gone(self.ranks[at]) {
                    self.ranks[kept] = self.ranks[at];
                    kept += 1;
                }
            }
            if to > from {
                self.nodes[place].last = if kept > start { self.ranks[start] as i32 } else { -1 };
            }
            self.nodes[place].move_ranks(start);
            from = to;
        }
        if let Some(end) = self.nodes.last_mut() {
            end.move_ranks(kept);
        }
        self.ranks.truncate(kept);
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len().saturating_sub(1),
            edges: self.symbols.len(),
            ranks: self.ranks.len(),
            odds: self.odds.len(),
        }
    }

    /// Takes away everything that grew since `mark`.
    pub(crate) fn shrink(&mut self, mark: &Mark) {
        self.nodes.truncate(mark.nodes);
        self.parents.truncate(mark.nodes);
        self.symbols.truncate(mark.edges);
        self.targets.truncate(mark.edges);
        self.ranks.truncate(mark.ranks);
        self.odds.truncate(mark.odds);
        self.least.truncate(mark.nodes);
        self.push_node(NONE);
    }
}

/// The edge labels by which a symbol of a string is read: itself, and for both slashes the wildcard's.
#[inline]
pub(crate) fn labels(symbol: u16) -> (u16, Option<u16>) {
    match symbol {
        SLASH | BACKSLASH => (SLASHES, Some(symbol)),
        _ => (symbol, None),
    }
}

/// Whether a gap over everything stays on this symbol.
#[inline]
pub(crate) fn passes(symbol: u16) -> bool {
    symbol != SEP
}
