//! A pattern as words of sets of units and gaps: the form in which its letters can be numbered. Of every dialect but `regex`.

use super::glob::{Piece, Word};
use super::pattern::{Case, Dialect, Pattern};
use super::units::UnitSet;
use super::wildcard::{ANY, STAR};

/// The words of a pattern, of which a value matches at least one; `None` for an expression. Where case does not count, each
/// set holds every unit that folds to one of its own.
pub(crate) fn words(pattern: &Pattern, case: Case) -> Option<Vec<Word>> {
    let text = pattern.text();
    let mut words = match pattern.dialect() {
        Dialect::Regex => return None,
        Dialect::Glob => return Some(pattern.glob_words(case).to_vec()),
        Dialect::Exact => vec![literal(text)],
        Dialect::Prefix => vec![literal(text), [literal(text), literal(" "), vec![gap()]].concat()],
        Dialect::Wildcard => text.strip_suffix(" *").into_iter().chain([text]).map(wildcard).collect(),
    };
    if case == Case::Folded {
        words.iter_mut().flatten().for_each(Piece::fold);
    }
    Some(words)
}

/// The one letter of a piece, if there is one. A slash stands for both.
fn known(piece: &Piece) -> Option<u16> {
    match piece {
        Piece::One(set) => match set.ranges() {
            [(low, high)] if low == high => Some(*low),
            [(0x2F, 0x2F), (0x5C, 0x5C)] => Some(0x2F),
            _ => None,
        },
        Piece::Gap(_) => None,
    }
}

/// A text such that a pattern matches whatever begins with it; `None`: none is known.
pub fn covered(pattern: &Pattern, case: Case) -> Option<String> {
    let covers = |word: &Word| {
        let (last, before) = word.split_last()?;
        let all = matches!(last, Piece::Gap(set) if set.is_all());
        let text: Vec<u16> = before.iter().map(known).collect::<Option<_>>()?;
        all.then(|| String::from_utf16(&text).ok())?
    };
    words(pattern, case)?.iter().find_map(covers)
}

/// What every value that a pattern matches begins with, as far as each letter of it is known. A slash stands for both.
pub fn beginning(pattern: &Pattern, case: Case) -> String {
    let words = words(pattern, case).unwrap_or_default();
    let mut all = words.iter().map(|word| word.iter().map_while(known).collect::<Vec<u16>>());
    let first = all.next().unwrap_or_default();
    let common = |one: Vec<u16>, other: Vec<u16>| {
        let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
        one.into_iter().take(same).collect()
    };
    String::from_utf16_lossy(&all.fold(first, common))
}

fn gap() -> Piece {
    Piece::Gap(UnitSet::default().negated())
}

fn literal(text: &str) -> Word {
    text.encode_utf16().map(|unit| Piece::One(UnitSet::single(unit))).collect()
}

/// A run of `?` and `*` is so many `?` and then at most one gap, so that equal gaps look equal.
fn wildcard(text: &str) -> Word {
    let mut word = Word::with_capacity(text.len());
    let mut star = false;
    for unit in text.encode_utf16() {
        match unit {
            STAR => star = true,
            ANY => word.push(Piece::One(UnitSet::default().negated())),
            _ => {
                if std::mem::take(&mut star) {
                    word.push(gap());
                }
                word.push(Piece::One(match unit {
                    0x2F | 0x5C => UnitSet::new(vec![(0x2F, 0x2F), (0x5C, 0x5C)]),
                    _ => UnitSet::single(unit),
                }));
            }
        }
    }
    if star {
        word.push(gap());
    }
    word
}
