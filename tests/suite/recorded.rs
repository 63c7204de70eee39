//! `test --record`: what is pinned passes, and fails where an edit changes a decision.

use std::path::Path;
use std::process::Command;

fn run(folder: &Path, args: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    let output = command.args(args).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("panicked"), "{text}");
    (text, output.status.code().unwrap())
}

/// Records a config, then runs the tests on each of its edits.
fn recorded(before: &str, edits: &[&str]) -> Vec<(String, i32)> {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let config = at.join("opencode.json");
    std::fs::write(&config, before).unwrap();
    let (text, code) = run(at, &["test", "--record", "opencode.json", "--out", "now.policy"]);
    assert_eq!(code, 0, "{text}");
    let again = ["test", "now.policy", "--against", "opencode.json"];
    let (text, code) = run(at, &again);
    assert!(code == 0 && text.contains(" 0 failed"), "{text}");
    let run = |edit: &&str| {
        std::fs::write(&config, edit).unwrap();
        run(at, &again)
    };
    edits.iter().map(run).collect()
}

#[test]
fn an_edit_that_changes_a_decision_is_noticed() {
    let before = r#"{ "permission": { "bash": { "*": "ask", "git *": "allow", "git push *": "deny" }, "edit": { "*": "ask", "docs/*": "allow" } } }"#;
    let ran = recorded(
        before,
        &[
            &before.replace(r#""git push *": "deny""#, r#""git push *": "ask""#),
            &before.replace(r#", "docs/*": "allow""#, ""),
            &before.replace(r#"{ "*": "ask", "docs/*": "allow" }"#, r#""deny""#),
            // The same in another form.
            &before.replace("docs/*", "docs/**"),
        ],
    );
    for (text, code) in ran.iter().take(3) {
        assert!(*code == 1 && text.contains("PC0801"), "{text}");
    }
    assert_eq!(ran[3].1, 0, "{}", ran[3].0);
}

#[test]
fn names_and_texts_of_every_kind_are_written_right() {
    let before = r#"{ "permission": { "bash": { "*": "ask", "a \"b\" \\ ${x} 秘 # c": "deny", "curl ghp_abcdefghijklmnopqrstuvwxyz0123456789": "deny" }, "my_tool": "deny" },
        "agent": { "team/é x": { "mode": "subagent", "permission": { "edit": { "?.md": "allow", "*": "deny" } } } } }"#;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("opencode.json"), before).unwrap();
    let (text, code) = run(folder.path(), &["test", "--record", "opencode.json"]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("ghp_abc") && text.contains("looks like a secret"), "{text}");
    assert!(text.contains("test \"team/é x\" \"recorded\" {"), "{text}");
    recorded(before, &[]);
}

#[test]
fn a_policy_is_recorded_too_and_nothing_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.policy"), "runtime opencode\nlayer user {\n  deny bash \"rm *\"\n}\n")
        .unwrap();
    let args = ["test", "--record", "a.policy", "--out", "b.policy"];
    assert_eq!(run(folder.path(), &args).1, 0);
    let (text, code) = run(folder.path(), &args);
    assert!(code == 2 && text.contains("exists, and is not written over"), "{text}");
    assert_eq!(run(folder.path(), &["test", "b.policy", "--against", "a.policy"]).1, 0);
}
