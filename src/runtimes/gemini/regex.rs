//! JavaScript's regular expressions as trees, and which of them Gemini takes.

use std::sync::LazyLock;

/// A piece of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// One character.
    Char(char),
    /// One of a class of them.
    Class(Class),
    /// One after another.
    Seq(Vec<Node>),
    /// One of these.
    Alt(Vec<Node>),
    /// So many times; no upper bound: `None`.
    Repeat(Box<Node>, u32, Option<u32>),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`
    Edge,
}

/// A class of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Class {
    pub(super) negated: bool,
    pub(super) ranges: Vec<(char, char)>,
}

impl Class {
    pub(super) fn has(&self, letter: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&letter)) != self.negated
    }
}

/// Why an expression is no tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// JavaScript refuses it.
    Invalid(&'static str),
    /// JavaScript takes it, and what it means is not worked out here: look-around, back-references.
    Beyond,
}

/// The longest expression that Gemini takes, in UTF-16 units.
pub(super) const LONGEST: usize = 2_048;

/// What Gemini takes for a quantifier within a quantified group. The `?` of `(?:` counts as one.
static NESTED: LazyLock<Option<regex::Regex>> =
    LazyLock::new(|| regex::Regex::new(r"\([^)]*[*+?{][^\n\r\u{2028}\u{2029}]*\)[*+?{]").ok());

/// Why Gemini drops a rule with this expression, which is one: it is too long, or looks as if it could take long to match.
pub(super) fn unsafe_because(text: &str) -> Option<&'static str> {
    if text.encode_utf16().count() > LONGEST {
        return Some("it has more than 2,048 characters");
    }
    let nested = NESTED.as_ref().is_some_and(|nested| nested.is_match(text));
    nested.then_some("a group with a quantifier in it (the `?` of `(?:` counts) is followed by a quantifier")
}

/// Reads an expression.
pub(super) fn parse(text: &str) -> Result<Node, Failure> {
    let mut parser = Parser { rest: text, depth: 0 };
    let node = parser.alternatives()?;
    if parser.rest.is_empty() { Ok(node) } else { Err(Failure::Invalid("a `)` has no `(`")) }
}

/// How deep groups may nest.
const DEEPEST: usize = 64;

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn next(&mut self) -> Option<char> {
        let letter = self.rest.chars().next()?;
        self.rest = self.rest.get(letter.len_utf8()..)?;
        Some(letter)
    }

    fn take(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn alternatives(&mut self) -> Result<Node, Failure> {
        if self.depth == DEEPEST {
            return Err(Failure::Beyond);
        }
        self.depth += 1;
        let mut all = vec![self.sequence()?];
        while self.take("|") {
            all.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(if all.len() == 1 { all.remove(0) } else { Node::Alt(all) })
    }

    fn sequence(&mut self) -> Result<Node, Failure> {
        let mut all = Vec::new();
        while !self.rest.is_empty() && !self.rest.starts_with(['|', ')']) {
            let node = self.atom()?;
            all.push(self.quantified(node)?);
        }
        Ok(Node::Seq(all))
    }

    fn atom(&mut self) -> Result<Node, Failure> {
        if self.take("(") {
            if self.rest.starts_with("?=") || self.rest.starts_with("?!") || self.rest.starts_with("?<") {
                return Err(Failure::Beyond);
            }
            if self.rest.starts_with('?') && !self.take("?:") {
                return Err(Failure::Invalid("`(?` starts no group"));
            }
            let inner = self.alternatives()?;
            return if self.take(")") { Ok(inner) } else { Err(Failure::Invalid("a `(` has no `)`")) };
        }
        match self.next() {
            Some('^') => Ok(Node::Start),
            Some('$') => Ok(Node::End),
            Some('.') => Ok(Node::Class(Class { negated: true, ranges: LINE_ENDS.to_vec() })),
            Some('[') => self.class(),
            Some('\\') => self.escape(),
            Some('*' | '+' | '?') => Err(Failure::Invalid("there is nothing to repeat")),
            Some('{') if counts(self.rest).is_some() => Err(Failure::Invalid("there is nothing to repeat")),
            Some(letter) => Ok(Node::Char(letter)),
            None => Err(Failure::Invalid("it ends in the middle")),
        }
    }

    fn quantified(&mut self, node: Node) -> Result<Node, Failure> {
        let (least, most) = match self.rest.chars().next() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => match counts(self.rest.get(1..).unwrap_or_default()) {
                Some((least, most, length)) => {
                    self.rest = self.rest.get(length..).unwrap_or_default();
                    (least, most)
                }
                None => return Ok(node),
            },
            _ => return Ok(node),
        };
        if most.is_some_and(|most| most < least) {
            return Err(Failure::Invalid("the numbers of a quantifier are out of order"));
        }
        self.next();
        self.take("?");
        match node {
            Node::Start | Node::End | Node::Edge => Err(Failure::Invalid("there is nothing to repeat")),
            node => Ok(Node::Repeat(Box::new(node), least, most)),
        }
    }

    fn escape(&mut self) -> Result<Node, Failure> {
        match self.rest.chars().next() {
            None => Err(Failure::Invalid("a `\\` stands at the end")),
            Some('b') => {
                self.next();
                Ok(Node::Edge)
            }
            Some('B' | 'k' | '1'..='9') => Err(Failure::Beyond),
            Some(_) => match self.escaped()? {
                Ok(letter) => Ok(Node::Char(letter)),
                Err(class) => Ok(Node::Class(class)),
            },
        }
    }

    /// What follows a backslash, in a class or outside.
    fn escaped(&mut self) -> Result<Result<char, Class>, Failure> {
        let letter = self.next().ok_or(Failure::Invalid("a `\\` stands at the end"))?;
        let class = |negated, ranges: &[(char, char)]| Ok(Err(Class { negated, ranges: ranges.to_vec() }));
        match letter {
            'd' => class(false, &DIGITS),
            'D' => class(true, &DIGITS),
            'w' => class(false, &WORD),
            'W' => class(true, &WORD),
            's' => class(false, &SPACES),
            'S' => class(true, &SPACES),
            'n' => Ok(Ok('\n')),
            't' => Ok(Ok('\t')),
            'r' => Ok(Ok('\r')),
            'f' => Ok(Ok('\u{c}')),
            'v' => Ok(Ok('\u{b}')),
            '0' if !self.rest.starts_with(|next: char| next.is_ascii_digit()) => Ok(Ok('\0')),
            '0' | 'c' | 'p' | 'P' => Err(Failure::Beyond),
            'x' => Ok(Ok(self.hex(2).unwrap_or('x'))),
            'u' => match self.hex(4) {
                Some(letter) => Ok(Ok(letter)),
                None if self.rest.starts_with(['d', 'D']) => Err(Failure::Beyond),
                None => Ok(Ok('u')),
            },
            letter => Ok(Ok(letter)),
        }
    }

    fn hex(&mut self, digits: usize) -> Option<char> {
        let text = self.rest.get(..digits).filter(|text| text.chars().all(|c| c.is_ascii_hexdigit()))?;
        let letter = char::from_u32(u32::from_str_radix(text, 16).ok()?)?;
        self.rest = self.rest.get(digits..)?;
        Some(letter)
    }

    fn class(&mut self) -> Result<Node, Failure> {
        let negated = self.take("^");
        let mut ranges = Vec::new();
        loop {
            if self.take("]") {
                return Ok(Node::Class(Class { negated, ranges }));
            }
            let from = match self.member()? {
                Ok(letter) => letter,
                Err(class) if class.negated => return Err(Failure::Beyond),
                Err(class) => {
                    ranges.extend(class.ranges);
                    continue;
                }
            };
            if self.rest.starts_with('-') && !self.rest.starts_with("-]") {
                self.next();
                match self.member()? {
                    Ok(to) if to < from => return Err(Failure::Invalid("a range of a class is out of order")),
                    Ok(to) => ranges.push((from, to)),
                    Err(class) if class.negated => return Err(Failure::Beyond),
                    Err(class) => {
                        ranges.extend([(from, from), ('-', '-')]);
                        ranges.extend(class.ranges);
                    }
                }
            } else {
                ranges.push((from, from));
            }
        }
    }

    fn member(&mut self) -> Result<Result<char, Class>, Failure> {
        match self.next() {
            None => Err(Failure::Invalid("a `[` has no `]`")),
            Some('\\') if self.take("b") => Ok(Ok('\u{8}')),
            Some('\\') => self.escaped(),
            Some(letter) => Ok(Ok(letter)),
        }
    }
}

/// The counts of `N}`, `N,}`, `N,M}`, and how long they are with their brackets but the last.
fn counts(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let inside = text.split_once('}')?.0;
    let number = |text: &str| text.chars().all(|c| c.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    let (least, most) = match inside.split_once(',') {
        None => (number(inside)?, Some(number(inside)?)),
        Some((least, "")) => (number(least)?, None),
        Some((least, most)) => (number(least)?, Some(number(most)?)),
    };
    Some((least, most, inside.len() + 1))
}

const LINE_ENDS: [(char, char); 4] = [('\n', '\n'), ('\r', '\r'), ('\u{2028}', '\u{2028}'), ('\u{2029}', '\u{2029}')];
const DIGITS: [(char, char); 1] = [('0', '9')];
const WORD: [(char, char); 4] = [('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
/// What `\s` stands for.
const SPACES: [(char, char); 9] = [
    ('\t', '\r'),
    (' ', ' '),
    ('\u{a0}', '\u{a0}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{2000}', '\u{200a}'),
    ('\u{2028}', '\u{2029}'),
    ('\u{202f}', '\u{202f}'),
    ('\u{205f}', '\u{205f}'),
    ('\u{3000}', '\u{3000}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_gemini_takes_for_slow_is_known() {
        for text in ["(?:a)?b", "(a+)+", r#"([^"]*/)?x"#, "(a|b*)(c){2}"] {
            assert!(unsafe_because(text).is_some(), "{text}");
        }
        for text in ["(a)?b", "(?:a|b)c+", r"\(a\)", "[(]a*"] {
            assert!(unsafe_because(text).is_none(), "{text}");
        }
        assert!(unsafe_because(&"a".repeat(2_049)).is_some());
    }

    #[test]
    fn what_javascript_refuses_is_refused() {
        for text in ["(", ")", "*a", "[b-a]", "a{2,1}", "(?x)", "[a", "\\", "{1}"] {
            assert!(matches!(parse(text), Err(Failure::Invalid(_))), "{text}");
        }
        for text in ["(?!a)b", r"(a)\1", "(?<n>a)", r"\Bx"] {
            assert_eq!(parse(text), Err(Failure::Beyond), "{text}");
        }
        for text in ["a{", "a]", "}", "a{,2}", "[]", "[^]", r"\x00", r"\/\-", "[\\w-]+", "a{2}b{2,}c{2,3}?"] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }
}
