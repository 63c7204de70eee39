//! Faults that were found by use, each held down by a test.

use std::path::Path;
use std::process::{Command, Output};

const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";

fn run(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").output().unwrap()
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn no_secret_reaches_a_machine_format() {
    let policy = format!(
        "default agent \"{TOKEN}\"\npermission bash {{ resource command }}\nagent \"{TOKEN}\" {{ allow bash }}\n\
         test \"{TOKEN}\" \"with {TOKEN}\" {{ bash \"{TOKEN}\" => deny }}\n"
    );
    let folder = folder(&[("a.policy", &policy)]);
    for args in [
        &["test", "a.policy", "--format", "json"][..],
        &["flatten", "a.policy", "--format", "json"],
        &["decide", "a.policy", "bash", TOKEN, "--format", "json"],
        &["check", "a.policy", "--format", "json"],
    ] {
        let output = run(folder.path(), args);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(out.contains("ghp_***"), "{args:?}\n{out}{err}");
        assert!(!out.contains(TOKEN) && !err.contains(TOKEN), "{args:?}\n{out}{err}");
    }
}

#[test]
fn every_line_of_calls_has_its_answer() {
    let call = "{\"permission\":\"bash\",\"resource\":\"ls\"}";
    let folder = folder(&[("a.policy", "agent a { allow bash }\n"), ("calls", &format!("{call}\n\n  \n{call}\n"))]);
    let output = run(folder.path(), &["decide", "a.policy", "--calls", "calls", "--format", "json"]);
    let out = text(&output.stdout);
    assert_eq!(out.lines().count(), 4, "{out}");
    assert_eq!(out.matches("the line is empty").count(), 2, "{out}");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn what_a_runtime_refuses_is_answered_with_2() {
    let folder = folder(&[("opencode.json", "{ \"permission\": { \"bash\": \"maybe\" } }")]);
    for args in [&["decide", "opencode.json", "bash", "ls"][..], &["flatten", "opencode.json"]] {
        let output = run(folder.path(), args);
        assert!(text(&output.stderr).contains("PC1003"), "{}", text(&output.stderr));
        assert!(!output.stdout.is_empty());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_is_passed_over_is_said() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[("a.policy", "agent a { allow bash \"ls\" }\n")]);
    let at = |name: &str| folder.path().join(name);
    std::fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"b\xff.policy")), "").unwrap();
    std::fs::create_dir(at("opencode.json")).unwrap();
    assert!(Command::new("mkfifo").arg(at("c.policy")).status().unwrap().success());
    let output = run(folder.path(), &["check"]);
    let err = text(&output.stderr);
    for said in ["has a name that is not UTF-8", "`opencode.json` is a folder", "`c.policy` is a pipe"] {
        assert!(err.contains(said), "{said}\n{err}");
    }
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("sources read: a.policy"), "the rest is checked: {err}");
    std::fs::create_dir(at("policyc.toml")).unwrap();
    let output = run(folder.path(), &["check"]);
    assert!(text(&output.stderr).contains("`policyc.toml` is not a regular file"), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn two_targets_are_written_together_or_not_at_all() {
    let policy = "runtime opencode\nlayer user {\n  deny bash \"rm *\"\n}\n";
    let folder = folder(&[("a.policy", policy)]);
    std::fs::create_dir_all(folder.path().join("out/policy.json")).unwrap();
    let args = ["compile", "a.policy", "--target", "opencode,json", "--out", "out"];
    let output = run(folder.path(), &args);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(!folder.path().join("out/opencode.json").exists());
}

#[test]
fn a_check_that_is_named_runs() {
    let policy = "permission bash { resource command }\nagent a {\n  allow bash \"ls\"\n  allow bash \"ls *\"\n}\n";
    let files = |lint: &'static str| folder(&[("a.policy", policy), ("policyc.toml", lint)]);
    let said = |lint, args: &[&str]| text(&run(files(lint).path(), args).stderr).contains("PC0108");
    assert!(!said("", &["check"]));
    assert!(said("", &["check", "--pedantic"]));
    assert!(said("", &["check", "--select", "mergeable-rules"]));
    assert!(!said("", &["check", "--select", "PC01"]));
    assert!(said("[lint]\nPC0108 = \"warning\"\n", &["check"]));
}

#[test]
fn another_declaration_is_no_equivalence() {
    let with = |gives: &str| {
        format!("permission sh {{ resource none; capability {gives} }}\nagent a {{ deny *; allow sh }}\n")
    };
    let folder = folder(&[("old.policy", &with("exec")), ("new.policy", &with("write"))]);
    let output = run(folder.path(), &["diff", "old.policy", "new.policy", "--exit-code", "--fail-on", "looser"]);
    let out = text(&output.stdout);
    assert!(out.contains("something else is declared of `sh`") && out.contains("`a` can write now"), "{out}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_cannot_be_read_is_not_written_over() {
    let folder = folder(&[("a.policy", "runtime opencode\nagent a { deny edit }\n")]);
    let config = folder.path().join("opencode.json");
    std::fs::write(&config, b"{ \"mcp\": \"\xff\" }").unwrap();
    let output = run(folder.path(), &["compile", "a.policy", "--target", "opencode", "--out", "."]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert_eq!(std::fs::read(&config).unwrap(), b"{ \"mcp\": \"\xff\" }");
}

#[test]
fn a_baseline_that_counts_too_far_is_only_a_number() {
    let entry = "{ \"file\": \"a.policy\", \"code\": \"PC0501\", \"hash\": \"0\", \"message\": \"x\", \"count\": 99999999999999 }";
    let baseline = format!("{{ \"schema\": \"policyc/baseline/1\", \"findings\": [{entry}, {entry}] }}");
    let folder = folder(&[("a.policy", "agent a { ask bash }\n"), ("held.json", &baseline)]);
    let output = run(folder.path(), &["check", "a.policy", "--baseline", "held.json"]);
    assert!(output.status.code().is_some_and(|code| code < 3), "{}", text(&output.stderr));
}

#[test]
fn a_setting_of_another_kind_is_said() {
    let folder = folder(&[("policyc.toml", "ignore = [\"x\"]\n"), ("a.policy", "agent a { ask bash }\n")]);
    let output = run(folder.path(), &["check"]);
    assert!(text(&output.stderr).contains("`ignore` is a list of tables"), "{}", text(&output.stderr));
}

#[test]
fn a_difference_is_told_with_the_refusal_beside_it() {
    let folder = folder(&[("opencode.json", "{ \"permission\": { \"bash\": \"maybe\" } }")]);
    let output = run(folder.path(), &["diff", "opencode.json", "opencode.json"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
}

#[test]
fn a_runner_around_a_line_that_is_taken_apart_is_none() {
    let policy = "runtime opencode\nagent a { mode primary; allow bash \"timeout *\"; deny bash \"curl * | sh\" }\n";
    let folder = folder(&[("a.policy", policy)]);
    let output = run(folder.path(), &["check", "a.policy"]);
    assert!(!text(&output.stderr).contains("timeout 9 curl"), "{}", text(&output.stderr));
}

#[test]
fn deeper_delegation_is_no_equivalence() {
    let with = |depth: u32| format!("{{ \"subagent_depth\": {depth}, \"permission\": {{ \"bash\": \"ask\" }} }}");
    let folder = folder(&[]);
    for depth in [1, 2] {
        std::fs::create_dir(folder.path().join(depth.to_string())).unwrap();
        std::fs::write(folder.path().join(format!("{depth}/opencode.json")), with(depth)).unwrap();
    }
    let output = run(folder.path(), &["diff", "1", "2", "--exit-code"]);
    assert!(text(&output.stdout).contains("something else is declared of `task`"), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_agent_that_cannot_make_the_call_is_not_named() {
    let policy = "layer team { ask *; allow read, grep; deny read \"*.env\"; allow bash \"cat *\" }\n\
                  agent free { mode primary }\nagent bound { mode primary; deny bash, grep }\n";
    let folder = folder(&[("a.policy", policy)]);
    let found = text(&run(folder.path(), &["check", "a.policy"]).stderr);
    assert!(found.contains("PC0314") && found.contains("PC0315") && !found.contains("`bound`"), "{found}");
}

#[test]
fn a_pattern_of_can_is_a_plain_one() {
    let folder = folder(&[("a.policy", "agent a { allow edit }\n")]);
    for pattern in ["", "regex \"^docs\""] {
        let output = run(folder.path(), &["can", "a.policy", "a", "write", pattern]);
        assert_eq!(output.status.code(), Some(2), "{pattern:?}");
    }
}

/// A rule that is needless among those that decide is needed where a dead one would come to life without it.
#[test]
fn what_keeps_a_dead_rule_dead_is_not_needless() {
    for rules in [
        "allow bash \"b?\"; deny bash \"b*\"",
        "allow bash \"bx\"; deny bash \"b*\"",
        "allow bash glob \"b?\"; deny bash \"b*\"",
    ] {
        let folder = folder(&[("a.policy", &format!("agent a {{ mode primary; deny *; {rules} }}\n"))]);
        let found = text(&run(folder.path(), &["check", "a.policy"]).stderr);
        assert!(found.contains("PC0104") && !found.contains("PC0106") && !found.contains("PC0999"), "{found}");
    }
}

#[test]
fn recorded_tests_are_no_policy_of_their_own() {
    let config = "{ \"permission\": { \"bash\": { \"*\": \"ask\", \"ls *\": \"allow\" } } }";
    let folder = folder(&[("opencode.json", config)]);
    let recorded = run(folder.path(), &["test", "--record", "opencode.json"]);
    std::fs::write(folder.path().join("now.policy"), &recorded.stdout).unwrap();
    let output = run(folder.path(), &["check"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("now.policy"), "{}", text(&output.stderr));
    let output = run(folder.path(), &["test", "now.policy", "--against", "opencode.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn a_permission_that_nothing_asks_is_pointed_out() {
    let folder = folder(&[("a.policy", "runtime opencode\n")]);
    let output = run(folder.path(), &["decide", "a.policy", "Bash", "ls"]);
    assert!(text(&output.stdout).contains("was `bash` meant?"), "{}", text(&output.stdout));
    let output = run(folder.path(), &["decide", "a.policy", "bash", "ls"]);
    assert!(!text(&output.stdout).contains("meant"), "{}", text(&output.stdout));
}
