//! A pattern as data, for a matcher that stands in a file of another language.

use crate::language::glob::Piece;
use crate::language::pattern::{Case, Dialect, Pattern, PatternError};
use crate::language::units::UnitSet;

/// Sorted ranges of UTF-16 units, inclusive.
pub type Units = Vec<(u16, u16)>;

/// What a pattern matches, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// What its dialect says of its text.
    Text,
    /// A value that fills one of these words.
    Words(Vec<Vec<Part>>),
    /// A value that leads through these states.
    States {
        /// The states that a match can begin with.
        first: Vec<u32>,
        /// Whether the empty value matches.
        empty: bool,
        /// All of them.
        states: Vec<State>,
    },
}

/// One part of a word: one unit of a set, or any run of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The set.
    pub units: Units,
    /// Whether it is a run, also none.
    pub many: bool,
}

/// A state of an automaton: entered by reading one unit of its set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The set.
    pub units: Units,
    /// The states that can follow.
    pub next: Vec<u32>,
    /// Whether a match can end here.
    pub last: bool,
}

impl Pattern {
    /// What it matches, as data.
    ///
    /// # Errors
    /// A regular expression has too many states; with folding there can be more of them.
    pub fn form(&self, case: Case) -> Result<Form, PatternError> {
        match (self.dialect(), self.automaton(case)) {
            (Dialect::Glob, _) => Ok(Form::Words(self.glob_words(case).iter().map(|word| parts(word)).collect())),
            (_, None) => Ok(Form::Text),
            (_, Some(Err(error))) => Err(error.clone()),
            (_, Some(Ok(automaton))) => {
                let states = automaton.states.iter();
                let state = |state: &crate::language::regex::State| State {
                    units: ranges(&state.set),
                    next: state.next.clone(),
                    last: state.last,
                };
                Ok(Form::States {
                    first: automaton.first.clone(),
                    empty: automaton.empty,
                    states: states.map(state).collect(),
                })
            }
        }
    }
}

fn parts(word: &[Piece]) -> Vec<Part> {
    let part = |piece: &Piece| match piece {
        Piece::One(set) => Part { units: ranges(set), many: false },
        Piece::Gap(set) => Part { units: ranges(set), many: true },
    };
    word.iter().map(part).collect()
}

fn ranges(set: &UnitSet) -> Units {
    set.ranges().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_has_its_form() {
        let form = |dialect, text| Pattern::new(dialect, text).unwrap().form(Case::Sensitive).unwrap();
        assert_eq!(form(Dialect::Wildcard, "a*"), Form::Text);
        let one = |letter: u8| Part { units: vec![(letter.into(), letter.into())], many: false };
        let gap = Part { units: vec![(0, 46), (48, u16::MAX)], many: true };
        assert_eq!(form(Dialect::Glob, "{a,b*}"), Form::Words(vec![vec![one(b'a')], vec![one(b'b'), gap]]));
        let state = |letter: u8, next: &[u32], last| State { next: next.to_vec(), last, units: one(letter).units };
        let states = vec![state(b'a', &[0, 1], false), state(b'b', &[], true)];
        assert_eq!(form(Dialect::Regex, "a+b"), Form::States { first: vec![0], empty: false, states });
    }
}
