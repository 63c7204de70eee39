//! A template as a regular expression, also with its paths held to a pattern.

use super::{Kind, Part};
use crate::language::pattern::{Case, Dialect, Pattern};
use crate::language::units::UnitSet;
use std::fmt::Write as _;

/// What `is_letter`, `is_word` and `is_plain` say, as classes without their brackets.
const LETTER: &str = "0-9A-Za-zÀ-ᙿぁ-힣";
const SIGNS: &str = r"!%+,./:=@\^_~";

/// The expression of all command lines of a template.
pub(super) fn whole(parts: &[Part]) -> Pattern {
    // INVARIANT: what the parser accepts is small enough for its expression to be one; a test holds the limits to that.
    Pattern::of_template(&expression(parts, &hole(Kind::Path)))
}

/// The expression of those whose paths are words that `path` matches; nothing if there are none, or it cannot be said.
pub(super) fn within(parts: &[Part], path: &Pattern) -> Option<Pattern> {
    let words: Vec<String> = words(path)?.iter().filter_map(|word| plain_word(word)).collect();
    let expression = (!words.is_empty()).then(|| expression(parts, &format!("(?:{})", words.join("|"))))?;
    Some(Pattern::of_template(&expression))
}

fn expression(parts: &[Part], path: &str) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => regex_syntax::escape(text),
        Part::Hole(Kind::Path) => path.to_owned(),
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

/// One letter of a set, or any run of them.
#[derive(Clone)]
enum Piece {
    One(UnitSet),
    Gap(UnitSet),
}

/// The words of a path pattern; nothing for a regular expression.
fn words(path: &Pattern) -> Option<Vec<Vec<Piece>>> {
    use crate::language::glob;
    let literal = |text: &str| text.encode_utf16().map(|unit| Piece::One(UnitSet::single(unit))).collect();
    let glob = |word: &glob::Word| {
        let piece = |piece: &glob::Piece| match piece {
            glob::Piece::One(set) => Piece::One(set.clone()),
            glob::Piece::Gap(set) => Piece::Gap(set.clone()),
        };
        word.iter().map(piece).collect()
    };
    Some(match path.dialect() {
        Dialect::Regex => return None,
        // Further words of a prefix come after a blank, which a single word has not.
        Dialect::Exact | Dialect::Prefix => vec![literal(path.text())],
        Dialect::Glob => path.glob_words(Case::Sensitive).iter().map(glob).collect(),
        Dialect::Wildcard => {
            let short = path.text().strip_suffix(" *");
            short.into_iter().chain([path.text()]).map(wildcard).collect()
        }
    })
}

fn wildcard(text: &str) -> Vec<Piece> {
    let all = || UnitSet::default().negated();
    let piece = |c: char| match c {
        '*' => vec![Piece::Gap(all())],
        '?' => vec![Piece::One(all())],
        '\\' => vec![Piece::One(UnitSet::single(u16::from(b'/')))],
        c => c.encode_utf16(&mut [0; 2]).iter().map(|unit| Piece::One(UnitSet::single(*unit))).collect(),
    };
    text.chars().flat_map(piece).collect()
}

/// What a word of a path pattern matches of the words that a `{path}` takes: plain characters, at least one, no `-` first.
fn plain_word(word: &[Piece]) -> Option<String> {
    let plain = UnitSet::new(plain_units(true));
    let mut pieces = Vec::new();
    for piece in word {
        match piece {
            Piece::One(set) => pieces.push(Piece::One(set.and(&plain)).possible()?),
            Piece::Gap(set) => pieces.extend(Piece::Gap(set.and(&plain)).possible()),
        }
    }
    // The pieces before the first that must be there may be missing, so each of them can be the one that begins.
    let begin = UnitSet::new(plain_units(false));
    let mut ways = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        let (Piece::One(set) | Piece::Gap(set)) = piece;
        let rest = pieces.get(place + 1..).unwrap_or_default();
        let again = matches!(piece, Piece::Gap(_)).then(|| piece.clone());
        if let Some(first) = Piece::One(set.and(&begin)).possible() {
            ways.push(std::iter::once(&first).chain(&again).chain(rest).map(Piece::expression).collect::<String>());
        }
        if matches!(piece, Piece::One(_)) {
            break;
        }
    }
    (!ways.is_empty()).then(|| ways.join("|"))
}

impl Piece {
    fn possible(self) -> Option<Piece> {
        let (Piece::One(set) | Piece::Gap(set)) = &self;
        (!set.is_empty()).then_some(self)
    }

    fn expression(&self) -> String {
        let (Piece::One(set) | Piece::Gap(set)) = self;
        let mut class = String::from("[");
        for (low, high) in set.ranges() {
            // Writing to a string does not fail.
            let _ = write!(class, "\\u{{{low:X}}}-\\u{{{high:X}}}");
        }
        class.push_str(if matches!(self, Piece::Gap(_)) { "]*" } else { "]" });
        class
    }
}

/// The characters of a word, as units: none of them is half of a pair.
fn plain_units(dash: bool) -> Vec<(u16, u16)> {
    let single = |byte: u8| (u16::from(byte), u16::from(byte));
    let signs = b"!%+,./:=@^_~".iter().copied().chain(dash.then_some(b'-')).map(single);
    let letters = [('0', '9'), ('A', 'Z'), ('a', 'z'), ('À', 'ᙿ'), ('ぁ', '힣')];
    let unit = |c: char| u16::try_from(u32::from(c)).unwrap_or_default();
    letters.into_iter().map(|(low, high)| (unit(low), unit(high))).chain(signs).collect()
}
