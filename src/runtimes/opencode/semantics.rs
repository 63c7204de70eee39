//! What OpenCode does to a flattened ruleset, and which resources its tools can ask for.

use crate::language::{Dialect, Pattern};
use crate::model::Capability;
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::{Environment, Passing};
use std::sync::{Arc, LazyLock};

/// Where long tool output is kept, as the program's own rules name it.
pub(super) const TOOL_OUTPUT: &str = "$DATA/tool-output/*";
/// The same as a person writes it.
pub(super) const TOOL_OUTPUT_HOME: &str = "~/.local/share/opencode/tool-output/*";

/// What 1.18 asks nobody about: only commands are asked, and a redirection alone is none.
pub(super) static PASSING: [Passing; 1] = [Passing {
    permission: "bash",
    line: "> {path}",
    capabilities: &[Capability::Write],
    why: "OpenCode asks for each command of a line, and a redirection alone is none",
}];

/// Adds the last rule of every ruleset, and puts this machine's folders in the place of the symbolic ones.
pub(super) fn settle(set: &mut Ruleset, environment: Option<&Environment>) {
    if let Some(environment) = environment {
        set.rules = set.rules.drain(..).flat_map(|rule| expand(rule, environment)).collect();
        // One written rule with two spellings of the home folder is one again.
        set.rules.dedup_by(|second, first| {
            second.permission.text() == "external_directory"
                && second.pattern == first.pattern
                && second.origin.statement == first.origin.statement
                && second.permission != first.permission
                && first.permission.matches("external_directory", set.case)
        });
    }
    let texts = match environment {
        Some(environment) => vec![format!("{}/tool-output/*", environment.data)],
        None => vec![TOOL_OUTPUT.to_owned(), TOOL_OUTPUT_HOME.to_owned()],
    };
    let denied = |rule: &Rule| {
        rule.action == Action::Deny
            && rule.permission.text() == "external_directory"
            && texts.iter().any(|text| rule.pattern.text() == text)
    };
    if set.rules.iter().any(denied) {
        return;
    }
    // The program's code is no file: the rule stands at the place where the prelude speaks of that folder.
    let model = set.rules.iter().find(|rule| texts.iter().any(|text| rule.pattern.text() == text));
    let (Some(model), Some(text)) = (model.or(set.rules.first()), texts.first()) else { return };
    let origin = Origin { slot: "runtime".into(), prelude: true, via: Vec::new(), ..(*model.origin).clone() };
    set.rules.push(Rule {
        id: u32::MAX,
        permission: Pattern::wildcard("external_directory"),
        pattern: Pattern::wildcard(text),
        action: Action::Allow,
        reason: None,
        origin: Arc::new(origin),
    });
}

/// A rule with this machine's folders; one for `$SKILLS` becomes one for each skill folder.
fn expand(rule: Rule, environment: &Environment) -> Vec<Rule> {
    let with = |text: String| Rule { pattern: Pattern::wildcard(&text), ..rule.clone() };
    let text = rule.pattern.text();
    let symbolic = rule.pattern.dialect() == Dialect::Wildcard;
    if let Some(rest) = text.strip_prefix("$SKILLS").filter(|_| symbolic) {
        return environment.skills.iter().map(|folder| with(format!("{folder}{rest}"))).collect();
    }
    let roots = [
        ("$DATA", &environment.data),
        ("$TMP", &environment.tmp),
        ("<home>", &environment.home),
        ("$HOME", &environment.home),
        ("~", &environment.home),
    ];
    let found = roots.iter().filter(|_| symbolic).find_map(|(root, folder)| {
        let rest = text.strip_prefix(root)?;
        // `~name` is another person's home to a shell; OpenCode takes it as it stands, but not `$HOMEname`.
        (rest.is_empty() || rest.starts_with('/') || *root == "$HOME").then(|| format!("{folder}{rest}"))
    });
    match found {
        // Only the program itself makes a rule for a file relative to the worktree; a person's stays absolute.
        Some(path) if rule.origin.prelude && matches!(rule.permission.text(), "edit" | "read") => {
            vec![with(crate::runtimes::paths::relative(&environment.worktree, &path))]
        }
        Some(path) => vec![with(path)],
        None => vec![rule],
    }
}

/// The folder of a path and `/*` is asked. A drive stands in front on Windows.
static NO_FOLDERS: LazyLock<Vec<Pattern>> =
    LazyLock::new(|| regexes(&[r"(?s)[^/~$A-Za-z].*|[A-Za-z]([^:].*)?", r"(?s)|.*[^*]|(.*[^/])?\*"]));
/// Only `*` is asked.
static NO_STARS: LazyLock<Vec<Pattern>> = LazyLock::new(|| regexes(&[r"(?s)|[^*]|...*"]));

fn regexes(texts: &[&str]) -> Vec<Pattern> {
    texts.iter().filter_map(|text| Pattern::new(Dialect::Regex, text).ok()).collect()
}

/// Resources that a permission is never asked for, on Linux and macOS (files whose names hold a backslash left out).
///
/// Paths are resolved by their text and told relative to the worktree, which is `/` outside git: never absolute, never with
/// empty, `.` or trailing parts. `..` stands in front where the file is outside, so `*/../*` is possible.
pub(super) fn impossible(permission: &str) -> Vec<Pattern> {
    let wildcards: &[&str] = match permission {
        // MCP resources are read as `mcp:SERVER:URI`, and a URI may hold anything.
        "read" => &["/*", "./*", ".", "~", "~/*"],
        "edit" => &["", "/*", "./*", ".", "~", "~/*", "*//*", "*/./*", "*/.", "*/"],
        _ => &[],
    };
    let regexes = match permission {
        "external_directory" => NO_FOLDERS.as_slice(),
        "lsp" | "todowrite" => NO_STARS.as_slice(),
        _ => &[],
    };
    wildcards.iter().map(|text| Pattern::wildcard(text)).chain(regexes.iter().cloned()).collect()
}

/// Plausible resources of a permission, the most telling first.
pub(super) fn hints(permission: &str) -> Vec<String> {
    let words: &[&str] = match permission {
        "read" | "edit" => &[
            "src/main.ts",
            "README.md",
            ".env",
            "config/prod.env",
            "docs/guide.md",
            "package.json",
            ".opencode/plans/auth.md",
            "AGENTS.md",
            "../other/notes.md",
        ],
        "glob" => &["**/*.ts", "src/**/*.rs", "*.md"],
        "grep" => &["TODO", "function main", "password"],
        "bash" | "shell" => &[
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
        "task" | "subagent" => &["general", "explore", "build", "plan"],
        "skill" => &["release-notes", "code-review"],
        "webfetch" => &["https://example.com/", "https://github.com/owner/repo"],
        "websearch" => &["rust wildcard matching"],
        "external_directory" => &["/etc/*", "/tmp/*", "~/notes/*", "$TMP/opencode/*", "$DATA/tool-output/*"],
        "doom_loop" => &["bash", "edit", "read"],
        _ => &["*"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}
