//! The frontmatter of agent files, as OpenCode 1.18 reads it: what does not parse is read a second time with its long
//! lines quoted, and what still does not parse is, silently, no frontmatter.

use super::json::{self, Kind, Node};
use super::spelling::Mapped;
use super::yaml::{self, Failure};
use crate::diagnostic::Sink;
use crate::source::{FileId, Span};

/// A markdown file, read.
#[derive(Clone, Debug)]
pub struct Markdown {
    /// Its fields.
    pub fields: Fields,
    /// Its text below the frontmatter, blanks around it left out.
    pub body: Span,
}

/// What became of the frontmatter.
#[derive(Clone, Debug)]
pub enum Fields {
    /// Fields.
    Some(Node),
    /// Fields, by the second reading, and why the first one failed.
    ///
    /// OpenCode remembers a text before it reads it. Where one process reads the same text again (in another project, after
    /// a reload) it finds the text known, without fields, and does not try a second time.
    Once(Node, Failure),
    /// There is none.
    None,
    /// There is one, and the program does not see it: it begins at the span.
    Unseen(Span),
    /// It does not parse: the file loads with no fields, its whole text being the prompt.
    Empty(Failure),
    /// It does not parse even after the second reading: the file is skipped.
    Skipped(Failure),
}

/// Splits and reads a file.
pub fn read(file: FileId, text: &str) -> Markdown {
    let start = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = text.get(start..).unwrap_or("");
    let whole = trimmed(file, text, start, text.len());
    let opens = rest.strip_prefix("---").filter(|after| !after.starts_with('-'));
    let Some(after) = opens else {
        let blank = rest.len() - rest.trim_start().len();
        let later = rest.trim_start().starts_with("---\n") || rest.trim_start().starts_with("---\r\n");
        let fields = match later {
            true => Fields::Unseen(Span::new(file, start + blank..start + blank + 3)),
            false => Fields::None,
        };
        return Markdown { fields, body: whole };
    };
    // The rest of the first line names a language.
    let language = after.lines().next().unwrap_or("").trim().to_lowercase();
    let base =
        start + 3 + after.find(language.as_str()).filter(|_| !language.is_empty()).map_or(0, |at| at + language.len());
    let inner = text.get(base..).unwrap_or("");
    let length = inner.find("\n---").unwrap_or(inner.len());
    let matter = inner.get(..length).unwrap_or("");
    let body = trimmed(file, text, (base + length + 4).min(text.len()), text.len());
    let fields = match language.as_str() {
        "" | "yaml" | "yml" => yaml_fields(file, text, base, matter, after.starts_with(['\n', '\r'])),
        "json" => json_fields(file, base, matter),
        _ => Fields::Empty(Failure {
            message: format!("`{language}` is no language of frontmatter"),
            span: Span::new(file, start..base),
        }),
    };
    let body = if matches!(fields, Fields::Empty(_)) { whole } else { body };
    Markdown { fields, body }
}

/// A place without the blanks around its text.
fn trimmed(file: FileId, text: &str, from: usize, to: usize) -> Span {
    let piece = text.get(from..to).unwrap_or("");
    let lead = piece.len() - piece.trim_start().len();
    Span::new(file, from + lead..(from + lead).max(from + piece.trim_end().len()))
}

fn yaml_fields(file: FileId, text: &str, base: usize, matter: &str, plain_fence: bool) -> Fields {
    let comments_only = matter.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#'));
    if comments_only {
        return Fields::Some(Node { kind: Kind::Object(Vec::new()), span: Span::new(file, base..base) });
    }
    let first = match parse(file, &lines(matter, base)) {
        Ok(node) => return Fields::Some(yaml::with_comments(node, text, file)),
        Err(failure) => failure,
    };
    // The second reading wants a closed block with a bare `---` above it.
    let closed = text.get(base + matter.len()..).is_some_and(|rest| rest.starts_with("\n---"));
    let quoted = (plain_fence && closed).then(|| quoted(matter, base)).flatten();
    match quoted.map(|mapped| parse(file, &mapped)) {
        None => Fields::Empty(first),
        Some(Ok(node)) => Fields::Once(yaml::with_comments(node, text, file), first),
        Some(Err(second)) => Fields::Skipped(second),
    }
}

fn json_fields(file: FileId, base: usize, matter: &str) -> Fields {
    let mut sink = Sink::default();
    let lead = matter.len() - matter.trim_start().len();
    // Read in place, so that spans hold: all before it made blank.
    let padded = format!("{}{}", " ".repeat(base + lead), matter.trim());
    match json::parse(file, &padded, &mut sink) {
        Some(node) => Fields::Some(node),
        None => {
            let finding = sink.into_findings().into_iter().next();
            let (message, span) =
                finding.map_or((String::new(), Span::new(file, base..base)), |f| (f.message, f.primary.span));
            Fields::Empty(Failure { message, span })
        }
    }
}

fn parse(file: FileId, mapped: &Mapped) -> Result<Node, Failure> {
    if let Some(failure) = refused(file, mapped) {
        return Err(failure);
    }
    yaml::parse_mapped(file, mapped)
}

/// What js-yaml refuses and our parser takes: `%` and `...` lines.
fn refused(file: FileId, mapped: &Mapped) -> Option<Failure> {
    let mut at = 0;
    for line in mapped.text.split('\n') {
        let message = match line.trim_end() {
            "..." => "`...` ends the document before its end",
            line if line.starts_with('%') => "a line that starts with `%`",
            _ => "",
        };
        if !message.is_empty() {
            return Some(Failure {
                message: message.to_owned(),
                span: mapped.span(file, at, at + line.chars().count()),
            });
        }
        at += line.chars().count() + 1;
    }
    None
}

/// The text with tabs in front of lines left out: to js-yaml they are blanks that do not indent.
fn lines(matter: &str, base: usize) -> Mapped {
    let mut out = Mapped::new("", base);
    let mut at = base;
    for line in matter.split_inclusive('\n') {
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        out.push(line.get(..spaces).unwrap_or(""), at);
        out.push(line.get(blanks..).unwrap_or(""), at + blanks);
        at += line.len();
    }
    out
}

/// The second reading: an unindented `key: text with: colons` becomes a block of text. `None` if no line is one.
fn quoted(matter: &str, base: usize) -> Option<Mapped> {
    let mut out = Mapped::new("", base);
    let mut at = base;
    let mut changed = false;
    for line in matter.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        match colon_line(bare) {
            Some((key, value)) => {
                changed = true;
                out.push(key, at);
                out.insert(": |-\n  ", at + key.len());
                let from = bare.len() - value.len();
                out.push(value.trim(), at + from + value.len() - value.trim_start().len());
                out.insert("\n", at + line.len());
            }
            None => {
                let spaces = line.len() - line.trim_start_matches(' ').len();
                let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
                out.push(line.get(..spaces).unwrap_or(""), at);
                out.push(line.get(blanks..).unwrap_or(""), at + blanks);
            }
        }
        at += line.len();
    }
    changed.then_some(out)
}

/// Key and value of a line whose value holds a colon and is no quoted or block text.
fn colon_line(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let bare = key.trim_end();
    let named = bare.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && bare.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let text = value.trim();
    let plain = !matches!(text, "" | ">" | "|") && !text.starts_with(['"', '\'']);
    (named && plain && text.contains(':')).then_some((bare, value))
}
