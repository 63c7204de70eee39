//! Command lines with holes: `sed -i {word} {path}`.
//!
//! A template is a set of command lines, like a pattern, but it knows which of their words are paths. Its holes hold plain
//! characters only, so whatever fills them, the line is one simple command as far as the template's own text is one.

mod parse;
mod paths;
mod regex;

pub use paths::Paths;

use std::sync::OnceLock;

use crate::language::pattern::{Pattern, PatternError};
use crate::language::regex::Automaton;

/// A command line with holes. Compared by its text.
#[derive(Clone)]
pub struct Template {
    text: Box<str>,
    parts: Box<[Part]>,
    pattern: OnceLock<Pattern>,
}

/// One part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// `{path}`: one word that is no option.
    Path,
    /// `{word}`: the same, only that it is no path the command acts upon.
    Word,
    /// `{url}`: one word that begins with a letter or a digit.
    Url,
    /// `*` first: a command, one word or more.
    Command,
    /// `*` as a word further on: any number of words, each with the blank before it.
    Words,
    /// `*` inside a word: any run of plain characters, blanks too.
    Run,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Box<str>),
    Hole(Kind),
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// A hole of an unknown name, no text that names a command, blanks at an end, or more text or holes than are taken.
    pub fn new(text: &str) -> Result<Template, PatternError> {
        let parts = parse::parse(text)?.into_boxed_slice();
        Ok(Template { text: text.into(), parts, pattern: OnceLock::new() })
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether some word of it is a path that the command acts upon.
    pub fn has_path(&self) -> bool {
        self.parts.contains(&Part::Hole(Kind::Path))
    }

    /// Whether it matches a whole command line: the meaning of templates, in plain code.
    pub fn matches(&self, command: &str) -> bool {
        // Most templates are told from most lines by their first letters.
        let begins = match self.parts.first() {
            Some(Part::Text(text)) => command.starts_with(&**text),
            _ => true,
        };
        begins && self.forwards(command, |_, _| true).last().is_some_and(|ends| ends.last() == Some(&true))
    }

    /// The same set of command lines as a pattern, for the exact engine.
    pub fn pattern(&self) -> Pattern {
        self.pattern.get_or_init(|| regex::whole(&self.parts)).clone()
    }

    /// The command lines that can be read so that a path of theirs is one of `paths`: one pattern for each `{path}`. Any word
    /// that a `{path}` can take counts as one, so `rm * {path} *` is about both files of `rm docs/a src/b`.
    ///
    /// # Errors
    /// The paths are of too many patterns, or too large ones, to be analysed at once.
    pub fn pattern_about(&self, paths: &Paths) -> Result<Vec<Pattern>, PatternError> {
        let words = paths.words()?;
        let around = |parts: &[Part]| Automaton::of_text(&regex::expression(parts), paths.case());
        let about = |hole: usize| {
            let before = around(self.parts.get(..hole).unwrap_or_default())?;
            let after = around(self.parts.get(hole + 1..).unwrap_or_default())?;
            let text = format!("{} at {hole} about {}", self.text, paths.label());
            Ok(Pattern::of_automaton(&text, Automaton::sequence(&[&before, words, &after])?))
        };
        self.path_holes().map(about).collect()
    }

    /// Whether a command line can be read so that a path of it is one of `paths`: what the patterns of
    /// [`Template::pattern_about`] match, in plain code.
    pub fn matches_about(&self, command: &str, paths: &Paths) -> bool {
        let about = |hole: usize| {
            let ends = self.forwards(command, |part, word| part != hole || paths.contains(word));
            ends.last().is_some_and(|ends| ends.last() == Some(&true))
        };
        self.path_holes().any(about)
    }

    fn path_holes(&self) -> impl Iterator<Item = usize> {
        let holes = self.parts.iter().enumerate().filter(|(_, part)| **part == Part::Hole(Kind::Path));
        holes.map(|(at, _)| at)
    }

    /// A command line of the template, with something plausible in its holes.
    pub fn example(&self) -> String {
        let fill = |part: &Part| match part {
            Part::Text(text) => text.to_string(),
            Part::Hole(Kind::Path) => "src/main.rs".to_owned(),
            Part::Hole(Kind::Word) => "main".to_owned(),
            Part::Hole(Kind::Url) => "https://example.com/".to_owned(),
            Part::Hole(Kind::Command) => "git status".to_owned(),
            Part::Hole(Kind::Words | Kind::Run) => String::new(),
        };
        self.parts.iter().map(fill).collect()
    }

    /// For each part, and for the end, the offsets at which it can start, if its hole takes only some words.
    fn forwards(&self, command: &str, takes: impl Fn(usize, &str) -> bool) -> Vec<Vec<bool>> {
        let mut all = vec![marked(command, 0)];
        for (number, part) in self.parts.iter().enumerate() {
            let mut next = vec![false; command.len() + 1];
            let starts = all.last().map(Vec::as_slice).unwrap_or_default();
            for (start, _) in starts.iter().enumerate().filter(|(_, reached)| **reached) {
                let path = *part == Part::Hole(Kind::Path);
                let taken = |end: &usize| !path || command.get(start..*end).is_some_and(|word| takes(number, word));
                part.ends(command, start).into_iter().filter(taken).for_each(|end| set(&mut next, end));
            }
            all.push(next);
        }
        all
    }
}

fn marked(command: &str, at: usize) -> Vec<bool> {
    let mut marks = vec![false; command.len() + 1];
    set(&mut marks, at);
    marks
}

fn set(marks: &mut [bool], at: usize) {
    if let Some(mark) = marks.get_mut(at) {
        *mark = true;
    }
}

impl Part {
    /// Where the part can end that starts at an offset.
    fn ends(&self, command: &str, start: usize) -> Vec<usize> {
        let Some(rest) = command.get(start..) else { return Vec::new() };
        match self {
            Part::Text(text) => rest.strip_prefix(&**text).map(|_| start + text.len()).into_iter().collect(),
            Part::Hole(kind) => kind.lengths(rest).map(|length| start + length).collect(),
        }
    }
}

impl Kind {
    /// How much of a text, from its beginning, the hole can take.
    fn lengths(self, rest: &str) -> impl Iterator<Item = usize> {
        let none = matches!(self, Kind::Words | Kind::Run).then_some(0);
        let runs = rest.char_indices().enumerate().map_while(move |(place, (at, c))| {
            let fits = match (place, self) {
                (0, _) => self.begins_with(c),
                (_, Kind::Path | Kind::Word | Kind::Url) => is_word(c),
                (_, Kind::Command | Kind::Words | Kind::Run) => is_plain(c),
            };
            fits.then_some(at + c.len_utf8())
        });
        none.into_iter().chain(runs)
    }

    fn begins_with(self, c: char) -> bool {
        match self {
            Kind::Path | Kind::Word => is_word(c) && c != '-',
            Kind::Url => is_letter(c),
            Kind::Command => is_letter(c) || "./~_".contains(c),
            Kind::Words => c == ' ',
            Kind::Run => is_plain(c),
        }
    }
}

/// ASCII, and the letters of most scripts: none that a shell reads as anything but itself.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || ('À'..='ᙿ').contains(&c) || ('ぁ'..='힣').contains(&c)
}

fn is_word(c: char) -> bool {
    is_letter(c) || "!%+,-./:=@^_~".contains(c)
}

fn is_plain(c: char) -> bool {
    is_word(c) || c == ' '
}

impl PartialEq for Template {
    fn eq(&self, other: &Template) -> bool {
        self.text == other.text
    }
}

impl Eq for Template {}

impl std::fmt::Debug for Template {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Template({:?})", self.text)
    }
}

#[cfg(test)]
mod tests;
