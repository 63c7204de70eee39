//! What a person is told about a statement that can not be read.

use super::SYNTAX_ERROR;
use super::parse::{Expected, Failure};
use super::scan::{MAX_DEPTH, MAX_STATEMENT, Problem};
use super::words::{COMMAND, EXPECTATION, Level, NO_LISTS};
use crate::diagnostic::{Finding, near_name};
use crate::rule::Action;
use crate::source::Span;

/// Longer texts are shown by their beginning.
const SHOWN: usize = 40;

/// The word a statement starts with, empty if it starts with something else.
pub(super) fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-'))).unwrap_or(text.len());
    text.get(..end).unwrap_or("")
}

/// What the block after this text is most likely meant to be.
pub(super) fn guess_block(text: &str) -> Option<Level> {
    let word = first_word(text);
    let near = || near_name(word, Level::File.forms().iter().map(|(word, _)| *word)).and_then(Level::of_item);
    Level::of_item(word).or_else(near)
}

/// A block that is not closed before something.
pub(super) fn unclosed_block(brace: Span, before: &str) -> Finding {
    Finding::new(SYNTAX_ERROR, brace, format!("this block is not closed before {before}")).help("close it with `}`")
}

/// A brace that closes nothing.
pub(super) fn stray_brace(at: Span) -> Finding {
    Finding::new(SYNTAX_ERROR, at, "this `}` closes nothing").help("remove it, or open its block with `{`")
}

/// Annotations with no statement after them.
pub(super) fn annotates_nothing(at: Span) -> Finding {
    Finding::new(SYNTAX_ERROR, at, "this annotation stands before nothing")
        .help("put it before the item or rule it is about")
}

/// What keeps a statement from being read to its end.
pub(super) fn problem(problem: &Problem, statement: Span) -> Finding {
    let at = |offset: usize| Span::new(statement.file, offset..offset + 1);
    match *problem {
        Problem::Unterminated(start) => {
            let rest = Span::new(statement.file, start..start.max(statement.range().end));
            Finding::new(SYNTAX_ERROR, rest, "this string has no end")
                .help("close it on the same line with the quote it starts with; `\\n` in \"...\" is a line end")
        }
        Problem::Unclosed(start) => Finding::new(SYNTAX_ERROR, at(start), "this bracket is not closed")
            .help("close it; `[ ]` may go over lines, `{ }` in a value may not"),
        Problem::TooDeep(start) => {
            Finding::new(SYNTAX_ERROR, at(start), format!("brackets nest deeper than {MAX_DEPTH}"))
                .help("write a flatter value")
        }
        Problem::TooLong => {
            let message = format!("this statement is longer than {} MiB", MAX_STATEMENT >> 20);
            let start = statement.range().start;
            Finding::new(SYNTAX_ERROR, Span::new(statement.file, start..start), message).help("split it into several")
        }
    }
}

/// Why a statement does not fit the grammar.
pub(super) fn failure(failure: &Failure, level: Level, text: &str, statement: Span) -> Finding {
    match failure {
        Failure::Wrong(range, message, help) => {
            let start = statement.range().start;
            let span = Span::new(statement.file, start + range.start..start + range.end);
            Finding::new(SYNTAX_ERROR, span, message).help(help)
        }
        Failure::Stopped(at, expected) => {
            let stop = Stop::new(level, text, *at, expected, statement);
            let (start, end, message, help) = stop
                .strange_character()
                .or_else(|| stop.bad_escape())
                .or_else(|| stop.command())
                .or_else(|| stop.unknown_start())
                .or_else(|| stop.no_block())
                .or_else(|| stop.reason())
                .or_else(|| stop.name())
                .or_else(|| stop.symbol())
                .or_else(|| stop.call())
                .or_else(|| stop.pattern())
                .or_else(|| stop.more())
                .unwrap_or_else(|| stop.plainly());
            Finding::new(SYNTAX_ERROR, stop.span(start, end), message).help(help)
        }
    }
}

/// Start and end in the statement, message, help.
type Told = (usize, usize, String, String);

/// Where the grammar stopped in a statement, and what it expected there.
struct Stop<'a> {
    level: Level,
    text: &'a str,
    at: usize,
    expected: &'a [Expected],
    statement: Span,
}

impl<'a> Stop<'a> {
    /// The grammar stops where its last rule began: that may be before blanks, or at a first word that is right.
    fn new(level: Level, text: &'a str, at: usize, expected: &'a [Expected], statement: Span) -> Stop<'a> {
        let word = first_word(text);
        let known = at == 0 && level.form(word).is_some();
        let at = match level {
            _ if known => word.len(),
            Level::Commands if at == 0 => after_string(text),
            _ => at,
        };
        let blanks = text.get(at..).map_or(0, |rest| rest.len() - rest.trim_start_matches([' ', '\t']).len());
        Stop { level, text, at: at + blanks, expected: if known { &[] } else { expected }, statement }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        let base = self.statement.range().start;
        Span::new(self.statement.file, base + start..base + end)
    }

    fn before(&self) -> &'a str {
        self.text.get(..self.at).unwrap_or("").trim_end()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// What stands where it stopped: a string, a word with whatever clings to it, or one sign.
    fn found(&self) -> &'a str {
        let rest = self.rest();
        let quoted = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
        let end = match quoted {
            Some(quote) => rest.char_indices().skip(1).find(|(_, c)| *c == quote).map(|(at, c)| at + c.len_utf8()),
            None => rest.find(ends_word),
        };
        let sign = || rest.chars().next().map_or(0, char::len_utf8);
        rest.get(..end.unwrap_or(rest.len()).max(sign())).unwrap_or("")
    }

    fn expects(&self, expected: Expected) -> bool {
        self.expected.contains(&expected)
    }

    /// Whether the statement could have ended here.
    fn could_end(&self) -> bool {
        let ends = [Expected::End, Expected::Reason, Expected::Symbol("except"), Expected::Symbol("example")];
        ends.into_iter().any(|end| self.expects(end))
    }

    fn here(&self, message: impl Into<String>, help: impl Into<String>) -> Option<Told> {
        Some((self.at, self.at + self.found().len(), message.into(), help.into()))
    }

    /// How the whole statement should look.
    fn form(&self) -> String {
        match self.level.form(first_word(self.text)) {
            Some(form) => format!("write `{form}`"),
            None if self.level == Level::Test => format!("write `{EXPECTATION}`"),
            None if self.level == Level::Commands => format!("write `{COMMAND}`"),
            None => String::new(),
        }
    }

    /// Characters that look like others, or like nothing.
    fn strange_character(&self) -> Option<Told> {
        let c = self.rest().chars().next()?;
        let (message, help) = match c {
            '“' | '”' | '„' | '«' | '»' | '‘' | '’' => (format!("`{c}` is no quote here"), "write `\"`"),
            _ if c.is_whitespace() && !c.is_ascii_whitespace() => {
                (format!("a blank of another kind (U+{:04X})", u32::from(c)), "write an ordinary blank")
            }
            _ if c.is_control() || ('\u{200b}'..='\u{200f}').contains(&c) || c == '\u{feff}' => {
                (format!("an invisible character (U+{:04X})", u32::from(c)), "remove it")
            }
            _ => return None,
        };
        Some((self.at, self.at + c.len_utf8(), message, help.to_string()))
    }

    /// A string that only fails for its escapes.
    fn bad_escape(&self) -> Option<Told> {
        let mut rest = self.rest().strip_prefix('"')?.char_indices();
        while let Some((at, c)) = rest.next() {
            let start = self.at + 1 + at;
            match c {
                '"' => return None,
                '\\' => match rest.next()?.1 {
                    '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => {}
                    'u' if rest.as_str().chars().take(4).filter(char::is_ascii_hexdigit).count() == 4 => {}
                    c => {
                        let help = format!("write `\\\\{c}`, or '...' in which backslashes stand for themselves");
                        return Some((start, start + 1 + c.len_utf8(), format!("`\\{c}` is no escape"), help));
                    }
                },
                _ => {}
            }
        }
        None
    }

    /// A line of a block of commands, which starts with a text and goes on with few words.
    fn command(&self) -> Option<Told> {
        if self.level != Level::Commands {
            return None;
        }
        let word = first_word(self.rest());
        let dialects = ["glob", "prefix", "regex", "exact"];
        if self.before().is_empty() && !dialects.contains(&first_word(self.text)) {
            let help = match Level::places_of(first_word(self.text)).as_slice() {
                [] => "write `\"...\"` around the whole line".to_string(),
                _ => format!("close the block before it; in it stands {COMMAND}"),
            };
            return Some((0, self.text.len(), "a command line stands in quotes".to_string(), help));
        }
        if word == "because" && self.before().contains("because") {
            return self.here("a command line has one reason", "write both into one text");
        }
        if word == "because" && self.before().contains("example") {
            return self.here("the reason comes before the example", self.form());
        }
        if word == "example" && self.before().contains("example") {
            return self.here("a command line has one example", "the others can stand in a comment: `# ...`");
        }
        if matches!(word, "because" | "example") {
            return self.here(format!("`{word}` has no text"), format!("write `{word} \"...\"`"));
        }
        if let Some(near) = near_name(word, ["because", "example"]) {
            return self.here(format!("unknown word `{}`", shown(word)), format!("did you mean `{near}`?"));
        }
        if self.rest().starts_with(',') {
            return self.here("command lines stand one a line, without commas", "remove the comma");
        }
        if !word.is_empty() && !self.before().is_empty() {
            return self.here(format!("unexpected `{}`", shown(word)), self.form());
        }
        None
    }

    /// A first word that starts no statement here.
    fn unknown_start(&self) -> Option<Told> {
        let word = first_word(self.text);
        if self.level.form(word).is_some() {
            return None;
        }
        if self.text.starts_with('@') {
            let help = "write `@ignore(CODE, \"reason\", until \"2027-03-31\")`".to_string();
            return Some((0, self.text.len(), "an annotation that can not be read".to_string(), help));
        }
        if self.level == Level::Test {
            return self.unknown_expectation(word);
        }
        if let Some(told) = self.foreign(word) {
            return Some(told);
        }
        if word.is_empty() {
            let found = Stop { at: 0, ..*self }.found();
            let message = format!("a statement starts with a word, not with `{}`", shown(found));
            let help = match found {
                "{" => "a policy is not JSON; a runtime's own config is read under its own name".to_string(),
                _ => self.choices(),
            };
            return Some((0, found.len(), message, help));
        }
        let near = |level: Level| near_name(word, level.forms().iter().map(|(word, _)| *word));
        let places = Level::places_of(word);
        let (message, help) = if places.is_empty() {
            let help = match near(self.level) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.level == Level::Agent => {
                    format!("a field that only the runtime knows is written `option {} VALUE`", shown(word))
                }
                None => self.choices(),
            };
            (format!("unknown word `{}`", shown(word)), help)
        } else {
            let places: Vec<&str> = places.into_iter().map(Level::place).collect();
            let message = format!("`{word}` does not stand {}", self.level.place());
            (message, format!("it stands {}", either(&places)))
        };
        Some((0, word.len(), message, help))
    }

    /// In a test every word can be a permission, so only slips are told.
    fn unknown_expectation(&self, word: &str) -> Option<Told> {
        if Action::from_word(word).is_some() {
            let message = format!("`{word}` does not stand in a test");
            let help = format!("a test holds expectations: `{EXPECTATION}`");
            return Some((0, word.len(), message, help));
        }
        let words = self.level.forms().iter().map(|(word, _)| *word);
        let near = near_name(word, words).filter(|_| !self.text.contains("=>"))?;
        Some((0, word.len(), format!("unknown word `{}`", shown(word)), format!("did you mean `{near}`?")))
    }

    /// The forms of other languages that people bring along.
    fn foreign(&self, word: &str) -> Option<Told> {
        let key = self.text.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (name, rest) = key.or_else(|| Some((word, self.text.get(word.len()..)?)))?;
        let example = |text: &str| {
            let value = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ','));
            match Action::from_word(value) {
                Some(action) => format!("write `{action} {name}`"),
                None => format!("rules are written `{}`", "deny bash \"rm *\""),
            }
        };
        if let Some(value) = rest.trim_start().strip_prefix(':').filter(|_| !name.is_empty()) {
            let message = format!("`{}:` is how JSON and YAML write it", shown(name));
            return Some((0, self.text.len() - value.len(), message, example(value)));
        }
        let (inner, _) = rest.strip_prefix('(').filter(|_| !word.is_empty())?.split_once(')')?;
        let message = format!("`{}(...)` is how another runtime writes it", shown(word));
        let help = format!(
            "write an action, the permission, and the pattern in quotes: `allow {} \"{inner}\"`",
            word.to_lowercase()
        );
        Some((0, self.text.len(), message, help))
    }

    /// All words that start a statement here.
    fn choices(&self) -> String {
        let words: Vec<String> = self.level.forms().iter().map(|(word, _)| format!("`{word}`")).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        format!("{} stand {}", self.level.place(), either(&words))
    }

    /// A block where none can be.
    fn no_block(&self) -> Option<Told> {
        if self.level == Level::File || !self.text.ends_with('{') {
            return None;
        }
        let start = self.text.len() - 1;
        let help = "a value in `{ }` stands on one line; blocks do not nest";
        Some((start, start + 1, "no block can be opened here".to_string(), help.to_string()))
    }

    /// `because` and `except`, without what belongs to them or where they do not belong.
    fn reason(&self) -> Option<Told> {
        let word = first_word(self.rest());
        let open = |word: &str, expected| {
            (first_word(self.rest()) == word && self.expects(expected)) || last_word(self.before()) == word
        };
        if open("because", Expected::Reason) {
            return self.here("`because` has no text", "write `because \"...\"`");
        }
        if open("except", Expected::Symbol("except")) {
            return self.here("`except` has no pattern", "write `except \"...\"` or `except [\"...\", \"...\"]`");
        }
        if word != "because" || !self.could_end() {
            return None;
        }
        if self.before().contains("because") {
            return self.here("a rule has one reason", "write both into one text");
        }
        self.here("only a rule has a reason", "say it in a comment: `# ...`")
    }

    /// A name that can not be one here.
    fn name(&self) -> Option<Told> {
        let word = first_word(self.rest());
        let names = [Expected::Name, Expected::Permission, Expected::Patterns, Expected::Agents];
        if !self.expected.is_empty() && !names.into_iter().any(|name| self.expects(name)) {
            return None;
        }
        let in_rule = Action::from_word(first_word(self.text)).is_some();
        if Action::from_word(word).is_some() && (in_rule || self.expects(Expected::Permission)) {
            let help = "a rule has one action; the next rule stands on its own line or after `;`";
            return self.here(format!("`{word}` is no name"), help);
        }
        if last_word(self.before()) == "let" && NO_LISTS.contains(&word) {
            let help = "it means something where lists are named; choose another name";
            return self.here(format!("a list can not be called `{word}`"), help);
        }
        if last_word(self.before()) == "let" && self.rest().starts_with(['"', '\'']) {
            return self.here("the name of a list is never quoted", "choose a name of letters, digits, `_` and `-`");
        }
        if self.expects(Expected::Agents) && self.rest().starts_with('[') {
            return self.here("names stand in a row, without brackets", "write `assert NAME, NAME cannot ...`");
        }
        None
    }

    /// A missing or mistaken brace, arrow or equals sign.
    fn symbol(&self) -> Option<Told> {
        let found = self.found();
        if self.before().ends_with('=') && found.starts_with('>') {
            return Some((self.at - 1, self.at + 1, "`=>` instead of `=`".to_string(), "write `=`".to_string()));
        }
        let arrows = ["=>", "->", "==", ":=", "=", ":"];
        let wanted = ["=>", "=", ":"].into_iter().find(|symbol| self.expects(Expected::Symbol(symbol)));
        let written = arrows.into_iter().find(|arrow| self.rest().starts_with(arrow));
        if let (Some(wanted), Some(written)) = (wanted, written) {
            let message = format!("`{written}` instead of `{wanted}`");
            return Some((self.at, self.at + written.len(), message, format!("write `{wanted}`")));
        }
        if found.is_empty() && self.expects(Expected::Symbol("{")) {
            let message = "the opening `{` is missing";
            return self.here(message, format!("it stands on the same line: {}", self.form()));
        }
        if self.expects(Expected::Symbol("]")) && found.starts_with(|c: char| c.is_alphanumeric() || "\"'_".contains(c))
        {
            return self
                .here(format!("`,` is missing before `{}`", shown(found)), "separate what stands in `[ ]` by commas");
        }
        None
    }

    /// `bash(git *)`, as another runtime writes it.
    fn call(&self) -> Option<Told> {
        let inner = self.rest().strip_prefix('(')?;
        let inner = inner.split_once(')').map_or(inner, |(inner, _)| inner);
        let name = last_word(self.before());
        let message = format!("`{}(...)` is how another runtime writes it", shown(name));
        let help = format!("write the pattern in quotes: `{} \"{}\"`", name.to_lowercase(), shown(inner));
        Some((self.at - name.len(), self.text.len(), message, help))
    }

    /// A pattern without its quotes.
    fn pattern(&self) -> Option<Told> {
        let places = [Expected::Patterns, Expected::String, Expected::Permission, Expected::Name, Expected::End];
        if !places.into_iter().any(|place| self.expects(place)) {
            return None;
        }
        let clings = |c: &char| !c.is_whitespace() && !"\"'[]{},;".contains(*c);
        let start =
            self.at - self.text.get(..self.at)?.chars().rev().take_while(clings).map(char::len_utf8).sum::<usize>();
        let run: &str = self.text.get(start..)?;
        let run = run.get(..run.chars().take_while(clings).map(char::len_utf8).sum())?;
        if !run.contains(['*', '?', '.', '/', '~', '$', '\\', ':']) {
            return None;
        }
        let message = format!("`{}` needs quotes", shown(run));
        Some((start, start + run.len(), message, format!("write `\"{}\"`", shown(run))))
    }

    /// Something after a complete statement.
    fn more(&self) -> Option<Told> {
        let found = self.found();
        if !self.could_end() || found.is_empty() {
            return None;
        }
        let (message, help) = match found {
            "if" | "when" | "unless" | "where" => (
                format!("`{found}` has no meaning here"),
                "rules have no conditions; the pattern says it all".to_string(),
            ),
            "and" | "or" | "|" | "||" | "&&" => (
                format!("`{found}` has no meaning here"),
                "separate names by commas, patterns by commas in `[ ]`".to_string(),
            ),
            _ if found.starts_with([',', '"', '\'']) && self.before().ends_with(['"', '\'', ']']) => (
                "more than one pattern".to_string(),
                "several patterns stand in brackets: `[\"...\", \"...\"]`".to_string(),
            ),
            _ if found.starts_with(['"', '\'', '[']) && self.form().contains("PERMISSION") => {
                let help = "several permissions are separated by commas: `deny read, grep \"...\"`";
                (format!("`{}` comes after a list's name already", shown(found)), help.to_string())
            }
            _ if self.form().contains("PATTERN") && found.starts_with(char::is_alphabetic) => {
                let help = "a pattern of several words stands in quotes; several permissions are separated by commas";
                (format!("unexpected `{}`", shown(found)), help.to_string())
            }
            _ => return None,
        };
        self.here(message, help)
    }

    /// What was expected and what was found, when nothing better is known.
    fn plainly(&self) -> Told {
        let found = match self.found() {
            "" => "the end of the statement".to_string(),
            found => format!("`{}`", shown(found)),
        };
        let mut expected: Vec<String> = self.expected.iter().map(|one| said(*one)).collect();
        if self.could_end() && !self.expects(Expected::End) {
            expected.push(said(Expected::End));
        }
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let message = match expected.as_slice() {
            [] if self.rest().is_empty() => "the statement ends too early".to_string(),
            [] => format!("not understood from {found} on"),
            some => format!("expected {}, found {found}", either(some)),
        };
        (self.at, self.at + self.found().len(), message, self.form())
    }
}

fn said(expected: Expected) -> String {
    match expected {
        Expected::Name => "a name".to_string(),
        Expected::String => "a text in quotes".to_string(),
        Expected::Permission => "a permission".to_string(),
        Expected::Patterns => "a pattern".to_string(),
        Expected::Word => "a word".to_string(),
        Expected::Value => "a value".to_string(),
        Expected::Number => "a number".to_string(),
        Expected::Action => "`allow`, `ask` or `deny`".to_string(),
        Expected::Promise => "`cannot` or `must`".to_string(),
        Expected::Agents => "an agent".to_string(),
        Expected::Reason => "`because`".to_string(),
        Expected::Symbol(symbol) => format!("`{symbol}`"),
        Expected::End => "the end of the statement".to_string(),
    }
}

/// Where the string ends that a text starts with; its beginning if it starts with none.
fn after_string(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, quote @ ('"' | '\''))) = chars.next() else { return 0 };
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return at + 1;
        }
        if c == '\\' && quote == '"' {
            chars.next();
        }
    }
    0
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || "\"'[]{}(),;".contains(c)
}

fn last_word(text: &str) -> &str {
    text.rsplit(char::is_whitespace).next().unwrap_or("")
}

/// `a`, `a or b`, `a, b or c`.
fn either(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_string(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    }
}

/// The beginning of a text on one line.
fn shown(text: &str) -> String {
    let line = text.split(['\n', '\r']).next().unwrap_or("");
    let mut short: String = line.chars().take(SHOWN).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
