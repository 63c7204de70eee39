//! The glob dialect: globset's, with a literal separator: `*`, `?` and classes stop at `/`, `**` does not.
//!
//! globset parses a glob into a byte regex; that is read here into words of literals, classes and gaps. Where the two
//! differ: outside ASCII `?` and a negated class take one UTF-16 unit (globset: one byte), a class holds ASCII only
//! (globset: its bytes), and `**` crosses a newline (globset: it does not).

use regex_syntax::hir::{Class, ClassBytes, Hir, HirKind};

use crate::language::pattern::{Case, PatternError};
use crate::language::units::UnitSet;

/// One part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// One unit of a set.
    One(UnitSet),
    /// Any run of units of a set, also none.
    Gap(UnitSet),
}

impl Piece {
    pub(crate) fn fold(&mut self) {
        let (Piece::One(set) | Piece::Gap(set)) = self;
        if !set.is_all() {
            *set = set.folded();
        }
    }
}

pub(crate) type Word = Vec<Piece>;

/// Braces and optional parts are written out; more words than this are refused.
const MAX_WORDS: usize = 1_024;
/// All pieces of all words of one glob.
const MAX_PIECES: usize = 65_536;

/// The words of a glob; a value matches if it matches one of them.
///
/// # Errors
/// What globset refuses, characters outside ASCII in a class, and more than 1,024 words.
pub(crate) fn parse(text: &str, case: Case) -> Result<Vec<Word>, PatternError> {
    let glob = globset::GlobBuilder::new(text)
        .literal_separator(true)
        .backslash_escape(true)
        .case_insensitive(case == Case::Folded)
        .build()
        .map_err(|error| PatternError::new(error.kind().to_string()))?;
    let hir = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .unicode(false)
        .build()
        .parse(glob.regex())
        .map_err(|error| PatternError::new(format!("the glob cannot be read: {error}")))?;
    let mut words = expand(&hir)?;
    for word in &mut words {
        if case == Case::Folded {
            word.iter_mut().for_each(Piece::fold);
        }
        merge_gaps(word);
    }
    words.dedup();
    Ok(words)
}

fn expand(hir: &Hir) -> Result<Vec<Word>, PatternError> {
    let words = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![Word::new()],
        HirKind::Literal(bytes) => {
            vec![std::str::from_utf8(&bytes.0).map_err(|_| outside_ascii())?.chars().flat_map(literal).collect()]
        }
        HirKind::Class(Class::Unicode(letters)) => {
            letters.iter().flat_map(|range| range.start()..=range.end()).map(literal).collect()
        }
        HirKind::Class(Class::Bytes(class)) => class_set(class)?.map(|set| vec![Piece::One(set)]).into_iter().collect(),
        HirKind::Capture(capture) => expand(&capture.sub)?,
        HirKind::Repetition(repetition) => match (repetition.sub.kind(), repetition.max) {
            (_, Some(1)) => [vec![Word::new()], expand(&repetition.sub)?].concat(),
            (HirKind::Class(Class::Bytes(class)), None) => {
                vec![class_set(class)?.map(Piece::Gap).into_iter().collect()]
            }
            _ => return Err(PatternError::new("the glob repeats something that is not a single character")),
        },
        HirKind::Alternation(branches) => {
            let mut words = Vec::new();
            for branch in branches {
                words.extend(expand(branch)?);
            }
            words
        }
        HirKind::Concat(parts) => {
            let mut words = vec![Word::new()];
            for part in parts {
                let tails = expand(part)?;
                refuse_too_many(&words, &tails)?;
                words = words.iter().flat_map(|head| tails.iter().map(|tail| [&head[..], tail].concat())).collect();
            }
            words
        }
    };
    refuse_too_many(&words, &[])?;
    Ok(words)
}

fn refuse_too_many(heads: &[Word], tails: &[Word]) -> Result<(), PatternError> {
    let count = heads.len().saturating_mul(tails.len().max(1));
    let longest = |words: &[Word]| words.iter().map(Vec::len).max().unwrap_or(0);
    if count > MAX_WORDS || count.saturating_mul(longest(heads) + longest(tails)) > MAX_PIECES {
        return Err(PatternError::new(format!("the glob's alternatives stand for more than {MAX_WORDS} patterns"))
            .with_help("write fewer or shorter `{...}` groups, or several rules"));
    }
    Ok(())
}

fn literal(letter: char) -> Word {
    letter.encode_utf16(&mut [0; 2]).iter().map(|&unit| Piece::One(UnitSet::single(unit))).collect()
}

/// A set of bytes as a set of units: all bytes outside ASCII stand for all units outside it, and a dot for everything.
fn class_set(class: &ClassBytes) -> Result<Option<UnitSet>, PatternError> {
    let mut ranges: Vec<(u16, u16)> = class.iter().map(|range| (range.start().into(), range.end().into())).collect();
    match ranges.last_mut() {
        None => return Ok(None),
        Some(last) if last.1 == 0xFF && last.0 <= 0x80 => last.1 = u16::MAX,
        Some(last) if last.1 >= 0x80 => return Err(outside_ascii()),
        Some(_) => {}
    }
    let set = UnitSet::new(ranges);
    let newline = UnitSet::single(u16::from(b'\n'));
    Ok(Some(if set == newline.negated() { UnitSet::default().negated() } else { set }))
}

fn outside_ascii() -> PatternError {
    PatternError::new("a character class of a glob can hold ASCII characters only")
        .with_help("write the alternatives in braces, as in `{é,è}`")
}

/// Two gaps in a row are one, and a single unit stands before a gap of the same set, so that equal words look equal.
fn merge_gaps(word: &mut Word) {
    let mut merged = Word::with_capacity(word.len());
    for piece in word.drain(..) {
        match (merged.last(), &piece) {
            (Some(Piece::Gap(left)), Piece::Gap(right)) if left.is_all() || left == right => {}
            (Some(Piece::Gap(_)), Piece::Gap(right)) if right.is_all() => {
                merged.pop();
                merged.push(piece);
            }
            (Some(Piece::Gap(left)), Piece::One(right)) if left == right => merged.insert(merged.len() - 1, piece),
            _ => merged.push(piece),
        }
    }
    *word = merged;
}

/// Whether one of the words matches all of `value`, by a table over word and value.
pub(crate) fn matches(words: &[Word], value: &str) -> bool {
    let value: Vec<u16> = value.encode_utf16().collect();
    words.iter().any(|word| fills(word, &value))
}

/// `reached[n]` says whether the pieces read so far match the first `n` units of the value.
fn fills(word: &[Piece], value: &[u16]) -> bool {
    let mut reached = vec![false; value.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for piece in word {
        let mut before = false;
        let units = std::iter::once(None).chain(value.iter().map(|&unit| Some(unit)));
        for (place, unit) in reached.iter_mut().zip(units) {
            let was = *place;
            match piece {
                Piece::One(set) => {
                    *place = before && unit.is_some_and(|unit| set.contains(unit));
                    before = was;
                }
                Piece::Gap(set) => {
                    *place = was || before && unit.is_some_and(|unit| set.contains(unit));
                    before = *place;
                }
            }
        }
    }
    reached.last() == Some(&true)
}

/// Whether one of the words is a single gap over everything.
pub(crate) fn is_everything(words: &[Word]) -> bool {
    words.iter().any(|word| matches!(word.as_slice(), [Piece::Gap(set)] if set.is_all()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(glob: &str, yes: &[&str], no: &[&str]) {
        let words = parse(glob, Case::Sensitive).unwrap();
        for value in yes {
            assert!(matches(&words, value), "{glob:?} should match {value:?}");
        }
        for value in no {
            assert!(!matches(&words, value), "{glob:?} should not match {value:?}");
        }
    }

    #[test]
    fn means_what_globset_means() {
        check("src/**/*.rs", &["src/a.rs", "src/a/b.rs"], &["src/a.rss", "a/src/b.rs"]);
        check("*.rs", &["a.rs", ".rs"], &["a/b.rs"]);
        check("**/x", &["x", "/x", "a/x", "a/b/x"], &["ax"]);
        check("a/**", &["a/", "a/b/c"], &["a", "ab"]);
        check("**", &["", "a/b", "a\nb"], &[]);
        check("{a,b{c,d}}[!x-z]?", &["aab", "bcab", "bd--"], &["axb", "a/b", "bab"]);
        check("{é,😀}", &["é", "😀"], &["e", ""]);
        check("\\*", &["*"], &["\\", "a"]);
        check("é?", &["éa", "éé"], &["é", "é/", "é😀"]);
    }

    #[test]
    fn folds_only_on_windows() {
        let folded = |glob: &str, value| matches(&parse(glob, Case::Folded).unwrap(), value);
        assert!(folded("Src/É[a-b]", "src/éB") && !folded("[!a]", "A") && folded("[!a]", "é"));
    }

    #[test]
    fn refuses_what_it_cannot_read() {
        for glob in ["[", "{a", "[é]", "a\\", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"] {
            assert!(parse(glob, Case::Sensitive).is_err(), "{glob:?}");
        }
    }
}
