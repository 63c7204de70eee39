//! Command lines of a shell as data: which simple commands, redirections and other parts a text is made of.
//!
//! The text is read by tree-sitter-bash, the grammar that coding agents read it with, so what that grammar loses is
//! lost here too. This layer knows strings only: what a runtime asks for a line is the runtime's to say.

mod inner;
mod literal;
mod tree;
mod walk;
mod writes;

use std::ops::Range;

pub use inner::{is_shell, own_words};
pub use writes::{Write, is_stream, writes};

/// The longest line that is read, in bytes. The grammar needs seconds for some broken lines of this length, and four
/// times as long for twice the length.
pub const LONGEST: usize = 32_768;

/// How many scripts within scripts are read: `bash -c "bash -c ..."`.
pub const DEEPEST: usize = 8;

/// Why a text is not taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is longer than [`LONGEST`].
    #[error("the command line has {0} bytes, and no more than {LONGEST} are taken apart")]
    TooLong(usize),
    /// It holds a NUL, at this byte.
    #[error("the command line holds a NUL character (byte {0}), and no shell is started with one")]
    Nul(usize),
    /// The grammar takes more steps than are spent on one line; it came to this byte.
    #[error("the command line is too tangled to be taken apart: given up at byte {0}")]
    TooHard(usize),
}

/// A command line, taken apart. Spans are bytes of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// The whole text.
    pub text: String,
    /// Every simple command, however deep in lists, loops and substitutions, in the order of their starts.
    pub commands: Vec<Command>,
    /// Every redirection, also those in the commands' own text.
    pub redirections: Vec<Redirection>,
    /// What else is in the line that matters to a reader.
    pub pieces: Vec<Piece>,
    /// Scripts that commands of the line run: `bash -c SCRIPT`, `eval WORDS`.
    pub scripts: Vec<Script>,
    /// The first part that the grammar cannot read, or has put in itself (then it is empty).
    pub error: Option<Range<usize>>,
}

/// A simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Its text: assignments and redirections in front of it, its words, here-strings.
    pub span: Range<usize>,
    /// The statement around it, if the command stands in one whose redirections are the command's own.
    pub wrapped: Option<Range<usize>>,
    /// Its words in order, the name first; assignments and redirections left out.
    pub words: Vec<Word>,
}

/// A word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its text with its quotes.
    pub span: Range<usize>,
    /// How it is written.
    pub kind: WordKind,
    /// What the shell makes of it if that does not hang on when and where it runs: quotes and backslashes taken away.
    /// A `~` and the signs of file name patterns stand as they are written.
    pub literal: Option<String>,
}

/// How a word is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// The command's name, however it is written.
    Name,
    /// Bare: `src/a.rs`, `-rf`.
    Bare,
    /// In double quotes.
    Double,
    /// In single quotes.
    Single,
    /// Parts glued together: `"$dir"/a`.
    Joined,
    /// A number, an expansion, a substitution by itself.
    Other,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirection {
    /// Its text; of a heredoc also the body.
    pub span: Range<usize>,
    /// What it does.
    pub kind: RedirectionKind,
    /// The file, or the text of a here-string, if it does not hang on when and where it runs. Nothing for a heredoc.
    pub target: Option<String>,
    /// The command it belongs to, as a place in [`Line::commands`]; `None`: a group of them, or none at all.
    pub command: Option<usize>,
}

/// What a redirection does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `< FILE`
    Read,
    /// `> FILE`, `>| FILE`, `&> FILE`, `>& FILE`: what was in it is gone.
    Write,
    /// `>> FILE`, `&>> FILE`
    Append,
    /// `2>&1`, `<&3`, `>&-`: from one open file to another.
    Duplicate,
    /// `<<WORD`; in a quoted one (`<<'WORD'`) nothing is expanded or run.
    Heredoc {
        /// Whether its word is quoted.
        quoted: bool,
    },
    /// `<<< TEXT`
    HereString,
}

/// A part of a line that is no simple command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its text.
    pub span: Range<usize>,
    /// What it is.
    pub kind: PieceKind,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// `NAME=VALUE` by itself, not in front of a command.
    Assignment,
    /// `export`, `declare`, `local`, `readonly`, `typeset`, `unset`.
    Declaration,
    /// `[ ... ]`, `[[ ... ]]`, `((...))`.
    Test,
    /// `$(...)` and backquotes.
    Substitution,
    /// `<(...)`, `>(...)`.
    ProcessSubstitution,
    /// `( ... )`
    Subshell,
    /// `a | b`
    Pipeline,
    /// The definition of a function.
    Function,
}

/// A script that a command of the line runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    /// The command, as a place in [`Line::commands`].
    pub command: usize,
    /// The script; `None`: it is put together when it runs, or lies deeper than [`DEEPEST`].
    pub line: Option<Line>,
}

/// Takes a command line apart. Deep nesting costs no stack, and the work on a line is bounded.
///
/// # Errors
/// If the text is longer than [`LONGEST`], holds a NUL, or the grammar takes too many steps for it.
pub fn parse(text: &str) -> Result<Line, Refused> {
    inner::parse(text, 0)
}

impl Line {
    /// The text of a span; empty for one that is not of this line.
    pub fn slice(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
