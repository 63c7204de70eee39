//! What reading an OpenCode config says of it: every fault with its place, nothing of a clean one, and no panic.

use policyc::files::Files;
use policyc::load::Asked;
use policyc::project::{Compilation, Options, compile_config};
use policyc::report::human::{self, Style};
use policyc::report::{Report, Section};
use policyc::runtimes::Source;
use policyc::runtimes::opencode::OpenCode;
use policyc::syntax::print;
use proptest::prelude::*;
use std::fmt::Write as _;

fn compile(sources: &[(&'static str, &str, &str)], version: Option<&str>) -> (Files, Compilation) {
    let mut files = Files::default();
    let sources: Vec<Source> = sources
        .iter()
        .map(|(kind, path, text)| Source { kind, path: (*path).into(), file: files.given((*path).into(), text) })
        .collect();
    let options = Options { asked: Asked { version, ..Asked::default() }, ..Options::default() };
    let compiled = compile_config(&mut files, &OpenCode, &sources, &options);
    (files, compiled)
}

fn config(text: &str) -> (Files, Compilation) {
    compile(&[("project", "opencode.json", text)], None)
}

fn agent(text: &str) -> (Files, Compilation) {
    compile(&[("agent-file", ".opencode/agents/x.md", text)], None)
}

fn shown((files, compiled): &(Files, Compilation)) -> String {
    let section = Section {
        target: String::new(),
        findings: compiled.findings.clone(),
        agents: 0,
        rules: 0,
        sources: Vec::new(),
    };
    human::findings(&Report { sections: vec![section] }, &files.sources, Style { width: 100, colour: false })
}

fn codes((_, compiled): &(Files, Compilation)) -> Vec<&'static str> {
    compiled.findings.iter().map(|finding| finding.code.id).collect()
}

/// The imported policy: its last file, printed.
fn policy((_, compiled): &(Files, Compilation)) -> String {
    print(compiled.program.policies.last().unwrap())
}

#[test]
fn what_is_wrong_with_a_config() {
    let mut out = String::new();
    for text in [
        r#"{"permission": {"bash": "alow"}}"#,
        r#"{"permission": {"bash": null, "edit": {"*": ["deny"]}}}"#,
        r#"{"permission": ["deny"]}"#,
        r#"{"permission": true}"#,
        r#"{"permission": {"todowrite": {"*": "deny"}}}"#,
        r#"{"permissions": [{"action": "edit", "resource": "*", "effect": "deny"}], "permission": "ask"}"#,
        r#"{"permissions": {"deny": ["Bash(rm:*)"], "defaultMode": "plan"}}"#,
        r#"{"agent": {"x": {"mode": "sub-agent", "steps": 0, "color": "blue", "hidden": "yes"}}}"#,
        r#"{"agent": {"x": {"disabled": true, "permision": "ask", "reasoningEffort": "high", "allowedTools": []}}}"#,
        r#"{"agents": {"x": {"permission": {"edit": "deny"}}, "y": {"steps": "many"}}}"#,
        r#"{"permision": {}, "hooks": {}, "whatever": 1, "share": "maybe"}"#,
        r#"{"permission": {"codesearch": "deny", "question": "ask", "list": "allow"}}"#,
        r#"{"permission": {"edit": {"__proto__": "deny"}, "bash": "{env:MODE}", "read": {"{file:./x}": "deny"}}}"#,
        r#"{"permission": {"edit": "deny"} "agent": {}}"#,
        "{\"permission\": {\"edit\": \"deny\"}",
        "// only a comment",
        "[]",
        "{\"a\": \u{0}}",
    ] {
        let read = config(text);
        let _ = writeln!(out, "{text}\n\n{}\n", shown(&read));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_wrong_with_an_agent_file() {
    let mut out = String::new();
    for text in [
        "---\npermission:\n  bash:\n    *: deny\n---\nText.",
        "---\ndescription: Use when: asked\npermission:\n  bash: deny\n---\nText.",
        "---\ndescription: Use when: asked\npermission:\n  bash:\n    *: deny\n---\nText.",
        "\n---\npermission: deny\n---\nText.",
        "---\npermission:\n  edit: ask\n\tbash: deny\n---\nText.",
        "---\npermission:\n  bash: deny\n  bash: allow\n---\nText.",
        "---\npermissions:\n  - action: edit\n    resource: \"*\"\n    effect: deny\n---\nText.",
        "---\nmode: helper\ntools: bash, read\n---\nText.",
        "---\n- permission\n---\nText.",
        "---toml\npermission = \"deny\"\n---\nText.",
        "---\ndescription: {{name}} reads\npermission: deny\n---\nText.",
    ] {
        let read = agent(text);
        let _ = writeln!(out, "{text}\n\n{}\n", shown(&read));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn clean_configs_are_read_without_a_word() {
    for text in [
        "",
        "{}",
        "{ // note\n \"permission\": { \"edit\": \"ask\", }, }",
        r#"{"permission": {"mcp_server_tool": "ask", "github_*": {"*": "deny"}}, "mcp": {"x": {"type": "local", "command": ["x"]}}}"#,
        r#"{"agent": {"x": {"prompt": "{file:./x.md}", "reasoningEffort": "high", "thinking": {"type": "enabled"}, "topK": 5}}}"#,
        r#"{"$schema": "https://opencode.ai/config.json", "theme": "x", "model": "a/b", "autoupdate": "notify", "lsp": false}"#,
        r#"{"provider": {"p": {"options": {"apiKey": "{env:KEY}"}}}, "permission": {"list": "allow", "question": "allow"}}"#,
    ] {
        assert_eq!(codes(&config(text)), Vec::<&str>::new(), "{text}");
    }
    for text in ["", "Only text.", "---\n---\n", "---\nmode: subagent\npermission:\n  \"*\": deny\n---\nText."] {
        assert_eq!(codes(&agent(text)), Vec::<&str>::new(), "{text}");
    }
}

#[test]
fn a_config_as_a_policy() {
    let read = compile(
        &[
            (
                "project",
                "opencode.json",
                r#"{
  // Nothing is pushed without asking.
  "permission": {
    "*": "allow",
    "bash": {
      "7": "ask", // numbers come first
      "git push *": "ask",
      // policyc: ignore PC0101 "on purpose" until 2027-01-31
      "~/bin/t *": "deny"
    },
    "*_dir*": { "~/x/*": "allow" },
    "external_directory": { "$HOME/notes/*": "allow" }
  },
  "default_agent": "docs",
  "subagent_depth": 2,
  "agent": {
    "plan": { "tools": { "bash": false } },
    // Writes documentation.
    "docs": { "mode": "primary", "maxSteps": 9, "reasoningEffort": "high", "permission": { "edit": { "*": "deny", "docs/*": "allow" } } },
    "old": { "disable": true }
  }
}"#,
            ),
            (
                "agent-file",
                ".opencode/agents/team/reviewer.md",
                "---\n# Reads.\nmode: subagent\npermission:\n  edit: deny # never\n---\n\nReview it.\n",
            ),
        ],
        None,
    );
    assert_eq!(shown(&read), "");
    insta::assert_snapshot!(policy(&read));
}

#[test]
fn the_second_version() {
    let text = r#"{"permissions": [{"action": "shell", "resource": "rm *", "effect": "deny"}],
        "agents": {"x": {"mode": "primary", "system": "Hi.", "permissions": [{"action": "*", "resource": "*", "effect": "ask"}]}}}"#;
    let read = config(text);
    assert_eq!((read.1.version.id, codes(&read)), ("2", Vec::new()));
    insta::assert_snapshot!(policy(&read));
    let first = r#"{"permission": {"bash": {"rm *": "deny"}, "write": "ask", "task": "deny"}}"#;
    let converted = compile(&[("project", "opencode.json", first)], Some("2"));
    insta::assert_snapshot!(policy(&converted));
    assert_eq!(codes(&compile(&[("project", "opencode.json", text)], Some("1.18"))), ["PC1003", "PC1003"]);
}

#[test]
fn yaml_is_read_and_said_not_to_be() {
    let text = "agent:\n  docs:\n    mode: primary\n    permission:\n      edit:\n        \"*.md\": allow # only markdown\n        \"*\": deny\n";
    let read = compile(&[("project", "opencode.yml", text)], None);
    assert_eq!(codes(&read), ["PC1003"]);
    insta::assert_snapshot!(policy(&read));
}

#[test]
fn rules_as_they_are_written_differ_where_merging_moves_them() {
    let global = r#"{"permission": {"bash": {"rm *": "deny", "*": "allow"}, "edit": "deny"}}"#;
    let project = r#"{"permission": {"*": "ask", "bash": {"git *": "allow", "*": "ask"}}}"#;
    let (_, compiled) = compile(&[("global", "global.json", global), ("project", "opencode.json", project)], None);
    let rules = |sets: &[policyc::ruleset::Ruleset]| -> Vec<String> {
        let set = sets.iter().find(|set| set.agent == "build").unwrap();
        set.rules.iter().filter(|rule| &*rule.origin.slot == "user").map(ToString::to_string).collect()
    };
    let merged = ["deny bash `rm *`", "ask bash `*`", "allow bash `git *`", "deny edit `*`", "ask * `*`"];
    assert_eq!(rules(&compiled.rulesets), merged);
    let written =
        ["deny bash `rm *`", "allow bash `*`", "deny edit `*`", "ask * `*`", "allow bash `git *`", "ask bash `*`"];
    assert_eq!(rules(compiled.as_written.as_deref().unwrap()), written);
    assert!(config(global).1.as_written.is_none());
}

#[test]
fn an_agent_whose_name_is_a_number_comes_first() {
    let (_, compiled) = config(r#"{"agent": {"7": {}, "3": {"mode": "subagent"}, "10": {}}}"#);
    assert_eq!(policyc::ruleset::default_agent(&compiled.model).unwrap().name, "7");
}

#[test]
fn bad_input_is_a_finding_at_a_place() {
    let deep = "[".repeat(10_000);
    let nested = format!("{}1{}", "{\"a\":".repeat(600), "}".repeat(600));
    let bomb = (0..12).fold("a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned(), |text, level| {
        let items = vec![format!("*a{level}"); 9].join(", ");
        format!("{text}a{}: &a{} [{items}]\n", level + 1, level + 1)
    });
    let flow = format!("---\na: {}\n---\n", "[".repeat(20_000));
    let indents: String = (0..3_000).map(|level| format!("{}a:\n", " ".repeat(level))).collect();
    let many: String = (0..20_000).map(|i| format!("\"k{i}\": \"ask\",")).collect();
    for text in [&deep, &nested, "\u{feff}", "{", "\"", "{\"permission\": {\"a\": \"\\u12\"}}", "\r\n", "nul\u{0}"] {
        assert_eq!(codes(&config(text)), if text == "\u{feff}" { vec![] } else { vec!["PC1001"] }, "{text:.40}");
    }
    assert_eq!(codes(&agent(&format!("---\n{bomb}---\n"))), ["PC1004"]);
    assert_eq!(codes(&agent(&flow)), ["PC1004"]);
    assert_eq!(codes(&agent(&format!("---\n{indents}---\n"))), ["PC1004"]);
    assert_eq!(codes(&config(&format!("{{\"permission\": {{{many}}}}}"))), Vec::<&str>::new());
    let twice: String = (0..20_000).map(|_| "\"k\": \"ask\",").collect();
    assert_eq!(codes(&config(&format!("{{\"permission\": {{{twice}}}}}"))).len(), 19_999);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_it_panic(text in "[-{}\\[\\]:,\"'*&!#|>%@`~\\\\a-c0-9 \n\t\r\u{feff}é]{0,60}") {
        config(&text);
        agent(&format!("---\n{text}\n---\n"));
        agent(&text);
        compile(&[("project", "opencode.yml", &text)], None);
        compile(&[("permission", "OPENCODE_PERMISSION", &text)], None);
        compile(&[("project", "opencode.json", &text)], Some("2"));
    }

    #[test]
    fn wrong_types_anywhere_are_survived(
        value in prop_oneof![Just("null"), Just("1"), Just("\"x\""), Just("[]"), Just("{}"), Just("[{}]"), Just("true"), Just("{\"a\":[1]}")],
        key in prop_oneof![
            Just("permission"), Just("agent"), Just("mode"), Just("tools"), Just("agents"), Just("permissions"),
            Just("default_agent"), Just("subagent_depth"), Just("skills"), Just("model"),
        ],
        inner in any::<bool>(),
    ) {
        let text = if inner { format!("{{\"agent\": {{\"x\": {{\"{key}\": {value}}}}}}}") } else { format!("{{\"{key}\": {value}}}") };
        config(&text);
        compile(&[("project", "opencode.json", &text)], Some("2"));
        compile(&[("permission", "OPENCODE_PERMISSION", &text)], None);
    }
}
