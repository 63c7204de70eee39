//! A rule and where it came from: the piece that every stage from reading to proof hands on.

use crate::language::Pattern;
use crate::source::Span;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What becomes of a request. Ordered by strictness, so "never looser than written" is `theirs >= ours`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It passes silently.
    Allow,
    /// A person is asked.
    Ask,
    /// It is stopped.
    Deny,
}

impl Action {
    /// All actions, loosest first.
    pub const ALL: [Action; 3] = [Action::Allow, Action::Ask, Action::Deny];

    /// The action's word in the language and in every output.
    pub fn word(self) -> &'static str {
        match self {
            Action::Allow => "allow",
            Action::Ask => "ask",
            Action::Deny => "deny",
        }
    }

    /// The action of a word, if it is one.
    pub fn from_word(word: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|action| action.word() == word)
    }

    /// Its colour in the exact engine, which knows no actions.
    pub fn colour(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One step on the way from what a person wrote to a flattened rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Via {
    /// A named list; the place is its name in the rule.
    Let {
        /// The list.
        name: Arc<str>,
        /// Where the rule names it.
        span: Span,
    },
    /// An `extend` block; the place is its head.
    Extend(Span),
    /// A `use`; the place is the statement.
    Use(Span),
    /// A layer `from` a runtime's config; the place is the statement.
    From(Span),
}

/// Why a rule is here: what was written, in which slot of the merge order it stands, and the way it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The pattern as written, or the permission where the pattern was left out.
    pub span: Span,
    /// The whole statement (in a runtime's config: the key and its value).
    pub statement: Span,
    /// The slot of the merge order: a layer, `builtin`, `own` or `runtime`.
    pub slot: Arc<str>,
    /// Whether a prelude (and not the user) says it.
    pub prelude: bool,
    /// Lists, extensions and imports it came through, outermost first.
    pub via: Vec<Via>,
}

/// One ordered rule: a request for a permission that `permission` matches, about a resource that `pattern` matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Identity of the written rule: equal in every agent's ruleset that it reaches, unique otherwise.
    pub id: u32,
    /// Which permissions it speaks of.
    pub permission: Pattern,
    /// Which resources.
    pub pattern: Pattern,
    /// What becomes of them.
    pub action: Action,
    /// What the author said of it; shown wherever the rule decides.
    pub reason: Option<Arc<str>>,
    /// Where it came from.
    pub origin: Arc<Origin>,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} `{}`", self.action, self.permission.text(), self.pattern.text())
    }
}
