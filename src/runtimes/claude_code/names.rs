//! Names of tools, and the permissions that rules about them speak of.

/// Tools with the permission that a rule naming the tool speaks of. Those with a name of their own ask it by that name.
pub(super) const TOOLS: [(&str, &str); 34] = [
    ("Read", "read"),
    ("Edit", "edit"),
    ("Write", "Write"),
    ("NotebookEdit", "NotebookEdit"),
    ("Glob", "glob"),
    ("Grep", "grep"),
    ("Bash", "bash"),
    ("PowerShell", "PowerShell"),
    ("Monitor", "bash"),
    ("Agent", "task"),
    ("Task", "task"),
    ("Skill", "skill"),
    ("WebFetch", "webfetch"),
    ("WebSearch", "websearch"),
    ("AskUserQuestion", "question"),
    ("EnterPlanMode", "EnterPlanMode"),
    ("ExitPlanMode", "ExitPlanMode"),
    ("BashOutput", "BashOutput"),
    ("EnterWorktree", "EnterWorktree"),
    ("ExitWorktree", "ExitWorktree"),
    ("KillShell", "KillShell"),
    ("LSP", "LSP"),
    ("ListMcpResourcesTool", "ListMcpResourcesTool"),
    ("ReadMcpResourceTool", "ReadMcpResourceTool"),
    ("SendMessage", "SendMessage"),
    ("TaskCreate", "TaskCreate"),
    ("TaskGet", "TaskGet"),
    ("TaskList", "TaskList"),
    ("TaskOutput", "TaskOutput"),
    ("TaskStop", "TaskStop"),
    ("TaskUpdate", "TaskUpdate"),
    ("TodoWrite", "TodoWrite"),
    ("ToolSearch", "ToolSearch"),
    ("CronCreate", "CronCreate"),
];

/// Names that the program takes without a word, of which nothing more is known here.
const OTHERS: [&str; 2] = ["KillBash", "TeamCreate"];

/// Names that older versions had, and what to write instead; the program says of none of them that it knows it.
const GONE: [(&str, &str); 5] = [
    ("MultiEdit", "Edit"),
    ("NotebookRead", "Read"),
    ("LS", "Read"),
    ("TodoRead", "TodoWrite"),
    ("SlashCommand", "Skill"),
];

/// The permission of a tool that is known by name.
pub(super) fn permission(tool: &str) -> Option<&'static str> {
    TOOLS.iter().find(|(name, _)| *name == tool).map(|(_, permission)| *permission)
}

/// Whether the program knows a tool of this name. Tools of servers are known by their prefix.
pub(super) fn is_known(tool: &str) -> bool {
    permission(tool).is_some() || OTHERS.contains(&tool)
}

/// The tool that took the place of one that is no more.
pub(super) fn replacement(tool: &str) -> Option<&'static str> {
    GONE.iter().find(|(name, _)| *name == tool).map(|(_, now)| *now)
}

/// The tools whose calls a permission is asked for, for lists of tools.
pub(super) fn tools_of(permission: &str) -> Vec<&'static str> {
    match permission {
        "edit" => vec!["Edit", "Write", "NotebookEdit"],
        "task" => vec!["Agent"],
        "bash" => vec!["Bash"],
        _ => TOOLS.iter().filter(|(_, asked)| *asked == permission).map(|(tool, _)| *tool).collect(),
    }
}

/// Tools whose calls stay in the session; a policy in the common vocabulary does not speak of them.
pub(super) const SESSION: [&str; 20] = [
    "Write",
    "NotebookEdit",
    "BashOutput",
    "EnterPlanMode",
    "ExitPlanMode",
    "EnterWorktree",
    "ExitWorktree",
    "KillShell",
    "LSP",
    "ListMcpResourcesTool",
    "SendMessage",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "list",
];
