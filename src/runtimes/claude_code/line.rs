//! What a command line asks: one request for each simple command, without wrappers and assignments in front of it; what it
//! writes by redirection, and files that a handful of commands are told to read.

use super::requests::{file, request};
use crate::runtimes::{Asks, Environment, Request};
use crate::shell::{self, Command, Line, RedirectionKind, Word, WordKind};

/// The longest line that the program takes apart, in characters.
const LONGEST: usize = 10_000;

/// Commands that run another one and are left out before rules are looked at.
const WRAPPERS: [&str; 8] = ["timeout", "time", "nice", "nohup", "stdbuf", "command", "builtin", "noglob"];

/// Commands whose arguments are held to the rules of Read.
const READERS: [&str; 3] = ["cat", "head", "tail"];

/// What a line asks.
pub(super) fn asks(text: &str, environment: Option<&Environment>) -> Asks {
    let whole = |why: String| Asks {
        requests: vec![request("bash", text)],
        open: Some(format!("the line is asked about as a whole: {why}")),
        ..Asks::default()
    };
    if text.chars().count() > LONGEST {
        return whole(format!("it has more than {LONGEST} characters"));
    }
    let line = match shell::parse(text) {
        Ok(line) => line,
        Err(refused) => return whole(refused.to_string()),
    };
    if line.error.is_some() {
        return whole("it cannot be taken apart".to_owned());
    }
    let mut out = Asks::default();
    for command in &line.commands {
        let words = stripped(&command.words);
        add(&mut out.requests, request("bash", text_of(&line, command, words)));
        touched(words, environment, &mut out.requests);
    }
    if line.commands.is_empty() && !text.trim().is_empty() {
        out.requests.push(request("bash", text.trim()));
    }
    for redirection in &line.redirections {
        if !matches!(redirection.kind, RedirectionKind::Write | RedirectionKind::Append) {
            continue;
        }
        let target = redirection.target.as_deref();
        if target.is_some_and(|path| matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")) {
            continue;
        }
        match target.map(|path| file("edit", path, environment)) {
            Some(Ok(asks)) => asks.requests.into_iter().for_each(|request| add(&mut out.requests, request)),
            _ => out.open = Some("which file it writes is known only where it runs".to_owned()),
        }
    }
    out
}

/// One request a text: the same command twice is asked once.
fn add(requests: &mut Vec<Request>, request: Request) {
    if !requests.contains(&request) {
        requests.push(request);
    }
}

/// The command's text from a word on.
fn text_of<'a>(line: &'a Line, command: &Command, words: &[Word]) -> &'a str {
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => line.slice(&(first.span.start..last.span.end)),
        _ => line.slice(&command.span),
    }
}

/// A command's words without the wrappers in front.
fn stripped(words: &[Word]) -> &[Word] {
    let mut rest = words;
    while let Some((name, after)) = rest.split_first() {
        let name = name.literal.as_deref().unwrap_or_default();
        let bare = |word: &Word| word.kind != WordKind::Other && !is_option(word);
        let inner = match name {
            "xargs" if after.first().is_some_and(bare) => after,
            "command" if after.first().is_some_and(|word| matches!(word.literal.as_deref(), Some("-v" | "-V"))) => {
                return rest;
            }
            name if WRAPPERS.contains(&name) => behind_options(name, after),
            _ => return rest,
        };
        if inner.is_empty() {
            return rest;
        }
        rest = inner;
    }
    rest
}

fn is_option(word: &Word) -> bool {
    word.literal.as_deref().is_none_or(|text| text.starts_with('-'))
}

/// What follows a wrapper's own options and, for `timeout`, its time.
fn behind_options<'a>(name: &str, words: &'a [Word]) -> &'a [Word] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| is_option(word)) {
        let takes = match name {
            "nice" => &["-n", "--adjustment"][..],
            "timeout" => &["-s", "--signal", "-k", "--kill-after"],
            "stdbuf" => &["-i", "-o", "-e"],
            _ => &[],
        };
        let value = word.literal.as_deref().is_some_and(|text| takes.contains(&text));
        rest = if value { after.get(1..).unwrap_or_default() } else { after };
    }
    if name == "timeout" { rest.get(1..).unwrap_or_default() } else { rest }
}

/// Files that a command is told to read; where they lie may be known on a machine only.
fn touched(words: &[Word], environment: Option<&Environment>, requests: &mut Vec<Request>) {
    let Some((name, arguments)) = words.split_first() else { return };
    if !name.literal.as_deref().is_some_and(|name| READERS.contains(&name)) {
        return;
    }
    for path in arguments.iter().filter(|word| !is_option(word)).filter_map(|word| word.literal.as_deref()) {
        if !path.is_empty() && !path.starts_with('~') && !path.contains(['*', '?', '[']) {
            let asked = file("read", path, environment).map(|asks| asks.requests).unwrap_or_default();
            asked.into_iter().filter(|asked| asked.permission == "read").for_each(|asked| add(requests, asked));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parts(line: &str, expected: &[&str]) {
        let asks = asks(line, None);
        let told: Vec<String> =
            asks.requests.iter().map(|request| format!("{} {}", request.permission, request.resource)).collect();
        assert_eq!(told, expected, "{line}");
    }

    #[test]
    fn each_command_is_asked_by_itself() {
        parts("git status && rm -rf x; ls | wc -l &", &["bash git status", "bash rm -rf x", "bash ls", "bash wc -l"]);
        parts("timeout -k 5 9 nice -n 3 rm x", &["bash rm x"]);
        parts("A=1 B=2 npm test", &["bash npm test"]);
        parts("sudo rm x", &["bash sudo rm x"]);
        parts("ls | xargs rm", &["bash ls", "bash rm"]);
        parts("ls | xargs -n1 rm", &["bash ls", "bash xargs -n1 rm"]);
        parts("command -v git", &["bash command -v git"]);
        parts("echo x > a.md 2>&1", &["bash echo x", "edit a.md"]);
        parts("cat .env -n", &["bash cat .env -n", "read .env"]);
        parts("echo x > /dev/null", &["bash echo x"]);
    }

    #[test]
    fn what_cannot_be_read_is_asked_whole() {
        assert!(asks(&"x ".repeat(6_000), None).open.is_some());
        assert!(asks("echo x > \"$f\"", None).open.is_some());
        assert!(asks("echo 'a", None).open.is_some());
    }
}
