//! Patterns of the language as expressions over the JSON of a call's arguments, within the limits that Gemini sets; and back,
//! where it was such an expression that was written.

use crate::language::{Dialect, Pattern};
use globset::GlobBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// Any run of characters within a field: no value holds a NUL, and one stands behind every field.
const RUN: &str = r"[^\x00]*";
/// One unit, as JSON tells it.
const UNIT: &str = r#"(?:[^\x00-\x1f"\\]|\\["\\bfnrt]|\\u[0-9a-f]{4})"#;
/// `/`, for which a wildcard also takes a backslash.
const SLASH: &str = r"(?:/|\\\\)";
/// The final ` *` of a wildcard.
const TAIL: &str = r"(?:| [^\x00]*)";

/// How an expression stands to the pattern it is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It matches no more.
    Narrow,
    /// It matches no less.
    Wide,
}

/// What stands between a field's quotes for the values of a pattern, and whether it is exactly they. `None`: no expression
/// that Gemini takes matches only such values.
pub fn body(pattern: &Pattern, side: Side) -> Option<(String, bool)> {
    match pattern.dialect() {
        Dialect::Wildcard => Some((wildcard(pattern.text()), true)),
        Dialect::Exact => Some((literal(pattern.text()), true)),
        Dialect::Prefix => Some((format!("{}{TAIL}", literal(pattern.text())), true)),
        Dialect::Glob => {
            let glob = GlobBuilder::new(pattern.text()).literal_separator(true).build().ok()?;
            converted(glob.regex(), side, true)
        }
        Dialect::Regex => converted(pattern.text(), side, false),
    }
}

/// The expression for a field whose value is between its quotes.
pub fn field(name: &str, body: &str) -> String {
    format!("\\x00\"{name}\":\"{body}\"\\x00")
}

/// The expression that matches whatever the field holds.
pub fn any(name: &str) -> String {
    format!("\\x00\"{name}\":")
}

/// The wildcard that an expression was written for, if it was one.
pub(super) fn wildcard_of(expression: &str, name: &str) -> Option<String> {
    let mut rest = expression.strip_prefix(&format!("\\x00\"{name}\":\""))?.strip_suffix("\"\\x00")?;
    let mut out = String::new();
    let mut open = false;
    while !rest.is_empty() {
        let known = [(RUN, "*"), (UNIT, "?"), (SLASH, "/"), (TAIL, " *")];
        let found = known.iter().find_map(|(text, sign)| Some((rest.strip_prefix(text)?, *sign)));
        open = false;
        if let Some((after, sign)) = found {
            if sign == " *" && !after.is_empty() {
                return None;
            }
            open = sign == "*" && out.ends_with(' ');
            out.push_str(sign);
            rest = after;
            continue;
        }
        let mut letters = rest.chars();
        let letter = match letters.next()? {
            '\\' => letters.next().filter(|letter| !letter.is_ascii_alphanumeric())?,
            '(' | ')' | '[' | ']' | '{' | '}' | '*' | '+' | '?' | '.' | '|' | '^' | '$' | '"' => return None,
            letter => letter,
        };
        if matches!(letter, '*' | '?' | '/' | '\\' | '"') {
            return None;
        }
        out.push(letter);
        rest = letters.as_str();
    }
    // A blank and a star at the end would also match without them.
    (!open).then_some(out)
}

fn wildcard(text: &str) -> String {
    let (head, tail) = match text.strip_suffix(" *") {
        Some(head) => (head, TAIL),
        None => (text, ""),
    };
    let mut out = String::new();
    for letter in head.chars() {
        match letter {
            '*' if out.ends_with(RUN) => {}
            '*' => out += RUN,
            '?' => out += UNIT,
            '/' | '\\' => out += SLASH,
            letter => push(&mut out, letter),
        }
    }
    out + tail
}

fn literal(text: &str) -> String {
    let mut out = String::new();
    text.chars().for_each(|letter| push(&mut out, letter));
    out
}

/// A letter as JSON tells it, its signs escaped.
fn push(out: &mut String, letter: char) {
    let json = serde_json::Value::from(letter.to_string()).to_string();
    let inner = json.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
    for letter in inner.chars() {
        if "\\^$.|?*+()[]{}".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
}

/// An expression of the regex crate; `lines`: its dots take line ends too, as the language's globs do.
fn converted(text: &str, side: Side, lines: bool) -> Option<(String, bool)> {
    let hir = regex_syntax::ParserBuilder::new().utf8(false).dot_matches_new_line(lines).build().parse(text).ok()?;
    let mut converter = Converter { side, exact: true };
    let text = converter.hir(&hir)?;
    Some((text, converter.exact))
}

struct Converter {
    side: Side,
    exact: bool,
}

impl Converter {
    fn hir(&mut self, hir: &Hir) -> Option<String> {
        match hir.kind() {
            // The whole value is matched anyway; elsewhere the language refuses these.
            HirKind::Empty | HirKind::Look(_) => Some(String::new()),
            HirKind::Literal(text) => Some(literal(std::str::from_utf8(&text.0).ok()?)),
            HirKind::Class(class) => match Letters::of(class).one() {
                Some(text) => Some(text),
                None => self.instead(),
            },
            HirKind::Capture(inner) => self.hir(&inner.sub),
            HirKind::Concat(all) => all.iter().map(|one| self.hir(one)).collect(),
            HirKind::Alternation(all) => {
                let all: Option<Vec<String>> = all.iter().map(|one| self.hir(one)).collect();
                Some(format!("(?:{})", all?.join("|")))
            }
            HirKind::Repetition(repeat) => match (repeat.sub.kind(), repeat.min, repeat.max) {
                (HirKind::Class(class), min, None) if min < 2 => self.run(&Letters::of(class), min),
                (_, 0, Some(1)) => Some(format!("(?:{}|)", self.hir(&repeat.sub)?)),
                _ => self.instead(),
            },
        }
    }

    /// What has no expression of its own.
    fn instead(&mut self) -> Option<String> {
        self.exact = false;
        (self.side == Side::Wide).then(|| RUN.to_owned())
    }

    fn run(&mut self, letters: &Letters, min: u32) -> Option<String> {
        let times = if min == 0 { '*' } else { '+' };
        if let Some(class) = letters.plain() {
            return Some(format!("[{class}]{times}"));
        }
        if !letters.wide {
            return self.instead();
        }
        // Letters that JSON tells with a backslash cannot be left out one by one.
        let escaped = letters
            .missing
            .iter()
            .any(|letter| *letter < ' ' || "\"\\bfnrtu".contains(*letter) || letter.is_ascii_hexdigit());
        let left: String = letters
            .missing
            .iter()
            .filter(|letter| **letter >= ' ' && !"\"\\".contains(**letter))
            .map(|letter| hex(*letter))
            .collect();
        if !escaped {
            return Some(format!("[^\\x00{left}]{times}"));
        }
        self.exact = false;
        match self.side {
            Side::Wide => Some(RUN.to_owned()),
            Side::Narrow => Some(format!("[^\\x00\"\\\\{left}]{times}")),
        }
    }
}

/// The letters of a class: those of ASCII, or all beyond it and ASCII without some.
struct Letters {
    /// Whether all letters beyond ASCII are in it.
    wide: bool,
    ascii: Vec<char>,
    missing: Vec<char>,
    /// Whether some letters beyond ASCII are in it, and not all.
    some: bool,
}

impl Letters {
    fn of(class: &Class) -> Letters {
        let ranges: Vec<(u32, u32)> = match class {
            Class::Unicode(class) => {
                class.ranges().iter().map(|range| (range.start() as u32, range.end() as u32)).collect()
            }
            Class::Bytes(class) => {
                let end = |end: u8| if end == u8::MAX { char::MAX as u32 } else { u32::from(end) };
                class.ranges().iter().map(|range| (u32::from(range.start()), end(range.end()))).collect()
            }
        };
        let has = |letter: u32| ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter));
        let (ascii, missing) = ('\0'..='\x7f').partition(|letter| has(*letter as u32));
        let wide = ranges.iter().any(|(from, to)| *from <= 0x80 && *to == char::MAX as u32);
        let some = !wide && ranges.iter().any(|(_, to)| *to > 0x7f);
        Letters { wide, ascii, missing, some }
    }

    /// A class of letters that JSON tells as they are.
    fn plain(&self) -> Option<String> {
        let fits =
            !self.wide && !self.some && self.ascii.iter().all(|letter| *letter >= ' ' && !"\"\\".contains(*letter));
        fits.then(|| self.ascii.iter().map(|letter| hex(*letter)).collect())
    }

    fn one(&self) -> Option<String> {
        self.plain().filter(|class| !class.is_empty()).map(|class| format!("[{class}]"))
    }
}

fn hex(letter: char) -> String {
    if letter.is_ascii_alphanumeric() { letter.to_string() } else { format!("\\x{:02x}", letter as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_come_back() {
        for text in ["*", "git push *", "docs/*.md", "a?b", "*.env", "é #x", "~/x", "$(y) {1} [2]"] {
            let written = field("command", &wildcard(text));
            assert_eq!(wildcard_of(&written, "command").as_deref(), Some(text), "{written}");
            assert_eq!(super::super::regex::unsafe_because(&written), None, "{written}");
        }
        for exact in ["ls *", "a/b", "x?"] {
            assert_eq!(wildcard_of(&field("command", &literal(exact)), "command"), None, "{exact}");
        }
    }

    #[test]
    fn other_dialects_keep_to_the_limits() {
        let glob = Pattern::new(Dialect::Glob, "**/*.md").unwrap();
        let (text, exact) = body(&glob, Side::Narrow).unwrap();
        assert!(exact, "{text}");
        assert_eq!(super::super::regex::unsafe_because(&field("file_path", &text)), None, "{text}");
        let group = Pattern::new(Dialect::Regex, "(ab)+").unwrap();
        assert_eq!(body(&group, Side::Narrow), None);
        assert!(body(&group, Side::Wide).is_some_and(|(_, exact)| !exact));
    }
}
