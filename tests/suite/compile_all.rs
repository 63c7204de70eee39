//! `compile --target all`: what `policyc.toml` names, each target to its own folder, all or none.

use std::path::Path;
use std::process::{Command, Output};

fn policyc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_policyc")).current_dir(folder).args(arguments).output().unwrap()
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

const POLICY: &str = "default agent build\nagent build { mode primary; allow *; ask bash \"git push *\" }\n\
    agent docs { mode subagent; deny *; allow read; allow edit \"docs/*\" }\n";

fn project(targets: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("team.policy"), POLICY).unwrap();
    std::fs::write(folder.path().join("policyc.toml"), targets).unwrap();
    folder
}

#[test]
fn every_target_goes_to_its_folder() {
    let folder = project(
        "targets = [{ runtime = \"opencode\", out = \".\" }, { runtime = \"pi\", out = \"pi\" }, \
         { runtime = \"json\", out = \"out\" }]\n",
    );
    let folder = folder.path();
    let missing = policyc(folder, &["compile", "team.policy", "--target", "all", "--check"]);
    assert_eq!(missing.status.code(), Some(1), "{}", told(&missing));
    let written = policyc(folder, &["compile", "team.policy", "--target", "all"]);
    assert_eq!(written.status.code(), Some(0), "{}", told(&written));
    let told = told(&written);
    assert!(told.contains("opencode:\n  build  exact"), "{told}");
    for file in ["opencode.json", "pi/index.ts", "pi/package.json", "out/policy.json"] {
        assert!(folder.join(file).is_file() && told.contains(&format!("wrote {file}\n")), "{file}: {told}");
    }
    assert_eq!(policyc(folder, &["compile", "team.policy", "--target", "all", "--check"]).status.code(), Some(0));
    std::fs::write(folder.join("opencode.json"), "{}\n").unwrap();
    assert_eq!(policyc(folder, &["compile", "team.policy", "--target", "all", "--check"]).status.code(), Some(1));
}

#[test]
fn a_target_holds_the_agents_it_names() {
    let folder = project("targets = [{ runtime = \"opencode\", out = \".\", agents = [\"build\"] }]\n");
    let written = policyc(folder.path(), &["compile", "team.policy", "--target", "all"]);
    assert_eq!(written.status.code(), Some(0), "{}", told(&written));
    let text = std::fs::read_to_string(folder.path().join("opencode.json")).unwrap();
    assert!(text.contains("\"build\"") && !text.contains("\"docs\""), "{text}");
}

#[test]
fn what_cannot_be_done_is_said_and_nothing_is_written() {
    let cases = [
        ("", "names no targets"),
        ("targets = [{ runtime = \"opencod\", out = \".\" }]\n", "did you mean `opencode`?"),
        ("targets = [{ runtime = \"opencode\", out = \"a\", agents = [\"biuld\"] }]\n", "did you mean `build`?"),
        ("targets = [{ runtime = \"json\", out = \"a\", agents = [\"build\"] }]\n", "holds all agents"),
        ("targets = [{ runtime = \"json\", out = \"a\" }, { runtime = \"json\", out = \"./a\" }]\n", "two targets"),
        ("targets = 1\n", "has mistakes"),
    ];
    for (targets, why) in cases {
        let folder = project(targets);
        let refused = policyc(folder.path(), &["compile", "team.policy", "--target", "all"]);
        assert_eq!(refused.status.code(), Some(2), "{targets}: {}", told(&refused));
        assert!(told(&refused).contains(why), "{targets}: {}", told(&refused));
        assert!(!folder.path().join("a").exists(), "{targets}");
    }
    let folder = project("targets = [{ runtime = \"json\", out = \"a\" }]\n");
    for more in [&["--target", "js"][..], &["--out", "x"]] {
        let refused = policyc(folder.path(), &[&["compile", "team.policy", "--target", "all"][..], more].concat());
        assert_eq!(refused.status.code(), Some(2), "{}", told(&refused));
    }
}

/// Only what policyc has written is written over.
#[test]
fn what_others_wrote_is_kept() {
    let ours = "{\"name\": \"pi-policy\", \"type\": \"module\", \"pi\": {}}";
    let cases = [
        ("pi", "package.json", "{\"name\": \"app\", \"version\": \"1.0.0\"}", Some("not written by policyc")),
        ("pi", "package.json", "{\"name\": \"app\", \"pi\": {}}", Some("not written by policyc")),
        ("pi", "package.json", "{\"name\": \"pi-policy\"}", Some("not written by policyc")),
        ("pi", "package.json", "{\"name\": \"pi-policy\", \"pi\": {}, \"scripts\": {}}", Some("also says `scripts`")),
        ("pi", "package.json", ours, None),
        ("json", "policy.json", "{\"agents\": []}", Some("not written by policyc")),
        ("json", "policy.json", "{\"schema\": \"others/1\", \"agents\": []}", Some("not written by policyc")),
        ("json", "policy.json", "{\"schema\": \"policyc/flatten/1\", \"agents\": []}", None),
        ("opencode", "opencode.json", "{\"permission\": {}}", None),
        ("opencode", "opencode.json", "{\"model\": \"x\"}", Some("also says `model`")),
    ];
    for (target, file, there, why) in cases {
        let folder = project("");
        let path = folder.path().join(file);
        std::fs::write(&path, there).unwrap();
        let output = policyc(folder.path(), &["compile", "team.policy", "--target", target, "--out", "."]);
        let text = std::fs::read_to_string(&path).unwrap();
        match why {
            Some(why) => {
                assert_eq!(output.status.code(), Some(2), "{there}: {}", told(&output));
                assert!(told(&output).contains(why), "{there}: {}", told(&output));
                assert!(why.starts_with("also says `m") || !told(&output).contains("the runtime merges"), "{there}");
                assert_eq!(text, there);
            }
            None => assert!(output.status.success() && text != there, "{there}: {}", told(&output)),
        }
    }
}

#[test]
fn a_target_named_twice_is_one() {
    let folder = project("");
    let output = policyc(folder.path(), &["compile", "team.policy", "--target", "js,table,js", "--out", "o"]);
    assert!(output.status.success(), "{}", told(&output));
    assert_eq!(told(&output).matches("policy.mjs").count(), 1);
    let output = policyc(folder.path(), &["compile", "team.policy", "--target", "js,table", "--dry-run"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{}", told(&output));
}
