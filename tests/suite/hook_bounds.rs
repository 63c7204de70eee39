//! Hooks are never looser than the policy: no event makes a hook allow what `decide` denies.

use crate::support::compile::{self, of};
use crate::support::hook::{Hook, protocol};
use policyc::decide;
use policyc::hook::Part;
use policyc::rule::Action;
use policyc::runtimes::PROTOCOLS;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A policy for an agent `a`: of OpenCode, whose own way with lines is followed, or of no runtime.
fn policies() -> impl Strategy<Value = String> {
    (rules(), any::<bool>()).prop_map(|(rules, opencode)| match opencode {
        true => format!("runtime opencode\n{rules}"),
        false => rules,
    })
}

fn rules() -> impl Strategy<Value = String> {
    let action = prop_oneof![Just("allow"), Just("ask"), Just("deny")];
    let what = prop_oneof![
        Just("*".to_owned()),
        Just("bash".to_owned()),
        "bash \"(git|rm|ls|cat) (\\*|x|src/\\*)\"",
        "(read|edit) \"(\\*|src/\\*|src/a|\\*\\.env|docs/\\?)\"",
        Just("edit".to_owned()),
        Just("external_directory".to_owned()),
    ];
    let rule = (action, what).prop_map(|(action, what)| format!("{action} {what}"));
    proptest::collection::vec(rule, 0..8)
        .prop_map(|rules| format!("default agent a\nagent a {{ mode primary; {} }}\n", rules.join("; ")))
}

fn part() -> impl Strategy<Value = String> {
    "(git|rm|ls|cat|/bin/rm) (x|src/a|-f x|'a b'|\"y\")".prop_map(|part| part)
}

fn line() -> impl Strategy<Value = (Vec<String>, String)> {
    let parts = proptest::collection::vec(
        (part(), prop_oneof![Just(" && "), Just("; "), Just(" | "), Just("\n"), Just(" & ")]),
        1..5,
    );
    let target = proptest::option::of(prop_oneof![Just("src/a"), Just("b.env"), Just("docs/x"), Just("../y")]);
    (parts, target).prop_map(|(parts, target)| {
        let mut text = String::new();
        for (at, (part, joint)) in parts.iter().enumerate() {
            text.push_str(part);
            text.push_str(if at + 1 == parts.len() { "" } else { joint });
        }
        if let Some(target) = target {
            text.push_str(&format!(" > {target}"));
        }
        (parts.into_iter().map(|(part, _)| part).collect(), text)
    })
}

/// Any value, with the words of the protocols in it more often than chance would have them.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("PreToolUse".to_owned()),
        Just("PermissionRequest".to_owned()),
        Just("BeforeTool".to_owned()),
        Just("preToolUse".to_owned()),
        Just("beforeShellExecution".to_owned()),
        "(Bash|Read|Write|run_shell_command|apply_patch|bash|view|Shell|mcp__a__b)",
        "(/nowhere/project|src/a|git status|ls)",
        any::<String>(),
    ];
    let leaf = prop_oneof![
        4 => text.prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key = prop_oneof![
            "(hook_event_name|tool_name|tool_input|cwd|agent_type|toolName|toolArgs|command|file_path|path|cmd|mcp_context|server_name|workspace_roots)",
            any::<String>(),
        ];
        prop_oneof![
            1 => proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            4 => proptest::collection::vec((key, inner), 0..8).prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

proptest! {
    #[test]
    fn a_line_is_no_looser_than_any_part_of_it(policy in policies(), (parts, text) in line()) {
        let hook = Hook::new(&policy);
        let (_, compiled) = compile::policy(&policy);
        let strictest = decide::strictest(parts.iter().map(|part| decide::decide(of(&compiled, "a"), "bash", part).action));
        let done = hook.call("Bash", json!({ "command": text }));
        prop_assert!(done.taken.unwrap() >= strictest, "{text}: {:?}", done.ruling);
        if let Some((_, target)) = text.split_once(" > ").filter(|(_, target)| !target.starts_with("..")) {
            let written = decide::decide(of(&compiled, "a"), "edit", target).action;
            prop_assert!(done.taken.unwrap() >= written, "{text} writes {target}");
        }
    }

    #[test]
    fn a_path_is_no_looser_than_its_plain_form(policy in policies(), parts in proptest::collection::vec("(src|docs|a|b\\.env|\\.\\.|\\.|)", 1..6)) {
        let hook = Hook::new(&policy);
        let (_, compiled) = compile::policy(&policy);
        let path = parts.join("/");
        prop_assume!(!path.starts_with('/') && !path.is_empty());
        let mut plain: Vec<&str> = Vec::new();
        let mut left = false;
        for part in parts.iter().map(String::as_str).filter(|part| !part.is_empty() && *part != ".") {
            if part == ".." { left |= plain.pop().is_none() } else { plain.push(part) }
        }
        prop_assume!(!left && !plain.is_empty());
        let wanted = decide::decide(of(&compiled, "a"), "read", &plain.join("/")).action;
        prop_assert!(hook.reads(&path) >= wanted, "{path}");
        let wanted = decide::decide(of(&compiled, "a"), "edit", &plain.join("/")).action;
        prop_assert!(hook.writes(&path) >= wanted, "{path}");
    }

    #[test]
    fn the_strictest_of_a_permission_is_no_looser_than_any(policy in policies(), resource in "(git|rm|ls|cat)? ?(x|src/a|b\\.env)?") {
        let hook = Hook::new(&policy);
        for permission in ["bash", "read", "edit", "skill"] {
            let one = hook.policy().decide("a", permission, &resource).action;
            for (begins, _) in resource.char_indices().map(|(at, _)| resource.split_at(at)) {
                let part = Part { begins: begins.to_owned(), inside: permission != "bash" };
                prop_assert!(hook.policy().strictest("a", permission, &part).action >= one, "{begins:?} {resource:?}");
            }
        }
    }

    #[test]
    fn nothing_is_allowed_where_all_is_denied(value in value(), tool in proptest::option::of("(Bash|Read|x)")) {
        let hook = Hook::new("agent a { mode primary; deny * }\n").of(tool.as_deref());
        for protocol in PROTOCOLS {
            prop_assert_eq!(hook.send(protocol, &value.to_string()).taken, Some(Action::Deny), "{} {}", protocol.name(), value);
        }
    }

    #[test]
    fn a_damaged_event_is_refused_or_judged(at in any::<prop::sample::Index>(), which in any::<prop::sample::Index>(), with in value(), cut in any::<prop::sample::Index>()) {
        let hook = Hook::new("agent a { mode primary; deny * }\n").of(Some("Bash"));
        for protocol in PROTOCOLS {
            let sample = protocol.samples()[at.index(protocol.samples().len())];
            let mut event: Value = serde_json::from_str(sample.event).unwrap();
            let fields = event.as_object_mut().unwrap();
            let key = fields.keys().nth(which.index(fields.len())).unwrap().clone();
            fields.insert(key, with.clone());
            prop_assert_eq!(hook.send(protocol, &event.to_string()).taken, Some(Action::Deny));
            let cut = &sample.event[..cut.index(sample.event.len())];
            prop_assert_eq!(hook.send(protocol, cut).taken, Some(Action::Deny));
        }
    }
}

#[test]
fn what_is_allowed_can_be_told_from_what_is_not() {
    // Without this the properties above would hold of a hook that denies everything.
    let hook = Hook::new("agent a { mode primary; allow * }\n");
    let done = hook.call("Bash", json!({ "command": "git status | cat > x" }));
    assert_eq!(done.taken, Some(Action::Allow));
    assert!(hook.send(protocol("codex"), "{}").ruling.is_err());
}
