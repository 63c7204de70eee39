//! `policyc: ignore` anywhere in a config, also where no rule or agent stands: each comment with the entry it is about.

use super::comments::annotation;
use crate::rewrite;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::Ignore;
use std::ops::Range;

const MARK: &str = "policyc: ignore";

/// An annotation covers the entry at the start of whose line it stands behind, else the next one.
pub(super) fn all(file: FileId, name: &str, text: &str) -> Vec<(Spanned<Ignore>, Span)> {
    if !text.contains(MARK) {
        return Vec::new();
    }
    let found = if rewrite::is_json(name) { in_json(text) } else { in_yaml(text) };
    let read = |(comment, scope): (Range<usize>, Range<usize>)| {
        let words = text.get(comment.clone())?.trim_start_matches(['/', '*', '#']).trim_end_matches("*/");
        let line = Spanned::new(words.to_owned(), Span::new(file, comment));
        Some((annotation(&line)?, Span::new(file, scope)))
    };
    found.into_iter().filter_map(read).collect()
}

fn in_json(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let Some(parts) = rewrite::parts(text) else { return Vec::new() };
    let comment = |(at, _): (usize, &str)| {
        if parts.tokens.iter().any(|token| token.contains(&at)) {
            return None;
        }
        let line = line_of(text, at);
        let from = text.get(line.start..at)?.rfind(['/', '*'])? + line.start;
        let before = text.get(line.start..from)?;
        let start = line.start + before.trim_end_matches(['/', '*']).len();
        let mut starting = parts.entries.iter().filter(|entry| (line.start..start).contains(&entry.start));
        let entry = starting.next().or_else(|| parts.entries.iter().find(|entry| entry.start > at));
        Some((start..line.end, entry.cloned().unwrap_or(at..at)))
    };
    text.match_indices(MARK).filter_map(comment).collect()
}

fn in_yaml(text: &str) -> Vec<(Range<usize>, Range<usize>)> {
    // Below the fields of an agent's file stands a prompt, in which a `#` is a heading.
    let end = match text.starts_with("---") {
        true => text.match_indices("\n---").next().map_or(text.len(), |(at, _)| at),
        false => text.len(),
    };
    let comment = |(at, _): (usize, &str)| {
        let line = line_of(text, at);
        let before = text.get(line.start..at)?;
        let start = line.start + before.rfind('#')?;
        let apart = text.get(line.start..start)?;
        let own_line = apart.trim().is_empty();
        if !own_line && !apart.ends_with([' ', '\t']) || at >= end {
            return None;
        }
        let first = if own_line { next_line(text, line.end, end) } else { line.clone() };
        Some((start..line.end, block(text, first, end)))
    };
    text.match_indices(MARK).filter_map(comment).collect()
}

fn line_of(text: &str, at: usize) -> Range<usize> {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let end = text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |more| at + more);
    start..end
}

/// The next line that says something.
fn next_line(text: &str, from: usize, end: usize) -> Range<usize> {
    let mut at = from + 1;
    while at < end {
        let line = line_of(text, at);
        let words = text.get(line.clone()).unwrap_or_default().trim_start();
        if !words.is_empty() && !words.starts_with('#') {
            return line;
        }
        at = line.end + 1;
    }
    end..end
}

/// A line with all that is indented below it.
fn block(text: &str, first: Range<usize>, end: usize) -> Range<usize> {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let outer = indent(text.get(first.clone()).unwrap_or_default());
    let mut last = first.end;
    while last + 1 < end {
        let line = line_of(text, last + 1);
        let words = text.get(line.clone()).unwrap_or_default();
        if !words.trim().is_empty() && indent(words) <= outer {
            break;
        }
        last = line.end;
    }
    first.start..last
}
