//! `@ignore`: what it covers, and what makes it void.

use crate::support::found::{all, each, none};

const WRONG: &str = "deny edti";

#[test]
fn annotations_that_are_void_or_needless() {
    let with = |ignore: &str| format!("agent a {{\n  {ignore}\n  {WRONG}\n}}");
    let found = [
        with("@ignore(PC0901)"),
        with("@ignore(PC0901, \" \")"),
        with("@ignore(PC0901, \"why\", until \"2026-11-30\")"),
        with("@ignore(PC0901, \"why\", until \"2026-02-30\")"),
        with("@ignore(PC9999, \"why\")"),
        with("@ignore(unknown-permision, \"why\")"),
        with("@ignore(PC0501, \"why\")"),
    ];
    insta::assert_snapshot!(each("PC0903", &found.iter().map(String::as_str).collect::<Vec<_>>()));
    for text in &found {
        assert!(
            all(text).1.iter().any(|finding| finding.code.id == "PC0901"),
            "a void annotation hides nothing: {text}"
        );
    }
}

#[test]
fn annotations_that_hold() {
    let fine = [
        format!("agent a {{\n  @ignore(PC0901, \"why\")\n  {WRONG}\n}}"),
        format!("agent a {{\n  @ignore(unknown-permission, \"why\", until \"2026-12-01\")\n  {WRONG}\n}}"),
        format!("@ignore(PC0901, \"why\")\nagent a {{\n  {WRONG}\n}}"),
        "@ignore(PC0903, \"kept for the old release\")\nagent a {\n  @ignore(PC0904, \"why\")\n  deny edit\n}"
            .to_owned(),
    ];
    for text in &fine {
        none("PC09", &[text.as_str()]);
    }
}

#[test]
fn an_annotation_covers_its_own_statement_only() {
    let text = format!("agent a {{\n  @ignore(PC0901, \"why\")\n  {WRONG}\n  deny bahs\n}}");
    let (_, findings) = all(&text);
    assert_eq!(findings.iter().filter(|finding| finding.code.id == "PC0901").count(), 1);
}
