//! Hooks and paths: by their text and by where their links lead, the stricter counts.

use crate::support::hook::Hook;
use policyc::rule::Action::{Allow, Ask, Deny};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const POLICY: &str = "agent a { mode primary; allow *; deny read \"secrets/*\"; deny edit [\"secrets/*\", \".git/*\"]; ask external_directory }\n";

fn workspace(links: &[(&str, &str)]) -> (tempfile::TempDir, Hook) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("project");
    for made in ["src", "secrets", "docs/deep"] {
        fs::create_dir_all(root.join(made)).unwrap();
    }
    fs::write(root.join("secrets/key"), "k").unwrap();
    for (target, link) in links {
        symlink(target, root.join(link)).unwrap();
    }
    let hook = Hook::new(POLICY).at(root.to_str().unwrap());
    (folder, hook)
}

#[test]
fn spellings_of_a_path() {
    let (_folder, hook) = workspace(&[]);
    let absolute = format!("{}/secrets/key", hook.root);
    for path in ["secrets/key", "./secrets//key", "src/../secrets/key", "no/such/../../secrets/key", &absolute] {
        assert_eq!(hook.reads(path), Deny, "{path}");
    }
    assert_eq!(hook.reads("src/secrets/key"), Allow);
    assert_eq!(hook.reads("../other/a"), Ask);
    assert_eq!(hook.reads("~/a"), Ask);
    assert_eq!(hook.writes(".git/hooks/pre-commit"), Deny);
}

#[test]
fn links_are_followed() {
    let (_folder, hook) = workspace(&[
        ("secrets", "alias"),
        ("secrets/key", "src/file"),
        ("../secrets/new", "src/dangling"),
        ("/etc", "outside"),
        ("../docs", "src/docs"),
        ("docs/deep", "deep"),
        ("loop", "loop"),
    ]);
    assert_eq!(hook.reads("alias/key"), Deny);
    assert_eq!(hook.writes("alias/not/there/yet"), Deny);
    assert_eq!(hook.writes("src/dangling"), Deny, "a file that the link would make");
    assert_eq!(hook.reads("outside/passwd"), Ask);
    assert_eq!(hook.writes("src/docs/a"), Allow);
    assert_eq!(hook.reads("src/docs/../secrets/key"), Deny, "`..` from where the link leads");
    assert_eq!(hook.bash("echo a > alias/b"), Deny);
    assert!(hook.call("Read", serde_json::json!({ "file_path": "loop/a" })).ruling.is_err());
}

#[test]
fn a_denied_name_stays_denied_wherever_it_leads() {
    let (_folder, hook) = workspace(&[("../src", "secrets/inside")]);
    assert_eq!(hook.reads("secrets/inside/a"), Deny);
}

#[test]
fn a_workspace_behind_a_link_is_itself() {
    let (folder, hook) = workspace(&[]);
    let link = folder.path().join("link");
    symlink(&hook.root, &link).unwrap();
    let through = Hook::new(POLICY).at(link.to_str().unwrap());
    assert_eq!(through.reads("src/a"), Allow);
    assert_eq!(through.reads(&format!("{}/src/a", hook.root)), Allow, "by its real name");
    assert_eq!(through.reads(&format!("{}/secrets/key", hook.root)), Deny);
    assert_eq!(hook.reads(&format!("{}/secrets/key", link.display())), Deny, "by a name from outside");
}

#[test]
fn names_that_no_file_can_have() {
    let (_folder, hook) = workspace(&[]);
    let read = |path: &str| hook.call("Read", serde_json::json!({ "file_path": path })).taken;
    assert_eq!(read("a\0b"), Some(Deny));
    assert_eq!(read(&"a/".repeat(20_000)), Some(Deny));
    assert_eq!(read("~root/.bashrc"), Some(Ask), "somebody's home");
    assert!(Path::new(&hook.root).exists());
}
