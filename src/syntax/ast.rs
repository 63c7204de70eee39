//! A policy as written: every word that means something, its place, and the comments and blank lines around it.

use crate::language::Dialect;
pub use crate::rule::Action;
use crate::source::{Span, Spanned};

/// A name or a string, and where it stands.
pub type Name = Spanned<String>;

/// What stands between statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trivia {
    /// One or more blank lines.
    Blank,
    /// A comment on a line of its own, without `#`, one blank after it, and the blanks at its end.
    Comment(String),
}

/// A statement with what surrounds it. Equality ignores places.
#[derive(Clone, Debug)]
pub struct Stmt<T> {
    /// Comments and blank lines before it. A comment inside a statement, where the tree has no place for it (before a
    /// `because` on the next line, in a value that goes over lines), is moved here.
    pub lead: Vec<Trivia>,
    /// `@ignore(...)` annotations before it.
    pub ignores: Vec<Spanned<Ignore>>,
    /// What it says.
    pub node: T,
    /// The whole statement, annotations and comments left out.
    pub span: Span,
    /// A comment at the end of its last line.
    pub trail: Option<String>,
}

impl<T> Stmt<T> {
    /// A statement with nothing around it.
    pub fn bare(node: T, span: Span) -> Stmt<T> {
        Stmt { lead: Vec::new(), ignores: Vec::new(), node, span, trail: None }
    }
}

impl<T: PartialEq> PartialEq for Stmt<T> {
    fn eq(&self, other: &Self) -> bool {
        self.lead == other.lead && self.ignores == other.ignores && self.node == other.node && self.trail == other.trail
    }
}

/// Statements between braces (or of a whole file, or terms between brackets), and what stands after the last one.
/// Blank lines stand between things only: never first, last, or twice in a row. Equality ignores layout.
#[derive(Clone, Debug)]
pub struct Block<T> {
    /// A comment on the line of the opening brace.
    pub head: Option<String>,
    /// The statements in order.
    pub stmts: Vec<Stmt<T>>,
    /// Comments and blank lines after the last.
    pub tail: Vec<Trivia>,
    /// Whether it was written on one line; it is printed so again if it has no comments and fits.
    pub one_line: bool,
}

impl<T> Block<T> {
    /// Statements with nothing around them, all at one place, printed one a line.
    pub fn of(nodes: impl IntoIterator<Item = T>, span: Span) -> Block<T> {
        Block { stmts: nodes.into_iter().map(|node| Stmt::bare(node, span)).collect(), ..Block::default() }
    }

    /// The same, to be printed on one line if it fits.
    pub fn on_one_line(self) -> Block<T> {
        Block { one_line: true, ..self }
    }
}

impl<T: PartialEq> PartialEq for Block<T> {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head && self.stmts == other.stmts && self.tail == other.tail
    }
}

impl<T> Default for Block<T> {
    fn default() -> Self {
        Block { head: None, stmts: Vec::new(), tail: Vec::new(), one_line: false }
    }
}

/// A whole file.
pub type Policy = Block<Item>;

/// `@ignore(CODE, "reason", until "2027-03-31")`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignore {
    /// The code or name of a check.
    pub code: Name,
    /// Why; required, its absence is a finding of its own.
    pub reason: Option<Name>,
    /// The last day it holds, as written.
    pub until: Option<Name>,
}

/// A statement of a file's top level.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// `runtime opencode "1.18"`
    Runtime {
        /// The runtime.
        name: Name,
        /// Its version.
        version: Option<Name>,
    },
    /// `use "common.policy"`
    Use {
        /// Path relative to this file.
        path: Name,
    },
    /// `let NAME = [PATTERN, ...]`
    Let {
        /// The list's name.
        name: Name,
        /// Its patterns.
        patterns: Patterns,
    },
    /// `permission NAME { ... }`
    Permission {
        /// The permission, or a quoted wildcard over names.
        name: Name,
        /// What is said of it.
        body: Block<PermissionClause>,
    },
    /// `commands CAPABILITY[, CAPABILITY...] [by FAMILY] [...]`, or with a block
    Commands {
        /// The capabilities the commands give.
        capabilities: Vec<Name>,
        /// The kind of way it is.
        family: Option<Name>,
        /// The command lines.
        lines: CommandLines,
    },
    /// `layer NAME { ... }`, `layer NAME from "opencode.json"`, or both
    Layer {
        /// The layer.
        name: Name,
        /// Runtime configs whose shared permission section it takes.
        from: Vec<Name>,
        /// Its rules; absent in the short form with `from`.
        body: Option<Block<LayerClause>>,
    },
    /// `merge defaults, builtin, user, own`
    Merge(Vec<Name>),
    /// `agent NAME { ... }`
    Agent {
        /// The agent.
        name: Name,
        /// What is said of it.
        body: Block<AgentClause>,
    },
    /// `extend NAME { ... }`
    Extend {
        /// The agent.
        name: Name,
        /// What is added.
        body: Block<AgentClause>,
    },
    /// `default agent NAME`
    DefaultAgent(Name),
    /// `switch NAME { ... }`
    Switch {
        /// The tool.
        name: Name,
        /// What is said of it.
        body: Block<SwitchClause>,
    },
    /// `visibility last-deny`
    Visibility(Name),
    /// `assert WHO PROMISE`, `assert no layer loosens NAME`
    Assert(Assert),
    /// `test AGENT "name" { ... }`
    Test {
        /// The agent.
        agent: Name,
        /// What the test is called.
        name: Option<Name>,
        /// Its expectations.
        body: Block<TestClause>,
    },
}

/// A pattern as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// `None`: a plain string, in the runtime's own dialect.
    pub dialect: Option<Dialect>,
    /// The pattern's text.
    pub text: Name,
}

/// A pattern or a named list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A pattern.
    Text(Text),
    /// The name of a `let` list: always a bare name.
    Ref(Name),
}

/// What a rule's patterns are.
#[derive(Clone, Debug, PartialEq)]
pub enum Patterns {
    /// One pattern or named list.
    One(Term),
    /// `[ ... ]`, which may go over lines and hold comments.
    List(Block<Term>),
}

impl Patterns {
    /// The terms in order.
    pub fn terms(&self) -> impl Iterator<Item = &Term> {
        let (one, list) = match self {
            Patterns::One(term) => (Some(term), None),
            Patterns::List(block) => (None, Some(block)),
        };
        one.into_iter().chain(list.into_iter().flat_map(|block| block.stmts.iter().map(|stmt| &stmt.node)))
    }
}

/// How command lines are written.
#[derive(Clone, Debug, PartialEq)]
pub enum CommandLines {
    /// As patterns, or a named list of them.
    Patterns(Patterns),
    /// `{ ... }`, one a line.
    Block(Block<CommandClause>),
}

/// `"TEMPLATE" [because "..."] [example "..."]`
#[derive(Clone, Debug, PartialEq)]
pub struct CommandClause {
    /// The command line; a plain string is a template.
    pub text: Text,
    /// Why it gives the capability.
    pub because: Option<Name>,
    /// A command that shows it.
    pub example: Option<Name>,
}

/// `ACTION PERMISSION[, PERMISSION...] [PATTERNS] [because "..."]`
#[derive(Clone, Debug, PartialEq)]
pub struct RuleStmt {
    /// The action.
    pub action: Spanned<Action>,
    /// Permission names or wildcards over them.
    pub permissions: Vec<Name>,
    /// Resources; `*` where left out.
    pub patterns: Option<Patterns>,
    /// The reason.
    pub because: Option<Name>,
}

/// A clause of `permission NAME { ... }`.
#[derive(Clone, Debug, PartialEq)]
pub enum PermissionClause {
    /// `tools edit, write`: tools whose key it is.
    Tools(Vec<Name>),
    /// `asked-by move`: further tools that also ask it.
    AskedBy(Vec<Name>),
    /// `resource path`
    Resource(Name),
    /// `capability write`
    Capability(Name),
    /// `delegate own|bounded`
    Delegate(Name),
    /// `depth N`
    Depth(Spanned<u32>),
}

/// A clause of a layer.
#[derive(Clone, Debug, PartialEq)]
pub enum LayerClause {
    /// A rule.
    Rule(RuleStmt),
    /// `combine deny-overrides|first-match`
    Combine(Name),
}

/// A JSON value as an attribute holds it, keys in order.
pub type Json = serde_json::Value;

/// A clause of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum AgentClause {
    /// `mode primary`, `description "..."`, `temperature 0.1`, `hidden`: name and value (`true` where left out).
    Attribute {
        /// The attribute: one of [`ATTRIBUTES`](super::words::ATTRIBUTES); all else is an `option`.
        name: Name,
        /// Its value; a bare word is a string.
        value: Option<Spanned<Json>>,
    },
    /// `option "reasoningEffort" "high"`: a field of an imported agent that policyc does not know, kept as it is.
    Option {
        /// The field.
        name: Name,
        /// Its value, any JSON.
        value: Spanned<Json>,
    },
    /// A rule.
    Rule(RuleStmt),
    /// A promise.
    Promise(Promise),
    /// `merge ...` for this agent alone.
    Merge(Vec<Name>),
}

/// What must hold, proved or refuted; changes no decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Promise {
    /// `cannot CAPABILITY [PATTERNS] [except PATTERNS]`
    Cannot {
        /// `read`, `write`, `exec`, `network`, `delegate`, `switch`.
        capability: Name,
        /// Resources it is about; all where left out.
        patterns: Option<Patterns>,
        /// Resources it is not about.
        except: Option<Patterns>,
    },
    /// `cannot call PERMISSION [PATTERNS] [except PATTERNS]`: every such request is denied.
    CannotCall {
        /// The permission.
        permission: Name,
        /// Resources it is about.
        patterns: Option<Patterns>,
        /// Resources it is not about.
        except: Option<Patterns>,
    },
    /// `must ask PERMISSION [PATTERNS]`: never allowed silently.
    MustAsk {
        /// The permission.
        permission: Name,
        /// Resources it is about.
        patterns: Option<Patterns>,
    },
    /// `must allow PERMISSION [PATTERNS]`: every such request is allowed.
    MustAllow {
        /// The permission.
        permission: Name,
        /// Resources it is about.
        patterns: Option<Patterns>,
    },
}

/// `assert ...` at the top level.
#[derive(Clone, Debug, PartialEq)]
pub enum Assert {
    /// `assert WHO PROMISE`
    Promise {
        /// Of whom.
        who: Who,
        /// What.
        promise: Promise,
    },
    /// `assert no layer loosens NAME`
    NoLayerLoosens(Name),
}

/// Of whom an assert speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// One agent or a list of them.
    Agents(Vec<Name>),
    /// `every agent`
    Every(Place),
    /// `every primary`
    EveryPrimary(Place),
    /// `every subagent`
    EverySubagent(Place),
}

/// A place that equality ignores.
pub type Place = Spanned<()>;

/// A clause of a switch.
#[derive(Clone, Debug, PartialEq)]
pub enum SwitchClause {
    /// `from plan`
    From(Name),
    /// `to build`
    To(Name),
    /// `confirm "..."`: the person is asked this first.
    Confirm(Name),
    /// `answers approve, revise, reject`
    Answers(Vec<Name>),
    /// `requires path ["*.md"]`: a file that must be submitted.
    RequiresPath(Patterns),
    /// `enter "..."`, `leave "..."`, `note "..."`: texts for the model.
    Text {
        /// `enter`, `leave` or `note`.
        kind: Name,
        /// The text.
        text: Name,
    },
    /// `unattended stay|switch`
    Unattended(Name),
}

/// A clause of a test.
#[derive(Clone, Debug, PartialEq)]
pub enum TestClause {
    /// `PERMISSION "resource" => ACTION`
    Request {
        /// The permission.
        permission: Name,
        /// The resource.
        resource: Name,
        /// What is expected.
        action: Spanned<Action>,
    },
    /// `visible TOOL`
    Visible(Name),
    /// `hidden TOOL`
    Hidden(Name),
    /// `TOOL { input } => ACTION`: a whole tool call, its input a JSON object.
    Call {
        /// The tool.
        tool: Name,
        /// Its input.
        input: Spanned<Json>,
        /// What is expected.
        action: Spanned<Action>,
    },
}
