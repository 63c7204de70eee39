//! The keys of settings: those that matter here, those that are only known, and those that were meant to be others.

/// What a value must be, or the program drops the whole file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Flag,
    Number,
    Object,
    Texts,
    /// Not looked at.
    Any,
}

/// Keys of a file of settings.
pub(super) const TOP: &[(&str, Shape)] = &[
    ("$schema", Shape::Text),
    ("permissions", Shape::Object),
    ("hooks", Shape::Any),
    ("env", Shape::Object),
    ("model", Shape::Text),
    ("agent", Shape::Text),
    ("sandbox", Shape::Object),
    ("apiKeyHelper", Shape::Text),
    ("cleanupPeriodDays", Shape::Number),
    ("includeCoAuthoredBy", Shape::Flag),
    ("attribution", Shape::Object),
    ("statusLine", Shape::Object),
    ("outputStyle", Shape::Text),
    ("enableAllProjectMcpServers", Shape::Flag),
    ("enabledMcpjsonServers", Shape::Texts),
    ("disabledMcpjsonServers", Shape::Texts),
    ("enabledPlugins", Shape::Any),
    ("disableAllHooks", Shape::Flag),
    ("allowManagedHooksOnly", Shape::Flag),
    ("allowManagedPermissionRulesOnly", Shape::Flag),
];

/// Keys that are known and not looked at.
pub(super) const KNOWN: &[&str] = &[
    "advisorModel",
    "allowManagedMcpServersOnly",
    "allowedHttpHookUrls",
    "allowedMcpServers",
    "alwaysThinkingEnabled",
    "autoMode",
    "autoUpdatesChannel",
    "availableModels",
    "awsAuthRefresh",
    "awsCredentialExport",
    "blockedMarketplaces",
    "channelsEnabled",
    "companyAnnouncements",
    "deniedMcpServers",
    "disableAutoMode",
    "disableDeepLinkRegistration",
    "effortLevel",
    "extraKnownMarketplaces",
    "fastMode",
    "feedbackSurveyRate",
    "fileSuggestion",
    "forceLoginMethod",
    "forceLoginOrgUUID",
    "gcpAuthRefresh",
    "httpHookAllowedEnvVars",
    "includeGitInstructions",
    "language",
    "modelOverrides",
    "otelHeadersHelper",
    "plansDirectory",
    "pluginConfigs",
    "pluginTrustMessage",
    "prefersReducedMotion",
    "respectGitignore",
    "showThinkingSummaries",
    "showTurnDuration",
    "skipDangerousModePermissionPrompt",
    "skipWebFetchPreflight",
    "spinnerTipsEnabled",
    "spinnerTipsOverride",
    "spinnerVerbs",
    "strictKnownMarketplaces",
    "teammateMode",
    "terminalProgressBarEnabled",
    "useAutoModeDuringPlan",
    "verbose",
    "voiceEnabled",
    "worktree",
];

/// Keys of `permissions`.
pub(super) const PERMISSIONS: &[&str] = &[
    "allow",
    "ask",
    "deny",
    "defaultMode",
    "additionalDirectories",
    "disableBypassPermissionsMode",
    "disableAutoMode",
    "skipDangerousModePermissionPrompt",
];

/// The modes that a session can start in; `manual` is another word for `default`.
pub(super) const MODES: [&str; 7] =
    ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions", "manual"];

/// Where a key of the top level belongs, if it stands there by mistake.
pub(super) fn misplaced(key: &str) -> Option<&'static str> {
    Some(match key {
        "allow" | "ask" | "deny" | "defaultMode" | "additionalDirectories" | "disableBypassPermissionsMode" => {
            "it belongs under `permissions`"
        }
        "allowedTools" => "write the rules under `permissions.allow`",
        "disallowedTools" | "ignorePatterns" => "write the rules under `permissions.deny`",
        "mcpServers" => "servers stand in `.mcp.json` or `~/.claude.json`",
        _ => return None,
    })
}

/// Whose key it is, where another runtime has it.
pub(super) fn foreign(key: &str) -> Option<&'static str> {
    Some(match key {
        "permission" | "mcp" | "default_agent" | "small_model" | "plugin" | "instructions" => "OpenCode",
        "approval_policy" | "sandbox_mode" | "mcp_servers" | "default_permissions" => "Codex",
        "coreTools" | "excludeTools" | "policyPaths" | "security" => "Gemini CLI",
        "tools" => "OpenCode and Gemini CLI",
        _ => return None,
    })
}
