//! The keys OpenCode's configs have: known, inert here, or another runtime's; and the kinds of findings about them.

pub(super) use crate::runtimes::codes::*;

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Flag,
    Number,
    /// A whole number from 1 on.
    Positive,
    /// A whole number from 0 on.
    Count,
    Object,
    Texts,
    List,
    FlagOrObject,
    OneOf(&'static [&'static str]),
    /// True, false or this word.
    FlagOr(&'static str),
    /// A colour: `#rrggbb` or the name of a theme's.
    Colour,
    /// Text, or version 2's object.
    Model,
    /// Flags by name.
    Flags,
    /// Read elsewhere, or not at all.
    Any,
}

/// Fields of a config file of 1.18.
pub(super) const TOP: &[(&str, Shape)] = &[
    ("$schema", Shape::Text),
    ("shell", Shape::Text),
    ("logLevel", Shape::OneOf(&["DEBUG", "INFO", "WARN", "ERROR"])),
    ("server", Shape::Object),
    ("command", Shape::Object),
    ("skills", Shape::Any),
    ("references", Shape::Object),
    ("reference", Shape::Object),
    ("watcher", Shape::Object),
    ("snapshot", Shape::Flag),
    ("plugin", Shape::List),
    ("share", Shape::OneOf(&["manual", "auto", "disabled"])),
    ("autoshare", Shape::Flag),
    ("autoupdate", Shape::FlagOr("notify")),
    ("disabled_providers", Shape::Texts),
    ("enabled_providers", Shape::Texts),
    ("model", Shape::Model),
    ("small_model", Shape::Text),
    ("default_agent", Shape::Text),
    ("subagent_depth", Shape::Count),
    ("username", Shape::Text),
    ("mode", Shape::Any),
    ("agent", Shape::Any),
    ("provider", Shape::Object),
    ("mcp", Shape::Object),
    ("formatter", Shape::FlagOrObject),
    ("lsp", Shape::FlagOrObject),
    ("instructions", Shape::Texts),
    ("layout", Shape::OneOf(&["auto", "stretch"])),
    ("permission", Shape::Any),
    ("tools", Shape::Flags),
    ("attachment", Shape::Object),
    ("enterprise", Shape::Object),
    ("tool_output", Shape::Object),
    ("compaction", Shape::Object),
    ("experimental", Shape::Object),
    // Taken out before the rest is looked at.
    ("theme", Shape::Any),
    ("keybinds", Shape::Any),
    ("tui", Shape::Any),
    // Version 2's, of which 1.18 understands some and drops others without a word.
    ("agents", Shape::Any),
    ("commands", Shape::Any),
    ("snapshots", Shape::Any),
    ("media", Shape::Any),
    ("plugins", Shape::Any),
    ("providers", Shape::Any),
    ("websearch", Shape::Any),
    ("warming", Shape::Any),
    ("permissions", Shape::Any),
];

/// Fields of an agent of 1.18. Others are options for the model's provider.
pub(super) const AGENT: &[(&str, Shape)] = &[
    ("name", Shape::Any),
    ("model", Shape::Text),
    ("variant", Shape::Text),
    ("temperature", Shape::Number),
    ("top_p", Shape::Number),
    ("prompt", Shape::Text),
    ("tools", Shape::Flags),
    ("disable", Shape::Flag),
    ("description", Shape::Text),
    ("mode", Shape::OneOf(&["subagent", "primary", "all"])),
    ("hidden", Shape::Flag),
    ("options", Shape::Object),
    ("color", Shape::Colour),
    ("steps", Shape::Positive),
    ("maxSteps", Shape::Positive),
    ("permission", Shape::Any),
];

/// Fields of an agent of version 2.
pub(super) const AGENT_2: &[(&str, Shape)] = &[
    ("model", Shape::Model),
    ("variant", Shape::Text),
    ("request", Shape::Object),
    ("system", Shape::Text),
    ("description", Shape::Text),
    ("mode", Shape::OneOf(&["subagent", "primary", "all"])),
    ("hidden", Shape::Flag),
    ("color", Shape::Colour),
    ("steps", Shape::Positive),
    ("disabled", Shape::Flag),
    ("permissions", Shape::Any),
];

/// Names of a theme's colours.
pub(super) const COLOURS: &[&str] = &["primary", "secondary", "accent", "success", "warning", "error", "info"];

/// Permissions whose tools take no patterns: an object there refuses the start.
pub(super) const WORD_ONLY: &[&str] = &["todowrite", "question", "webfetch", "websearch", "doom_loop"];

/// Permission keys that nothing asks, and what to write instead. Names of tools that ask for another permission (`write`,
/// `apply_patch`) are not among them: they are unknown permissions to every check, in a policy too.
pub(super) fn inert(key: &str) -> Option<&'static str> {
    Some(match key {
        "patch" | "multiedit" => "every editing tool asks for `edit`: write the rule there",
        "list" => "there is no such tool: `read` is asked for folders, `glob` for searches",
        "codesearch" => "there is no such tool: `grep` and `websearch` are what there is",
        "todoread" => "there is no such tool: `todowrite` is what there is",
        _ => return None,
    })
}

/// Whose key it is, where another runtime has it.
pub(super) fn foreign(key: &str) -> Option<(&'static str, &'static str)> {
    Some(match key {
        "mcpServers" => ("Claude Code and others", "OpenCode's key is `mcp`"),
        "hooks" => ("Claude Code", "OpenCode has plugins instead"),
        "defaultMode"
        | "additionalDirectories"
        | "disableBypassPermissionsMode"
        | "enabledPlugins"
        | "enableAllProjectMcpServers"
        | "statusLine"
        | "outputStyle" => ("Claude Code", "OpenCode's rules stand under `permission`"),
        "allowedTools" | "allowed-tools" | "disallowedTools" | "disallowed-tools" | "permissionMode" => {
            ("Claude Code", "OpenCode's rules stand under `permission`")
        }
        "approval_policy" | "sandbox_mode" | "sandbox" | "mcp_servers" => {
            ("Codex", "OpenCode's rules stand under `permission`")
        }
        "coreTools" | "excludeTools" | "autoAccept" => ("Gemini CLI", "OpenCode's rules stand under `permission`"),
        "alwaysAllow" | "autoApprove" => ("an editor's agent", "OpenCode's rules stand under `permission`"),
        _ => return None,
    })
}

/// The shape of a field, if it is one of these.
pub(super) fn shape(fields: &[(&str, Shape)], key: &str) -> Option<Shape> {
    fields.iter().find(|(name, _)| *name == key).map(|(_, shape)| *shape)
}

/// The names of fields.
pub(super) fn names<'a>(fields: &'a [(&'a str, Shape)]) -> impl Iterator<Item = &'a str> {
    fields.iter().map(|(name, _)| *name)
}

/// Whether the program puts another text in the place of a part of this one before it reads the file.
pub(super) fn is_opaque(text: &str) -> bool {
    text.contains("{env:") || text.contains("{file:")
}
