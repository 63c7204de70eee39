//! OpenCode: versions 1.18 (`permission`, `agent`), compared with the real program, and 2 (`permissions`, `agents`), from
//! its source and documents alone.

mod agents;
mod annotations;
mod arrange;
mod commands;
mod comments;
pub mod emit;
mod fields;
pub mod frontmatter;
mod holes;
pub mod json;
pub mod keys;
pub mod lower;
mod machine;
mod merge;
mod place;
mod policy;
mod prefixes;
mod read;
mod requests;
mod rules;
mod semantics;
mod sessions;
pub mod sources;
mod spelling;
mod v2;
mod writable;
pub mod yaml;

use super::{
    Approval, Asks, Belongs, Emitted, Environment, Holes, Passing, Reading, Request, Runtime, SessionRule, Sessions,
    Source, SourceRef, Version, Wanted,
};
use crate::diagnostic::Sink;
use crate::language::{Budget, Dialect, Pattern};
use crate::ruleset::Ruleset;
use crate::source::SourceMap;
use camino::Utf8Path;

/// OpenCode, by whichever version.
#[derive(Debug)]
pub struct OpenCode;

static VERSIONS: [Version; 2] = [
    Version {
        id: "1.18",
        prelude_name: "policies/runtime/opencode.policy",
        prelude: include_str!("../../../policies/runtime/opencode.policy"),
        verified: true,
    },
    Version {
        id: "2",
        prelude_name: "policies/runtime/opencode-2.policy",
        prelude: include_str!("../../../policies/runtime/opencode-2.policy"),
        verified: false,
    },
];

impl OpenCode {
    /// Version 1.18.
    pub fn one() -> &'static Version {
        let [one, _] = &VERSIONS;
        one
    }

    /// Version 2.
    pub fn two() -> &'static Version {
        let [_, two] = &VERSIONS;
        two
    }
}

/// Whether a version is 1.18, whose program was asked.
fn is_one(version: &Version) -> bool {
    version.id == OpenCode::one().id
}

impl Runtime for OpenCode {
    fn name(&self) -> &'static str {
        "opencode"
    }

    fn title(&self) -> &'static str {
        "OpenCode"
    }

    fn versions(&self) -> &'static [Version] {
        &VERSIONS
    }

    fn default_version(&self) -> &'static Version {
        OpenCode::one()
    }

    fn plain(&self) -> Dialect {
        Dialect::Wildcard
    }

    fn belongs(&self, path: &Utf8Path) -> Option<Belongs> {
        place::belongs(path)
    }

    fn reads(&self, path: &Utf8Path) -> bool {
        matches!(path.extension(), Some("json" | "jsonc" | "yml" | "yaml" | "md"))
    }

    fn sources(&self, folder: &Utf8Path, machine: bool) -> Vec<SourceRef> {
        let machine = machine.then(machine::here);
        sources::sources(folder, machine.as_ref())
    }

    fn environment(&self, folder: &Utf8Path) -> Environment {
        machine::environment(folder)
    }

    fn read(
        &self,
        sources: &[Source],
        texts: &SourceMap,
        asked: Option<&'static Version>,
        sink: &mut Sink,
    ) -> (&'static Version, Reading) {
        read::read(sources, texts, asked, sink)
    }

    fn settle(&self, set: &mut Ruleset, _: &Version, environment: Option<&Environment>) {
        semantics::settle(set, environment);
    }

    fn emit(&self, wanted: &Wanted<'_>, budget: &mut Budget) -> Option<Result<Emitted, String>> {
        Some(emit::emit(wanted, budget))
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
        version: &Version,
        environment: Option<&Environment>,
    ) -> Result<Asks, String> {
        requests::asks(tool, input, version.id == OpenCode::two().id, environment)
    }

    fn passing(&self, version: &Version) -> &'static [Passing] {
        if is_one(version) { &semantics::PASSING } else { &[] }
    }

    fn holes(&self, version: &Version) -> Holes {
        if is_one(version) { holes::HOLES } else { Holes::default() }
    }

    fn move_call(&self, from: &str, to: &str, version: &Version) -> Option<(&'static str, serde_json::Value)> {
        is_one(version).then(|| holes::move_call(from, to))
    }

    fn approves(&self, request: &Request, version: &Version) -> Option<Pattern> {
        if is_one(version) { holes::approves(request) } else { None }
    }

    fn sessions(&self, version: &Version) -> Sessions {
        if is_one(version) { sessions::ONE } else { sessions::TWO }
    }

    fn remembers(&self, permission: &str, resources: &[String], _: &Version) -> Vec<Approval> {
        sessions::remembers(permission, resources)
    }

    fn inherited(&self, session: &[SessionRule], agent: &Ruleset, version: &Version) -> Vec<SessionRule> {
        // A subagent of version 2 acts by its own rules alone.
        if is_one(version) { sessions::inherited(session, agent) } else { Vec::new() }
    }

    fn guards_outside(&self) -> Option<&'static str> {
        Some("external_directory")
    }

    fn tells_outside_relative(&self) -> bool {
        true
    }

    fn command_call(&self, line: &str, version: &Version) -> Option<(&'static str, serde_json::Value)> {
        let tool = if version.id == OpenCode::two().id { "shell" } else { "bash" };
        Some((tool, serde_json::json!({ "command": line })))
    }
}
