//! Sets of strings, exactly: what an ordered list of patterns decides, which of them can never decide, and by what string.
//!
//! A [`Pattern`] is a set of strings in one of five dialects, with a naive meaning. A [`Table`] is an ordered list of
//! [`Entry`]s (a key pattern, a value pattern and a colour) of which the last match decides; it answers questions about all
//! strings, with a witness, or says that its [`Budget`] did not suffice. Nothing here knows what a colour stands for.

mod alphabet;
pub mod answer;
mod blame;
mod cover;
pub mod diff;
pub mod form;
mod glob;
mod goal;
mod left;
mod matters;
#[cfg(test)]
mod oracle;
pub mod pattern;
mod pieces;
pub mod polish;
mod questions;
mod regex;
mod search;
mod survey;
pub mod table;
pub mod template;
mod trie;
mod units;
mod walk;
mod widen;
mod wildcard;
mod words;

pub use answer::{Answer, Budget, Call, Colours, TooLarge};
pub use blame::{Blame, List};
pub use diff::{Diff, Difference, Side};
pub use form::Form;
pub use pattern::{Case, Dialect, Pattern, PatternError};
pub use polish::Hints;
pub use table::{Entry, Table};
pub use template::{Paths, Template};

pub(crate) use glob::{Piece, Word};
pub(crate) use pieces::words as words_of;
pub use pieces::{beginning, covered};
pub(crate) use units::UnitSet;
