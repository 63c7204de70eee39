//! YAML as OpenCode's frontmatter reader (js-yaml 3) understands it, into the same tree as JSON.

use super::comments::Comments;
use super::json::{Entry, Kind, Node};
use super::spelling::Mapped;
use crate::source::{FileId, Span, Spanned};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use std::collections::{HashMap, HashSet};

/// How deep values may nest.
const DEPTH: usize = 200;
/// How many values aliases may bring in all.
const COPIES: usize = 100_000;

/// Why a text is no YAML, and where.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What is wrong, in lower case.
    pub message: String,
    /// Where.
    pub span: Span,
}

/// Reads a whole text as one YAML document, comments kept; an empty one is null.
pub fn parse(file: FileId, text: &str) -> Result<Node, Failure> {
    let (rest, base) = text.strip_prefix('\u{feff}').map_or((text, 0), |rest| (rest, 3));
    parse_mapped(file, &Mapped::new(rest, base)).map(|node| with_comments(node, text, file))
}

/// The same of a text of which each character has its place.
pub(super) fn parse_mapped(file: FileId, mapped: &Mapped) -> Result<Node, Failure> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(&mapped.text) {
        match event {
            Ok((event, span)) => {
                let place = mapped.span(file, span.start.index(), span.end.index());
                reader.event(event, place)?;
            }
            Err(error) => {
                let at = error.marker().index();
                return Err(fail(mapped.span(file, at, at + 1), said(error.info())));
            }
        }
    }
    let empty = Node { kind: Kind::Null, span: mapped.span(file, 0, 0) };
    Ok(reader.root.unwrap_or(empty))
}

/// A sequence or mapping that is not closed yet.
struct Open {
    span: Span,
    anchor: usize,
    kind: OpenKind,
}

enum OpenKind {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    entries: Vec<Entry>,
    seen: HashSet<String>,
    key: Option<(String, Span)>,
}

#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    copies: usize,
    root: Option<Node>,
    documents: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Failure> {
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(fail(span, "more than one document"));
                }
                Ok(())
            }
            Event::Alias(id) => {
                let Some(mut node) = self.anchors.get(&id).cloned() else {
                    return Err(fail(span, "an alias of something that is not complete yet"));
                };
                self.copies = self.copies.saturating_add(size(&node));
                if self.copies > COPIES {
                    return Err(fail(span, "aliases bring too much: the text is short and its value is not"));
                }
                node.span = span;
                self.value(node, 0)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let kind = scalar(&text, style, tag.as_deref()).map_err(|message| fail(span, message))?;
                self.value(Node { kind, span }, anchor)
            }
            Event::SequenceStart(anchor, _) => self.push(span, anchor, OpenKind::Sequence(Vec::new())),
            Event::MappingStart(anchor, _) => self.push(span, anchor, OpenKind::Mapping(Mapping::default())),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(open) => {
                    let kind = match open.kind {
                        OpenKind::Sequence(items) => Kind::Array(items),
                        OpenKind::Mapping(mapping) => Kind::Object(mapping.entries),
                    };
                    self.value(Node { kind, span: open.span.to(span) }, open.anchor)
                }
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn push(&mut self, span: Span, anchor: usize, kind: OpenKind) -> Result<(), Failure> {
        if self.open.len() >= DEPTH {
            return Err(fail(span, "values nest too deep to be read"));
        }
        self.open.push(Open { span, anchor, kind });
        Ok(())
    }

    /// A complete value: the next key, the value of the last key, an item, or the whole document.
    fn value(&mut self, node: Node, anchor: usize) -> Result<(), Failure> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match &mut open.kind {
            OpenKind::Sequence(items) => items.push(node),
            OpenKind::Mapping(mapping) => return mapping.add(node),
        }
        Ok(())
    }
}

impl Mapping {
    /// The next key, or the value of the last one.
    fn add(&mut self, node: Node) -> Result<(), Failure> {
        let Some((key, span)) = self.key.take() else {
            if matches!(node.kind, Kind::Null) && node.span.start == node.span.end {
                return Err(fail(node.span, "a `:` without a key before it"));
            }
            let text = key_text(&node).ok_or_else(|| fail(node.span, "a key that is no text"))?;
            self.key = Some((text, node.span));
            return Ok(());
        };
        if key == "<<" {
            return self.merge(node, span);
        }
        if !self.seen.insert(key.clone()) {
            return Err(fail(span, format!("the key `{key}` is there twice")));
        }
        self.entries.push(Entry { key, span, value: node, comments: Comments::default() });
        Ok(())
    }

    /// `<<: *base`: entries of the other that are not there yet.
    fn merge(&mut self, node: Node, span: Span) -> Result<(), Failure> {
        let sources = match node.kind {
            Kind::Object(_) => vec![node],
            Kind::Array(items) => items,
            _ => return Err(fail(span, "`<<` takes a mapping or a list of them")),
        };
        for source in sources {
            let Kind::Object(found) = source.kind else { return Err(fail(span, "`<<` takes mappings")) };
            self.entries.extend(found.into_iter().filter(|entry| self.seen.insert(entry.key.clone())));
        }
        Ok(())
    }
}

fn fail(span: Span, message: impl Into<String>) -> Failure {
    Failure { message: message.into(), span }
}

/// The parser's words in the form of ours.
fn said(message: &str) -> String {
    if message.contains("unknown anchor") {
        return "a bare `*` names an alias, and there is none of this name".to_owned();
    }
    let message = message
        .strip_prefix("while parsing ")
        .map_or(message, |rest| rest.split_once(", ").map_or(rest, |(_, what)| what));
    message.to_lowercase()
}

/// How many values a value holds.
fn size(node: &Node) -> usize {
    1 + match &node.kind {
        Kind::Array(items) => items.iter().map(size).sum(),
        Kind::Object(entries) => entries.iter().map(|entry| size(&entry.value)).sum(),
        _ => 0,
    }
}

/// A key as JavaScript makes a property name of it.
fn key_text(node: &Node) -> Option<String> {
    Some(match &node.kind {
        Kind::Null => "null".to_owned(),
        Kind::Bool(value) => value.to_string(),
        Kind::Number(value) => value.to_string(),
        Kind::String(text) | Kind::Date(text) => text.clone(),
        Kind::Object(_) => "[object Object]".to_owned(),
        Kind::Array(items) => items.iter().map(key_text).collect::<Option<Vec<_>>>()?.join(","),
    })
}

/// What a scalar means: quoted ones and blocks are texts, plain ones may be something else.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Kind, String> {
    if let Some(tag) = tag {
        let core = tag.is_yaml_core_schema();
        return match tag.suffix.as_str() {
            "str" if core => Ok(Kind::String(text.to_owned())),
            "" if tag.handle == "!" => Ok(Kind::String(text.to_owned())),
            "int" | "float" | "bool" | "null" if core => Ok(plain(text)),
            _ => Err(format!("the tag `{tag}` is not known")),
        };
    }
    Ok(if style == ScalarStyle::Plain { plain(text) } else { Kind::String(text.to_owned()) })
}

/// A plain scalar by the rules of YAML 1.1 that js-yaml 3 keeps: octal `017`, `1_000`, `1:30`, but no `yes` and `no`.
fn plain(text: &str) -> Kind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Null,
        "true" | "True" | "TRUE" => Kind::Bool(true),
        "false" | "False" | "FALSE" => Kind::Bool(false),
        _ if is_date(text) => Kind::Date(text.to_owned()),
        _ => integer(text).or_else(|| float(text)).map_or_else(|| Kind::String(text.to_owned()), Kind::Number),
    }
}

/// `2026-11-30`, or the same with a time behind it.
fn is_date(text: &str) -> bool {
    let (day, time) = text.split_at_checked(10).unwrap_or((text, ""));
    let shape = day.bytes().map(|b| if b.is_ascii_digit() { b'0' } else { b }).eq(*b"0000-00-00");
    let timed = time.trim_start_matches(['T', 't', ' ', '\t']);
    let clock = |c: char| c.is_ascii_digit() || matches!(c, ':' | '.' | '+' | '-' | 'Z' | ' ');
    shape && (time.is_empty() || timed.len() < time.len() && timed.contains(':') && timed.chars().all(clock))
}

fn signed(text: &str) -> (f64, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn digits(text: &str, radix: u32) -> Option<f64> {
    if text.is_empty() || text.ends_with('_') || text.starts_with('_') {
        return None;
    }
    let each = text.chars().filter(|c| *c != '_').map(|c| c.to_digit(radix).map(f64::from));
    each.collect::<Option<Vec<f64>>>().map(|all| all.iter().fold(0.0, |sum, digit| sum * f64::from(radix) + digit))
}

fn integer(text: &str) -> Option<f64> {
    let (sign, text) = signed(text);
    if text == "0" {
        return Some(0.0);
    }
    let value = match text.strip_prefix('0') {
        Some(rest) => match (rest.strip_prefix('b'), rest.strip_prefix('x')) {
            (Some(bits), _) => digits(bits, 2),
            (_, Some(hex)) => digits(hex, 16),
            _ => digits(rest, 8),
        },
        None if text.contains(':') => sexagesimal(text),
        None => text.starts_with(|c: char| c.is_ascii_digit()).then(|| digits(text, 10)).flatten(),
    };
    value.map(|value| sign * value)
}

/// `1:30` is ninety.
fn sexagesimal(text: &str) -> Option<f64> {
    let mut parts = text.split(':');
    let first = parts.next().filter(|first| first.starts_with(|c: char| ('1'..='9').contains(&c)))?;
    parts.try_fold(digits(first, 10)?, |sum, part| {
        let fits = matches!(part.len(), 1 | 2) && part.chars().all(|c| c.is_ascii_digit());
        let value: f64 = part.parse().ok().filter(|value| fits && *value < 60.0)?;
        Some(sum * 60.0 + value)
    })
}

fn float(text: &str) -> Option<f64> {
    let (sign, rest) = signed(text);
    match rest {
        ".inf" | ".Inf" | ".INF" => return Some(sign * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Some(f64::NAN),
        _ => {}
    }
    let mantissa = rest.split(['e', 'E']).next().unwrap_or("");
    let pointed = mantissa.strip_prefix('.').map(|fraction| ("", fraction)).or_else(|| mantissa.split_once('.'));
    let (whole, fraction) = pointed.unwrap_or((mantissa, ""));
    let number = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '_');
    let whole_fits = whole == "0"
        || whole.starts_with(|c: char| ('1'..='9').contains(&c))
        || whole.is_empty() && !fraction.is_empty();
    if !whole_fits || !number(whole) || !number(fraction) || rest.ends_with('_') {
        return None;
    }
    rest.replace('_', "").parse().ok().map(|value: f64| sign * value)
}

/// The text of a comment line.
pub(super) fn comment_line(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#').map(str::trim)
}

/// Adds the comments of a YAML text to the entries they belong to.
pub(super) fn with_comments(mut node: Node, text: &str, file: FileId) -> Node {
    attach(&mut node, text, file);
    node
}

/// Recursion is bounded by [`DEPTH`].
fn attach(node: &mut Node, text: &str, file: FileId) {
    match &mut node.kind {
        Kind::Object(entries) => {
            for entry in entries {
                entry.comments = around(text, file, entry.span, entry.value.span);
                attach(&mut entry.value, text, file);
            }
        }
        Kind::Array(items) => items.iter_mut().for_each(|item| attach(item, text, file)),
        _ => {}
    }
}

fn around(text: &str, file: FileId, key: Span, value: Span) -> Comments {
    let before = text.get(..key.start as usize).unwrap_or("");
    let mut lead = Vec::new();
    let mut end = before.rfind('\n').unwrap_or(0);
    // A key that shares its line with another (`{a: 1, b: 2}`) has no lines of its own above.
    if before.get(end..).unwrap_or("").trim().is_empty() {
        while let Some(above) = text.get(..end) {
            let start = above.rfind('\n').map_or(0, |at| at + 1);
            let Some(comment) = comment_line(above.get(start..).unwrap_or("")) else { break };
            lead.push(Spanned::new(comment.to_owned(), Span::new(file, start..end)));
            if start == 0 {
                break;
            }
            end = start - 1;
        }
        lead.reverse();
    }
    let from = value.end as usize;
    let rest = text.get(from..).unwrap_or("").lines().next().unwrap_or("");
    let trail = rest
        .trim_start()
        .strip_prefix('#')
        .filter(|_| rest.starts_with([' ', '\t']))
        .map(|comment| Spanned::new(comment.trim().to_owned(), Span::new(file, from..from + rest.len())));
    Comments { lead, trail }
}
