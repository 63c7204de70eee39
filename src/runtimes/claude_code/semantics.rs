//! What Claude Code does to a flattened ruleset, and which resources its tools can ask for.

use crate::language::{Dialect, Pattern};
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::Environment;
use std::sync::{Arc, LazyLock};

/// Modes change what rules say, and a machine's folders take the place of symbolic ones.
pub(super) fn settle(set: &mut Ruleset, environment: Option<&Environment>) {
    set.rules = set.rules.drain(..).flat_map(with_companions).collect();
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

/// A rule and those that come with it.
fn with_companions(rule: Rule) -> Vec<Rule> {
    let others = companions(rule.permission.text(), &rule.pattern, rule.action);
    let origin = Origin { slot: "runtime".into(), prelude: true, via: Vec::new(), ..(*rule.origin).clone() };
    let origin = Arc::new(origin);
    let other = |(name, pattern): (&str, Pattern)| Rule {
        id: u32::MAX,
        permission: Pattern::wildcard(name),
        pattern,
        origin: origin.clone(),
        ..rule.clone()
    };
    let others: Vec<Rule> = others.into_iter().map(other).collect();
    // What the prelude says, it says in full.
    let own = rule.origin.prelude;
    std::iter::once(rule.clone()).chain(others.into_iter().filter(|_| !own)).collect()
}

/// What a rule says of other permissions: one that allows a path outside opens its folder, a denied Read closes edits,
/// searches and the folder, and a tool that may change any file changes files.
pub(super) fn companions(permission: &str, pattern: &Pattern, action: Action) -> Vec<(&'static str, Pattern)> {
    let everything = pattern.is_everything();
    match (permission, action) {
        ("Write" | "NotebookEdit", Action::Allow) => {
            vec![("edit", pattern.clone()), ("external_directory", pattern.clone())]
        }
        ("read" | "edit", Action::Allow) => {
            outside(pattern).into_iter().map(|one| ("external_directory", one)).collect()
        }
        ("read", Action::Deny) if everything => Vec::new(),
        ("read", Action::Deny) => {
            let closed = outside(pattern).filter(|one| one == pattern);
            let all = [("edit", pattern.clone()), ("grep", pattern.clone())].into_iter();
            all.chain(closed.map(|one| ("external_directory", one))).collect()
        }
        _ => Vec::new(),
    }
}

/// The folder outside the project that a path pattern starts with, as its permission is asked; all of it, or of a file
/// its own folder alone.
fn outside(pattern: &Pattern) -> Option<Pattern> {
    let text = pattern.text();
    if pattern.is_everything() || pattern.dialect() == Dialect::Glob && text.starts_with("**/") {
        return Some(Pattern::wildcard("*"));
    }
    if !text.starts_with('/') && !text.starts_with("~/") {
        return None;
    }
    let wild = text.find(['*', '?', '[', '{']);
    let fixed = text.get(..wild.unwrap_or(text.len())).unwrap_or_default();
    let folder = fixed.rsplit_once('/').map_or("", |(folder, _)| folder);
    match wild {
        Some(_) => Some(Pattern::wildcard(&format!("{folder}/*"))),
        None => Pattern::new(Dialect::Exact, &format!("{folder}/*")).ok(),
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
/// No path: with a `/` at the end, a first name that starts with `~`, or a backslash (such names are left out).
static NO_PATHS: LazyLock<Vec<Pattern>> = LazyLock::new(|| regexes(&[r"(?s)~[^/].*|.+/|.*\\.*"]));
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

/// Names of tools that there are not: none of those that are known, and no server's.
pub(super) fn strangers() -> Option<Pattern> {
    let mut names: Vec<&str> = super::names::TOOLS.iter().map(|(_, permission)| *permission).collect();
    names.extend(["external_directory", "list", "mcp__"]);
    names.sort_unstable();
    names.dedup();
    Pattern::new(Dialect::Regex, &format!("(?s){}", others(&names))).ok()
}

/// What may follow so that the whole is none of the names, nor starts with `mcp__`.
fn others(rests: &[&str]) -> String {
    if rests.contains(&"_") && rests.len() == 1 {
        // All names behind `mcp_` and one more `_` are tools of servers.
        return "(|[^_].*)".to_owned();
    }
    let mut heads: Vec<char> = rests.iter().filter_map(|rest| rest.chars().next()).collect();
    heads.dedup();
    let set: String = heads.iter().map(|head| regex_syntax::escape(&head.to_string())).collect();
    let end = if rests.contains(&"") { "" } else { "|" };
    let mut out = if set.is_empty() { format!("({end}.+") } else { format!("({end}[^{set}].*") };
    for head in heads {
        let below: Vec<&str> = rests.iter().filter_map(|rest| rest.strip_prefix(head)).collect();
        out.push_str(&format!("|{}{}", regex_syntax::escape(&head.to_string()), others(&below)));
    }
    out.push(')');
    out
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Case;

    #[test]
    fn tools_that_there_are_not_are_told_from_others() {
        let strangers = strangers().unwrap();
        let is = |name: &str| strangers.matches(name, Case::Sensitive);
        for name in ["", "x", "bas", "bashx", "Task", "mcp_x", "mcp_", "mcp", "TaskListx", "policyc"] {
            assert!(is(name), "{name}");
        }
        for name in ["bash", "read", "mcp__", "mcp__gh__x", "TaskList", "external_directory", "ReadMcpResourceTool"] {
            assert!(!is(name), "{name}");
        }
    }

    #[test]
    fn rules_about_paths_outside_open_and_close_folders() {
        let of = |permission, text: &str, action| {
            let all = companions(permission, &Pattern::wildcard(text), action);
            all.into_iter().map(|(name, pattern)| format!("{name} {}", pattern.text())).collect::<Vec<_>>()
        };
        assert_eq!(of("edit", "/srv/x/*", Action::Allow), ["external_directory /srv/x/*"]);
        assert_eq!(of("read", "/etc/hosts", Action::Allow), ["external_directory /etc/*"]);
        assert_eq!(
            of("read", "~/.ssh/*", Action::Deny),
            ["edit ~/.ssh/*", "grep ~/.ssh/*", "external_directory ~/.ssh/*"]
        );
        assert_eq!(of("read", "/etc/hosts", Action::Deny), ["edit /etc/hosts", "grep /etc/hosts"]);
        assert!(of("edit", "docs/*", Action::Allow).is_empty() && of("edit", "/etc/*", Action::Deny).is_empty());
    }
}
