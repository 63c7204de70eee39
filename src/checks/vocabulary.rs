//! The words a policy may use for permissions and tools, and what a word that is none of them was meant to be.

use super::written;
use crate::language::{Case, Pattern};
use crate::model::{Expectation, Model};
use crate::ruleset::Ruleset;
use crate::source::Span;
use crate::syntax::ast::Name;

/// What is known of a word that stands for a permission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A declared permission, or a name that nothing speaks against: tools of servers and plugins are named freely.
    Fine,
    /// A tool; it asks this permission.
    Tool(String),
    /// Another runtime's word (its name comes first) for this permission.
    Foreign(&'static str, String),
    /// Near to this permission, too near for chance.
    Slip(String),
    /// A server, or near to one; its tools are asked by names that this pattern matches.
    Server(String),
}

impl Word {
    /// The permission that a word was meant for, if it is none itself.
    pub(crate) fn meant(&self) -> Option<&str> {
        match self {
            Word::Fine => None,
            Word::Tool(ours) | Word::Foreign(_, ours) | Word::Slip(ours) | Word::Server(ours) => Some(ours),
        }
    }
}

/// Other runtimes' words: what the runtime is called, its word, and our words for the same, the likeliest first.
const FOREIGN: &[(&str, &str, &[&str])] = &[
    ("Claude Code", "Bash", &["bash", "shell"]),
    ("Claude Code", "Read", &["read"]),
    ("Claude Code", "Write", &["edit"]),
    ("Claude Code", "Edit", &["edit"]),
    ("Claude Code", "MultiEdit", &["edit"]),
    ("Claude Code", "NotebookEdit", &["edit"]),
    ("Claude Code", "LS", &["list", "read"]),
    ("Claude Code", "Glob", &["glob"]),
    ("Claude Code", "Grep", &["grep"]),
    ("Claude Code", "Task", &["task", "subagent"]),
    ("Claude Code", "Agent", &["task", "subagent"]),
    ("Claude Code", "WebFetch", &["webfetch"]),
    ("Claude Code", "WebSearch", &["websearch"]),
    ("Claude Code", "TodoWrite", &["todowrite"]),
    ("Claude Code", "Skill", &["skill"]),
    ("Cursor", "Shell", &["bash", "shell"]),
    ("Gemini CLI", "run_shell_command", &["bash", "shell"]),
    ("Gemini CLI", "read_file", &["read"]),
    ("Gemini CLI", "read_many_files", &["read"]),
    ("Gemini CLI", "write_file", &["edit"]),
    ("Gemini CLI", "replace", &["edit"]),
    ("Gemini CLI", "list_directory", &["list", "read"]),
    ("Gemini CLI", "search_file_content", &["grep"]),
    ("Gemini CLI", "google_web_search", &["websearch"]),
    ("OpenCode 1", "bash", &["shell"]),
    ("OpenCode 1", "task", &["subagent"]),
    ("OpenCode 2", "shell", &["bash"]),
    ("OpenCode 2", "subagent", &["task"]),
];

/// What a word in the place of a permission is.
pub(crate) fn permission(model: &Model, word: &str) -> Word {
    if word.contains(['*', '?']) || declared(model, word) {
        return Word::Fine;
    }
    let owner = model
        .permissions
        .iter()
        .find(|(_, permission)| permission.tools.iter().chain(&permission.asked_by).any(|tool| tool.node == word));
    if let Some((owner, _)) = owner {
        return Word::Tool(owner.clone());
    }
    let foreign = FOREIGN.iter().filter(|(_, foreign, _)| *foreign == word);
    for (runtime, _, ours) in foreign {
        if let Some(ours) = ours.iter().find(|ours| model.permissions.contains_key(**ours)) {
            return Word::Foreign(runtime, (*ours).to_owned());
        }
    }
    match slip(word, model.permissions.keys().map(String::as_str)) {
        Some(near) => Word::Slip(near.to_owned()),
        None => Word::Fine,
    }
}

/// What a word is that no tool of the servers has: a server's bare name, or a pattern for the tools of one that is spelled
/// otherwise. Other servers may be declared elsewhere, so names that differ by a letter or a number alone are left.
pub(crate) fn server(model: &Model, servers: &[Name], word: &str) -> Word {
    let begins = |server: &Name| {
        let tools = format!("{}_", server.node);
        word.starts_with(&tools) || word.strip_suffix('*').is_some_and(|head| tools.starts_with(head))
    };
    if declared(model, word) || word.contains('?') || servers.iter().any(begins) {
        return Word::Fine;
    }
    let Some(stem) = word.strip_suffix("_*").or(Some(word)).filter(|stem| !stem.contains('*')) else {
        return Word::Fine;
    };
    let is_pattern = stem.len() < word.len();
    let meant = servers.iter().map(|server| server.node.as_str()).find(|server| match is_pattern {
        true => is_misspelled(stem, server),
        false => stem == *server,
    });
    meant.map_or(Word::Fine, |server| Word::Server(format!("{server}_*")))
}

/// Whether a letter of a name is missing, or is there once too often, or two have changed places.
fn is_misspelled(word: &str, name: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let (one, other) = (letters(&word.to_lowercase()), letters(&name.to_lowercase()));
    let near = one != other && strsim::damerau_levenshtein(&one, &other) == 1;
    let exchanged = one.chars().count() == other.chars().count();
    other.chars().count() >= 5 && near && (!exchanged || transposed(&one, &other))
}

fn declared(model: &Model, word: &str) -> bool {
    let wild = |name: &str| name.contains(['*', '?']) && Pattern::wildcard(name).matches(word, Case::Sensitive);
    model.permissions.contains_key(word) || model.permissions.keys().any(|name| wild(name))
}

/// The known name that a word is a slip of. Stricter than a mere near name, since servers and plugins bring names of
/// their own: `lint` is no `list`, and `web_fetcher` is no `webfetch`.
fn slip<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let bare = |text: &str| text.trim().replace(['_', '-', ' '], "").to_lowercase();
    let mut known: Vec<&str> = known.filter(|name| !name.contains(['*', '?'])).collect();
    // `todowrite` before `todo`: of two that fit, the longer is the less likely chance.
    known.sort_by_key(|name| std::cmp::Reverse(name.len()));
    if let Some(same) = known.iter().find(|name| bare(name) == bare(word)) {
        return Some(same);
    }
    let lower = word.to_lowercase();
    known.into_iter().find(|name| {
        let length = name.chars().count();
        let distance = strsim::damerau_levenshtein(&lower, name);
        // A word with `_` is how tools of servers are called: only names that have one themselves can be meant.
        let comparable = lower.contains('_') == name.contains('_');
        let substituted = lower.chars().count() == length && !transposed(&lower, name);
        comparable
            && match length {
                0..=3 => false,
                4 => distance == 1 && !substituted,
                5..=7 => distance == 1,
                _ => distance <= 2,
            }
    })
}

/// Whether two words have the same letters in another order.
fn transposed(one: &str, other: &str) -> bool {
    let sorted = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    sorted(one) == sorted(other)
}

/// A name in a test that nothing knows.
pub(crate) struct Unknown {
    /// Where it stands.
    pub(crate) span: Span,
    /// What is wrong.
    pub(crate) message: String,
    /// What to write instead.
    pub(crate) help: String,
}

/// The unknown permission or tool that an expectation names. A test is held to more than a rule: a name that no
/// permission, tool or rule has, and that no server's tool could have, tests nothing.
pub(crate) fn unknown_in_test(model: &Model, rulesets: &[Ruleset], expectation: &Expectation) -> Option<Unknown> {
    let (name, what) = match expectation {
        Expectation::Request { permission, .. } => (permission, "permission"),
        Expectation::Visible(tool) | Expectation::Hidden(tool) | Expectation::Call { tool, .. } => (tool, "tool"),
    };
    let word = name.node.as_str();
    let is_tool =
        || model.permissions.values().any(|p| p.tools.iter().chain(&p.asked_by).any(|tool| tool.node == word));
    if declared(model, word) || what == "tool" && (is_tool() || model.switches.contains_key(word)) {
        return None;
    }
    let judged = permission(model, word);
    let named = || {
        let rules = rulesets.iter().flat_map(|set| &set.rules);
        rules
            .into_iter()
            .any(|rule| !rule.permission.is_everything() && written::matches(&rule.permission, word, Case::Sensitive))
    };
    if judged == Word::Fine && (word.contains('_') || named()) {
        return None;
    }
    let help = match judged {
        Word::Tool(owner) => format!("the tool `{word}` asks the permission `{owner}`: test that"),
        Word::Foreign(_, ours) | Word::Slip(ours) | Word::Server(ours) => format!("did you mean `{ours}`?"),
        Word::Fine => format!("declare it with `permission {word} {{ ... }}`, or name one of {}", names(model)),
    };
    Some(Unknown { span: name.span, message: format!("no {what} is called `{word}`"), help })
}

fn names(model: &Model) -> String {
    written::listed(model.permissions.keys().map(String::as_str), 12)
}

#[cfg(test)]
mod tests {
    use super::slip;

    #[test]
    fn slips_are_told_from_names_of_tools() {
        let known =
            ["read", "edit", "list", "glob", "grep", "bash", "task", "webfetch", "todowrite", "external_directory"];
        let slip = |word| slip(word, known.into_iter());
        for (word, meant) in [
            ("edti", "edit"),
            ("bsh", "bash"),
            ("bash ", "bash"),
            ("edits", "edit"),
            ("web_fetch", "webfetch"),
            ("Webfetch", "webfetch"),
            ("websfetch", "webfetch"),
            ("external-directory", "external_directory"),
            ("external_directroy", "external_directory"),
        ] {
            assert_eq!(slip(word), Some(meant), "{word}");
        }
        for word in ["lint", "test", "tool", "dash", "github_edit", "web_fetcher", "db_query", "mcp", "x"] {
            assert_eq!(slip(word), None, "{word}");
        }
    }
}
