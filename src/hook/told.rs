//! Texts of events on their way to people and models: one line, bounded, without secrets.

use crate::report::shown;
use crate::rule::Action;

/// How much of a text is shown, in characters.
const SHOWN: usize = 300;

/// How much of a text is looked at for secrets, in bytes: what is shown, and what a secret at its end may need.
const LOOKED_AT: usize = 8 * SHOWN;

/// A text for one line, cut where it is long.
pub fn clipped(text: &str) -> String {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let whole = shown::line(text.get(..end).unwrap_or_default());
    let cut: String = whole.chars().take(SHOWN).collect();
    if cut.len() == whole.len() && end == text.len() { cut } else { format!("{cut}...") }
}

/// What is done, in a sentence about a call.
pub(super) fn verb(action: Action) -> &'static str {
    match action {
        Action::Allow => "allowed",
        Action::Ask => "asked about",
        Action::Deny => "denied",
    }
}
