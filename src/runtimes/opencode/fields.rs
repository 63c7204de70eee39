//! Fields of configs and agents: those of the wrong shape, which the program refuses, those that are there twice, and those
//! nobody knows.

use super::json::{Entry, Kind, Node};
use super::keys::{self, *};
use crate::diagnostic::{Finding, Sink, near_name};
use crate::model::RESERVED_KEY;
use crate::secret::redact;
use rustc_hash::FxHashMap;

/// What a source is, for what is said of its faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The program refuses to start.
    NoStart,
    /// The program drops the file.
    Dropped,
}

impl Fault {
    /// What the fault leads to.
    pub(super) fn outcome(self) -> &'static str {
        match self {
            Fault::NoStart => "OpenCode 1.18 refuses to start with this",
            Fault::Dropped => "OpenCode 1.18 drops the whole file, without a word",
        }
    }

    /// A finding for it.
    pub(super) fn finding(self, span: crate::source::Span, text: impl Into<String>) -> Finding {
        Finding::new(REFUSED, span, text).note(self.outcome())
    }
}

/// Entries without repetition: of a repeated key the first place and the last value, as the program reads it.
pub(super) fn unique(entries: &[Entry], sink: &mut Sink) -> Vec<Entry> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut out: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        if entry.key == "__proto__" {
            let finding =
                Finding::new(RESERVED_KEY, entry.span, "`__proto__` cannot be a key: JavaScript keeps it for itself")
                    .note("OpenCode reads the file without it")
                    .help("choose another name");
            sink.push(finding);
            continue;
        }
        match places.get(entry.key.as_str()).and_then(|at| out.get_mut(*at)) {
            Some(old) => {
                let text = format!("the key `{}` is there twice", redact(&entry.key));
                let finding = Finding::new(DUPLICATE_KEY, old.span, text)
                    .label("its value is dropped, its place is kept")
                    .related(entry.span, "this value counts")
                    .help("keep one of them");
                sink.push(finding);
                *old = entry.clone();
            }
            None => {
                places.insert(&entry.key, out.len());
                out.push(entry.clone());
            }
        }
    }
    out
}

/// Whether a value has the shape of its field; if not that is reported.
pub(super) fn fits(entry: &Entry, shape: Shape, fault: Fault, sink: &mut Sink) -> bool {
    let value = &entry.value;
    if value.text().is_some_and(is_opaque) {
        return true;
    }
    let Some(wanted) = unfit(value, shape) else { return true };
    let said = match &value.kind {
        Kind::String(text) => format!("`{}`", redact(text)),
        Kind::Number(number) => format!("`{number}`"),
        _ => value.what().to_owned(),
    };
    let text = format!("`{}` must be {wanted}, not {said}", entry.key);
    let mut finding = fault.finding(value.span, text);
    if let (Shape::OneOf(words), Some(text)) = (shape, value.text())
        && let Some(near) = near_name(text, words.iter().copied())
    {
        finding = finding.help(format!("did you mean `{near}`?"));
    }
    sink.push(finding);
    false
}

/// What a value should be, if it is not.
fn unfit(value: &Node, shape: Shape) -> Option<String> {
    let wanted = |good: bool, wanted: &str| (!good).then(|| wanted.to_owned());
    let texts = |items: &[Node]| items.iter().all(|item| item.text().is_some());
    match (shape, &value.kind) {
        (Shape::Any, _) => None,
        (Shape::Text, kind) => wanted(matches!(kind, Kind::String(_)), "a text"),
        (Shape::Model, kind) => wanted(matches!(kind, Kind::String(_) | Kind::Object(_)), "a text"),
        (Shape::Flag, kind) => wanted(matches!(kind, Kind::Bool(_)), "true or false"),
        (Shape::Number, kind) => wanted(matches!(kind, Kind::Number(n) if n.is_finite()), "a number"),
        (Shape::Positive, kind) => {
            wanted(matches!(kind, Kind::Number(n) if n.fract() == 0.0 && *n > 0.0), "a whole number from 1 on")
        }
        (Shape::Count, kind) => {
            wanted(matches!(kind, Kind::Number(n) if n.fract() == 0.0 && *n >= 0.0), "a whole number")
        }
        (Shape::Object, kind) => wanted(matches!(kind, Kind::Object(_)), "an object"),
        (Shape::List, kind) => wanted(matches!(kind, Kind::Array(_)), "a list"),
        (Shape::Texts, kind) => wanted(matches!(kind, Kind::Array(items) if texts(items)), "a list of texts"),
        (Shape::FlagOrObject, kind) => {
            wanted(matches!(kind, Kind::Bool(_) | Kind::Object(_)), "true, false or an object")
        }
        (Shape::Flags, Kind::Object(entries)) => {
            let good = entries.iter().all(|entry| matches!(entry.value.kind, Kind::Bool(_)));
            wanted(good, "an object of tools, each true or false")
        }
        (Shape::Flags, _) => Some("an object of tools, each true or false".to_owned()),
        (Shape::OneOf(words), kind) => {
            let good = matches!(kind, Kind::String(text) if words.contains(&text.as_str()));
            let list: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            wanted(good, &format!("one of {}", list.join(", ")))
        }
        (Shape::FlagOr(word), kind) => {
            let good = matches!(kind, Kind::Bool(_)) || matches!(kind, Kind::String(text) if text == word);
            wanted(good, &format!("true, false or `{word}`"))
        }
        (Shape::Colour, kind) => {
            let good = matches!(kind, Kind::String(text) if is_colour(text));
            wanted(good, "a colour like `#ff5733` or the name of a theme's colour")
        }
    }
}

fn is_colour(text: &str) -> bool {
    let hex = text.strip_prefix('#').is_some_and(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    hex || COLOURS.contains(&text)
}

/// Says that a key of a config file is another runtime's, or nobody's.
pub(super) fn stranger(entry: &Entry, known: &[(&str, Shape)], sink: &mut Sink) {
    let key = redact(&entry.key);
    if let Some((whose, instead)) = keys::foreign(&entry.key) {
        let text = format!("`{key}` is a key of {whose}: OpenCode does nothing with it");
        sink.push(Finding::new(FOREIGN_KEY, entry.span, text).help(instead));
        return;
    }
    let mut finding = Finding::new(UNKNOWN_KEY, entry.span, format!("OpenCode knows no key `{key}`, and drops it"));
    finding = match near_name(&entry.key, keys::names(known)) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding.help("delete it, or check its spelling"),
    };
    sink.push(finding);
}

/// Reports every text of a config that looks like a token. What it holds is never printed.
pub(super) fn secrets(node: &Node, sink: &mut Sink) {
    match &node.kind {
        Kind::Array(items) => items.iter().for_each(|item| secrets(item, sink)),
        Kind::Object(entries) => {
            for entry in entries {
                secret(&entry.key, entry.span, "", sink);
                match entry.value.text() {
                    Some(text) => secret(text, entry.value.span, &entry.key, sink),
                    None => secrets(&entry.value, sink),
                }
            }
        }
        Kind::String(text) => secret(text, node.span, "", sink),
        _ => {}
    }
}

fn secret(text: &str, span: crate::source::Span, key: &str, sink: &mut Sink) {
    // The key announces its value: `"apiKey": "..."`.
    let announced = format!("{key} {text}");
    let found = if key.is_empty() { crate::secret::find(text) } else { crate::secret::find(&announced) };
    if found.iter().any(|range| range.end > key.len()) {
        let finding = Finding::new(LITERAL_SECRET, span, "a token stands in this config, for everyone who can read it")
            .help("put it into a variable and write `{env:NAME}`, and revoke this one");
        sink.push(finding);
    }
}
