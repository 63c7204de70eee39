//! The letters that matter: code units numbered so that two with one number are never told apart by a pattern.
//!
//! A unit that stands literally in some pattern has a symbol of its own. All others are *blank*: they are told apart only by
//! the classes they are in. New literals and classes may come at any time: they split blank symbols, never literal ones, so
//! words that were made before keep their meaning.
#![expect(
    clippy::indexing_slicing,
    reason = "symbols and class numbers come from this table; `of` has one place per unit"
)]

use rustc_hash::{FxHashMap, FxHashSet};

use crate::language::answer::TooLarge;
use crate::language::pattern::Case;
use crate::language::units::{UnitSet, fold, folding};

/// Between key and value; no pattern matches it.
pub(crate) const SEP: u16 = 0;
/// In words only: the wildcard dialect's `/`, which is `/` or `\`.
pub(crate) const SLASHES: u16 = 1;
pub(crate) const SLASH: u16 = 2;
pub(crate) const BACKSLASH: u16 = 3;
/// The blank symbol that is left of the ordinary units.
const OTHER: u16 = 4;
const HIGH: u16 = 5;
const LOW: u16 = 6;

/// Tokens from here on: one symbol of a class; the first class is every symbol but [`SEP`].
pub(crate) const CLASS: u16 = 40_000;
pub(crate) const ANY: u16 = CLASS;
/// Tokens from here on: any run of symbols of a class.
pub(crate) const GAP: u16 = 50_000;
pub(crate) const STAR: u16 = GAP;
/// Tokens from here on: a word of a regular expression's automaton.
pub(crate) const AUTOMATON: u16 = 60_000;

/// What may stand beside a unit in well-formed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Plain,
    High,
    Low,
}

#[derive(Clone, Debug)]
struct Letter {
    /// What is shown for it: for a literal the unit as first written, for a blank symbol the plainest of its units.
    unit: u16,
    literal: bool,
    kind: Kind,
    /// How many units a blank symbol still stands for, and one of them.
    size: usize,
    sample: u16,
}

pub(crate) struct Alphabet {
    case: Case,
    of: Vec<u16>,
    letters: Vec<Letter>,
    /// The symbols of class number `n + 1`; class 0 is everything.
    classes: Vec<Vec<bool>>,
    numbers: FxHashMap<UnitSet, u16>,
    /// Whether some pattern tells `/` from `\`.
    splits: bool,
    blanks: Option<Vec<u16>>,
}

impl Alphabet {
    pub(crate) fn new(case: Case) -> Alphabet {
        let mut of = vec![OTHER; 65_536];
        of[0xD800..0xDC00].fill(HIGH);
        of[0xDC00..0xE000].fill(LOW);
        of[usize::from(b'/')] = SLASH;
        of[usize::from(b'\\')] = BACKSLASH;
        let mut letters = vec![Letter { unit: 0, literal: true, kind: Kind::Plain, size: 0, sample: 0 }; 7];
        for (symbol, unit) in [(SLASH, b'/'), (BACKSLASH, b'\\')] {
            let letter = &mut letters[usize::from(symbol)];
            (letter.unit, letter.sample) = (u16::from(unit), u16::from(unit));
        }
        let folding = if case == Case::Folded { folding() } else { 0 };
        for (symbol, kind, size, sample) in [
            (OTHER, Kind::Plain, 63_486 - folding, 0xFFFF),
            (HIGH, Kind::High, 1_024, 0xDBFF),
            (LOW, Kind::Low, 1_024, 0xDFFF),
        ] {
            letters[usize::from(symbol)] = Letter { unit: sample, literal: false, kind, size, sample };
        }
        Alphabet { case, of, letters, classes: vec![], numbers: FxHashMap::default(), splits: false, blanks: None }
    }

    fn canonical(&self, unit: u16) -> u16 {
        if self.case == Case::Folded { fold(unit) } else { unit }
    }

    /// The symbol of a unit of a concrete string.
    pub(crate) fn symbol(&self, unit: u16) -> u16 {
        self.of[usize::from(self.canonical(unit))]
    }

    /// The symbol of a unit that stands in a pattern for itself.
    pub(crate) fn literal(&mut self, unit: u16) -> Result<u16, TooLarge> {
        let place = usize::from(self.canonical(unit));
        let symbol = self.of[place];
        if self.letters[usize::from(symbol)].literal {
            self.splits |= symbol == SLASH || symbol == BACKSLASH;
            return Ok(symbol);
        }
        let fresh = self.split(symbol)?;
        let sample = self.canonical(unit);
        let letter = &mut self.letters[usize::from(fresh)];
        (letter.unit, letter.literal, letter.size, letter.sample) = (unit, true, 1, sample);
        self.letters[usize::from(symbol)].size -= 1;
        self.of[place] = fresh;
        self.resample(symbol);
        Ok(fresh)
    }

    /// Another sample for a blank symbol that lost its own.
    fn resample(&mut self, symbol: u16) {
        let letter = &self.letters[usize::from(symbol)];
        if letter.size > 0 && self.of[usize::from(letter.sample)] != symbol {
            let stands = |&unit: &u16| self.of[usize::from(unit)] == symbol && self.canonical(unit) == unit;
            let sample = (0..=u16::MAX).rev().find(stands).unwrap_or(letter.sample);
            self.letters[usize::from(symbol)].sample = sample;
        }
    }

    /// A new symbol that is in the same classes as `symbol`.
    fn split(&mut self, symbol: u16) -> Result<u16, TooLarge> {
        let fresh = u16::try_from(self.letters.len()).unwrap_or(CLASS);
        if fresh >= CLASS {
            return Err(TooLarge::new(format!("the patterns use more than {CLASS} distinct characters"), None));
        }
        let letter = Letter { size: 0, literal: false, ..self.letters[usize::from(symbol)].clone() };
        self.letters.push(letter);
        for class in &mut self.classes {
            class.push(class[usize::from(symbol)]);
        }
        self.blanks = None;
        Ok(fresh)
    }

    /// The number of a class.
    pub(crate) fn class(&mut self, set: &UnitSet) -> Result<u16, TooLarge> {
        if set.is_all() {
            return Ok(0);
        }
        if let Some(&number) = self.numbers.get(set) {
            return Ok(number);
        }
        let number = u16::try_from(self.classes.len() + 1).unwrap_or(GAP);
        if number >= GAP - CLASS {
            return Err(TooLarge::new("the patterns use more than 10,000 distinct character classes", None));
        }
        // A set and what is outside of it split the symbols alike; the smaller one is quicker.
        if set.is_large() { self.separate(&set.negated()) } else { self.separate(set) }?;
        let member = |(symbol, letter): (usize, &Letter)| symbol > usize::from(SLASHES) && set.contains(letter.sample);
        let members: Vec<bool> = self.letters.iter().enumerate().map(member).collect();
        self.splits |= members[usize::from(SLASH)] != members[usize::from(BACKSLASH)];
        self.classes.push(members);
        self.numbers.insert(set.clone(), number);
        self.blanks = None;
        Ok(number)
    }

    /// Splits every blank symbol that is partly in `set`.
    fn separate(&mut self, set: &UnitSet) -> Result<(), TooLarge> {
        let inside: Vec<u16> = set.units().filter(|&unit| self.canonical(unit) == unit).collect();
        let mut counts: FxHashMap<u16, usize> = FxHashMap::default();
        for &unit in &inside {
            *counts.entry(self.of[usize::from(unit)]).or_default() += 1;
        }
        let mut partly: Vec<(u16, usize)> = counts.into_iter().collect();
        partly.retain(|&(symbol, count)| {
            let letter = &self.letters[usize::from(symbol)];
            !letter.literal && count < letter.size
        });
        partly.sort_unstable();
        let mut targets: FxHashMap<u16, u16> = FxHashMap::default();
        for (symbol, count) in partly {
            let fresh = self.split(symbol)?;
            self.letters[usize::from(fresh)].size = count;
            self.letters[usize::from(symbol)].size -= count;
            targets.insert(symbol, fresh);
        }
        for &unit in &inside {
            if let Some(&fresh) = targets.get(&self.of[usize::from(unit)]) {
                self.of[usize::from(unit)] = fresh;
                self.letters[usize::from(fresh)].sample = unit;
            }
        }
        for symbol in targets.into_keys() {
            self.resample(symbol);
        }
        Ok(())
    }

    /// The token that reads one unit of `set`.
    pub(crate) fn one_of(&mut self, set: &UnitSet) -> Result<u16, TooLarge> {
        let mut canonical = set.units().take(8).map(|unit| (self.canonical(unit), unit));
        match canonical.next() {
            Some((first, unit)) if set.units().nth(7).is_none() && canonical.all(|(other, _)| other == first) => {
                self.literal(unit)
            }
            _ => Ok(CLASS + self.class(set)?),
        }
    }

    /// The class number of a class or gap token.
    pub(crate) fn class_of(token: u16) -> u16 {
        if token >= GAP { token - GAP } else { token - CLASS }
    }

    /// Whether a symbol of a string is in the class.
    pub(crate) fn has(&self, class: u16, symbol: u16) -> bool {
        symbol != SEP && (class == 0 || self.classes[usize::from(class) - 1][usize::from(symbol)])
    }

    /// Whether `token`, a symbol or a class, reads the symbol of a string.
    pub(crate) fn reads(&self, token: u16, symbol: u16) -> bool {
        match token {
            SLASHES => symbol == SLASH || symbol == BACKSLASH,
            _ if token < CLASS => token == symbol,
            _ => self.has(Self::class_of(token), symbol),
        }
    }

    /// A symbol of the class that stands in no pattern: what a gap can be filled with so that only gaps match it.
    pub(crate) fn fresh_in(&self, class: u16, kind: Kind) -> Option<u16> {
        let fits = |&symbol: &u16| {
            let letter = &self.letters[usize::from(symbol)];
            !letter.literal && letter.kind == kind && letter.size > 0 && self.has(class, symbol)
        };
        (OTHER..u16::try_from(self.letters.len()).unwrap_or(CLASS)).find(fits)
    }

    pub(crate) fn is_literal(&self, symbol: u16) -> bool {
        self.letters[usize::from(symbol)].literal
    }

    pub(crate) fn kind(&self, symbol: u16) -> Kind {
        self.letters[usize::from(symbol)].kind
    }

    pub(crate) fn case(&self) -> Case {
        self.case
    }

    pub(crate) fn splits(&self) -> bool {
        self.splits
    }

    /// One symbol for each way of being in the classes: a blank one, or if there is none all the literal ones.
    pub(crate) fn blanks(&self) -> &[u16] {
        self.blanks.as_deref().unwrap_or(&[])
    }

    /// Brings [`Alphabet::blanks`] up to date.
    pub(crate) fn settle(&mut self) {
        if self.blanks.is_some() {
            return;
        }
        let signature = |symbol: usize| -> (Kind, Vec<bool>) {
            (self.letters[symbol].kind, self.classes.iter().map(|class| class[symbol]).collect())
        };
        let range = usize::from(SLASH)..self.letters.len();
        let blank = |&symbol: &usize| !self.letters[symbol].literal && self.letters[symbol].size > 0;
        let mut blanks: Vec<usize> = range.clone().filter(blank).collect();
        let known: FxHashSet<_> = blanks.iter().map(|&symbol| signature(symbol)).collect();
        blanks.extend(range.filter(|&symbol| self.letters[symbol].literal && !known.contains(&signature(symbol))));
        let blanks: Vec<u16> = blanks.into_iter().filter_map(|symbol| u16::try_from(symbol).ok()).collect();
        self.choose_units(&blanks);
        self.blanks = Some(blanks);
    }

    /// Shows each blank symbol by the plainest of its units.
    fn choose_units(&mut self, blanks: &[u16]) {
        let mut open: Vec<u16> = blanks.iter().copied().filter(|&symbol| !self.is_literal(symbol)).collect();
        for &symbol in &open {
            let letter = &mut self.letters[usize::from(symbol)];
            letter.unit = letter.sample;
        }
        open.retain(|&symbol| {
            self.kind(symbol) == Kind::Plain || [0xD83D, 0xDE00].map(|unit| self.symbol(unit)).contains(&symbol)
        });
        for (unit, test) in plainest_first() {
            if open.is_empty() {
                break;
            }
            let symbol = self.symbol(unit);
            // Whether a unit is liked is slow to tell, so that comes last.
            let Some(place) = open.iter().position(|&other| other == symbol) else { continue };
            if test(unit) {
                open.swap_remove(place);
                self.letters[usize::from(symbol)].unit = unit;
            }
        }
    }

    /// A unit to show for a symbol.
    pub(crate) fn unit(&self, symbol: u16) -> u16 {
        self.letters[usize::from(symbol)].unit
    }
}

/// Units in the order in which they are liked in a witness, and whether each is liked at all.
fn plainest_first() -> impl Iterator<Item = (u16, fn(u16) -> bool)> {
    let plain = "xyzabcdefghijklmnopqrstuvwXYZABCDEFGHIJKLMNOPQRSTUVW0123456789_-~=+@%,:.#";
    let shown: fn(u16) -> bool = |unit| char::from_u32(u32::from(unit)).is_some_and(char::is_alphanumeric);
    let visible: fn(u16) -> bool =
        |unit| char::from_u32(u32::from(unit)).is_some_and(|c| !c.is_control() && c != '\u{feff}');
    let always: fn(u16) -> bool = |_| true;
    let first = plain.encode_utf16().chain([0xD83D, 0xDE00]).map(move |unit| (unit, always));
    first
        .chain((0xA1..=u16::MAX).map(move |unit| (unit, shown)))
        .chain((0x21..=u16::MAX).map(move |unit| (unit, visible)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_classes_split_blanks() {
        let mut alphabet = Alphabet::new(Case::Sensitive);
        let a = alphabet.literal(u16::from(b'a')).unwrap();
        let letters = alphabet.class(&UnitSet::new(vec![(97, 122)])).unwrap();
        let b = alphabet.literal(u16::from(b'b')).unwrap();
        assert!(alphabet.has(letters, a) && alphabet.has(letters, b));
        assert!(!alphabet.has(letters, alphabet.symbol(u16::from(b'A'))) && !alphabet.has(letters, SEP));
        assert_eq!(alphabet.symbol(u16::from(b'c')), alphabet.symbol(u16::from(b'z')));
        assert_ne!(alphabet.symbol(u16::from(b'c')), alphabet.symbol(u16::from(b'C')));
        assert_eq!(alphabet.fresh_in(letters, Kind::Plain), Some(alphabet.symbol(u16::from(b'q'))));
        alphabet.settle();
        assert_eq!(alphabet.blanks().len(), 4, "inside, outside, and the two kinds of surrogates");
    }

    #[test]
    fn a_class_without_fresh_letters_is_tried_letter_by_letter() {
        let mut alphabet = Alphabet::new(Case::Folded);
        let class = alphabet.class(&UnitSet::new(vec![(97, 98), (65, 66)])).unwrap();
        let (a, b) = (alphabet.literal(97).unwrap(), alphabet.literal(66).unwrap());
        assert_eq!(alphabet.literal(65).unwrap(), a, "folded");
        assert_eq!(alphabet.fresh_in(class, Kind::Plain), None);
        alphabet.settle();
        assert!(alphabet.blanks().contains(&a) && alphabet.blanks().contains(&b));
    }
}
