//! Agents of version 1: entries of `agent` and `mode`, files of agent folders, and what 1.18 takes from version 2's `agents`.

use super::fields::{Fault, fits, unique};
use super::json::{Entry, Kind, Node};
use super::keys::{self, *};
use super::merge::ordered;
use super::rules;
use crate::diagnostic::{Finding, Sink, near_name};
use crate::secret::redact;
use crate::source::Span;

/// Where an agent is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// In a config.
    Json,
    /// In a file of its own.
    Markdown,
}

/// The agents of a file's `agent` or `mode`. What the program refuses is reported and left out.
pub(super) fn agents(node: &Node, fault: Fault, sink: &mut Sink) -> Vec<Entry> {
    let Some(entries) = node.entries() else {
        let text = format!("agents are an object, not {}", node.what());
        sink.push(fault.finding(node.span, text));
        return Vec::new();
    };
    let mut out = unique(entries, sink);
    out.retain_mut(|entry| match fields(&entry.value, Form::Json, fault, sink) {
        Some(fields) => {
            entry.value.kind = Kind::Object(fields);
            true
        }
        None => false,
    });
    out
}

/// One agent's fields as the program keeps them: `tools` and `permission` become one `permission`, `maxSteps` is `steps`.
pub(super) fn fields(node: &Node, form: Form, fault: Fault, sink: &mut Sink) -> Option<Vec<Entry>> {
    let Some(entries) = node.entries() else {
        let text = format!("an agent is an object, not {}", node.what());
        sink.push(fault.finding(node.span, text));
        return None;
    };
    let mut entries = unique(entries, sink);
    plural(&entries, form, fault, sink);
    entries.retain(|entry| match keys::shape(AGENT, &entry.key) {
        Some(shape) => fits(entry, shape, fault, sink),
        None => {
            option(entry, sink);
            true
        }
    });
    let tools = entries.iter().find(|entry| entry.key == "tools").and_then(|entry| entry.value.entries());
    let mut permission = tools.map(rules::tools).unwrap_or_default();
    let written = entries.iter().find(|entry| entry.key == "permission");
    let span = written.map_or(node.span, |entry| entry.value.span);
    if let Some(written) = written {
        assign(&mut permission, rules::permission(&written.value, fault, sink));
    }
    let (key, comments) = written.map_or((span, Default::default()), |entry| (entry.span, entry.comments.clone()));
    let has_steps = entries.iter().any(|entry| entry.key == "steps");
    entries.retain(|entry| match entry.key.as_str() {
        "tools" | "permission" => false,
        "maxSteps" => !has_steps,
        _ => true,
    });
    for entry in entries.iter_mut().filter(|entry| entry.key == "maxSteps") {
        entry.key = "steps".to_owned();
    }
    let value = Node { kind: Kind::Object(permission), span };
    entries.push(Entry { key: "permission".to_owned(), span: key, value, comments });
    Some(entries)
}

/// Puts later entries over earlier ones: the value is replaced, the place stays.
fn assign(under: &mut Vec<Entry>, over: Vec<Entry>) {
    for entry in over {
        match under.iter_mut().find(|known| known.key == entry.key) {
            Some(known) => *known = entry,
            None => under.push(entry),
        }
    }
}

/// A field that is no field of agents is an option for the model's provider; near misses are slips.
fn option(entry: &Entry, sink: &mut Sink) {
    let key = entry.key.as_str();
    if key == "permissions" {
        return;
    }
    if let Some((whose, instead)) = keys::foreign(key) {
        let text =
            format!("`{key}` is a key of {whose}: OpenCode hands it to the model's provider and does nothing with it");
        sink.push(Finding::new(FOREIGN_KEY, entry.span, text).help(instead));
        return;
    }
    // `topK`, `top_k`: options that many models have.
    let near = match key {
        "disabled" => Some("disable"),
        _ if key.starts_with("top") => None,
        _ => near_name(key, keys::names(AGENT)),
    };
    if let Some(near) = near.filter(|near| key.len() > 2 && *near != "name") {
        let text = format!("an agent has no field `{}`: OpenCode takes it for an option of the model", redact(key));
        sink.push(Finding::new(UNKNOWN_KEY, entry.span, text).help(format!("did you mean `{near}`?")));
    }
}

/// Version 2's `permissions` in an agent of version 1.
fn plural(entries: &[Entry], form: Form, fault: Fault, sink: &mut Sink) {
    if let Some(entry) = entries.iter().find(|entry| entry.key == "permissions") {
        let text = "`permissions` is version 2's word: 1.18 knows `permission`";
        let finding = match form {
            // Files are not looked at for it; their `permissions` is an option for the model's provider.
            Form::Markdown => Finding::new(LOADS_EMPTY, entry.span, text).note("the agent loads without these rules"),
            Form::Json => fault.finding(entry.span, text),
        };
        sink.push(finding.help("write `permission: {edit: deny}`, or choose version 2 with `--runtime-version 2`"));
    }
}

/// `agents` in a file of version 1: of the agents that `agent` does not name, the fields both versions share.
pub(super) fn compatible(node: &Node, known: &[Entry], sink: &mut Sink) -> Vec<Entry> {
    let Some(entries) = node.entries() else { return Vec::new() };
    let mut out = Vec::new();
    for entry in unique(entries, sink) {
        let name = redact(&entry.key).into_owned();
        let Some(fields) = entry.value.entries() else { continue };
        plural(fields, Form::Json, Fault::NoStart, sink);
        if known.iter().any(|known| known.key == entry.key) {
            let text = format!("1.18 drops this `{name}`: the file has one under `agent` too");
            sink.push(Finding::new(LOADS_EMPTY, entry.span, text).help("keep one of them"));
            continue;
        }
        if let Some(rules) = fields.iter().find(|field| matches!(field.key.as_str(), "permission" | "tools")) {
            let text =
                format!("`{}` of `{name}` is dropped: under `agents` 1.18 reads version 2's fields alone", rules.key);
            sink.push(Finding::new(LOADS_EMPTY, rules.span, text).help("move the agent to `agent`"));
        }
        let mut quiet = Sink::default();
        let good = fields.iter().all(|field| {
            keys::shape(AGENT_2, &field.key).is_none_or(|shape| fits(field, shape, Fault::NoStart, &mut quiet))
        });
        if !good {
            let text = format!("1.18 drops this `{name}`: one of its fields is not what version 2 takes");
            let fault = quiet.into_findings().into_iter().next();
            let finding = Finding::new(LOADS_EMPTY, entry.span, text);
            sink.push(match fault {
                Some(fault) => finding.related(fault.primary.span, fault.message),
                None => finding,
            });
            continue;
        }
        let fields = fields.iter().filter_map(shared).collect();
        out.push(Entry { value: Node { kind: Kind::Object(fields), span: entry.value.span }, ..entry });
    }
    out
}

/// A field of version 2 by the name that 1.18 keeps it under.
fn shared(field: &Entry) -> Option<Entry> {
    let key = match field.key.as_str() {
        "description" | "mode" | "hidden" | "color" | "steps" | "model" => field.key.as_str(),
        "system" => "prompt",
        "disabled" => "disable",
        _ => return None,
    };
    let mut field = field.clone();
    field.key = key.to_owned();
    // A model may name its variant: `provider/model#variant`.
    if let Kind::String(text) = &mut field.value.kind
        && key == "model"
    {
        text.truncate(text.find('#').unwrap_or(text.len()));
    }
    Some(field)
}

/// The name of an agent by its file: the path below the folder of agents, `.md` left out.
pub(super) fn name_of(path: &camino::Utf8Path, folders: &[&str]) -> String {
    let parts: Vec<&str> = path.as_str().split(['/', '\\']).collect();
    let under =
        |at: usize| at.checked_sub(1).and_then(|at| parts.get(at)).is_some_and(|parent| parent.ends_with("opencode"));
    let folder = |at: &usize| parts.get(*at).is_some_and(|part| folders.contains(part)) && *at + 1 < parts.len();
    let places: Vec<usize> = (0..parts.len()).filter(folder).collect();
    let start = places.iter().find(|at| under(**at)).or(places.last());
    let rest = start.map_or(parts.len().saturating_sub(1), |at| at + 1);
    let name = parts.get(rest..).unwrap_or_default().join("/");
    name.strip_suffix(".md").unwrap_or(&name).to_owned()
}

/// The agent of a file: its fields, the text below them as its prompt, and the name it gives itself.
pub(super) fn file(fields: Vec<Entry>, prompt: Span, text: &str, name: String, at: Span) -> Entry {
    let named = ordered(&fields).into_iter().find(|entry| entry.key == "name").map(|entry| match &entry.value.kind {
        Kind::String(text) => (text.clone(), entry.value.span),
        other => (Node { kind: other.clone(), span: entry.span }.plain().to_string(), entry.value.span),
    });
    let (key, span) = named.unwrap_or((name, at));
    let mut fields: Vec<Entry> =
        fields.into_iter().filter(|entry| !matches!(entry.key.as_str(), "prompt" | "name")).collect();
    if !text.is_empty() {
        fields.push(rules::entry("prompt", prompt, Node { kind: Kind::String(text.to_owned()), span: prompt }));
    }
    Entry { key, span, value: Node { kind: Kind::Object(fields), span: at }, comments: Default::default() }
}
