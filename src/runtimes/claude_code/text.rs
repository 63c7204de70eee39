//! The JSON of settings: plain, without comments. What the program drops is read all the same, so that more can be said of it.

use crate::diagnostic::{Finding, Sink};
use crate::runtimes::codes::REFUSED;
use crate::runtimes::opencode::json::{self, Kind, Node};
use crate::source::{FileId, Span};
use crate::syntax::SYNTAX_ERROR;

/// What becomes of settings that are no JSON.
const DROPPED: &str = "Claude Code drops the whole file: none of its rules is in force";

/// Reads a file of settings; an empty one says nothing.
pub(super) fn parse(file: FileId, text: &str, sink: &mut Sink) -> Option<Node> {
    if text.trim_start_matches('\u{feff}').trim().is_empty() {
        return Some(Node { kind: Kind::Object(Vec::new()), span: Span::new(file, 0..0) });
    }
    let mut quiet = Sink::default();
    let node = json::parse(file, text, &mut quiet);
    for finding in quiet.into_findings() {
        sink.push(Finding::new(SYNTAX_ERROR, finding.primary.span, finding.message).help(DROPPED));
    }
    let node = node?;
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(body) {
        let start = offset(body, error.line(), error.column()) + text.len() - body.len();
        let span = Span::new(file, start..(start + 1).min(text.len()));
        let text = "settings are plain JSON: a comment or a comma too many makes them none";
        sink.push(Finding::new(REFUSED, span, text).note(DROPPED).help("take it out"));
    }
    Some(node)
}

/// The byte of a line and column, both from 1, at the start of a character.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let at = (before + column.saturating_sub(1)).min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    #[test]
    fn comments_and_commas_drop_the_file() {
        for (text, codes) in [
            ("{\"a\": 1}", vec![]),
            ("", vec![]),
            ("\u{feff}{}", vec![]),
            ("{ // x\n}", vec!["PC1003"]),
            ("{\"a\": [1,]}", vec!["PC1003"]),
            ("{\"a\": ", vec!["PC1001"]),
        ] {
            let mut sources = SourceMap::default();
            let file = sources.add("settings.json", text);
            let mut sink = Sink::default();
            parse(file, text, &mut sink);
            let found: Vec<&str> = sink.into_findings().iter().map(|finding| finding.code.id).collect();
            assert_eq!(found, codes, "{text}");
        }
    }
}
