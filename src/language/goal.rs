//! What a search in one table is for: no match above a limit, and a last match below it of a wanted colour.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::language::answer::Colours;
use crate::language::search::Goal;
use crate::language::trie::Trie;

/// Ranks in a table: first the entries, then [`Ranks::target`], then what must not match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranks<'a> {
    pub(crate) colours: &'a [u8],
    pub(crate) fallback: u8,
}

impl Ranks<'_> {
    /// The rank of what a string is sought in, beside the word that is walked along.
    pub(crate) fn target(self) -> i32 {
        self.colours.len() as i32
    }

    pub(crate) fn colour(self, rank: i32) -> u8 {
        match usize::try_from(rank) {
            Ok(rank) => self.colours.get(rank).copied().unwrap_or(self.fallback),
            Err(_) => self.fallback,
        }
    }
}

/// The highest rank of each colour at or below each node.
pub(crate) type Reach = Vec<[i32; 4]>;

pub(crate) struct LastMatch<'a> {
    pub(crate) ranks: Ranks<'a>,
    /// A match of a higher rank spoils the string; one of this rank does not count.
    pub(crate) limit: i32,
    /// Matches up to here do not count either; the colour of this one is what the string has to begin with.
    pub(crate) floor: i32,
    pub(crate) want: Want<'a>,
    /// Where the ranks that spoil strings are recorded.
    pub(crate) spoilers: Option<&'a RefCell<BTreeSet<i32>>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Want<'a> {
    /// Any string that is not spoilt.
    Anything,
    /// One whose last match has such a colour.
    Colour(Colours, &'a Reach),
    /// One that [`Ranks::target`] matches, whose nodes are this one and those after it.
    Target(u32),
}

impl Goal for LastMatch<'_> {
    type Best = i32;

    fn start(&self) -> i32 {
        self.floor
    }

    fn fire(&self, best: &mut i32, ranks: &[u32]) -> bool {
        for &rank in ranks {
            let rank = rank as i32;
            if rank > self.limit {
                if let Some(spoilers) = self.spoilers {
                    spoilers.borrow_mut().insert(rank);
                }
                return false;
            }
            let counts = rank < self.limit || matches!(self.want, Want::Target(_));
            if counts {
                *best = (*best).max(rank);
                return true;
            }
        }
        true
    }

    fn keeps(&self, trie: &Trie, node: u32, best: i32) -> bool {
        trie.top(node) > self.limit
            || match self.want {
                Want::Anything => false,
                Want::Target(from) => node >= from,
                Want::Colour(_, reach) => highest(reach, trie.home(node), Colours::ALL) > best,
            }
    }

    fn helps(&self, trie: &Trie, node: u32, best: i32) -> bool {
        match self.want {
            Want::Anything => false,
            Want::Target(from) => node >= from && best != self.ranks.target(),
            Want::Colour(wanted, reach) => highest(reach, trie.home(node), wanted) > best,
        }
    }

    fn bound(&self, trie: &Trie, nodes: &[u32], best: i32) -> Option<u32> {
        if self.accepts(best) {
            return Some(0);
        }
        let least = |&node: &u32| {
            let least = trie.least(node).iter().enumerate();
            let wanted = least.filter(|&(colour, _)| match self.want {
                Want::Colour(wanted, _) => wanted.has(colour as u8),
                Want::Anything | Want::Target(_) => true,
            });
            wanted.map(|(_, &least)| u32::from(least)).min()
        };
        nodes.iter().filter(|&&node| self.helps(trie, node, best)).filter_map(least).min()
    }

    fn accepts(&self, best: i32) -> bool {
        match self.want {
            Want::Anything => true,
            Want::Colour(wanted, _) => wanted.has(self.ranks.colour(best)),
            Want::Target(_) => best == self.ranks.target(),
        }
    }

    fn is_indifferent(&self) -> bool {
        matches!(self.want, Want::Anything)
    }
}

fn highest(reach: &Reach, node: u32, colours: Colours) -> i32 {
    let Some(reach) = reach.get(node as usize) else { return -1 };
    let wanted = reach.iter().enumerate().filter(|&(colour, _)| colours.has(colour as u8));
    wanted.map(|(_, &rank)| rank).max().unwrap_or(-1)
}
