//! Policies written as configs: what is written, and that it decides as it should.

use camino::Utf8Path;
use policyc::decide::decide;
use policyc::fidelity::Fidelity;
use policyc::files::Files;
use policyc::language::Budget;
use policyc::project::{self, Compilation, Options};
use policyc::runtimes::opencode::OpenCode;
use policyc::runtimes::{Runtime as _, Source};
use policyc::targets::{self, Built};
use proptest::prelude::*;
use std::fmt::Write;

fn built(text: &str) -> Built {
    let mut files = Files::default();
    let path = Utf8Path::new("test.policy");
    files.given(path, text);
    let compilation = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    targets::config(&mut files, &compilation, &OpenCode, (None, &[]), &mut Budget::default()).unwrap()
}

fn compiled(path: &str) -> (Files, Compilation) {
    let mut files = Files::default();
    let compilation = project::compile_policy(&mut files, Utf8Path::new(path), &Options::default()).unwrap();
    (files, compilation)
}

/// The config, the table, and what is said of it.
fn shown(built: &Built) -> String {
    let mut out = built.files[0].text.clone();
    for row in &built.rows {
        let _ = writeln!(out, "{}: {:?}", row.agent, row.fidelity);
    }
    for finding in &built.findings {
        let _ = writeln!(out, "{} {}", finding.code.id, finding.message);
    }
    for note in &built.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

fn exact(built: &Built) -> bool {
    built.rows.iter().all(|row| row.fidelity == Fidelity::Exact)
}

#[test]
fn the_examples_as_configs() {
    for name in
        ["team/team", "native-agents/native-agents", "plan-mode/opencode", "plan-mode/pi", "custom-agent/custom-agent"]
    {
        let (mut files, compilation) = compiled(&format!("policies/examples/{name}.policy"));
        let built = targets::config(&mut files, &compilation, &OpenCode, (None, &[]), &mut Budget::default()).unwrap();
        assert!(built.is_sound(), "{name}: {}", shown(&built));
        insta::assert_snapshot!(name.replace('/', "_"), shown(&built), name);
    }
}

/// What is refused, and what is said of it.
fn refusal(text: &str) -> String {
    let built = built(text);
    assert!(!built.is_sound(), "{}", shown(&built));
    shown(&built).lines().filter(|line| line.starts_with("PC")).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_opencode_policy_is_written_as_it_stands() {
    let built = built(
        "runtime opencode\nlayer user { deny edit; ask bash \"git *\" }\n\
         agent x { mode primary; steps 3; model \"a/b\"; option \"reasoningEffort\" \"high\"; allow edit \"docs/*\" }\n\
         extend general { disabled }\nextend plan { hidden; description \"p\" }\ndefault agent x\n",
    );
    assert!(exact(&built), "{}", shown(&built));
    insta::assert_snapshot!(built.files[0].text);
}

#[test]
fn keys_that_are_needed_twice_find_another_form() {
    let built = built(
        "runtime opencode\nagent x {\n  allow bash \"git *\"\n  deny * \"*secret*\"\n  allow bash \"git log *\"\n  ask *\n\
         deny webfetch\n  allow webfetch \"https://docs.rs/*\"\n}\n",
    );
    assert!(exact(&built), "{}", shown(&built));
    insta::assert_snapshot!(built.files[0].text);
}

#[test]
fn another_merge_order_is_written_whole() {
    let built = built(
        "runtime opencode\nlayer org { deny bash \"sudo *\"; deny read \"*.pem\" }\nlayer user { allow bash }\n\
         merge defaults, builtin, user, own, org\nagent x { allow edit }\n",
    );
    assert!(exact(&built), "{}", shown(&built));
    insta::assert_snapshot!(built.files[0].text);
}

#[test]
fn other_dialects_are_exact_or_stricter() {
    let built = built(
        "agent a {\n  mode primary\n  deny *\n  allow bash prefix \"git log\"\n  allow bash exact \"make\"\n\
         allow bash regex \"(?s)cargo (build|test)( .*)?\"\n  allow edit glob \"**/*.md\"\n  allow edit glob \"src/*.rs\"\n\
         allow bash exact \"ls *\"\n  deny bash exact \"git log *\"\n  ask edit glob \"docs/*.md\"\n  allow read \"src/*\"\n\
         deny read \"/etc/*\"\n  deny external_directory \"/srv/secret\"\n  deny bash \"42\"\n  deny bash \"~/bin/*\"\n}\n",
    );
    assert!(built.is_sound(), "{}", shown(&built));
    insta::assert_snapshot!(shown(&built));
}

#[test]
fn what_cannot_be_said_is_refused() {
    insta::assert_snapshot!(refusal("runtime opencode\nlayer user { deny external_directory \"$TMP/x/*\" }\n"));
    insta::assert_snapshot!(refusal("agent a { mode primary; deny \"7\" }\n"));
    insta::assert_snapshot!(refusal("agent a { mode primary; allow *; deny bash regex \"((aa|b|c)(dd|e|f)){4}\" }\n"));
}

const PERMISSIONS: [&str; 9] = ["*", "bash", "edit", "read", "webfetch", "external_directory", "task", "mcp_*", "?ash"];
const TEXTS: [&str; 22] = [
    "*",
    "**",
    "*.md",
    "src/*",
    "git *",
    "git log *",
    "rm -rf *",
    "a?c",
    "",
    " *",
    "42",
    "007",
    "~/x/*",
    "~",
    "$HOME/x",
    "<home>/y",
    "/etc/*",
    "{env:HOME}",
    "__proto__",
    "../*",
    "https://a/*",
    "a\\\\b",
];
const DIALECTS: [&str; 5] = ["", "", "exact ", "prefix ", "glob "];

fn rule() -> impl Strategy<Value = String> {
    let of = |words: &'static [&'static str]| prop::sample::select(words.to_vec());
    (of(&["allow", "ask", "deny"]), of(&PERMISSIONS), of(&DIALECTS), of(&TEXTS)).prop_map(
        |(action, permission, dialect, text)| {
            let permission = if permission.contains(['*', '?']) && permission.len() > 1 {
                format!("{permission:?}")
            } else {
                permission.to_owned()
            };
            format!("  {action} {permission} {dialect}\"{text}\"\n")
        },
    )
}

fn block(rules: &[String]) -> String {
    rules.concat()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Whatever is written is never looser: by the proof, and by trying out calls one by one.
    #[test]
    fn nothing_is_ever_written_looser(
        core in any::<bool>(),
        user in prop::collection::vec(rule(), 0..4),
        own in prop::collection::vec(rule(), 0..6),
        plan in prop::collection::vec(rule(), 0..3),
    ) {
        let text = match core {
            true => format!("layer user {{\n{}}}\nagent x {{\n  mode primary\n{}}}\n", block(&user), block(&own)),
            false => format!(
                "runtime opencode\nlayer user {{\n{}}}\nagent x {{\n{}}}\nextend plan {{\n{}}}\n",
                block(&user), block(&own), block(&plan)
            ),
        };
        let mut files = Files::default();
        let path = Utf8Path::new("test.policy");
        files.given(path, &text);
        let policy = project::compile_policy(&mut files, path, &Options::default()).unwrap();
        let built = targets::config(&mut files, &policy, &OpenCode, (None, &[]), &mut Budget::default()).unwrap();
        if built.findings.iter().any(|finding| finding.code.id == "PC0601") {
            return Ok(());
        }
        let looser = built.rows.iter().find(|row| matches!(row.fidelity, Fidelity::Looser(_)));
        prop_assert!(looser.is_none(), "lowering alone is sound: {}\n{}", text, shown(&built));
        if !built.is_sound() {
            return Ok(());
        }
        let back = config(&built.files[0].text);
        for set in &policy.rulesets {
            let theirs = back.rulesets.iter().find(|back| back.agent == set.agent).unwrap();
            for (permission, resource) in calls() {
                let ours = decide(set, permission, resource).action;
                let written = decide(theirs, permission, resource).action;
                prop_assert!(written >= ours || tool_output(permission, resource), "{permission} {resource}: {text}\n{}", built.files[0].text);
                let never = OpenCode.impossible(permission).iter().any(|shape| shape.matches(resource, set.case));
                if !never && built.rows.iter().any(|row| row.agent == set.agent && row.fidelity == Fidelity::Exact) {
                    prop_assert!(written == ours || tool_output(permission, resource), "{permission} {resource}: {text}");
                }
            }
        }
    }
}

/// A policy that says nothing of the folder that OpenCode itself allows is still written, and closes it.
#[test]
fn the_folder_that_opencode_allows_by_itself_is_closed() {
    let mut files = Files::default();
    let path = Utf8Path::new("test.policy");
    files.given(path, "agent x { mode primary; allow read }\n");
    let policy = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    let built = targets::config(&mut files, &policy, &OpenCode, (None, &[]), &mut Budget::default()).unwrap();
    assert!(built.is_sound(), "{}", shown(&built));
    let back = config(&built.files[0].text);
    let x = back.rulesets.iter().find(|set| set.agent == "x").unwrap();
    assert_ne!(decide(x, "external_directory", "$DATA/tool-output/*").action, policyc::rule::Action::Allow);
}

/// What OpenCode allows by itself.
fn tool_output(permission: &str, resource: &str) -> bool {
    permission == "external_directory" && resource.starts_with("$DATA/tool-output/")
}

fn calls() -> Vec<(&'static str, &'static str)> {
    let resources = [
        "a.md",
        "src/a",
        "src/a/b.md",
        "git log",
        "git log -p",
        "git",
        "rm -rf x",
        "abc",
        "",
        " x",
        "42",
        "421",
        "007",
        "{env:HOME}",
        "https://a/b",
        "a/b",
        "../x",
        "~/bin",
        "<home>/y",
        "x",
    ];
    let mut out = Vec::new();
    for permission in ["bash", "edit", "webfetch", "task", "mcp_x", "mash"] {
        out.extend(resources.map(|resource| (permission, resource)));
    }
    out.extend([
        ("external_directory", "/etc/*"),
        ("external_directory", "~/x/*"),
        ("read", "src/a"),
        ("read", "a.md"),
    ]);
    out
}

fn config(text: &str) -> Compilation {
    let mut files = Files::default();
    let path = Utf8Path::new("opencode.json");
    let file = files.given(path, text);
    let source = Source { kind: "project", path: path.to_owned(), file };
    project::compile_config(&mut files, &OpenCode, &[source], &Options::default())
}
