//! What a command line asks: a request for each simple command as it is typed, before them one for each folder outside the
//! project that a handful of commands are told to touch.

use super::requests::{inside, request};
use crate::runtimes::paths::{absolute, normal};
use crate::runtimes::{Asks, Environment, Request, Unasked, UnaskedKind};
use crate::shell::{self, Command, Line, PieceKind, RedirectionKind, Word, WordKind};
use camino::Utf8Path;
use std::ops::Range;

/// Commands that are never asked for. Letters count: `CD` is asked.
const MOVES: [&str; 6] = ["cd", "chdir", "pushd", "popd", "push-location", "set-location"];

/// Commands whose arguments are looked at as paths, beside [`MOVES`]; the last ones are PowerShell's, by any shell.
const TOUCHES: [&str; 16] = [
    "rm",
    "cp",
    "mv",
    "mkdir",
    "touch",
    "chmod",
    "chown",
    "cat",
    "get-content",
    "set-content",
    "add-content",
    "copy-item",
    "move-item",
    "remove-item",
    "new-item",
    "rename-item",
];

/// What a call of `tool` with this line asks, run in `folder` if that is given.
pub(super) fn asks(
    tool: &str,
    text: &str,
    folder: Option<&str>,
    environment: Option<&Environment>,
) -> Result<Asks, String> {
    let line = shell::parse(text).map_err(|refused| refused.to_string())?;
    let mut out = Asks { unasked: unasked(&line), ..Asks::default() };
    // Version 2 warns of paths outside and asks nothing for them.
    if tool == "bash" {
        let mut places = Places { environment, folder, asks: &mut out };
        line.commands.iter().for_each(|command| places.touched(&line, command));
        places.started();
    }
    for command in line.commands.iter().filter(|command| is_asked(&line, command)) {
        add(&mut out.requests, request(tool, asked_text(&line, command)));
    }
    Ok(out)
}

/// One request a text: the same command twice is asked once.
fn add(requests: &mut Vec<Request>, request: Request) {
    if !requests.contains(&request) {
        requests.push(request);
    }
}

/// The words that OpenCode takes for a command's: numbers, expansions and substitutions by themselves are none.
fn words(command: &Command) -> impl Iterator<Item = &Word> {
    command.words.iter().filter(|word| word.kind != WordKind::Other)
}

fn is_asked(line: &Line, command: &Command) -> bool {
    // One that the grammar has put in at the very start is not seen.
    command.span.end > 0 && words(command).next().is_some_and(|name| !MOVES.contains(&line.slice(&name.span)))
}

fn asked_span(command: &Command) -> &Range<usize> {
    command.wrapped.as_ref().unwrap_or(&command.span)
}

/// The text as typed, with the redirections around the command.
fn asked_text<'a>(line: &'a Line, command: &Command) -> &'a str {
    // What JavaScript's `trim` takes away.
    let blank = |c: char| c == '\u{feff}' || c.is_whitespace() && c != '\u{85}';
    line.slice(asked_span(command)).trim_matches(blank)
}

/// What runs and is in the text of no request.
fn unasked(line: &Line) -> Vec<Unasked> {
    let commands = line.commands.iter().filter(|command| !is_asked(line, command));
    let commands = commands.map(|command| (asked_span(command), UnaskedKind::Command));
    let redirections = line.redirections.iter().filter(|one| one.kind != RedirectionKind::Duplicate);
    let redirections = redirections.map(|one| (&one.span, UnaskedKind::Redirection));
    let pieces = line.pieces.iter().filter_map(|piece| {
        let kind = match piece.kind {
            PieceKind::Assignment => UnaskedKind::Assignment,
            PieceKind::Declaration => UnaskedKind::Declaration,
            PieceKind::Test => UnaskedKind::Test,
            _ => return None,
        };
        Some((&piece.span, kind))
    });
    let mut found: Vec<_> = commands.chain(redirections).chain(pieces).collect();
    found.sort_by_key(|(span, _)| (span.start, usize::MAX - span.end));
    let asked: Vec<_> = line.commands.iter().filter(|command| is_asked(line, command)).map(asked_span).collect();
    outermost(&mut found, asked);
    let error = line.error.iter().map(|span| (span, UnaskedKind::Unreadable));
    let all = found.into_iter().chain(error);
    all.map(|(span, what)| Unasked { text: line.slice(span).to_owned(), what }).collect()
}

/// Keeps the parts that lie in none of the others and in none of `asked`; both are in the order of the line.
fn outermost(found: &mut Vec<(&Range<usize>, UnaskedKind)>, mut asked: Vec<&Range<usize>>) {
    asked.sort_by_key(|span| span.start);
    let mut asked = asked.into_iter().peekable();
    let (mut covered, mut shown) = (0, 0);
    found.retain(|(span, _)| {
        while let Some(before) = asked.next_if(|one| one.start <= span.start) {
            covered = covered.max(before.end);
        }
        let keep = span.end > covered && span.end > shown;
        if keep {
            shown = span.end;
        }
        keep
    });
}

/// Gathers the folders outside the project that a line is told to touch.
struct Places<'a> {
    environment: Option<&'a Environment>,
    /// The folder the line runs in, as the call says it.
    folder: Option<&'a str>,
    asks: &'a mut Asks,
}

impl Places<'_> {
    /// The folder the line itself runs in: asked as it is, file or not.
    fn started(&mut self) {
        let Some(folder) = self.folder else { return };
        match self.environment {
            Some(environment) => {
                let path = absolute(&environment.cwd, folder);
                if !inside(environment, &path) {
                    self.add(&path);
                }
            }
            None => self.guess(folder, &normal(folder)),
        }
    }

    fn touched(&mut self, line: &Line, command: &Command) {
        let mut texts = words(command).map(|word| line.slice(&word.span));
        let Some(name) = texts.next().filter(|name| MOVES.contains(name) || TOUCHES.contains(name)) else { return };
        for text in texts {
            let option = text.starts_with('-') || name == "chmod" && text.starts_with('+');
            if let (false, Some(path)) = (option, path(text)) {
                self.argument(path);
            }
        }
    }

    fn argument(&mut self, path: &str) {
        let home = path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', '\\']));
        let Some(environment) = self.environment else {
            let from = format!("{}/{path}", self.folder.unwrap_or_default());
            let whole = if path.starts_with('/') || home.is_some() {
                "/".to_owned()
            } else {
                normal(from.trim_start_matches('/'))
            };
            return self.guess(path, &whole);
        };
        let folder = absolute(&environment.cwd, self.folder.unwrap_or_default());
        let path = match home {
            Some(rest) => normal(&format!("{}/{}", environment.home, rest.get(1..).unwrap_or_default())),
            None => absolute(&folder, path),
        };
        if inside(environment, &path) {
            return;
        }
        // The program looks at the disk too: a folder stands for itself, all else for the folder it is in.
        let parent = path.rsplit_once('/').map_or("/", |(parent, _)| parent);
        let folder = if Utf8Path::new(&path).is_dir() { path.as_str() } else { parent };
        self.add(folder);
    }

    fn add(&mut self, folder: &str) {
        let folder = format!("{}/*", folder.trim_end_matches('/'));
        add(&mut self.asks.requests, request("external_directory", folder));
    }

    /// Without the machine's facts a path that stays below the folder is inside, and of others nothing is known.
    fn guess(&mut self, written: &str, path: &str) {
        if path.starts_with('/') || path == ".." || path.starts_with("../") {
            let open = &mut self.asks.open;
            open.get_or_insert_with(|| {
                format!("`{written}` may lie outside the project, which only `--environment` tells")
            });
        }
    }
}

/// An argument as a path: its quotes taken away if they are around all of it, cut at the first sign of a file name pattern.
/// `None`: it is not looked at.
fn path(text: &str) -> Option<&str> {
    let quoted = ['"', '\''].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let text = quoted.unwrap_or(text);
    let text = text.split(['?', '*', '[']).next().filter(|text| !text.is_empty())?;
    (!text.starts_with('(') && !text.starts_with("@(") && !text.contains(['$', '`'])).then_some(text)
}
