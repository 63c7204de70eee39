//! A template as a regular expression, and the patterns of paths as automata of words that its paths can be.

use super::{Kind, Part};
use crate::language::glob::{Piece, Word};
use crate::language::pattern::{Case, Pattern, PatternError};
use crate::language::pieces;
use crate::language::regex::Automaton;
use crate::language::units::UnitSet;

/// What `is_letter`, `is_word` and `is_plain` say, as classes without their brackets.
const LETTER: &str = "0-9A-Za-zÀ-ᙿぁ-힣";
const SIGNS: &str = r"!%+,./:=@\^_~";

/// The expression of all command lines of a template.
pub(super) fn whole(parts: &[Part]) -> Pattern {
    // INVARIANT: what the parser accepts is small enough for its expression to be one; a test holds the limits to that.
    Pattern::of_template(&expression(parts))
}

/// The expression of all command lines of parts of a template.
pub(super) fn expression(parts: &[Part]) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => regex_syntax::escape(text),
        Part::Hole(kind) => hole(*kind),
    };
    parts.iter().map(part).collect()
}

fn hole(kind: Kind) -> String {
    match kind {
        Kind::Path | Kind::Word => format!("[{LETTER}{SIGNS}][{LETTER}{SIGNS}-]*"),
        Kind::Url => format!("[{LETTER}][{LETTER}{SIGNS}-]*"),
        Kind::Command => format!("[{LETTER}./~_][ {LETTER}{SIGNS}-]*"),
        Kind::Words => format!("(?: [ {LETTER}{SIGNS}-]*)?"),
        Kind::Run => format!("[ {LETTER}{SIGNS}-]*"),
    }
}

/// The automata of a path pattern's words, as far as they are of plain characters. Of any dialect but `regex`, which is one.
pub(super) fn words(path: &Pattern, case: Case) -> Result<Vec<Automaton>, PatternError> {
    let letters = UnitSet::new(plain_units(true));
    let plain = |piece: Piece| {
        let (Piece::One(set) | Piece::Gap(set)) = &piece;
        let set = set.and(&letters);
        let many = matches!(piece, Piece::Gap(_));
        // A gap that no such character fits into is nothing; one letter that cannot be leaves no word.
        match (set.is_empty(), many) {
            (true, true) => Some(None),
            (true, false) => None,
            (false, _) => Some(Some((set, many))),
        }
    };
    let possible = |word: Word| word.into_iter().map(plain).collect::<Option<Vec<_>>>();
    let words = pieces::words(path, case).unwrap_or_default().into_iter().filter_map(possible);
    words.map(|word| Automaton::of_sets(&word.into_iter().flatten().collect::<Vec<_>>())).collect()
}

/// The characters of a word, as units: none of them is half of a pair.
pub(super) fn plain_units(dash: bool) -> Vec<(u16, u16)> {
    let single = |byte: u8| (u16::from(byte), u16::from(byte));
    let signs = b"!%+,./:=@^_~".iter().copied().chain(dash.then_some(b'-')).map(single);
    let letters = [('0', '9'), ('A', 'Z'), ('a', 'z'), ('À', 'ᙿ'), ('ぁ', '힣')];
    let unit = |c: char| u16::try_from(u32::from(c)).unwrap_or_default();
    letters.into_iter().map(|(low, high)| (unit(low), unit(high))).chain(signs).collect()
}
