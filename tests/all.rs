//! The integration tests, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected should stop there"
)]

mod support {
    pub(crate) mod ast;
    pub(crate) mod compile;
    pub(crate) mod plain;
}

mod suite {
    mod cli;
    mod dead_rules;
    mod fidelity;
    mod house;
    mod meaning;
    mod opencode;
    mod pages;
    mod reach;
    mod report_human;
    mod syntax;
}
