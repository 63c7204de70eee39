//! How else than in the runtime's own dialect a pattern may have been meant.

use crate::language::{Dialect, Pattern};
use crate::model::ResourceKind;

/// Another reading of a pattern.
pub(crate) struct Reading {
    /// What in it has another meaning there.
    pub(crate) sign: &'static str,
    /// What it is taken for.
    pub(crate) what: &'static str,
    /// How it is read here.
    pub(crate) here: &'static str,
    /// What to write instead.
    pub(crate) help: &'static str,
    /// It, read so.
    pub(crate) pattern: Pattern,
    /// Whether the rule is then about what the pattern does not match.
    pub(crate) negated: bool,
    /// A text that it may be meant for.
    pub(crate) guess: Option<String>,
}

const GLOB: &str = "glob";
const APART: &str = "write one rule for each alternative, or `glob \"...\"` in a policy";

/// How else a pattern of such resources may have been meant, if it has the signs of it.
pub(crate) fn reading(text: &str, kind: ResourceKind) -> Option<Reading> {
    let read = |dialect, text: &str, sign, what, here, help| {
        let pattern = Pattern::new(dialect, text).ok()?;
        Some(Reading { sign, what, here, help, pattern, negated: false, guess: None })
    };
    let path = kind == ResourceKind::Path;
    if let Some(rest) = text.strip_prefix('!').filter(|rest| path && !rest.is_empty()) {
        let help = "say what the rule is about, and put its exception after it as a rule of its own";
        let reading = read(Dialect::Glob, rest, "!", GLOB, "`!` is an ordinary character", help)?;
        return Some(Reading { negated: true, ..reading });
    }
    if path && has_alternatives(text) {
        return read(Dialect::Glob, text, "{,}", GLOB, "braces and commas are ordinary characters", APART);
    }
    if path && has_class(text) {
        return read(Dialect::Glob, text, "[]", GLOB, "brackets are ordinary characters", APART);
    }
    if path && (text.starts_with("**/") || text.contains("/**/")) {
        let help = "a `*` crosses `/` here: write a second rule without the `**/`, or `glob \"...\"` in a policy";
        let reading = read(Dialect::Glob, text, "**", GLOB, "the `/` beside `**` must be there", help)?;
        return Some(Reading { guess: Some(text.replace("**/", "").replace(['*', '?'], "x")), ..reading });
    }
    if (path || kind == ResourceKind::Command) && is_expression(text) {
        let here = "`^`, `$`, `(` and `|` are ordinary characters";
        let help = "write one rule for each alternative, or `regex \"...\"` in a policy";
        return read(Dialect::Regex, text, "^$(|)", "regular expression", here, help);
    }
    None
}

/// `{a,b}`
fn has_alternatives(text: &str) -> bool {
    let mut inside = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    inside.any(|(inside, _)| inside.contains(','))
}

/// `*.py[co]` or `[Mm]akefile`, but not a whole part of a path: `app/[id]/page.tsx` is how web frameworks name folders.
fn has_class(text: &str) -> bool {
    let part = |part: &str| {
        let whole = part.starts_with('[') && part.trim_end_matches(['*', '.']).ends_with(']');
        !whole && part.split('[').skip(1).any(|rest| rest.find(']').is_some_and(|at| at > 0))
    };
    text.split('/').any(part)
}

/// `^git (status|log)$`
fn is_expression(text: &str) -> bool {
    let mut groups = text.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    let anchored = text.starts_with('^') || text.len() > 1 && text.ends_with('$');
    anchored || groups.any(|(inside, _)| inside.contains('|') && !inside.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::reading;
    use crate::model::ResourceKind;

    #[test]
    fn only_signs_of_another_dialect_count() {
        let path = |text| reading(text, ResourceKind::Path).map(|reading| reading.sign);
        for text in [
            "src/*",
            "src/**",
            "**",
            "app/[id]/page.tsx",
            "app/[...slug]/*",
            "app/[[...x]]/a",
            "a{b}c",
            "${x}",
            "a(b)c",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
        for (text, sign) in [
            ("**/.env", "**"),
            ("a/**/b", "**"),
            ("*.{ts,js}", "{,}"),
            ("*.py[co]", "[]"),
            ("!src/*", "!"),
            ("^a$", "^$(|)"),
        ] {
            assert_eq!(path(text), Some(sign), "{text}");
        }
        let command = |text| reading(text, ResourceKind::Command).map(|reading| reading.sign);
        for text in ["[ -f * ]", "awk '{print $1, $2}' *", "! grep *", "echo (a | b)", "ls **/*", "npm run test.*"] {
            assert_eq!(command(text), None, "{text}");
        }
        assert_eq!(command("git (status|log)"), Some("^$(|)"));
        assert_eq!(command("^git status$"), Some("^$(|)"));
    }
}
