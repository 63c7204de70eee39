//! What an expression over a call's arguments says of one field: the values for which it surely matches, and those for which
//! it may.
//!
//! Gemini tries a rule's expression on the arguments as JSON, `{` and `}` around them, keys in order, and a NUL before each
//! top-level key and behind its value. No value can hold a NUL or a bare quote there.

use super::regex::{Class, Failure, Node, parse};
use super::spelling;
use super::tools::Tool;
use crate::language::{Dialect, Pattern};

/// A set of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Values {
    None,
    All,
    /// A regular expression of the language, over the whole value.
    Some(String),
    /// A wildcard.
    Wildcard(String),
}

/// Between what and what the values lie for which an expression matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) surely: Values,
    pub(super) perhaps: Values,
}

impl Reach {
    fn exactly(values: Values) -> Reach {
        Reach { surely: values.clone(), perhaps: values }
    }

    fn open() -> Reach {
        Reach { surely: Values::None, perhaps: Values::All }
    }

    #[cfg(test)]
    fn is_exact(&self) -> bool {
        self.surely == self.perhaps
    }
}

/// What stands for any text.
const ANY: &str = "(?s:.*)";
/// The most alternatives that are written out.
const MOST: usize = 64;

/// The values of a prefix: it, or it and a blank or quote with anything behind. JSON writes tabs and line ends otherwise.
pub(super) fn prefix(text: &str) -> Values {
    Values::Some(format!("{}([\"\\p{{Zs}}\\u{{2028}}\\u{{2029}}\\u{{feff}}]{ANY})?", regex_syntax::escape(text)))
}

/// What an expression says of the field that a tool is asked about.
pub(super) fn reach(text: &str, tool: &Tool) -> Reach {
    let (Ok(node), Some(field)) = (parse(text), tool.field) else { return Reach::open() };
    if let Some(wildcard) = spelling::wildcard_of(text, field) {
        return Reach::exactly(Values::Wildcard(wildcard));
    }
    if is_tangled(&node) {
        return Reach::open();
    }
    let reach = match keyed(&node, field) {
        Keyed::Ours(rest) => {
            let sure = Walk { sure: true, after: tool.after }.tail(&rest);
            let perhaps = Walk { sure: false, after: tool.after }.tail(&rest);
            Reach { surely: values(sure, Values::None), perhaps: values(perhaps, Values::None) }
        }
        Keyed::Other => Reach::open(),
        Keyed::None => contains(&node, tool),
    };
    match reach.surely == Values::None && reach.perhaps == Values::None && !never(text) {
        true => Reach::open(),
        false => reach,
    }
}

/// Whether the end of a value stands in a repeated group, or there are too many alternatives to be written out.
fn is_tangled(node: &Node) -> bool {
    match node {
        Node::Repeat(inner, ..) => has_quote(inner) || is_tangled(inner),
        Node::Alt(all) => all.len() > MOST || all.iter().any(is_tangled),
        Node::Seq(all) => all.iter().any(is_tangled),
        _ => false,
    }
}

/// Whether an expression never matches: it asks for the start or the end of all arguments in their middle.
pub(super) fn never(text: &str) -> bool {
    let Ok(node) = parse(text) else { return false };
    fn within(node: &Node, first: bool, last: bool) -> bool {
        match node {
            Node::Start => !first,
            Node::End => !last,
            Node::Seq(all) => {
                let end = all.len().saturating_sub(1);
                all.iter().enumerate().any(|(at, one)| within(one, first && at == 0, last && at == end))
            }
            Node::Alt(all) => all.iter().all(|one| within(one, first, last)),
            _ => false,
        }
    }
    let all = flat(&node);
    // The arguments are told between `{` and `}`.
    let bound = |edge: Option<&Node>, next: Option<&Node>, which: Node, sign: char| {
        edge == Some(&which) && next.is_some_and(|next| !is_wide(next) && *next != Node::Char(sign))
    };
    within(&node, true, true)
        || bound(all.first(), all.get(1), Node::Start, '{')
        || bound(all.last(), all.iter().rev().nth(1), Node::End, '}')
}

/// Whether it is an expression at all, as far as this module goes.
pub(super) fn invalid(text: &str) -> Option<&'static str> {
    match parse(text) {
        Err(Failure::Invalid(why)) => Some(why),
        _ => None,
    }
}

fn values(text: Option<String>, without: Values) -> Values {
    match text {
        None => without,
        Some(text) if text == ANY => Values::All,
        Some(text) if Pattern::new(Dialect::Regex, &text).is_ok() => Values::Some(text),
        Some(_) => without,
    }
}

/// Which field an expression starts with.
enum Keyed {
    Ours(Vec<Node>),
    Other,
    None,
}

fn flat(node: &Node) -> Vec<Node> {
    match node {
        Node::Seq(all) => all.iter().flat_map(flat).collect(),
        other => vec![other.clone()],
    }
}

/// Whether a piece takes any run of characters, quotes among them.
fn is_wide(node: &Node) -> bool {
    let Node::Repeat(inner, 0, None) = node else { return false };
    matches!(&**inner, Node::Class(class) if class.has('"'))
}

fn keyed(node: &Node, field: &str) -> Keyed {
    let all = flat(node);
    let start = all.iter().position(|one| !(is_wide(one) || matches!(one, Node::Char('\0') | Node::Start)));
    let rest = all.get(start.unwrap_or(all.len())..).unwrap_or_default();
    let key = |name: &str| {
        let head: Vec<Node> = format!("\"{name}\":").chars().map(Node::Char).collect();
        rest.strip_prefix(head.as_slice()).map(<[Node]>::to_vec)
    };
    let Some(rest) = key(field) else {
        let quoted = matches!(rest, [Node::Char('"'), Node::Char(letter), ..] if letter.is_ascii_alphabetic());
        let named = rest.iter().skip(1).position(|one| *one == Node::Char('"'));
        let colon = named.and_then(|at| rest.get(at + 2));
        return if quoted && colon == Some(&Node::Char(':')) { Keyed::Other } else { Keyed::None };
    };
    let blanks = |one: &Node| matches!(one, Node::Repeat(inner, 0, _) if matches!(&**inner, Node::Class(class) if class.has(' ') && !class.has('a')));
    let rest: Vec<Node> = rest.iter().skip_while(|one| blanks(one)).cloned().collect();
    // Nothing further: the field is there.
    if rest.is_empty() {
        return Keyed::Ours(Vec::new());
    }
    match unquoted(rest) {
        Some(rest) => Keyed::Ours(rest),
        None => Keyed::Other,
    }
}

/// Takes the opening quote away, in each alternative.
fn unquoted(mut rest: Vec<Node>) -> Option<Vec<Node>> {
    match rest.first_mut()? {
        Node::Char('"') => {
            rest.remove(0);
            Some(rest)
        }
        Node::Alt(all) => {
            for one in all {
                *one = Node::Seq(unquoted(flat(one))?);
            }
            Some(rest)
        }
        _ => None,
    }
}

/// An expression that names no field matches wherever its text stands.
fn contains(node: &Node, tool: &Tool) -> Reach {
    let mut all = flat(node);
    let edge = |one: &Node| is_wide(one) || matches!(one, Node::Start | Node::End);
    while all.first().is_some_and(edge) {
        all.remove(0);
    }
    while all.last().is_some_and(edge) {
        all.pop();
    }
    if all.is_empty() {
        return Reach::exactly(Values::All);
    }
    let sure = Walk { sure: true, after: false }.inner(&all);
    let Some(sure) = sure else { return Reach::open() };
    // What stands there whatever the call says.
    let keys = format!("{{\0\"{}\":\"\"\0}}", tool.field.unwrap_or_default());
    if regex::Regex::new(&sure).is_ok_and(|regex| regex.is_match(&keys)) {
        return Reach::exactly(Values::All);
    }
    let surely = values(Some(format!("{ANY}{sure}{ANY}")), Values::None);
    let perhaps = if tool.more { Values::All } else { surely.clone() };
    Reach { surely, perhaps }
}

/// From pieces over JSON to an expression over the value; `sure`: no more than surely matches, else no less than may match.
#[derive(Clone, Copy)]
struct Walk {
    sure: bool,
    after: bool,
}

impl Walk {
    /// Pieces up to the end of the value and beyond.
    fn tail(self, nodes: &[Node]) -> Option<String> {
        let mut out = String::new();
        for (at, node) in nodes.iter().enumerate() {
            let rest = nodes.get(at + 1..).unwrap_or_default();
            match node {
                Node::Alt(all) if has_quote(node) || rest.is_empty() => {
                    let each = |one: &Node| self.tail(&[flat(one), rest.to_vec()].concat());
                    let all: Vec<String> = all.iter().filter_map(each).collect();
                    return (!all.is_empty()).then(|| format!("{out}(?:{})", all.join("|")));
                }
                Node::Char('"') if !escaped(nodes, at) => {
                    let fenced = rest.first() == Some(&Node::Char('\0'));
                    let ends = rest.is_empty() || fenced && rest.iter().skip(1).all(is_mark);
                    if self.sure && !ends {
                        return None;
                    }
                    let wide = at.checked_sub(1).and_then(|before| nodes.get(before)).is_some_and(takes_backslash);
                    let quote = if wide && !fenced { format!("(?:\"{ANY})?") } else { String::new() };
                    return Some(out + &quote);
                }
                Node::Edge if rest.is_empty() => {
                    let word = at.checked_sub(1).and_then(|before| nodes.get(before));
                    let word = word.is_some_and(ends_in_word);
                    return match word || !self.sure {
                        true if word => Some(format!("{out}(?:[^0-9A-Za-z_]{ANY})?")),
                        true => Some(out + ANY),
                        false => None,
                    };
                }
                Node::Repeat(inner, least, most) if runs_on(inner) && self.after && !rest.is_empty() => {
                    if !self.sure {
                        return Some(out + ANY);
                    }
                    out += &self.repeat(inner, *least, *most)?;
                }
                Node::Char('\\') => out += &pair(rest.first())?,
                _ if at > 0 && escaped(nodes, at) => {}
                node => out += &self.piece(node)?,
            }
        }
        Some(out + ANY)
    }

    /// Pieces that all lie within the value.
    fn inner(self, nodes: &[Node]) -> Option<String> {
        let mut out = String::new();
        for (at, node) in nodes.iter().enumerate() {
            match node {
                _ if escaped(nodes, at) => {}
                Node::Char('\\') => out += &pair(nodes.get(at + 1))?,
                node => out += &self.piece(node)?,
            }
        }
        Some(out)
    }

    fn piece(self, node: &Node) -> Option<String> {
        match node {
            Node::Char(letter) if is_plain(*letter) => Some(regex_syntax::escape(&letter.to_string())),
            Node::Class(class) if class.negated || class.has('\\') || class.has('"') => match self.sure {
                true => within(class, "\"\\\\\\x00-\\x1f"),
                false => Some("(?s:.?)".to_owned()),
            },
            Node::Class(class) => within(class, ""),
            Node::Seq(all) => self.inner(all),
            Node::Alt(all) => {
                let all: Vec<String> = all.iter().filter_map(|one| self.inner(&flat(one))).collect();
                (!all.is_empty()).then(|| format!("(?:{})", all.join("|")))
            }
            Node::Repeat(inner, least, most) => self.repeat(inner, *least, *most),
            Node::Edge if !self.sure => Some(String::new()),
            Node::Char(_) | Node::Start | Node::End | Node::Edge => None,
        }
    }

    fn repeat(self, inner: &Node, least: u32, most: Option<u32>) -> Option<String> {
        let times = match (least, most) {
            (0, None) => "*".to_owned(),
            (1, None) => "+".to_owned(),
            (0, Some(1)) => "?".to_owned(),
            (least, None) => format!("{{{least},}}"),
            (least, Some(most)) => format!("{{{least},{most}}}"),
        };
        match inner {
            Node::Class(class) if most.is_none() && class.negated => {
                let special = match (class.has('"'), class.has('\\')) {
                    (true, true) => "",
                    (_, false) => "\"\\\\\\x00-\\x1f",
                    (false, true) => "\"",
                };
                Some(format!("{}{times}", within(class, special)?))
            }
            inner => Some(format!("(?:{}){times}", self.piece(inner)?)),
        }
    }
}

/// A class of the language, without the letters in `special`. `None`: nothing is left of it.
fn within(class: &Class, special: &str) -> Option<String> {
    let special = if class.negated { special } else { "" };
    let plain = |(from, to): &(char, char)| *from >= ' ' && !(from == to && matches!(from, '"' | '\\'));
    let ranges = class.ranges.iter().filter(|range| plain(range));
    let text: String = ranges.map(|(from, to)| format!("\\x{{{:x}}}-\\x{{{:x}}}", *from as u32, *to as u32)).collect();
    match (class.negated, text.is_empty() && special.is_empty()) {
        (true, true) => Some("(?s:.)".to_owned()),
        (true, false) => Some(format!("[^{text}{special}]")),
        (false, true) => None,
        (false, false) => Some(format!("[{text}]")),
    }
}

fn is_plain(letter: char) -> bool {
    letter >= ' ' && !matches!(letter, '"' | '\\')
}

/// What stands between fields.
fn is_mark(node: &Node) -> bool {
    matches!(node, Node::Char('\0' | ',' | '}'))
        || matches!(node, Node::Class(class) if class.has(',') || class.has('}'))
}

fn has_quote(node: &Node) -> bool {
    match node {
        Node::Char(letter) => matches!(letter, '"' | '\0'),
        Node::Seq(all) | Node::Alt(all) => all.iter().any(has_quote),
        _ => false,
    }
}

/// Whether a repeated piece may go over the end of the field.
fn runs_on(inner: &Node) -> bool {
    matches!(inner, Node::Class(class) if class.has('"') && class.has('\0'))
}

/// Whether what a piece matches ends with a letter, a digit or `_`.
fn ends_in_word(node: &Node) -> bool {
    match node {
        Node::Char(letter) => letter.is_ascii_alphanumeric() || *letter == '_',
        Node::Seq(all) => all.last().is_some_and(ends_in_word),
        Node::Alt(all) => all.iter().all(ends_in_word),
        _ => false,
    }
}

fn takes_backslash(node: &Node) -> bool {
    matches!(node, Node::Repeat(inner, _, _) if matches!(&**inner, Node::Class(class) if class.has('\\')))
}

/// Whether a piece is the second half of what JSON writes with a backslash.
fn escaped(nodes: &[Node], at: usize) -> bool {
    let before = nodes.get(..at).unwrap_or_default();
    before.iter().rev().take_while(|one| **one == Node::Char('\\')).count() % 2 == 1
}

/// What a backslash and the piece behind it stand for in JSON.
fn pair(next: Option<&Node>) -> Option<String> {
    Some(match next? {
        Node::Char('"') => "\"".to_owned(),
        Node::Char('\\') => "\\\\".to_owned(),
        Node::Char('n') => "\\n".to_owned(),
        Node::Char('t') => "\\t".to_owned(),
        Node::Char('r') => "\\r".to_owned(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::tools::named;
    use super::*;
    use crate::language::Case;

    fn matches(values: &Values, value: &str) -> bool {
        match values {
            Values::None => false,
            Values::All => true,
            Values::Wildcard(text) => Pattern::wildcard(text).matches(value, Case::Sensitive),
            Values::Some(text) => Pattern::new(Dialect::Regex, text).unwrap().matches(value, Case::Sensitive),
        }
    }

    #[test]
    fn fenced_fields_are_exact() {
        let all = [
            (r#"\x00"file_path":"docs/"#, "docs/a", "src/docs/a"),
            (r#""file_path":"docs/[^"]*\.md"\x00"#, "docs/a.md", "docs/a.mdx"),
            (r#"\x00"file_path":("\.env|"[^"]*/\.env)"\x00"#, "a/.env", "a/x.env"),
            (r#"\x00"file_path":("\.env|"[^"]*/\.env)"\x00"#, ".env", ".envx"),
            (r#""file_path":\s*"a(b|c)+d"#, "abcbd/x", "ad"),
            (r#"\x00"file_path":"a[^\x00]*z"\x00"#, "a\"z", "az\n"),
            (r#"\x00"file_path":"a\\"b"#, "a\"b", "ab"),
        ];
        for (text, yes, no) in all {
            let reach = reach(text, named("replace").unwrap());
            assert!(reach.is_exact(), "{text}: {reach:?}");
            assert!(matches(&reach.surely, yes), "{text}: {reach:?}");
            assert!(!matches(&reach.perhaps, no), "{text}: {reach:?}");
        }
    }

    #[test]
    fn ends_of_all_arguments_are_not_those_of_a_value() {
        for text in ["^\"command\":\"rm", r#""command":"git push$"#, r#""command":"^git"#] {
            assert!(never(text), "{text}");
        }
        for text in ["^.*secret.*$", r#""command":"git push"#, "a"] {
            assert!(!never(text), "{text}");
        }
    }

    #[test]
    fn what_hangs_on_other_fields_is_not_claimed() {
        let open = reach("secret", named("write_file").unwrap());
        assert_eq!(open.perhaps, Values::All);
        assert!(matches(&open.surely, "a/secret") && !matches(&open.surely, "a"));
        assert!(reach("secret", named("read_file").unwrap()).is_exact());
        let past = reach(r#""file_path":"docs/.*\.md""#, named("replace").unwrap());
        assert!(matches(&past.surely, "docs/a.md") && !matches(&past.surely, "docs/a"));
        assert!(matches(&past.perhaps, "docs/a") && !matches(&past.perhaps, "src/a"));
        assert!(reach(r#""file_path":"docs/.*\.md""#, named("write_file").unwrap()).is_exact());
        assert_eq!(reach("(?!x)", named("read_file").unwrap()), Reach::open());
    }
}
