//! Hooks that decide by a compiled table answer as they do by the policy, and refuse tables that cannot be relied on.

use crate::support::compile;
use policyc::engine::Table;
use policyc::hook::{Part, Policy};
use std::path::Path;
use std::process::{Command, Output};

const EVENTS: &str = "policies/examples/hooks";
const POLICY: &str = "policies/examples/hooks/hooks.policy";

fn policyc(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_policyc")).args(arguments).output().unwrap()
}

fn hook(runtime: &str, policy: &str, event: &str) -> (String, Option<i32>) {
    let arguments = ["hook", runtime, "--policy", policy, "--workspace", "/srv/shop", "--event", event];
    let output = policyc(&arguments);
    (String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(), output.status.code())
}

fn table(policy: &str, folder: &Path) -> String {
    let output = policyc(&["compile", policy, "--target", "table", "--out", folder.to_str().unwrap()]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.join("policy.table").to_str().unwrap().to_owned()
}

#[test]
fn a_table_answers_as_its_policy_does() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(POLICY, folder.path());
    let mut seen = 0;
    for event in std::fs::read_dir(EVENTS).unwrap().map(|entry| entry.unwrap().path()) {
        let name = event.file_stem().unwrap().to_str().unwrap().to_owned();
        if event.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let runtime = match name.split('-').next().unwrap() {
            "claude" => "claude-code",
            other => other,
        };
        let event = event.to_str().unwrap();
        assert_eq!(hook(runtime, &table, event), hook(runtime, POLICY, event), "{name}");
        seen += 1;
    }
    assert!(seen >= 7, "{seen} events");
}

#[test]
fn every_question_is_answered_alike() {
    for policy in ["hooks/hooks.policy", "first.policy", "team/team.policy", "plan-mode/plan-mode.policy"] {
        let path = format!("policies/examples/{policy}");
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let (files, compiled) = compile::policy(&text);
        let runtime = (compiled.runtime.name(), compiled.version.id);
        let made = Table::new(&compiled.model, &compiled.rulesets, &files.sources, runtime);
        let (one, other) = (Policy::of(&compiled, &files.sources, None), Policy::of_table(&made, None).unwrap());
        assert_eq!(one.agent(None), other.agent(None));
        assert_eq!(one.agent(Some("nobody")), other.agent(Some("nobody")));
        let names = |policy: &Policy<'_>| policy.permissions().map(|(name, _)| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&one), names(&other));
        assert_eq!((one.guard(), one.tells_outside_relative()), (other.guard(), other.tells_outside_relative()));
        for set in &compiled.rulesets {
            for permission in names(&one).iter().map(String::as_str).chain(["server_tool", ""]) {
                for (begins, inside) in [("", false), ("", true), ("src/", true), ("git ", false), ("/etc/", false)] {
                    let part = Part { begins: begins.to_owned(), inside };
                    assert_eq!(
                        one.strictest(&set.agent, permission, &part),
                        other.strictest(&set.agent, permission, &part),
                        "{permission}"
                    );
                }
                assert_eq!(one.visible(&set.agent, permission), other.visible(&set.agent, permission), "{permission}");
                for resource in ["*", "", "src/main.rs", ".env", "docs/a.md", "git push origin", "rm -rf /", "x\ny"] {
                    let verdict = one.decide(&set.agent, permission, resource);
                    assert_eq!(
                        verdict,
                        other.decide(&set.agent, permission, resource),
                        "{path} {permission} {resource:?}"
                    );
                    let told = |policy: &Policy<'_>| verdict.rule.and_then(|rule| policy.rule(&set.agent, rule));
                    assert_eq!(told(&one), told(&other), "{path} {permission} {resource:?}");
                }
            }
        }
    }
}

/// A table can be tried like a policy; verbs that need the policy say what it is.
#[test]
fn a_table_is_tried_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let table = table(POLICY, folder.path());
    let lines = |policy: &str| {
        let output = policyc(&["hook", "claude-code", "--selftest", "--policy", policy]);
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    };
    assert_eq!(lines(&table), lines(POLICY));
    assert!(lines(&table).0.contains("0 answered wrongly"));
    for arguments in [&["check", &table][..], &["decide", &table, "bash", "ls"], &["flatten", &table]] {
        let output = policyc(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && told.contains("is a compiled table, for hooks"), "{told}");
    }
}

#[test]
fn tables_that_cannot_be_relied_on_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("a.policy");
    std::fs::write(&policy, "agent a { mode primary; allow * }\n").unwrap();
    let table = table(policy.to_str().unwrap(), folder.path());
    let event = format!("{EVENTS}/claude-command.json");
    let answer = || hook("claude-code", &table, &event);
    let refused = |why: &str| answer().1 == Some(2) && answer().0.contains(why);
    assert!(answer().0.contains("\"allow\""), "{answer:?}", answer = answer());
    std::fs::write(&policy, "agent a { mode primary; deny * }\n").unwrap();
    assert!(refused("has changed since"), "{:?}", answer());
    std::fs::remove_file(&policy).unwrap();
    assert!(answer().0.contains("\"allow\""), "a table needs no sources: {:?}", answer());
    let whole = std::fs::read(&table).unwrap();
    // A prelude belongs to the program: one of another policyc, or a file of its name, counts for nothing.
    let mut other = Table::from_bytes(&whole).unwrap();
    let prelude = other.sources.iter_mut().find(|(name, _)| name.ends_with("core.policy")).unwrap();
    prelude.1[0] ^= 1;
    std::fs::write(&table, other.to_bytes().unwrap()).unwrap();
    assert!(refused("has changed since"), "{:?}", answer());
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for (bytes, why) in
        [(flipped, "checksum"), (whole[..whole.len() / 2].to_vec(), "checksum"), (whole[..12].to_vec(), "table")]
    {
        std::fs::write(&table, bytes).unwrap();
        assert!(refused(why), "{why}: {:?}", answer());
    }
}

#[test]
fn a_table_that_holds_folders_is_for_one_machine() {
    let folder = tempfile::tempdir().unwrap();
    let policy = folder.path().join("a.policy");
    std::fs::write(&policy, "runtime opencode \"1.18\"\nlayer user { deny read \"~/.ssh/*\" }\n").unwrap();
    let (policy, out) = (policy.to_str().unwrap(), folder.path().to_str().unwrap());
    let refused = policyc(&["compile", policy, "--target", "table", "--out", out]);
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(told.contains("--environment") && !folder.path().join("policy.table").exists(), "{told}");
    assert!(policyc(&["compile", policy, "--target", "table", "--out", out, "--environment"]).status.success());
    let table = folder.path().join("policy.table");
    let (answer, code) = hook("claude-code", table.to_str().unwrap(), &format!("{EVENTS}/claude-command.json"));
    assert!(code == Some(2) && answer.contains("another machine or repository"), "{answer}");
    // A table is not written over what is none, and not printed.
    std::fs::write(&table, "mine").unwrap();
    assert!(!policyc(&["compile", policy, "--target", "table", "--out", out, "--environment"]).status.success());
    assert_eq!(std::fs::read_to_string(&table).unwrap(), "mine");
    assert!(!policyc(&["compile", policy, "--target", "table", "--dry-run", "--environment"]).status.success());
}
