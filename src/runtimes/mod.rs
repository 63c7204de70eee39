//! The runtimes policyc knows: how each is configured, how it decides, and what it asks.

pub mod claude_code;
pub mod codes;
pub mod core;
mod emitted;
pub mod gemini;
pub mod opencode;
pub mod paths;
pub mod pi;
pub mod protocol;
mod sessions;

/// Amp.
pub mod amp {
    pub mod hook;
}
/// Codex CLI.
pub mod codex {
    pub mod hook;
}
/// GitHub Copilot CLI.
pub mod copilot {
    pub mod hook;
}
/// Cursor.
pub mod cursor {
    pub mod hook;
}
/// Qwen Code.
pub mod qwen {
    pub mod hook;
}

pub use emitted::{Emitted, Loss, Side, Wanted, Written};
pub use sessions::{Approval, Memory, Repeats, SessionRule, Sessions};

use crate::diagnostic::Sink;
use crate::language::{Budget, Dialect, Pattern};
use crate::model::Capability;
use crate::ruleset::Ruleset;
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::syntax::ast::{self, Name};
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

/// Facts of the machine a config runs on. Without them (`None` in the calls below) the roots stay symbolic:
/// `~`, `$DATA`, `$TMP`, `$SKILLS` at the start of a path pattern.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The person's home folder.
    pub home: String,
    /// The runtime's data folder.
    pub data: String,
    /// The temporary folder.
    pub tmp: String,
    /// The root of the worktree that paths are relative to.
    pub worktree: String,
    /// The folder a session runs in.
    pub cwd: String,
    /// Skill folders found on this machine.
    pub skills: Vec<String>,
}

/// One source of a runtime's config, lowest precedence first in every list.
#[derive(Clone, Debug)]
pub struct Source {
    /// What kind of source it is; a runtime's own word (`project`, `global`, `agent-file`, `env`, ...).
    pub kind: &'static str,
    /// Its path, for a person and for names that derive from paths.
    pub path: Utf8PathBuf,
    /// Its text.
    pub file: FileId,
}

/// A source that is there, not yet read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRef {
    /// What kind of source it is, for [`Source::kind`].
    pub kind: &'static str,
    /// The file, or the variable's name.
    pub path: Utf8PathBuf,
    /// A variable's text; `None`: it is in the file.
    pub text: Option<String>,
}

/// Where a config file belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Belongs {
    /// To the config of a project folder, with which it is read.
    To(Utf8PathBuf),
    /// To no project: the runtime does not read it, but it looks as if it were meant to.
    Nowhere,
}

/// A config as a policy.
#[derive(Debug, Default)]
pub struct Reading {
    /// What it says, in the language; spans point into the config's own files.
    pub policy: ast::Policy,
    /// The same with every source's rules one after another as written, where that is another order.
    pub as_written: Option<ast::Policy>,
    /// Annotations of its files, each with what it covers. Those that stand at a statement are there too.
    pub ignores: Vec<(Spanned<ast::Ignore>, Span)>,
    /// Servers that bring tools of their own, by the names their tools' permissions begin with.
    pub servers: Vec<Name>,
}

/// One request of a tool call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The permission asked.
    pub permission: String,
    /// The resource it is asked for.
    pub resource: String,
}

/// What a tool call asks before it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asks {
    /// Its requests, in the order they are asked.
    pub requests: Vec<Request>,
    /// The parts of a command line that run and that no request speaks of, in the order of the line.
    pub unasked: Vec<Unasked>,
    /// Why it may ask for more than the requests say; then it is at least as strict as they are.
    pub open: Option<String>,
}

/// A part of a command line that is asked by nobody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unasked {
    /// Its text.
    pub text: String,
    /// What it is.
    pub what: UnaskedKind,
}

/// What an unasked part of a command line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaskedKind {
    /// A redirection that is not in the text of an asked command.
    Redirection,
    /// A simple command that the runtime does not ask for, like `cd`.
    Command,
    /// `NAME=VALUE` by itself.
    Assignment,
    /// `export`, `declare` and their like.
    Declaration,
    /// `[ ... ]`, `[[ ... ]]`, `((...))`.
    Test,
    /// Text that the runtime's grammar cannot read: the shell may see other commands there.
    Unreadable,
}

impl UnaskedKind {
    /// Its word in machine formats.
    pub fn word(self) -> &'static str {
        match self {
            UnaskedKind::Redirection => "redirection",
            UnaskedKind::Command => "command",
            UnaskedKind::Assignment => "assignment",
            UnaskedKind::Declaration => "declaration",
            UnaskedKind::Test => "test",
            UnaskedKind::Unreadable => "unreadable",
        }
    }
}

impl From<Vec<Request>> for Asks {
    fn from(requests: Vec<Request>) -> Asks {
        Asks { requests, ..Asks::default() }
    }
}

/// Calls of a tool that a runtime lets pass without any request.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// The permission that hides the tool.
    pub permission: &'static str,
    /// The command lines, as a template of the catalogue.
    pub line: &'static str,
    /// What they give.
    pub capabilities: &'static [Capability],
    /// Why nobody is asked.
    pub why: &'static str,
}

/// Where a version does other than rules say, and no rule changes that.
#[derive(Clone, Copy, Debug, Default)]
pub struct Holes {
    /// Permissions whose paths are compared as they are written, while their tools go where links in them lead.
    pub links: &'static [&'static str],
    /// Permissions that nothing asks: at most a tool of theirs is shown or hidden.
    pub unasked: &'static [&'static str],
}

/// A version whose semantics policyc knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// As `runtime NAME "VERSION"` and `--runtime-version` write it.
    pub id: &'static str,
    /// The prelude's file name.
    pub prelude_name: &'static str,
    /// The prelude's text.
    pub prelude: &'static str,
    /// Whether the semantics were checked against the real program.
    pub verified: bool,
}

/// A runtime: vocabulary, semantics, and what it asks. Its folder holds how it is read and written.
pub trait Runtime: Sync {
    /// Its word in the language.
    fn name(&self) -> &'static str;
    /// What people call it.
    fn title(&self) -> &'static str;
    /// Known versions.
    fn versions(&self) -> &'static [Version];
    /// The version where none is asked for.
    fn default_version(&self) -> &'static Version;
    /// The dialect of a pattern without a word before it.
    fn plain(&self) -> Dialect;
    /// Where a file found in a project belongs, if its path is that of a config.
    fn belongs(&self, path: &Utf8Path) -> Option<Belongs>;
    /// Whether a file that a person names can be read as its config.
    fn reads(&self, path: &Utf8Path) -> bool;
    /// The sources that hold in a folder, lowest precedence first; with `machine` also those of this machine.
    fn sources(&self, folder: &Utf8Path, machine: bool) -> Vec<SourceRef>;
    /// The facts of this machine, for a session in a folder.
    fn environment(&self, folder: &Utf8Path) -> Environment;
    /// Its config, from the sources it is made of (lowest precedence first), as a policy of the version asked for, or of
    /// the one its shape shows.
    fn read(
        &self,
        sources: &[Source],
        texts: &SourceMap,
        asked: Option<&'static Version>,
        sink: &mut Sink,
    ) -> (&'static Version, Reading);
    /// What the runtime does to a flattened ruleset: rules it adds, roots it expands.
    fn settle(&self, set: &mut Ruleset, version: &Version, environment: Option<&Environment>);
    /// A policy as its config; `None`: none is written for it.
    ///
    /// # Errors
    /// Why none can be written for this policy, or this version. What is written is proved by reading it back, not trusted.
    fn emit(&self, _wanted: &Wanted<'_>, _budget: &mut Budget) -> Option<Result<Emitted, String>> {
        None
    }
    /// Resources that this permission is never asked for.
    fn impossible(&self, permission: &str) -> Vec<Pattern>;
    /// Plausible resources of this permission, for witnesses.
    fn hints(&self, permission: &str) -> Vec<String>;
    /// What a tool call asks; an error says why nothing of it can be told.
    fn asks(
        &self,
        tool: &str,
        input: &serde_json::Value,
        version: &Version,
        environment: Option<&Environment>,
    ) -> Result<Asks, String>;
    /// What a version asks nobody about, as long as the model sees the tool.
    fn passing(&self, _version: &Version) -> &'static [Passing] {
        &[]
    }
    /// Where a version does other than rules say. Nothing where nothing is known.
    fn holes(&self, _version: &Version) -> Holes {
        Holes::default()
    }
    /// The call that moves a file: the tool's name and its input. `None`: the runtime has no such tool.
    fn move_call(&self, _from: &str, _to: &str, _version: &Version) -> Option<(&'static str, serde_json::Value)> {
        None
    }
    /// Resources that a person's answer "always" to a request lets pass from then on, whatever rules say of them; all of
    /// them belong to the permission of the request. `None`: none, or it is not known.
    fn approves(&self, _request: &Request, _version: &Version) -> Option<Pattern> {
        None
    }
    /// How sessions of a version go where runtimes differ.
    fn sessions(&self, _version: &Version) -> Sessions {
        Sessions::SAFE
    }
    /// What the answer "always" to one request of a permission, about these resources, lets pass from then on.
    fn remembers(&self, permission: &str, resources: &[String], _version: &Version) -> Vec<Approval> {
        resources.iter().map(|resource| Approval::exact(permission, resource)).collect()
    }
    /// The rules of a subagent's session, made of those of the session that starts it; `agent`: the subagent's own.
    fn inherited(&self, session: &[SessionRule], _agent: &Ruleset, _version: &Version) -> Vec<SessionRule> {
        session.to_vec()
    }
    /// The permission that is asked before a call touches a folder outside the project, as `FOLDER/*`, beside the call's own.
    fn guards_outside(&self) -> Option<&'static str> {
        None
    }
    /// Whether a path outside the project is asked as seen from it (`../other/b`), and not as an absolute one.
    fn tells_outside_relative(&self) -> bool {
        false
    }
    /// The call that runs a command line: the tool's name and its input. `None`: the runtime has no such tool.
    fn command_call(&self, line: &str, version: &Version) -> Option<(&'static str, serde_json::Value)>;
}

impl dyn Runtime + '_ {
    /// Whether a command line is asked as it stands, for this permission, and not by its parts.
    pub fn asks_whole(&self, version: &Version, permission: &str, line: &str) -> bool {
        let Some((tool, input)) = self.command_call(line, version) else { return true };
        let asked = |request: &Request| request.permission == permission && request.resource == line;
        self.asks(tool, &input, version, None).is_ok_and(|asks| asks.requests.iter().any(asked))
    }
}

impl std::fmt::Debug for dyn Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Every runtime that asks a hook before a call.
pub static PROTOCOLS: [&dyn protocol::Protocol; 7] = [
    &claude_code::hook::ClaudeCode,
    &codex::hook::Codex,
    &gemini::hook::Gemini,
    &copilot::hook::Copilot,
    &cursor::hook::Cursor,
    &amp::hook::Amp,
    &qwen::hook::Qwen,
];

/// Every runtime, `core` first.
pub static RUNTIMES: [&dyn Runtime; 5] =
    [&core::Core, &opencode::OpenCode, &pi::Pi, &claude_code::ClaudeCode, &gemini::Gemini];
