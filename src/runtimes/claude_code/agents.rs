//! `.claude/agents/NAME.md`: the tools that an agent has, and the mode it runs in.

use super::keys::MODES;
use super::names;
use super::spec::{self, Section};
use crate::diagnostic::{Finding, Severity, Sink, near_name};
use crate::runtimes::codes::*;
use crate::runtimes::opencode::frontmatter::{self, Fields};
use crate::runtimes::opencode::json::{Entry, Kind, Node};
use crate::secret::redact;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::ast::Name;
use camino::Utf8Path;

/// A name of a tool, or of a server's tools, as the field writes it.
pub(super) type Tool = Spanned<String>;

/// An agent's file.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) description: Option<Name>,
    pub(super) model: Option<Name>,
    pub(super) color: Option<Name>,
    /// The tools it has; `None`: all.
    pub(super) tools: Option<Vec<Tool>>,
    /// Tools taken away from those.
    pub(super) without: Vec<Tool>,
    pub(super) mode: Option<Spanned<String>>,
    /// The text below the fields.
    pub(super) prompt: Option<Name>,
}

/// Fields of the frontmatter that are known.
const FIELDS: [&str; 18] = [
    "name",
    "description",
    "tools",
    "disallowedTools",
    "model",
    "permissionMode",
    "color",
    "hooks",
    "skills",
    "mcpServers",
    "maxTurns",
    "memory",
    "background",
    "isolation",
    "effort",
    "initialPrompt",
    "when_to_use",
    "version",
];

/// Reads a file; `None`: the program loads no agent from it.
pub(super) fn read(file: FileId, path: &Utf8Path, text: &str, sink: &mut Sink) -> Option<Agent> {
    let read = frontmatter::read(file, text);
    let not_loaded = "Claude Code loads no agent from this file";
    let node = match read.fields {
        Fields::Some(node) => node,
        Fields::Once(node, failure) => {
            let text = format!("the frontmatter is no YAML: {}", failure.message);
            sink.push(Finding::new(LOADS_EMPTY, failure.span, text).severity(Severity::Warning).help("quote the text"));
            node
        }
        Fields::None => return None,
        Fields::Unseen(span) => {
            let text = "the frontmatter is not seen: it must start on the first line";
            sink.push(Finding::new(LOADS_EMPTY, span, text).note(not_loaded).help("delete what stands before `---`"));
            return None;
        }
        Fields::Empty(failure) | Fields::Skipped(failure) => {
            let text = format!("the frontmatter does not parse: {}", failure.message);
            sink.push(Finding::new(LOADS_EMPTY, failure.span, text).note(not_loaded).help("quote keys and values"));
            return None;
        }
    };
    let Kind::Object(entries) = &node.kind else { return None };
    entries.iter().filter(|entry| !FIELDS.contains(&entry.key.as_str())).for_each(|entry| stranger(entry, sink));
    let text_of = |key: &str| {
        let entry = node.entry(key)?;
        Some(Spanned::new(entry.value.text()?.to_owned(), entry.value.span))
    };
    let start = Span::new(file, 0..0);
    let name = text_of("name").unwrap_or_else(|| {
        let stem = path.file_stem().unwrap_or_default().to_owned();
        let text = "an agent's file without `name` loads no agent";
        sink.push(Finding::new(LOADS_EMPTY, start, text).help(format!("write `name: {stem}`")));
        Spanned::new(stem, start)
    });
    if text_of("description").is_none() {
        let text = "an agent's file without `description` loads no agent";
        sink.push(Finding::new(LOADS_EMPTY, name.span, text).help("say when the agent is to be used"));
    }
    let body = text.get(read.body.start as usize..read.body.end as usize).unwrap_or_default();
    Some(Agent {
        span: node.span,
        description: text_of("description"),
        model: text_of("model"),
        color: text_of("color"),
        tools: node.get("tools").map(|node| tools(node, sink)).filter(|tools| !tools.is_empty()),
        without: node.get("disallowedTools").map(|node| tools(node, sink)).unwrap_or_default(),
        mode: mode(&node, sink),
        prompt: (!body.is_empty()).then(|| Spanned::new(body.to_owned(), read.body)),
        name,
    })
}

fn stranger(entry: &Entry, sink: &mut Sink) {
    let key = redact(&entry.key).into_owned();
    let (code, text, help) = match entry.key.as_str() {
        "permission" | "permissions" | "mode" | "temperature" => (
            FOREIGN_KEY,
            format!("`{key}` is a field of OpenCode: Claude Code does nothing with it"),
            "an agent's rules are its `tools`, `disallowedTools` and `permissionMode`".to_owned(),
        ),
        "allowed-tools" | "allowedTools" => (
            UNKNOWN_KEY,
            format!("an agent has no field `{key}`: Claude Code takes it without a word"),
            "write `tools`".to_owned(),
        ),
        key_text => match near_name(key_text, FIELDS).filter(|_| key_text.len() > 3) {
            Some(near) => (
                UNKNOWN_KEY,
                format!("an agent has no field `{key}`: Claude Code takes it without a word"),
                format!("did you mean `{near}`?"),
            ),
            None => return,
        },
    };
    sink.push(Finding::new(code, entry.span, text).help(help));
}

/// A list of tools: one text with commas, or a list.
fn tools(node: &Node, sink: &mut Sink) -> Vec<Tool> {
    let texts: Vec<(String, Span)> = match &node.kind {
        Kind::String(text) => split(text).map(|name| (name, node.span)).collect(),
        Kind::Array(items) => {
            items.iter().filter_map(|item| Some((item.text()?.trim().to_owned(), item.span))).collect()
        }
        _ => Vec::new(),
    };
    let mut out = Vec::new();
    for (text, span) in texts.into_iter().filter(|(text, _)| !text.is_empty()) {
        let name = match spec::parse(&text, Section::Deny) {
            Ok(spec) => {
                if spec.content.is_some() {
                    let said =
                        format!("`{}` names a tool here: what stands in parentheses does not count", redact(&text));
                    let finding = Finding::new(INERT_KEY, span, said);
                    sink.push(finding.help("write the tool's name, and the rule under `permissions` of the settings"));
                }
                spec.tool
            }
            Err((why, help)) => {
                sink.push(
                    Finding::new(INERT_KEY, span, format!("`{}` names no tool: {why}", redact(&text))).help(help),
                );
                continue;
            }
        };
        let server = name.starts_with("mcp__") || name == "*";
        if !server && !names::is_known(&name) {
            let known = names::TOOLS.iter().map(|(name, _)| *name);
            let help = match names::replacement(&name).or_else(|| near_name(&name, known)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "check its spelling".to_owned(),
            };
            let text = format!("Claude Code has no tool `{}`", redact(&name));
            sink.push(Finding::new(UNKNOWN_KEY, span, text).help(help));
        }
        out.push(Spanned::new(name, span));
    }
    out
}

/// Names between commas that stand in no parentheses.
fn split(text: &str) -> impl Iterator<Item = String> + '_ {
    let mut depth = 0_i32;
    text.split(move |letter: char| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth <= 0
    })
    .map(|name| name.trim().to_owned())
}

fn mode(node: &Node, sink: &mut Sink) -> Option<Spanned<String>> {
    let entry = node.entry("permissionMode")?;
    let text = entry.value.text().filter(|text| MODES.contains(text));
    if text.is_none() {
        let said = entry.value.text().map_or(entry.value.what().to_owned(), |text| format!("`{}`", redact(text)));
        let finding = Finding::new(INERT_KEY, entry.value.span, format!("{said} is no mode: it does nothing"));
        sink.push(finding.help(format!("modes are {}", MODES.join(", "))));
    }
    let text = if text? == "manual" { "default" } else { text? };
    Some(Spanned::new(text.to_owned(), entry.value.span))
}
