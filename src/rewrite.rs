//! Changes of a file that leave the rest of it as it was: of a policy or frontmatter by line, of JSON by entry, with its
//! commas right and every comment kept.

mod entries;
mod lines;
mod place;

use crate::diagnostic::Edit;
use crate::source::{FileId, SourceMap, Span};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Where the entries of JSON files stand: each file is taken apart once.
#[derive(Default)]
pub struct Layouts {
    known: RefCell<HashMap<FileId, Option<Rc<entries::Objects>>>>,
}

impl Layouts {
    fn of(&self, file: FileId, text: &str) -> Option<Rc<entries::Objects>> {
        self.known.borrow_mut().entry(file).or_insert_with(|| entries::objects(text).map(Rc::new)).clone()
    }
}

/// Deletes statements; `None` if one of them cannot be told apart from what stands around it.
pub fn delete(statements: &[Span], sources: &SourceMap, layouts: &Layouts) -> Option<Vec<Edit>> {
    let first = statements.first()?;
    if statements.iter().any(|span| span.file != first.file) {
        return None;
    }
    let file = sources.file(first.file)?;
    match is_json(file.name()) {
        true => entries::delete(statements, file.text(), &*layouts.of(first.file, file.text())?),
        false => statements.iter().map(|span| lines::delete(*span, file.text())).collect(),
    }
}

/// Moves statements right behind another one that they stand before.
pub fn move_behind(statements: &[Span], target: Span, sources: &SourceMap, layouts: &Layouts) -> Option<Vec<Edit>> {
    if statements.iter().any(|span| span.file != target.file || span.end > target.start) {
        return None;
    }
    let file = sources.file(target.file)?;
    match is_json(file.name()) {
        true => entries::move_behind(statements, target, file.text(), &*layouts.of(target.file, file.text())?),
        false => lines::move_behind(statements, target, file.text()),
    }
}

/// Where the entry of a JSON text stands that keys with dots between them name; `None` if there is none, or no JSON.
pub fn place(text: &str, path: &str) -> Option<Range<usize>> {
    place::find(text, path)
}

/// The pieces of a JSON text that a comment can stand between.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// Every token but comments.
    pub tokens: Vec<Range<usize>>,
    /// Every entry of every object, outer ones before those inside.
    pub entries: Vec<Range<usize>>,
}

/// The pieces of a JSON text; `None` if it is none.
pub fn parts(text: &str) -> Option<Parts> {
    entries::parts(text)
}

/// Whether a file of this name is JSON, with or without comments.
pub fn is_json(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".jsonc")
}

/// The text with edits made; `None` if they overlap or are no places of it.
pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.span.start, edit.span.end));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for edit in sorted {
        let range = edit.span.range();
        out.push_str(text.get(at..range.start)?);
        out.push_str(&edit.text);
        text.get(range.clone())?;
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The statements that are named, deleted from a file of this name.
    fn deleted(name: &str, text: &str, pieces: &[&str]) -> Option<String> {
        let (sources, spans) = places(name, text, pieces);
        apply(text, &delete(&spans, &sources, &Layouts::default())?)
    }

    /// The first statements that are named, moved behind the last.
    fn moved(name: &str, text: &str, pieces: &[&str]) -> Option<String> {
        let (sources, spans) = places(name, text, pieces);
        let (target, rest) = spans.split_last()?;
        apply(text, &move_behind(rest, *target, &sources, &Layouts::default())?)
    }

    fn places(name: &str, text: &str, pieces: &[&str]) -> (SourceMap, Vec<Span>) {
        let mut sources = SourceMap::default();
        let file = sources.add(name, text);
        let span = |piece: &&str| {
            let at = text.find(piece).unwrap();
            Span::new(file, at..at + piece.len())
        };
        (sources, pieces.iter().map(span).collect())
    }

    #[test]
    fn an_entry_goes_with_its_comma() {
        let json = |text: &str, pieces: &[&str]| deleted("a.json", text, pieces).unwrap();
        assert_eq!(json(r#"{ "a": 1, "b": 2 }"#, &[r#""a": 1"#]), r#"{ "b": 2 }"#);
        assert_eq!(json(r#"{ "a": 1, "b": 2 }"#, &[r#""b": 2"#]), r#"{ "a": 1 }"#);
        assert_eq!(json(r#"{ "a": 1 }"#, &[r#""a": 1"#]), "{ }");
        assert_eq!(json(r#"{ "a": 1, "b": 2, "c": 3 }"#, &[r#""b": 2"#, r#""c": 3"#]), r#"{ "a": 1 }"#);
        assert_eq!(json(r#"{ "a": 1, "b": 2, }"#, &[r#""b": 2"#]), r#"{ "a": 1, }"#);
        assert_eq!(json("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &["\"b\": 2"]), "{\n  \"a\": 1\n}\n");
        assert_eq!(json("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &["\"a\": 1"]), "{\n  \"b\": 2\n}\n");
        assert_eq!(json("{\n  \"a\": 1\n}\n", &["\"a\": 1"]), "{\n}\n");
        assert_eq!(json(r#"{"a":{"x":1,"y":2},"b":{"z":3}}"#, &[r#""x":1"#, r#""z":3"#]), r#"{"a":{"y":2},"b":{}}"#);
    }

    #[test]
    fn comments_stay() {
        let text =
            "{\n  // one\n  \"a\": 1, // two\n  /* three */ \"b\": 2 /* four */, // five\n  \"c\": 3 // six\n}\n";
        let without = deleted("a.jsonc", text, &["\"a\": 1", "\"b\": 2", "\"c\": 3"]).unwrap();
        for comment in ["// one", "// two", "/* three */", "/* four */", "// five", "// six"] {
            assert!(without.contains(comment), "{comment}: {without}");
        }
        let value = jsonc_parser::parse_to_value(&without, &jsonc_parser::ParseOptions::default()).unwrap().unwrap();
        assert_eq!(value, jsonc_parser::JsonValue::Object(jsonc_parser::JsonObject::new(Default::default())));
    }

    #[test]
    fn entries_change_places() {
        let text = "{\n  \"x\": 0, // about x\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n";
        let behind = moved("a.json", text, &["\"a\": 1", "\"c\": 3"]).unwrap();
        assert_eq!(behind, "{\n  \"x\": 0, // about x\n  \"b\": 2,\n  \"c\": 3,\n  \"a\": 1\n}\n");
        assert_eq!(moved("a.json", r#"{"a":1,"b":{"c":2}}"#, &[r#""a":1"#, r#""c":2"#]), None, "of another object");
        assert_eq!(moved("a.json", "{\"a\":1, // why\n\"b\":2}", &["\"a\":1", "\"b\":2"]), None, "a comment is of one");
    }

    #[test]
    fn lines_take_their_comments_along() {
        let text = "layer user {\n  # dangerous\n  deny bash \"rm *\" # always\n  allow edit\n  allow bash\n}\n";
        let behind = moved("a.policy", text, &["deny bash \"rm *\"", "allow bash"]).unwrap();
        assert_eq!(
            behind,
            "layer user {\n  allow edit\n  allow bash\n  # dangerous\n  deny bash \"rm *\" # always\n}\n"
        );
        assert_eq!(moved("a.policy", "deny bash; allow bash\n", &["deny bash", "allow bash"]), None);
        assert_eq!(deleted("a.policy", text, &["allow edit"]).unwrap(), text.replace("  allow edit\n", ""));
        assert_eq!(deleted("a.policy", text, &["deny bash \"rm *\""]), None, "its comment would be left alone");
    }

    #[test]
    fn keys_may_hold_dots() {
        let text = r#"{"permission":{"bash":{"rm *":1,"a.b":{"c":2}}},"permission.bash":3}"#;
        let at = |path: &str| place(text, path).and_then(|range| text.get(range));
        assert_eq!(at("permission.bash.rm *"), Some("\"rm *\":1"));
        assert_eq!(at("permission.bash.a.b.c"), Some("\"c\":2"));
        assert_eq!(at("permission.bash"), Some("\"permission.bash\":3"));
        assert_eq!(at("permission.edit"), None);
        assert_eq!(place("---\na: 1\n", "a"), None);
    }

    #[test]
    fn edits_that_overlap_are_none() {
        let (_, spans) = places("a", "abcdef", &["abc", "cde"]);
        let edits: Vec<Edit> = spans.iter().map(|span| Edit { span: *span, text: String::new() }).collect();
        assert_eq!(apply("abcdef", &edits), None);
    }
}
