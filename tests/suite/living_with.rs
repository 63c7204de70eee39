//! What a project lives with: baselines, and annotations in configs and in policyc.toml.

use policyc::baseline::Baseline;
use policyc::diagnostic::{Code, Finding, Severity};
use policyc::report::{Report, Section};
use policyc::source::{SourceMap, Span};
use std::path::Path;
use std::process::Command;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, text)| put(folder.path(), name, text));
    folder
}

fn put(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
    std::fs::write(folder.join(name), text).unwrap();
}

/// What `check` says, and its exit code.
fn check(folder: &Path, args: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    let output = command.args(["check", "--today", "2026-12-01"]).args(args).current_dir(folder).output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("panicked"), "{text}");
    (text, output.status.code().unwrap())
}

const POLICY: &str = "runtime opencode\nlayer user {\n  deny bash \"rm *\"\n  ask bash \"git *\"\n  allow bash\n}\n";

#[test]
fn a_baseline_holds_what_was_found() {
    let folder = folder(&[("sub/a.policy", POLICY), ("policyc.toml", "baseline = \"known.json\"\n")]);
    let at = folder.path();
    let (text, code) = check(at, &[]);
    assert!(text.contains("the baseline `known.json` does not exist") && code == 2, "{text}");
    assert_eq!(check(at, &["--write-baseline"]), ("wrote known.json: 1 finding\n".to_owned(), 0));
    insta::assert_snapshot!(std::fs::read_to_string(at.join("known.json")).unwrap());
    let schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string("docs/schema/baseline.json").unwrap()).unwrap();
    let written = serde_json::from_str(&std::fs::read_to_string(at.join("known.json")).unwrap()).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&written));
    let (text, code) = check(at, &[]);
    assert!(text.starts_with("nothing found") && code == 0, "{text}");
    // Lines move, and policyc is started elsewhere.
    put(at, "sub/a.policy", &format!("# more\n\n{POLICY}"));
    assert_eq!(check(at, &[]).1, 0);
    assert_eq!(check(&at.join("sub"), &[]).1, 0);
    // Something new is reported, and nothing else.
    put(at, "sub/a.policy", &format!("{POLICY}agent a {{\n  deny edti\n}}\n"));
    let (text, code) = check(at, &[]);
    assert!(text.contains("PC0901") && !text.contains("PC0104") && code == 1, "{text}");
    // What is mended is counted, where it was looked for.
    put(at, "sub/a.policy", "runtime opencode\nlayer user {\n  allow bash \"ls\"\n}\n");
    let (text, code) = check(at, &[]);
    assert!(text.contains("note: 1 entry of the baseline is fixed: write it anew") && code == 0, "{text}");
    put(at, "other.policy", "runtime opencode\nlayer user {\n  allow bash \"ls\"\n}\n");
    assert!(!check(at, &["other.policy"]).0.contains("baseline"));
}

#[test]
fn a_baseline_counts() {
    const CODE: Code = Code::new("PC0501", "unknown-agent", Severity::Error);
    let mut map = SourceMap::default();
    let file = map.add("a.policy", "one one one\n");
    let finding = |at: usize| Finding::new(CODE, Span::new(file, at..at + 3), format!("number {at}"));
    let report = |findings: Vec<Finding>| {
        let section = Section { target: "a".into(), findings, agents: 0, rules: 0, sources: Vec::new() };
        // A file that two policies use is found wanting twice.
        Report { sections: vec![section.clone(), section] }
    };
    let path = camino::Utf8Path::new("b.json");
    let baseline = Baseline::of(path, &report(vec![finding(0), finding(4)]), &map);
    assert_eq!(baseline.len(), 2);
    let baseline = Baseline::parse(path, &baseline.text()).unwrap();
    let mut all = report(vec![finding(0), finding(4), finding(8)]);
    assert_eq!(baseline.take(&mut all, &map), []);
    assert_eq!(all.counted().map(|finding| finding.message.as_str()).collect::<Vec<_>>(), ["number 8"]);
    let mut one = report(vec![finding(8)]);
    assert_eq!(baseline.take(&mut one, &map), [("PC0501".to_owned(), "a.policy".to_owned(), 1)]);
    assert_eq!(one.counted().count(), 0);
}

#[test]
fn a_broken_baseline_is_said() {
    let folder =
        folder(&[("a.policy", POLICY), ("b.json", "{ \"schema\": "), ("c.json", "{\"schema\":\"x\",\"findings\":[]}")]);
    for (args, said) in [
        (&["--baseline", "b.json"][..], "`b.json` is no baseline: EOF"),
        (&["--baseline", "c.json"], "its `schema` is `x`"),
        (&["--baseline", "no/b.json", "--write-baseline"], "its folder does not exist"),
        (&["--write-baseline"], "there is no baseline to write"),
    ] {
        let (text, code) = check(folder.path(), args);
        assert!(text.contains(said) && code == 2, "{args:?}: {text}");
    }
    let (text, code) = check(folder.path(), &["gone.policy", "--baseline", "d.json", "--write-baseline"]);
    assert!(text.contains("PC1002") && code == 2, "what cannot be read is never held: {text}");
}

const CONFIG: &str = r#"{
  // policyc: ignore PC0502 "kept for later"
  "default_agent": "nobody",
  "permision": {}, // policyc: ignore PC1005 "ours"
  "permission": {
    "bash": { "rm *": "deny", "*": "ask" }, // policyc: ignore PC0104 "known"
    "edit": { // policyc: ignore swallowed-exception "known" until 2026-12-01
      "a": "deny",
      "*": "ask"
    }
  }
}
"#;

#[test]
fn comments_of_a_config_are_annotations_wherever_they_stand() {
    let folder = folder(&[("opencode.jsonc", CONFIG)]);
    let (text, code) = check(folder.path(), &[]);
    assert!(text.starts_with("nothing found") && code == 0, "{text}");
    put(
        folder.path(),
        "opencode.jsonc",
        &CONFIG.replace("until 2026-12-01", "until 2026-11-30").replace(" \"ours\"", ""),
    );
    let (text, _) = check(folder.path(), &[]);
    for said in ["held until 2026-11-30", "`edit \"a\"", "without a reason is void", "PC1005"] {
        assert!(text.contains(said) || said.starts_with("`edit"), "{said}: {text}");
    }
    assert!(text.contains("PC0104"), "{text}");
    put(
        folder.path(),
        "opencode.jsonc",
        "{\n  // policyc: ignore PC0104 \"needless\"\n  \"model\": \"x/policyc: ignore PC0104\"\n}\n",
    );
    let (text, _) = check(folder.path(), &[]);
    assert_eq!(text.matches("PC0903").count(), 1, "{text}");
}

#[test]
fn comments_of_frontmatter_are_annotations() {
    let agent = "---\nmode: subagent\npermission:\n  bash: # policyc: ignore PC0104 \"known\"\n    ls: allow\n    \"*\": deny\n  edit:\n    # policyc: ignore PC0104 \"known\"\n    a: allow\n    \"*\": deny\n---\n# policyc: ignore PC0101 \"a heading\"\n";
    let folder = folder(&[("x.md", agent)]);
    let (text, code) = check(folder.path(), &["x.md"]);
    assert!(text.starts_with("nothing found") && code == 0, "{text}");
}

#[test]
fn settings_annotate_what_has_no_comments() {
    let config = r#"{ "permission": { "bash": { "rm *": "deny", "*": "ask" }, "edit": { "a": "deny", "*": "ask" } } }"#;
    let ignore = |path: &str, rest: &str| {
        format!("[[ignore]]\nfile = \"opencode.json\"\npath = \"{path}\"\ncode = \"PC0104\"\n{rest}\n")
    };
    let known = "reason = \"known\"";
    let folder = folder(&[("opencode.json", config)]);
    let said = |settings: &str| {
        put(folder.path(), "policyc.toml", settings);
        check(folder.path(), &[])
    };
    let both = format!("{}{}", ignore("permission.bash.rm *", known), ignore("permission.edit", known));
    assert_eq!(said(&both).1, 0, "{}", said(&both).0);
    let (text, code) = said(&ignore("permission.bash", known));
    assert!(text.contains("`deny edit \"a\"`") && !text.contains("`deny bash") && code == 1, "{text}");
    assert!(said(&ignore("permission.bash", "")).0.contains("without a reason is void"));
    assert!(said(&ignore("permission.read", known)).0.contains("nothing stands there in `opencode.json`"));
    assert!(
        said(&ignore("permission.bash", "reason = \"x\"\nuntil = \"2026-11-30\"")).0.contains("held until 2026-11-30")
    );
    let gone = said("[[ignore]]\nfile = \"gone.json\"\ncode = \"PC0104\"\nreason = \"x\"\n").0;
    assert!(gone.contains("there is no file `gone.json`"), "{gone}");
}
