//! Claude Code: how it takes rules was compared with its own validator; how it decides is from its documents.

mod agents;
mod commands;
pub mod emit;
pub mod hook;
mod keys;
mod line;
pub mod lower;
mod names;
mod paths;
mod place;
mod policy;
mod read;
mod requests;
mod rules;
mod semantics;
mod settings;
mod spec;
mod text;
mod tools;
mod write;

use super::{Asks, Belongs, Environment, Reading, Runtime, Source, SourceRef, Version};
use crate::diagnostic::Sink;
use crate::language::{Dialect, Pattern};
use crate::ruleset::Ruleset;
use crate::source::SourceMap;
use camino::Utf8Path;

/// Claude Code.
#[derive(Debug)]
pub struct ClaudeCode;

static VERSIONS: [Version; 1] = [Version {
    id: "2.1",
    prelude_name: "policies/runtime/claude-code.policy",
    prelude: include_str!("../../../policies/runtime/claude-code.policy"),
    // The program validates rules, and cannot be asked for a decision.
    verified: false,
}];

impl ClaudeCode {
    /// Permissions of tools whose calls stay in the session, which a policy in the common vocabulary does not speak of.
    pub fn session_tools() -> &'static [&'static str] {
        &names::SESSION
    }

    /// Names of tools that there are not: no permission of that name is ever asked.
    pub fn strangers() -> Option<Pattern> {
        semantics::strangers()
    }
}

impl Runtime for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn versions(&self) -> &'static [Version] {
        &VERSIONS
    }

    fn default_version(&self) -> &'static Version {
        let [version] = &VERSIONS;
        version
    }

    fn plain(&self) -> Dialect {
        Dialect::Wildcard
    }

    fn belongs(&self, path: &Utf8Path) -> Option<Belongs> {
        place::belongs(path)
    }

    fn reads(&self, path: &Utf8Path) -> bool {
        matches!(path.extension(), Some("json" | "md"))
    }

    fn sources(&self, folder: &Utf8Path, machine: bool) -> Vec<SourceRef> {
        place::sources(folder, machine)
    }

    fn environment(&self, folder: &Utf8Path) -> Environment {
        place::environment(folder)
    }

    fn read(
        &self,
        sources: &[Source],
        texts: &SourceMap,
        asked: Option<&'static Version>,
        sink: &mut Sink,
    ) -> (&'static Version, Reading) {
        read::read(sources, texts, asked.unwrap_or(self.default_version()), sink)
    }

    fn settle(&self, set: &mut Ruleset, _: &Version, environment: Option<&Environment>) {
        semantics::settle(set, environment);
    }

    fn impossible(&self, permission: &str) -> Vec<Pattern> {
        semantics::impossible(permission)
    }

    fn hints(&self, permission: &str) -> Vec<String> {
        semantics::hints(permission)
    }

    fn asks(
        &self,
        tool: &str,
        input: &serde_json::Value,
        _: &Version,
        environment: Option<&Environment>,
    ) -> Result<Asks, String> {
        requests::asks(tool, input, environment)
    }

    fn guards_outside(&self) -> Option<&'static str> {
        Some("external_directory")
    }

    fn command_call(&self, line: &str, _: &Version) -> Option<(&'static str, serde_json::Value)> {
        Some(("Bash", serde_json::json!({ "command": line })))
    }
}
