//! What Gemini adds to every list of rules, and plausible resources.

use super::rule::Mode;
use crate::language::Pattern;
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::Ruleset;
use std::sync::Arc;

/// No rule speaks of these: they are asked beside a tool's own permission, and the mode says what becomes of them.
const ALWAYS: [&str; 2] = ["build_file", "unreadable"];

/// Ends a list with what holds whatever the rules say. `runtime` is the origin of these rules.
pub(super) fn settle(set: &mut Ruleset) {
    let mode = Mode::from_word(&set.agent);
    let mut rules: Vec<(&str, Action)> = ALWAYS.map(|name| (name, Action::Ask)).to_vec();
    match mode {
        Some(Mode::Yolo) => {
            rules.extend(["redirection", "dangerous", "unreadable"].map(|name| (name, Action::Allow)));
        }
        Some(Mode::AutoEdit) => rules.push(("redirection", Action::Allow)),
        _ => {}
    }
    let Some(first) = set.rules.first() else { return };
    let origin = Arc::new(Origin { slot: "runtime".into(), prelude: true, via: Vec::new(), ..(*first.origin).clone() });
    for (at, (name, action)) in rules.into_iter().enumerate() {
        set.rules.push(Rule {
            id: u32::MAX - 16 + u32::try_from(at).unwrap_or_default(),
            permission: Pattern::wildcard(name),
            pattern: Pattern::wildcard("*"),
            action,
            reason: None,
            origin: Arc::clone(&origin),
        });
    }
}

/// Plausible resources of a permission, the most telling first.
pub(super) fn hints(permission: &str) -> Vec<String> {
    let words: &[&str] = match permission {
        "read" | "edit" | "replace" => {
            &["src/main.ts", "README.md", ".env", "docs/guide.md", "config/prod.env", "/etc/hosts", "GEMINI.md"]
        }
        "build_file" => &["package.json", "Makefile"],
        "list" | "glob" | "grep" => &[".", "src", "docs"],
        "bash" | "redirection" | "dangerous" | "unreadable" => &[
            "git push origin main",
            "rm -rf build",
            "npm test",
            "git status",
            "ls -la",
            "cat README.md",
            "echo done > out.txt",
            "curl https://example.com",
            "python3 build.py",
        ],
        "task" => &["codebase_investigator", "generalist"],
        "skill" => &["release-notes"],
        "webfetch" => &["https://example.com/"],
        "websearch" => &["rust wildcard matching"],
        _ => &["*"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
