//! Strings between their written form and their characters.

/// The characters of a written string, quotes included; nothing if half a surrogate pair stands in it.
pub(super) fn read(written: &str) -> Option<String> {
    if let Some(raw) = written.strip_prefix('\'') {
        return Some(raw.strip_suffix('\'').unwrap_or(raw).to_string());
    }
    let inner = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(written);
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        text.push(if c == '\\' { escape(&mut chars)? } else { c });
    }
    Some(text)
}

fn escape(chars: &mut std::str::Chars<'_>) -> Option<char> {
    Some(match chars.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let first = unit(chars)?;
            let pair = if (0xd800..0xdc00).contains(&first) {
                let tail = chars.as_str().strip_prefix("\\u")?;
                *chars = tail.chars();
                Some(unit(chars)?)
            } else {
                None
            };
            char::decode_utf16([first].into_iter().chain(pair)).next()?.ok()?
        }
        same => same,
    })
}

fn unit(chars: &mut std::str::Chars<'_>) -> Option<u16> {
    let digits: String = chars.by_ref().take(4).collect();
    u16::from_str_radix(&digits, 16).ok()
}

/// The canonical form: `"..."`, but `'...'` where that saves escaping a backslash or a quote.
pub(super) fn write(text: &str) -> String {
    let raw = text.contains(['\\', '"']) && !text.contains('\'') && !text.chars().any(must_escape);
    if raw { format!("'{text}'") } else { write_json(text) }
}

/// As JSON has it.
pub(super) fn write_json(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => written.extend(['\\', c]),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            c if must_escape(c) => written.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

/// Characters that can not stand in a line, or that change how the line around them looks. All have four hex digits.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_escapes_are_read() {
        assert_eq!(read(r#""a\"b\\c\/d\n\u00e9\ud83d\ude00""#).as_deref(), Some("a\"b\\c/d\né😀"));
        assert_eq!(read(r"'C:\new'").as_deref(), Some(r"C:\new"));
        assert_eq!(read(r#""\ud83d""#), None, "half a pair");
        assert_eq!(read(r#""\ud83d\u0041""#), None, "no second half");
        assert_eq!(read(r#""\ude00""#), None, "the wrong half");
    }

    #[test]
    fn the_plainest_form_is_written() {
        assert_eq!(write("a*"), "\"a*\"");
        assert_eq!(write(r#"say "x""#), r#"'say "x"'"#);
        assert_eq!(write(r"C:\x"), r"'C:\x'");
        assert_eq!(write("it's \\"), r#""it's \\""#);
        assert_eq!(write("a\u{202e}\n"), r#""a\u202e\n""#);
    }
}
