//! Gemini CLI: its recorded decisions, what reading its files says of them, and that they round-trip as policies.

use camino::Utf8Path;
use policyc::decide;
use policyc::files::Files;
use policyc::import;
use policyc::project::{self, Compilation, Options};
use policyc::report::human::{self, Style};
use policyc::report::{Report, Section};
use policyc::rule::Action;
use policyc::runtimes::gemini::Gemini;
use policyc::runtimes::{Runtime, Source};
use policyc::syntax::print;
use proptest::prelude::*;
use serde_json::Value;
use std::fmt::Write as _;

fn compile(texts: &[(&'static str, &str, &str)]) -> (Files, Compilation) {
    let mut files = Files::default();
    let sources: Vec<Source> = texts
        .iter()
        .map(|(kind, path, text)| Source { kind, path: (*path).into(), file: files.given((*path).into(), text) })
        .collect();
    let compiled = project::compile_config(&mut files, &Gemini, &sources, &Options::default());
    (files, compiled)
}

fn user(text: &str) -> (Files, Compilation) {
    compile(&[("user", "rules.toml", text)])
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

/// The strictest answer to what a call asks.
fn decided(compiled: &Compilation, agent: &str, tool: &str, input: &Value, builtin: bool) -> Action {
    let set = compiled.rulesets.iter().find(|set| set.agent == agent);
    let mut set = set.or(compiled.rulesets.first()).unwrap().clone();
    if !builtin {
        // As if nothing but the files were there; what is built into the engine itself stays.
        set.rules
            .retain(|rule| !rule.origin.prelude || &*rule.origin.slot == "runtime" || rule.permission.text() == "bash");
    }
    let asks = Gemini.asks(tool, input, Gemini::version(), None).unwrap_or_else(|_| {
        let permission = policyc::runtimes::gemini::tools::permission(tool).to_owned();
        vec![policyc::runtimes::Request { permission, resource: String::new() }].into()
    });
    let asked =
        |request: &policyc::runtimes::Request| decide::decide(&set, &request.permission, &request.resource).action;
    decide::strictest(asks.requests.iter().map(asked))
}

/// Recorded decisions where policyc allows more than Gemini, and says so: what a rule's match hangs on is not the resource.
const WIDER: [&str; 1] = ["content-false-hit"];

#[test]
fn recorded_decisions_are_decided_so() {
    let text = std::fs::read_to_string("tests/conformance/gemini.json").unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let mut wrong = String::new();
    for vector in vectors["vectors"].as_array().unwrap() {
        let id = vector["id"].as_str().unwrap();
        if vector["interactive"] == false {
            continue;
        }
        let mut texts: Vec<(&'static str, String, String)> = Vec::new();
        if !vector["settings"].is_null() {
            texts.push(("settings", ".gemini/settings.json".into(), vector["settings"].to_string()));
        }
        let file = serde_json::json!([{ "tier": "user", "toml": vector["toml"] }]);
        let files = if vector["files"].is_null() { &file } else { &vector["files"] };
        for (at, file) in files.as_array().unwrap().iter().enumerate() {
            let kind = match file["tier"].as_str().unwrap() {
                "admin" => "admin",
                "workspace" => "workspace",
                _ => "user",
            };
            texts.push((kind, format!("{at}.toml"), file["toml"].as_str().unwrap_or_default().to_owned()));
        }
        texts.sort_by_key(|(kind, ..)| *kind == "admin");
        let texts: Vec<(&'static str, &str, &str)> = texts.iter().map(|(a, b, c)| (*a, &**b, &**c)).collect();
        let both = compile(&texts);
        let compiled = &both.1;
        let call = &vector["call"];
        let agent = call["subagent"].as_str().or(vector["mode"].as_str()).unwrap_or("default");
        let errors = vector["load_errors"].as_array().is_some_and(|errors| !errors.is_empty());
        if errors && compiled.findings.is_empty() {
            writeln!(wrong, "{id}: nothing is said of {}", vector["load_errors"]).unwrap();
        }
        let (expected, got) = if let Some(tool) = call["visible"].as_str() {
            let set = compiled.rulesets.iter().find(|set| set.agent == agent).unwrap();
            let key = policyc::runtimes::gemini::tools::permission(tool);
            let hidden = !decide::visible(set, key, compiled.model.visibility);
            (vector["decision"].as_str().unwrap().to_owned(), if hidden { "hidden" } else { "visible" }.to_owned())
        } else {
            let tool = call["tool"].as_str().unwrap();
            let empty = Value::Object(serde_json::Map::new());
            let input = if call["args"].is_null() { &empty } else { &call["args"] };
            let got = decided(compiled, agent, tool, input, vector["builtin"] == true);
            let expected = vector["decision"].as_str().unwrap().replace("ask_user", "ask");
            (expected, got.word().to_owned())
        };
        let wider = WIDER.contains(&id) && Action::from_word(&got) < Action::from_word(&expected);
        if got != expected && !wider {
            writeln!(wrong, "{id}: {expected} expected, {got} decided").unwrap();
        }
    }
    assert_eq!(wrong, "");
}

fn rule(lines: &str) -> String {
    format!("[[rule]]\n{lines}\n")
}

#[test]
fn what_is_wrong_with_a_policy_file() {
    let mut out = String::new();
    for text in [
        rule("toolName = \"read_file\"\ndecision = \"ask\"\npriority = 9"),
        rule("toolName = \"read_file\"\ndecision = \"deny\"\npriority = 1000"),
        rule("toolName = 3\npriority = \"9\"\nmodes = [\"Plan\"]\nallowRedirection = \"yes\"\nsubagent = [\"x\"]"),
        rule("toolName = \"read_file\"\ndecision = \"deny\"\npriority = 1\nagent = \"x\"\ntoolname = \"*\""),
        "[[rules]]\ntoolName = \"*\"\n[other]\nx = 1\n".to_owned(),
        "rule = 3\n".to_owned(),
        "[[rule]\n".to_owned(),
        "\u{feff}[[rule]]\r\n".to_owned(),
        rule("toolName = \"read_file\"\ntoolName = \"glob\"\ndecision = \"deny\"\npriority = 1"),
        rule("toolName = \"read_file\"\nargsPattern = \"(?:a)?b\"\ndecision = \"deny\"\npriority = 9"),
        rule("toolName = \"read_file\"\nargsPattern = \"(a\"\ndecision = \"deny\"\npriority = 9"),
        rule("toolName = \"read_file\"\ncommandPrefix = \"a\"\ndecision = \"deny\"\npriority = 9"),
        rule("toolName = \"run_shell_command\"\ncommandRegex = \"^git push$\"\ndecision = \"deny\"\npriority = 9"),
        rule(
            "toolName = \"run_shell_command\"\ncommandRegex = \"a\"\ncommandPrefix = \"b\"\ndecision = \"deny\"\npriority = 9",
        ),
        rule(
            "toolName = [\"read_fil\", \"write_*\", \"mcp_*_search\", \"a__b\", \"\"]\ndecision = \"deny\"\npriority = 9",
        ),
        rule("toolName = \"search\"\nmcpName = \"*\"\ndecision = \"deny\"\npriority = 9"),
        rule("toolName = \"*\"\nmcpName = \"\"\nsubagent = \"\"\ndecision = \"deny\"\npriority = 9"),
        rule(
            "toolName = \"*\"\nmcpName = \"*\"\ntoolAnnotations = { readOnlyHint = true }\ndecision = \"allow\"\npriority = 9",
        ),
    ] {
        let read = user(&text);
        writeln!(out, "{}\n--\n{}", text.trim(), shown(&read)).unwrap();
    }
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_wrong_with_other_sources() {
    let deny = rule("toolName = \"*\"\ndecision = \"deny\"\npriority = 9");
    let allow = rule("toolName = \"*\"\ndecision = \"allow\"\npriority = 9");
    let settings = |text: &'static str| compile(&[("settings", ".gemini/settings.json", text)]);
    let mut out = String::new();
    for read in [
        compile(&[("workspace", ".gemini/policies/a.toml", &deny)]),
        compile(&[("extension", "x.toml", &allow)]),
        settings(r#"{"permissions": {"deny": ["x"]}, "policyPaths": ["x.toml"]}"#),
        settings(
            r#"{"tools": {"exclude": "run_shell_command", "allowed": [3]}, "general": {"defaultApprovalMode": "yolo"}}"#,
        ),
        settings("{"),
        settings("[]"),
    ] {
        writeln!(out, "{}", shown(&read)).unwrap();
    }
    insta::assert_snapshot!(out);
}

const CLEAN: &str = r#"
# People decide about pushes.
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["git push", "npm publish"]
decision = "ask_user"
priority = 120

[[rule]]
toolName = ["write_file", "replace"]
argsPattern = '\x00"file_path":"docs/[^"]*\.md"\x00'
decision = "allow"
priority = 200
modes = ["default", "autoEdit"]

[[rule]]
toolName = "*"
mcpName = "jira"
decision = "deny"
priority = 50
denyMessage = "ask the release team"

[[rule]]
toolName = "run_shell_command"
commandRegex = "cargo (build|test)\\b"
decision = "allow"
priority = 100
allowRedirection = true

[[rule]]
toolName = "run_shell_command"
decision = "deny"
priority = 300
subagent = "reviewer"
"#;

#[test]
fn a_clean_file_as_a_policy() {
    let settings = r#"{"tools": {"allowed": ["run_shell_command(git status)"], "exclude": ["web_fetch"]},
        "mcpServers": {"gh": {"command": "x", "trust": true}}, "general": {"defaultApprovalMode": "plan"}}"#;
    let read = compile(&[("settings", ".gemini/settings.json", settings), ("user", "rules.toml", CLEAN)]);
    assert_eq!(shown(&read), "");
    insta::assert_snapshot!(import::policy(&read.1, &read.0.sources).unwrap());
}

#[test]
fn hostile_files_are_read_to_their_end() {
    let deep = format!("x = {}1{}", "[".repeat(2_000), "]".repeat(2_000));
    let many = rule("toolName = \"read_file\"\nargsPattern = '\"file_path\":\"a/'\ndecision = \"deny\"\npriority = 9")
        .repeat(2_000);
    let long = rule(&format!(
        "toolName = \"read_file\"\nargsPattern = '{}'\ndecision = \"deny\"\npriority = 9",
        "a".repeat(1_000_000)
    ));
    for text in [deep, many.replace('\n', "\r\n"), long, "\0".into(), "rule = [1, {}]".into(), "[rule]".into()] {
        let read = user(&text);
        let _ = shown(&read);
        let _ = print(read.1.program.policies.last().unwrap());
    }
}

fn rules() -> impl Strategy<Value = String> {
    let tool = prop::sample::select(vec![
        "\"*\"",
        "\"run_shell_command\"",
        "\"read_file\"",
        "[\"write_file\", \"replace\"]",
        "\"grep_search\"",
        "\"web_fetch\"",
        "\"helper\"",
        "\"mcp_gh_*\"",
    ]);
    let args = prop::sample::select(vec![
        "",
        "argsPattern = 'secret'",
        "argsPattern = '\"file_path\":\"docs/'",
        "argsPattern = '\\x00\"file_path\":\"[^\"]*\\.md\"\\x00'",
        "argsPattern = '\"command\":'",
        "argsPattern = '(?!a)b'",
        "argsPattern = '\"dir_path\":\"src'",
    ]);
    let decision = prop::sample::select(vec!["allow", "ask_user", "deny"]);
    let extra = prop::sample::select(vec![
        "",
        "modes = [\"plan\", \"yolo\"]",
        "subagent = \"helper\"",
        "allowRedirection = true",
    ]);
    let one = (tool, args, decision, 0..4u32, extra).prop_map(|(tool, args, decision, priority, extra)| {
        rule(&format!("toolName = {tool}\n{args}\ndecision = \"{decision}\"\npriority = {priority}\n{extra}"))
    });
    prop::collection::vec(one, 0..7).prop_map(|rules| rules.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Any file can be said as a policy that decides the same.
    #[test]
    fn every_file_can_be_said(text in rules()) {
        let (files, compiled) = user(&text);
        prop_assert!(import::policy(&compiled, &files.sources).is_ok());
    }
}

#[test]
fn project_files_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::create_dir_all(root.join(".gemini/policies")).unwrap();
    std::fs::write(root.join(".gemini/settings.json"), "{}").unwrap();
    std::fs::write(root.join(".gemini/policies/a.toml"), "").unwrap();
    let kinds: Vec<&str> = Gemini.sources(root, false).iter().map(|source| source.kind).collect();
    assert_eq!(kinds, ["settings", "workspace"]);
}
