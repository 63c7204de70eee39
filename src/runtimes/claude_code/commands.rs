//! `Bash(...)`: from the content of a rule to a pattern of the language, and back.

use crate::language::Dialect;

/// Parameters of the tool that a rule can name; such a rule is about the call, not about the command.
pub(super) const PARAMETERS: [&str; 5] =
    ["command", "description", "run_in_background", "timeout", "dangerouslyDisableSandbox"];

/// The parameter that a rule's content names.
pub(super) fn parameter(content: &str) -> Option<&str> {
    let (name, rest) = content.split_once(':')?;
    (PARAMETERS.contains(&name) && !rest.starts_with('*')).then_some(name)
}

/// The pattern of a rule's content: its dialect, `None` for the plain one, and its text.
pub(super) fn pattern(content: &str) -> (Option<Dialect>, String) {
    let content = content.trim();
    let (head, tail) = match content.strip_suffix(":*") {
        // The bare command, and the command with more words.
        Some(head) => (head, " *"),
        None => (content, ""),
    };
    let parts = parts(head);
    let literal: String = parts.iter().filter_map(|part| *part).collect();
    let starred = parts.contains(&None) || !tail.is_empty();
    let plain = !literal.contains(['*', '?', '\\']);
    if !starred {
        // Two blanks and a star at the end would be optional in the plain dialect.
        return if plain { (None, literal) } else { (Some(Dialect::Exact), literal) };
    }
    if plain {
        let text: String = parts.iter().map(|part| part.unwrap_or('*')).collect();
        return (None, format!("{text}{tail}"));
    }
    (Some(Dialect::Regex), regex(&parts, !tail.is_empty()))
}

/// The characters of a text, `None` for a star; a backslash makes a star, a parenthesis or a backslash literal.
fn parts(text: &str) -> Vec<Option<char>> {
    let mut out = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('*' | '(' | ')' | '\\')) => out.push(letters.next()),
            ('*', _) => out.push(None),
            _ => out.push(Some(letter)),
        }
    }
    out
}

fn regex(parts: &[Option<char>], prefix: bool) -> String {
    let (body, optional) = match parts {
        _ if prefix => (parts, true),
        [body @ .., Some(' '), None] => (body, true),
        _ => (parts, false),
    };
    let mut out = "(?s)".to_owned();
    for part in body {
        match part {
            None => out.push_str(".*"),
            Some(letter) => out.push_str(&regex_syntax::escape(&letter.to_string())),
        }
    }
    if optional {
        out.push_str("( .*)?");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Case, Pattern};

    #[track_caller]
    fn check(content: &str, yes: &[&str], no: &[&str]) {
        let (dialect, text) = pattern(content);
        let pattern = Pattern::new(dialect.unwrap_or(Dialect::Wildcard), &text).unwrap();
        for value in yes {
            assert!(pattern.matches(value, Case::Sensitive), "{content} should match {value}");
        }
        for value in no {
            assert!(!pattern.matches(value, Case::Sensitive), "{content} should not match {value}");
        }
    }

    #[test]
    fn words_end_where_the_program_says() {
        check("npm run build", &["npm run build"], &["npm run build x", "npm run builds"]);
        check("npm run *", &["npm run", "npm run x", "npm run x y"], &["npm runs"]);
        check("git diff:*", &["git diff", "git diff a"], &["git difftool"]);
        check("ls*", &["ls", "lsof", "ls -a"], &["l"]);
        check("git * main", &["git push origin main"], &["git main"]);
        check("echo \\*", &["echo *"], &["echo x"]);
        check("test -f a?", &["test -f a?"], &["test -f ab"]);
        check("rm a? *", &["rm a?", "rm a? b"], &["rm ab", "rm a?b"]);
        check("a\\b:*", &["a\\b", "a\\b c"], &["a/b"]);
        check("echo (x)", &["echo (x)"], &["echo x"]);
    }

    #[test]
    fn parameters_are_no_commands() {
        assert_eq!(parameter("run_in_background:true"), Some("run_in_background"));
        assert_eq!(parameter("npm:*"), None);
        assert_eq!(parameter("timeout:*"), None);
    }
}
