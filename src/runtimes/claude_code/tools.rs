//! An agent's lists of tools as rules that come after all others.

use super::agents::{Agent, Tool};
use super::names::{self, TOOLS};
use crate::language::{Case, Pattern};
use crate::rule::Action;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Name, RuleStmt, Stmt};

/// Tools that change files; a rule about paths holds for all of them.
const EDITING: [&str; 3] = ["Edit", "Write", "NotebookEdit"];

/// What an agent's `tools` and `disallowedTools` take away.
pub(super) fn rules(agent: &Agent, shared: &[Stmt<RuleStmt>]) -> Vec<Stmt<RuleStmt>> {
    let mut out = Vec::new();
    if let Some(tools) = agent.tools.as_ref().filter(|tools| tools.iter().all(|tool| tool.node != "*")) {
        let span = tools.first().map_or(agent.span, |tool| tool.span);
        let mut closed: Vec<&str> = all().filter(|permission| !is_open(permission, tools)).collect();
        closed.push("mcp__*");
        out.push(rule(Action::Deny, &closed, span));
        for tool in tools.iter().filter(|tool| tool.node.starts_with("mcp__")) {
            out.extend(reopened(&server(&tool.node), tool.span, shared));
        }
    }
    let without = &agent.without;
    if let Some(first) = without.first() {
        let has = |name: &str| without.iter().any(|tool| tool.node == name || tool.node == "*");
        let mut closed: Vec<String> = Vec::new();
        for tool in without {
            match tool.node.as_str() {
                "*" => closed.push("*".to_owned()),
                // The other tools that change files still can.
                "Edit" if !has("Write") => {}
                "Edit" => closed.push("edit".to_owned()),
                name if name.starts_with("mcp__") => closed.push(server(name)),
                name => closed.push(names::permission(name).unwrap_or(name).to_owned()),
            }
        }
        closed.dedup();
        let closed: Vec<&str> = closed.iter().map(String::as_str).collect();
        if !closed.is_empty() {
            out.push(rule(Action::Deny, &closed, first.span));
        }
    }
    out
}

/// Every permission of a tool that is known by name, once.
fn all() -> impl Iterator<Item = &'static str> {
    let permissions = TOOLS.iter().map(|(_, permission)| *permission);
    permissions.enumerate().filter(|(at, name)| TOOLS.iter().take(*at).all(|(_, known)| known != name)).map(|(_, n)| n)
}

fn is_open(permission: &str, tools: &[Tool]) -> bool {
    let has = |name: &str| tools.iter().any(|tool| tool.node == name);
    match permission {
        "edit" => EDITING.iter().any(|name| has(name)),
        _ => TOOLS.iter().any(|(name, asked)| *asked == permission && has(name)),
    }
}

/// The names of a server's tools.
fn server(name: &str) -> String {
    let rest = name.trim_start_matches("mcp__");
    if rest.contains("__") || rest.ends_with('*') { name.to_owned() } else { format!("{name}__*") }
}

/// What the settings say of a server's tools, said again for an agent that has no others.
fn reopened(name: &str, span: Span, shared: &[Stmt<RuleStmt>]) -> Vec<Stmt<RuleStmt>> {
    let mut out = vec![rule(Action::Ask, &[name], span)];
    let covers = |one: &str, other: &str| Pattern::wildcard(one).matches(&other.replace('*', "x*"), Case::Sensitive);
    for action in Action::ALL {
        for stmt in shared.iter().filter(|stmt| stmt.node.action.node == action && stmt.node.patterns.is_none()) {
            for said in &stmt.node.permissions {
                if covers(&said.node, name) {
                    out.push(rule(action, &[name], stmt.span));
                } else if covers(name, &said.node) || action == Action::Deny && said.node.starts_with("mcp__") {
                    out.push(rule(action, &[&said.node], stmt.span));
                }
            }
        }
    }
    out
}

fn rule(action: Action, permissions: &[&str], span: Span) -> Stmt<RuleStmt> {
    let name = |text: &&str| -> Name { Spanned::new((*text).to_owned(), span) };
    let permissions = permissions.iter().map(name).collect();
    let node = RuleStmt { action: Spanned::new(action, span), permissions, patterns: None, because: None };
    Stmt::bare(node, span)
}
