//! How sessions go: 1.18 as its server was seen to answer, version 2 as far as its source and documents say.

use super::prefixes;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::runtimes::{Approval, Memory, Repeats, SessionRule, Sessions};

/// Tools that a variable, an experiment, a provider or a model brings: a session of 1.18 has none of them by itself.
const SWITCHED_OFF: [&str; 7] = [
    "apply_patch",
    "websearch",
    "lsp",
    "plan_exit",
    "list_mcp_resources",
    "list_mcp_resource_templates",
    "read_mcp_resource",
];

/// 1.18: answers are kept in memory, for every session of the project, and are looked at after all rules.
pub(super) static ONE: Sessions = Sessions {
    kept_beats_deny: true,
    memory: Memory::Process,
    one_by_one: true,
    session_rules_win: true,
    reject_ends_turn: true,
    repeats: Some(Repeats { permission: "doom_loop", times: 3 }),
    mention_opens: Some("task"),
    starts_primary: true,
    switches_from_anywhere: true,
    custom_tools_pass: true,
    resumes_by: Some("task_id"),
    switched_off: &SWITCHED_OFF,
};

/// Version 2, not verified: answers are kept for the project, and a denial is looked at before them.
pub(super) static TWO: Sessions = Sessions {
    kept_beats_deny: false,
    memory: Memory::Project,
    repeats: None,
    mention_opens: None,
    starts_primary: false,
    resumes_by: None,
    switched_off: &["patch", "websearch", "plan_exit"],
    ..ONE
};

/// What "always" keeps: of commands the words that name them, of most permissions everything.
pub(super) fn remembers(permission: &str, resources: &[String]) -> Vec<Approval> {
    let mut out: Vec<Approval> = Vec::new();
    for resource in resources {
        let pattern = match permission {
            "bash" | "shell" => prefixes::kept(resource),
            "skill" | "doom_loop" | "external_directory" => resource.clone(),
            "read" => match resource.strip_prefix("mcp:").and_then(|rest| rest.split_once(':')) {
                Some((server, _)) => format!("mcp:{server}:*"),
                None => "*".to_owned(),
            },
            _ => "*".to_owned(),
        };
        let approval = Approval::wildcard(permission, pattern);
        if !out.contains(&approval) {
            out.push(approval);
        }
    }
    out
}

/// What a subagent's session of 1.18 takes over: what the starting session denies, all it says of folders outside, and a
/// denial of two tools unless the subagent's rules name them, whatever they say.
pub(super) fn inherited(session: &[SessionRule], agent: &Ruleset) -> Vec<SessionRule> {
    let kept = |rule: &&SessionRule| rule.action == Action::Deny || rule.permission == "external_directory";
    let mut out: Vec<SessionRule> = session.iter().filter(kept).cloned().collect();
    for tool in ["todowrite", "task"] {
        if !agent.rules.iter().any(|rule| rule.permission.text() == tool) {
            out.push(SessionRule::whole(tool, Action::Deny));
        }
    }
    out
}
