//! A file of settings: its rules, folders and mode; and what is said of keys and values that do not count.

use super::keys::{self, Shape};
use super::rules::{self, At};
use super::spec::Section;
use crate::diagnostic::{Confidence, Finding, Severity, Sink, near_name};
use crate::runtimes::codes::*;
use crate::runtimes::opencode::json::{Entry, Kind, Node};
use crate::secret::{self, redact};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{RuleStmt, Stmt};

/// Whose settings they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// `~/.claude/settings.json`
    User,
    /// `.claude/settings.json`, which a repository brings along.
    Project,
    /// `.claude/settings.local.json`
    Local,
    /// An administrator's.
    Managed,
}

/// What settings say.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Rules in the order they are written.
    pub(super) rules: Vec<Stmt<RuleStmt>>,
    /// The mode a session starts in.
    pub(super) mode: Option<Spanned<String>>,
    /// The agent that the session itself is.
    pub(super) agent: Option<Spanned<String>>,
    /// Whether these settings say that no others bring rules.
    pub(super) alone: bool,
}

/// Reads a file's tree.
pub(super) fn read(node: &Node, scope: Scope, sink: &mut Sink) -> Said {
    secrets(node, "", sink);
    let Kind::Object(entries) = &node.kind else {
        sink.push(dropped(node.span, format!("settings are an object, not {}", node.what())));
        return Said::default();
    };
    let mut said = Said::default();
    for entry in unique(entries, sink) {
        if !fits(entry, sink) {
            continue;
        }
        match entry.key.as_str() {
            "permissions" => permissions(&entry.value, scope, &mut said, sink),
            "agent" => said.agent = entry.value.text().map(|text| Spanned::new(text.to_owned(), entry.value.span)),
            "hooks" => hooks(entry, sink),
            "allowManagedPermissionRulesOnly" => {
                said.alone = scope == Scope::Managed && matches!(entry.value.kind, Kind::Bool(true));
            }
            key if keys::TOP.iter().any(|(name, _)| *name == key) || keys::KNOWN.contains(&key) => {}
            _ => stranger(entry, sink),
        }
    }
    said
}

/// Entries of which a repeated key counts once, by its last value.
fn unique<'a>(entries: &'a [Entry], sink: &mut Sink) -> Vec<&'a Entry> {
    let mut out: Vec<&Entry> = Vec::new();
    for entry in entries {
        match out.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => {
                let text = format!("the key `{}` is there twice", redact(&entry.key));
                let finding = Finding::new(DUPLICATE_KEY, known.span, text).label("this value is dropped");
                sink.push(finding.related(entry.span, "this value counts").help("keep one of them"));
                *known = entry;
            }
            None => out.push(entry),
        }
    }
    out
}

fn dropped(span: Span, text: String) -> Finding {
    Finding::new(REFUSED, span, text).note("Claude Code drops the whole file: none of its rules is in force")
}

/// Whether a value has the shape of its key.
fn fits(entry: &Entry, sink: &mut Sink) -> bool {
    let Some((_, shape)) = keys::TOP.iter().find(|(name, _)| *name == entry.key) else { return true };
    let texts = |items: &[Node]| items.iter().all(|item| item.text().is_some());
    let (good, wanted) = match (shape, &entry.value.kind) {
        (Shape::Any, _) => (true, ""),
        (Shape::Text, kind) => (matches!(kind, Kind::String(_)), "a text"),
        (Shape::Flag, kind) => (matches!(kind, Kind::Bool(_)), "true or false"),
        (Shape::Number, kind) => (matches!(kind, Kind::Number(_)), "a number"),
        (Shape::Object, kind) => (matches!(kind, Kind::Object(_)), "an object"),
        (Shape::Texts, kind) => (matches!(kind, Kind::Array(items) if texts(items)), "a list of texts"),
    };
    if !good {
        let text = format!("`{}` must be {wanted}, not {}", entry.key, entry.value.what());
        sink.push(dropped(entry.value.span, text).help("correct it, or delete the key"));
    }
    good
}

fn stranger(entry: &Entry, sink: &mut Sink) {
    let key = redact(&entry.key).into_owned();
    if let Some(help) = keys::misplaced(&entry.key) {
        let text = format!("`{key}` does nothing here: Claude Code takes the key without a word");
        return sink.push(Finding::new(INERT_KEY, entry.span, text).help(help));
    }
    if let Some(whose) = keys::foreign(&entry.key) {
        let text = format!("`{key}` is a key of {whose}: Claude Code does nothing with it");
        return sink.push(Finding::new(FOREIGN_KEY, entry.span, text).help("rules stand under `permissions`"));
    }
    // New releases bring new keys: only what is near to a known one is a slip.
    let known = keys::TOP.iter().map(|(name, _)| *name).chain(keys::KNOWN.iter().copied());
    if let Some(near) = near_name(&entry.key, known).filter(|_| entry.key.len() > 3) {
        let text = format!("Claude Code knows no key `{key}`, and takes it without a word");
        sink.push(Finding::new(UNKNOWN_KEY, entry.span, text).help(format!("did you mean `{near}`?")));
    }
}

fn permissions(node: &Node, scope: Scope, said: &mut Said, sink: &mut Sink) {
    let Kind::Object(entries) = &node.kind else { return };
    for entry in unique(entries, sink) {
        match entry.key.as_str() {
            "allow" => list(entry, Section::Allow, scope, said, sink),
            "ask" => list(entry, Section::Ask, scope, said, sink),
            "deny" => list(entry, Section::Deny, scope, said, sink),
            "additionalDirectories" => directories(entry, scope, said, sink),
            "defaultMode" => said.mode = mode(entry, scope, sink),
            "disableBypassPermissionsMode" | "disableAutoMode" => {
                if entry.value.text() != Some("disable") {
                    let text = format!("`{}` takes `\"disable\"` alone, not {}", entry.key, entry.value.what());
                    sink.push(dropped(entry.value.span, text).help("write `\"disable\"`"));
                }
            }
            key if keys::PERMISSIONS.contains(&key) => {}
            _ => unknown(entry, sink),
        }
    }
}

/// A key of `permissions` that nobody knows: what it lists protects nothing.
fn unknown(entry: &Entry, sink: &mut Sink) {
    let key = redact(&entry.key).into_owned();
    let text =
        format!("`permissions` has no key `{key}`: Claude Code takes it without a word, and nothing of it counts");
    let near = match entry.key.as_str() {
        "denied" | "disallow" | "disallowed" | "block" | "blocked" => Some("deny"),
        "allowed" => Some("allow"),
        key => near_name(key, keys::PERMISSIONS.iter().copied()),
    };
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "rules stand in `allow`, `ask` and `deny`, each `\"Tool(content)\"`".to_owned(),
    };
    sink.push(Finding::new(UNKNOWN_KEY, entry.span, text).severity(Severity::Error).help(help));
}

/// The texts of a list; what is none is left out, as the program does.
fn texts<'a>(entry: &'a Entry, sink: &mut Sink) -> Vec<(&'a str, Span)> {
    let Kind::Array(items) = &entry.value.kind else {
        let text = format!("`{}` must be a list of texts, not {}", entry.key, entry.value.what());
        sink.push(dropped(entry.value.span, text).help(format!("write `\"{}\": [...]`", entry.key)));
        return Vec::new();
    };
    let mut out = Vec::new();
    for item in items {
        match item.text() {
            Some(text) => out.push((text, item.span)),
            None if entry.key == "additionalDirectories" => {
                sink.push(dropped(item.span, format!("a folder is a text, not {}", item.what())));
            }
            None => {
                let text = format!("a rule is a text, not {}: Claude Code leaves it out", item.what());
                sink.push(Finding::new(INERT_KEY, item.span, text).help("write `\"Tool(content)\"`"));
            }
        }
    }
    out
}

fn list(entry: &Entry, section: Section, scope: Scope, said: &mut Said, sink: &mut Sink) {
    for (text, span) in texts(entry, sink) {
        let at = At { section, span, home: scope == Scope::User };
        said.rules.extend(rules::lower(text, at, sink));
    }
    if section == Section::Allow && scope == Scope::Project {
        trusted(entry, "allow rules", sink);
    }
}

fn directories(entry: &Entry, scope: Scope, said: &mut Said, sink: &mut Sink) {
    for (text, span) in texts(entry, sink) {
        let at = At { section: Section::Allow, span, home: scope == Scope::User };
        said.rules.extend(rules::directory(text, at));
    }
    if scope == Scope::Project {
        trusted(entry, "additional folders", sink);
    }
}

/// What a repository brings along counts only where a person trusts its folder.
fn trusted(entry: &Entry, what: &str, sink: &mut Sink) {
    if matches!(&entry.value.kind, Kind::Array(items) if items.is_empty()) {
        return;
    }
    let text = format!("{what} of a project's file count only in a folder that a person has trusted");
    let finding = Finding::new(INERT_KEY, entry.span, text).severity(Severity::Info);
    sink.push(finding.note("`claude -p` in a folder that is not trusted goes without them; deny and ask rules count"));
}

fn mode(entry: &Entry, scope: Scope, sink: &mut Sink) -> Option<Spanned<String>> {
    let text = entry.value.text().filter(|text| keys::MODES.contains(text));
    let Some(text) = text else {
        let said = entry.value.text().map_or(entry.value.what().to_owned(), |text| format!("`{}`", redact(text)));
        let text = format!("{said} is no mode: Claude Code leaves it out, and starts in another");
        let near = entry.value.text().and_then(|text| near_name(text, keys::MODES));
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("modes are {}", keys::MODES.join(", ")),
        };
        sink.push(Finding::new(INERT_KEY, entry.value.span, text).severity(Severity::Error).help(help));
        return None;
    };
    if scope == Scope::Project && matches!(text, "bypassPermissions" | "auto") {
        let said = format!("a project's file cannot start sessions in `{text}`: the key does nothing here");
        let finding = Finding::new(INERT_KEY, entry.value.span, said);
        sink.push(finding.help("it counts in `~/.claude/settings.json`"));
        return None;
    }
    let text = if text == "manual" { "default" } else { text };
    Some(Spanned::new(text.to_owned(), entry.value.span))
}

/// Hooks decide too, and what they decide is known only when they run.
fn hooks(entry: &Entry, sink: &mut Sink) {
    let Kind::Object(events) = &entry.value.kind else {
        let text = format!("`hooks` must be an object, not {}: Claude Code leaves it out", entry.value.what());
        return sink.push(Finding::new(INERT_KEY, entry.value.span, text));
    };
    for event in events.iter().filter(|event| matches!(event.key.as_str(), "PreToolUse" | "PermissionRequest")) {
        let text = format!("hooks of `{}` decide too: policyc does not know how, and leaves them out", event.key);
        let finding = Finding::new(OPAQUE_VALUE, event.span, text).severity(Severity::Info);
        sink.push(finding.confidence(Confidence::Undecided));
    }
}

/// Reports every text that looks like a token. What it holds is never printed.
fn secrets(node: &Node, key: &str, sink: &mut Sink) {
    match &node.kind {
        Kind::Array(items) => items.iter().for_each(|item| secrets(item, "", sink)),
        Kind::Object(entries) => entries.iter().for_each(|entry| secrets(&entry.value, &entry.key, sink)),
        Kind::String(text) => {
            // The key announces its value: `"apiKey": "..."`.
            let announced = if key.is_empty() { text.clone() } else { format!("{key} {text}") };
            if secret::find(&announced).iter().any(|range| range.end > key.len()) {
                let text = "a token stands in these settings, for everyone who can read them";
                let finding = Finding::new(LITERAL_SECRET, node.span, text);
                sink.push(finding.help("put it into a variable of your shell, and revoke this one"));
            }
        }
        _ => {}
    }
}
