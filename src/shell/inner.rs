//! Scripts in a line: what `bash -c SCRIPT` and `eval WORDS` run, read as lines of their own.

use super::{Command, DEEPEST, Line, Refused, Script, tree, walk};

/// Shells whose `-c` takes a script.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "busybox"];

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
    let (name, arguments) = command.words.split_first()?;
    let name = name.literal.as_deref()?;
    let arguments: Vec<Option<&str>> = arguments.iter().map(|word| word.literal.as_deref()).collect();
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    if name == "eval" {
        let words: Option<Vec<&str>> = arguments.into_iter().collect();
        return Some(words.map(|words| words.join(" ")));
    }
    if SHELLS.contains(&name) { after_options(&arguments) } else { None }
}

/// The first argument of a shell that is no option, if one of the options is `-c`.
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
            None => return script.then_some(None),
        }
    }
    None
}
