//! `permission` and the older `tools`: from what is written to ordered rules.

use super::comments::Comments;
use super::fields::{Fault, unique};
use super::json::{Entry, Kind, Node};
use super::keys::{self, *};
use super::merge::ordered;
use crate::diagnostic::{Finding, Sink, near_name};
use crate::language::{Case, Pattern};
use crate::rule::Action;
use crate::secret::redact;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Patterns, RuleStmt, Stmt, Term, Text};

/// The words of actions.
const WORDS: [&str; 3] = ["allow", "ask", "deny"];

/// A `permission` as an object: a bare word is `{"*": word}`. What the program refuses is reported and left out.
pub(super) fn permission(node: &Node, fault: Fault, sink: &mut Sink) -> Vec<Entry> {
    match &node.kind {
        Kind::String(text) if WORDS.contains(&text.as_str()) || is_opaque(text) => {
            vec![entry("*", node.span, node.clone())]
        }
        Kind::Object(entries) => {
            let mut out = unique(entries, sink);
            out.retain_mut(|entry| permission_entry(entry, fault, sink));
            out
        }
        Kind::Array(_) => {
            let finding = fault.finding(node.span, "`permission` is an action or an object, not a list");
            sink.push(
                finding.help("layers as a list were taken back: write one object, in the order the rules are meant"),
            );
            Vec::new()
        }
        _ => {
            bad_action(node, "permission", fault, sink);
            Vec::new()
        }
    }
}

pub(super) fn entry(key: &str, span: Span, value: Node) -> Entry {
    Entry { key: key.to_owned(), span, value, comments: Comments::default() }
}

fn permission_entry(entry: &mut Entry, fault: Fault, sink: &mut Sink) -> bool {
    let key = entry.key.clone();
    inert(entry, sink);
    match &entry.value.kind {
        Kind::Object(_) if WORD_ONLY.contains(&key.as_str()) => {
            let text = format!("`{key}` takes one action, not patterns");
            let help = format!("write `\"{key}\": \"ask\"` or another action");
            sink.push(fault.finding(entry.value.span, text).help(help));
            false
        }
        Kind::Object(entries) => {
            let mut patterns = unique(entries, sink);
            patterns.retain(|pattern| {
                opaque_pattern(pattern, sink);
                action_fits(&pattern.value, &pattern.key, fault, sink)
            });
            entry.value.kind = Kind::Object(patterns);
            true
        }
        _ => action_fits(&entry.value, &key, fault, sink),
    }
}

fn action_fits(value: &Node, key: &str, fault: Fault, sink: &mut Sink) -> bool {
    match value.text() {
        Some(text) if WORDS.contains(&text) => true,
        Some(text) if is_opaque(text) => {
            let text =
                format!("the action of `{}` comes from outside this file: policyc does not know it", redact(key));
            sink.push(
                opaque(value.span, text)
                    .help("write the action here: a rule that nobody can read is not in what follows"),
            );
            false
        }
        _ => {
            bad_action(value, key, fault, sink);
            false
        }
    }
}

fn bad_action(value: &Node, key: &str, fault: Fault, sink: &mut Sink) {
    let key = redact(key);
    let (text, near) = match value.text() {
        Some(text) => (format!("`{}` is no action for `{key}`", redact(text)), near_name(text, WORDS)),
        None => (format!("`{key}` has {} where an action stands", value.what()), None),
    };
    let help =
        near.map_or("an action is `allow`, `ask` or `deny`".to_owned(), |near| format!("did you mean `{near}`?"));
    sink.push(fault.finding(value.span, text).help(help));
}

fn opaque(span: Span, text: String) -> Finding {
    Finding::new(OPAQUE_VALUE, span, text).confidence(crate::diagnostic::Confidence::Undecided)
}

fn opaque_pattern(pattern: &Entry, sink: &mut Sink) {
    if is_opaque(&pattern.key) {
        let text = format!("what `{}` stands for is known only where OpenCode runs", redact(&pattern.key));
        let finding = opaque(pattern.span, text)
            .note("policyc takes the pattern as it is written, so what it says of this rule is not proved");
        sink.push(finding.help("write the pattern out"));
    }
}

/// Says that a rule does nothing: no tool asks its permission, or `ask` stands where nothing is ever asked.
fn inert(entry: &Entry, sink: &mut Sink) {
    let words: Vec<&str> = match &entry.value.kind {
        Kind::Object(patterns) => patterns.iter().filter_map(|pattern| pattern.value.text()).collect(),
        _ => entry.value.text().into_iter().collect(),
    };
    let relied = words.iter().any(|word| matches!(*word, "deny" | "ask"));
    let key = entry.key.as_str();
    if let Some(instead) = keys::inert(key).filter(|_| relied) {
        let text = format!("no tool of OpenCode asks for `{key}`, so these rules stop nothing");
        sink.push(Finding::new(INERT_KEY, entry.span, text).help(instead));
    } else if matches!(key, "question" | "plan_exit") && words.contains(&"ask") {
        let text = format!("`{key}` is never asked: `ask` means `allow` here");
        sink.push(Finding::new(INERT_KEY, entry.span, text).help("`deny` hides the tool, anything else shows it"));
    }
}

/// The older `tools` as permissions: `write`, `edit` and `patch` are `edit`, of which the last counts.
pub(super) fn tools(entries: &[Entry]) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    for tool in ordered(entries) {
        let key = if matches!(tool.key.as_str(), "write" | "edit" | "patch") { "edit" } else { tool.key.as_str() };
        let word = if matches!(tool.value.kind, Kind::Bool(true)) { "allow" } else { "deny" };
        let value = Node { kind: Kind::String(word.to_owned()), span: tool.value.span };
        let made = Entry { key: key.to_owned(), span: tool.span, value, comments: tool.comments.clone() };
        match out.iter_mut().find(|known| known.key == key) {
            Some(known) => *known = made,
            None => out.push(made),
        }
    }
    out
}

/// The rules of a permission object, in the order the program makes them.
pub(super) fn rules(entries: &[Entry]) -> Vec<Stmt<RuleStmt>> {
    collect(&ordered(entries), &ordered)
}

/// The rules in the order they are written.
pub(super) fn rules_as_written(entries: &[Entry]) -> Vec<Stmt<RuleStmt>> {
    fn all(entries: &[Entry]) -> Vec<&Entry> {
        entries.iter().collect()
    }
    collect(&all(entries), &all)
}

fn collect(entries: &[&Entry], order: &dyn for<'a> Fn(&'a [Entry]) -> Vec<&'a Entry>) -> Vec<Stmt<RuleStmt>> {
    let mut out = Vec::new();
    for permission in entries {
        match &permission.value.kind {
            Kind::Object(patterns) => {
                let first = out.len();
                for pattern in order(patterns) {
                    for (name, text) in spellings(&permission.key, &pattern.key) {
                        out.extend(rule(permission, &name, Some((&text, pattern)), pattern));
                    }
                }
                if let Some(stmt) = out.get_mut(first) {
                    let own = std::mem::take(&mut stmt.lead);
                    Comments { lead: permission.comments.lead.clone(), trail: None }.put(stmt);
                    stmt.lead.extend(own);
                }
            }
            _ => out.extend(rule(permission, &permission.key, None, permission)),
        }
    }
    out
}

/// One rule, written at `entry`; an unknown word (only a variable can hold one) asks, as the program does.
fn rule(permission: &Entry, name: &str, pattern: Option<(&str, &Entry)>, entry: &Entry) -> Option<Stmt<RuleStmt>> {
    let word = entry.value.text()?;
    let action = Action::from_word(word).unwrap_or(Action::Ask);
    let patterns = pattern.map(|(text, at)| {
        Patterns::One(Term::Text(Text { dialect: None, text: Spanned::new(text.to_owned(), at.span) }))
    });
    let node = RuleStmt {
        action: Spanned::new(action, entry.value.span),
        permissions: vec![Spanned::new(name.to_owned(), permission.span)],
        patterns,
        because: None,
    };
    let mut stmt = Stmt::bare(node, entry.whole());
    entry.comments.put(&mut stmt);
    Some(stmt)
}

/// A pattern as the language writes it. OpenCode puts the home folder in the place of a `~` or `$HOME` at its start, for
/// every permission. A path keeps `~`; where other text is asked (a command as the model typed it) the pattern starts with
/// `<home>`, for the path written out. A wildcard over permissions that holds both becomes two rules.
fn spellings(permission: &str, pattern: &str) -> Vec<(String, String)> {
    let whole = |text: String| vec![(permission.to_owned(), text)];
    let Some(rest) = home(pattern) else { return whole(pattern.to_owned()) };
    if matches!(permission, "external_directory" | "read" | "edit" | "list") {
        return whole(format!("~{rest}"));
    }
    let mut out = whole(format!("<home>{rest}"));
    if Pattern::wildcard(permission).matches("external_directory", Case::Sensitive) {
        out.push(("external_directory".to_owned(), format!("~{rest}")));
    }
    out
}

/// What follows the home folder in a pattern that starts with it. `$HOMEfoo`, which OpenCode takes for the folder and
/// `foo`, stays as it is: `~foo` would be something else.
fn home(pattern: &str) -> Option<&str> {
    let rest = pattern.strip_prefix('~').or_else(|| pattern.strip_prefix("$HOME"))?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}
