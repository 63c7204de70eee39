//! Gemini CLI: its policy files and settings, read as it reads them, and a policy written as such a file. A mode of a session
//! is an agent here, and so is every subagent that a rule names.

mod algebra;
pub mod emit;
mod fields;
pub mod hook;
pub mod lower;
mod names;
mod place;
mod read;
mod regex;
mod requests;
pub mod rule;
mod semantics;
mod settings;
pub mod spelling;
mod toml;
pub mod tools;
mod value;
mod wrapper;

use super::{Asks, Belongs, Environment, Reading, Runtime, Source, SourceRef, Version};
use crate::diagnostic::Sink;
use crate::language::{Dialect, Pattern};
use crate::ruleset::Ruleset;
use crate::source::SourceMap;
use camino::Utf8Path;

/// Gemini CLI.
#[derive(Debug)]
pub struct Gemini;

static VERSIONS: [Version; 1] = [Version {
    id: "0.61",
    prelude_name: "policies/runtime/gemini.policy",
    prelude: include_str!("../../../policies/runtime/gemini.policy"),
    verified: true,
}];

impl Gemini {
    /// The version whose program was asked.
    pub fn version() -> &'static Version {
        let [version] = &VERSIONS;
        version
    }
}

impl Runtime for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn versions(&self) -> &'static [Version] {
        &VERSIONS
    }

    fn default_version(&self) -> &'static Version {
        Gemini::version()
    }

    fn plain(&self) -> Dialect {
        Dialect::Wildcard
    }

    fn belongs(&self, path: &Utf8Path) -> Option<Belongs> {
        place::belongs(path)
    }

    fn reads(&self, path: &Utf8Path) -> bool {
        place::reads(path)
    }

    fn sources(&self, folder: &Utf8Path, machine: bool) -> Vec<SourceRef> {
        place::sources(folder, machine)
    }

    fn environment(&self, folder: &Utf8Path) -> Environment {
        let folder = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned()).into_string();
        let home = place::home().into_string();
        Environment { home, worktree: folder.clone(), cwd: folder, ..Environment::default() }
    }

    fn read(
        &self,
        sources: &[Source],
        texts: &SourceMap,
        _: Option<&'static Version>,
        sink: &mut Sink,
    ) -> (&'static Version, Reading) {
        read::read(sources, texts, sink)
    }

    fn settle(&self, set: &mut Ruleset, _: &Version, _: Option<&Environment>) {
        semantics::settle(set);
    }

    /// Texts of arguments are compared as they stand, so any text may come.
    fn impossible(&self, _: &str) -> Vec<Pattern> {
        Vec::new()
    }

    fn hints(&self, permission: &str) -> Vec<String> {
        semantics::hints(permission)
    }

    fn asks(
        &self,
        tool: &str,
        input: &serde_json::Value,
        _: &Version,
        _: Option<&Environment>,
    ) -> Result<Asks, String> {
        requests::asks(tool, input)
    }

    fn command_call(&self, line: &str, _: &Version) -> Option<(&'static str, serde_json::Value)> {
        Some(("run_shell_command", serde_json::json!({ "command": line })))
    }
}
