//! An ordered list of entries of which the last match decides.
#![expect(clippy::indexing_slicing, reason = "entry numbers from callers are checked once, in `Table::contains`")]

use crate::language::alphabet::SEP;
use crate::language::answer::{Call, TooLarge};
use crate::language::goal::Ranks;
use crate::language::matters::Sweep;
use crate::language::pattern::{Case, Pattern};
use crate::language::survey::Highest;
use crate::language::trie::{Growth, Trie};
use crate::language::walk::{Range, Walk};
use crate::language::words::{Compiler, Shape, Words, shape};

/// One entry of a table: it matches a call whose key and value its two patterns match.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The pattern of the key.
    pub key: &'a Pattern,
    /// The pattern of the value.
    pub value: &'a Pattern,
    /// What it decides: a number in `0..4` that means something to the caller only.
    pub colour: u8,
}

/// An ordered list of entries, built once, that answers questions about all calls.
///
/// Entries are named by their place in the list; an answer about a place that does not exist is `No`.
pub struct Table {
    pub(crate) compiler: Compiler,
    /// The entries' words, then those of the impossible calls.
    pub(crate) words: Words,
    pub(crate) trie: Trie,
    /// The node where each word ends.
    pub(crate) ends: Vec<u32>,
    pub(crate) colours: Vec<u8>,
    pub(crate) fallback: u8,
    pub(crate) shapes: Vec<Shape>,
    /// The regular expressions of its entries.
    expressions: usize,
    pub(crate) walk: Walk,
    pub(crate) sweep: Sweep,
    /// What [`Table::survey`] found, by word.
    pub(crate) surveyed: Vec<Highest>,
    /// Entries that no longer count.
    pub(crate) retired: Vec<bool>,
    /// Off only in tests: whether decisions and guesses may stand in for searches.
    pub(crate) shortcuts: bool,
}

/// The most entries of a table.
const MAX_ENTRIES: usize = 1 << 24;

impl Table {
    /// A table of `entries`; `fallback` is the colour of a call that none matches. The calls that `impossible` matches are
    /// never made, so no witness is one of them.
    ///
    /// # Errors
    /// An over-long wildcard, a colour that is not in `0..4`, or more distinct letters, classes, expressions or words than
    /// the engine can number.
    pub fn new(
        entries: &[Entry],
        impossible: &[(Pattern, Pattern)],
        fallback: u8,
        case: Case,
    ) -> Result<Table, TooLarge> {
        if entries.len() + impossible.len() > MAX_ENTRIES {
            return Err(TooLarge::new("there are more than 16 million rules", None));
        }
        let mut compiler = Compiler::new(case);
        let mut words = Words::new();
        for (place, entry) in entries.iter().enumerate() {
            if entry.colour >= 4 {
                return Err(TooLarge::new("there are more than four kinds of decision", Some(place)));
            }
            compiler.entry(entry.key, entry.value, &mut words).map_err(|error| error.at(place))?;
        }
        for (key, value) in impossible {
            compiler.entry(key, value, &mut words)?;
        }
        compiler.alphabet.settle();
        compiler.forget_keys();
        let colours: Vec<u8> = entries.iter().map(|entry| entry.colour).collect();
        let count = colours.len();
        let mut trie = Trie::new();
        let (_, ends) = trie.grow(&Growth {
            words: &words,
            // The rank after the entries is kept free for the target of a question.
            rank: &|entry| if entry < count { entry as u32 } else { entry as u32 + 1 },
            colours: &|rank| colours.get(rank as usize).map_or(0, |colour| 1 << colour),
            automata: &compiler.automata,
        });
        let shapes = (0..count + impossible.len())
            .map(|entry| words.of(entry).map(|word| shape(words.get(word))).fold(Shape::PLAIN, Shape::and))
            .collect();
        Ok(Table {
            expressions: compiler.automata.len(),
            compiler,
            words,
            trie,
            ends,
            colours,
            fallback,
            shapes,
            walk: Walk::default(),
            sweep: Sweep::default(),
            surveyed: Vec::new(),
            retired: vec![false; count],
            shortcuts: true,
        })
    }

    /// Takes entries out, as if they were not in the list; the others keep their places.
    pub fn retire(&mut self, gone: impl Fn(usize) -> bool) {
        for (entry, retired) in self.retired.iter_mut().enumerate() {
            *retired |= gone(entry);
        }
        let retired = &self.retired;
        self.trie.retire(&|rank| retired.get(rank as usize).copied().unwrap_or(false));
        self.sweep = Sweep::default();
    }

    /// How many regular expressions it knows by its questions alone.
    pub fn learnt(&self) -> usize {
        self.compiler.automata.len() - self.expressions
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.colours.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.colours.is_empty()
    }

    /// The entry that decides a call. Also a call that is never made is decided by the entries.
    pub fn last(&mut self, key: &str, value: &str) -> Option<usize> {
        let symbols = self.encode(key, value);
        let range = Range { below: self.ranks().target(), ..Range::ALL };
        usize::try_from(self.walk(&symbols, range)).ok()
    }

    /// The last entry that matches a call, of those that `counts`.
    pub(crate) fn last_where(&mut self, key: &str, value: &str, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let symbols = self.encode(key, value);
        let mut range = Range { below: self.ranks().target(), ..Range::ALL };
        loop {
            let last = usize::try_from(self.walk(&symbols, range)).ok()?;
            if counts(last) {
                return Some(last);
            }
            range.below = last as i32;
        }
    }

    /// The colour a call would have without entry `i`.
    pub fn colour_without(&mut self, i: usize, key: &str, value: &str) -> u8 {
        self.last_where(key, value, |entry| entry != i).map_or(self.fallback, |entry| self.colours[entry])
    }

    /// Whether a call can be made at all.
    pub fn is_possible(&mut self, key: &str, value: &str) -> bool {
        let symbols = self.encode(key, value);
        let floor = self.ranks().target();
        self.walk(&symbols, Range { floor, ..Range::ALL }) == floor
    }

    /// The colour of a call.
    pub fn colour_of(&mut self, key: &str, value: &str) -> u8 {
        self.last(key, value).map_or(self.fallback, |entry| self.colours[entry])
    }

    pub(crate) fn contains(&self, entry: usize) -> bool {
        self.retired.get(entry) == Some(&false)
    }

    pub(crate) fn ranks(&self) -> Ranks<'_> {
        Ranks { colours: &self.colours, fallback: self.fallback }
    }

    pub(crate) fn walk(&mut self, symbols: &[u16], range: Range) -> i32 {
        self.walk.last(&self.trie, &self.compiler.alphabet, symbols, range)
    }

    /// The shape of the words of a rank.
    pub(crate) fn shape(&self, rank: i32) -> Shape {
        let rank = rank as usize;
        self.shapes[if rank > self.colours.len() { rank - 1 } else { rank }]
    }

    fn encode(&self, key: &str, value: &str) -> Vec<u16> {
        let symbol = |unit| self.compiler.alphabet.symbol(unit);
        key.encode_utf16().map(symbol).chain([SEP]).chain(value.encode_utf16().map(symbol)).collect()
    }

    /// The call that a string of symbols stands for.
    pub(crate) fn call(&self, symbols: &[u16]) -> Call {
        let mut parts = symbols.split(|&symbol| symbol == SEP).map(|part| {
            let units: Vec<u16> = part.iter().map(|&symbol| self.compiler.alphabet.unit(symbol)).collect();
            String::from_utf16_lossy(&units)
        });
        Call { key: parts.next().unwrap_or_default(), value: parts.next().unwrap_or_default() }
    }
}
