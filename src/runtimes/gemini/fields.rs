//! A TOML table as keys and values, each with its place.

use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::Name;
use toml_edit::{Item, TableLike};

/// A table.
pub(super) struct Fields<'a> {
    entries: Vec<(Name, Value<'a>)>,
    pub(super) span: Span,
}

/// A value.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    file: FileId,
    what: What<'a>,
    pub(super) span: Span,
}

#[derive(Clone, Copy)]
enum What<'a> {
    Item(&'a Item),
    Value(&'a toml_edit::Value),
}

impl<'a> Fields<'a> {
    pub(super) fn of_table(file: FileId, table: &'a toml_edit::Table) -> Fields<'a> {
        let span = Span::new(file, table.span().unwrap_or(0..0));
        Fields::of(file, table, span)
    }

    fn of(file: FileId, table: &'a dyn TableLike, span: Span) -> Fields<'a> {
        let entries = table.iter().map(|(key, item)| {
            let place = table.key(key).and_then(toml_edit::Key::span);
            let at = Span::new(file, place.or(item.span()).unwrap_or(span.range()));
            let whole = Span::new(file, item.span().unwrap_or(at.range()));
            (Spanned::new(key.to_owned(), at), Value { file, what: What::Item(item), span: whole })
        });
        Fields { entries: entries.collect(), span }
    }

    pub(super) fn entries(&self) -> &[(Name, Value<'a>)] {
        &self.entries
    }

    pub(super) fn get(&self, key: &str) -> Option<&(Name, Value<'a>)> {
        self.entries.iter().find(|(name, _)| name.node == key)
    }
}

impl<'a> Value<'a> {
    fn value(self) -> Option<&'a toml_edit::Value> {
        match self.what {
            What::Item(item) => item.as_value(),
            What::Value(value) => Some(value),
        }
    }

    pub(super) fn text(self) -> Option<Name> {
        Some(Spanned::new(self.value()?.as_str()?.to_owned(), self.span))
    }

    /// A text, or the texts of a list.
    pub(super) fn texts(self) -> Option<Vec<Name>> {
        if let Some(text) = self.text() {
            return Some(vec![text]);
        }
        let each = |value: &'a toml_edit::Value| {
            let span = Span::new(self.file, value.span().unwrap_or(self.span.range()));
            Value { file: self.file, what: What::Value(value), span }.text()
        };
        self.value()?.as_array()?.iter().map(each).collect()
    }

    pub(super) fn is_list(self) -> bool {
        self.value().is_some_and(toml_edit::Value::is_array)
    }

    pub(super) fn flag(self) -> Option<bool> {
        self.value()?.as_bool()
    }

    /// A whole number; `9.0` is one.
    pub(super) fn whole(self) -> Option<i64> {
        let value = self.value()?;
        #[expect(clippy::cast_possible_truncation, reason = "whole, and far below 2^63")]
        let float =
            || value.as_float().filter(|float| float.fract() == 0.0 && float.abs() < 1e9).map(|float| float as i64);
        value.as_integer().or_else(float)
    }

    pub(super) fn is_table(self) -> bool {
        match self.what {
            What::Item(item) => item.is_table_like(),
            What::Value(value) => value.is_inline_table(),
        }
    }

    /// The tables of a list of them.
    pub(super) fn tables(self) -> Option<Vec<Fields<'a>>> {
        let What::Item(item) = self.what else { return None };
        if let Some(tables) = item.as_array_of_tables() {
            return Some(tables.iter().map(|table| Fields::of_table(self.file, table)).collect());
        }
        let each = |value: &'a toml_edit::Value| {
            let table = value.as_inline_table()?;
            Some(Fields::of(self.file, table, Span::new(self.file, value.span().unwrap_or(self.span.range()))))
        };
        item.as_array()?.iter().map(each).collect()
    }

    pub(super) fn what(self) -> &'static str {
        match self.value() {
            Some(value) if value.is_str() => "a text",
            Some(value) if value.is_bool() => "`true` or `false`",
            Some(value) if value.is_array() => "a list",
            Some(value) if value.is_inline_table() => "a table",
            Some(value) if value.is_integer() || value.is_float() => "a number",
            Some(_) => "a date",
            None => "a table",
        }
    }
}

/// The lines of comments right before a place.
pub(super) fn comments(text: &str, span: Span) -> Vec<String> {
    let before = text.get(..span.start as usize).unwrap_or_default();
    let lines = before.lines().rev().take_while(|line| line.trim_start().starts_with('#'));
    let mut lines: Vec<String> = lines
        .map(|line| line.trim().trim_start_matches('#').trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    lines.reverse();
    lines
}
