//! Shells that a command line starts with a script: `bash -c '...'`.

use std::sync::LazyLock;

static WRAPPER: LazyLock<Option<regex::Regex>> = LazyLock::new(|| {
    let text = r"(?i)^\s*(?:(?:\S+/)?(?:sh|bash|zsh)\s+-c|cmd\.exe\s+/c|(?:powershell|pwsh)(?:\.exe)?\s+(?:-NoProfile\s+)?-Command)\s+";
    regex::Regex::new(text).ok()
});

/// The script of a command that is a shell with one, as Gemini takes it out.
pub(super) fn unwrapped(text: &str) -> Option<String> {
    let head = WRAPPER.as_ref()?.find(text)?;
    let script = text.get(head.end()..)?.trim();
    let quoted = |quote: char| {
        let inner = script.strip_prefix(quote)?.strip_suffix(quote)?;
        Some(inner.to_owned())
    };
    if let Some(inner) = quoted('\'') {
        return Some(inner);
    }
    let Some(inner) = quoted('"') else { return Some(script.to_owned()) };
    if !head.as_str().trim_end().ends_with("-c") {
        return Some(inner);
    }
    let mut out = String::new();
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some(next @ ('"' | '\\' | '$' | '`'))) => {
                out.push(*next);
                letters.next();
            }
            _ => out.push(letter),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::unwrapped;

    #[test]
    fn scripts_are_taken_out() {
        assert_eq!(unwrapped("bash -c 'rm x'").as_deref(), Some("rm x"));
        assert_eq!(unwrapped("/bin/sh -c \"echo \\\"a\\\"\"").as_deref(), Some("echo \"a\""));
        assert_eq!(unwrapped("bash -lc 'rm x'"), None);
        assert_eq!(unwrapped("sudo bash -c x"), None);
        assert_eq!(unwrapped("zsh -c rm x").as_deref(), Some("rm x"));
    }
}
