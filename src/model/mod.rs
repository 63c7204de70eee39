//! What the files say together: names resolved, lists expanded, layers and agents collected. The last to see the AST.

/// A word of the language that stands for one of a fixed set.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[$variant_doc])* $variant),+ }

        impl $name {
            /// All of them, in the order the reference lists them.
            pub const ALL: &[$name] = &[$($name::$variant),+];

            /// Its word.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The one a word stands for.
            pub fn from_word(word: &str) -> Option<$name> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

mod build;
mod commands;
mod given;
mod lists;
mod rules;

pub use build::{Statement, build};
pub use commands::{Command, Commands, Family, Line};
pub use given::Given;

use crate::diagnostic::{Code, Severity};
use crate::language::Pattern;
use crate::rule::{Action, Rule};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Json, Name};
use indexmap::IndexMap;
use std::fmt;
use std::sync::Arc;

/// A name that nothing declares.
pub const UNRESOLVED_NAME: Code = Code::new("PC1013", "unresolved-name", Severity::Error);
/// Two statements that cannot both hold.
pub const CONFLICTING_DEFINITION: Code = Code::new("PC1014", "conflicting-definition", Severity::Error);
/// A pattern that its dialect does not accept.
pub const INVALID_PATTERN: Code = Code::new("PC1015", "invalid-pattern", Severity::Error);

/// A name that JavaScript objects keep for themselves; readers and a check find it.
pub const RESERVED_KEY: Code = Code::new("PC0909", "reserved-key", Severity::Error);

/// More rules or patterns than policyc takes.
pub const TOO_MANY: Code = Code::new("PC1017", "too-many-rules", Severity::Error);

/// The most patterns one list or one rule may expand to.
pub const MAX_PATTERNS: usize = 100_000;
/// The most rules a policy may expand to.
pub const MAX_RULES: u32 = 1_000_000;

/// Slots of a merge order that are no layers: what a prelude says of an agent, what the user's files say of it,
/// remembered answers, and what a runtime adds at the very end.
pub const SLOTS: [&str; 4] = ["builtin", "own", "approvals", "runtime"];

/// A whole policy, resolved.
#[derive(Debug, Default)]
pub struct Model {
    /// Declared permissions in declaration order; a quoted wildcard is a key like any other.
    pub permissions: IndexMap<String, Permission>,
    /// Command lines by capability.
    pub commands: Vec<Commands>,
    /// Named pattern lists.
    pub lists: IndexMap<String, List>,
    /// Layers in declaration order.
    pub layers: IndexMap<String, Layer>,
    /// The merge order of all agents that have none of their own.
    pub merge: Merge,
    /// Agents in declaration order, disabled ones included.
    pub agents: IndexMap<String, Agent>,
    /// What `default agent` names.
    pub default_agent: Option<Spanned<String>>,
    /// Tools that move a session to another agent.
    pub switches: IndexMap<String, Switch>,
    /// When a denied tool disappears from the model's view.
    pub visibility: Visibility,
    /// Promises of agents and asserts, in reading order.
    pub promises: Vec<Promise>,
    /// Test blocks in reading order.
    pub tests: Vec<Test>,
    /// `@ignore` annotations with what they cover.
    pub ignores: Vec<Ignore>,
}

/// A declared permission.
#[derive(Debug, Clone)]
pub struct Permission {
    /// Where its name was declared.
    pub span: Span,
    /// Whether a prelude declares it.
    pub prelude: bool,
    /// Tools whose key it is: hiding it hides them.
    pub tools: Vec<Name>,
    /// Further tools that also ask it.
    pub asked_by: Vec<Name>,
    /// What its resources are.
    pub resource: ResourceKind,
    /// The capability it gives.
    pub capability: Option<Capability>,
    /// How a delegated child acts, for an agent resource.
    pub delegate: Option<Delegate>,
    /// How deep delegation may nest, for an agent resource.
    pub depth: Option<u32>,
}

words!(
    /// What the resources of a permission are.
    ResourceKind {
        /// A path: `/`-separated, relative to the workspace when inside it.
        Path = "path",
        /// A command line, or one command of it.
        Command = "command",
        /// An agent's name.
        Agent = "agent",
        /// A URL.
        Url = "url",
        /// A search query.
        Query = "query",
        /// Any other name.
        Name = "name",
        /// There is none; requests carry `*`.
        None = "none",
    }
);

words!(
    /// What a permission or a command lets an agent bring about.
    Capability {
        /// Read files.
        Read = "read",
        /// Change files.
        Write = "write",
        /// Run programs.
        Exec = "exec",
        /// Reach the network.
        Network = "network",
        /// Start other agents.
        Delegate = "delegate",
        /// Move the session to another agent.
        Switch = "switch",
    }
);

words!(
    /// By whose rules a delegated child acts.
    Delegate {
        /// Its own alone.
        Own = "own",
        /// The stricter of its own and its parent's.
        Bounded = "bounded",
    }
);

words!(
    /// Who can choose an agent.
    Mode {
        /// The person.
        Primary = "primary",
        /// Other agents.
        Subagent = "subagent",
        /// Both.
        All = "all",
    }
);

words!(
    /// When a denied tool disappears from the model's view.
    Visibility {
        /// When the last rule whose permission matches has the pattern `*` and denies.
        LastDeny = "last-deny",
        /// When any whole-tool deny stands.
        BareDeny = "bare-deny",
        /// Never.
        Fixed = "fixed",
    }
);

words!(
    /// How the rules of one layer are ordered among themselves.
    Combine {
        /// Deny beats ask beats allow.
        DenyOverrides = "deny-overrides",
        /// The first match wins.
        FirstMatch = "first-match",
    }
);

words!(
    /// What happens to a switch where no person is there to confirm it.
    Unattended {
        /// The session stays where it is.
        Stay = "stay",
        /// It switches.
        Switch = "switch",
    }
);

#[expect(clippy::derivable_impls, reason = "the macro above writes the enum, without a default")]
impl Default for Visibility {
    fn default() -> Self {
        Visibility::Fixed
    }
}

/// A named list.
#[derive(Debug, Clone)]
pub struct List {
    /// Where its name was declared.
    pub span: Span,
    /// Whether anything names it.
    pub used: bool,
    /// Whether a prelude declares it.
    pub prelude: bool,
    /// Its patterns, the lists it names included.
    pub patterns: Vec<Spanned<Pattern>>,
}

/// Rules shared by agents.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Where it was declared first.
    pub span: Span,
    /// Whether only a prelude declares it.
    pub prelude: bool,
    /// Its rules in reading order.
    pub rules: Vec<Rule>,
    /// How they are ordered.
    pub combine: Option<Combine>,
}

/// A merge order; later slots win.
#[derive(Debug, Clone, Default)]
pub struct Merge {
    /// Slots in order.
    pub slots: Vec<Arc<str>>,
    /// Where it was written; `None` for the order that holds without any `merge`.
    pub span: Option<Span>,
    /// Whether a prelude says it.
    pub prelude: bool,
}

/// An agent.
#[derive(Debug, Clone)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Where its name was declared.
    pub span: Span,
    /// Whether a prelude declares it.
    pub prelude: bool,
    /// Where the user's files speak of it, first place first; empty for an untouched native agent.
    pub touched: Vec<Span>,
    /// Who can choose it.
    pub mode: Mode,
    /// Whether its mode was said, or is the default.
    pub mode_said: bool,
    /// Whether it is left out of menus.
    pub hidden: bool,
    /// Whether it does not exist after all.
    pub disabled: bool,
    /// Attributes by name, the last value said.
    pub attributes: IndexMap<String, Spanned<Json>>,
    /// Fields of an imported agent that policyc does not know.
    pub options: IndexMap<String, Spanned<Json>>,
    /// What a prelude says of it.
    pub builtin: Vec<Rule>,
    /// What the user's files say of it.
    pub own: Vec<Rule>,
    /// Its own merge order.
    pub merge: Option<Merge>,
}

impl Agent {
    /// Whether a person can choose it.
    pub fn selectable(&self) -> bool {
        self.mode != Mode::Subagent
    }
}

/// A tool that moves the session to another agent.
#[derive(Debug, Clone)]
pub struct Switch {
    /// Where its name was declared.
    pub span: Span,
    /// Whether a prelude declares it.
    pub prelude: bool,
    /// The agent it leaves; `None`: any.
    pub from: Option<Name>,
    /// The agent it goes to.
    pub to: Option<Name>,
    /// What the person is asked first.
    pub confirm: Option<String>,
    /// More answers than yes and no.
    pub answers: Vec<Name>,
    /// Paths of a file that must be submitted.
    pub requires: Vec<Spanned<Pattern>>,
    /// Text for the model on entering.
    pub enter: Option<String>,
    /// On leaving without approval.
    pub leave: Option<String>,
    /// On approval.
    pub note: Option<String>,
    /// Without a person.
    pub unattended: Unattended,
}

/// A promise or assert, resolved.
#[derive(Debug, Clone)]
pub struct Promise {
    /// Where it was written.
    pub span: Span,
    /// Whether a prelude says it.
    pub prelude: bool,
    /// What.
    pub kind: PromiseKind,
}

/// What must hold.
#[derive(Debug, Clone)]
pub enum PromiseKind {
    /// No way to a capability.
    Cannot {
        /// Of whom, agents that exist.
        who: Vec<String>,
        /// To what.
        capability: Capability,
        /// About what; empty: everything.
        patterns: Vec<Spanned<Pattern>>,
        /// But not this.
        except: Vec<Spanned<Pattern>>,
    },
    /// Every such request comes out within `allowed`.
    Requests {
        /// Of whom, agents that exist.
        who: Vec<String>,
        /// The permission.
        permission: Spanned<Pattern>,
        /// About what; empty: everything.
        patterns: Vec<Spanned<Pattern>>,
        /// But not this.
        except: Vec<Spanned<Pattern>>,
        /// The actions that keep the promise.
        allowed: Vec<Action>,
    },
    /// No later layer weakens a decision of this one.
    NoLayerLoosens {
        /// The layer.
        layer: Name,
    },
}

/// A `test` block, resolved.
#[derive(Debug, Clone)]
pub struct Test {
    /// The agent, which may not exist.
    pub agent: Name,
    /// What it is called.
    pub name: Option<String>,
    /// The whole block.
    pub span: Span,
    /// Expectations in order.
    pub expectations: Vec<Spanned<Expectation>>,
}

/// What a test expects.
#[derive(Debug, Clone)]
pub enum Expectation {
    /// A request comes out so.
    Request {
        /// The permission.
        permission: Name,
        /// The resource.
        resource: Name,
        /// The decision.
        action: Action,
    },
    /// The model sees a tool.
    Visible(Name),
    /// It does not.
    Hidden(Name),
    /// A whole tool call comes out so.
    Call {
        /// The tool.
        tool: Name,
        /// Its input.
        input: Spanned<Json>,
        /// The decision.
        action: Action,
    },
}

/// An `@ignore` and the statement it covers.
#[derive(Debug, Clone)]
pub struct Ignore {
    /// The annotation.
    pub span: Span,
    /// What it covers: findings whose primary place lies here.
    pub scope: Span,
    /// The code or name of a check.
    pub code: Name,
    /// Why.
    pub reason: Option<String>,
    /// The last day, as written.
    pub until: Option<Name>,
}

impl Model {
    /// The agents that exist: declared and not disabled.
    pub fn live_agents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().filter(|agent| !agent.disabled)
    }

    /// The merge order of an agent.
    pub fn merge_of<'a>(&'a self, agent: &'a Agent) -> &'a Merge {
        agent.merge.as_ref().unwrap_or(&self.merge)
    }

    /// The permission that a tool is hidden by: the one that lists it under `tools`, else its own name.
    pub fn key_of<'a>(&'a self, tool: &'a str) -> &'a str {
        self.permissions
            .iter()
            .find(|(_, permission)| permission.tools.iter().any(|name| name.node == tool))
            .map_or(tool, |(name, _)| name)
    }

    /// All tools that declared permissions list, in declaration order.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.permissions.values().flat_map(|permission| permission.tools.iter().map(|tool| tool.node.as_str()))
    }
}
