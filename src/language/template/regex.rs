//! A template as a regular expression, and the patterns of paths as automata of words that its paths can be.

use super::{Kind, Part};
use crate::language::pattern::{Case, Dialect, Pattern, PatternError};
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
    let plain = UnitSet::new(plain_units(true));
    let plain = |(set, many): (UnitSet, bool)| {
        let set = if case == Case::Folded { set.folded() } else { set };
        let set = set.and(&plain);
        // A gap that no such character fits into is nothing; one letter that cannot be leaves no word.
        match (set.is_empty(), many) {
            (true, true) => Some(None),
            (true, false) => None,
            (false, _) => Some(Some((set, many))),
        }
    };
    let possible = |word: Vec<(UnitSet, bool)>| word.into_iter().map(plain).collect::<Option<Vec<_>>>();
    let words = pieces(path, case).into_iter().filter_map(possible);
    words.map(|word| Automaton::of_sets(&word.into_iter().flatten().collect::<Vec<_>>())).collect()
}

/// The words of a path pattern: letters, and any runs of letters where a set comes with `true`.
fn pieces(path: &Pattern, case: Case) -> Vec<Vec<(UnitSet, bool)>> {
    use crate::language::glob;
    let literal = |text: &str| text.encode_utf16().map(|unit| (UnitSet::single(unit), false)).collect();
    let glob = |word: &glob::Word| {
        let piece = |piece: &glob::Piece| match piece {
            glob::Piece::One(set) => (set.clone(), false),
            glob::Piece::Gap(set) => (set.clone(), true),
        };
        word.iter().map(piece).collect()
    };
    match path.dialect() {
        Dialect::Regex => Vec::new(),
        // Further words of a prefix come after a blank, which a single word has not.
        Dialect::Exact | Dialect::Prefix => vec![literal(path.text())],
        Dialect::Glob => path.glob_words(case).iter().map(glob).collect(),
        Dialect::Wildcard => {
            let short = path.text().strip_suffix(" *");
            short.into_iter().chain([path.text()]).map(wildcard).collect()
        }
    }
}

fn wildcard(text: &str) -> Vec<(UnitSet, bool)> {
    let all = || UnitSet::default().negated();
    let piece = |unit: u16| match u8::try_from(unit) {
        Ok(b'*') => (all(), true),
        Ok(b'?') => (all(), false),
        Ok(b'\\') => (UnitSet::single(u16::from(b'/')), false),
        _ => (UnitSet::single(unit), false),
    };
    text.encode_utf16().map(piece).collect()
}

/// The characters of a word, as units: none of them is half of a pair.
pub(super) fn plain_units(dash: bool) -> Vec<(u16, u16)> {
    let single = |byte: u8| (u16::from(byte), u16::from(byte));
    let signs = b"!%+,./:=@^_~".iter().copied().chain(dash.then_some(b'-')).map(single);
    let letters = [('0', '9'), ('A', 'Z'), ('a', 'z'), ('À', 'ᙿ'), ('ぁ', '힣')];
    let unit = |c: char| u16::try_from(u32::from(c)).unwrap_or_default();
    letters.into_iter().map(|(low, high)| (unit(low), unit(high))).chain(signs).collect()
}
