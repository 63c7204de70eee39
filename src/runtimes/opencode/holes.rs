//! What 1.18 does other than rules say, and no rule changes: links, moves in patches, answers that are kept. Version 2 follows
//! no link out of the project, refuses moves, and looks at a denial before any answer that was kept.

use super::prefixes;
use crate::language::Pattern;
use crate::runtimes::{Holes, Request};
use serde_json::{Value, json};

/// The holes of 1.18.
pub(super) static HOLES: Holes =
    Holes { links: &["read", "edit"], unasked: &["question", "plan_exit", "plan_enter", "list"] };

/// A patch that moves a file.
pub(super) fn move_call(from: &str, to: &str) -> (&'static str, Value) {
    let text = format!("*** Begin Patch\n*** Update File: {from}\n*** Move to: {to}\n*** End Patch");
    ("apply_patch", json!({ "patchText": text }))
}

/// What the answer "always" to a request approves beside the request itself. `None`: nothing.
pub(super) fn approves(request: &Request) -> Option<Pattern> {
    let resource = request.resource.as_str();
    match request.permission.as_str() {
        "bash" => Some(Pattern::wildcard(&prefixes::kept(resource))),
        "skill" | "doom_loop" | "external_directory" => None,
        "read" if resource.starts_with("mcp:") => None,
        _ => Some(Pattern::wildcard("*")),
    }
}
