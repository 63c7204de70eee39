//! One rule as lines a config can hold: every dialect as wildcards, and what a config's text cannot say made stricter.

use super::arrange::{Line, is_wild};
use crate::language::{Budget, Case, Dialect, Entry, Pattern, Table};
use crate::rule::{Action, Rule};

/// A rule as lines, and what was lost.
#[derive(Debug)]
pub(super) struct Lowered {
    /// The lines in order.
    pub(super) lines: Vec<Line>,
    /// Why they are stricter than the rule; `None`: they are the rule.
    pub(super) stricter: Option<String>,
}

/// What a rule says before it is known whether it must become stricter.
struct Texts {
    /// Patterns that together match at least what the rule matches.
    texts: Vec<String>,
    /// Why they match more; `None`: they match the same.
    wider: Option<String>,
}

/// Whose rule it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// Rules before this one, in deciding order.
    pub(super) before: &'a [Rule],
    /// Whether the policy speaks of paths as `core` does: absolute outside the workspace.
    pub(super) core_paths: bool,
}

/// The lines of one rule: the same, or stricter, or an error that says why there are none.
pub(super) fn lower(rule: &Rule, cx: Context<'_>, budget: &mut Budget) -> Result<Lowered, String> {
    let permission = permission(rule)?;
    let texts = texts(rule, cx, budget);
    let (texts, why) = match texts {
        Ok(Texts { texts, wider: None }) => {
            return Ok(Lowered { lines: lines(&permission, texts, rule.action), stricter: None });
        }
        Ok(Texts { texts, wider: Some(why) }) => (texts, why),
        Err(why) if rule.action == Action::Allow => (Vec::new(), why),
        Err(why) => return Err(why),
    };
    Ok(match rule.action {
        Action::Allow => Lowered { lines: Vec::new(), stricter: Some(format!("{why}, so this allow is left out")) },
        Action::Ask if !denied_before(cx.before, &permission) => {
            let stricter = format!("{why}, so more is asked: {}", quoted(&texts));
            Lowered { lines: lines(&permission, texts, Action::Ask), stricter: Some(stricter) }
        }
        // Asking for more than was meant could loosen an earlier deny; denying cannot.
        Action::Ask | Action::Deny => {
            let stricter = format!("{why}, so more is denied: {}", quoted(&texts));
            Lowered { lines: lines(&permission, texts, Action::Deny), stricter: Some(stricter) }
        }
    })
}

fn lines(permission: &str, texts: Vec<String>, action: Action) -> Vec<Line> {
    texts.into_iter().map(|pattern| Line { permission: permission.to_owned(), pattern, action }).collect()
}

fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ")
}

/// Whether an earlier rule may deny requests of the same permission.
fn denied_before(before: &[Rule], permission: &str) -> bool {
    before.iter().any(|rule| {
        let other = rule.permission.text();
        let shares = other == permission || is_wild(permission) || rule.permission.matches(permission, Case::Sensitive);
        rule.action == Action::Deny && shares
    })
}

fn permission(rule: &Rule) -> Result<String, String> {
    let text = rule.permission.text();
    if is_integer(text) || text == "__proto__" {
        return Err(format!("OpenCode's program would not keep the key `{text}` where it is written"));
    }
    Ok(text.replace('\\', "/"))
}

fn texts(rule: &Rule, cx: Context<'_>, budget: &mut Budget) -> Result<Texts, String> {
    let written = rule.pattern.text();
    let Some(mut texts) = rule.pattern.widened() else {
        return Err(format!("OpenCode has wildcards only, and `{written}` would take too many of them"));
    };
    let mut wider = None;
    if rule.pattern.dialect() != Dialect::Wildcard {
        texts = fewest(texts, budget);
        if !same(&rule.pattern, &texts, budget) {
            wider =
                Some(format!("OpenCode's wildcards cannot say {} `{written}` exactly", word(rule.pattern.dialect())));
        }
    }
    let mut out = Vec::new();
    for text in texts {
        let text = text.replace('\\', "/");
        let (text, why) = fit(rule.permission.text(), text, cx)?;
        out.push(text);
        wider = wider.or(why);
    }
    Ok(Texts { texts: out, wider })
}

fn word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Wildcard => "the pattern",
        Dialect::Glob => "the glob",
        Dialect::Prefix => "the prefix",
        Dialect::Exact => "the exact text",
        Dialect::Regex => "the regular expression",
    }
}

/// The texts without those that others cover.
fn fewest(mut texts: Vec<String>, budget: &mut Budget) -> Vec<String> {
    let mut at = 0;
    while at < texts.len() && texts.len() > 1 {
        let mut others = texts.clone();
        let text = others.remove(at);
        if covers(&Pattern::wildcard(&text), &others, budget) { texts = others } else { at += 1 }
    }
    texts
}

/// Whether the texts together match nothing that the pattern does not.
fn same(pattern: &Pattern, texts: &[String], budget: &mut Budget) -> bool {
    let everything = Pattern::wildcard("*");
    texts.iter().all(|text| {
        let text = Pattern::wildcard(text);
        let entries = [&text, pattern].map(|value| Entry { key: &everything, value, colour: 0 });
        Table::new(&entries, &[], 0, Case::Sensitive).is_ok_and(|mut table| table.includes(1, 0, budget))
    })
}

fn covers(one: &Pattern, others: &[String], budget: &mut Budget) -> bool {
    let everything = Pattern::wildcard("*");
    let others: Vec<Pattern> = others.iter().map(|text| Pattern::wildcard(text)).collect();
    let entries: Vec<Entry<'_>> =
        std::iter::once(one).chain(&others).map(|value| Entry { key: &everything, value, colour: 0 }).collect();
    let places: Vec<usize> = (1..entries.len()).collect();
    Table::new(&entries, &[], 0, Case::Sensitive).is_ok_and(|mut table| table.difference(0, &places, budget).is_no())
}

/// A pattern's text as a config can hold it, and why it matches more than it should, if it does.
fn fit(permission: &str, text: String, cx: Context<'_>) -> Result<(String, Option<String>), String> {
    if is_integer(&text) {
        let why = format!("OpenCode's program would not keep the key `{text}` where it is written");
        return Ok((format!("{text}*"), Some(why)));
    }
    if text == "__proto__" {
        return Ok(("__proto_?".to_owned(), Some("OpenCode's program drops the key `__proto__`".to_owned())));
    }
    if let Some(root) = ["$DATA", "$TMP", "$SKILLS"].into_iter().find(|root| is_under(&text, root)) {
        return Err(format!("`{root}` is another folder on every machine, and a config has no word for it"));
    }
    let paths = speaks_of_paths(permission);
    if let Some(rest) = text.strip_prefix("<home>").filter(|_| !paths) {
        let home = if rest.is_empty() || rest.starts_with('/') { "~" } else { "$HOME" };
        return Ok((format!("{home}{rest}"), None));
    }
    let expanded = is_under(&text, "~") || text.starts_with("$HOME");
    if expanded && !(paths && text.starts_with('~')) {
        let rest: String = text.chars().skip(1).collect();
        return Ok((format!("?{rest}"), Some(format!("OpenCode would read the home folder into `{text}`"))));
    }
    if cx.core_paths {
        return Ok(outside(permission, text));
    }
    Ok((text, None))
}

/// What `core` says of paths outside the workspace, as OpenCode asks them: their folder and `/*` for
/// `external_directory`, a way that starts with `../` for all else.
fn outside(permission: &str, text: String) -> (String, Option<String>) {
    let absolute = text.starts_with('/') || is_under(&text, "~");
    match permission {
        "external_directory" if !text.ends_with('*') => {
            let why = format!("OpenCode asks for the folder of `{text}`, not for the path");
            let folder = text.rsplit_once('/').map_or("", |(folder, _)| folder);
            (format!("{folder}/*"), Some(why))
        }
        "read" | "edit" if absolute => {
            let why = format!("OpenCode asks for paths outside the project as `../...`, never as `{text}`");
            ("../*".to_owned(), Some(why))
        }
        _ => (text, None),
    }
}

fn is_under(text: &str, root: &str) -> bool {
    text.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Permissions for which OpenCode's home folder is the path's root `~`; for others it is text.
fn speaks_of_paths(permission: &str) -> bool {
    matches!(permission, "read" | "edit" | "list" | "external_directory")
}

/// Keys that JavaScript puts before all others, whatever the file says: whole numbers from 0 to 2^32 - 2 without
/// leading zeros.
fn is_integer(text: &str) -> bool {
    text.parse::<u32>().is_ok_and(|number| number < u32::MAX && number.to_string() == text)
}
