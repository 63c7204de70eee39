//! What two lists of entries decide differently.
//!
//! Both lists go into one table, over a common supersequence, so that what they share is read once. A call is decided
//! differently only if its last match in the old list is an entry that only the old one has, or in the new list one that only
//! the new one has; so a search needs only look around those.
#![expect(clippy::indexing_slicing, reason = "entry and node numbers come from the table that is built here")]

use rustc_hash::FxHashMap;

use crate::language::answer::{Answer, Budget, Call, Colours, TooLarge};
use crate::language::pattern::{Case, Dialect, Pattern};
use crate::language::search::Goal;
use crate::language::table::{Entry, Table};
use crate::language::trie::Trie;

/// The most pairs of entries that are compared to align two lists as well as can be.
const MAX_PAIRS: usize = 4_000_000;
/// With more changed entries than this one search over everything is cheaper than one for each.
const MAX_LEFT: usize = 200;

/// One of two lists.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The entries, of which the last match decides.
    pub entries: &'a [Entry<'a>],
    /// The colour of a call that none matches.
    pub fallback: u8,
}

/// A call that two lists decide differently, and what decides it in each; none is the fallback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The call.
    pub call: Call,
    /// The place in the old list.
    pub old: Option<usize>,
    /// The place in the new list.
    pub new: Option<usize>,
}

/// Two lists of entries in one table, ready for questions about what changed between them.
pub struct Diff {
    pub(super) table: Table,
    /// For each merged entry its place in the old and in the new list.
    pub(super) places: Vec<[Option<usize>; 2]>,
    pub(super) fallbacks: [u8; 2],
    /// For each node the highest rank at or below it, by list and colour.
    pub(super) reach: Vec<[[i32; 4]; 2]>,
}

impl Diff {
    /// Aligns two lists. `impossible` is as for [`Table::new`].
    ///
    /// # Errors
    /// The limits of [`Table::new`].
    pub fn new(old: Side, new: Side, impossible: &[(Pattern, Pattern)], case: Case) -> Result<Diff, TooLarge> {
        let places = align(old.entries, new.entries);
        let entries: Vec<Entry> = places
            .iter()
            .filter_map(|place| match place {
                [Some(old_place), _] => old.entries.get(*old_place).copied(),
                [None, Some(new_place)] => new.entries.get(*new_place).copied(),
                [None, None] => None,
            })
            .collect();
        let table = Table::new(&entries, impossible, old.fallback, case)?;
        let reach = reach(&table, &places);
        Ok(Diff { table, places, fallbacks: [old.fallback, new.fallback], reach })
    }

    /// A shortest possible call whose colour is in `wanted_old` by the old list and in `wanted_new` by the new one, within
    /// `include` if that is given, and not in `exclude`.
    pub fn find(
        &mut self,
        wanted_old: Colours,
        wanted_new: Colours,
        include: Option<&[(Pattern, Pattern)]>,
        exclude: &[(Pattern, Pattern)],
        budget: &mut Budget,
    ) -> Answer<Difference> {
        let wanted = [wanted_old, wanted_new];
        let local = !wanted_old.meets(wanted_new) && self.fallbacks[0] == self.fallbacks[1];
        let changed: Vec<usize> = (0..self.places.len()).filter(|&entry| self.is_change(entry, wanted)).collect();
        if local && changed.is_empty() {
            return Answer::No;
        }
        let useful = if local { Some(self.useful(&changed)) } else { None };
        let everything = [(Pattern::wildcard("*"), Pattern::wildcard("*"))];
        let own_words = include.is_none() && local && changed.len() <= MAX_LEFT;
        let include = include.unwrap_or(&everything);
        let (places, fallbacks, reach) = (&self.places, self.fallbacks, &self.reach);
        let table = &mut self.table;
        let found = budget.ask(|meter| {
            let found = table.within(include, exclude, meter, |table, words, roots, meter| {
                let limit = table.ranks().target();
                let goal = TwoMatches {
                    colours: &table.colours,
                    places,
                    fallbacks,
                    reach,
                    useful: useful.as_ref(),
                    wanted,
                    limit,
                };
                if own_words {
                    let words = changed.iter().flat_map(|&entry| table.words.of(entry));
                    table.search_words(words.map(|word| table.words.get(word)), roots, &goal, meter)
                } else {
                    table.search_words(words, roots, &goal, meter)
                }
            });
            found.map(|symbols| table.call(&symbols))
        });
        found.map(|call| {
            let [old, new] = self.decide(&call);
            Difference { call, old, new }
        })
    }

    /// What decides a call in each list, as places there.
    pub fn decide(&mut self, call: &Call) -> [Option<usize>; 2] {
        [0, 1].map(|side| {
            let places = &self.places;
            let last = self.table.last_where(&call.key, &call.value, |entry| places[entry][side].is_some());
            last.and_then(|entry| places[entry][side])
        })
    }

    /// Whether an entry is in one list only and gives a colour that is wanted there.
    fn is_change(&self, entry: usize, wanted: [Colours; 2]) -> bool {
        match self.places[entry] {
            [Some(_), None] => wanted[0].has(self.table.colours[entry]),
            [None, Some(_)] => wanted[1].has(self.table.colours[entry]),
            _ => false,
        }
    }

    /// For each entry whether it is a change, and for each node the highest one at or below it.
    fn useful(&self, changed: &[usize]) -> (Vec<bool>, Vec<i32>) {
        let mut is_change = vec![false; self.places.len()];
        let mut highest = vec![-1; self.table.trie.len() as usize];
        for &entry in changed {
            is_change[entry] = true;
            for word in self.table.words.of(entry) {
                self.table.trie.climb(self.table.ends[word], |node| {
                    highest[node as usize] = highest[node as usize].max(entry as i32);
                });
            }
        }
        (is_change, highest)
    }
}

fn reach(table: &Table, places: &[[Option<usize>; 2]]) -> Vec<[[i32; 4]; 2]> {
    let mut reach = vec![[[-1; 4]; 2]; table.trie.len() as usize];
    for (entry, place) in places.iter().enumerate() {
        let colour = usize::from(table.colours[entry]);
        for word in table.words.of(entry) {
            table.trie.climb(table.ends[word], |node| {
                for side in 0..2 {
                    if place[side].is_some() {
                        reach[node as usize][side][colour] = entry as i32;
                    }
                }
            });
        }
    }
    reach
}

struct TwoMatches<'a> {
    colours: &'a [u8],
    places: &'a [[Option<usize>; 2]],
    fallbacks: [u8; 2],
    reach: &'a [[[i32; 4]; 2]],
    useful: Option<&'a (Vec<bool>, Vec<i32>)>,
    wanted: [Colours; 2],
    limit: i32,
}

impl TwoMatches<'_> {
    fn colour(&self, side: usize, rank: i32) -> u8 {
        usize::try_from(rank).map_or(self.fallbacks[side], |rank| self.colours[rank])
    }

    fn highest(&self, trie: &Trie, node: u32, side: usize, colours: Colours) -> i32 {
        let Some(reach) = self.reach.get(trie.home(node) as usize) else { return -1 };
        let wanted = reach[side].iter().enumerate().filter(|&(colour, _)| colours.has(colour as u8));
        wanted.map(|(_, &rank)| rank).max().unwrap_or(-1)
    }

    /// Whether a changed entry decides, or still can.
    fn can_change(&self, trie: &Trie, nodes: &[u32], best: [i32; 2]) -> bool {
        let Some((is_change, highest)) = self.useful else { return true };
        let decides = |rank: i32| usize::try_from(rank).is_ok_and(|rank| is_change[rank]);
        let can = |node: &u32| highest.get(trie.home(*node) as usize).is_some_and(|&rank| rank > best[0].min(best[1]));
        best.into_iter().any(decides) || nodes.iter().any(can)
    }
}

impl Goal for TwoMatches<'_> {
    type Best = [i32; 2];

    fn start(&self) -> [i32; 2] {
        [-1; 2]
    }

    fn fire(&self, best: &mut [i32; 2], ranks: &[u32]) -> bool {
        let mut open = [true; 2];
        for &rank in ranks {
            let rank = rank as i32;
            if rank > self.limit {
                return false;
            }
            for ((best, open), place) in best.iter_mut().zip(&mut open).zip(self.places[rank as usize]) {
                if *open && place.is_some() {
                    *best = (*best).max(rank);
                    *open = false;
                }
            }
            if open == [false; 2] {
                break;
            }
        }
        true
    }

    fn keeps(&self, trie: &Trie, node: u32, best: [i32; 2]) -> bool {
        trie.top(node) > self.limit || (0..2).any(|side| self.highest(trie, node, side, Colours::ALL) > best[side])
    }

    fn helps(&self, trie: &Trie, node: u32, best: [i32; 2]) -> bool {
        (0..2).any(|side| self.highest(trie, node, side, self.wanted[side]) > best[side])
    }

    fn bound(&self, trie: &Trie, nodes: &[u32], best: [i32; 2]) -> Option<u32> {
        if !self.can_change(trie, nodes, best) {
            return None;
        }
        let mut bound = 0;
        for (side, best) in best.into_iter().enumerate() {
            if self.wanted[side].has(self.colour(side, best)) {
                continue;
            }
            let helpful = nodes.iter().filter(|&&node| self.highest(trie, node, side, self.wanted[side]) > best);
            let least = |&node: &u32| {
                let least = trie.least(node).iter().enumerate();
                let wanted = least.filter(|&(colour, _)| self.wanted[side].has(colour as u8));
                wanted.map(|(_, &least)| u32::from(least)).min()
            };
            bound = bound.max(helpful.filter_map(least).min()?);
        }
        Some(bound)
    }

    fn accepts(&self, best: [i32; 2]) -> bool {
        (0..2).all(|side| self.wanted[side].has(self.colour(side, best[side])))
    }

    fn is_indifferent(&self) -> bool {
        false
    }
}

/// What makes two entries the same: dialects, texts and colour.
type Identity<'a> = (Dialect, &'a str, Dialect, &'a str, u8);

fn identity<'a>(entry: &Entry<'a>) -> Identity<'a> {
    (entry.key.dialect(), entry.key.text(), entry.value.dialect(), entry.value.text(), entry.colour)
}

/// A common supersequence of two lists: for each of its entries the places in both.
fn align(old: &[Entry], new: &[Entry]) -> Vec<[Option<usize>; 2]> {
    let same = |(one, other): &(&Entry, &Entry)| identity(one) == identity(other);
    let head = old.iter().zip(new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let (old_middle, new_middle) = (&old[head..old.len() - tail], &new[head..new.len() - tail]);
    let pairs = if old_middle.len().saturating_mul(new_middle.len()) <= MAX_PAIRS {
        longest_common(old_middle, new_middle)
    } else {
        anchored_common(old_middle, new_middle)
    };
    let mut places: Vec<[Option<usize>; 2]> = (0..head).map(|place| [Some(place), Some(place)]).collect();
    let (mut at_old, mut at_new) = (0, 0);
    for (old_place, new_place) in pairs.into_iter().chain([(old_middle.len(), new_middle.len())]) {
        places.extend((at_old..old_place).map(|place| [Some(head + place), None]));
        places.extend((at_new..new_place).map(|place| [None, Some(head + place)]));
        if old_place < old_middle.len() {
            places.push([Some(head + old_place), Some(head + new_place)]);
        }
        (at_old, at_new) = (old_place + 1, new_place + 1);
    }
    places.extend((0..tail).map(|place| [Some(old.len() - tail + place), Some(new.len() - tail + place)]));
    places
}

/// The pairs of a longest common subsequence, by the usual table.
fn longest_common(old: &[Entry], new: &[Entry]) -> Vec<(usize, usize)> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            lengths[i * width + j] = if identity(one) == identity(other) {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < old.len() && j < new.len() {
        if identity(&old[i]) == identity(&new[j]) {
            pairs.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

/// The pairs of some common subsequence of long lists: the longest one of the entries that stand once in each, and between
/// those what the usual table finds where it is small enough.
fn anchored_common(old: &[Entry], new: &[Entry]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    for (old_place, new_place) in rising(&once(old, new)).into_iter().chain([(old.len(), new.len())]) {
        let (gap_old, gap_new) = (&old[at_old..old_place], &new[at_new..new_place]);
        if gap_old.len().saturating_mul(gap_new.len()) <= MAX_PAIRS {
            out.extend(longest_common(gap_old, gap_new).into_iter().map(|(i, j)| (at_old + i, at_new + j)));
        }
        if old_place < old.len() {
            out.push((old_place, new_place));
        }
        (at_old, at_new) = (old_place + 1, new_place + 1);
    }
    out
}

/// The places of entries that stand once in each list, in the old list's order.
fn once(old: &[Entry], new: &[Entry]) -> Vec<(usize, usize)> {
    let mut seen: FxHashMap<Identity, [(usize, usize); 2]> = FxHashMap::default();
    for (list, entries) in [old, new].into_iter().enumerate() {
        for (place, entry) in entries.iter().enumerate() {
            let (count, last) = &mut seen.entry(identity(entry)).or_default()[list];
            (*count, *last) = (*count + 1, place);
        }
    }
    let mut pairs: Vec<(usize, usize)> = seen
        .into_values()
        .filter_map(|[(in_old, old), (in_new, new)]| (in_old == 1 && in_new == 1).then_some((old, new)))
        .collect();
    pairs.sort_unstable();
    pairs
}

/// A longest part of these pairs, which rise in their first place, that rises in the second one too.
fn rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends such a part lowest, and for each pair the one before it.
    let (mut ends, mut before): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < *new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut out = Vec::new();
    let mut next = ends.last().copied();
    while let Some(at) = next {
        out.push(pairs[at]);
        next = before[at];
    }
    out.reverse();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_aligned() {
        let patterns: Vec<Pattern> = ["a", "b", "c", "d", "e"].map(Pattern::wildcard).into();
        let list = |places: &[usize]| -> Vec<Entry> {
            places.iter().map(|&place| Entry { key: &patterns[place], value: &patterns[0], colour: 0 }).collect()
        };
        let (old, new) = (list(&[0, 1, 2, 3, 4]), list(&[0, 2, 1, 3, 4, 4]));
        let places = align(&old, &new);
        for side in 0..2 {
            let kept: Vec<usize> = places.iter().filter_map(|place| place[side]).collect();
            assert_eq!(kept, (0..[old.len(), new.len()][side]).collect::<Vec<_>>());
        }
        assert_eq!(places.len(), 7);
        assert_eq!(anchored_common(&old, &new), [(0, 0), (2, 1), (3, 3), (4, 4)]);
        assert_eq!(rising(&[(0, 3), (1, 0), (2, 1), (3, 4), (4, 2)]), [(1, 0), (2, 1), (4, 2)]);
    }
}
