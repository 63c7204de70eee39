//! Gemini's tools: the permission that each is asked by, and the field of its input that rules about it speak of.
//!
//! Every tool has a permission of its own, because rules name tools one by one: `read_file` may be denied while
//! `read_many_files` reads the same.

/// A tool and what is asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// Its name in rules.
    pub name: &'static str,
    /// The permission.
    pub permission: &'static str,
    /// The field of its input whose text is the resource; `None`: the resource is `*`.
    pub field: Option<&'static str>,
    /// Whether text of the model's own choice stands in another field.
    pub more: bool,
    /// Whether such text stands behind the field: fields are told in the order of their names.
    pub after: bool,
}

const fn tool(name: &'static str, permission: &'static str, field: &'static str, more: bool, after: bool) -> Tool {
    Tool { name, permission, field: Some(field), more, after }
}

/// Tools with a resource.
pub static TOOLS: [Tool; 11] = [
    tool("read_file", "read", "file_path", false, false),
    tool("write_file", "edit", "file_path", true, false),
    tool("replace", "replace", "file_path", true, true),
    tool("list_directory", "list", "dir_path", true, true),
    tool("glob", "glob", "dir_path", true, true),
    tool("grep_search", "grep", "dir_path", true, true),
    tool("run_shell_command", "bash", "command", true, true),
    tool("invoke_agent", "task", "agent_name", true, true),
    tool("activate_skill", "skill", "name", false, false),
    tool("web_fetch", "webfetch", "prompt", false, false),
    tool("google_web_search", "websearch", "query", false, false),
];

/// Tools without one, and their permissions.
pub static PLAIN: [(&str, &str); 18] = [
    ("read_many_files", "read_many_files"),
    ("ask_user", "question"),
    ("write_todos", "write_todos"),
    ("enter_plan_mode", "enter_plan_mode"),
    ("exit_plan_mode", "exit_plan_mode"),
    ("update_topic", "update_topic"),
    ("complete_task", "complete_task"),
    ("get_internal_docs", "get_internal_docs"),
    ("read_mcp_resource", "read_mcp_resource"),
    ("list_mcp_resources", "list_mcp_resources"),
    ("codebase_investigator", "codebase_investigator"),
    ("cli_help", "cli_help"),
    ("tracker_create_task", "tracker_create_task"),
    ("tracker_update_task", "tracker_update_task"),
    ("tracker_get_task", "tracker_get_task"),
    ("tracker_list_tasks", "tracker_list_tasks"),
    ("tracker_add_dependency", "tracker_add_dependency"),
    ("tracker_visualize", "tracker_visualize"),
];

/// Permissions that no tool has as its own: what the program asks beside a tool's permission, whatever rules say of the tool.
pub const BESIDE: [&str; 4] = ["redirection", "dangerous", "unreadable", "build_file"];

/// A tool by its name in rules; an older name is the newer one's.
pub fn named(name: &str) -> Option<&'static Tool> {
    let name = if name == "search_file_content" { "grep_search" } else { name };
    TOOLS.iter().find(|tool| tool.name == name)
}

/// The tool that a permission belongs to.
pub fn of_permission(permission: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.permission == permission)
}

/// The permission of a tool's name.
pub fn permission(name: &str) -> &str {
    let plain = || PLAIN.iter().find(|(tool, _)| *tool == name).map(|(_, permission)| *permission);
    named(name).map(|tool| tool.permission).or_else(plain).unwrap_or(name)
}

/// Whether a name is one of the program's own tools.
pub fn is_known(name: &str) -> bool {
    named(name).is_some() || PLAIN.iter().any(|(tool, _)| *tool == name)
}
