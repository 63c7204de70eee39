//! The grammar: a text to a syntax tree, in a bounded number of steps. The only file that runs tree-sitter.

use super::{LONGEST, Refused};
use std::ops::Range;
use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// What may be spent on a line. Counted, not timed: the same line has the same answer on every machine.
const PATIENCE: usize = 8_000_000;

/// What the parser spends between two times that it comes back to us, where all is well. In text that it cannot read each
/// step goes back over what it has read so far, and costs as much.
const STEPS: usize = 100;

/// A text with its syntax tree.
pub(super) struct Parsed<'a> {
    pub(super) text: &'a str,
    pub(super) tree: Tree,
    /// Where each UTF-16 unit of the text starts, in bytes of UTF-8; then the text's end.
    starts: Vec<usize>,
}

/// The tree of a text.
///
/// It is read as UTF-16, as by the programs that run the grammar in JavaScript: what the grammar does with text it cannot
/// read hangs on how many bytes that text has.
pub(super) fn parse(text: &str) -> Result<Parsed<'_>, Refused> {
    if text.len() > LONGEST {
        return Err(Refused::TooLong(text.len()));
    }
    if let Some(at) = text.find('\0') {
        return Err(Refused::Nul(at));
    }
    let units: Vec<u16> = text.encode_utf16().collect();
    let starts = text.char_indices().flat_map(|(at, c)| std::iter::repeat_n(at, c.len_utf16()));
    let starts: Vec<usize> = starts.chain([text.len()]).collect();
    let mut parser = Parser::new();
    let (mut spent, mut reached) = (0, 0);
    let mut patience = |state: &ParseState| {
        reached = state.current_byte_offset();
        spent += if state.has_error() { reached.max(STEPS) } else { STEPS };
        spent > PATIENCE
    };
    let options = ParseOptions::new().progress_callback(&mut patience);
    let mut read = |at: usize, _| units.get(at..).unwrap_or_default();
    let tree = parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()
        .and_then(|()| parser.parse_utf16_le_with_options(&mut read, None, Some(options)));
    match tree {
        Some(tree) => Ok(Parsed { text, tree, starts }),
        None => Err(Refused::TooHard(start(&starts, reached))),
    }
}

/// From an offset of the parser's, two to a unit, to one of the text's.
fn start(starts: &[usize], offset: usize) -> usize {
    starts.get(offset / 2).or(starts.last()).copied().unwrap_or_default()
}

impl<'a> Parsed<'a> {
    /// Where a node stands in the text.
    pub(super) fn span(&self, node: Node<'_>) -> Range<usize> {
        start(&self.starts, node.start_byte())..start(&self.starts, node.end_byte())
    }

    /// A node's text.
    pub(super) fn slice(&self, node: Node<'_>) -> &'a str {
        self.text.get(self.span(node)).unwrap_or_default()
    }
}
