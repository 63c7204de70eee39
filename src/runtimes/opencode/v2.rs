//! Version 2: `permissions` as an ordered list, `agents`; from its source and documents, not run. Layers are put one after
//! another, nothing is merged by key. Files of version 1 are converted.

use super::fields::{Fault, fits, stranger, unique};
use super::json::{Entry, Kind, Node};
use super::keys::{self, *};
use super::merge::ordered;
use super::policy::{Agent, Parts};
use super::read::{As, Parsed};
use super::{agents, rules};
use crate::diagnostic::{Finding, Sink, near_name};
use crate::rule::Action;
use crate::secret::redact;
use crate::source::{SourceMap, Span, Spanned};
use crate::syntax::ast::{AgentClause, Patterns, RuleStmt, Stmt, Term, Text};

/// Whether a file has version 2's shape, and nothing of version 1's.
pub(super) fn is_second(one: &Parsed<'_>) -> bool {
    let listed = |node: Option<&Node>| node.is_some_and(|node| matches!(node.kind, Kind::Array(_)));
    let agents = one.node.get("agents").and_then(Node::entries).unwrap_or_default();
    let second =
        listed(one.node.get("permissions")) || agents.iter().any(|agent| listed(agent.value.get("permissions")));
    let first = ["permission", "agent", "mode", "tools"].iter().any(|key| one.node.get(key).is_some());
    one.kind == As::Config && second && !first
}

/// `permissions` in a file that version 1 reads.
pub(super) fn refused(entry: &Entry, sink: &mut Sink) {
    let claude = ["allow", "deny", "ask", "defaultMode"].iter().any(|key| entry.value.get(key).is_some());
    let (text, help) = match claude {
        true => {
            ("`permissions` with lists of rules is Claude Code's form", "OpenCode's rules stand under `permission`")
        }
        false => (
            "`permissions` is version 2's key: 1.18 knows `permission`",
            "write `permission`, or choose version 2 with `--runtime-version 2`",
        ),
    };
    sink.push(Fault::NoStart.finding(entry.span, text).help(help));
}

/// What all sources say together.
pub(super) fn parts(parsed: &[Parsed<'_>], texts: &SourceMap, sink: &mut Sink) -> Parts {
    let mut parts = Parts::default();
    for one in parsed {
        let Some(entries) = one.node.entries() else { continue };
        let entries = unique(entries, sink);
        match one.kind {
            As::Config => config(&entries, &mut parts, sink),
            As::Agent | As::Mode => {
                let at = Span::new(one.source.file, 0..one.body.start as usize);
                let name = agents::name_of(&one.source.path, &["agent", "agents", "mode", "modes"]);
                let mut made = agent(&name, at, at, &one.node, sink);
                if one.kind == As::Mode {
                    made.clauses.push(attribute("mode", at, Spanned::new("primary".into(), at), at));
                }
                let body = texts.slice(one.body);
                if !body.is_empty() {
                    made.clauses.push(attribute("prompt", one.body, Spanned::new(body.into(), one.body), one.body));
                }
                add(&mut parts, made);
            }
            As::Variable => {}
        }
    }
    parts
}

fn config(entries: &[Entry], parts: &mut Parts, sink: &mut Sink) {
    for entry in entries {
        match entry.key.as_str() {
            "permissions" => parts.user.extend(list(&entry.value, sink)),
            "permission" => parts.user.extend(converted(&entry.value, sink)),
            "tools" => parts.user.extend(old_tools(&entry.value)),
            "agents" | "agent" | "mode" => {
                for one in entry.value.entries().map(|found| unique(found, sink)).unwrap_or_default() {
                    add(parts, agent(&one.key, one.span, one.whole(), &one.value, sink));
                }
            }
            "default_agent" => {
                parts.default_agent = entry.value.text().map(|text| Spanned::new(text.to_owned(), entry.value.span));
            }
            key if keys::shape(TOP, key).is_some() => {}
            _ => stranger(entry, TOP, sink),
        }
    }
}

fn add(parts: &mut Parts, agent: Agent) {
    match parts.agents.iter_mut().find(|known| known.name.node == agent.name.node) {
        Some(known) => {
            known.clauses.extend(agent.clauses);
            known.rules.extend(agent.rules);
        }
        None => parts.agents.push(agent),
    }
}

fn agent(name: &str, at: Span, span: Span, node: &Node, sink: &mut Sink) -> Agent {
    let mut made = Agent {
        name: Spanned::new(name.to_owned(), at),
        span,
        clauses: Vec::new(),
        rules: Vec::new(),
        comments: Default::default(),
    };
    for field in ordered(node.entries().unwrap_or_default()) {
        let value = Spanned::new(field.value.plain(), field.value.span);
        match field.key.as_str() {
            "permissions" => made.rules.extend(list(&field.value, sink)),
            "permission" => made.rules.extend(converted(&field.value, sink)),
            "tools" => made.rules.extend(old_tools(&field.value)),
            key => {
                let shape = keys::shape(AGENT_2, key).or(keys::shape(AGENT, key)).unwrap_or(Shape::Any);
                if !fits(field, shape, Fault::Dropped, sink) {
                    continue;
                }
                let known = match key {
                    "system" | "prompt" => Some("prompt"),
                    "disabled" | "disable" => Some("disabled"),
                    "model" if field.value.text().is_some() => Some("model"),
                    "description" | "mode" | "hidden" | "color" | "steps" | "variant" => Some(key),
                    _ => None,
                };
                made.clauses.push(match known {
                    Some(known) => attribute(known, field.span, value, field.whole()),
                    None => {
                        let name = Spanned::new(key.to_owned(), field.span);
                        Stmt::bare(AgentClause::Option { name, value }, field.whole())
                    }
                });
            }
        }
    }
    made
}

fn attribute(name: &str, at: Span, value: Spanned<serde_json::Value>, span: Span) -> Stmt<AgentClause> {
    let name = Spanned::new(name.to_owned(), at);
    Stmt::bare(AgentClause::Attribute { name, value: Some(value) }, span)
}

/// `[{action, resource, effect}]`
fn list(node: &Node, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    let Kind::Array(items) = &node.kind else {
        let text = format!("`permissions` is a list of rules, not {}", node.what());
        sink.push(Finding::new(REFUSED, node.span, text).help("write `[{action, resource, effect}]`"));
        return Vec::new();
    };
    items.iter().filter_map(|item| rule(item, sink)).collect()
}

fn rule(item: &Node, sink: &mut Sink) -> Option<Stmt<RuleStmt>> {
    let text = |key: &str| item.get(key).and_then(|node| Some(Spanned::new(node.text()?.to_owned(), node.span)));
    let (Some(permission), Some(resource), Some(effect)) = (text("action"), text("resource"), text("effect")) else {
        let finding =
            Finding::new(REFUSED, item.span, "a rule has an `action`, a `resource` and an `effect`, each a text");
        sink.push(finding);
        return None;
    };
    let Some(action) = Action::from_word(&effect.node) else {
        let finding = Finding::new(REFUSED, effect.span, format!("`{}` is no effect", redact(&effect.node)));
        let near = near_name(&effect.node, ["allow", "ask", "deny"]);
        sink.push(
            finding.help(near.map_or("`allow`, `ask` or `deny`".to_owned(), |near| format!("did you mean `{near}`?"))),
        );
        return None;
    };
    Some(statement(permission, resource, Spanned::new(action, effect.span), item.span))
}

fn statement(
    permission: Spanned<String>,
    resource: Spanned<String>,
    action: Spanned<Action>,
    span: Span,
) -> Stmt<RuleStmt> {
    // `~` stands for the home folder in paths alone.
    let patterns = (resource.node != "*").then_some(Patterns::One(Term::Text(Text { dialect: None, text: resource })));
    Stmt::bare(RuleStmt { action, permissions: vec![permission], patterns, because: None }, span)
}

/// Version 1's object, with version 2's names.
fn converted(node: &Node, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    let mut out = rules::rules(&rules::permission(node, Fault::Dropped, sink));
    rename(&mut out);
    out
}

fn old_tools(node: &Node) -> Vec<Stmt<RuleStmt>> {
    let mut out = rules::rules(&rules::tools(node.entries().unwrap_or_default()));
    rename(&mut out);
    out
}

fn rename(rules: &mut [Stmt<RuleStmt>]) {
    for permission in rules.iter_mut().flat_map(|stmt| &mut stmt.node.permissions) {
        let name = match permission.node.as_str() {
            "bash" => "shell",
            "task" => "subagent",
            "write" | "patch" | "apply_patch" => "edit",
            _ => continue,
        };
        permission.node = name.to_owned();
    }
}
