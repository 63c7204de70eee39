//! Files, places in them, and how a place is named to a person.

use std::fmt;
use std::ops::Range;

/// A file known to a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(u32);

/// A place in a file: a range of bytes, end excluded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The place `range` of `file`. Offsets beyond 4 GiB saturate; such files are refused when they are read.
    pub fn new(file: FileId, range: Range<usize>) -> Span {
        let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { file, start: at(range.start), end: at(range.end) }
    }

    /// The bytes as a range.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The smallest place that holds both; `self` if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether `other` lies inside.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// A node and where it was written. Two are equal when their nodes are: a round trip compares meaning.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// What was written.
    pub node: T,
    /// Where.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `node` as written at `span`.
    pub fn new(node: T, span: Span) -> Spanned<T> {
        Spanned { node, span }
    }

    /// The same place with another node.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { node: f(self.node), span: self.span }
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T: Eq> Eq for Spanned<T> {}

/// A line and column as people count them: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// One file: the name it is shown by, and its text.
#[derive(Debug)]
pub struct SourceFile {
    name: String,
    text: String,
    lines: Vec<u32>,
    /// How many characters begin before each block of [`BLOCK`] bytes: some files are one line.
    blocks: Vec<u32>,
}

/// Bytes of a block whose characters are counted once.
const BLOCK: usize = 4_096;

impl SourceFile {
    fn new(name: String, text: String) -> SourceFile {
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at as u32 + 1));
        let mut blocks = vec![0];
        let mut before = 0;
        for block in text.as_bytes().chunks(BLOCK) {
            before += characters(block) as u32;
            blocks.push(before);
        }
        SourceFile { name, text, lines, blocks }
    }

    /// The path it is shown by: relative to the working folder, with `/`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of `span`; empty if the span is no place of this text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or("")
    }

    /// Line and column of a byte offset; the end of the text if it lies beyond.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines.get(line - 1).copied().unwrap_or(0) as usize;
        let offset = offset as usize;
        let is_place = offset >= start && self.text.is_char_boundary(offset);
        let before = match is_place {
            true if offset - start <= BLOCK => characters(self.text.as_bytes().get(start..offset).unwrap_or_default()),
            true => self.characters_before(offset) - self.characters_before(start),
            false => 0,
        };
        LineColumn { line, column: before + 1 }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let block = offset / BLOCK;
        let rest = self.text.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        let counted = self.blocks.get(block).copied().unwrap_or_default();
        counted as usize + characters(rest)
    }

    /// The byte where line `line` (from 1) starts.
    pub fn line_start(&self, line: usize) -> Option<u32> {
        self.lines.get(line.checked_sub(1)?).copied()
    }
}

/// How many characters begin in some bytes of a text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// All files of a run. Preludes are files too, so a finding can point into them.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file under the name it is shown by.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        self.files.push(SourceFile::new(name.into(), text.into()));
        id
    }

    /// The file of an id that this map gave out.
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    /// The name of a file, empty if this map does not know it.
    pub fn name(&self, id: FileId) -> &str {
        self.file(id).map_or("", SourceFile::name)
    }

    /// The text of a place.
    pub fn slice(&self, span: Span) -> &str {
        self.file(span.file).map_or("", |file| file.slice(span))
    }

    /// `file:line:column` of the first byte of a place.
    pub fn place(&self, span: Span) -> String {
        match self.file(span.file) {
            Some(file) => {
                let at = file.line_column(span.start);
                format!("{}:{}:{}", file.name(), at.line, at.column)
            }
            None => String::new(),
        }
    }

    /// All files in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(at, file)| (FileId(at as u32), file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let mut map = SourceMap::default();
        let id = map.add("a", "é x\ny");
        assert_eq!(map.place(Span::new(id, 3..4)), "a:1:3");
        assert_eq!(map.place(Span::new(id, 5..6)), "a:2:1");
        assert_eq!(map.slice(Span::new(id, 0..2)), "é");
        assert_eq!(map.slice(Span::new(id, 1..2)), "", "no place of the text");
        assert_eq!(map.place(Span::new(id, 99..99)), "a:2:1");
    }

    #[test]
    fn columns_of_long_lines_are_counted() {
        let text = format!("é\n{}", "aé€".repeat(2_500));
        let mut map = SourceMap::default();
        let id = map.add("a", text.as_str());
        let file = map.file(id).unwrap();
        for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            let naive = text.get(..offset).unwrap().rsplit('\n').next().unwrap().chars().count() + 1;
            assert_eq!(file.line_column(offset as u32).column, naive, "{offset}");
        }
        let whole = "x".repeat(2 * BLOCK);
        let id = map.add("b", whole.as_str());
        assert_eq!(map.place(Span::new(id, 8_192..8_192)), "b:1:8193");
    }
}
