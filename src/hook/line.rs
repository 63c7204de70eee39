//! A command line, as far as a hook must know it: its commands in every spelling, and the files that it opens itself.

use super::text;
use crate::shell::{self, Command, Line, PieceKind, RedirectionKind, Word};

/// The most folders that a line may move between before nobody follows it.
const FOLDERS: usize = 16;

/// How often a line is read again without a word of the shell's in front of a command.
const DEEPEST: usize = 8;

/// Builtins that run texts, or let other names run them.
const RUNNERS: [&str; 9] = ["alias", "hash", "enable", "compgen", "complete", "mapfile", "readarray", "bind", "fc"];

/// A line taken apart.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Its commands as they are typed, assignments in front included.
    pub(super) commands: Vec<String>,
    /// What is asked also where the policy's runtime does not look at it: commands of scripts in it, and assignments.
    pub(super) inner: Vec<String>,
    /// Other spellings of all of them, some more than once: without assignments, quotes and the folder of the program.
    pub(super) spellings: Vec<String>,
    /// What commands begin with whose rest is known only when they run; empty: any command may be run.
    pub(super) open: Vec<String>,
    /// Files that it writes and reads by redirection; `None`: known only when it runs.
    pub(super) writes: Vec<Option<String>>,
    /// The same for reading.
    pub(super) reads: Vec<Option<String>>,
    /// Folders it may be in at some time, from the one it starts in; `None`: any.
    pub(super) folders: Option<Vec<String>>,
}

/// Takes a line apart.
///
/// # Errors
/// If it cannot be read, or not all of it.
pub(super) fn take(text: &str) -> Result<Taken, String> {
    let mut taken = Taken { folders: Some(vec![String::new()]), ..Taken::default() };
    text::readable(text)?;
    read(text, 0, false, &mut taken)?;
    if let Some(joined) = text::joined(text) {
        read(&joined, 0, true, &mut taken)?;
    }
    Ok(taken)
}

fn read(text: &str, depth: usize, inner: bool, taken: &mut Taken) -> Result<(), String> {
    let line = shell::parse(text).map_err(|refused| refused.to_string())?;
    gather(&line, depth, inner, taken)
}

/// Adds a line and the scripts in it, which are no deeper than [`shell::DEEPEST`].
fn gather(line: &Line, depth: usize, inner: bool, taken: &mut Taken) -> Result<(), String> {
    if let Some(error) = &line.error {
        return Err(format!(
            "it cannot be read from `{}` on",
            super::clipped(line.slice(&(error.start..line.text.len())))
        ));
    }
    if text::has_unopened_substitution(line) {
        return Err("it has a substitution that the grammar does not open".to_owned());
    }
    if line.text.contains("CDPATH") {
        taken.folders = None;
    }
    for command in &line.commands {
        let text = line.slice(&command.span).trim().to_owned();
        spell(line, command, &text, taken);
        moves(command, taken);
        runs(command, taken);
        without_keyword(line, command, depth, taken)?;
        if inner { &mut taken.inner } else { &mut taken.commands }.push(text);
    }
    pieces(line, taken);
    files(line, taken);
    for script in &line.scripts {
        match &script.line {
            Some(line) => gather(line, depth, true, taken)?,
            None => taken.open.push(String::new()),
        }
    }
    Ok(())
}

/// Assignments and declarations, which change what later commands do, and what expressions in them may run.
fn pieces(line: &Line, taken: &mut Taken) {
    for piece in &line.pieces {
        let text = line.slice(&piece.span).trim();
        match piece.kind {
            PieceKind::Assignment | PieceKind::Declaration => taken.inner.push(text.to_owned()),
            PieceKind::Test => {}
            _ => continue,
        }
        if text::has_quoted_substitution(text) {
            taken.open.push(String::new());
        }
    }
}

/// Files that are opened by redirection.
fn files(line: &Line, taken: &mut Taken) {
    for redirection in &line.redirections {
        let target = redirection.target.clone().filter(|target| !target.contains(['*', '?', '[', '{', '$', '`']));
        if target.as_deref().is_some_and(shell::is_stream) {
            continue;
        }
        match redirection.kind {
            RedirectionKind::Write | RedirectionKind::Append => taken.writes.push(target),
            RedirectionKind::Read => taken.reads.push(target),
            _ => {}
        }
    }
}

fn spell(line: &Line, command: &Command, text: &str, taken: &mut Taken) {
    let own = shell::own_words(command);
    spell_words(line, &command.words, text, taken);
    if own.len() < command.words.len() {
        spell_words(line, own, text, taken);
    }
    if let [first, rest @ ..] = own
        && first.literal.as_deref() == Some("exec")
    {
        spell_words(line, executed(rest), text, taken);
    }
}

/// What `exec` runs, behind its options; `-a` takes a name.
fn executed(mut words: &[Word]) -> &[Word] {
    while let [first, rest @ ..] = words
        && let Some(option) = first.literal.as_deref().filter(|text| text.starts_with('-'))
    {
        words = if option.ends_with('a') { rest.get(1..).unwrap_or_default() } else { rest };
    }
    words
}

fn spell_words(line: &Line, words: &[Word], text: &str, taken: &mut Taken) {
    let Some(first) = words.first() else { return };
    let typed: Vec<&str> = words.iter().map(|word| line.slice(&word.span)).collect();
    let plain: Vec<&str> =
        words.iter().zip(&typed).map(|(word, typed)| word.literal.as_deref().unwrap_or(typed)).collect();
    if is_open(line, first) {
        taken.open.push(String::new());
    } else if let Some(at) = words.iter().position(|word| is_open(line, word)) {
        let known = plain.get(..at).unwrap_or_default().join(" ");
        taken.open.extend([format!("{} ", bare(&known)), format!("{known} ")]);
    }
    let (typed, plain) = (typed.join(" "), plain.join(" "));
    for spelling in [bare(&typed), bare(&plain), typed, plain] {
        if spelling != text {
            taken.spellings.push(spelling);
        }
    }
}

/// Whether a word is known only when it runs, or stands for names of files or for several words.
fn is_open(line: &Line, word: &Word) -> bool {
    let signs = |text: &str| text != "[" && text.contains(['*', '?', '[', '{']);
    let typed = line.slice(&word.span);
    word.literal.is_none() || signs(typed) && !typed.starts_with(['\'', '"'])
}

/// A command without its program's folder.
fn bare(text: &str) -> String {
    let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest));
    let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
    if rest.is_empty() { name.to_owned() } else { format!("{name} {rest}") }
}

/// Commands that run texts which are no commands of the line.
fn runs(command: &Command, taken: &mut Taken) {
    let Some((name, arguments)) = shell::own_words(command).split_first() else { return };
    let Some(name) = name.literal.as_deref() else { return };
    let arguments: Vec<Option<&str>> = arguments.iter().map(|word| word.literal.as_deref()).collect();
    // A shell without a script of its own runs what comes to it.
    let reads = shell::is_shell(name)
        && arguments.iter().all(|argument| argument.is_none_or(|text| text.starts_with(['-', '+'])))
        && !arguments.iter().any(|argument| matches!(argument, Some("--version" | "--help")));
    let sourced = matches!(name, "source" | ".")
        && arguments.first().is_some_and(|path| path.is_none_or(|path| path.starts_with("/dev/") || path == "-"));
    if reads || sourced || RUNNERS.contains(&name) {
        taken.open.push(String::new());
    }
}

/// Reads a line again without a word of the shell's that stands in front of a command.
fn without_keyword(line: &Line, command: &Command, depth: usize, taken: &mut Taken) -> Result<(), String> {
    let Some((first, rest)) = command.words.split_first() else { return Ok(()) };
    match line.slice(&first.span) {
        "time" => {}
        "coproc" => return Err("`coproc` runs what follows beside the line".to_owned()),
        _ => return Ok(()),
    }
    let Some(next) = rest.iter().find(|word| !matches!(line.slice(&word.span), "-p" | "--")) else { return Ok(()) };
    if depth == DEEPEST {
        return Err("it has too many words of the shell's in front of commands".to_owned());
    }
    let (before, after) = (0..first.span.start, next.span.start..line.text.len());
    read(&format!("{} {}", line.slice(&before), line.slice(&after)), depth + 1, true, taken)
}

/// Notes where a command moves the line to.
fn moves(command: &Command, taken: &mut Taken) {
    let Some((name, arguments)) = shell::own_words(command).split_first() else { return };
    if !matches!(name.literal.as_deref(), Some("cd" | "pushd" | "chdir" | "popd")) {
        return;
    }
    let Some(folders) = &mut taken.folders else { return };
    let target = arguments.iter().find(|word| !word.literal.as_deref().is_some_and(|text| text.starts_with('-')));
    let target = target.and_then(known);
    match target {
        Some(target) if folders.len() * 2 <= FOLDERS => {
            let joined = |folder: &String| match target.starts_with(['/', '~']) || folder.is_empty() {
                true => target.to_owned(),
                false => format!("{folder}/{target}"),
            };
            let new: Vec<String> = folders.iter().map(joined).collect();
            folders.extend(new);
        }
        _ => taken.folders = None,
    }
}

fn known(word: &Word) -> Option<&str> {
    word.literal.as_deref().filter(|text| !text.is_empty() && !text.contains(['*', '?', '[', '{', '$', '`']))
}
