//! The integration tests, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that meets the unexpected should stop there"
)]

mod suite {
    mod house;
    mod report_human;
}
