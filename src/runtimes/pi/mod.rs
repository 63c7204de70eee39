//! pi with the extension that policyc writes: what it asks is decided here, for pi by itself asks nobody. It has no config of
//! this kind, so none is read.

mod line;
mod places;
mod requests;

pub use line::commands;

use super::{Asks, Belongs, Environment, Reading, Runtime, Source, SourceRef, Version};
use crate::diagnostic::Sink;
use crate::language::{Dialect, Pattern};
use crate::ruleset::Ruleset;
use crate::source::SourceMap;
use camino::Utf8Path;

/// pi, by whichever of its majors.
#[derive(Debug)]
pub struct Pi;

const PRELUDE_NAME: &str = "policies/runtime/pi.policy";
const PRELUDE: &str = include_str!("../../../policies/runtime/pi.policy");

static VERSIONS: [Version; 2] = [
    Version { id: "1", prelude_name: PRELUDE_NAME, prelude: PRELUDE, verified: true },
    Version { id: "0.73", prelude_name: PRELUDE_NAME, prelude: PRELUDE, verified: true },
];

impl Runtime for Pi {
    fn name(&self) -> &'static str {
        "pi"
    }

    fn title(&self) -> &'static str {
        "pi"
    }

    fn versions(&self) -> &'static [Version] {
        &VERSIONS
    }

    fn default_version(&self) -> &'static Version {
        let [version, _] = &VERSIONS;
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

    fn environment(&self, folder: &Utf8Path) -> Environment {
        let home = std::env::var("HOME").or_else(|_| std::env::var("USERPROFILE")).unwrap_or_default();
        let folder = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned()).into_string();
        Environment { home, worktree: folder.clone(), cwd: folder, ..Environment::default() }
    }

    fn read(
        &self,
        _: &[Source],
        _: &SourceMap,
        asked: Option<&'static Version>,
        _: &mut Sink,
    ) -> (&'static Version, Reading) {
        (asked.unwrap_or(self.default_version()), Reading::default())
    }

    fn settle(&self, _: &mut Ruleset, _: &Version, _: Option<&Environment>) {}

    /// A path is `/`-separated, relative inside the working folder and absolute outside, never with `.` or `..` parts.
    fn impossible(&self, permission: &str) -> Vec<Pattern> {
        let shapes: &[&str] = match permission {
            "read" | "edit" | "list" | "glob" | "grep" | "external_directory" | "submit_plan" => {
                &["./*", "*/./*", "../*", "*/../*", "*//*", "*/..", "~", "~/*"]
            }
            _ => &[],
        };
        shapes.iter().map(|shape| Pattern::wildcard(shape)).collect()
    }

    fn hints(&self, permission: &str) -> Vec<String> {
        let words: &[&str] = match permission {
            "bash" => &["git push origin main", "git status", "ls -la", "npm test", "rm -rf build"],
            "task" => &["scout", "worker"],
            "external_directory" => &["/tmp/build/*", "/etc/*"],
            "list" | "glob" | "grep" => &[".", "src", "docs"],
            "read" | "edit" => &["src/main.ts", "README.md", "docs/guide.md", ".env", "/etc/hosts"],
            "submit_plan" => &["PLAN.md", "plans/auth.md"],
            _ => &["*"],
        };
        words.iter().map(|word| (*word).to_owned()).collect()
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
        Some(("bash", serde_json::json!({ "command": line })))
    }
}
