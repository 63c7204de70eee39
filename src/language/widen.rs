//! Wildcards that together match at least what a pattern matches: how another dialect is said to a runtime that has only
//! wildcards. Whether they match more is a question for a [`Table`](super::Table).

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::language::glob::{Piece, Word};
use crate::language::pattern::{Case, Dialect, Pattern};
use crate::language::units::UnitSet;

/// More alternatives than this are not written out.
const MAX_TEXTS: usize = 64;
/// A counted repetition is written out so far.
const MAX_COUNT: u32 = 16;

impl Pattern {
    /// Wildcard texts whose union holds every string of the pattern; none if that takes too many.
    pub fn widened(&self) -> Option<Vec<String>> {
        let mut texts = match self.dialect() {
            Dialect::Wildcard => return Some(vec![self.text().to_owned()]),
            Dialect::Exact => vec![literal(self.text())],
            Dialect::Prefix => return Some(vec![format!("{} *", literal(self.text()))]),
            Dialect::Glob => self.glob_words(Case::Sensitive).iter().map(of_word).collect(),
            Dialect::Regex => alternatives(&regex_syntax::parse(self.text()).ok()?)?,
        };
        texts.iter_mut().for_each(|text| *text = tidy(text));
        let optional: Vec<String> =
            texts.iter().filter_map(|text| Some(text.strip_suffix(" **")?.to_owned())).collect();
        for head in optional.into_iter().filter(|head| texts.contains(head)).collect::<Vec<_>>() {
            texts.retain(|text| *text != head && text.strip_suffix(" **") != Some(&head));
            texts.push(format!("{head} *"));
        }
        texts.sort();
        texts.dedup();
        (!texts.is_empty() && texts.len() <= MAX_TEXTS).then_some(texts)
    }
}

/// A text that matches itself; what cannot be written literally becomes any one unit.
fn literal(text: &str) -> String {
    text.chars().map(|letter| if matches!(letter, '*' | '?') { '?' } else { letter }).collect()
}

/// One star for each run of them; a final ` *` would be optional, so there it takes two.
fn tidy(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if letter != '*' || !out.ends_with('*') {
            out.push(letter);
        }
    }
    if out.ends_with(" *") {
        out.push('*');
    }
    out
}

fn of_word(word: &Word) -> String {
    let units: Vec<u16> = word
        .iter()
        .map(|piece| match piece {
            Piece::Gap(_) => u16::from(b'*'),
            Piece::One(set) => only(set).filter(|unit| *unit != u16::from(b'*')).unwrap_or(u16::from(b'?')),
        })
        .collect();
    String::from_utf16_lossy(&units)
}

/// The one unit of a set that has just one.
fn only(set: &UnitSet) -> Option<u16> {
    let mut units = set.units();
    units.next().filter(|_| units.next().is_none())
}

fn alternatives(hir: &Hir) -> Option<Vec<String>> {
    let texts = match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => vec![String::new()],
        HirKind::Literal(bytes) => vec![literal(std::str::from_utf8(&bytes.0).ok()?)],
        // A letter beyond the first plane takes two units.
        HirKind::Class(Class::Unicode(class)) => match class.ranges().last() {
            None => Vec::new(),
            Some(last) if u32::from(last.end()) > 0xFFFF => vec!["*".to_owned()],
            Some(_) => vec!["?".to_owned()],
        },
        HirKind::Class(Class::Bytes(_)) => vec!["*".to_owned()],
        HirKind::Capture(capture) => alternatives(&capture.sub)?,
        HirKind::Alternation(branches) => {
            branches.iter().map(alternatives).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect()
        }
        HirKind::Concat(parts) => {
            parts.iter().try_fold(vec![String::new()], |heads, part| product(&heads, &alternatives(part)?))?
        }
        HirKind::Repetition(repetition) => {
            let once = alternatives(&repetition.sub)?;
            let optional = [vec![String::new()], once.clone()].concat();
            let more = match repetition.max {
                Some(max) if max.checked_sub(repetition.min)? <= 1 => max - repetition.min,
                _ => u32::MAX,
            };
            let count = repetition.min.min(MAX_COUNT);
            let heads = (0..count).try_fold(vec![String::new()], |heads, _| product(&heads, &once))?;
            match more {
                _ if count < repetition.min => product(&heads, &["*".to_owned()])?,
                0 => heads,
                1 => product(&heads, &optional)?,
                _ => product(&heads, &["*".to_owned()])?,
            }
        }
    };
    (texts.len() <= MAX_TEXTS).then_some(texts)
}

fn product(heads: &[String], tails: &[String]) -> Option<Vec<String>> {
    if heads.len() * tails.len() > MAX_TEXTS {
        return None;
    }
    Some(heads.iter().flat_map(|head| tails.iter().map(move |tail| format!("{head}{tail}"))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dialect: Dialect, text: &str, expected: &[&str]) {
        assert_eq!(Pattern::new(dialect, text).unwrap().widened().unwrap(), expected, "{text}");
    }

    #[test]
    fn dialects_widen_to_wildcards() {
        check(Dialect::Prefix, "git log", &["git log *"]);
        check(Dialect::Exact, "rm -rf *", &["rm -rf ?"]);
        check(Dialect::Glob, "src/**/*.{rs,toml}", &["src/*.rs", "src/*.toml", "src/*/*.rs", "src/*/*.toml"]);
        check(Dialect::Glob, "a[0-9]?", &["a??"]);
        check(Dialect::Regex, "git (log|status)( .*)?", &["git log *", "git status *"]);
        check(Dialect::Regex, "(?s)npm run .*", &["npm run **"]);
        check(Dialect::Regex, "[a-z]{2}x+", &["??x*"]);
        check(Dialect::Regex, "a\\*", &["a?"]);
    }

    #[test]
    fn what_takes_too_many_is_not_written_out() {
        assert_eq!(Pattern::new(Dialect::Regex, "(aa|bb|cc){9}x").unwrap().widened(), None);
    }
}
