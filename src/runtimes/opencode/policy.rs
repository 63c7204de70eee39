//! A merged config as a policy, just as a person would have written it.

use super::json::{Entry, Kind, Node};
use super::merge::ordered;
use super::{keys, rules};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{AgentClause, Block, Item, LayerClause, Name, PermissionClause, Policy, RuleStmt, Stmt};
use crate::syntax::words::ATTRIBUTES;

/// The agents every version has.
const NATIVE: [&str; 7] = ["build", "plan", "general", "explore", "compaction", "title", "summary"];

/// What all sources say together, ready to be written down.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) user: Vec<Stmt<RuleStmt>>,
    /// What stands beside the key of the shared rules.
    pub(super) comments: super::comments::Comments,
    pub(super) agents: Vec<Agent>,
    pub(super) default_agent: Option<Name>,
    pub(super) depth: Option<Spanned<u32>>,
}

/// One agent's part.
#[derive(Debug)]
pub(super) struct Agent {
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) clauses: Vec<Stmt<AgentClause>>,
    pub(super) rules: Vec<Stmt<RuleStmt>>,
    pub(super) comments: super::comments::Comments,
}

/// The policy. `at` is a place of the first source: where the runtime is named.
pub(super) fn policy(parts: Parts, version: &str, at: Span) -> Policy {
    let word = |text: &str| Spanned::new(text.to_owned(), at);
    let mut stmts = vec![Stmt::bare(Item::Runtime { name: word("opencode"), version: Some(word(version)) }, at)];
    if let Some(depth) = parts.depth {
        let body = Block::of([PermissionClause::Depth(depth)], depth.span).on_one_line();
        let name = if version == "2" { "subagent" } else { "task" };
        stmts.push(Stmt::bare(Item::Permission { name: Spanned::new(name.to_owned(), depth.span), body }, depth.span));
    }
    if let (Some(first), Some(last)) = (parts.user.first(), parts.user.last()) {
        let span = first.span.to(last.span);
        let body = Block {
            stmts: parts.user.into_iter().map(|stmt| map(stmt, LayerClause::Rule)).collect(),
            ..Block::default()
        };
        let name = Spanned::new("user".to_owned(), span);
        let mut stmt = Stmt::bare(Item::Layer { name, from: Vec::new(), body: Some(body) }, span);
        parts.comments.put(&mut stmt);
        stmts.push(stmt);
    }
    if let Some(name) = parts.default_agent {
        let span = name.span;
        stmts.push(Stmt::bare(Item::DefaultAgent(name), span));
    }
    for agent in parts.agents {
        let rules = agent.rules.into_iter().map(|stmt| map(stmt, AgentClause::Rule));
        let body = Block { stmts: agent.clauses.into_iter().chain(rules).collect(), ..Block::default() };
        let item = match NATIVE.contains(&agent.name.node.as_str()) {
            true => Item::Extend { name: agent.name, body },
            false => Item::Agent { name: agent.name, body },
        };
        let mut stmt = Stmt::bare(item, agent.span);
        agent.comments.put(&mut stmt);
        stmts.push(stmt);
    }
    Policy { stmts, ..Policy::default() }
}

fn map<T, U>(stmt: Stmt<T>, wrap: fn(T) -> U) -> Stmt<U> {
    Stmt { lead: stmt.lead, ignores: stmt.ignores, node: wrap(stmt.node), span: stmt.span, trail: stmt.trail }
}

/// The parts of a merged config of version 1: an object of `permission`, `agent`, `default_agent`, `subagent_depth`.
pub(super) fn parts(config: &Node) -> Parts {
    let permission = config.get("permission").and_then(Node::entries).unwrap_or_default();
    let agents = config.get("agent").and_then(Node::entries).unwrap_or_default();
    let agents: Vec<&Entry> = ordered(agents);
    let shared = config.entries().and_then(|entries| entries.iter().find(|entry| entry.key == "permission"));
    let comments = shared.map(|entry| entry.comments.clone());
    let default_agent =
        config.get("default_agent").and_then(|node| Some(Spanned::new(node.text()?.to_owned(), node.span)));
    Parts {
        user: rules::rules(permission),
        comments: comments.unwrap_or_default(),
        default_agent: default_agent.filter(|name| !name.node.is_empty()).or_else(|| first_by_number(&agents)),
        agents: agents.into_iter().map(agent).collect(),
        depth: config.get("subagent_depth").and_then(depth),
    }
}

fn depth(node: &Node) -> Option<Spanned<u32>> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
    match node.kind {
        Kind::Number(number) if (0.0..=f64::from(u32::MAX)).contains(&number) => {
            Some(Spanned::new(number as u32, node.span))
        }
        _ => None,
    }
}

/// An agent whose name is a whole number comes before all others, the native ones too, so it is the default if it can be.
fn first_by_number(agents: &[&Entry]) -> Option<Name> {
    let word = |entry: &Entry, key: &str| entry.value.get(key).and_then(Node::text).map(str::to_owned);
    let flag = |entry: &Entry, key: &str| matches!(entry.value.get(key).map(|node| &node.kind), Some(Kind::Bool(true)));
    let numbered = agents.iter().filter(|entry| super::merge::index(&entry.key).is_some());
    let mut usable = numbered.filter(|entry| {
        word(entry, "mode").as_deref() != Some("subagent") && !flag(entry, "hidden") && !flag(entry, "disable")
    });
    usable.next().map(|entry| Spanned::new(entry.key.clone(), entry.span))
}

/// An agent of a merged config.
pub(super) fn agent(entry: &Entry) -> Agent {
    let fields = entry.value.entries().unwrap_or_default();
    let permission = entry.value.get("permission").and_then(Node::entries).unwrap_or_default();
    Agent {
        name: Spanned::new(entry.key.clone(), entry.span),
        span: entry.whole(),
        clauses: ordered(fields).into_iter().filter(|field| field.key != "permission").map(clause).collect(),
        rules: rules::rules(permission),
        comments: entry.comments.clone(),
    }
}

/// A field as an attribute, or an option to be kept.
fn clause(field: &Entry) -> Stmt<AgentClause> {
    let key = if field.key == "disable" { "disabled" } else { field.key.as_str() };
    let name = Spanned::new(key.to_owned(), field.span);
    let value = Spanned::new(field.value.plain(), field.value.span);
    let known = keys::shape(keys::AGENT, &field.key).is_some() && ATTRIBUTES.contains(&key);
    let flag = matches!(field.value.kind, Kind::Bool(true));
    let node = match known {
        true => AgentClause::Attribute { name, value: (!flag).then_some(value) },
        false => AgentClause::Option { name, value },
    };
    let mut stmt = Stmt::bare(node, field.whole());
    field.comments.put(&mut stmt);
    stmt
}
