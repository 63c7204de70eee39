//! Entries of JSON objects.

use super::Parts;
use crate::diagnostic::Edit;
use crate::source::{FileId, Span};
use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};
use std::ops::Range;

/// The entries of every object of a text.
pub(super) type Objects = Vec<Vec<Entry>>;

/// An entry of an object.
pub(super) struct Entry {
    range: Range<usize>,
    /// The comma behind it.
    comma: Option<Range<usize>>,
    /// Where the token before it ends, and where the one behind it and its comma starts.
    around: Range<usize>,
}

/// Deletes entries.
pub(super) fn delete(statements: &[Span], text: &str, objects: &Objects) -> Option<Vec<Edit>> {
    let file = statements.first()?.file;
    let gone = |entry: &Entry| statements.iter().any(|span| span.range() == entry.range);
    let mut edits = Vec::new();
    let mut found = 0;
    for object in objects.iter().filter(|object| object.iter().any(gone)) {
        let ends_bare = object.last().is_some_and(|last| gone(last) && last.comma.is_none());
        let survivor = object.iter().rposition(|entry| !gone(entry));
        for (at, entry) in object.iter().enumerate().filter(|(_, entry)| gone(entry)) {
            found += 1;
            // Of those that end the object the blanks before them go, else those behind.
            let ends = ends_bare && survivor.is_none_or(|survivor| survivor < at);
            cut(entry, ends, text, file, &mut edits)?;
        }
        let survivor = survivor.filter(|_| ends_bare).and_then(|at| object.get(at));
        if let Some(comma) = survivor.and_then(|entry| entry.comma.clone()) {
            edits.push(edit(file, comma));
        }
    }
    edits.sort_by_key(|edit| edit.span);
    (found == statements.len()).then_some(edits)
}

fn edit(file: FileId, range: Range<usize>) -> Edit {
    Edit { span: Span::new(file, range), text: String::new() }
}

/// Cuts an entry and its comma out, with its line if nothing else stands there.
fn cut(entry: &Entry, ends: bool, text: &str, file: FileId, edits: &mut Vec<Edit>) -> Option<()> {
    let mut range = entry.range.clone();
    if let Some(comma) = entry.comma.clone() {
        // A comment may stand between them.
        match text.get(range.end..comma.start)?.trim().is_empty() {
            true => range.end = comma.end,
            false => edits.push(edit(file, comma)),
        }
    }
    let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let starts_line = text.get(start..range.start)?.trim().is_empty();
    let rest = after.split('\n').next().unwrap_or_default();
    let blanks = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
    match (starts_line, rest.trim().is_empty()) {
        (true, true) if after.len() > rest.len() => range = start..range.end + rest.len() + 1,
        _ if !ends => range.end += blanks(after),
        _ => range.start -= before.len() - before.trim_end_matches([' ', '\t']).len(),
    }
    edits.push(edit(file, range));
    Some(())
}

/// Moves entries behind another one of their object: the texts change places, so that commas and lines stay. Not where a
/// comment stands among them, since it may be about one of them.
pub(super) fn move_behind(statements: &[Span], target: Span, text: &str, objects: &Objects) -> Option<Vec<Edit>> {
    let is = |entry: &Entry, span: Span| entry.range == span.range();
    let object = objects.iter().find(|object| object.iter().any(|entry| is(entry, target)))?;
    let last = object.iter().position(|entry| is(entry, target))?;
    let first = object.iter().position(|entry| statements.iter().any(|span| is(entry, *span)))?;
    let slots = object.get(first..=last)?;
    let (moved, kept): (Vec<&Entry>, Vec<&Entry>) =
        slots.iter().partition(|entry| statements.iter().any(|span| is(entry, *span)));
    if moved.len() != statements.len() || has_comments(slots, text)? {
        return None;
    }
    let texts = kept.into_iter().chain(moved).map(|entry| text.get(entry.range.clone()));
    let edits = slots.iter().zip(texts).map(|(slot, new)| {
        let span = Span::new(target.file, slot.range.clone());
        Some(Edit { span, text: new?.to_owned() })
    });
    let edits: Option<Vec<Edit>> = edits.collect();
    Some(edits?.into_iter().filter(|edit| text.get(edit.span.range()) != Some(&edit.text)).collect())
}

/// Whether a comment stands among entries, or at the end of the line of the last; one that ends the line before them is
/// about what stands there.
fn has_comments(slots: &[Entry], text: &str) -> Option<bool> {
    let (first, last) = (slots.first()?, slots.last()?);
    let before = text.get(first.around.start..first.range.start)?;
    let before = before.split_once('\n').map_or(before, |(_, rest)| rest);
    let end = last.comma.clone().unwrap_or(last.range.clone()).end;
    let after = text.get(end..last.around.end)?.split('\n').next().unwrap_or_default();
    let mut gaps = slots.iter().zip(slots.iter().skip(1)).filter_map(|(one, next)| {
        let comma = one.comma.clone()?;
        Some([text.get(one.range.end..comma.start)?, text.get(comma.end..next.range.start)?])
    });
    let in_last = last.comma.clone().and_then(|comma| text.get(last.range.end..comma.start)).unwrap_or_default();
    let blank = |text: &str| text.trim().is_empty();
    Some(!blank(before) || !blank(after) || !blank(in_last) || gaps.any(|gap| !gap.into_iter().all(blank)))
}

/// Tokens and entries by place.
pub(super) fn parts(text: &str) -> Option<Parts> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    let parsed = parse_to_ast(text, &collect, &ParseOptions::default()).ok()?;
    let tokens = parsed.tokens?.iter().map(|token| token.range.start..token.range.end).collect();
    let mut entries: Vec<Range<usize>> = objects(text)?.into_iter().flatten().map(|entry| entry.range).collect();
    entries.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    Some(Parts { tokens, entries })
}

/// Takes a text apart; `None` if it is no JSON.
pub(super) fn objects(text: &str) -> Option<Objects> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
    let parsed = parse_to_ast(text, &collect, &ParseOptions::default()).ok()?;
    let tokens = parsed.tokens?;
    let mut out = Vec::new();
    walk(&parsed.value?, &tokens, &mut out);
    Some(out)
}

/// Recursion is bounded by the parser's own limit.
fn walk(value: &Value<'_>, tokens: &[TokenAndRange<'_>], out: &mut Vec<Vec<Entry>>) {
    match value {
        Value::Object(object) => {
            out.push(entries(object, tokens));
            object.properties.iter().for_each(|property| walk(&property.value, tokens, out));
        }
        Value::Array(array) => array.elements.iter().for_each(|value| walk(value, tokens, out)),
        _ => {}
    }
}

fn entries(object: &Object<'_>, tokens: &[TokenAndRange<'_>]) -> Vec<Entry> {
    let bytes = |token: &TokenAndRange<'_>| token.range.start..token.range.end;
    let entry = |range: Range<usize>| {
        let next = tokens.partition_point(|token| token.range.start < range.end);
        let comma = tokens.get(next).filter(|token| token.token == Token::Comma).map(bytes);
        let behind = tokens.get(next + usize::from(comma.is_some())).map_or(range.end, |token| token.range.start);
        let at = tokens.partition_point(|token| token.range.start < range.start);
        let before = at.checked_sub(1).and_then(|at| tokens.get(at)).map_or(0, |token| token.range.end);
        Entry { range, comma, around: before..behind }
    };
    object.properties.iter().map(|property| property.range()).map(|range| entry(range.start..range.end)).collect()
}
