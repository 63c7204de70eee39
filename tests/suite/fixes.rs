//! `check --fix`: what is changed, in every kind of file, and that it decides as it should.

use std::path::Path;
use std::process::Command;

struct Ran {
    text: String,
    code: Option<i32>,
    files: Vec<String>,
}

/// Runs `check` with these arguments in a folder with these files; the files afterwards.
fn check(files: &[(&str, &str)], args: &[&str]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    check_in(folder.path(), files, args)
}

fn check_in(folder: &Path, files: &[(&str, &str)], args: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    let output = command.arg("check").args(args).current_dir(folder).env("NO_COLOR", "1").output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("panicked"), "{text}");
    let files = files.iter().map(|(name, _)| std::fs::read_to_string(folder.join(name)).unwrap()).collect();
    Ran { text, code: output.status.code(), files }
}

const POLICY: &str = "\
runtime opencode

layer user {
  deny bash \"rm *\" # never
  # pushes are seen by all
  ask bash \"git push *\"
  allow bash
  ask read \"src/*\"
  ask read \"src/*\"
}
";

#[test]
fn a_policy_is_mended() {
    let ran = check(&[("a.policy", POLICY)], &["--fix"]);
    insta::assert_snapshot!(format!("{}\n----\n{}", ran.files[0], ran.text));
    assert_eq!(ran.code, Some(0), "{}", ran.text);
    let again = check(&[("a.policy", &ran.files[0])], &["--fix"]);
    assert_eq!(again.files, ran.files, "nothing is left to change");
}

#[test]
fn a_config_is_mended_with_its_comments() {
    let config = "{\n  // ours\n  \"permission\": {\n    \"edit\": \"ask\", // always\n    \"bash\": {\n      \"rm *\": \"deny\",\n      \
                  \"git push *\": \"ask\",\n      \"*\": \"allow\"\n    },\n    \"read\": { \"x\": \"deny\", \"y/*\": \"deny\", \"y/z*\": \"deny\" }\n  }\n}\n";
    let ran = check(&[("opencode.jsonc", config)], &["--fix"]);
    insta::assert_snapshot!(format!("{}\n----\n{}", ran.files[0], ran.text));
}

#[test]
fn frontmatter_is_mended() {
    let agent = "---\nmode: subagent\ndescription: Docs.\npermission:\n  edit:\n    # the guide\n    \"docs/*\": allow\n    \"*\": deny\n---\nWrite.\n";
    let ran = check(&[(".opencode/agent/docs.md", agent), ("opencode.json", "{}")], &["--fix"]);
    insta::assert_snapshot!(format!("{}\n----\n{}", ran.files[0], ran.text));
}

#[test]
fn a_diff_changes_nothing() {
    let ran = check(&[("a.policy", POLICY)], &["--diff"]);
    assert_eq!(ran.files[0], POLICY);
    assert_eq!(ran.code, Some(1));
    assert!(ran.text.contains("-  ask read \"src/*\""), "{}", ran.text);
    assert!(ran.text.contains("would fix PC0104 a.policy"), "{}", ran.text);
    let clean = check(&[("a.policy", "agent a { allow bash \"ls\" }\n")], &["--diff"]);
    assert_eq!(clean.code, Some(0), "{}", clean.text);
}

#[test]
fn what_two_policies_share_must_hold_in_both() {
    // The list is dead weight in one of them only, so nothing is found, and nothing is changed.
    let shared = "layer user {\n  deny bash \"rm *\"\n}\n";
    let one = "runtime opencode\nuse \"shared.policy\"\nlayer user {\n  deny bash \"rm *\"\n}\n";
    let two = "runtime opencode\nuse \"shared.policy\"\n";
    let files = [("shared.policy", shared), ("one.policy", one), ("two.policy", two)];
    let ran = check(&files, &["--fix"]);
    let kept: usize = [&ran.files[0], &ran.files[1]].iter().map(|text| text.matches("rm *").count()).sum();
    assert!(ran.files[0].contains("rm *"), "two.policy still needs it: {}", ran.text);
    assert_eq!(kept, 2, "and so nothing could be proved: {}", ran.text);
}

#[test]
fn what_is_ignored_or_switched_off_stays() {
    let policy =
        "runtime opencode\nlayer user {\n  @ignore(PC0107, \"why\")\n  allow edit \"a\"\n  allow edit \"a\"\n}\n";
    assert_eq!(check(&[("a.policy", policy)], &["--fix"]).files[0], policy);
    let ran = check(&[("a.policy", POLICY)], &["--fix", "--ignore", "PC0104,PC0107"]);
    assert_eq!(ran.files[0], POLICY);
    let ran = check(&[("a.policy", POLICY)], &["--fix", "-"]);
    assert_eq!(ran.code, Some(2), "{}", ran.text);
}

#[test]
fn a_table_that_was_copied_is_found_once_and_mended_everywhere() {
    let table = r#""permission": { "bash": { "rm *": "deny", "*": "ask" } }"#;
    let agents: Vec<String> =
        (0..4).map(|at| format!("    \"w{at}\": {{ \"mode\": \"subagent\", {table} }}")).collect();
    let config = format!("{{\n  \"agent\": {{\n{}\n  }}\n}}\n", agents.join(",\n"));
    let ran = check(&[("opencode.json", &config)], &["--select", "PC0104"]);
    assert_eq!(ran.text.matches("PC0104").count(), 1, "{}", ran.text);
    assert!(ran.text.contains("the same stands there 3 more times, for `w1`, `w2`, `w3`"), "{}", ran.text);
    let ran = check(&[("opencode.json", &config)], &["--select", "PC0104", "--fix"]);
    assert_eq!(ran.files[0].matches(r#"{ "*": "ask", "rm *": "deny" }"#).count(), 4, "{}", ran.files[0]);
    assert_eq!(ran.code, Some(0));
}
