//! One rule as Gemini holds it, wherever it was written.

use crate::rule::Action;
use crate::source::{Span, Spanned};
use crate::syntax::ast::Name;

/// An approval mode of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// Asks before anything is changed.
    Default,
    /// Edits without asking.
    AutoEdit,
    /// Does everything without asking.
    Yolo,
    /// Changes nothing.
    Plan,
}

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 4] = [Mode::Default, Mode::AutoEdit, Mode::Yolo, Mode::Plan];

    /// Its word in rules, which is also the agent's name by which policyc tells it.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AutoEdit => "autoEdit",
            Mode::Yolo => "yolo",
            Mode::Plan => "plan",
        }
    }

    /// The mode of a word.
    pub fn from_word(word: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.word() == word)
    }
}

/// The word of an action in rules.
pub fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask_user",
        Action::Deny => "deny",
    }
}

/// Whose rules they are; a later one wins, whatever the priorities within.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Extension = 2,
    User = 4,
    Admin = 5,
}

/// What a rule says of the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Args {
    /// Nothing.
    Any,
    /// The command line starts with this word for word.
    Prefix(String),
    /// The arguments' JSON matches this expression.
    Matching(String),
}

/// A rule.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The tools it names, servers' names put in front.
    pub(super) tools: Vec<Name>,
    /// One of these must hold.
    pub(super) args: Vec<Spanned<Args>>,
    pub(super) action: Spanned<Action>,
    /// Tier and priority, as thousandths.
    pub(super) priority: i64,
    /// Modes it holds in.
    pub(super) modes: Vec<Mode>,
    pub(super) subagent: Option<Name>,
    /// Whether a command with redirections passes too.
    pub(super) redirection: bool,
    pub(super) message: Option<Name>,
    /// Whether it holds only for tools that say certain things of themselves.
    pub(super) annotated: bool,
    pub(super) span: Span,
    /// Comments before it.
    pub(super) comments: Vec<String>,
}

impl Rule {
    /// Whether it holds for some calls of an agent only because of what is not known here.
    pub(super) fn everywhere(&self) -> bool {
        self.subagent.is_none() && Mode::ALL.iter().all(|mode| self.modes.contains(mode))
    }

    /// Whether it holds for a mode's or a subagent's calls. Subagents are read as in the mode `default`.
    pub(super) fn holds(&self, agent: &str) -> bool {
        match Mode::from_word(agent) {
            Some(mode) => self.subagent.is_none() && self.modes.contains(&mode),
            None => {
                self.modes.contains(&Mode::Default)
                    && self.subagent.as_ref().is_none_or(|subagent| subagent.node == agent)
            }
        }
    }
}
