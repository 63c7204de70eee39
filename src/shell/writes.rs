//! Which files a line writes by redirection.

use super::{Line, Redirection, RedirectionKind, Refused, parse};
use std::ops::Range;

/// A file that a redirection writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// The redirection in the line's text; for one in a script (`bash -c "... > FILE"`) the command that runs the script.
    pub span: Range<usize>,
    /// The file, as [`Redirection::target`]; `None`: it is known only when the line runs.
    pub target: Option<String>,
    /// Whether what was in the file stays.
    pub append: bool,
}

/// The files that a line writes by redirection, also in substitutions and in the scripts it hands to shells, in the order of
/// the text. `/dev/null`, the standard streams and other open files are none.
///
/// # Errors
/// As [`parse`].
pub fn writes(text: &str) -> Result<Vec<Write>, Refused> {
    Ok(of_line(&parse(text)?))
}

fn of_line(line: &Line) -> Vec<Write> {
    let mut found: Vec<Write> = line.redirections.iter().filter_map(of_redirection).collect();
    for script in &line.scripts {
        let (Some(inside), Some(command)) = (&script.line, line.commands.get(script.command)) else { continue };
        // As deep as scripts are read, and no deeper: `DEEPEST`.
        found.extend(of_line(inside).into_iter().map(|write| Write { span: command.span.clone(), ..write }));
    }
    found.sort_by_key(|write| write.span.start);
    found
}

fn of_redirection(redirection: &Redirection) -> Option<Write> {
    let append = match redirection.kind {
        RedirectionKind::Write => false,
        RedirectionKind::Append => true,
        _ => return None,
    };
    let target = redirection.target.clone();
    (!target.as_deref().is_some_and(is_stream)).then(|| Write { span: redirection.span.clone(), target, append })
}

/// Whether a path is no file: what is always open, and what swallows everything.
pub fn is_stream(path: &str) -> bool {
    let number = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    matches!(path, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
        || path.strip_prefix("/dev/fd/").is_some_and(number)
}
