//! OpenCode 1.18 as recorded from the real program: `tests/conformance/opencode.json` is data, made by asking it.

use policyc::decide;
use policyc::diagnostic::Finding;
use policyc::files::Files;
use policyc::language::{Case, Pattern};
use policyc::model::Visibility;
use policyc::project::{Compilation, Options, compile_config};
use policyc::rule::{Action, Origin, Rule};
use policyc::ruleset::Ruleset;
use policyc::runtimes::opencode::OpenCode;
use policyc::runtimes::{Environment, Runtime, Source};
use policyc::source::{SourceMap, Span};
use serde_json::Value;
use std::sync::Arc;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../conformance/opencode.json")).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// The machine the vectors were recorded on.
fn machine() -> Environment {
    Environment {
        home: "/home/user".into(),
        data: "/home/user/.local/share/opencode".into(),
        tmp: "/tmp".into(),
        worktree: "/project".into(),
        cwd: "/project".into(),
        skills: Vec::new(),
    }
}

fn compile(sources: &[(&'static str, &str, &str)], environment: Option<Environment>) -> (Files, Compilation) {
    let mut files = Files::default();
    let sources: Vec<Source> = sources
        .iter()
        .map(|(kind, path, text)| Source { kind, path: (*path).into(), file: files.given((*path).into(), text) })
        .collect();
    let compiled = compile_config(&mut files, &OpenCode, &sources, &Options { environment, ..Options::default() });
    (files, compiled)
}

fn rules(compiled: &Compilation, agent: &str) -> Option<Vec<String>> {
    let set = compiled.rulesets.iter().find(|set| set.agent == agent)?;
    let line = |rule: &Rule| format!("{} {} {}", rule.permission.text(), rule.pattern.text(), rule.action);
    Some(set.rules.iter().map(line).collect())
}

fn ruleset(rules: &[Value]) -> Ruleset {
    let span = Span::new(SourceMap::default().add("test", ""), 0..0);
    let origin = Arc::new(Origin { span, statement: span, slot: "user".into(), prelude: false, via: Vec::new() });
    let rule = |(id, rule): (usize, &Value)| Rule {
        id: id as u32,
        permission: Pattern::wildcard(text(rule, "permission")),
        pattern: Pattern::wildcard(text(rule, "pattern")),
        action: Action::from_word(text(rule, "action")).unwrap(),
        reason: None,
        origin: origin.clone(),
    };
    Ruleset { agent: "x".into(), rules: rules.iter().enumerate().map(rule).collect(), case: Case::Sensitive }
}

#[test]
fn decisions() {
    let vectors = vectors();
    for vector in list(&vectors, "evaluate") {
        let set = ruleset(list(vector, "ruleset"));
        let query = &vector["query"];
        let decision = decide::decide(&set, text(query, "permission"), text(query, "pattern"));
        assert_eq!(decision.action.word(), text(vector, "expect"), "{vector}");
    }
}

#[test]
fn hidden_tools() {
    let vectors = vectors();
    let (_, compiled) = compile(&[("project", "opencode.json", "{}")], None);
    for vector in list(&vectors, "disabled") {
        let set = ruleset(list(vector, "ruleset"));
        let hidden: Vec<&str> = list(vector, "tools")
            .iter()
            .filter_map(Value::as_str)
            .filter(|tool| !decide::visible(&set, compiled.model.key_of(tool), Visibility::LastDeny))
            .collect();
        assert_eq!(Value::from(hidden), vector["hidden"], "{vector}");
    }
}

#[test]
fn key_order_and_home() {
    let vectors = vectors();
    for vector in list(&vectors, "flatten") {
        let config = format!("{{\"permission\": {}}}", text(vector, "source"));
        let (_, compiled) = compile(&[("project", "opencode.json", &config)], Some(machine()));
        let all = rules(&compiled, "build").unwrap();
        let line =
            |rule: &Value| format!("{} {} {}", text(rule, "permission"), text(rule, "pattern"), text(rule, "action"));
        let expected: Vec<String> = list(vector, "ruleset").iter().map(line).collect();
        assert_eq!(all[14..all.len() - 1], expected, "{vector}");
    }
}

#[test]
fn native_agents() {
    let vectors = vectors();
    let (files, compiled) = compile(&[("project", "opencode.json", "{}")], Some(machine()));
    assert_eq!(findings(&files, &compiled.findings), Vec::<String>::new());
    let native = vectors["builtin"].as_object().unwrap();
    let names: Vec<&str> = compiled.rulesets.iter().map(|set| set.agent.as_str()).collect();
    assert_eq!(names, native.keys().map(String::as_str).collect::<Vec<_>>());
    for (agent, expected) in native {
        let expected: Vec<String> = expected
            .as_array()
            .unwrap()
            .iter()
            .map(|rule| rule.as_str().unwrap().replace("<HOME>", "/home/user").replace("<TMP>", "/tmp"))
            // Recorded where the home folder was beside the project.
            .map(|rule| rule.replace("../home/.local", "../home/user/.local"))
            .collect();
        assert_eq!(rules(&compiled, agent).unwrap(), expected, "{agent}");
    }
}

fn findings(files: &Files, findings: &[Finding]) -> Vec<String> {
    let line = |finding: &Finding| {
        format!("{} {} {}", files.sources.place(finding.primary.span), finding.code.id, finding.message)
    };
    findings.iter().map(line).collect()
}

/// The layers of a vector as sources, in the order OpenCode reads them.
fn layers(layers: &Value) -> Vec<(&'static str, String, String)> {
    let one = |kind, key: &str, path: &str| {
        layers[key].as_str().map(|text| (kind, path.to_owned(), text.to_owned())).into_iter().collect::<Vec<_>>()
    };
    let folder = |key: &str, path: &str| {
        let files = layers[key].as_object().into_iter().flatten();
        files
            .map(|(name, text)| ("agent-file", format!("{path}/agents/{name}"), text.as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    [
        one("global", "global", "/home/user/.config/opencode/opencode.json"),
        one("project", "project", "opencode.json"),
        folder("global_agents", "/home/user/.config/opencode"),
        one("project-folder", "dot", ".opencode/opencode.json"),
        folder("agents", ".opencode"),
        one("content", "content", "OPENCODE_CONFIG_CONTENT"),
        one("managed", "managed", "/etc/opencode/opencode.json"),
        one("permission", "env", "OPENCODE_PERMISSION"),
    ]
    .concat()
}

#[test]
fn resolved_agents() {
    let vectors = vectors();
    let base = vectors["custom_base"].as_u64().unwrap() as usize;
    for vector in list(&vectors, "resolve") {
        let owned = layers(&vector["layers"]);
        let sources: Vec<(&'static str, &str, &str)> =
            owned.iter().map(|(kind, path, text)| (*kind, path.as_str(), text.as_str())).collect();
        let (files, compiled) = compile(&sources, Some(machine()));
        let refused = compiled.findings.iter().any(|finding| finding.code.id == "PC1003");
        let said = findings(&files, &compiled.findings);
        match rules(&compiled, text(vector, "agent")) {
            Some(all) if vector["expect"].is_array() => {
                assert!(!refused, "{vector}: {said:?}");
                // A word that is no action asks; the program keeps the word.
                let expected: Vec<String> = list(vector, "expect")
                    .iter()
                    .map(|rule| {
                        let rule = rule.as_str().unwrap();
                        let (start, word) = rule.rsplit_once(' ').unwrap();
                        format!("{start} {}", Action::from_word(word).unwrap_or(Action::Ask))
                    })
                    .collect();
                assert_eq!(all[base..all.len() - 1], expected, "{vector}: {said:?}");
            }
            found => assert!(vector["expect"] == "error" && (refused || found.is_none()), "{vector}: {said:?}"),
        }
    }
}

#[test]
fn tool_calls() {
    let vectors = vectors();
    for vector in list(&vectors, "gate") {
        let tool = text(vector, "tool");
        let config = format!("{{\"permission\": {}}}", vector["permission"]);
        let (_, compiled) = compile(&[("project", "opencode.json", &config)], Some(machine()));
        let agent = vector["agent"].as_str().unwrap_or("build");
        let set = compiled.rulesets.iter().find(|set| set.agent == agent).unwrap();
        let visible = decide::visible(set, compiled.model.key_of(tool), compiled.model.visibility);
        let asked = OpenCode.asks(tool, &vector["args"], compiled.version, Some(&machine())).unwrap();
        let answers = asked.requests.iter().map(|one| decide::decide(set, &one.permission, &one.resource).action);
        let got = match (visible, decide::strictest(answers)) {
            (false, _) => "hidden",
            (true, Action::Deny) => "denied",
            (true, _) => "not-denied",
        };
        assert_eq!(got, text(vector, "expect"), "{vector} asks {asked:?}");
    }
}
