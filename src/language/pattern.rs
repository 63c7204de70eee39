//! One pattern: a dialect, its text, and the naive meaning that the exact engine is held to.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::language::glob;
use crate::language::regex::{Automaton, Program};
use crate::language::wildcard;

/// The longest pattern, in UTF-16 units.
pub const MAX_PATTERN_UNITS: usize = 4_096;

/// How a pattern's text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Dialect {
    /// OpenCode's: `*` any run of units, `?` one UTF-16 unit, `\` is `/`, a final ` *` is optional, all else literal.
    Wildcard,
    /// globset's with a literal separator: `*`, `?` and classes stop at `/`, `**` does not, `{a,b}` are alternatives.
    ///
    /// Outside ASCII `?` and a negated class take one UTF-16 unit, a class holds ASCII only, and `**` crosses newlines.
    Glob,
    /// A command and any further words: the text itself, or the text, a blank and anything.
    Prefix,
    /// The text itself.
    Exact,
    /// A regular expression of the regex crate that must match the whole value; no look-around, no word boundaries, and
    /// `^` and `$` only at the ends.
    Regex,
}

/// Whether letter case counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Case {
    /// It does, as everywhere but on Windows.
    #[default]
    Sensitive,
    /// It does not, as on Windows: JavaScript's simple upper-case fold, one unit, never from outside ASCII into it.
    Folded,
}

/// A pattern of some dialect: a set of strings. Cheap to clone; compared by dialect and text.
#[derive(Clone)]
pub struct Pattern {
    inner: Arc<Inner>,
}

struct Inner {
    dialect: Dialect,
    text: Box<str>,
    meaning: Meaning,
}

enum Meaning {
    Text,
    Glob {
        exact: Vec<glob::Word>,
        folded: OnceLock<Vec<glob::Word>>,
    },
    Regex(Box<Program>),
    /// Of a question of the checker, for one case of letters; no rule has it.
    Automaton(Box<Automaton>),
}

/// Why a text is not a pattern of its dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    message: String,
    help: Option<String>,
    range: Option<Range<usize>>,
}

impl PatternError {
    pub(crate) fn new(message: impl Into<String>) -> PatternError {
        PatternError { message: message.into(), help: None, range: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> PatternError {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn at(mut self, range: Range<usize>) -> PatternError {
        self.range = Some(range);
        self
    }

    /// What is wrong, in lower case, without a full stop.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to write instead, where there is something to say.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The place of the error in the pattern's text, in bytes, where it is known.
    pub fn range(&self) -> Option<Range<usize>> {
        self.range.clone()
    }
}

impl Pattern {
    /// Reads `text` in `dialect`.
    ///
    /// # Errors
    /// The text is longer than [`MAX_PATTERN_UNITS`], is no pattern of the dialect, or stands for too large a set of words
    /// or automaton to be analysed.
    pub fn new(dialect: Dialect, text: &str) -> Result<Pattern, PatternError> {
        if is_over_long(text) {
            return Err(PatternError::new(format!("a pattern can have at most {MAX_PATTERN_UNITS} UTF-16 units"))
                .with_help("split it, or write a shorter pattern that covers it"));
        }
        let meaning = match dialect {
            Dialect::Wildcard | Dialect::Prefix | Dialect::Exact => Meaning::Text,
            Dialect::Glob => Meaning::Glob { exact: glob::parse(text, Case::Sensitive)?, folded: OnceLock::new() },
            Dialect::Regex => Meaning::Regex(Box::new(Program::new(text)?)),
        };
        Ok(Pattern { inner: Arc::new(Inner { dialect, text: text.into(), meaning }) })
    }

    /// A wildcard pattern. Every text is one; a text that is too long is refused where it is analysed.
    pub fn wildcard(text: &str) -> Pattern {
        Pattern { inner: Arc::new(Inner { dialect: Dialect::Wildcard, text: text.into(), meaning: Meaning::Text }) }
    }

    /// The expression of a template, whose limits keep it small: there are many, and few are ever asked to match.
    pub(crate) fn of_template(expression: &str) -> Pattern {
        let meaning = Meaning::Regex(Box::new(Program::unchecked(expression)));
        Pattern { inner: Arc::new(Inner { dialect: Dialect::Regex, text: expression.into(), meaning }) }
    }

    /// The set of strings of an automaton, under a text that is its alone.
    pub(crate) fn of_automaton(text: &str, automaton: Automaton) -> Pattern {
        let meaning = Meaning::Automaton(Box::new(automaton));
        Pattern { inner: Arc::new(Inner { dialect: Dialect::Regex, text: text.into(), meaning }) }
    }

    /// The dialect it is written in.
    pub fn dialect(&self) -> Dialect {
        self.inner.dialect
    }

    /// The text as written.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// Whether the pattern matches the whole of `value`: the meaning of the dialect, in plain code that shares nothing with
    /// the engine's automata.
    pub fn matches(&self, value: &str, case: Case) -> bool {
        match (&self.inner.meaning, self.inner.dialect) {
            (Meaning::Glob { .. }, _) => glob::matches(self.glob_words(case), value),
            (Meaning::Regex(program), _) => program.matches(value, case),
            (Meaning::Automaton(automaton), _) => automaton.matches(value, case),
            (Meaning::Text, Dialect::Wildcard) => wildcard::matches(self.text(), value, case),
            (Meaning::Text, Dialect::Prefix) => prefix_matches(self.text(), value, case),
            (Meaning::Text, _) => folded_units(self.text(), case).eq(folded_units(value, case)),
        }
    }

    /// Whether the pattern surely matches every string.
    pub fn is_everything(&self) -> bool {
        match (&self.inner.meaning, self.inner.dialect) {
            (Meaning::Glob { exact, .. }, _) => glob::is_everything(exact),
            (Meaning::Regex(program), _) => program.is_everything(),
            (Meaning::Automaton(_), _) => false,
            (Meaning::Text, dialect) => dialect == Dialect::Wildcard && wildcard::is_everything(self.text()),
        }
    }

    /// The automaton of a regular expression; `None` for another dialect.
    pub(crate) fn automaton(&self, case: Case) -> Option<Result<&Automaton, &PatternError>> {
        match &self.inner.meaning {
            Meaning::Regex(program) => Some(program.automaton(case)),
            Meaning::Automaton(automaton) => Some(Ok(automaton)),
            Meaning::Text | Meaning::Glob { .. } => None,
        }
    }

    /// The words of a glob; none for another dialect.
    pub(crate) fn glob_words(&self, case: Case) -> &[glob::Word] {
        match (&self.inner.meaning, case) {
            (Meaning::Glob { exact, .. }, Case::Sensitive) => exact,
            (Meaning::Glob { folded, .. }, Case::Folded) => {
                folded.get_or_init(|| glob::parse(self.text(), Case::Folded).unwrap_or_default())
            }
            _ => &[],
        }
    }

    pub(crate) fn is_over_long(&self) -> bool {
        is_over_long(self.text())
    }
}

/// A unit takes at least a third of a UTF-8 byte sequence, so short texts need no count.
fn is_over_long(text: &str) -> bool {
    text.len() > MAX_PATTERN_UNITS && text.encode_utf16().count() > MAX_PATTERN_UNITS
}

fn folded_units(text: &str, case: Case) -> impl Iterator<Item = u16> + '_ {
    text.encode_utf16().map(move |unit| match case {
        Case::Sensitive => unit,
        Case::Folded => crate::language::units::fold(unit),
    })
}

fn prefix_matches(command: &str, value: &str, case: Case) -> bool {
    let mut rest = folded_units(value, case);
    folded_units(command, case).all(|unit| rest.next() == Some(unit))
        && rest.next().is_none_or(|unit| unit == u16::from(b' '))
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || (self.dialect(), self.text()) == (other.dialect(), other.text())
    }
}

impl Eq for Pattern {}

impl PartialOrd for Pattern {
    fn partial_cmp(&self, other: &Pattern) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pattern {
    fn cmp(&self, other: &Pattern) -> std::cmp::Ordering {
        (self.dialect(), self.text()).cmp(&(other.dialect(), other.text()))
    }
}

impl std::hash::Hash for Pattern {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.dialect(), self.text()).hash(state);
    }
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}({:?})", self.dialect(), self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_is_a_command_and_further_words() {
        let pattern = Pattern::new(Dialect::Prefix, "git log").unwrap();
        let matches = |value| pattern.matches(value, Case::Sensitive);
        assert!(matches("git log") && matches("git log -p") && matches("git log "));
        assert!(!matches("git logx") && !matches("git lo") && !matches("git\\log"));
        assert!(pattern.matches("GIT log X", Case::Folded));
    }

    #[test]
    fn over_long_patterns_are_refused() {
        assert!(Pattern::new(Dialect::Exact, &"é".repeat(4_096)).is_ok());
        assert!(Pattern::new(Dialect::Exact, &"é".repeat(4_097)).is_err());
        assert!(Pattern::wildcard(&"x".repeat(5_000)).is_over_long());
    }

    #[test]
    fn patterns_compare_by_dialect_and_text() {
        assert_eq!(Pattern::wildcard("a"), Pattern::new(Dialect::Wildcard, "a").unwrap());
        assert_ne!(Pattern::wildcard("a"), Pattern::new(Dialect::Exact, "a").unwrap());
    }

    #[test]
    fn everything_is_known_in_each_dialect() {
        let everything = |dialect, text| Pattern::new(dialect, text).unwrap().is_everything();
        assert!(
            everything(Dialect::Glob, "**")
                && everything(Dialect::Regex, "(?s).*")
                && everything(Dialect::Wildcard, "*")
        );
        assert!(
            !everything(Dialect::Glob, "*") && !everything(Dialect::Regex, ".*") && !everything(Dialect::Exact, "*")
        );
    }
}
