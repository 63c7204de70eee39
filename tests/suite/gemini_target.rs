//! Policies written for Gemini CLI: what is written, that it is read back as no looser, and what is refused.

use camino::Utf8Path;
use policyc::fidelity::Fidelity;
use policyc::files::Files;
use policyc::language::Budget;
use policyc::project::{self, Options};
use policyc::runtimes::gemini::Gemini;
use policyc::targets::{self, Built};
use proptest::prelude::*;
use std::fmt::Write;

fn built(text: &str) -> Result<Built, String> {
    let mut files = Files::default();
    let path = Utf8Path::new("test.policy");
    files.given(path, text);
    let compilation = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    targets::config(&mut files, &compilation, &Gemini, (None, &[]), &mut Budget::default())
}

/// The file, the table, and what is said of it.
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

#[test]
fn a_policy_as_a_policy_file() {
    let built = built(
        "agent main {\n  mode primary\n  ask *\n  allow read\n  deny read \"*.env\" because \"secrets stay here\"\n\
         allow bash [\"git status *\", \"make\"]\n  ask bash \"git push *\"\n}\n\
         agent writer {\n  mode subagent\n  deny *\n  allow edit \"docs/*.md\"\n}\ndefault agent main\n",
    )
    .unwrap();
    assert!(built.is_sound(), "{}", shown(&built));
    insta::assert_snapshot!(shown(&built));
}

#[test]
fn a_policy_in_geminis_words_is_exact() {
    let built = built(
        "runtime gemini\nlayer user { deny bash \"rm *\"; allow bash, dangerous, redirection \"git *\"; ask webfetch }\n\
         agent helper { mode subagent; deny edit, replace }\n",
    )
    .unwrap();
    assert!(built.is_sound(), "{}", shown(&built));
    assert!(built.rows.iter().all(|row| !matches!(row.fidelity, Fidelity::Undecided)), "{}", shown(&built));
}

#[test]
fn what_cannot_be_said_is_refused() {
    let refused = built("agent a { mode primary; allow *; deny \"github_*\" }\n").unwrap();
    assert!(!refused.is_sound());
    insta::assert_snapshot!(refused.findings[0].message);
    let rule = |n: usize| {
        let action = if n.is_multiple_of(2) { "allow" } else { "deny" };
        format!("  {action} bash \"x{n}\"\n")
    };
    let many: String = (0..1_200).map(rule).collect();
    let error = built(&format!("agent a {{\n  mode primary\n{many}}}\n")).unwrap_err();
    insta::assert_snapshot!(error);
}

/// Subagents cannot meet, so they share priorities; neighbours that decide the same share one where there are too few.
#[test]
fn priorities_are_shared() {
    let rules = |letter: char| (0..450).map(|n| format!("  deny bash \"{letter}{n}\"\n")).collect::<String>();
    let mut text = format!("agent main {{\n  mode primary\n{}}}\n", rules('m'));
    for letter in ['a', 'b', 'c'] {
        let _ = write!(text, "agent {letter} {{\n  mode subagent\n{}}}\n", rules(letter));
    }
    let built = built(&text).unwrap();
    assert!(built.is_sound() && !built.files[0].text.contains("priority = 1000"));
}

const PERMISSIONS: [&str; 8] = ["*", "bash", "edit", "read", "webfetch", "grep", "task", "mcp_x"];
const TEXTS: [&str; 14] = [
    "\"*\"",
    "\"git *\"",
    "\"*.env\"",
    "\"src/*\"",
    "\"a?b\"",
    "\"/etc/*\"",
    "\"~/x\"",
    "\".\"",
    "prefix \"git log\"",
    "exact \"ls *\"",
    "glob \"**/*.md\"",
    "regex \"(ab)+\"",
    "regex \"[^\\n]*x\"",
    "regex \"(?s)a.*\"",
];

fn body() -> impl Strategy<Value = String> {
    let rule = (
        prop::sample::select(vec!["allow", "ask", "deny"]),
        prop::sample::select(PERMISSIONS.to_vec()),
        prop::option::of(prop::sample::select(TEXTS.to_vec())),
    );
    let line = rule.prop_map(|(action, permission, text)| format!("  {action} {permission} {}\n", text.unwrap_or("")));
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever the policy: what is written is read back as no looser, or is refused because a rule has no words.
    #[test]
    fn never_looser(main in body(), helper in body()) {
        let text = format!("agent main {{\n  mode primary\n{main}}}\nagent helper {{\n  mode subagent\n{helper}}}\ndefault agent main\n");
        let built = built(&text).unwrap();
        let looser = built.rows.iter().any(|row| matches!(row.fidelity, Fidelity::Looser(_)));
        let refused = built.findings.iter().any(|finding| finding.code.id == "PC0601");
        prop_assert!(!looser || refused, "{text}{}", shown(&built));
        let taken = built.findings.iter().all(|finding| finding.code.id != "PC0606");
        prop_assert!(taken, "{text}{}", shown(&built));
    }
}
