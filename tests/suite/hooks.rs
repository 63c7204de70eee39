//! Hooks: what the runtimes' events mean to a policy, and how they are answered.

use crate::support::hook::{Hook, protocol};
use policyc::hook::selftest;
use policyc::rule::Action::{self, Allow, Ask, Deny};
use policyc::runtimes::PROTOCOLS;
use policyc::runtimes::protocol::{Answer, Event, Fact, Protocol, Sample, Variables};
use serde_json::json;
use std::fmt::Write as _;

/// Speaks no runtime's language but the common one.
const POLICY: &str = "agent a {
  mode primary
  allow *
  deny read \".env\" because \"it holds secrets\"
  deny edit [\"secrets/*\", \"~*\"]
  ask bash \"git push *\"
  deny bash [\"rm *\", \"rm\"] because \"use the trash\"
  deny task \"*-writer\"
  deny webfetch \"*://internal.*\"
  deny skill \"deploy\"
  deny \"tracker_*\"
  ask todowrite
  deny external_directory \"/etc/*\"
}
agent reader { mode subagent; deny *; allow read }
default agent a
";

#[test]
fn every_protocol_answers_its_samples_in_its_own_words() {
    let hook = |tool| Hook::new(include_str!("../../src/hook/selftest.policy")).at("/policyc-selftest").of(tool);
    let mut out = String::new();
    for protocol in PROTOCOLS {
        let _ = writeln!(out, "== {}", protocol.name());
        for sample in protocol.samples() {
            let hook = hook(sample.variables.first().map(|(_, value)| *value));
            let done = hook.send(protocol, sample.event);
            assert_eq!(done.taken, Some(sample.gives), "{}: {}", protocol.name(), sample.title);
            let _ = writeln!(out, "{}\n  exit {}", sample.title, done.answer.code);
            let shown =
                |name: &str, text: &str| if text.is_empty() { String::new() } else { format!("  {name} {text}") };
            out.push_str(&shown("stdout", &done.answer.stdout));
            out.push_str(&shown("stderr", &done.answer.stderr));
        }
        let done = hook(None).send(protocol, "no event");
        let _ = writeln!(out, "what is no event\n  exit {}", done.answer.code);
        let _ = write!(out, "  stdout {}\n  stderr {}", done.answer.stdout, done.answer.stderr);
    }
    insta::assert_snapshot!(out);
}

#[test]
fn tools_are_asked_by_what_they_do() {
    let hook = Hook::new(POLICY);
    let calls = [
        ("Read", json!({ "file_path": "/nowhere/project/src/a.rs" }), Allow),
        ("Read", json!({ "file_path": "/nowhere/project/.env" }), Deny),
        ("Edit", json!({ "file_path": "/nowhere/project/secrets/key" }), Deny),
        ("MultiEdit", json!({ "file_path": "secrets/key" }), Deny),
        ("NotebookEdit", json!({ "notebook_path": "secrets/key.ipynb" }), Deny),
        ("Bash", json!({ "command": "git push" }), Ask),
        ("Monitor", json!({ "command": "rm x" }), Deny),
        ("PowerShell", json!({ "command": "Get-Item x" }), Deny),
        ("Agent", json!({ "subagent_type": "poem-writer", "prompt": "p" }), Deny),
        ("Task", json!({ "prompt": "p" }), Allow),
        ("WebFetch", json!({ "url": "https://internal.example/" }), Deny),
        ("WebFetch", json!({ "url": "https://docs.rs/" }), Allow),
        ("WebSearch", json!({ "query": "q" }), Allow),
        ("Skill", json!({ "skill": "deploy" }), Deny),
        ("mcp__tracker__close", json!({}), Deny),
        ("mcp__notes__read", json!({}), Allow),
        ("TodoWrite", json!({}), Ask),
        ("Read", json!({ "file_path": "/etc/passwd" }), Deny),
        ("Read", json!({ "file_path": "/usr/include/stdio.h" }), Allow),
        ("Grep", json!({ "pattern": "KEY", "path": ".env" }), Deny),
        ("Grep", json!({ "pattern": "KEY" }), Ask),
        ("Glob", json!({ "pattern": "*", "path": "/etc" }), Deny),
        ("Glob", json!({ "pattern": "/etc/**/*.conf" }), Deny),
        ("Glob", json!({ "pattern": "src/**/*.rs" }), Allow),
    ];
    for (tool, input, action) in calls {
        assert_eq!(hook.call(tool, input.clone()).ruling.unwrap().action, action, "{tool} {input}");
    }
}

#[test]
fn the_same_calls_in_other_words() {
    let calls: [(&str, Option<&str>, serde_json::Value, Action); 12] = [
        (
            "codex",
            None,
            json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "apply_patch <<'E'\n*** Begin Patch\n*** Delete File: secrets/a\n*** End Patch\nE" } }),
            Deny,
        ),
        (
            "codex",
            None,
            json!({ "hook_event_name": "PreToolUse", "tool_name": "apply_patch", "tool_input": { "command": "*** Begin Patch\n*** Update File: a\n*** Move to: secrets/a\n*** End Patch" } }),
            Deny,
        ),
        (
            "codex",
            None,
            json!({ "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "git push" } }),
            Deny,
        ),
        (
            "codex",
            None,
            json!({ "hook_event_name": "PermissionRequest", "tool_name": "Bash", "tool_input": { "command": "git push" } }),
            Ask,
        ),
        (
            "codex",
            None,
            json!({ "hook_event_name": "PreToolUse", "agent_type": "reader", "tool_name": "Bash", "tool_input": { "command": "ls" } }),
            Deny,
        ),
        (
            "gemini",
            None,
            json!({ "hook_event_name": "BeforeTool", "tool_name": "run_shell_command", "tool_input": { "command": "> key", "dir_path": "secrets" } }),
            Deny,
        ),
        (
            "gemini",
            None,
            json!({ "hook_event_name": "BeforeTool", "tool_name": "web_fetch", "tool_input": { "prompt": "sum up https://internal.example/a please" } }),
            Deny,
        ),
        (
            "gemini",
            None,
            json!({ "hook_event_name": "BeforeTool", "tool_name": "read_many_files", "tool_input": { "include": ["README.md", ".env"] } }),
            Deny,
        ),
        ("copilot", None, json!({ "toolName": "write_bash", "toolArgs": "{\"input\":\"ls\"}" }), Deny),
        (
            "cursor",
            None,
            json!({ "hook_event_name": "beforeReadFile", "workspace_roots": [], "file_path": ".env" }),
            Deny,
        ),
        ("amp", Some("shell_command"), json!({ "command": "rm x" }), Deny),
        (
            "qwen",
            None,
            json!({ "hook_event_name": "PreToolUse", "tool_name": "run_shell_command", "tool_input": { "command": "git push" } }),
            Ask,
        ),
    ];
    for (name, tool, mut event, action) in calls {
        if name != "amp" {
            event.as_object_mut().unwrap().insert("cwd".to_owned(), "/nowhere/project".into());
        }
        let hook = Hook::new(POLICY).of(tool);
        let done = hook.send(protocol(name), &event.to_string());
        assert_eq!(done.taken, Some(action), "{name} {event}: {:?}", done.ruling);
    }
}

#[test]
fn lines_are_held_to_their_strictest_part() {
    let hook = Hook::new(POLICY);
    let denied = [
        "git status && rm x",
        "git status\nrm x",
        "(rm x)",
        "for f in a b; do rm $f; done",
        "echo $(rm x)",
        "cat <(rm x)",
        "X=1 rm x",
        "/bin/rm x",
        "'rm' x",
        "\\rm x",
        "r\"m\" x",
        "bash -c 'rm x'",
        "eval rm x",
        "f() { rm x; }; f",
        "echo a > secrets/b",
        "cd secrets && echo a >> b",
        "cd secrets; cd ..; echo a > secrets/b",
        "bash -c 'echo a > secrets/b'",
        "cat < .env",
        "echo a > ~/notes",
        "echo 'unfinished",
        "if then",
    ];
    for line in denied {
        assert_eq!(hook.bash(line), Deny, "{line}");
    }
    for line in ["$X x", "$(echo rm) x", "eval $X", "bash -c \"$X\"", "echo a > $X", "cd $X; echo a > b", "git push"] {
        assert_eq!(hook.bash(line), Ask, "{line}");
    }
    for line in ["git status", "echo 'rm x'", "git log > /dev/null 2>&1", "echo a > b", "[ -f x ]", "A=1", "cd docs"] {
        assert_eq!(hook.bash(line), Allow, "{line}");
    }
}

#[test]
fn a_line_that_cannot_be_read_is_denied_where_anything_is() {
    let strictest = |rules: &str| Hook::new(&format!("agent a {{ mode primary; {rules} }}\n")).bash("git 'x");
    assert_eq!(strictest("allow bash"), Allow);
    assert_eq!(strictest("allow bash; ask bash \"git push *\""), Ask);
    assert_eq!(strictest("deny bash \"rm *\"; allow bash"), Allow, "the denial never decides");
    assert_eq!(strictest("allow bash; deny bash \"rm *\""), Deny);
    assert_eq!(strictest("allow bash \"git *\""), Ask, "never by a prefix");
    assert_eq!(strictest("allow bash \"git *\"; deny bash \"rm *\""), Deny);
}

#[test]
fn a_tool_that_nobody_knows_is_never_allowed_by_a_rule_for_all() {
    for protocol in ["claude-code", "codex", "qwen"].map(protocol) {
        let event = json!({ "hook_event_name": "PreToolUse", "cwd": "/nowhere/project", "tool_name": "Teleport", "tool_input": {} });
        let taken = |policy: &str| Hook::new(policy).send(protocol, &event.to_string()).taken;
        assert_ne!(taken("agent a { mode primary; allow * }\n"), Some(Allow));
        assert_eq!(taken("agent a { mode primary; deny *; allow Teleport }\n"), Some(Allow));
        assert_eq!(taken("agent a { mode primary; allow *; deny \"Tele*\" }\n"), Some(Deny));
    }
}

#[test]
fn a_policy_with_words_of_its_own() {
    let hook = Hook::new(
        "permission files { tools Read, Grep; resource path; capability read }
         permission changes { resource path; capability write }
         permission console { tools Bash; resource command; capability exec }
         agent a { mode primary; ask *; allow files; deny files \"private/*\"; deny changes \"docs/*\"; allow console \"git *\"; deny console \"rm *\" }
        ",
    );
    assert_eq!(hook.reads("private/a"), Deny);
    assert_eq!(hook.reads("a"), Allow);
    assert_eq!(hook.bash("git log; rm a"), Deny);
    assert_eq!(hook.bash("git log"), Allow);
    assert_eq!(hook.writes("docs/a"), Deny, "by what it gives");
    assert_eq!(hook.bash("git log > docs/a"), Deny);
    let gives = "permission changes { resource path; capability write }\n";
    let both = |rules: &str| Hook::new(&format!("{gives}agent a {{ mode primary; ask *; allow changes; {rules} }}\n"));
    assert_eq!(both("").writes("a"), Allow, "what the policy calls it");
    assert_eq!(both("deny edit \"a\"").writes("a"), Deny, "what everybody calls it");
    let direct = Hook::new("runtime opencode\nlayer user { deny edit \"docs/*\"; deny Write \"src/*\" }\n");
    assert_eq!(direct.writes("docs/a"), Deny);
    assert_eq!(direct.writes("src/a"), Deny, "a rule for the tool's own name");
    assert_eq!(direct.writes("a"), Allow);
}

#[test]
fn what_is_hidden_is_denied() {
    let hook = Hook::new("runtime opencode\nextend build { deny bash }\n");
    assert_eq!(hook.bash("cd docs"), Deny, "OpenCode would ask nothing for it");
    assert!(hook.call("AskUserQuestion", json!({})).ruling.unwrap().action == Allow);
}

#[test]
fn agents_are_the_events_own_or_refused() {
    let hook = Hook::new(POLICY);
    let by = |agent: &str| {
        let event = json!({ "hook_event_name": "PreToolUse", "cwd": "/nowhere/project", "agent_type": agent, "tool_name": "Write", "tool_input": { "file_path": "a" } });
        hook.send(protocol("claude-code"), &event.to_string())
    };
    assert_eq!(by("a").ruling.unwrap().action, Allow);
    assert_eq!(by("reader").ruling.unwrap().action, Deny);
    let unknown = by("Reader");
    assert_eq!(unknown.ruling.unwrap_err(), "the policy has no agent `Reader`: declare it there");
    assert_eq!(unknown.taken, Some(Deny));
    assert!(
        Hook::new("agent a { mode subagent; allow * }\n").call("Read", json!({ "file_path": "a" })).ruling.is_err()
    );
}

#[test]
fn codex_takes_answers_as_it_was_seen_to() {
    let recorded: serde_json::Value = serde_json::from_str(include_str!("../conformance/codex-hooks.json")).unwrap();
    let codex = protocol("codex");
    for one in recorded["answers"].as_array().unwrap() {
        let text = |key: &str| one[key].as_str().unwrap().to_owned();
        let answer = Answer {
            stdout: text("stdout"),
            stderr: text("stderr"),
            code: one["code"].as_u64().unwrap().try_into().unwrap(),
        };
        let event = Event { name: text("event"), ..Event::default() };
        let stopped = codex.understood(Some(&event), &answer) == Some(Deny);
        match text("id").as_str() {
            // An older shape that is not answered in, and an event that never came.
            "hook-legacy-block" | "permreq-not-asked" => {}
            id => assert_eq!(stopped, text("became") == "forbidden", "{id}"),
        }
    }
}

#[test]
fn settings_on_the_page_are_json() {
    let page = include_str!("../../docs/hooks.md");
    let blocks: Vec<&str> = page.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 7, "one a runtime");
    for (block, protocol) in blocks.iter().zip(PROTOCOLS) {
        let value: serde_json::Value = serde_json::from_str(block).unwrap();
        let text = value.to_string();
        let name = protocol.name();
        assert!(
            text.contains(&format!("policyc hook {name} --policy")) || text.contains("policyc-amp"),
            "{name}: {text}"
        );
    }
    for protocol in PROTOCOLS {
        assert!(page.contains(&format!("policyc hook {} --policy", protocol.name())));
    }
}

/// A runtime that takes every answer for none, but for what it is told.
struct Deaf(Option<Action>);

impl Protocol for Deaf {
    fn name(&self) -> &'static str {
        "deaf"
    }
    fn event(&self, value: &serde_json::Value, variables: Variables<'_>) -> Result<Event, String> {
        protocol("claude-code").event(value, variables)
    }
    fn answer(&self, _: &Event, _: Action, _: &str) -> Answer {
        Answer::default()
    }
    fn refuse(&self, _: &str) -> Answer {
        Answer::default()
    }
    fn understood(&self, _: Option<&Event>, _: &Answer) -> Option<Action> {
        self.0
    }
    fn facts(&self) -> &'static [Fact] {
        &[]
    }
    fn samples(&self) -> &'static [Sample] {
        protocol("claude-code").samples()
    }
}

#[test]
fn the_self_test_can_fail() {
    let own = Hook::new(include_str!("../../src/hook/selftest.policy"));
    let wrong = |taken| {
        let tried = selftest::run(&Deaf(taken), &own.policy(), None, true);
        (tried.iter().filter(|one| one.wrong.is_some()).count(), tried.len())
    };
    assert_eq!(wrong(None), (14, 14), "what is taken for no answer is wrong everywhere");
    assert_eq!(wrong(Some(Allow)), (12, 14), "all but the two samples that are allowed");
    assert_eq!(wrong(Some(Deny)), (4, 14), "all but what is denied or broken");
}
