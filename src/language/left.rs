//! The word a search walks along: its places, the tokens that lead on, and how far it is to the end.

use crate::language::alphabet::{AUTOMATON, Alphabet, CLASS, GAP};
use crate::language::words::Automaton;

/// One place in the word.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// The tokens that can be read here, and the place after each.
    pub(crate) steps: Vec<(u16, u32)>,
    /// A place that can be gone to without reading.
    pub(crate) skip: Option<u32>,
    /// The fewest symbols to the end.
    pub(crate) rest: u32,
}

/// A word as a line of places; the last is the end.
#[derive(Debug)]
pub(crate) struct Left {
    places: Vec<Place>,
}

impl Left {
    pub(crate) fn new(word: &[u16], automata: &[Automaton]) -> Left {
        let mut left = Left { places: Vec::with_capacity(word.len() + 1) };
        for &token in word {
            match automata.get(usize::from(token).wrapping_sub(usize::from(AUTOMATON))) {
                Some(automaton) => left.automaton(automaton),
                None => left.token(token),
            }
        }
        left.places.push(Place::default());
        left.measure(word, automata);
        left
    }

    pub(crate) fn place(&self, place: u32) -> Option<&Place> {
        self.places.get(place as usize)
    }

    pub(crate) fn is_end(&self, place: u32) -> bool {
        place as usize + 1 == self.places.len()
    }

    fn token(&mut self, token: u16) {
        let here = self.places.len() as u32;
        self.places.push(if token >= GAP {
            // One symbol of the class, and still here.
            Place { steps: vec![(CLASS + Alphabet::class_of(token), here)], skip: Some(here + 1), rest: 0 }
        } else {
            Place { steps: vec![(token, here + 1)], skip: None, rest: 0 }
        });
    }

    fn automaton(&mut self, automaton: &Automaton) {
        let base = self.places.len() as u32 + 1;
        let end = base + automaton.states.len() as u32;
        let steps = |places: &[u32]| {
            let step = |&place: &u32| automaton.states.get(place as usize).map(|state| (state.token, base + place));
            places.iter().filter_map(step).collect()
        };
        self.places.push(Place {
            steps: steps(&automaton.first),
            skip: (automaton.least == 0).then_some(end),
            rest: automaton.least.into(),
        });
        for state in &automaton.states {
            self.places.push(Place {
                steps: steps(&state.next),
                skip: state.last.then_some(end),
                rest: state.least.into(),
            });
        }
    }

    /// Adds up the distances, backwards: within an automaton they are known, from its end on they are those of the end.
    fn measure(&mut self, word: &[u16], automata: &[Automaton]) {
        let mut rest = 0;
        let mut end = self.places.len().saturating_sub(1);
        for &token in word.iter().rev() {
            let states = automata.get(usize::from(token).wrapping_sub(usize::from(AUTOMATON)));
            let start = end.saturating_sub(1 + states.map_or(0, |automaton| automaton.states.len()));
            for place in self.places.get_mut(start..end).into_iter().flatten() {
                place.rest += rest;
            }
            rest += match states {
                Some(automaton) => automaton.least.into(),
                None if token >= GAP => 0,
                None => 1,
            };
            if let (None, Some(place)) = (states, self.places.get_mut(start)) {
                place.rest = rest;
            }
            end = start;
        }
    }
}
