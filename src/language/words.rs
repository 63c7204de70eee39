//! Patterns as words: sequences of tokens over an alphabet, the one form that all dialects come to.
//!
//! A pattern is one word or more (an optional tail, braces); an entry has a word for each pair of a word of its key and one
//! of its value, joined by the separator.
#![expect(clippy::indexing_slicing, reason = "`ends` and `first` are built here, in step with what they index")]

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::language::alphabet::{AUTOMATON, Alphabet, BACKSLASH, CLASS, GAP, Kind, SEP, SLASH, SLASHES, STAR};
use crate::language::answer::TooLarge;
use crate::language::glob::Piece;
use crate::language::pattern::{Case, Dialect, Pattern};
use crate::language::wildcard;

/// The most words of one entry.
const MAX_WORDS: usize = 1_024;

pub(crate) type Word = Vec<u16>;

/// A regular expression's automaton over the alphabet.
pub(crate) struct Automaton {
    pub(crate) states: Vec<State>,
    pub(crate) first: Vec<u32>,
    /// The fewest symbols that match; 0 if the empty string does.
    pub(crate) least: u16,
}

pub(crate) struct State {
    /// The token that enters this state.
    pub(crate) token: u16,
    pub(crate) next: Vec<u32>,
    pub(crate) last: bool,
    /// The fewest further symbols to an end.
    pub(crate) least: u16,
}

/// Turns patterns into words, numbering letters, classes and automata on the way.
pub(crate) struct Compiler {
    pub(crate) alphabet: Alphabet,
    pub(crate) automata: Vec<Automaton>,
    numbers: FxHashMap<Box<str>, u16>,
    keys: FxHashMap<Pattern, Rc<[Word]>>,
}

/// The words of a list of entries, in the order of the entries.
#[derive(Default)]
pub(crate) struct Words {
    tokens: Vec<u16>,
    ends: Vec<u32>,
    /// The number of the first word of each entry, and at the end the number of words.
    first: Vec<u32>,
}

impl Words {
    pub(crate) fn new() -> Words {
        Words { first: vec![0], ..Words::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, word: usize) -> &[u16] {
        let start = if word == 0 { 0 } else { self.ends[word - 1] as usize };
        &self.tokens[start..self.ends[word] as usize]
    }

    /// The numbers of an entry's words.
    pub(crate) fn of(&self, entry: usize) -> std::ops::Range<usize> {
        self.first[entry] as usize..self.first[entry + 1] as usize
    }

    fn push(&mut self, key: &[u16], value: &[u16]) {
        self.tokens.extend_from_slice(key);
        self.tokens.push(SEP);
        self.tokens.extend_from_slice(value);
        self.ends.push(self.tokens.len() as u32);
    }

    /// Adds the words of an entry of other words.
    pub(crate) fn copy(&mut self, other: &Words, entry: usize) {
        for word in other.of(entry) {
            self.tokens.extend_from_slice(other.get(word));
            self.ends.push(self.tokens.len() as u32);
        }
        self.close();
    }

    fn close(&mut self) {
        self.first.push(self.ends.len() as u32);
    }
}

impl Compiler {
    pub(crate) fn new(case: Case) -> Compiler {
        let alphabet = Alphabet::new(case);
        Compiler { alphabet, automata: Vec::new(), numbers: FxHashMap::default(), keys: FxHashMap::default() }
    }

    /// Adds the words of an entry.
    pub(crate) fn entry(&mut self, key: &Pattern, value: &Pattern, words: &mut Words) -> Result<(), TooLarge> {
        let keys = self.key(key)?;
        let values = self.pattern(value)?;
        if keys.len() * values.len() > MAX_WORDS {
            return Err(TooLarge::new(format!("the rule stands for more than {MAX_WORDS} patterns"), None));
        }
        for key in keys.iter() {
            for value in &values {
                words.push(key, value);
            }
        }
        if u32::try_from(words.tokens.len()).is_err() {
            return Err(TooLarge::new("the patterns have more than four billion characters", None));
        }
        words.close();
        Ok(())
    }

    /// Lets go of what speeds up a run of entries.
    pub(crate) fn forget_keys(&mut self) {
        self.keys = FxHashMap::default();
    }

    /// Keys repeat, so their words are kept.
    fn key(&mut self, key: &Pattern) -> Result<Rc<[Word]>, TooLarge> {
        if let Some(words) = self.keys.get(key) {
            return Ok(Rc::clone(words));
        }
        let words: Rc<[Word]> = self.pattern(key)?.into();
        self.keys.insert(key.clone(), Rc::clone(&words));
        Ok(words)
    }

    fn pattern(&mut self, pattern: &Pattern) -> Result<Vec<Word>, TooLarge> {
        if pattern.is_over_long() {
            return Err(TooLarge::new("the pattern is too long", None));
        }
        let text = pattern.text();
        Ok(match pattern.dialect() {
            Dialect::Wildcard => match text.strip_suffix(" *") {
                Some(head) => vec![self.wildcard(head)?, self.wildcard(text)?],
                None => vec![self.wildcard(text)?],
            },
            Dialect::Exact => vec![self.literals(text)?],
            Dialect::Prefix => {
                let command = self.literals(text)?;
                let mut further = command.clone();
                further.push(self.alphabet.literal(u16::from(b' '))?);
                further.push(STAR);
                vec![command, further]
            }
            Dialect::Glob => {
                let words = pattern.glob_words(self.alphabet.case());
                words.iter().map(|word| self.glob(word)).collect::<Result<_, _>>()?
            }
            Dialect::Regex => vec![vec![self.regex(pattern)?]],
        })
    }

    fn literals(&mut self, text: &str) -> Result<Word, TooLarge> {
        text.encode_utf16().map(|unit| self.alphabet.literal(unit)).collect()
    }

    /// A run of `?` and `*` is so many `?` and then at most one `*`, so that equal gaps look equal.
    fn wildcard(&mut self, text: &str) -> Result<Word, TooLarge> {
        let mut word = Word::with_capacity(text.len());
        let mut star = false;
        for unit in text.encode_utf16() {
            match unit {
                wildcard::STAR => star = true,
                wildcard::ANY => word.push(CLASS),
                _ => {
                    if std::mem::take(&mut star) {
                        word.push(STAR);
                    }
                    word.push(match unit {
                        0x2F | 0x5C => SLASHES,
                        _ => self.alphabet.literal(unit)?,
                    });
                }
            }
        }
        if star {
            word.push(STAR);
        }
        Ok(word)
    }

    fn glob(&mut self, pieces: &[Piece]) -> Result<Word, TooLarge> {
        let token = |piece: &Piece| match piece {
            Piece::One(set) => self.alphabet.one_of(set),
            Piece::Gap(set) => Ok(GAP + self.alphabet.class(set)?),
        };
        pieces.iter().map(token).collect()
    }

    fn regex(&mut self, pattern: &Pattern) -> Result<u16, TooLarge> {
        let text = pattern.text();
        if let Some(&token) = self.numbers.get(text) {
            return Ok(token);
        }
        let token = u16::try_from(usize::from(AUTOMATON) + self.automata.len())
            .map_err(|_| TooLarge::new("there are more than 5,000 distinct regular expressions", None))?;
        let raw = match pattern.automaton(self.alphabet.case()) {
            Some(Ok(raw)) => raw,
            Some(Err(error)) => return Err(TooLarge::new(error.message().to_owned(), None)),
            None => return Err(TooLarge::new("a pattern of another dialect is no regular expression", None)),
        };
        let mut states = Vec::with_capacity(raw.states.len());
        for state in &raw.states {
            let token = self.alphabet.one_of(&state.set)?;
            states.push(State { token, next: state.next.clone(), last: state.last, least: u16::MAX });
        }
        let mut automaton = Automaton { states, first: raw.first.clone(), least: 0 };
        automaton.measure(raw.empty);
        self.automata.push(automaton);
        self.numbers.insert(text.into(), token);
        Ok(token)
    }
}

impl Automaton {
    /// Computes the least distances to an end, by going back from the ends.
    fn measure(&mut self, empty: bool) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.states.len()];
        for (from, state) in self.states.iter().enumerate() {
            for &to in &state.next {
                before[to as usize].push(from as u32);
            }
        }
        let mut front: Vec<u32> = (0..self.states.len() as u32).filter(|&n| self.states[n as usize].last).collect();
        let mut least = 0;
        while !front.is_empty() {
            let mut next = Vec::new();
            for place in front {
                let state = &mut self.states[place as usize];
                if state.least == u16::MAX {
                    state.least = least;
                    next.extend_from_slice(&before[place as usize]);
                }
            }
            front = next;
            least += 1;
        }
        let first = self.first.iter().map(|&place| self.states[place as usize].least.saturating_add(1)).min();
        self.least = if empty { 0 } else { first.unwrap_or(u16::MAX) };
    }
}

/// What is known of a word, or of all words of an entry, at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Only literals and gaps over everything: what such a word matches by a letter that stands in no pattern, it matches by
    /// any string in its place.
    pub(crate) plain: bool,
    /// It tells `/` from `\`.
    pub(crate) slashed: bool,
}

impl Shape {
    pub(crate) const PLAIN: Shape = Shape { plain: true, slashed: false };

    pub(crate) fn and(self, other: Shape) -> Shape {
        Shape { plain: self.plain && other.plain, slashed: self.slashed || other.slashed }
    }
}

pub(crate) fn shape(word: &[u16]) -> Shape {
    Shape {
        plain: word.iter().all(|&token| token < CLASS || token == STAR),
        slashed: word.iter().any(|&token| token == SLASH || token == BACKSLASH),
    }
}

/// A word of concrete symbols in the set of `word`, with a fresh letter in each gap and class.
#[derive(Clone, Debug)]
pub(crate) struct Generic {
    pub(crate) symbols: Vec<u16>,
    /// It stands for a wildcard's `/`, which is also `\`.
    slashes: bool,
}

impl Generic {
    /// None for a word with an automaton, or with a class that has no fresh letter.
    pub(crate) fn of(word: &[u16], alphabet: &Alphabet) -> Option<Generic> {
        let mut generic = Generic { symbols: Vec::with_capacity(word.len()), slashes: false };
        for &token in word {
            generic.symbols.push(match token {
                SLASHES => {
                    generic.slashes = true;
                    SLASH
                }
                _ if token < CLASS => token,
                _ if token >= AUTOMATON => return None,
                _ => alphabet.fresh_in(Alphabet::class_of(token), Kind::Plain)?,
            });
        }
        Some(generic)
    }

    /// Whether a match of this word by an entry of that shape is a match of everything the word stands for.
    pub(crate) fn proves(&self, shape: Shape) -> bool {
        shape.plain && !(self.slashes && shape.slashed)
    }
}
