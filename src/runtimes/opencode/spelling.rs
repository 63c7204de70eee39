//! Text and the place of each of its characters: what a parser sees when OpenCode rewrites a text before it reads it.

use crate::source::{FileId, Span};

/// A text, and for each character (and the end) the byte of the file it came from.
#[derive(Clone, Debug)]
pub(super) struct Mapped {
    pub(super) text: String,
    places: Vec<u32>,
}

impl Mapped {
    /// `text` as it stands in a file from byte `base` on.
    pub(super) fn new(text: &str, base: usize) -> Mapped {
        let mut out = Mapped { text: String::new(), places: Vec::new() };
        out.push(text, base);
        out
    }

    /// Adds a piece of the file.
    pub(super) fn push(&mut self, text: &str, base: usize) {
        // The place after the last piece is the place of this one's first character.
        self.places.truncate(self.text.chars().count());
        self.places.extend(text.char_indices().map(|(at, _)| place(base + at)));
        self.places.push(place(base + text.len()));
        self.text.push_str(text);
    }

    /// Adds text that is not in the file; its place is that of what follows.
    pub(super) fn insert(&mut self, text: &str, at: usize) {
        self.places.truncate(self.text.chars().count());
        self.places.extend(text.chars().map(|_| place(at)));
        self.places.push(place(at));
        self.text.push_str(text);
    }

    /// The place of a range of characters.
    pub(super) fn span(&self, file: FileId, from: usize, to: usize) -> Span {
        let end = self.places.last().copied().unwrap_or(0);
        let at = |index: usize| self.places.get(index).copied().unwrap_or(end) as usize;
        Span::new(file, at(from)..at(to).max(at(from)))
    }
}

fn place(byte: usize) -> u32 {
    u32::try_from(byte).unwrap_or(u32::MAX)
}
