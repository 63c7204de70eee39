//! A config's text as a tree in which every key and value knows its place: from JSON with comments, or from YAML.

use super::comments::Comments;
use crate::diagnostic::{Finding, Sink};
use crate::source::{FileId, Span, Spanned};
use crate::syntax::SYNTAX_ERROR;
use crate::syntax::ast;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast::Value, parse_to_ast};

/// A value and its place.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it was written.
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as JavaScript has them.
    Number(f64),
    /// A string, escapes resolved.
    String(String),
    /// A date, which YAML makes of `2026-11-30`.
    Date(String),
    /// An array.
    Array(Vec<Node>),
    /// An object: entries as written, repeated keys included.
    Object(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key, escapes resolved.
    pub key: String,
    /// Where the key was written.
    pub span: Span,
    /// Its value.
    pub value: Node,
    /// The comments before it and at the end of its line.
    pub comments: Comments,
}

impl Entry {
    /// Key and value.
    pub fn whole(&self) -> Span {
        self.span.to(self.value.span)
    }
}

impl Node {
    /// The entries of an object.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            Kind::Object(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value of a key: of a repeated one the last.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// The last entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries()?.iter().rfind(|entry| entry.key == key)
    }

    /// A string's text.
    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// What it is, in words: `a list`, `true`.
    pub fn what(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(true) => "true",
            Kind::Bool(false) => "false",
            Kind::Number(_) => "a number",
            Kind::String(_) => "a text",
            Kind::Date(_) => "a date",
            Kind::Array(_) => "a list",
            Kind::Object(_) => "an object",
        }
    }

    /// The value as the language holds it.
    pub fn plain(&self) -> ast::Json {
        match &self.kind {
            Kind::Null => ast::Json::Null,
            Kind::Bool(value) => ast::Json::Bool(*value),
            Kind::Number(value) => number(*value),
            Kind::String(text) | Kind::Date(text) => ast::Json::String(text.clone()),
            Kind::Array(items) => ast::Json::Array(items.iter().map(Node::plain).collect()),
            Kind::Object(entries) => {
                ast::Json::Object(entries.iter().map(|entry| (entry.key.clone(), entry.value.plain())).collect())
            }
        }
    }
}

/// A whole number without a fraction: `3`, not `3.0`.
fn number(value: f64) -> ast::Json {
    #[expect(clippy::cast_possible_truncation, reason = "whole and far below 2^63")]
    let whole = (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64);
    match whole {
        Some(whole) => whole.into(),
        None => serde_json::Number::from_f64(value).map_or(ast::Json::Null, ast::Json::Number),
    }
}

/// Reads a file's JSON with comments and trailing commas, as OpenCode does; the first error is reported. An empty file is
/// an empty object.
pub fn parse(file: FileId, text: &str, sink: &mut Sink) -> Option<Node> {
    // The program decodes files as web text, which drops the mark. It does not do so with variables.
    let (text, skipped) = text.strip_prefix('\u{feff}').map_or((text, 0), |rest| (rest, '\u{feff}'.len_utf8()));
    let span = |range: std::ops::Range<usize>| Span::new(file, range.start + skipped..range.end + skipped);
    if text.is_empty() {
        return Some(Node { kind: Kind::Object(Vec::new()), span: span(0..0) });
    }
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    match parse_to_ast(text, &collect, &options()) {
        Ok(parsed) => {
            let comments = parsed.comments.unwrap_or_default();
            let builder = Builder { file, text, skipped, comments: &comments };
            let node = parsed.value.map(|value| builder.node(value));
            if node.is_none() {
                let finding =
                    Finding::new(SYNTAX_ERROR, span(0..0), "the file holds no value, only comments or blanks");
                sink.push(finding.help("write `{}`, or delete the file: OpenCode refuses to start with it"));
            }
            node
        }
        Err(error) => {
            let range = error.range();
            let (kind, help) = match error.kind().to_string() {
                kind if kind.contains("depth") => {
                    ("the file nests too deep to be read".to_owned(), "no config needs more than a few levels")
                }
                kind => (lower(&kind), "OpenCode refuses to start until this is mended"),
            };
            sink.push(Finding::new(SYNTAX_ERROR, span(range.start..range.end), kind).help(help));
            None
        }
    }
}

/// What OpenCode's own parser takes.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The parser's words in the form of ours.
fn lower(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(chars).collect()
}

struct Builder<'a> {
    file: FileId,
    text: &'a str,
    skipped: usize,
    comments: &'a jsonc_parser::CommentMap<'a>,
}

impl Builder<'_> {
    fn span(&self, range: jsonc_parser::common::Range) -> Span {
        Span::new(self.file, range.start + self.skipped..range.end + self.skipped)
    }

    /// Recursion is bounded by the parser's own limit.
    fn node(&self, value: Value<'_>) -> Node {
        let span = self.span(jsonc_parser::common::Ranged::range(&value));
        let kind = match value {
            Value::NullKeyword(_) => Kind::Null,
            Value::BooleanLit(lit) => Kind::Bool(lit.value),
            Value::NumberLit(lit) => Kind::Number(lit.value.parse().unwrap_or(f64::NAN)),
            Value::StringLit(lit) => Kind::String(lit.value.into_owned()),
            Value::Array(array) => Kind::Array(array.elements.into_iter().map(|value| self.node(value)).collect()),
            Value::Object(object) => Kind::Object(self.entries(object)),
        };
        Node { kind, span }
    }

    fn entries(&self, object: jsonc_parser::ast::Object<'_>) -> Vec<Entry> {
        let mut out: Vec<Entry> = Vec::new();
        for property in object.properties {
            let name = jsonc_parser::common::Ranged::range(&property.name);
            let lead = self.before(name.start, out.last_mut());
            let value = self.node(property.value);
            let comments = Comments { lead, trail: None };
            out.push(Entry { key: property.name.into_string(), span: self.span(name), value, comments });
        }
        let rest = self.before(object.range.end.saturating_sub(1), out.last_mut());
        if let Some(last) = out.last_mut() {
            last.comments.lead.extend(rest);
        }
        out
    }

    /// The comments before a token; the one that ends the line of the entry before it goes there.
    fn before(&self, token: usize, previous: Option<&mut Entry>) -> Vec<Spanned<String>> {
        let mut lead = Vec::new();
        let Some(found) = self.comments.get(&token) else { return lead };
        let mut previous = previous;
        for comment in found.iter() {
            let range = jsonc_parser::common::Ranged::range(comment);
            let (text, span) = (comment.text(), self.span(range));
            let line = self.text.get(..range.start).unwrap_or("").rsplit('\n').next().unwrap_or("");
            if let Some(entry) = previous.take().filter(|_| !line.trim().is_empty() && !text.contains('\n')) {
                entry.comments.trail = Some(Spanned::new(text.trim().to_owned(), span));
                continue;
            }
            let lines = text.lines().map(|line| line.trim().trim_start_matches('*').trim());
            lead.extend(lines.filter(|line| !line.is_empty()).map(|line| Spanned::new(line.to_owned(), span)));
        }
        lead
    }
}
