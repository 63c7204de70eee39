//! The grammar: a text to a syntax tree, in a bounded number of steps. The only file that runs tree-sitter.

use super::{LONGEST, Refused};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

/// How often the parser may come back to us. It does so every hundred steps; a line of the greatest length that a shell can
/// read takes less than a tenth of it. Counted, not timed: the same line has the same answer on every machine.
const PATIENCE: usize = 200_000;

/// The tree of a text.
pub(super) fn parse(text: &str) -> Result<Tree, Refused> {
    if text.len() > LONGEST {
        return Err(Refused::TooLong(text.len()));
    }
    if let Some(at) = text.find('\0') {
        return Err(Refused::Nul(at));
    }
    let mut parser = Parser::new();
    let (mut calls, mut reached) = (0, 0);
    let mut patience = |state: &ParseState| {
        (calls, reached) = (calls + 1, state.current_byte_offset());
        if calls > PATIENCE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut patience);
    let mut read = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let tree = parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()
        .and_then(|()| parser.parse_with_options(&mut read, None, Some(options)));
    tree.ok_or(Refused::TooHard(reached))
}
