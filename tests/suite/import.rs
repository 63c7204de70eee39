//! Configs as policies: the text, and that it decides the same.

use camino::Utf8Path;
use policyc::fidelity::Fidelity;
use policyc::files::Files;
use policyc::import;
use policyc::language::Budget;
use policyc::project::{self, Options};
use policyc::runtimes::Source;
use policyc::runtimes::opencode::OpenCode;
use policyc::targets;
use proptest::prelude::*;

/// The policy of configs, each a path and a text.
fn imported(configs: &[(&str, &str)]) -> Result<String, String> {
    let mut files = Files::default();
    let mut sources = Vec::new();
    for (path, text) in configs {
        let file = files.given(Utf8Path::new(path), text);
        sources.push(Source { kind: "project", path: Utf8Path::new(path).to_owned(), file });
    }
    let compilation = project::compile_config(&mut files, &OpenCode, &sources, &Options::default());
    import::policy(&compilation, &files.sources)
}

#[test]
fn order_comments_and_fields_are_kept() {
    let config = r#"{
  // what everyone keeps to
  "permission": {
    "edit": "ask", // people decide
    "bash": {
      // nothing is lost
      "rm *": "deny",
      "*": "ask"
    }
  },
  "default_agent": "x",
  "agent": {
    // the one we use
    "x": { "mode": "primary", "temperature": 0.2, "reasoningEffort": "high", "permission": { "webfetch": "deny" } },
    "plan": { "disable": true },
    "team/reviewer": { "prompt": "{file:./reviewer.md}", "permission": { "bash": { "~/bin/*": "allow" } } }
  }
}"#;
    insta::assert_snapshot!(imported(&[("opencode.json", config)]).unwrap());
}

#[test]
fn merged_files_say_where_each_rule_came_from() {
    let global = r#"{"permission":{"bash":{"rm *":"deny","*":"allow"},"edit":"deny"}}"#;
    let project = r#"{"permission":{"*":"ask","bash":{"git *":"allow"}}}"#;
    insta::assert_snapshot!(imported(&[("global.json", global), ("opencode.json", project)]).unwrap());
}

fn section() -> impl Strategy<Value = String> {
    let action = || prop::sample::select(vec!["allow", "ask", "deny"]);
    let key = prop::sample::select(vec!["*", "bash", "edit", "read", "mcp_*", "42", "external_directory", "task"]);
    let text = prop::sample::select(vec!["*", "git *", "7", "~/x", "$HOME/y", "*.md", "a b", "\\\"q\\\"", "é*", "#x"]);
    let patterns = prop::collection::vec((text, action()), 1..4).prop_map(|entries| {
        let entries: Vec<String> = entries.iter().map(|(text, action)| format!("\"{text}\":\"{action}\"")).collect();
        format!("{{{}}}", entries.join(","))
    });
    let value = prop_oneof![action().prop_map(|action| format!("\"{action}\"")), patterns];
    prop::collection::vec((key, value), 0..5).prop_map(|entries| {
        let entries: Vec<String> = entries.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", entries.join(","))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Any config can be said as a policy; and that policy, compiled, is no looser.
    #[test]
    fn every_config_can_be_said(shared in section(), own in section(), plan in section()) {
        let config = format!(
            "{{\"permission\":{shared},\"agent\":{{\"x\":{{\"permission\":{own}}},\"plan\":{{\"permission\":{plan}}}}}}}"
        );
        let text = imported(&[("opencode.json", &config)]);
        prop_assert!(text.is_ok(), "{}: {:?}", config, text);
        let mut files = Files::default();
        let path = Utf8Path::new("imported.policy");
        files.given(path, &text.unwrap());
        let policy = project::compile_policy(&mut files, path, &Options::default()).unwrap();
        let built = targets::config(&mut files, &policy, &OpenCode, (None, &[]), &mut Budget::default()).unwrap();
        let refused = built.findings.iter().any(|finding| finding.code.id == "PC0601");
        let looser = built.rows.iter().any(|row| matches!(row.fidelity, Fidelity::Looser(_)));
        prop_assert!(refused || !looser, "{config}\n{}", built.files[0].text);
    }
}
