//! The log: it only grows. Every event names the one it follows, and only the way from the first to the last one counts.

use super::Refusal;
use super::event::Entry;

/// All that happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    // INVARIANT: an entry's number is its place, and its parent's number is smaller.
    entries: Vec<Entry>,
}

impl Log {
    /// Adds an event. Its number must be the next one, and its parent one before it.
    pub(super) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// The number of the next event.
    pub(super) fn next(&self) -> u64 {
        self.entries.len() as u64
    }

    /// Takes everything from this number on away again: what was being added cannot be.
    pub(super) fn truncate(&mut self, next: u64) {
        self.entries.retain(|entry| entry.id < next);
    }

    /// All events, in the order they were added.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The event with a number.
    pub fn get(&self, id: u64) -> Option<&Entry> {
        usize::try_from(id).ok().and_then(|at| self.entries.get(at))
    }

    /// The events that count, oldest first: the last one and those it follows.
    pub fn path(&self) -> Vec<&Entry> {
        self.path_to(self.entries.len().checked_sub(1).map(|last| last as u64))
    }

    /// The way to an event, oldest first.
    pub(super) fn path_to(&self, last: Option<u64>) -> Vec<&Entry> {
        let mut path = Vec::new();
        let mut next = last;
        while let Some(entry) = next.and_then(|id| self.get(id)) {
            path.push(entry);
            next = entry.parent;
        }
        path.reverse();
        path
    }

    /// The log as text: a line an event.
    pub fn text(&self) -> String {
        self.entries.iter().map(|entry| entry.line() + "\n").collect()
    }

    /// Reads a log.
    ///
    /// # Errors
    /// The number of the first line that is wrong, from 1, and what is wrong with it.
    pub fn parse(text: &str) -> Result<Log, (usize, Refusal)> {
        let mut log = Log::default();
        for (at, line) in text.lines().enumerate() {
            let entry = Entry::parse(line).map_err(|why| (at + 1, why))?;
            log.take(entry).map_err(|why| (at + 1, why))?;
        }
        Ok(log)
    }

    /// Adds an event that was written down before.
    fn take(&mut self, entry: Entry) -> Result<(), Refusal> {
        let next = self.next();
        if entry.id != next {
            return Err(Refusal::new(format!("the event here has the number {next}, and not {}", entry.id))
                .help("a log is read whole, as it was written"));
        }
        if entry.parent.is_some_and(|parent| parent >= next) || entry.parent.is_none() && next > 0 {
            return Err(Refusal::new("the `parent` of an event is one before it; only the first has none"));
        }
        self.entries.push(entry);
        Ok(())
    }
}
