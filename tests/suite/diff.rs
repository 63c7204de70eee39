//! What changed: held to trying out every short call, and read from a git repository.

use camino::Utf8Path;
use policyc::change::{self, Change, Direction};
use policyc::decide::decide;
use policyc::files::Files;
use policyc::language::{Budget, List};
use policyc::project::{self, Compilation, Options};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

type Said = (&'static str, &'static str, &'static str);

fn policy(said: &[Said]) -> String {
    let mut text = "agent a {\n".to_owned();
    for (action, permission, pattern) in said {
        writeln!(text, "  {action} {permission:?} {pattern}").unwrap();
    }
    text + "}\n"
}

fn compile(files: &mut Files, name: &str, text: &str) -> Compilation {
    files.given(Utf8Path::new(name), text);
    let compiled = project::compile_policy(files, Utf8Path::new(name), &Options::default()).unwrap();
    assert!(compiled.findings.is_empty(), "{text}{:?}", compiled.findings);
    compiled
}

fn compare(old: &str, new: &str) -> (Change, Compilation, Compilation) {
    let mut files = Files::default();
    let (old, new) = (compile(&mut files, "old.policy", old), compile(&mut files, "new.policy", new));
    (change::compare(&old, &new, &mut Budget::default()), old, new)
}

fn rules(most: usize) -> impl Strategy<Value = Vec<Said>> {
    let permission = prop::sample::select(vec!["*", "bash", "edit", "b*", "?", "x"]);
    let pattern = prop::sample::select(vec![
        "\"*\"",
        "\"x\"",
        "\"x*\"",
        "\"*y\"",
        "\"x *\"",
        "\"?\"",
        "\"*y*\"",
        "\"\"",
        "exact \"xy\"",
        "regex \"^x+y?$\"",
    ]);
    let action = prop::sample::select(vec!["allow", "ask", "deny"]);
    prop::collection::vec((action, permission, pattern), 0..most)
}

/// Strings long enough to tell such patterns apart.
fn strings(letters: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|head| letters.iter().map(move |tail| format!("{head}{tail}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

proptest! {
    #[test]
    fn every_changed_call_is_told_by_the_rule_responsible(
        head in rules(3), old in rules(4), middle in rules(3), new in rules(4), tail in rules(2),
    ) {
        let text = |own: &[Said], first: bool| {
            let (a, b) = if first { (own, &middle[..]) } else { (&middle[..], own) };
            policy(&[&head[..], a, b, &tail[..]].concat())
        };
        let (change, before, after) = compare(&text(&old, true), &text(&new, false));
        prop_assert!(change.wrong.is_empty() && change.open.is_empty(), "{change:?}");
        let (before, after) = (&before.rulesets[0], &after.rulesets[0]);
        let mut resources = strings(&["x", "y", " "], 3);
        resources.extend(["q", "xq", "qy", "qq", "xqy", "xxxy"].map(str::to_owned));
        let mut differs = false;
        let mut told: BTreeSet<(bool, u32)> = BTreeSet::new();
        for permission in ["bash", "edit", "b", "bx", "x", "q", "", "qq"] {
            for resource in &resources {
                let (old, new) = (decide(before, permission, resource), decide(after, permission, resource));
                if old.action == new.action {
                    continue;
                }
                differs = true;
                let id = |decision: policyc::decide::Decision<'_>| decision.rule.map(|(_, rule)| rule.id);
                let by = change.rules.iter().find(|change| {
                    let decides = if change.list == List::Old { id(old) } else { id(new) };
                    (change.before, change.after) == (old.action, new.action) && decides == Some(change.rule.id)
                });
                prop_assert!(by.is_some(), "{permission} {resource:?} is told by no rule: {change:?}");
                let by = by.unwrap();
                told.insert((by.list == List::Old, by.rule.id));
                let declared = ["bash", "edit"].contains(&permission);
                let named = by.permissions.iter().any(|name| name == permission);
                prop_assert!(named || !declared && by.undeclared, "{permission} is not among {by:?}");
            }
        }
        prop_assert_eq!(change.rules.is_empty(), !differs);
        for change in &change.rules {
            let (call, key) = (&change.call.value, &change.call.key);
            prop_assert_eq!(decide(before, key, call).action, change.before);
            prop_assert_eq!(decide(after, key, call).action, change.after);
        }
    }
}

#[test]
fn no_budget_is_no_proof() {
    let old = policy(&[("deny", "*", "\"*?x?*?y?*\"")]);
    let new = policy(&[("deny", "*", "\"*?x?*\""), ("ask", "*", "\"*?y?*\"")]);
    let mut files = Files::default();
    let (old, new) = (compile(&mut files, "old.policy", &old), compile(&mut files, "new.policy", &new));
    let change = change::compare(&old, &new, &mut Budget::new(0));
    assert!(change.is_undecided() && !change.is_equivalent());
}

#[test]
fn agents_that_share_a_change_are_told_together() {
    let agents = |rule: &str| format!("layer all {{ {rule} }}\nagent a {{ allow edit }}\nagent b {{ deny read }}\n");
    let (change, ..) = compare(&agents("deny bash \"rm *\""), &agents("ask bash \"rm *\""));
    assert_eq!(change.rules.len(), 1);
    assert_eq!(change.rules[0].agents, ["a", "b"]);
    assert_eq!(change.rules[0].direction(), Direction::Looser);
    assert_eq!(change.rules[0].call.value, "rm x");
}

fn git(folder: &Path, args: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").arg("-C").arg(folder).args(who).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn policyc(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1").output().unwrap()
}

/// What a run says, both streams, and how it ends.
fn said(folder: &Path, args: &[&str]) -> String {
    let output = policyc(folder, args);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    format!(
        "$ policyc {}\n{}{}exit: {}\n",
        args.join(" "),
        text(&output.stdout),
        text(&output.stderr),
        output.status.code().unwrap()
    )
}

/// A repository with a policy that uses another one, and a config with an agent's file; both are changed after the commit.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    write(root, "policies/team.policy", "use \"../shared.policy\"\nagent a { allow edit }\n");
    write(root, "shared.policy", "layer all { deny bash \"rm *\" }\n");
    write(root, "app/opencode.json", "{ \"permission\": { \"bash\": { \"*\": \"allow\", \"rm *\": \"deny\" } } }\n");
    write(root, "app/.opencode/agent/docs.md", "---\nmode: subagent\npermission:\n  edit: deny\n---\nDocs.\n");
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "first"]);
    write(root, "shared.policy", "layer all { ask bash \"rm *\" }\n");
    write(root, "app/opencode.json", "{ \"permission\": { \"bash\": { \"rm *\": \"deny\", \"*\": \"allow\" } } }\n");
    write(root, "app/.opencode/agent/docs.md", "---\nmode: subagent\npermission:\n  edit: ask\n---\nDocs.\n");
    write(root, "new.policy", "agent b { allow bash }\n");
    folder
}

#[test]
fn what_was_at_a_revision() {
    let folder = repository();
    let root = folder.path();
    let mut out = String::new();
    out += &said(root, &["diff", "git:HEAD:policies/team.policy", "policies/team.policy"]);
    out += &said(&root.join("policies"), &["diff", "git:main:./team.policy", "team.policy", "--exit-code"]);
    out += &said(root, &["diff", "git:HEAD:app", "app", "--fail-on", "looser"]);
    out += &said(root, &["diff", "git:HEAD:app/opencode.json", "git:HEAD:app/opencode.json", "--exit-code"]);
    out += &said(root, &["decide", "git:HEAD:policies/team.policy", "--agent", "a", "bash", "rm x"]);
    insta::assert_snapshot!(out);
}

#[test]
fn what_cannot_be_read_at_a_revision() {
    let folder = repository();
    let root = folder.path();
    let mut out = String::new();
    out += &said(root, &["diff", "git:nowhere:new.policy", "new.policy"]);
    out += &said(root, &["diff", "git:--help:new.policy", "new.policy"]);
    out += &said(root, &["diff", "git:HEAD:new.policy", "new.policy"]);
    out += &said(root, &["diff", "git:HEAD:../new.policy", "new.policy"]);
    out += &said(root, &["diff", "git:HEAD:policies", "git:HEAD:"]);
    write(root, "out.policy", "use \"../../secret.policy\"\n");
    std::fs::write(root.join("link.policy"), "").unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "second"]);
    out += &said(root, &["diff", "git:HEAD:out.policy", "new.policy"]);
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "a.policy", "agent a { allow bash }\n");
    let alone = said(outside.path(), &["diff", "git:HEAD:a.policy", "a.policy"]);
    assert!(alone.contains("is in no git repository"), "{alone}");
    insta::assert_snapshot!(out);
}

#[cfg(unix)]
#[test]
fn links_at_a_revision_stay_in_it() {
    let folder = repository();
    let root = folder.path();
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.policy", "agent secret { allow bash }\n");
    std::os::unix::fs::symlink(outside.path().join("secret.policy"), root.join("away.policy")).unwrap();
    std::os::unix::fs::symlink("policies", root.join("folder")).unwrap();
    std::os::unix::fs::symlink("loop", root.join("loop")).unwrap();
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "links"]);
    let away = said(root, &["diff", "git:HEAD:away.policy", "new.policy"]);
    assert!(away.contains("`away.policy` is not in `HEAD`"), "{away}");
    let through = said(root, &["diff", "git:HEAD:folder/team.policy", "policies/team.policy", "--exit-code"]);
    assert!(through.contains("equivalent"), "{through}");
}

#[test]
fn a_check_against_a_base() {
    let folder = repository();
    let root = folder.path();
    write(root, "policies/none.policy", "agent c { allow read }\n");
    let mut out = String::new();
    out += &said(root, &["check", "--base", "HEAD", "--pedantic", "--select", "PC0206,PC0207"]);
    out += &said(&root.join("app"), &["check", "opencode.json", "--base", "main", "--select", "PC0206"]);
    out += &said(root, &["check", "policies/team.policy", "--base", "nowhere"]);
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "second"]);
    out += &said(root, &["check", "--base", "HEAD", "--select", "PC0206,PC0207"]);
    out += &said(root, &["check", "--base", "HEAD~1", "--select", "PC0206", "--budget", "0"]);
    insta::assert_snapshot!(out);
}

#[test]
fn agents_and_switches_against_a_base() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    git(root, &["init", "-q", "-b", "main"]);
    let switch = |body: &str| format!("switch leave {{ from a; to b; {body} }}\n");
    let old = "agent a { mode primary; deny edit }\nagent b { mode subagent; allow edit }\ndefault agent a\n";
    write(root, "team.policy", &(old.to_owned() + &switch("confirm \"go?\"")));
    git(root, &["add", "."]);
    git(root, &["commit", "-q", "-m", "first"]);
    let new = "agent a { mode primary; deny edit }\nagent b { mode all; allow edit }\nagent c { deny * }\n\
               agent d { allow bash }\ndefault agent b\n";
    write(root, "team.policy", &(new.to_owned() + &switch("unattended switch")));
    let mut out = said(root, &["check", "--base", "HEAD", "--pedantic", "--select", "PC0206,PC0207"]);
    out += &said(root, &["diff", "git:HEAD:team.policy", "team.policy"]);
    insta::assert_snapshot!(out);
}

#[test]
fn a_project_does_not_loosen_its_baseline() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "org.policy", "layer org { deny bash }\n");
    let ignored = "@ignore(PC0209, \"we know\") allow bash";
    write(root, "team.policy", &format!("agent a {{ {ignored} }}\n"));
    write(root, "policyc.toml", "exclude = [\"org.policy\"]\n[lint]\nPC0209 = \"off\"\n");
    let output = policyc(root, &["check", "--within", "org.policy", "--select", "PC02"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let undecided = policyc(root, &["check", "--within", "org.policy", "--budget", "0"]);
    assert_eq!(undecided.status.code(), Some(1), "{}", String::from_utf8_lossy(&undecided.stderr));
}

#[test]
fn a_pinned_baseline_is_the_one_that_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    write(root, "org/base.policy", "layer org { deny bash }\n");
    write(root, "team.policy", "agent a { allow edit }\n");
    let pin = |hash: &str| {
        let text =
            format!("policies = [\"team.policy\"]\nwithin = {{ file = \"org/base.policy\", sha256 = \"{hash}\" }}\n");
        write(root, "policyc.toml", &text);
    };
    let mut out = String::new();
    pin("00");
    out += &said(root, &["check"]);
    let hash = "770bf5ee0910d8658884b3738cc7535f467b4c1be92cbddc35b74ff42799f95d";
    pin(&hash.to_uppercase());
    out += &said(root, &["check"]);
    write(root, "org/more.policy", "layer more { deny edit }\n");
    write(root, "org/base.policy", "use \"more.policy\"\nlayer org { deny bash }\n");
    pin(hash);
    out += &said(root, &["check"]);
    insta::assert_snapshot!(out);
}
