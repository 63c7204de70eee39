//! `core`: the common vocabulary, for policies that speak of no runtime in particular. It has no config of its own.

use super::{Asks, Belongs, Environment, Reading, Runtime, Source, SourceRef, Version};
use crate::diagnostic::Sink;
use crate::language::{Dialect, Pattern};
use crate::ruleset::Ruleset;
use crate::source::SourceMap;
use camino::Utf8Path;

/// The runtime of a policy that names none.
#[derive(Debug)]
pub struct Core;

static VERSIONS: [Version; 1] = [Version {
    id: "1",
    prelude_name: "policies/runtime/core.policy",
    prelude: include_str!("../../policies/runtime/core.policy"),
    verified: true,
}];

impl Runtime for Core {
    fn name(&self) -> &'static str {
        "core"
    }

    fn title(&self) -> &'static str {
        "core"
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

    fn belongs(&self, _: &Utf8Path) -> Option<Belongs> {
        None
    }

    fn reads(&self, _: &Utf8Path) -> bool {
        false
    }

    fn sources(&self, _: &Utf8Path, _: bool) -> Vec<SourceRef> {
        Vec::new()
    }

    fn environment(&self, _: &Utf8Path) -> Environment {
        Environment::default()
    }

    fn read(
        &self,
        _: &[Source],
        _: &SourceMap,
        _: Option<&'static Version>,
        _: &mut Sink,
    ) -> (&'static Version, Reading) {
        (self.default_version(), Reading::default())
    }

    fn settle(&self, _: &mut Ruleset, _: &Version, _: Option<&Environment>) {}

    /// A path is `/`-separated, relative inside the workspace and absolute outside, never with `.` or `..` parts.
    fn impossible(&self, permission: &str) -> Vec<Pattern> {
        let shapes: &[&str] = match permission {
            "read" | "edit" | "list" | "glob" | "grep" => &["./*", "*/./*", "../*", "*/../*", "*//*", "*/..", "*/."],
            "external_directory" => &["./*", "*/./*", "../*", "*/../*", "*//*"],
            _ => &[],
        };
        shapes.iter().map(|shape| Pattern::wildcard(shape)).collect()
    }

    fn hints(&self, permission: &str) -> Vec<String> {
        let words: &[&str] = match permission {
            "bash" => &["git push origin main", "git status", "ls -la", "npm test", "cargo build"],
            "webfetch" => &["https://example.com/"],
            "websearch" => &["rust wildcard matching"],
            "task" => &["general", "explore"],
            "skill" => &["release-notes"],
            "external_directory" => &["/tmp/build/*", "~/notes/*"],
            "read" | "edit" | "list" | "glob" | "grep" => &["src/main.rs", "README.md", "docs/guide.md", ".env"],
            _ => &["*"],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn asks(&self, tool: &str, _: &serde_json::Value, _: &Version, _: Option<&Environment>) -> Result<Asks, String> {
        Err(format!("`core` says which permissions exist, not what the tool `{tool}` asks: name a runtime"))
    }

    fn command_call(&self, _: &str, _: &Version) -> Option<(&'static str, serde_json::Value)> {
        None
    }
}
