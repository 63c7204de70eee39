//! Letters as one byte each: units that no pattern tells apart are one letter.

use crate::language::{Piece, UnitSet, Word};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The most letters, so that one fits into a byte.
const MAX_LETTERS: usize = 256;

/// A set of letters.
pub(super) type Letters = [u64; 4];

/// Which letter a unit is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Alphabet {
    /// Of the units of ASCII.
    ascii: Vec<u8>,
    /// Where runs of other units of one letter begin, in order, and the letter.
    runs: Vec<(u16, u8)>,
}

/// The letters that sets of units stand for, while a table is built.
pub(super) struct Numbering {
    pub(super) alphabet: Alphabet,
    sets: FxHashMap<UnitSet, Letters>,
    all: Letters,
}

impl Alphabet {
    /// The letters of a value.
    pub(super) fn letters(&self, value: &str, out: &mut Vec<u8>) {
        out.clear();
        match self.ascii.first_chunk::<128>() {
            Some(ascii) if value.is_ascii() => {
                let letter = |byte: u8| ascii.get(usize::from(byte & 127)).copied().unwrap_or_default();
                out.extend(value.bytes().map(letter));
            }
            _ => out.extend(value.encode_utf16().map(|unit| self.letter(unit))),
        }
    }

    fn letter(&self, unit: u16) -> u8 {
        match self.ascii.get(usize::from(unit)) {
            Some(letter) => *letter,
            None => {
                let after = self.runs.partition_point(|(start, _)| *start <= unit);
                after.checked_sub(1).and_then(|at| self.runs.get(at)).map(|(_, letter)| *letter).unwrap_or_default()
            }
        }
    }
}

impl Numbering {
    /// Numbers the letters that the words need, those of the most frequent sets if there are too many.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w Word>) -> Numbering {
        let mut counts: FxHashMap<&UnitSet, usize> = FxHashMap::default();
        for Piece::One(set) | Piece::Gap(set) in words.flatten() {
            *counts.entry(set).or_default() += 1;
        }
        let mut sets: Vec<(&UnitSet, usize)> = counts.into_iter().filter(|(set, _)| !set.is_all()).collect();
        sets.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.ranges().cmp(other.0.ranges())));
        loop {
            let known: Vec<&UnitSet> = sets.iter().map(|(set, _)| *set).collect();
            if let Some(numbering) = Numbering::of(&known) {
                return numbering;
            }
            sets.truncate(sets.len() - sets.len().div_ceil(8));
        }
    }

    fn of(sets: &[&UnitSet]) -> Option<Numbering> {
        // A run ends where a unit begins to be, or ceases to be, in some set.
        let mut starts: Vec<u16> = vec![0];
        for (low, high) in sets.iter().flat_map(|set| set.ranges()) {
            starts.push(*low);
            starts.extend(high.checked_add(1));
        }
        starts.sort_unstable();
        starts.dedup();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); starts.len()];
        for (number, set) in sets.iter().enumerate() {
            for (low, high) in set.ranges() {
                let first = starts.partition_point(|start| start < low);
                let inside = starts.iter().skip(first).take_while(|start| *start <= high).count();
                let runs = members.iter_mut().skip(first).take(inside);
                runs.for_each(|run| run.push(number as u32));
            }
        }
        // Letter 0 is what no set holds.
        let mut letters: FxHashMap<Vec<u32>, u8> = FxHashMap::from_iter([(Vec::new(), 0)]);
        let mut held: FxHashMap<UnitSet, Letters> = sets.iter().map(|set| ((*set).clone(), [0; 4])).collect();
        let mut runs = Vec::with_capacity(starts.len());
        for (start, run) in starts.iter().zip(members) {
            let next = letters.len();
            let letter = match letters.get(&run) {
                Some(letter) => *letter,
                None if next == MAX_LETTERS => return None,
                None => {
                    for set in run.iter().filter_map(|number| sets.get(*number as usize)) {
                        held.get_mut(*set).into_iter().for_each(|set| add(set, next as u8));
                    }
                    letters.insert(run, next as u8);
                    next as u8
                }
            };
            runs.push((*start, letter));
        }
        let mut all = [0; 4];
        (0..letters.len()).for_each(|letter| add(&mut all, letter as u8));
        let mut alphabet = Alphabet { ascii: Vec::new(), runs };
        alphabet.ascii = (0..128).map(|unit| alphabet.letter(unit)).collect();
        Some(Numbering { alphabet, sets: held, all })
    }

    /// How many letters there are.
    pub(super) fn size(&self) -> usize {
        size(&self.all) as usize
    }

    /// The letters of a set; `None`: it was left out.
    pub(super) fn letters(&self, set: &UnitSet) -> Option<Letters> {
        if set.is_all() { Some(self.all) } else { self.sets.get(set).copied() }
    }
}

fn add(letters: &mut Letters, letter: u8) {
    if let Some(part) = letters.get_mut(usize::from(letter / 64)) {
        *part |= 1 << (letter % 64);
    }
}

/// Whether a letter is in a set.
pub(super) fn holds(letters: &Letters, letter: u8) -> bool {
    letters.get(usize::from(letter / 64)).is_some_and(|part| part & (1 << (letter % 64)) != 0)
}

/// The letters of a set, in order.
pub(super) fn members(letters: &Letters) -> impl Iterator<Item = u8> {
    let parts = letters.iter().zip([0_u8, 64, 128, 192]);
    parts.flat_map(|(part, base)| {
        let mut rest = *part;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros() as u8)?;
            rest &= rest - 1;
            Some(base + bit)
        })
    })
}

/// How many letters a set has.
pub(super) fn size(letters: &Letters) -> u32 {
    letters.iter().map(|part| part.count_ones()).sum()
}
