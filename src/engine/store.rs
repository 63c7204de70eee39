//! The automata of an agent, as they lie in memory and in a file.

use super::alphabet::Alphabet;
use super::trie::Number;
use serde::{Deserialize, Serialize};

/// No rule.
pub(super) const NONE: Number = 0;

/// Everything that decides requests of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tables {
    pub(super) alphabet: Alphabet,
    pub(super) automata: Vec<Automaton>,
    pub(super) records: Vec<Record>,
    /// Letters that follow one another, of all records.
    #[serde(with = "serde_bytes")]
    pub(super) labels: Vec<u8>,
    /// The letters that lead somewhere, of all records, and where they lead.
    #[serde(with = "serde_bytes")]
    pub(super) letters: Vec<u8>,
    pub(super) targets: Vec<u32>,
    /// Where each letter leads from the first state of each automaton behind a star.
    pub(super) rows: Vec<Cell>,
    /// What is done where a record begins: the rule that matches whatever follows, how many automata begin, and which.
    pub(super) effects: Vec<u32>,
}

/// Where a letter leads from the first state of an automaton behind a star.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Cell {
    /// The record.
    pub(super) next: u32,
    /// The letters, each by its last five bits, after which the run is elsewhere than if it had just begun with them.
    pub(super) then: u32,
}

impl Cell {
    /// Whether the run may be elsewhere after this second letter than if it had just begun with it.
    pub(super) fn may_go_on(self, second: u8) -> bool {
        self.then & mark(second) != 0
    }
}

/// The bit of a letter among those of [`Cell::then`].
pub(super) fn mark(letter: u8) -> u32 {
    1 << (letter % 32)
}

/// An automaton that is run from one place of a value to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Automaton {
    /// The record to begin with.
    pub(super) start: u32,
    /// Whether letters that lead nowhere lead back to the beginning, not to the end of the run.
    pub(super) is_star: bool,
    /// Where the row of what letters lead to from its first state lies; of one behind a star.
    pub(super) row: u32,
    /// The last rule it can find.
    pub(super) bound: Number,
}

/// A state, or several that follow one another by one letter each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The last rule that matches if the value ends here.
    pub(super) accepts: Number,
    /// Where its effects lie; 0: there are none.
    pub(super) effect: u32,
    /// The last rule that can match from here on; of an automaton without a star.
    pub(super) bound: Number,
    /// Where its label lies, or its letters.
    pub(super) at: u32,
    /// How many there are.
    pub(super) length: u16,
    /// Where the whole label leads; `None`: the letters lead somewhere each.
    pub(super) next: Option<u32>,
}

impl Tables {
    /// Stores effects, and says where.
    pub(super) fn effect(&mut self, fires: Number, spawns: &[u32]) -> u32 {
        if self.effects.is_empty() {
            self.effects.push(0);
        }
        let at = self.effects.len() as u32;
        self.effects.extend([fires, spawns.len() as u32]);
        self.effects.extend_from_slice(spawns);
        at
    }

    /// What is stored there: the rule that matches whatever follows, and the automata that begin.
    pub(super) fn effect_at(&self, at: u32) -> (Number, &[u32]) {
        let rest = self.effects.get(at as usize..).unwrap_or_default();
        match rest {
            [fires, count, spawns @ ..] => (*fires, spawns.get(..*count as usize).unwrap_or_default()),
            _ => (NONE, &[]),
        }
    }
}
