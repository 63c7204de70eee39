//! What the checks of groups 01 and 02 say of policies: the whole rendered report.

use crate::support::compile::{check, policy};

#[track_caller]
fn snapshot(name: &str, text: &str) {
    insta::assert_snapshot!(name, format!("{text}\n{}\n{}", "-".repeat(80), check(text, false)));
}
