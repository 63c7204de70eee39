//! Scripts in a line: what `bash -c SCRIPT` and `eval WORDS` run, read as lines of their own.

use super::{Command, DEEPEST, Line, Refused, Script, Word, tree, walk};

/// Shells whose `-c` takes a script.
const SHELLS: [&str; 10] = ["sh", "bash", "rbash", "dash", "zsh", "ksh", "mksh", "yash", "ash", "busybox"];

/// Whether a program is a shell, by its path or name.
pub fn is_shell(name: &str) -> bool {
    SHELLS.contains(&bare(name))
}

/// The words of a command without `command` and `builtin` in front, which run what follows.
pub fn own_words(command: &Command) -> &[Word] {
    let mut words = command.words.as_slice();
    while let [first, rest @ ..] = words
        && matches!(first.literal.as_deref(), Some("command" | "builtin"))
        && rest.first().is_some_and(|word| {
            !word.literal.as_deref().is_some_and(|text| text.starts_with("-v") || text.starts_with("-V"))
        })
    {
        let options = rest.iter().take_while(|word| matches!(word.literal.as_deref(), Some("-p" | "--"))).count();
        words = rest.get(options..).unwrap_or_default();
    }
    words
}

/// A program's name without its folder.
fn bare(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, name)| name)
}

/// A line, `depth` scripts deep.
pub(super) fn parse(text: &str, depth: usize) -> Result<Line, Refused> {
    let mut line = walk::line(&tree::parse(text)?);
    let scripts = line.commands.iter().enumerate().filter_map(|(command, words)| Some((command, script(words)?)));
    line.scripts = scripts.map(|(command, script)| Script { command, line: deeper(script, depth) }).collect();
    Ok(line)
}

/// The script as a line; one that cannot be read is as unknown as one that is put together when it runs.
fn deeper(script: Option<String>, depth: usize) -> Option<Line> {
    if depth < DEEPEST { parse(&script?, depth + 1).ok() } else { None }
}

/// The script that a command runs; the inner `None`: it runs one that is not in the text.
fn script(command: &Command) -> Option<Option<String>> {
    let (name, arguments) = own_words(command).split_first()?;
    let name = bare(name.literal.as_deref()?);
    let arguments: Vec<Option<&str>> = arguments.iter().map(|word| word.literal.as_deref()).collect();
    let arguments = match arguments.as_slice() {
        [Some("--"), rest @ ..] if matches!(name, "eval" | "trap") => rest,
        all => all,
    };
    match (name, arguments) {
        ("eval", words) => {
            let words: Option<Vec<&str>> = words.iter().copied().collect();
            Some(words.map(|words| words.join(" ")))
        }
        // What a signal, or the end, is to run.
        ("trap", [Some("-" | "-p" | "-l" | "-P" | ""), ..]) => None,
        ("trap", [script, _, ..]) => Some(script.map(str::to_owned)),
        (name, arguments) if SHELLS.contains(&name) => after_options(arguments),
        _ => None,
    }
}

/// The first argument of a shell that is no option, if one of the options is `-c`. A word before it that is known only when
/// the line runs may be gone then, so the script is not known either.
fn after_options(arguments: &[Option<&str>]) -> Option<Option<String>> {
    let mut script = false;
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument {
            Some("--rcfile" | "--init-file") => _ = arguments.next(),
            Some("-" | "--") => {}
            Some("sh" | "ash") if !script => {}
            Some(long) if long.starts_with("--") => {}
            Some(short) if short.starts_with(['-', '+']) => {
                script |= short.starts_with('-') && short.contains('c');
                if short.contains(['o', 'O']) {
                    arguments.next();
                }
            }
            Some(text) => return script.then(|| Some((*text).to_owned())),
            None => return (script || arguments.clone().flatten().any(|text| text.starts_with('-'))).then_some(None),
        }
    }
    None
}
