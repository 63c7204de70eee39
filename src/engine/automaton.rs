//! From a trie to automata: one for what comes before the first star of a word, and one for what comes after each star.
//!
//! What a star leads to is not followed within the automaton that meets it: the star is started where it is met first, and
//! run by itself. So no set of rules makes the automata larger than their words by more than a factor, but for words whose
//! single letters are sets of many; those are refused here when they grow, and decided one by one.

use super::alphabet::{self, Letters, holds, members};
use super::store::{Automaton, Cell, NONE, Record, Tables, mark};
use super::trie::{Number, ROOT, Trie};
use rustc_hash::FxHashMap;

/// The automata of a trie may have so many states for each of its nodes,
const STATES_PER_NODE: usize = 8;
/// and so many more.
const STATES_MORE: usize = 512;

/// The node whose words need too many states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooMany(pub(super) u32);

/// Adds the automata of a trie to tables; the number of the one to begin with.
pub(super) fn add(trie: &Trie, letters: usize, tables: &mut Tables) -> Result<u32, TooMany> {
    let first = tables.automata.len() as u32 + 1;
    let mut stars = Stars { first, numbers: FxHashMap::default(), order: Vec::new(), states: 0 };
    let mut all = vec![States::new(trie, ROOT, &mut stars)?];
    while let Some(&star) = stars.order.get(all.len() - 1) {
        all.push(States::new(trie, star, &mut stars)?);
    }
    let start = tables.automata.len() as u32;
    all.iter().for_each(|states| states.write(letters, tables));
    Ok(start)
}

/// The numbers of the automata behind stars.
struct Stars {
    first: u32,
    numbers: FxHashMap<u32, u32>,
    order: Vec<u32>,
    /// So many states have been made.
    states: usize,
}

impl Stars {
    fn number(&mut self, star: u32) -> u32 {
        let next = self.first + self.order.len() as u32;
        *self.numbers.entry(star).or_insert_with(|| {
            self.order.push(star);
            next
        })
    }
}

/// What it means to be at some nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Meaning {
    /// The last rule that matches if the value ends here.
    accepts: Number,
    /// The last rule that matches whatever follows.
    fires: Number,
    /// The automata of stars that begin here.
    spawns: Vec<u32>,
    /// The last rule that can still match.
    bound: Number,
}

impl Meaning {
    fn is_plain(&self) -> bool {
        self.accepts == NONE && self.fires == NONE && self.spawns.is_empty()
    }
}

/// The states of one automaton.
struct States {
    is_star: bool,
    bound: Number,
    meanings: Vec<Meaning>,
    /// Where letters lead that do not lead where they lead from the first state; without a star: that do not end the run.
    steps: Vec<Vec<(u8, u32)>>,
}

impl States {
    fn new(trie: &Trie, origin: u32, stars: &mut Stars) -> Result<States, TooMany> {
        let is_star = origin != ROOT;
        let node = trie.node(origin);
        let bound = node.map_or(NONE, |node| node.below.max(if is_star { NONE } else { node.last }));
        let mut out = States { is_star, bound, meanings: Vec::new(), steps: Vec::new() };
        let mut first = Vec::new();
        match is_star {
            true => node.into_iter().flat_map(|node| &node.gaps).for_each(|gap| enter(trie, *gap, &mut first)),
            false => enter(trie, ROOT, &mut first),
        }
        // What letters lead to from the star itself, in whatever state the run is.
        let own: Vec<Vec<u32>> = match is_star {
            true => (0..=u8::MAX).map(|letter| step(trie, &[], Some(origin), letter)).collect(),
            false => Vec::new(),
        };
        let mut sets: Vec<Vec<u32>> = vec![settled(first)];
        let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::from_iter([(sets.concat(), 0)]);
        while let Some(set) = sets.get(out.steps.len()).cloned() {
            stars.states += 1;
            out.meanings.push(meaning(trie, &set, stars));
            let mut steps = Vec::new();
            for letter in touched(trie, &set, origin, out.steps.is_empty()) {
                let mut next = step(trie, &set, None, letter);
                if let Some(own) = own.get(usize::from(letter)).filter(|own| !own.is_empty()) {
                    next.extend_from_slice(own);
                    next = settled(next);
                }
                let fresh = sets.len() as u32;
                let to = *numbers.entry(next).or_insert_with_key(|next| {
                    sets.push(next.clone());
                    fresh
                });
                steps.push((letter, to));
            }
            out.steps.push(steps);
            if stars.states > STATES_PER_NODE * trie.nodes.len() + STATES_MORE {
                return Err(TooMany(origin));
            }
        }
        out.forget_defaults();
        Ok(out)
    }

    /// Leaves out the steps that go where letters go by default.
    fn forget_defaults(&mut self) {
        let (is_star, first) = (self.is_star, self.steps.first().cloned().unwrap_or_default());
        let dead = (!is_star).then(|| self.dead()).flatten();
        let default = |letter: u8| match is_star {
            true => first.iter().find(|(own, _)| *own == letter).map_or(Some(0), |(_, to)| Some(*to)),
            false => dead,
        };
        for (at, steps) in self.steps.iter_mut().enumerate() {
            steps.retain(|(letter, to)| match at {
                0 => {
                    if is_star {
                        *to != 0
                    } else {
                        Some(*to) != dead
                    }
                }
                _ => Some(*to) != default(*letter),
            });
        }
    }

    /// The state of no node, which nothing leads away from.
    fn dead(&self) -> Option<u32> {
        let is_dead = |(meaning, steps): (&Meaning, &Vec<(u8, u32)>)| {
            meaning.is_plain() && meaning.bound == NONE && steps.is_empty()
        };
        self.meanings.iter().zip(&self.steps).position(is_dead).map(|at| at as u32)
    }

    /// Whether a state can only go on by one letter.
    fn is_link(&self, state: u32) -> bool {
        let at = state as usize;
        self.meanings.get(at).is_some_and(Meaning::is_plain) && self.steps.get(at).is_some_and(|steps| steps.len() == 1)
    }

    /// The states that are a record of their own: those that something leads to beside a chain of links.
    fn heads(&self) -> Vec<bool> {
        let mut before = vec![0_u32; self.steps.len()];
        let mut heads = vec![false; self.steps.len()];
        if let Some(first) = heads.first_mut() {
            *first = true;
        }
        for (from, steps) in self.steps.iter().enumerate() {
            for (_, to) in steps {
                let Some(count) = before.get_mut(*to as usize) else { continue };
                *count += 1;
                if !self.is_link(from as u32) || from == 0 || *count > 1 || !self.is_link(*to) {
                    heads.get_mut(*to as usize).into_iter().for_each(|head| *head = true);
                }
            }
        }
        heads
    }

    fn write(&self, letters: usize, tables: &mut Tables) {
        let heads = self.heads();
        let base = tables.records.len() as u32;
        let mut numbers = vec![0_u32; heads.len()];
        let of_heads = numbers.iter_mut().zip(&heads).filter(|(_, head)| **head);
        of_heads.zip(base..).for_each(|((number, _), next)| *number = next);
        let number = |state: u32| numbers.get(state as usize).copied().unwrap_or_default();
        for state in (0..heads.len() as u32).filter(|state| heads.get(*state as usize) == Some(&true)) {
            let record = match state != 0 && self.is_link(state) {
                true => self.chain(state, &heads, number, tables),
                false => self.fork(state, number, tables),
            };
            tables.records.push(record);
        }
        let first = self.steps.first().map(Vec::as_slice).unwrap_or_default();
        let row = tables.rows.len() as u32;
        if self.is_star {
            tables.rows.extend(std::iter::repeat_n(Cell { next: base, then: 0 }, letters));
            for (letter, to) in first {
                let cell = tables.rows.get_mut(row as usize + usize::from(*letter));
                cell.into_iter().for_each(|cell| *cell = Cell { next: number(*to), then: self.then(*to) });
            }
        }
        tables.automata.push(Automaton { start: base, is_star: self.is_star, row, bound: self.bound });
    }

    /// The letters after which a run in this state is elsewhere than if it had just begun with them.
    fn then(&self, state: u32) -> u32 {
        let acts = self
            .meanings
            .get(state as usize)
            .is_some_and(|meaning| meaning.fires != NONE || !meaning.spawns.is_empty());
        let steps = self.steps.get(state as usize).map(Vec::as_slice).unwrap_or_default();
        if acts { u32::MAX } else { steps.iter().fold(0, |marks, (letter, _)| marks | mark(*letter)) }
    }

    /// A record of letters that follow one another.
    fn chain(&self, state: u32, heads: &[bool], number: impl Fn(u32) -> u32, tables: &mut Tables) -> Record {
        let at = tables.labels.len() as u32;
        let mut to = state;
        while let Some((letter, next)) = self.steps.get(to as usize).and_then(|steps| steps.first()) {
            tables.labels.push(*letter);
            to = *next;
            if heads.get(to as usize) == Some(&true) {
                break;
            }
        }
        let bound = self.meanings.get(state as usize).map_or(NONE, |meaning| meaning.bound);
        let length = (tables.labels.len() as u32 - at) as u16;
        Record { accepts: NONE, effect: 0, bound, at, length, next: Some(number(to)) }
    }

    /// A record of what there is to do, and where each letter leads.
    fn fork(&self, state: u32, number: impl Fn(u32) -> u32, tables: &mut Tables) -> Record {
        let meaning = self.meanings.get(state as usize).cloned().unwrap_or_default();
        let steps = self.steps.get(state as usize).map(Vec::as_slice).unwrap_or_default();
        let at = tables.letters.len() as u32;
        tables.letters.extend(steps.iter().map(|(letter, _)| *letter));
        tables.targets.extend(steps.iter().map(|(_, to)| number(*to)));
        let effect = match meaning.fires == NONE && meaning.spawns.is_empty() {
            true => 0,
            false => tables.effect(meaning.fires, &meaning.spawns),
        };
        let Meaning { accepts, bound, .. } = meaning;
        Record { accepts, effect, bound, at, length: steps.len() as u16, next: None }
    }
}

/// Adds a node, and the gaps after it, which may be empty.
fn enter(trie: &Trie, at: u32, out: &mut Vec<u32>) {
    out.push(at);
    trie.node(at).into_iter().flat_map(|node| &node.gaps).for_each(|gap| enter(trie, *gap, out));
}

fn settled(mut nodes: Vec<u32>) -> Vec<u32> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

fn step(trie: &Trie, set: &[u32], star: Option<u32>, letter: u8) -> Vec<u32> {
    let mut next = Vec::new();
    for (at, node) in set.iter().copied().chain(star).filter_map(|at| Some((at, trie.node(at)?))) {
        for (_, to) in node.edges.iter().filter(|(letters, _)| holds(letters, letter)) {
            enter(trie, *to, &mut next);
        }
        if holds(&node.loops, letter) {
            enter(trie, at, &mut next);
        }
        if star == Some(at) {
            node.gaps.iter().for_each(|gap| enter(trie, *gap, &mut next));
        }
    }
    settled(next)
}

/// The letters that may lead elsewhere than from the first state of a star.
fn touched(trie: &Trie, set: &[u32], origin: u32, is_first: bool) -> Vec<u8> {
    let own = if is_first { Some(origin) } else { None };
    let mut all: Letters = [0; 4];
    let mut join = |letters: &Letters| all.iter_mut().zip(letters).for_each(|(part, more)| *part |= more);
    for node in set.iter().copied().chain(own).filter_map(|at| trie.node(at)) {
        node.edges.iter().for_each(|(letters, _)| join(letters));
        join(&node.loops);
    }
    if alphabet::size(&all) == 0 { Vec::new() } else { members(&all).collect() }
}

fn meaning(trie: &Trie, set: &[u32], stars: &mut Stars) -> Meaning {
    let mut out = Meaning::default();
    for node in set.iter().filter_map(|at| trie.node(*at)) {
        out.accepts = out.accepts.max(node.last);
        out.bound = out.bound.max(node.last).max(node.below);
        if let Some((at, star)) = node.star.and_then(|at| Some((at, trie.node(at)?))) {
            out.fires = out.fires.max(star.last);
            if star.below > NONE {
                out.spawns.push(stars.number(at));
            }
        }
    }
    out
}
