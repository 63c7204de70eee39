//! Settings and agents' files as text.

use super::lower::Lowered;
use super::names;
use serde_json::{Map, Value, json};

/// Where the schema of settings is.
const SCHEMA: &str = "https://json.schemastore.org/claude-code-settings.json";

/// The second line of an agent's file, by which policyc knows its own.
pub const MARK: &str = "# written by policyc from a policy; changes belong there";

/// The text of `.claude/settings.json`.
pub fn settings(lowered: &Lowered) -> String {
    let mut permissions = Map::new();
    permissions.insert("defaultMode".to_owned(), lowered.mode.into());
    // No mode may leave the questions out.
    permissions.insert("disableBypassPermissionsMode".to_owned(), "disable".into());
    for (name, list) in [("deny", &lowered.deny), ("ask", &lowered.ask), ("allow", &lowered.allow)] {
        if !list.is_empty() {
            permissions.insert(name.to_owned(), json!(list));
        }
    }
    let settings = json!({ "$schema": SCHEMA, "permissions": Value::Object(permissions) });
    format!("{settings:#}\n")
}

/// An agent's file: what it is for, its tools, and its prompt.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'a> {
    /// Its name.
    pub name: &'a str,
    /// When it is to be used.
    pub description: &'a str,
    /// The model, if the policy names one.
    pub model: Option<&'a str>,
    /// What it is told.
    pub prompt: &'a str,
}

/// The text of `.claude/agents/NAME.md`.
pub fn agent(agent: Agent<'_>, permissions: &[&str]) -> String {
    let mut tools: Vec<&str> = permissions.iter().flat_map(|permission| names::tools_of(permission)).collect();
    if tools.is_empty() {
        // An empty list would stand for all tools.
        tools.push("TodoWrite");
    }
    let quoted = |text: &str| Value::from(text).to_string();
    let mut out = format!("---\n{MARK}\nname: {}\n", quoted(agent.name));
    out.push_str(&format!("description: {}\ntools: {}\n", quoted(agent.description), tools.join(", ")));
    if let Some(model) = agent.model {
        out.push_str(&format!("model: {}\n", quoted(model)));
    }
    out.push_str("---\n");
    if !agent.prompt.is_empty() {
        out.push_str(&format!("\n{}\n", agent.prompt.trim_end()));
    }
    out
}
