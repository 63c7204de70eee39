//! The words of one kind of request, sharing their common beginnings.

use super::alphabet::Letters;
use rustc_hash::FxHashMap;

/// One part of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Token {
    /// One letter of a set.
    One(Letters),
    /// Any run of letters of a set.
    Gap(Letters),
    /// Any run of letters.
    Star,
}

/// A rule by its place in the ruleset, from 1; 0 is none.
pub(super) type Number = u32;

#[derive(Debug, Default)]
pub(super) struct Node {
    /// Where one letter of a set leads to.
    pub(super) edges: Vec<(Letters, u32)>,
    /// What a gap after this node leads to.
    pub(super) gaps: Vec<u32>,
    /// What a star after this node leads to.
    pub(super) star: Option<u32>,
    /// The letters that stay at this node, which is a gap.
    pub(super) loops: Letters,
    /// The last rule that a word ends here for.
    pub(super) last: Number,
    /// The last rule of a word that goes on from here.
    pub(super) below: Number,
}

#[derive(Debug)]
pub(super) struct Trie {
    pub(super) nodes: Vec<Node>,
    children: FxHashMap<(u32, Token), u32>,
}

pub(super) const ROOT: u32 = 0;

impl Trie {
    pub(super) fn new() -> Trie {
        Trie { nodes: vec![Node::default()], children: FxHashMap::default() }
    }

    pub(super) fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }

    fn node_mut(&mut self, at: u32) -> Option<&mut Node> {
        self.nodes.get_mut(at as usize)
    }

    /// Adds a word of a rule. Rules come in order, so a later one that ends at the same node takes its place.
    pub(super) fn add(&mut self, word: &[Token], rule: Number) {
        let mut at = ROOT;
        for token in word {
            if let Some(node) = self.node_mut(at) {
                node.below = node.below.max(rule);
            }
            at = self.child(at, *token);
        }
        if let Some(node) = self.node_mut(at) {
            node.last = node.last.max(rule);
        }
    }

    fn child(&mut self, at: u32, token: Token) -> u32 {
        let next = self.nodes.len() as u32;
        let child = *self.children.entry((at, token)).or_insert(next);
        if child == next {
            let loops = if let Token::Gap(letters) = token { letters } else { [0; 4] };
            self.nodes.push(Node { loops, ..Node::default() });
            if let Some(node) = self.node_mut(at) {
                match token {
                    Token::One(letters) => node.edges.push((letters, next)),
                    Token::Gap(_) => node.gaps.push(next),
                    Token::Star => node.star = Some(next),
                }
            }
        }
        child
    }

    /// The nodes behind the stars of a word, in order.
    pub(super) fn stars(&self, word: &[Token]) -> Vec<u32> {
        let mut at = ROOT;
        let mut out = Vec::new();
        for token in word {
            let Some(child) = self.children.get(&(at, *token)) else { break };
            at = *child;
            out.extend((*token == Token::Star).then_some(at));
        }
        out
    }
}
