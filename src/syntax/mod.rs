//! Text to tree and back.

pub mod ast;
pub mod words;
