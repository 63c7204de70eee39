//! Text on its way to a screen: secrets cut, control characters made visible, arguments quoted for a shell.

use crate::secret;
use std::borrow::Cow;

/// A text for one line.
pub fn line(text: &str) -> String {
    visible(&secret::redact(text), false)
}

/// A text that may go over lines.
pub fn lines(text: &str) -> String {
    visible(&secret::redact(text), true)
}

fn visible(text: &str, keep_newlines: bool) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match escaped(c) {
            Some(code) if c != '\n' || !keep_newlines => out.push_str(&code),
            _ => out.push(c),
        }
    }
    out
}

/// How a character is written that a terminal would not show, or would obey.
pub fn escaped(c: char) -> Option<Cow<'static, str>> {
    match c {
        '\n' => Some("\\n".into()),
        '\r' => Some("\\r".into()),
        '\t' => Some("\\t".into()),
        c if c.is_control() || is_invisible(c) => Some(format!("<U+{:04X}>", u32::from(c)).into()),
        _ => None,
    }
}

/// Directions, joiners and other marks that take no room. A zero-width joiner is none of them: emoji are made with it.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}' | '\u{200c}' | '\u{200e}' | '\u{200f}' | '\u{feff}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// An argument as a POSIX shell reads it back.
pub fn argument(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.chars().any(|c| escaped(c).is_some()) {
        return format!("$'{}'", text.chars().map(ansi_c).collect::<String>());
    }
    if text.contains(['$', '`', '"', '\\', '!']) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    format!("\"{text}\"")
}

fn ansi_c(c: char) -> String {
    match c {
        '\'' | '\\' => format!("\\{c}"),
        '\n' | '\r' | '\t' => c.escape_default().to_string(),
        c if escaped(c).is_none() => c.to_string(),
        c if c.is_ascii() => format!("\\x{:02x}", u32::from(c)),
        c => format!("\\U{:08x}", u32::from(c)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_never_told_what_to_do() {
        assert_eq!(line("a\x1b[2Jb\u{202e}c\nd"), "a<U+001B>[2Jb<U+202E>c\\nd");
        assert_eq!(lines("a\nb"), "a\nb");
        assert_eq!(line("👩\u{200d}💻"), "👩\u{200d}💻");
    }

    #[test]
    fn arguments_come_back_as_they_were() {
        assert_eq!(argument("src/a.rs"), "src/a.rs");
        assert_eq!(argument("rm -rf x"), "\"rm -rf x\"");
        assert_eq!(argument("echo $HOME's"), r"'echo $HOME'\''s'");
        assert_eq!(argument("*"), "\"*\"");
        assert_eq!(argument(""), "\"\"");
        assert_eq!(argument("a\n'b"), r"$'a\n\'b'");
        assert_eq!(argument("~/x"), "\"~/x\"");
    }
}
