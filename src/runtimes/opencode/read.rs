//! Sources to a policy: each read by its kind, merged as OpenCode merges them, written down in the language.

use super::fields::{Fault, fits, secrets, stranger, unique};
use super::frontmatter::{self, Fields};
use super::json::{self, Entry, Kind, Node};
use super::keys::{self, *};
use super::merge::{self, Said};
use super::policy::{self, Parts};
use super::{OpenCode, agents, annotations, rules, v2, yaml};
use crate::diagnostic::{Finding, Severity, Sink};
use crate::runtimes::{Reading, Source, Version};
use crate::source::{SourceMap, Span};
use crate::syntax::SYNTAX_ERROR;
use crate::syntax::ast::Name;
use camino::Utf8Path;

/// What a source is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum As {
    /// A config in JSON (or YAML, which OpenCode does not read).
    Config,
    /// A markdown file of an agent.
    Agent,
    /// A markdown file of a mode.
    Mode,
    /// The variable OPENCODE_PERMISSION.
    Variable,
}

/// A source that could be read.
#[derive(Debug)]
pub(super) struct Parsed<'a> {
    pub(super) source: &'a Source,
    pub(super) kind: As,
    pub(super) node: Node,
    /// The text below the fields, in a markdown file.
    pub(super) body: Span,
}

/// Reads all sources, lowest precedence first.
pub(super) fn read(
    sources: &[Source],
    texts: &SourceMap,
    asked: Option<&'static Version>,
    sink: &mut Sink,
) -> (&'static Version, Reading) {
    let parsed: Vec<Parsed<'_>> = sources.iter().filter_map(|source| parse(source, texts, sink)).collect();
    let shown = || if parsed.iter().any(|one| v2::is_second(one)) { OpenCode::two() } else { OpenCode::one() };
    let version = asked.unwrap_or_else(shown);
    let Some(first) = sources.first() else { return (version, Reading::default()) };
    let at = Span::new(first.file, 0..0);
    for one in &parsed {
        secrets(&one.node, sink);
    }
    let servers = parsed.iter().filter(|one| one.kind == As::Config).flat_map(|one| servers(&one.node)).collect();
    let (merged, written) = match version.id == OpenCode::two().id {
        true => (v2::parts(&parsed, texts, sink), None),
        false => first_version(&parsed, at, texts, sink),
    };
    let as_written = written.map(|parts| policy::policy(parts, version.id, at));
    let ignores = parsed.iter().flat_map(|one| {
        let text = texts.file(one.source.file).map_or("", |file| file.text());
        annotations::all(one.source.file, one.source.path.as_str(), text)
    });
    let ignores = ignores.collect();
    (version, Reading { policy: policy::policy(merged, version.id, at), as_written, ignores, servers })
}

/// The servers that a config starts, as the permissions of their tools begin: other characters become `_`.
fn servers(node: &Node) -> Vec<Name> {
    let Some(Kind::Object(entries)) = node.get("mcp").map(|node| &node.kind) else { return Vec::new() };
    let on = |entry: &&Entry| !matches!(entry.value.get("enabled").map(|node| &node.kind), Some(Kind::Bool(false)));
    let name = |entry: &Entry| {
        let fits = |letter: char| if letter.is_ascii_alphanumeric() || "_-".contains(letter) { letter } else { '_' };
        Name::new(entry.key.chars().map(fits).collect(), entry.span)
    };
    entries.iter().filter(on).map(name).collect()
}

fn parse<'a>(source: &'a Source, texts: &SourceMap, sink: &mut Sink) -> Option<Parsed<'a>> {
    let text = texts.file(source.file).map_or("", |file| file.text());
    let whole = Span::new(source.file, 0..0);
    let done = |kind, node| Some(Parsed { source, kind, node, body: whole });
    match (source.kind, source.path.extension()) {
        ("content", _) if text.starts_with('\u{feff}') => {
            let text = "a byte order mark stands in front of the variable's JSON";
            sink.push(Finding::new(SYNTAX_ERROR, Span::new(source.file, 0..3), text).help("take it away"));
            None
        }
        ("permission", _) => done(As::Variable, variable(source, text, sink)?),
        ("mode-file", _) => markdown(source, text, As::Mode, sink),
        ("agent-file", _) | (_, Some("md")) => markdown(source, text, kind_of(&source.path), sink),
        (_, Some("yml" | "yaml")) => {
            let finding = Finding::new(REFUSED, whole, "OpenCode does not read YAML: this file changes nothing")
                .note("policyc reads it as if it were the JSON it stands for");
            sink.push(finding.help("write it as `opencode.json`"));
            match yaml::parse(source.file, text) {
                Ok(node) => done(As::Config, node),
                Err(failure) => {
                    sink.push(Finding::new(SYNTAX_ERROR, failure.span, failure.message));
                    None
                }
            }
        }
        _ => done(As::Config, json::parse(source.file, text, sink)?),
    }
}

fn kind_of(path: &Utf8Path) -> As {
    let folder = path.parent().and_then(Utf8Path::file_name);
    if matches!(folder, Some("mode" | "modes")) { As::Mode } else { As::Agent }
}

/// The variable is plain JSON, and skipped where it is none. A text or list becomes an object of its pieces.
fn variable(source: &Source, text: &str, sink: &mut Sink) -> Option<Node> {
    let span = Span::new(source.file, 0..text.len());
    if serde_json::from_str::<serde::de::IgnoredAny>(text).is_err() {
        let finding = Finding::new(LOADS_EMPTY, span, "OPENCODE_PERMISSION is no JSON: OpenCode skips it");
        sink.push(finding.help("check the quotes: `{\"edit\":\"deny\"}`"));
        return None;
    }
    let node = json::parse(source.file, text, sink)?;
    let pieces: Vec<Node> = match node.kind {
        Kind::Object(_) => return Some(node),
        Kind::Array(items) => items,
        Kind::String(text) => {
            text.chars().map(|c| Node { kind: Kind::String(c.to_string()), span: node.span }).collect()
        }
        _ => Vec::new(),
    };
    let finding = Finding::new(LOADS_EMPTY, span, "OPENCODE_PERMISSION takes an object and no shorthand");
    sink.push(finding.help("write `{\"*\":\"allow\"}` for all permissions"));
    let entries = pieces.into_iter().enumerate().map(|(at, piece)| rules::entry(&at.to_string(), span, piece));
    Some(Node { kind: Kind::Object(entries.collect()), span })
}

fn markdown<'a>(source: &'a Source, text: &str, kind: As, sink: &mut Sink) -> Option<Parsed<'a>> {
    let read = frontmatter::read(source.file, text);
    let at = Span::new(source.file, 0..0);
    let nothing = Node { kind: Kind::Object(Vec::new()), span: at };
    let without = "the agent loads with no fields: no rules of its own, mode `all`, the whole file as its prompt";
    let node = match read.fields {
        Fields::Some(node) => fields_of(node, text, sink),
        Fields::Once(node, failure) => {
            if node.get("permission").or(node.get("tools")).is_some() {
                let finding = Finding::new(
                    LOADS_EMPTY,
                    failure.span,
                    "the frontmatter is no YAML, and is read right only once",
                )
                .severity(Severity::Warning)
                .note("a process that reads this file a second time (another project, a reload) drops all its fields");
                sink.push(finding.help("quote the text: `description: \"Use when: ...\"`"));
            }
            fields_of(node, text, sink)
        }
        Fields::None => nothing,
        Fields::Unseen(span) => {
            let finding =
                Finding::new(LOADS_EMPTY, span, "the frontmatter is not seen: it must start on the first line");
            sink.push(finding.note(without).help("delete what stands before `---`"));
            nothing
        }
        Fields::Empty(failure) => {
            let text = format!("the frontmatter does not parse, and is dropped: {}", failure.message);
            sink.push(Finding::new(LOADS_EMPTY, failure.span, text).note(without).help(mend(&failure.message)));
            nothing
        }
        Fields::Skipped(failure) => {
            let text = format!("the frontmatter does not parse: {}", failure.message);
            sink.push(Fault::Dropped.finding(failure.span, text).help(mend(&failure.message)));
            return None;
        }
    };
    Some(Parsed { source, kind, node, body: read.body })
}

/// What to do about frontmatter that does not parse.
fn mend(message: &str) -> &'static str {
    match message {
        message if message.contains("twice") => "keep one of them",
        message if message.contains("language") => "write YAML, between two lines of `---` alone",
        _ => "quote every key and value with other characters than letters: `\"*\": deny`",
    }
}

/// Fields that are no object are none; a tab in front of a line ends the object above it.
fn fields_of(node: Node, text: &str, sink: &mut Sink) -> Node {
    let span = node.span;
    let Kind::Object(entries) = &node.kind else {
        let finding = Finding::new(LOADS_EMPTY, span, format!("the frontmatter is {}, not fields", node.what()));
        sink.push(finding.help("write one `key: value` a line"));
        return Node { kind: Kind::Object(Vec::new()), span };
    };
    for entry in entries {
        let before = text.get(..entry.span.start as usize).unwrap_or("");
        let indent = before.rsplit('\n').next().unwrap_or("");
        if indent.contains('\t') && indent.trim().is_empty() {
            let finding = Finding::new(
                LOADS_EMPTY,
                entry.span,
                "a tab does not indent: this is a field of the agent, not a rule",
            );
            sink.push(finding.help("indent with blanks"));
        }
    }
    node
}

/// Version 1: sources merged key by key; and their rules one after another.
fn first_version(parsed: &[Parsed<'_>], at: Span, texts: &SourceMap, sink: &mut Sink) -> (Parts, Option<Parts>) {
    let mut config: Vec<Entry> = Vec::new();
    let mut written = Parts::default();
    let mut folder: Option<(Vec<Entry>, As, String)> = None;
    let mut variable: Vec<Entry> = Vec::new();
    for one in parsed {
        let place = folder_of(&one.source.path);
        if folder.as_ref().is_some_and(|(_, kind, open)| *kind != one.kind || *open != place) {
            flush(&mut folder, &mut config, texts, sink);
        }
        match one.kind {
            As::Config => {
                let entries = decode(one, sink);
                add_written(&mut written, &entries);
                merge::deep(&mut config, entries, &mut Said { texts, sink });
            }
            As::Agent | As::Mode => {
                let Some(agent) = file_agent(one, texts, sink) else { continue };
                add_agent(&mut written, &agent);
                let (entries, _, _) = folder.get_or_insert_with(|| (Vec::new(), one.kind, place));
                put_file(entries, agent, sink);
            }
            As::Variable => {
                let mut entries = unique(one.node.entries().unwrap_or_default(), sink);
                entries.retain(|entry| known_word(entry, sink));
                written.user.extend(rules::rules_as_written(&entries));
                variable = entries;
            }
        }
    }
    flush(&mut folder, &mut config, texts, sink);
    let config = Node { kind: Kind::Object(finish(config, variable, texts, sink)), span: at };
    let merged = policy::parts(&config);
    (written.default_agent, written.depth) = (merged.default_agent.clone(), merged.depth);
    let same = same_rules(&merged, &written);
    (merged, (!same).then_some(written))
}

/// The folder whose agent files are read together.
fn folder_of(path: &Utf8Path) -> String {
    let text = path.as_str();
    ["/agents/", "/agent/", "/modes/", "/mode/"].iter().filter_map(|part| text.find(part)).min().map_or_else(
        || path.parent().map(|parent| parent.to_string()).unwrap_or_default(),
        |at| text.get(..at).unwrap_or("").to_owned(),
    )
}

fn flush(folder: &mut Option<(Vec<Entry>, As, String)>, config: &mut Vec<Entry>, texts: &SourceMap, sink: &mut Sink) {
    if let Some((agents, _, _)) = folder.take() {
        let Some(span) = agents.first().map(|entry| entry.span) else { return };
        let entry = rules::entry("agent", span, Node { kind: Kind::Object(agents), span });
        merge::deep(config, vec![entry], &mut Said { texts, sink });
    }
}

/// Of two files of one folder that name the same agent the later one counts, whole.
fn put_file(agents: &mut Vec<Entry>, agent: Entry, sink: &mut Sink) {
    match agents.iter_mut().find(|known| known.key == agent.key) {
        Some(known) => {
            let text = format!("another file of this folder defines `{}` too, and is read later", agent.key);
            let finding = Finding::new(SOURCE_OUTRANKED, known.span, text).severity(Severity::Warning);
            sink.push(finding.related(agent.span, "this one counts").help("rename one of them"));
            *known = agent;
        }
        None => agents.push(agent),
    }
}

fn file_agent(one: &Parsed<'_>, texts: &SourceMap, sink: &mut Sink) -> Option<Entry> {
    let mode = one.kind == As::Mode;
    // A faulty agent file stops the start, a faulty mode file is dropped.
    let fault = if mode { Fault::Dropped } else { Fault::NoStart };
    let before = sink.findings().len();
    let mut fields = agents::fields(&one.node, agents::Form::Markdown, fault, sink)?;
    let refused = sink.findings().iter().skip(before).any(|finding| finding.code == REFUSED);
    if mode && refused {
        return None;
    }
    let folders: &[&str] = if mode { &["mode", "modes"] } else { &["agent", "agents"] };
    let name = agents::name_of(&one.source.path, folders);
    let body = texts.slice(one.body);
    let at = Span::new(one.source.file, 0..one.body.start.min(one.body.end) as usize);
    if mode {
        fields.retain(|field| field.key != "mode");
        fields.push(rules::entry("mode", at, Node { kind: Kind::String("primary".to_owned()), span: at }));
    }
    Some(agents::file(fields, one.body, body, name, at))
}

/// A config file's fields that matter here, checked.
fn decode(one: &Parsed<'_>, sink: &mut Sink) -> Vec<Entry> {
    let fault = Fault::NoStart;
    let Some(entries) = one.node.entries() else {
        let text = format!("a config is an object, not {}", one.node.what());
        sink.push(fault.finding(one.node.span, text));
        return Vec::new();
    };
    let entries = unique(entries, sink);
    let named: Vec<Entry> = entries
        .iter()
        .filter(|entry| entry.key == "agent")
        .flat_map(|entry| entry.value.entries().unwrap_or_default().to_vec())
        .collect();
    let mut out = Vec::new();
    for entry in &entries {
        match keys::shape(TOP, &entry.key) {
            None => stranger(entry, TOP, sink),
            Some(shape) if !fits(entry, shape, fault, sink) => {}
            Some(_) => out.extend(field(entry, &named, fault, sink)),
        }
    }
    out
}

/// One field, as the merge needs it; none where it says nothing about permissions.
fn field(entry: &Entry, named: &[Entry], fault: Fault, sink: &mut Sink) -> Option<Entry> {
    let kind = match entry.key.as_str() {
        "permission" => Kind::Object(rules::permission(&entry.value, fault, sink)),
        "agent" | "mode" => Kind::Object(agents::agents(&entry.value, fault, sink)),
        "agents" => Kind::Object(agents::compatible(&entry.value, named, sink)),
        "tools" | "default_agent" | "subagent_depth" => entry.value.kind.clone(),
        "permissions" => {
            v2::refused(entry, sink);
            return None;
        }
        _ => return None,
    };
    let key = if entry.key == "agents" { "agent" } else { entry.key.as_str() };
    let value = Node { kind, span: entry.value.span };
    Some(Entry { key: key.to_owned(), value, ..entry.clone() })
}

/// A word of the variable that is no action is neither a deny nor an allow, so it asks.
fn known_word(entry: &Entry, sink: &mut Sink) -> bool {
    let values: Vec<&Node> = match &entry.value.kind {
        Kind::Object(patterns) => patterns.iter().map(|pattern| &pattern.value).collect(),
        _ => vec![&entry.value],
    };
    for value in values {
        if value.text().and_then(crate::rule::Action::from_word).is_none() {
            let text = "OPENCODE_PERMISSION is not checked by OpenCode: this is no action, and so it asks";
            sink.push(Finding::new(LOADS_EMPTY, value.span, text).help("an action is `allow`, `ask` or `deny`"));
        }
    }
    true
}

/// What is done once all is merged: modes become primary agents, the variable comes over `permission`, `tools` go under it.
fn finish(mut config: Vec<Entry>, variable: Vec<Entry>, texts: &SourceMap, sink: &mut Sink) -> Vec<Entry> {
    let mut said = Said { texts, sink };
    if let Some(mode) = take(&mut config, "mode") {
        let Kind::Object(mut modes) = mode.value.kind else { return config };
        for entry in &mut modes {
            if let Kind::Object(fields) = &mut entry.value.kind {
                fields.retain(|field| field.key != "mode");
                let value = Node { kind: Kind::String("primary".to_owned()), span: entry.span };
                fields.push(rules::entry("mode", entry.span, value));
            }
        }
        let agents = rules::entry("agent", mode.span, Node { kind: Kind::Object(modes), span: mode.span });
        merge::deep(&mut config, vec![agents], &mut said);
    }
    let (mut permission, span, comments) = match take(&mut config, "permission") {
        Some(Entry { value: Node { kind: Kind::Object(entries), span }, comments, .. }) => {
            (entries, Some(span), comments)
        }
        _ => (Vec::new(), variable.first().map(|entry| entry.span), Default::default()),
    };
    merge::deep(&mut permission, variable, &mut said);
    let tools = take(&mut config, "tools");
    let span = span.or(tools.as_ref().map(|tools| tools.span));
    if let Some(tools) = tools {
        let mut under = rules::tools(tools.value.entries().unwrap_or_default());
        merge::deep(&mut under, permission, &mut said);
        permission = under;
    }
    if let Some(span) = span {
        let entry = rules::entry("permission", span, Node { kind: Kind::Object(permission), span });
        config.push(Entry { comments, ..entry });
    }
    config
}

fn take(config: &mut Vec<Entry>, key: &str) -> Option<Entry> {
    let at = config.iter().position(|entry| entry.key == key)?;
    Some(config.remove(at))
}

/// Adds a config file's rules to those written so far.
fn add_written(written: &mut Parts, entries: &[Entry]) {
    let find = |key: &'static str| entries.iter().filter(move |entry| entry.key == key);
    for tools in find("tools") {
        written.user.extend(rules::rules_as_written(&rules::tools(tools.value.entries().unwrap_or_default())));
    }
    for permission in find("permission") {
        written.user.extend(rules::rules_as_written(permission.value.entries().unwrap_or_default()));
    }
    for agent in find("agent").chain(find("mode")).flat_map(|entry| entry.value.entries().unwrap_or_default()) {
        add_agent(written, agent);
    }
}

fn add_agent(written: &mut Parts, entry: &Entry) {
    let mut agent = policy::agent(entry);
    let permission = entry.value.get("permission").and_then(Node::entries).unwrap_or_default();
    agent.rules = rules::rules_as_written(permission);
    match written.agents.iter_mut().find(|known| known.name.node == entry.key) {
        Some(known) => {
            known.clauses.extend(agent.clauses);
            known.rules.extend(agent.rules);
        }
        None => written.agents.push(agent),
    }
}

/// Whether both have the same rules in the same order, agent by agent.
fn same_rules(one: &Parts, other: &Parts) -> bool {
    let same = |a: &[crate::syntax::ast::Stmt<crate::syntax::ast::RuleStmt>],
                b: &[crate::syntax::ast::Stmt<crate::syntax::ast::RuleStmt>]| {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.node == b.node)
    };
    same(&one.user, &other.user)
        && one.agents.len() == other.agents.len()
        && one.agents.iter().all(|agent| {
            other.agents.iter().any(|known| known.name.node == agent.name.node && same(&known.rules, &agent.rules))
        })
}
