//! A command line, as far as a hook must know it: its commands in every spelling, and the files that it opens itself.

use crate::shell::{self, Command, Line, RedirectionKind, Word};

/// The most folders that a line may move between before nobody follows it.
const FOLDERS: usize = 16;

/// A line taken apart.
#[derive(Debug, Default)]
pub(super) struct Taken {
    /// Its commands as they are typed, assignments in front included.
    pub(super) commands: Vec<String>,
    /// Commands of scripts in it, also asked where the policy's runtime does not look into them.
    pub(super) inner: Vec<String>,
    /// Other spellings of all of them, some more than once: without assignments, quotes and the folder of the program.
    pub(super) spellings: Vec<String>,
    /// Files that it writes and reads by redirection; `None`: known only when it runs.
    pub(super) writes: Vec<Option<String>>,
    /// The same for reading.
    pub(super) reads: Vec<Option<String>>,
    /// Whether it runs something whose name is known only then.
    pub(super) open: bool,
    /// Folders it may be in at some time, from the one it starts in; `None`: any.
    pub(super) folders: Option<Vec<String>>,
}

/// Takes a line apart.
///
/// # Errors
/// If it cannot be read, or not all of it.
pub(super) fn take(text: &str) -> Result<Taken, String> {
    let line = shell::parse(text).map_err(|refused| refused.to_string())?;
    let mut taken = Taken { folders: Some(vec![String::new()]), ..Taken::default() };
    gather(&line, false, &mut taken)?;
    Ok(taken)
}

/// Adds a line and the scripts in it, which are no deeper than [`shell::DEEPEST`].
fn gather(line: &Line, inner: bool, taken: &mut Taken) -> Result<(), String> {
    if let Some(error) = &line.error {
        return Err(format!(
            "it cannot be read from `{}` on",
            super::clipped(line.slice(&(error.start..line.text.len())))
        ));
    }
    for command in &line.commands {
        let text = line.slice(&command.span).trim().to_owned();
        spell(line, command, &text, taken);
        moves(command, taken);
        if inner { &mut taken.inner } else { &mut taken.commands }.push(text);
    }
    for redirection in &line.redirections {
        let target = redirection.target.clone().filter(|target| !target.contains(['*', '?', '[', '{', '$', '`']));
        match redirection.kind {
            RedirectionKind::Write | RedirectionKind::Append if !is_stream(target.as_deref()) => {
                taken.writes.push(target)
            }
            RedirectionKind::Read if !is_stream(target.as_deref()) => taken.reads.push(target),
            _ => {}
        }
    }
    for script in &line.scripts {
        match &script.line {
            Some(line) => gather(line, true, taken)?,
            None => taken.open = true,
        }
    }
    Ok(())
}

/// Not files: what is always open, and what swallows everything.
fn is_stream(path: Option<&str>) -> bool {
    path.is_some_and(|path| {
        matches!(path, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
            || path.starts_with("/dev/fd/")
    })
}

fn spell(line: &Line, command: &Command, text: &str, taken: &mut Taken) {
    let Some(first) = command.words.first() else { return };
    let typed: Vec<&str> = command.words.iter().map(|word| line.slice(&word.span)).collect();
    let plain: Vec<&str> =
        command.words.iter().zip(&typed).map(|(word, typed)| word.literal.as_deref().unwrap_or(typed)).collect();
    taken.open |= first.literal.is_none();
    let (typed, plain) = (typed.join(" "), plain.join(" "));
    let bare = |text: &str| {
        let (name, rest) = text.split_once(' ').map_or((text, ""), |(name, rest)| (name, rest));
        let name = name.rsplit_once('/').map_or(name, |(_, name)| name);
        if rest.is_empty() { name.to_owned() } else { format!("{name} {rest}") }
    };
    for spelling in [bare(&typed), bare(&plain), typed, plain] {
        if spelling != text {
            taken.spellings.push(spelling);
        }
    }
}

/// Notes where a command moves the line to.
fn moves(command: &Command, taken: &mut Taken) {
    let Some((name, arguments)) = command.words.split_first() else { return };
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
