//! What the shell makes of a word, where that can be told from its text.

use super::tree::Parsed;
use tree_sitter::Node;

/// The text of a word without its quotes; `None`: it has parts that are known only when it runs.
pub(super) fn of(node: Node<'_>, source: &Parsed<'_>) -> Option<String> {
    let raw = source.slice(node);
    match node.kind() {
        "command_name" if node.named_child_count() == 1 => of(node.named_child(0)?, source),
        "word" | "number" => Some(unescape(raw, |_| true)),
        "raw_string" => Some(raw.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "string" => {
            let mut parts = node.walk();
            let plain = node.named_children(&mut parts).all(|part| part.kind() == "string_content");
            let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
            plain.then(|| unescape(inside, |c| matches!(c, '$' | '`' | '"' | '\\' | '\n')))
        }
        "concatenation" => {
            let mut parts = node.walk();
            let parts: Vec<Node<'_>> = node.named_children(&mut parts).collect();
            // What stands between the parts is no part of the word as we know it.
            let whole = parts.iter().map(|part| source.slice(*part).len()).sum::<usize>() == raw.len();
            let parts = parts.into_iter().map(|part| of_part(part, source));
            parts.collect::<Option<String>>().filter(|_| whole)
        }
        _ => None,
    }
}

/// A part of a glued word: none is glued itself, so this goes no deeper.
fn of_part(node: Node<'_>, source: &Parsed<'_>) -> Option<String> {
    if matches!(node.kind(), "word" | "number" | "raw_string" | "string") { of(node, source) } else { None }
}

/// A backslash makes the next character plain, where it may.
fn unescape(raw: &str, may: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some('\n')) => _ = chars.next(),
            ('\\', Some(next)) if may(*next) => out.extend(chars.next()),
            _ => out.push(c),
        }
    }
    out
}
