//! What of the sources a finding shows: the lines of its labels and no more, clipped to the width around them, with
//! secrets cut and unprintable characters made visible.
//!
//! The renderer is handed this small text and never the sources, so that a line of 40 kB or a file of 30 MB costs nothing.

use crate::diagnostic::Label;
use crate::report::shown;
use crate::secret;
use crate::source::{FileId, LineColumn, SourceFile, SourceMap, Span};
use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::collections::HashMap;
use std::ops::Range;
use unicode_width::UnicodeWidthChar;

/// A label over more lines shows its first one.
const MOST_LINES: usize = 6;
/// So many lines between two labels are shown rather than a second frame begun.
const GAP: usize = 2;
/// Columns before a label on a line that has to be clipped.
const LEAD: usize = 16;
/// Of a line that is longer than this before a label, only the end before it is looked at.
const LONG: usize = 4_096;
const TAB: usize = 4;

/// Secrets of the files that findings point into, found once a file.
#[derive(Debug, Default)]
pub struct Secrets {
    found: HashMap<FileId, Vec<Range<usize>>>,
}

impl Secrets {
    fn of(&mut self, id: FileId, file: &SourceFile) -> &[Range<usize>] {
        self.found.entry(id).or_insert_with(|| secret::find(file.text()))
    }
}

/// Pieces of sources as a renderer shows them.
#[derive(Debug, Default)]
pub struct Excerpt {
    text: String,
    regions: Vec<Region>,
    labels: Vec<LabeledSpan>,
}

/// Successive lines of one file.
#[derive(Debug)]
struct Region {
    name: String,
    /// Where they stand in the excerpt.
    range: Range<usize>,
    /// The first one's number, from 0.
    line: usize,
    /// Real columns, from 0, by where a label starts in the excerpt.
    columns: HashMap<usize, usize>,
}

impl Excerpt {
    /// The excerpt of these labels, the first of which is the primary one; its file is shown first.
    pub fn new(labels: &[&Label], sources: &SourceMap, secrets: &mut Secrets, width: usize) -> Excerpt {
        let mut excerpt = Excerpt::default();
        let mut files: Vec<FileId> = Vec::new();
        for label in labels {
            if !files.contains(&label.span.file) {
                files.push(label.span.file);
            }
        }
        let primary = labels.first().map(|label| label.span);
        for id in files {
            let Some(file) = sources.file(id) else { continue };
            let secrets = secrets.of(id, file);
            for group in groups(file, distinct(labels, id), secrets, width) {
                excerpt.push(file, &group, secrets, primary);
            }
        }
        excerpt
    }

    /// The labels, placed in the excerpt.
    pub fn labels(&self) -> &[LabeledSpan] {
        &self.labels
    }

    fn push(&mut self, file: &SourceFile, group: &Group, secrets: &[Range<usize>], primary: Option<Span>) {
        let start = self.text.len();
        let mut lines = Vec::new();
        for number in group.lines.clone() {
            let from = if number == group.lines.start { group.from } else { line_start(file, number) };
            let line = Line::new(file, from, secrets, &group.window);
            lines.push((self.text.len(), line.map));
            self.text.push_str(&line.text);
            self.text.push('\n');
        }
        let mut columns = HashMap::new();
        for label in &group.labels {
            let at = |offset: u32, number: usize| {
                let (base, map) = lines.get(number.checked_sub(group.lines.start)?)?;
                let index = map.partition_point(|(byte, _)| *byte < offset as usize);
                Some((*base, base + map.get(index).or(map.last())?.1))
            };
            let (first, last) = extent(file, label.span);
            let Some((base, from)) = at(label.span.start, first.line) else { continue };
            let to = at(label.span.end, last).map_or(from, |(_, to)| to.max(from));
            let room = group.window.len().saturating_sub((from + to) / 2 - base).max(30);
            let text = (!label.text.is_empty()).then(|| textwrap::fill(&shown::line(&label.text), room));
            columns.insert(from, first.column - 1);
            self.labels.push(match primary {
                Some(span) if span == label.span => LabeledSpan::new_primary_with_span(text, from..to),
                _ => LabeledSpan::new_with_span(text, from..to),
            });
        }
        let line = group.lines.start.saturating_sub(1);
        self.regions.push(Region { name: file.name().to_owned(), range: start..self.text.len(), line, columns });
    }
}

impl SourceCode for Excerpt {
    /// Whole lines around the span, if they stand together in the source; else an error, which keeps frames apart.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _: usize,
        _: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (from, to) = (span.offset(), span.offset() + span.len());
        let holds = |region: &&Region| region.range.contains(&from) && to <= region.range.end;
        let region = self.regions.iter().find(holds).ok_or(MietteError::OutOfBounds)?;
        let before = self.text.get(region.range.start..from).ok_or(MietteError::OutOfBounds)?;
        let start = before.rfind('\n').map_or(region.range.start, |at| region.range.start + at + 1);
        // A span that ends in a line's newline ends on that line.
        let last = to.saturating_sub(1).max(from);
        let rest = self.text.get(last..region.range.end).ok_or(MietteError::OutOfBounds)?;
        let end = rest.find('\n').map_or(region.range.end, |at| last + at + 1);
        let data = self.text.get(start..end).ok_or(MietteError::OutOfBounds)?;
        let line = region.line + before.matches('\n').count();
        let column = region.columns.get(&from).copied().unwrap_or(0);
        // So many lines that the renderer always tries to join two frames: the region says whether they can be.
        let contents = MietteSpanContents::new_named(
            region.name.clone(),
            data.as_bytes(),
            (start, end - start).into(),
            line,
            column,
            usize::MAX / 2,
        );
        Ok(Box::new(contents))
    }
}

/// The labels of one file; what two say of one place is one label.
fn distinct(labels: &[&Label], id: FileId) -> Vec<Label> {
    let mut out: Vec<Label> = Vec::new();
    for label in labels.iter().filter(|label| label.span.file == id) {
        match out.iter_mut().find(|other| other.span == label.span) {
            Some(other) if label.text.is_empty() || other.text.contains(&label.text) => {}
            Some(other) if other.text.is_empty() => other.text.clone_from(&label.text),
            Some(other) => other.text = format!("{}; {}", other.text, label.text),
            None => out.push((*label).clone()),
        }
    }
    out
}

/// Labels that are shown in one frame.
struct Group {
    labels: Vec<Label>,
    /// The byte from which the first line is looked at.
    from: usize,
    /// Line numbers, from 1.
    lines: Range<usize>,
    /// The columns that are shown.
    window: Range<usize>,
}

fn groups(file: &SourceFile, mut labels: Vec<Label>, secrets: &[Range<usize>], width: usize) -> Vec<Group> {
    labels.sort_by_key(|label| (label.span.start, label.span.end));
    let mut groups: Vec<Group> = Vec::new();
    for label in labels {
        let (first, last) = extent(file, label.span);
        let from = beginning(file, first.line, label.span);
        let whole = first.line == last;
        if let Some(group) = groups.last_mut() {
            let near = first.line <= group.lines.end + GAP;
            // On the line that the group begins with, columns count from where the group's do.
            let from = if first.line == group.lines.start { group.from } else { from };
            let close = label.span.start as usize - from <= LONG;
            let fits = |columns: Range<usize>| group.window.start <= columns.start && columns.end <= group.window.end;
            if near && close && fits(columns(file, from, label.span, secrets, whole)) {
                group.lines.end = group.lines.end.max(last + 1);
                group.labels.push(label);
                continue;
            }
        }
        let columns = columns(file, from, label.span, secrets, whole);
        let start = if columns.end <= width { 0 } else { columns.start.saturating_sub(LEAD) };
        groups.push(Group { labels: vec![label], from, lines: first.line..last + 1, window: start..start + width });
    }
    groups
}

/// Where a label starts, and the last line of it that is shown.
fn extent(file: &SourceFile, span: Span) -> (LineColumn, usize) {
    let first = file.line_column(span.start);
    // The last byte counts: a span that ends in a newline ends on that line.
    let last = file.line_column(span.end.saturating_sub(1).max(span.start)).line;
    if last - first.line >= MOST_LINES { (first, first.line) } else { (first, last) }
}

/// The columns, as wide as they are shown, that a label would like to see: all of it, or its start if it goes over lines.
fn columns(file: &SourceFile, from: usize, span: Span, secrets: &[Range<usize>], one_line: bool) -> Range<usize> {
    let (mut start, mut end) = (0, 0);
    for cell in cells(file, from, secrets) {
        if cell.byte < span.start as usize {
            start = cell.columns.end;
        }
        if cell.byte >= span.end as usize || !one_line && cell.byte >= span.start as usize {
            break;
        }
        end = cell.columns.end;
    }
    start..end.max(start + 1)
}

/// A line as it is shown.
struct Line {
    text: String,
    /// Byte in the file, byte in `text`; in order, and one past the last.
    map: Vec<(usize, usize)>,
}

impl Line {
    fn new(file: &SourceFile, from: usize, secrets: &[Range<usize>], window: &Range<usize>) -> Line {
        let mut line = Line { text: String::new(), map: Vec::new() };
        let mut cut = false;
        for cell in cells(file, from, secrets) {
            if cell.columns.start >= window.end {
                cut = true;
                break;
            }
            if cell.columns.start >= window.start {
                if line.map.is_empty() && cell.columns.start > 0 {
                    line.text.push('…');
                }
                line.map.push((cell.byte, line.text.len()));
                line.text.push_str(&cell.shown);
            }
        }
        line.map.push((usize::MAX, line.text.len()));
        if cut {
            line.text.push('…');
        }
        line
    }
}

/// A character of a line as it is shown.
struct Cell {
    /// Where it stands in the file.
    byte: usize,
    shown: String,
    columns: Range<usize>,
}

fn line_start(file: &SourceFile, number: usize) -> usize {
    file.line_start(number).unwrap_or(0) as usize
}

/// The byte of a line from which it is looked at for the sake of a label.
fn beginning(file: &SourceFile, number: usize, span: Span) -> usize {
    let start = line_start(file, number);
    let near = (span.start as usize).saturating_sub(LONG / 2);
    if near <= start + LONG / 2 { start } else { file.text().floor_char_boundary(near) }
}

/// The characters of a line from some byte on. What comes before it counts as one column a byte.
fn cells<'a>(file: &'a SourceFile, start: usize, secrets: &'a [Range<usize>]) -> impl Iterator<Item = Cell> + 'a {
    let raw = file.text().get(start..).unwrap_or("").split('\n').next().unwrap_or("");
    let raw = raw.strip_suffix('\r').unwrap_or(raw);
    let mut secrets = secrets.iter().skip(secrets.partition_point(|secret| secret.end <= start)).peekable();
    let mut column = start - line_start(file, file.line_column(start as u32).line);
    raw.char_indices().map(move |(at, c)| {
        let byte = start + at;
        while secrets.next_if(|range| range.end <= byte).is_some() {}
        let hidden = secrets.peek().filter(|range| range.start <= byte);
        // Secrets are ASCII: as many characters as bytes.
        let cut = |range: &Range<usize>| secret::shown(file.text().get(range.clone()).unwrap_or(""));
        let shown = piece(c, column, hidden.map(|range| (byte - range.start, cut(range))));
        let from = column;
        column += shown.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
        Cell { byte, shown, columns: from..column }
    })
}

/// What is shown of a character; `hidden` is how much of a secret came before it, and how much of that is shown.
fn piece(c: char, column: usize, hidden: Option<(usize, usize)>) -> String {
    match hidden {
        Some((before, shown)) if before == shown => return "***".to_owned(),
        Some((before, shown)) if before > shown => return String::new(),
        _ => {}
    }
    match shown::escaped(c) {
        _ if c == '\t' => " ".repeat(TAB - column % TAB),
        Some(code) => code.into_owned(),
        None => c.to_string(),
    }
}
