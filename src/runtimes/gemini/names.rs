//! The tools that a rule's names stand for.

use super::tools;
use crate::diagnostic::{Finding, Sink, near_name};
use crate::runtimes::codes::INERT_KEY;
use crate::secret::redact;
use crate::source::Spanned;
use crate::syntax::ast::Name;

/// The name as Gemini compares it, with the server's name in front. `None`: it matches no tool, which is said.
pub(super) fn effective(tool: Name, server: Option<&Name>, sink: &mut Sink) -> Option<Name> {
    let mut inert = |text: String, help: &str| {
        sink.push(Finding::new(INERT_KEY, tool.span, text).help(help));
        None
    };
    let name = tool.node.as_str();
    if name.is_empty() {
        return inert("an empty `toolName` matches no tool".to_owned(), "`\"*\"` means all tools");
    }
    let text = match server.map(|server| server.node.as_str()) {
        None => name.to_owned(),
        Some("*") if name == "*" => "mcp_*".to_owned(),
        Some(server) if server != "*" && !name.contains('*') || name == "*" => {
            // A name that says its server already is told as it stands.
            if name.starts_with("mcp_") && name != "*" { name.to_owned() } else { format!("mcp_{server}_{name}") }
        }
        Some(_) => {
            let text = format!("`{}` matches no tool: a server's tools are named one by one, or all", redact(name));
            return inert(text, "name the server in `mcpName` and the tool in `toolName`, or `\"*\"`");
        }
    };
    let starred = text.contains('*');
    if starred && text != "*" && !is_server(&text) {
        let text = format!("`{}` matches no tool: `*` stands for all tools, or behind a server's name", redact(&text));
        return inert(text, "name the tools in a list; `mcpName` and `toolName = \"*\"` mean all tools of a server");
    }
    if text.contains("__") && !text.starts_with("mcp_") {
        return inert(format!("`{}`: servers' tools are no longer named with `__`", redact(&text)), "use `mcpName`");
    }
    let known = tools::TOOLS.iter().map(|tool| tool.name).chain(tools::PLAIN.iter().map(|(name, _)| *name));
    let foreign = starred || text.starts_with("mcp_") || text.starts_with("discovered_tool_");
    if let Some(near) = near_name(&text, known).filter(|_| !foreign && !tools::is_known(&text)) {
        // A tool of the project may have the name, so the rule stays.
        let _: Option<Name> =
            inert(format!("there is no tool `{}`", redact(&text)), &format!("did you mean `{near}`?"));
    }
    Some(Spanned::new(text, tool.span))
}

/// `mcp_*` or `mcp_SERVER_*`.
fn is_server(text: &str) -> bool {
    let inner = text.strip_prefix("mcp_").and_then(|rest| rest.strip_suffix('*'));
    inner.is_some_and(|inner| inner.is_empty() || inner.ends_with('_') && !inner.contains('*'))
}
