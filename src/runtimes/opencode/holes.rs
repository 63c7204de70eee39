//! What 1.18 does other than rules say, and no rule changes: links, moves in patches, answers that are kept. Version 2 follows
//! no link out of the project, refuses moves, and looks at a denial before any answer that was kept.

use crate::language::Pattern;
use crate::runtimes::{Holes, Request};
use serde_json::{Value, json};

/// The holes of 1.18.
pub(super) static HOLES: Holes =
    Holes { links: &["read", "edit"], unasked: &["question", "plan_exit", "plan_enter", "list"] };

/// Some commands of which the first word is what "always" approves, whatever stands behind it: those that people deny.
const BY_FIRST_WORD: [&str; 12] =
    ["rm", "mv", "cp", "dd", "chmod", "chown", "kill", "sudo", "curl", "wget", "cat", "ls"];

/// Subcommands of `git` that take one more word; of the others two words are approved.
const BY_THREE_WORDS: [&str; 3] = ["config", "remote", "stash"];

/// A patch that moves a file.
pub(super) fn move_call(from: &str, to: &str) -> (&'static str, Value) {
    let text = format!("*** Begin Patch\n*** Update File: {from}\n*** Move to: {to}\n*** End Patch");
    ("apply_patch", json!({ "patchText": text }))
}

/// What the answer "always" to a request approves. `None`: that is not known, or nothing but the request itself.
pub(super) fn approves(request: &Request) -> Option<Pattern> {
    let resource = request.resource.as_str();
    match request.permission.as_str() {
        "bash" => command(resource),
        "skill" | "doom_loop" | "external_directory" => None,
        "read" if resource.starts_with("mcp:") => None,
        _ => Some(Pattern::wildcard("*")),
    }
}

/// The words that name a command, and whatever follows. How many words that are stands in a table of the program's own, of
/// which only this much is said here.
fn command(text: &str) -> Option<Pattern> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./ ".contains(letter);
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let first = words.next().filter(|_| text.chars().all(plain))?;
    let named = match words.next() {
        _ if BY_FIRST_WORD.contains(&first) => first.to_owned(),
        Some(second) if first == "git" && !BY_THREE_WORDS.contains(&second) => format!("{first} {second}"),
        _ => return None,
    };
    Some(Pattern::wildcard(&format!("{named} *")))
}
