//! A whole text to its tree: statement after statement, block by block, past every mistake.

use super::SYNTAX_ERROR;
use super::ast::*;
use super::explain;
use super::parse::{self, Build, Node};
use super::scan::{Piece, Problem, Scanner, push_trivia};
use super::words::Level;
use crate::diagnostic::{Finding, Sink};
use crate::source::{FileId, Span, Spanned};
use std::ops::Range;

/// How many mistakes of one file are told one by one.
const MAX_FINDINGS: usize = 100;

/// Reads a policy. Every statement that can not be read is a finding, and the tree holds all others.
pub fn parse(file: FileId, text: &str, sink: &mut Sink) -> Policy {
    let mut reader = Reader { scan: Scanner::new(text), text, file, sink, mistakes: 0 };
    let policy = reader.block(Level::File, None, Reader::item);
    reader.finish();
    policy
}

/// Where a block was opened: its brace, and how far its statement is indented.
#[derive(Clone, Copy)]
struct Open {
    brace: Span,
    indent: Option<usize>,
}

struct Reader<'t, 's> {
    scan: Scanner<'t>,
    text: &'t str,
    file: FileId,
    sink: &'s mut Sink,
    mistakes: usize,
}

impl<'t> Reader<'t, '_> {
    /// Statements up to the closing brace, which is left to the caller, or up to the end of the text.
    fn block<T>(
        &mut self,
        level: Level,
        open: Option<Open>,
        read: fn(&mut Self, &Piece) -> Option<Node<T>>,
    ) -> Block<T> {
        let start = self.scan.at();
        let mut block = Block { head: open.and_then(|_| self.scan.trailing_comment()), ..Block::default() };
        let mut lead = Vec::new();
        let mut ignores: Vec<Spanned<Ignore>> = Vec::new();
        loop {
            for trivia in self.scan.gap() {
                let first = lead.is_empty() && block.stmts.is_empty();
                if trivia != Trivia::Blank || ignores.is_empty() && !first {
                    push_trivia(&mut lead, trivia);
                }
            }
            match (self.scan.peek(), open) {
                (None, None) => break,
                (None, Some(open)) => {
                    self.unclosed(open, "the end of the file");
                    break;
                }
                (Some(b'}'), Some(_)) => break,
                (Some(b'}'), None) => {
                    let at = self.scan.at();
                    self.report(explain::stray_brace(self.span(at..at + 1)));
                    self.scan.bump();
                    continue;
                }
                (Some(b'@'), _) => {
                    ignores.extend(self.annotation());
                    continue;
                }
                (Some(_), _) => {}
            }
            let before = self.scan.clone();
            let piece = self.scan.statement(level == Level::File);
            if let Some(open) = open.filter(|open| self.left(level, *open, &piece)) {
                self.unclosed(open, &format!("`{}`", explain::first_word(self.slice(&piece.range))));
                self.scan = before;
                break;
            }
            let node = read(self, &piece);
            let span = self.span(piece.range.start..piece.range.end.max(self.scan.at()));
            let trail = self.scan.statement_end();
            let ignores = std::mem::take(&mut ignores);
            if self.swallowed_brace(open, &piece) {
                break;
            }
            if let Some((node, moved)) = node {
                lead.extend(moved);
                block.stmts.push(Stmt { lead: std::mem::take(&mut lead), ignores, node, span, trail });
            }
        }
        if let Some(ignore) = ignores.first() {
            self.report(explain::annotates_nothing(ignore.span));
        }
        if lead.last() == Some(&Trivia::Blank) {
            lead.pop();
        }
        block.tail = lead;
        block.one_line = open.is_some() && !self.slice(&(start..self.scan.at())).contains(['\n', '\r']);
        block
    }

    fn item(&mut self, piece: &Piece) -> Option<Node<Item>> {
        let item = self.build(Level::File, piece, parse::item);
        let indent = self.scan.indent(piece.range.start);
        if !piece.opens {
            if item.is_none() {
                self.skip_loose_block(piece, indent);
            }
            return item;
        }
        let brace = self.span(piece.range.end.saturating_sub(1)..piece.range.end);
        let open = Open { brace, indent };
        let Some((mut item, moved)) = item else {
            self.skip_block(explain::guess_block(self.slice(&piece.range)), open);
            return None;
        };
        match &mut item {
            Item::Permission { body, .. } => *body = self.clauses(open),
            Item::Layer { body, .. } => *body = Some(self.clauses(open)),
            Item::Agent { body, .. } | Item::Extend { body, .. } => *body = self.clauses(open),
            Item::Switch { body, .. } => *body = self.clauses(open),
            Item::Commands { lines: CommandLines::Block(body), .. } => *body = self.clauses(open),
            Item::Test { body, .. } => *body = self.clauses(open),
            _ => {}
        }
        Some((item, moved))
    }

    /// The clauses of a block, and its closing brace.
    fn clauses<T: Clause>(&mut self, open: Open) -> Block<T> {
        let block = self.block(T::LEVEL, Some(open), |reader, piece| {
            let node = reader.build(T::LEVEL, piece, T::BUILD);
            if piece.opens {
                // Blocks do not nest; reading on in here would recurse as deep as the text likes.
                let brace = reader.span(piece.range.end.saturating_sub(1)..piece.range.end);
                reader.pass_block(Open { brace, indent: None });
            }
            node
        });
        if self.scan.peek() == Some(b'}') {
            self.scan.bump();
        }
        block
    }

    /// Reads a block whose head could not be read, for its own mistakes alone; passes over it if nothing says what it is.
    fn skip_block(&mut self, level: Option<Level>, open: Open) {
        match level {
            Some(Level::Permission) => drop(self.clauses::<PermissionClause>(open)),
            Some(Level::Layer) => drop(self.clauses::<LayerClause>(open)),
            Some(Level::Agent) => drop(self.clauses::<AgentClause>(open)),
            Some(Level::Commands) => drop(self.clauses::<CommandClause>(open)),
            Some(Level::Switch) => drop(self.clauses::<SwitchClause>(open)),
            Some(Level::Test) => drop(self.clauses::<TestClause>(open)),
            Some(Level::File) | None => self.pass_block(open),
        }
    }

    fn pass_block(&mut self, open: Open) {
        let mut depth = 1_usize;
        while depth > 0 {
            self.scan.gap();
            match self.scan.peek() {
                None => return self.unclosed(open, "the end of the file"),
                Some(b'}') => {
                    depth -= 1;
                    self.scan.bump();
                }
                Some(_) => depth += usize::from(self.scan.statement(true).opens),
            }
        }
    }

    /// After an item that lacks its brace: that may stand on the next line, or what follows is indented as its block.
    fn skip_loose_block(&mut self, piece: &Piece, indent: Option<usize>) {
        let Some(level) = explain::guess_block(self.slice(&piece.range)) else { return };
        let mut next = self.scan.clone();
        next.gap();
        let at = next.at();
        let brace = next.peek() == Some(b'{');
        if brace {
            next.bump();
        } else if next.peek().is_none() || next.indent(at) <= indent {
            return;
        }
        self.scan = next;
        self.skip_block(Some(level), Open { brace: self.span(at..at + usize::from(brace)), indent });
    }

    fn annotation(&mut self) -> Option<Spanned<Ignore>> {
        let piece = self.scan.annotation();
        let (node, _) = self.build(Level::File, &piece, parse::annotation)?;
        Some(Spanned::new(node, self.span(piece.range)))
    }

    /// Whether this statement of a block is in truth an item after it: not indented deeper than the block's own head.
    fn left(&self, level: Level, open: Open, piece: &Piece) -> bool {
        let word = explain::first_word(self.slice(&piece.range));
        Level::File.form(word).is_some()
            && level.form(word).is_none()
            && !(level == Level::Test && self.slice(&piece.range).contains("=>"))
            && self.scan.indent(piece.range.start).is_some_and(|indent| Some(indent) <= open.indent)
    }

    /// Whether a string without an end took the closing brace of a block on one line.
    fn swallowed_brace(&self, open: Option<Open>, piece: &Piece) -> bool {
        let Some(open) = open.filter(|_| matches!(piece.problem, Some(Problem::Unterminated(_)))) else { return false };
        let line = self.slice(&(open.brace.range().end..piece.range.end));
        line.ends_with('}') && !line.contains(['\n', '\r'])
    }

    fn build<T>(&mut self, level: Level, piece: &Piece, build: Build<T>) -> Option<Node<T>> {
        let text = self.slice(&piece.range);
        let finding = match &piece.problem {
            Some(problem) => explain::problem(problem, self.span(piece.range.clone())),
            None => match build(text, self.file, piece.range.start) {
                Ok(built) => return Some(built),
                // What is not told needs no words.
                Err(_) if self.mistakes >= MAX_FINDINGS => {
                    self.mistakes += 1;
                    return None;
                }
                Err(failure) => explain::failure(&failure, level, text, self.span(piece.range.clone())),
            },
        };
        self.report(finding);
        None
    }

    fn unclosed(&mut self, open: Open, before: &str) {
        self.report(explain::unclosed_block(open.brace, before));
    }

    fn report(&mut self, finding: Finding) {
        self.mistakes += 1;
        if self.mistakes <= MAX_FINDINGS {
            self.sink.push(finding);
        }
    }

    fn finish(&mut self) {
        if let Some(more) = self.mistakes.checked_sub(MAX_FINDINGS).filter(|more| *more > 0) {
            let start = self.span(0..0);
            let message = format!("{more} more syntax errors in this file are not listed");
            self.sink.push(Finding::new(SYNTAX_ERROR, start, message).help("start with the first ones above"));
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }

    fn slice(&self, range: &Range<usize>) -> &'t str {
        self.text.get(range.clone()).unwrap_or("")
    }
}

/// A kind of clause: where it stands and what builds it.
trait Clause: Sized {
    const LEVEL: Level;
    const BUILD: Build<Self>;
}

impl Clause for PermissionClause {
    const LEVEL: Level = Level::Permission;
    const BUILD: Build<Self> = parse::permission_clause;
}

impl Clause for LayerClause {
    const LEVEL: Level = Level::Layer;
    const BUILD: Build<Self> = parse::layer_clause;
}

impl Clause for AgentClause {
    const LEVEL: Level = Level::Agent;
    const BUILD: Build<Self> = parse::agent_clause;
}

impl Clause for CommandClause {
    const LEVEL: Level = Level::Commands;
    const BUILD: Build<Self> = parse::command_clause;
}

impl Clause for SwitchClause {
    const LEVEL: Level = Level::Switch;
    const BUILD: Build<Self> = parse::switch_clause;
}

impl Clause for TestClause {
    const LEVEL: Level = Level::Test;
    const BUILD: Build<Self> = parse::test_clause;
}
