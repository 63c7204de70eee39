//! Where a text means more to a shell than the grammar that takes it apart sees in it.

use crate::shell::{Line, PieceKind, RedirectionKind};
use std::ops::Range;

/// Whether the grammar can be relied on for a text.
///
/// # Errors
/// What in it shells and the grammar read in different ways.
pub(super) fn readable(text: &str) -> Result<(), String> {
    if let Some(odd) = text.chars().find(|letter| letter.is_control() && !matches!(letter, '\n' | '\t')) {
        return Err(format!("it holds the control character U+{:04X}", u32::from(odd)));
    }
    // A comment begins behind a blank that ends a word, and for a shell only space, tab and newline do.
    let hides = text.match_indices('#').any(|(at, _)| {
        let mut before = text.get(..at).unwrap_or_default().chars().rev();
        match (before.next(), before.next()) {
            (Some(' ' | '\t'), Some('\\')) => true,
            (Some(' ' | '\t' | '\n'), _) => false,
            (Some(last), _) => last.is_whitespace(),
            (None, _) => false,
        }
    });
    if hides { Err("a `#` in it only looks like the start of a comment".to_owned()) } else { Ok(()) }
}

/// The text as a shell reads it where the grammar does not: words that go on over the end of a line, and lines that begin
/// with a backslash. `None`: it is the same.
pub(super) fn joined(text: &str) -> Option<String> {
    let glued = text.match_indices("\\\n").any(|(at, mark)| {
        let blank = |letter: Option<char>| letter.is_none_or(char::is_whitespace);
        let before = text.get(..at).unwrap_or_default().chars().next_back();
        let after = text.get(at + mark.len()..).unwrap_or_default().chars().next();
        !blank(before) && !blank(after)
    });
    (glued || text.contains("\n\\")).then(|| text.replace("\n\\", "\n \\").replace("\\\n", ""))
}

/// Whether a text that is no command holds a quoted substitution, which an expression may run all the same.
pub(super) fn has_quoted_substitution(text: &str) -> bool {
    let escaped = text.contains("\\$(") || text.contains("\\`");
    let quoted = text.split('\'').skip(1).step_by(2).any(|part| part.contains("$(") || part.contains('`'));
    escaped || quoted
}

/// Whether a line has a substitution that runs something and that the grammar did not open.
pub(super) fn has_unopened_substitution(line: &Line) -> bool {
    if !line.text.contains('`') && !line.text.contains("$(") {
        return false;
    }
    let opened: Vec<Range<usize>> = line
        .pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Substitution)
        .map(|piece| piece.span.clone())
        .collect();
    // In one that is opened, an escaped one opens another.
    if opened.iter().any(|span| line.slice(span).starts_with('`') && line.slice(span).contains("\\`")) {
        return true;
    }
    let (mut quoted, mut bodies) = (Vec::new(), Vec::new());
    for redirection in &line.redirections {
        match redirection.kind {
            RedirectionKind::Heredoc { quoted: true } => quoted.push(redirection.span.clone()),
            RedirectionKind::Heredoc { quoted: false } => bodies.push(redirection.span.clone()),
            _ => {}
        }
    }
    let inside = |spans: &[Range<usize>], at: usize| spans.iter().any(|span| span.contains(&at));
    let runs = |at: usize| !inside(&opened, at) && !inside(&quoted, at) && opens(&line.text, at);
    // In the body of a heredoc quotes are letters.
    let escaped = |at: usize| line.text.get(..at).is_some_and(|before| before.ends_with('\\'));
    let mut in_bodies = line.text.char_indices().map(|(at, _)| at).filter(|at| inside(&bodies, *at) && !escaped(*at));
    in_bodies.any(runs) || unquoted(&line.text).filter(|at| !inside(&bodies, *at)).any(runs)
}

/// Whether a substitution begins at a place of a text; what is computed (`$((1 + 1))`) is none.
fn opens(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or_default();
    rest.starts_with('`') || rest.starts_with("$(") && !rest.starts_with("$((")
}

/// The places of a text that are neither escaped nor in single quotes nor in a comment.
fn unquoted(text: &str) -> impl Iterator<Item = usize> {
    let mut letters = text.char_indices().peekable();
    let (mut double, mut start) = (false, true);
    std::iter::from_fn(move || {
        while let Some((at, letter)) = letters.next() {
            let starts = std::mem::replace(&mut start, matches!(letter, ' ' | '\t' | '\n' | ';' | '&' | '|' | '('));
            match letter {
                '\\' => _ = letters.next(),
                '\'' if !double => while letters.next().is_some_and(|(_, letter)| letter != '\'') {},
                '"' => double = !double,
                '#' if starts && !double => while letters.next_if(|(_, letter)| *letter != '\n').is_some() {},
                _ => return Some(at),
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::parse;

    #[test]
    fn substitutions_that_run_are_found() {
        let runs = |text: &str| has_unopened_substitution(&parse(text).unwrap());
        assert!(runs("cat <<EOF\n`rm x`\nEOF"));
        assert!(runs("echo ${x:-`rm x`}"));
        assert!(runs("echo `echo \\`rm x\\` `"));
        assert!(runs("cat <<E\n $(rm x)\nE"));
        assert!(!runs("cat <<E\n$(date) $((1 + 1))\n\\$(x)\nE"));
        assert!(!runs("echo \"$(date)\" $((1 + 1)) '$(x)' # $(y)"));
        assert!(!runs("echo `date`"));
        assert!(!runs("git commit -m 'say `x`' # it's `y`"));
        assert!(!runs("cat <<'EOF'\nthe `x` of it's\nEOF"));
        assert!(!runs("echo \"\\`x\\`\""));
    }

    #[test]
    fn comments_begin_where_the_shell_says_so() {
        for text in ["echo \\ #; rm x", "echo \\\t#; rm x", "x\u{a0}#; rm x", "echo x\u{b}#; rm x", "echo a\r\n"] {
            assert!(readable(text).is_err(), "{text:?}");
        }
        for text in ["ls # all", "ls\t# all", "# all\nls", "echo a#b", "echo é"] {
            assert!(readable(text).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn lines_go_on_as_in_a_shell() {
        assert_eq!(joined("r\\\nm x").as_deref(), Some("rm x"));
        assert_eq!(joined("ls\n\\rm x").as_deref(), Some("ls\n \\rm x"));
        assert_eq!(joined("ls\n\\\nrm x").as_deref(), Some("ls\n rm x"));
        assert_eq!(joined("git push \\\n  --force"), None);
    }
}
