//! What all sources say together, as a policy just as a person would have written it.

use super::agents::Agent;
use super::tools;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{AgentClause, Block, Item, Json, LayerClause, Name, PermissionClause, Policy, RuleStmt, Stmt};

/// Agents that the program brings along; a file of the same name takes the place of one.
const NATIVE: [&str; 3] = ["general-purpose", "Explore", "Plan"];
/// What the prelude calls the session itself.
const SESSIONS: [&str; 2] = ["main", "plan-mode"];

/// What all sources say.
#[derive(Debug, Default)]
pub(super) struct Parts {
    pub(super) rules: Vec<Stmt<RuleStmt>>,
    pub(super) agents: Vec<Agent>,
    pub(super) mode: Option<Spanned<String>>,
    /// The agent that the session itself is.
    pub(super) agent: Option<Name>,
}

/// The merge order of a mode, another than the prelude's; none for `default`.
fn merge(mode: &str) -> Option<&'static [&'static str]> {
    Some(match mode {
        "acceptEdits" => &["defaults", "acceptEdits", "user", "own", "builtin"],
        "auto" => &["defaults", "auto", "user", "own", "builtin"],
        "bypassPermissions" => &["defaults", "bypassPermissions", "user", "own", "builtin"],
        "dontAsk" => &["dontAsk", "defaults", "user", "own", "builtin"],
        "plan" => &["defaults", "user", "own", "builtin", "plan"],
        _ => return None,
    })
}

/// Whether a subagent's own mode does not count under this one.
fn is_fixed(session: &str) -> bool {
    matches!(session, "acceptEdits" | "auto" | "bypassPermissions")
}

fn names(slots: &[&str], span: Span) -> Vec<Name> {
    slots.iter().map(|slot| Spanned::new((*slot).to_owned(), span)).collect()
}

/// The policy. `at` is a place of the first source: where the runtime is named.
pub(super) fn policy(parts: Parts, version: &str, at: Span) -> Policy {
    let word = |text: &str| Spanned::new(text.to_owned(), at);
    let mut stmts = vec![Stmt::bare(Item::Runtime { name: word("claude-code"), version: Some(word(version)) }, at)];
    let session = parts.mode.as_ref().map_or("default", |mode| mode.node.as_str());
    let fixed = is_fixed(session);
    if let Some(mode) = parts.agents.iter().filter(|_| !fixed).find_map(|agent| agent.mode.as_ref()) {
        let body = Block::of([PermissionClause::Delegate(Spanned::new("own".to_owned(), mode.span))], mode.span);
        let name = Spanned::new("task".to_owned(), mode.span);
        stmts.push(Stmt::bare(Item::Permission { name, body: body.on_one_line() }, mode.span));
    }
    if let Some(mode) = &parts.mode {
        modes(&mode.node, mode.span, &mut stmts);
    }
    let shared = parts.rules.clone();
    if let (Some(first), Some(last)) = (parts.rules.first(), parts.rules.last()) {
        let span = if first.span.file == last.span.file { first.span.to(last.span) } else { first.span };
        let rules = parts.rules.into_iter().map(|stmt| wrap(stmt, LayerClause::Rule));
        let body = Block { stmts: rules.collect(), ..Block::default() };
        let name = Spanned::new("user".to_owned(), span);
        stmts.push(Stmt::bare(Item::Layer { name, from: Vec::new(), body: Some(body) }, span));
    }
    if let Some(agent) = &parts.agent {
        stmts.push(Stmt::bare(Item::DefaultAgent(agent.clone()), agent.span));
    }
    for agent in parts.agents {
        let starts = parts.agent.as_ref().is_some_and(|name| name.node == agent.name.node);
        stmts.push(agent_item(agent, starts, session, &shared));
    }
    Policy { stmts, ..Policy::default() }
}

fn wrap<T>(stmt: Stmt<RuleStmt>, wrap: fn(RuleStmt) -> T) -> Stmt<T> {
    Stmt { lead: stmt.lead, ignores: stmt.ignores, node: wrap(stmt.node), span: stmt.span, trail: stmt.trail }
}

/// Sessions that start in another mode.
fn modes(mode: &str, span: Span, stmts: &mut Vec<Stmt<Item>>) {
    if mode == "plan" {
        let name = Spanned::new("plan-mode".to_owned(), span);
        return stmts.push(Stmt::bare(Item::DefaultAgent(name), span));
    }
    let Some(slots) = merge(mode) else { return };
    stmts.push(Stmt::bare(Item::Merge(names(slots, span)), span));
    if mode == "bypassPermissions" {
        // Where asking can be switched off, plan mode holds nothing back.
        let body = Block::of([AgentClause::Merge(names(slots, span))], span);
        stmts.push(Stmt::bare(Item::Extend { name: Spanned::new("plan-mode".to_owned(), span), body }, span));
    }
}

fn agent_item(agent: Agent, starts: bool, session: &str, shared: &[Stmt<RuleStmt>]) -> Stmt<Item> {
    let fixed = is_fixed(session);
    let span = agent.span;
    let mut clauses = Vec::new();
    let mut attribute = |name: &str, value: Option<Name>| {
        if let Some(value) = value {
            let node = AgentClause::Attribute {
                name: Spanned::new(name.to_owned(), value.span),
                value: Some(Spanned::new(Json::String(value.node), value.span)),
            };
            clauses.push(Stmt::bare(node, value.span));
        }
    };
    let kind = if starts { "all" } else { "subagent" };
    attribute("mode", Some(Spanned::new(kind.to_owned(), agent.name.span)));
    let own = tools::rules(&agent, shared);
    attribute("description", agent.description);
    attribute("model", agent.model);
    attribute("color", agent.color);
    attribute("prompt", agent.prompt);
    let native = NATIVE.contains(&agent.name.node.as_str());
    let slots = agent.mode.as_ref().filter(|_| !fixed).map(|mode| (merge(&mode.node), mode.span));
    match slots {
        Some((slots, at)) => {
            let slots = slots.unwrap_or(&["defaults", "user", "own", "builtin"]);
            // What the program says of its own agent does not hold for a file of the same name.
            let slots: Vec<&str> = slots.iter().copied().filter(|slot| !(native && *slot == "builtin")).collect();
            clauses.push(Stmt::bare(AgentClause::Merge(names(&slots, at)), at));
        }
        None if native => {
            let slots = merge(session).unwrap_or(&["defaults", "user", "own"]);
            let slots: Vec<&str> = slots.iter().copied().filter(|slot| *slot != "builtin").collect();
            clauses.push(Stmt::bare(AgentClause::Merge(names(&slots, agent.name.span)), agent.name.span));
        }
        None => {}
    }
    clauses.extend(own.into_iter().map(|stmt| wrap(stmt, AgentClause::Rule)));
    let body = Block { stmts: clauses, ..Block::default() };
    let taken = SESSIONS.contains(&agent.name.node.as_str());
    let name = if taken { Spanned::new(format!("{} (agent)", agent.name.node), agent.name.span) } else { agent.name };
    let item = if native { Item::Extend { name, body } } else { Item::Agent { name, body } };
    Stmt::bare(item, span)
}
