//! Cuts a text into statements, comments and blank lines, in one pass. What is in a statement is the grammar's business.

use super::ast::Trivia;
use super::words;
use std::ops::Range;

/// How deep brackets may nest in one statement.
pub(super) const MAX_DEPTH: usize = 64;

/// How many bytes one statement may have: what the grammar makes of it takes up to a hundred times that in memory.
pub(super) const MAX_STATEMENT: usize = 4 << 20;

/// Why a statement can not even be read to its end. Offsets are of the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// A string without its closing quote.
    Unterminated(usize),
    /// A bracket without its closing one.
    Unclosed(usize),
    /// Brackets nested deeper than [`MAX_DEPTH`].
    TooDeep(usize),
    /// More bytes than [`MAX_STATEMENT`].
    TooLong,
}

/// One statement.
#[derive(Debug)]
pub(super) struct Piece {
    /// Its bytes, blanks around it left out; with the brace if it opens a block.
    pub(super) range: Range<usize>,
    /// Whether it ends in the opening brace of a block.
    pub(super) opens: bool,
    /// What keeps it from being parsed.
    pub(super) problem: Option<Problem>,
}

/// A position in a text.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scanner<'t> {
    /// At the start of the text, after a byte order mark.
    pub(super) fn new(text: &'t str) -> Scanner<'t> {
        Scanner { text, at: if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 } }
    }

    /// The next byte's offset.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next byte.
    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    /// Steps over the next byte, which is an ASCII one.
    pub(super) fn bump(&mut self) {
        self.at += 1;
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn slice(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Steps over one line end; whether there was one.
    fn newline(&mut self) -> bool {
        match (self.peek(), self.byte(self.at + 1)) {
            (Some(b'\r'), Some(b'\n')) => self.at += 2,
            (Some(b'\r' | b'\n'), _) => self.at += 1,
            _ => return false,
        }
        true
    }

    fn skip_line(&mut self) {
        while !matches!(self.peek(), None | Some(b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Steps over the comment that starts here.
    fn comment(&mut self) -> String {
        let start = self.at;
        self.skip_line();
        comment_text(self.slice(start..self.at))
    }

    /// A comment on the rest of this line.
    pub(super) fn trailing_comment(&mut self) -> Option<String> {
        self.blanks();
        (self.peek() == Some(b'#')).then(|| self.comment())
    }

    /// What ends a statement: `;` if there is one, and a comment on the rest of the line.
    pub(super) fn statement_end(&mut self) -> Option<String> {
        self.blanks();
        if self.peek() == Some(b';') {
            self.bump();
        }
        self.trailing_comment()
    }

    /// Steps to the next statement, closing brace or the end, over comments and blank lines.
    pub(super) fn gap(&mut self) -> Vec<Trivia> {
        let mut trivia = Vec::new();
        let mut empty_line = false;
        loop {
            self.blanks();
            match self.peek() {
                Some(b'\n' | b'\r') => {
                    self.newline();
                    if empty_line {
                        push_trivia(&mut trivia, Trivia::Blank);
                    }
                    empty_line = true;
                }
                Some(b'#') => {
                    let comment = self.comment();
                    push_trivia(&mut trivia, Trivia::Comment(comment));
                    empty_line = false;
                }
                Some(b';') => self.bump(),
                _ => return trivia,
            }
        }
    }

    /// How far the statement that starts at `start` is indented; nothing if it is not the first of its line.
    pub(super) fn indent(&self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            match at.checked_sub(1).and_then(|before| self.byte(before)) {
                Some(b' ' | b'\t') => at -= 1,
                None | Some(b'\n' | b'\r') => return Some(start - at),
                Some(_) => return None,
            }
        }
    }

    /// The annotation that starts here: up to its closing parenthesis, or the end of the line.
    pub(super) fn annotation(&mut self) -> Piece {
        let start = self.at;
        let mut problem = None;
        loop {
            match self.peek() {
                None | Some(b'\n' | b'\r') => break,
                Some(quote @ (b'"' | b'\'')) => self.string(quote, &mut problem),
                Some(b')') => {
                    self.bump();
                    break;
                }
                Some(_) => self.bump(),
            }
        }
        self.piece(start, false, problem)
    }

    /// The statement that starts here. At the top level every brace opens a block; in a block one does that ends its line.
    pub(super) fn statement(&mut self, top_level: bool) -> Piece {
        let start = self.at;
        let mut nest = Nest::default();
        let mut problem = None;
        let mut reason_follows = true;
        loop {
            match self.peek() {
                None => break,
                Some(quote @ (b'"' | b'\'')) => self.string(quote, &mut problem),
                Some(b'#') if nest.over_lines() => self.skip_line(),
                Some(b'\n' | b'\r') if nest.over_lines() => {
                    self.newline();
                    if self.at_new_statement() {
                        break;
                    }
                }
                Some(b'#' | b'\n' | b'\r') => {
                    let reason = self.reason_on_next_line().filter(|_| reason_follows && nest.is_empty());
                    let Some(reason) = reason else { break };
                    self.at = reason;
                    reason_follows = false;
                }
                Some(b';') if nest.is_empty() => break,
                Some(b'{') if nest.is_empty() && (top_level || self.ends_line(self.at + 1)) => {
                    self.bump();
                    return self.piece(start, true, problem);
                }
                Some(b'[' | b'{') => {
                    if !nest.open(self.at, self.peek() == Some(b'[')) {
                        problem.get_or_insert(Problem::TooDeep(self.at));
                    }
                    self.bump();
                }
                Some(b'}') if nest.is_empty() || nest.top_is_list() => break,
                Some(b']' | b'}') => {
                    nest.close();
                    self.bump();
                }
                Some(_) => self.bump(),
            }
        }
        if let Some(unclosed) = nest.innermost() {
            problem.get_or_insert(Problem::Unclosed(unclosed));
        }
        self.piece(start, false, problem)
    }

    fn piece(&self, start: usize, opens: bool, problem: Option<Problem>) -> Piece {
        let text = self.slice(start..self.at).trim_end_matches([' ', '\t', '\n', '\r']);
        let too_long = (text.len() > MAX_STATEMENT).then_some(Problem::TooLong);
        Piece { range: start..start + text.len(), opens, problem: problem.or(too_long) }
    }

    /// Steps over a string; to the end of the line if it has no end.
    fn string(&mut self, quote: u8, problem: &mut Option<Problem>) {
        let start = self.at;
        self.bump();
        loop {
            match self.peek() {
                Some(byte) if byte == quote => return self.bump(),
                None | Some(b'\n' | b'\r') => {
                    problem.get_or_insert(Problem::Unterminated(start));
                    return;
                }
                Some(b'\\') if quote == b'"' => {
                    self.bump();
                    if !matches!(self.peek(), None | Some(b'\n' | b'\r')) {
                        self.bump();
                    }
                }
                Some(_) => self.bump(),
            }
        }
    }

    /// Whether only blanks and a comment stand between `at` and the end of its line.
    fn ends_line(&self, at: usize) -> bool {
        let mut rest = Scanner { text: self.text, at };
        rest.blanks();
        matches!(rest.peek(), None | Some(b'\n' | b'\r' | b'#'))
    }

    /// Where the next line starts, if its first word is `because`; this line has only a comment left.
    fn reason_on_next_line(&self) -> Option<usize> {
        let mut next = self.clone();
        next.skip_line();
        next.newline();
        next.blanks();
        (next.word() == "because").then_some(next.at)
    }

    /// Whether this line, inside a list, starts a statement: then the list was not closed.
    fn at_new_statement(&self) -> bool {
        let mut next = self.clone();
        next.blanks();
        let word = next.word();
        if !words::starts_statement(word) {
            return false;
        }
        next.at += word.len();
        let after_blank = matches!(next.peek(), Some(b' ' | b'\t'));
        next.blanks();
        after_blank && !matches!(next.peek(), None | Some(b',' | b']' | b'#' | b'\n' | b'\r'))
    }

    /// The ASCII word at this position, empty if there is none.
    fn word(&self) -> &'t str {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let more = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let length = rest.iter().take_while(|byte| more(byte)).count();
        self.slice(self.at..self.at + length)
    }
}

/// Brackets that are open in a statement.
#[derive(Default)]
struct Nest {
    open: Vec<(usize, bool)>,
    lists: usize,
    beyond: usize,
}

impl Nest {
    fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    fn over_lines(&self) -> bool {
        self.lists > 0
    }

    fn top_is_list(&self) -> bool {
        self.beyond == 0 && self.open.last().is_some_and(|(_, list)| *list)
    }

    fn innermost(&self) -> Option<usize> {
        self.open.last().map(|(at, _)| *at)
    }

    /// Opens one; false beyond the limit, where brackets are only counted.
    fn open(&mut self, at: usize, list: bool) -> bool {
        if self.open.len() == MAX_DEPTH {
            self.beyond += 1;
            return false;
        }
        self.open.push((at, list));
        self.lists += usize::from(list);
        true
    }

    fn close(&mut self) {
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if let Some((_, list)) = self.open.pop() {
            self.lists -= usize::from(list);
        }
    }
}

/// A comment without its `#`, one blank after it, and the blanks at its end.
pub(super) fn comment_text(comment: &str) -> String {
    let text = comment.strip_prefix('#').unwrap_or(comment);
    text.strip_prefix(' ').unwrap_or(text).trim_end().to_string()
}

/// Adds to what stands between statements, where blank lines fold into one.
pub(super) fn push_trivia(trivia: &mut Vec<Trivia>, next: Trivia) {
    if next != Trivia::Blank || trivia.last() != Some(&Trivia::Blank) {
        trivia.push(next);
    }
}
