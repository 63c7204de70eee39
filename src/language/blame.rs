//! Which entry of one list decides what the other list decides otherwise.
#![expect(clippy::indexing_slicing, reason = "entry and node numbers come from the table of the diff")]

use crate::language::answer::{Answer, Budget, Colours};
use crate::language::diff::{Diff, Difference};
use crate::language::pattern::Pattern;
use crate::language::search::Goal;
use crate::language::trie::{ROOT, Trie};

/// One of the two lists of a [`Diff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum List {
    /// The old one.
    Old = 0,
    /// The new one.
    New = 1,
}

/// A question about the calls that one entry decides in its own list.
#[derive(Clone, Copy, Debug)]
pub struct Blame<'a> {
    /// The list.
    pub list: List,
    /// The entry's place there.
    pub place: usize,
    /// The colours that the call is to have in the other list.
    pub wanted: Colours,
    /// Whether only calls count that the other list decides by an entry which both lists have, or by none.
    pub kept: bool,
    /// Only calls that this matches, all of which the entry has to match; `None`: all that it matches.
    pub include: Option<(&'a Pattern, &'a Pattern)>,
    /// Of these only calls that none of these matches.
    pub exclude: &'a [(Pattern, Pattern)],
}

impl Diff {
    /// The places of the entries that only this list has. Every call that the lists decide differently is decided by one of
    /// them in its list, if the fallbacks are the same.
    pub fn changed(&self, list: List) -> Vec<usize> {
        let (ours, other) = (list as usize, 1 - list as usize);
        self.places.iter().filter(|place| place[other].is_none()).filter_map(|place| place[ours]).collect()
    }

    /// A shortest possible call that an entry decides in its list and that has a wanted colour in the other one.
    pub fn decided_by(&mut self, blame: &Blame<'_>, budget: &mut Budget) -> Answer<Difference> {
        let ours = blame.list as usize;
        let target = self.places.iter().position(|place| place[ours] == Some(blame.place));
        let Some(target) = target else { return Answer::No };
        let (ours, other) = (ours, 1 - ours);
        let surely = self.surely(target, other);
        let useful: Vec<usize> =
            (0..self.places.len()).filter(|&rank| self.is_useful(rank, target, surely, blame)).collect();
        let pair = Pair { places: &self.places, fallbacks: self.fallbacks, reach: &self.reach };
        let limit = self.table.ranks().target();
        let goal = OneOfTwo {
            colours: &self.table.colours.clone(),
            pair,
            ours,
            other,
            blame,
            target: target as i32,
            surely,
            useful: &self.heights(&useful),
            limit,
        };
        if useful.is_empty() && !goal.accepts(surely) {
            return Answer::No;
        }
        let table = &mut self.table;
        let found = budget.ask(|meter| {
            let found = match blame.include {
                None => {
                    let words = table.words.of(target).map(|word| table.words.get(word));
                    table.search_words(words, &[ROOT], &goal, meter)
                }
                Some((key, value)) => {
                    let include = [(key.clone(), value.clone())];
                    table.within(&include, blame.exclude, meter, |table, words, roots, meter| {
                        table.search_words(words, roots, &goal, meter)
                    })
                }
            };
            found.map(|symbols| table.call(&symbols))
        });
        found.map(|call| {
            let [old, new] = self.decide(&call);
            Difference { call, old, new }
        })
    }

    /// The highest rank that the other list has for every call of the target: an entry of the same words, as a rule that
    /// only moved has one there.
    fn surely(&self, target: usize, other: usize) -> i32 {
        let twin = |word| {
            let ranks = self.table.trie.ranks(self.table.ends[word]).iter().map(|&rank| rank as usize);
            let there = |rank: &usize| self.places.get(*rank).is_some_and(|place| place[other].is_some());
            ranks.filter(there).max().map_or(-1, |rank| rank as i32)
        };
        self.table.words.of(target).map(twin).min().unwrap_or(-1)
    }

    /// Whether an entry can be what decides a sought call in the other list.
    fn is_useful(&self, rank: usize, target: usize, surely: i32, blame: &Blame<'_>) -> bool {
        let ours = blame.list as usize;
        let (in_ours, in_other) = (self.places[rank][ours].is_some(), self.places[rank][1 - ours].is_some());
        let spoils = in_ours && rank > target;
        in_other
            && !spoils
            && rank as i32 > surely
            && (in_ours || !blame.kept)
            && blame.wanted.has(self.table.colours[rank])
    }

    /// For each node the highest of these entries at or below it.
    fn heights(&self, entries: &[usize]) -> Vec<i32> {
        let mut heights = vec![-1; self.table.trie.len() as usize];
        for &entry in entries {
            for word in self.table.words.of(entry) {
                self.table.trie.climb(self.table.ends[word], |node| {
                    let height: &mut i32 = &mut heights[node as usize];
                    *height = (*height).max(entry as i32);
                });
            }
        }
        heights
    }
}

/// What a diff knows of its two lists.
#[derive(Clone, Copy)]
struct Pair<'a> {
    places: &'a [[Option<usize>; 2]],
    fallbacks: [u8; 2],
    reach: &'a [[[i32; 4]; 2]],
}

/// The target is the last match in its list, and the last match in the other one has a wanted colour.
struct OneOfTwo<'a> {
    colours: &'a [u8],
    pair: Pair<'a>,
    ours: usize,
    other: usize,
    blame: &'a Blame<'a>,
    target: i32,
    /// What matches in the other list whatever follows.
    surely: i32,
    /// For each node the highest entry at or below it that can decide a sought call in the other list.
    useful: &'a [i32],
    limit: i32,
}

impl OneOfTwo<'_> {
    /// The highest rank that a list has at or below a node.
    fn highest(&self, trie: &Trie, node: u32, list: usize) -> i32 {
        let reach = self.pair.reach.get(trie.home(node) as usize);
        reach.and_then(|reach| reach[list].iter().max().copied()).unwrap_or(-1)
    }
}

impl Goal for OneOfTwo<'_> {
    /// The last match in the other list. Along a word of the target it matches in its own.
    type Best = i32;

    fn start(&self) -> i32 {
        self.surely
    }

    fn fire(&self, best: &mut i32, ranks: &[u32]) -> bool {
        for &rank in ranks {
            let rank = rank as i32;
            if rank > self.limit {
                return false;
            }
            let place = self.pair.places[rank as usize];
            if place[self.ours].is_some() && rank > self.target {
                return false;
            }
            if place[self.other].is_some() {
                *best = (*best).max(rank);
            }
            if rank <= self.target && rank <= *best {
                break;
            }
        }
        true
    }

    fn keeps(&self, trie: &Trie, node: u32, best: i32) -> bool {
        trie.top(node) > self.limit
            || self.highest(trie, node, self.ours) > self.target
            || self.highest(trie, node, self.other) > best
    }

    fn helps(&self, trie: &Trie, node: u32, best: i32) -> bool {
        self.useful.get(trie.home(node) as usize).is_some_and(|&height| height > best)
    }

    fn bound(&self, trie: &Trie, nodes: &[u32], best: i32) -> Option<u32> {
        if self.accepts(best) {
            return Some(0);
        }
        let least = |&node: &u32| {
            let least = trie.least(node).iter().enumerate();
            let wanted = least.filter(|&(colour, _)| self.blame.wanted.has(colour as u8));
            wanted.map(|(_, &least)| u32::from(least)).min()
        };
        nodes.iter().filter(|&&node| self.helps(trie, node, best)).filter_map(least).min()
    }

    fn accepts(&self, best: i32) -> bool {
        let Ok(rank) = usize::try_from(best) else { return self.blame.wanted.has(self.pair.fallbacks[self.other]) };
        let kept = !self.blame.kept || self.pair.places[rank][self.ours].is_some();
        self.blame.wanted.has(self.colours[rank]) && kept
    }

    fn is_indifferent(&self) -> bool {
        false
    }
}
