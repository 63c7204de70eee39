//! How sessions go where runtimes differ: what answers do, what a subagent takes over, which tools are there.

use crate::language::{Case, Pattern};
use crate::rule::Action;
use serde::{Deserialize, Serialize};

/// What holds in the sessions of one version of a runtime.
#[derive(Clone, Copy, Debug)]
pub struct Sessions {
    /// Whether an answer "always" lets pass what a rule denies.
    pub kept_beats_deny: bool,
    /// For how long such an answer holds, and for whom.
    pub memory: Memory,
    /// Whether the permissions of a call are asked one after another, so that a person may be asked for the first although a
    /// later one is denied.
    pub one_by_one: bool,
    /// Whether the rules of a session follow those of its agent and so may loosen them; else the stricter of both counts.
    pub session_rules_win: bool,
    /// Whether rejecting one request rejects all that wait in its session, and ends the turn unless a word of feedback came
    /// with it.
    pub reject_ends_turn: bool,
    /// When the same call again and again is asked for.
    pub repeats: Option<Repeats>,
    /// A permission that is not asked while the last message of a person mentions an agent.
    pub mention_opens: Option<&'static str>,
    /// Whether an agent that only a person may choose can be started by others all the same.
    pub starts_primary: bool,
    /// Whether a switch works for any agent that sees its tool.
    pub switches_from_anywhere: bool,
    /// Whether tools that the person's own code adds ask nobody; else they ask for themselves.
    pub custom_tools_pass: bool,
    /// The field of a call's input that names a session to go on with instead of a new one.
    pub resumes_by: Option<&'static str>,
    /// Declared tools that a session does not have unless something switches them on.
    pub switched_off: &'static [&'static str],
}

/// For how long an answer "always" holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// In the session it was given in, as far as the history that counts knows of it.
    Session,
    /// In all sessions of the project, until the program ends.
    Process,
    /// In all sessions of the project, for good.
    Project,
}

/// When the same call again and again is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Repeats {
    /// The permission that is asked, about the tool, if the policy knows it.
    pub permission: &'static str,
    /// From which identical call of one message on.
    pub times: usize,
}

impl Sessions {
    /// policyc's own: a denial always wins, and an answer goes no further than what was asked.
    pub const SAFE: Sessions = Sessions {
        kept_beats_deny: false,
        memory: Memory::Session,
        one_by_one: false,
        session_rules_win: false,
        reject_ends_turn: false,
        repeats: Some(Repeats { permission: "doom_loop", times: 3 }),
        mention_opens: None,
        starts_primary: false,
        switches_from_anywhere: false,
        custom_tools_pass: false,
        resumes_by: None,
        switched_off: &[],
    };
}

/// A rule of a session itself, beside those of its agent. Patterns are wildcards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRule {
    /// Which permissions it speaks of.
    pub permission: String,
    /// Which resources.
    pub pattern: String,
    /// What becomes of them.
    pub action: Action,
}

impl SessionRule {
    /// A rule about every resource of a permission.
    pub fn whole(permission: &str, action: Action) -> SessionRule {
        SessionRule { permission: permission.to_owned(), pattern: "*".to_owned(), action }
    }

    /// Whether it speaks of a permission.
    pub fn speaks_of(&self, permission: &str, case: Case) -> bool {
        Pattern::wildcard(&self.permission).matches(permission, case)
    }

    /// Whether it matches a request.
    pub fn matches(&self, permission: &str, resource: &str, case: Case) -> bool {
        self.speaks_of(permission, case) && Pattern::wildcard(&self.pattern).matches(resource, case)
    }
}

/// What an answer "always" lets pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// The permission.
    pub permission: String,
    /// Its resources: a wildcard.
    pub pattern: String,
    /// Whether the pattern is the resource itself, and no wildcard.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
}

impl Approval {
    /// This resource and no other.
    pub fn exact(permission: &str, resource: &str) -> Approval {
        Approval { permission: permission.to_owned(), pattern: resource.to_owned(), exact: true }
    }

    /// Every resource that a wildcard matches.
    pub fn wildcard(permission: &str, pattern: impl Into<String>) -> Approval {
        Approval { permission: permission.to_owned(), pattern: pattern.into(), exact: false }
    }

    /// Whether it covers a request.
    pub fn covers(&self, permission: &str, resource: &str, case: Case) -> bool {
        self.permission == permission
            && if self.exact {
                self.pattern == resource
            } else {
                Pattern::wildcard(&self.pattern).matches(resource, case)
            }
    }
}
