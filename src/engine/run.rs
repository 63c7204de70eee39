//! Running automata over a value: each from the first place where it begins, the last rule found so far held against what
//! each can still find.

use super::store::{Automaton, Record, Tables};
use super::trie::Number;

/// What a run needs room for; kept from one decision to the next.
#[derive(Debug, Default)]
pub(super) struct Room {
    pub(super) forwards: Vec<u8>,
    pub(super) backwards: Vec<u8>,
    /// The automata that began, and where.
    begun: Vec<(u32, u32)>,
}

/// The last rule that matches the value in `letters`, or `best` if that is later.
pub(super) fn last(tables: &Tables, start: u32, letters: &[u8], begun: &mut Vec<(u32, u32)>, best: Number) -> Number {
    begun.clear();
    begun.push((start, 0));
    let mut run = Run { tables, letters, begun, best };
    let mut next = 0;
    while let Some(&(number, at)) = run.begun.get(next) {
        next += 1;
        if let Some(automaton) = tables.automata.get(number as usize).filter(|one| one.bound > run.best) {
            run.through(automaton, at as usize);
        }
    }
    run.best
}

impl Room {
    /// The last rule that a value matches, by the automata that read it from either end.
    pub(super) fn last(&mut self, tables: &Tables, starts: (Option<u32>, Option<u32>), mut best: Number) -> Number {
        if let Some(start) = starts.0 {
            best = last(tables, start, &self.forwards, &mut self.begun, best);
        }
        if let Some(start) = starts.1 {
            best = last(tables, start, &self.backwards, &mut self.begun, best);
        }
        best
    }
}

struct Run<'t, 'r> {
    tables: &'t Tables,
    letters: &'r [u8],
    begun: &'r mut Vec<(u32, u32)>,
    best: Number,
}

impl Run<'_, '_> {
    fn through(&mut self, automaton: &Automaton, mut at: usize) {
        let mut place = automaton.start;
        while let Some(record) = self.tables.records.get(place as usize) {
            if record.effect != 0 {
                self.does(record.effect, at);
                if automaton.bound <= self.best {
                    return;
                }
            }
            if !automaton.is_star && record.bound <= self.best {
                return;
            }
            let step = match record.next {
                Some(next) => self.along(record, next, &mut at),
                None if automaton.is_star && place == automaton.start => self.first(automaton, record, &mut at),
                None => self.fork(record, &mut at),
            };
            match step {
                Step::To(next) => place = next,
                Step::End => return,
                // Behind a star, the letter is read as if the run had just begun.
                Step::Else if automaton.is_star => {
                    at -= 1;
                    place = automaton.start;
                }
                Step::Else => return,
            }
        }
    }

    fn does(&mut self, effect: u32, at: usize) {
        let (fires, spawns) = self.tables.effect_at(effect);
        self.best = self.best.max(fires);
        for spawn in spawns {
            // An automaton that begins later finds nothing that it did not find from the first place.
            if self.begun.iter().all(|(begun, _)| begun != spawn) {
                self.begun.push((*spawn, at as u32));
            }
        }
    }

    fn along(&self, record: &Record, next: u32, at: &mut usize) -> Step {
        let from = record.at as usize;
        let label = self.tables.labels.get(from..from + usize::from(record.length)).unwrap_or_default();
        let rest = self.letters.get(*at..).unwrap_or_default();
        let common = label.iter().zip(rest).take_while(|(one, other)| one == other).count();
        *at += common;
        match common {
            whole if whole == label.len() => Step::To(next),
            part if part == rest.len() => Step::End,
            _ => {
                *at += 1;
                Step::Else
            }
        }
    }

    fn fork(&mut self, record: &Record, at: &mut usize) -> Step {
        let Some(&letter) = self.letters.get(*at) else {
            self.best = self.best.max(record.accepts);
            return Step::End;
        };
        *at += 1;
        self.way(record, letter).map_or(Step::Else, Step::To)
    }

    /// To the first letter that leads on from the first state of a star, if the letter after it may lead on from there.
    fn first(&mut self, automaton: &Automaton, record: &Record, at: &mut usize) -> Step {
        let row = self.tables.rows.get(automaton.row as usize..).unwrap_or_default();
        let mut rest = self.letters.get(*at..).unwrap_or_default();
        while let [letter, after @ ..] = rest {
            let Some(cell) = row.get(usize::from(*letter)) else { return Step::End };
            if cell.next != automaton.start && after.first().is_none_or(|second| cell.may_go_on(*second)) {
                *at = self.letters.len() - after.len();
                return Step::To(cell.next);
            }
            rest = after;
        }
        self.best = self.best.max(record.accepts);
        Step::End
    }

    fn way(&self, record: &Record, letter: u8) -> Option<u32> {
        let from = record.at as usize;
        let letters = self.tables.letters.get(from..from + usize::from(record.length))?;
        let place = letters.iter().position(|own| *own == letter)?;
        self.tables.targets.get(from + place).copied()
    }
}

enum Step {
    To(u32),
    /// The value ended.
    End,
    /// The letter before leads where it leads by default.
    Else,
}
