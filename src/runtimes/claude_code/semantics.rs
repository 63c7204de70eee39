//! What Claude Code does to a flattened ruleset, and which resources its tools can ask for.

use crate::language::{Dialect, Pattern};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::Environment;
use std::sync::LazyLock;

/// Modes change what rules say, and a machine's folders take the place of symbolic ones.
pub(super) fn settle(set: &mut Ruleset, environment: Option<&Environment>) {
    let has = |set: &Ruleset, slot: &str| set.rules.iter().any(|rule| &*rule.origin.slot == slot);
    if has(set, "dontAsk") {
        // Nobody is there to be asked.
        for rule in set.rules.iter_mut().filter(|rule| rule.action == Action::Ask) {
            rule.action = Action::Deny;
            if rule.pattern.text() == "*" {
                // Such a tool is not hidden.
                rule.pattern = Pattern::wildcard("**");
            }
        }
    }
    if has(set, "bypassPermissions") {
        // Protected files are not asked about; commands that destroy a machine are.
        set.rules.retain(|rule| !(is_guard(rule) && rule.permission.text() == "edit"));
    }
    if let Some(environment) = environment {
        set.rules.iter_mut().for_each(|rule| expand(rule, environment));
    }
}

/// Whether a rule is one of those that the program itself puts between what is allowed and what is asked.
pub(super) fn is_guard(rule: &Rule) -> bool {
    rule.origin.prelude && &*rule.origin.slot == "user"
}

/// `~` is this machine's home folder, and what lies in the working folder is told from there.
fn expand(rule: &mut Rule, environment: &Environment) {
    if !matches!(rule.permission.text(), "read" | "edit" | "external_directory" | "glob" | "grep") {
        return;
    }
    let text = rule.pattern.text();
    let home = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let whole = home.map_or_else(|| text.to_owned(), |rest| format!("{}{rest}", environment.home));
    let inside = whole.strip_prefix(&environment.worktree).and_then(|rest| rest.strip_prefix('/'));
    let new = inside.filter(|_| !environment.worktree.is_empty()).unwrap_or(&whole);
    if new != text && rule.pattern.dialect() != Dialect::Regex {
        rule.pattern = Pattern::new(rule.pattern.dialect(), new).unwrap_or_else(|_| rule.pattern.clone());
    }
}

/// The folder of a path and `/*` is asked, absolute or from `~`.
static NO_FOLDERS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| regexes(&[r"(?s)[^/~].*|~[^/].*", r"(?s)|.*[^*]|(.*[^/])?\*"]));
/// No path: with `.`, `..` or empty parts, or a first name that starts with `~`.
static NO_PATHS: LazyLock<Vec<Pattern>> = LazyLock::new(|| regexes(&[r"(?s)~[^/].*|.+/"]));
/// No URL as the tool asks it.
static NO_URLS: LazyLock<Vec<Pattern>> = LazyLock::new(|| regexes(&[r"(?s)http:.*|https://[^/]*([:@?#][^/]*(/.*)?)?"]));

/// A simple command has no blanks around it.
static NO_COMMANDS: LazyLock<Vec<Pattern>> = LazyLock::new(|| regexes(&[r"(?s)|[ \t\n].*|.*[ \t\n]"]));

fn regexes(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().filter_map(|text| Pattern::new(Dialect::Regex, text).ok()).collect()
}

/// Resources that a permission is never asked for.
pub(super) fn impossible(permission: &str) -> Vec<Pattern> {
    let (wildcards, regexes): (&[&str], &[Pattern]) = match permission {
        "read" | "edit" | "glob" | "grep" => {
            (&["./*", "*/./*", "../*", "*/../*", "*//*", "*/..", "*/.", "~", ".."], NO_PATHS.as_slice())
        }
        "external_directory" => (&["*/./*", "*/../*", "*//*"], NO_FOLDERS.as_slice()),
        "webfetch" => (&[], NO_URLS.as_slice()),
        "bash" => (&[], NO_COMMANDS.as_slice()),
        _ => (&[], &[]),
    };
    wildcards.iter().map(|text| Pattern::wildcard(text)).chain(regexes.iter().cloned()).collect()
}

/// Plausible resources of a permission, the most telling first.
pub(super) fn hints(permission: &str) -> Vec<String> {
    let words: &[&str] = match permission {
        "bash" => &[
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
        "read" | "edit" => {
            &["src/main.ts", "README.md", ".env", "docs/guide.md", "package.json", "config/prod.env", "/etc/hosts"]
        }
        "glob" | "grep" => &[".", "src", "docs"],
        "task" => &["general-purpose", "Explore", "Plan"],
        "skill" => &["release-notes", "code-review"],
        "webfetch" => &["https://example.com/", "https://github.com/owner/repo"],
        "websearch" => &["rust wildcard matching"],
        "external_directory" => &["/etc/*", "/tmp/*", "~/notes/*"],
        _ => &["*"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
