//! Codex's hooks. `PreToolUse` can only stop a call: whatever is not a well-formed denial lets it go its way, `ask` and
//! `allow` included. `PermissionRequest` comes where a person is about to be asked, and can answer in the person's place.

use crate::rule::Action;
use crate::runtimes::protocol::{
    Answer, Claude, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, edits, exit_two,
};
use serde_json::{Value, json as object};

/// Codex's hooks.
#[derive(Debug)]
pub struct Codex;

const REQUEST: &str = "PermissionRequest";

impl Protocol for Codex {
    fn name(&self) -> &'static str {
        "codex"
    }

    fn event(&self, value: &Value, _: Variables<'_>) -> Result<Event, String> {
        let shape = Claude::of(value, &["PreToolUse", REQUEST])?;
        Ok(Event { deeds: deeds(shape.tool, shape.input)?, ..shape.common()? })
    }

    fn answer(&self, event: &Event, action: Action, reason: &str) -> Answer {
        match (event.name == REQUEST, action) {
            (false, Action::Allow) => Answer::default(),
            (false, Action::Ask) => {
                Claude::answer(Action::Deny, &format!("{reason}; Codex cannot ask before a tool runs, so it is denied"))
            }
            (false, Action::Deny) => Claude::answer(Action::Deny, reason),
            (true, Action::Allow) => decision(object!({ "behavior": "allow" })),
            // No opinion: the question that is due is asked.
            (true, Action::Ask) => Answer::default(),
            (true, Action::Deny) => decision(object!({ "behavior": "deny", "message": reason })),
        }
    }

    fn refuse(&self, reason: &str) -> Answer {
        exit_two(reason)
    }

    fn understood(&self, event: Option<&Event>, answer: &Answer) -> Option<Action> {
        let request = event.is_some_and(|event| event.name == REQUEST);
        match (answer.code, answer.stdout.trim().is_empty()) {
            (2, _) if !answer.stderr.trim().is_empty() => Some(Action::Deny),
            (0, true) if request => Some(Action::Ask),
            // Nothing stops it, which is what an allowed call needs; its rules and its sandbox still hold.
            (0, true) => event.map(|_| Action::Allow),
            (0, false) if request => said(&answer.stdout, &["hookEventName", "decision"]),
            (0, false) => {
                let keys = ["hookEventName", "permissionDecision", "permissionDecisionReason"];
                said(&answer.stdout, &keys).filter(|action| *action == Action::Deny)
            }
            _ => None,
        }
    }

    fn facts(&self) -> &'static [Fact] {
        &FACTS
    }

    fn samples(&self) -> &'static [Sample] {
        &SAMPLES
    }
}

/// The decision of an answer, if it has a reason where it must and no field that Codex does not know.
fn said(text: &str, known: &[&str]) -> Option<Action> {
    let value: Value = serde_json::from_str(text).ok()?;
    let output = value.get("hookSpecificOutput")?.as_object()?;
    if value.as_object()?.len() != 1 || output.keys().any(|key| !known.contains(&key.as_str())) {
        return None;
    }
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    let (action, reason) = match output.get("decision") {
        Some(decision) => (text(decision.get("behavior")), text(decision.get("message"))),
        None => (text(output.get("permissionDecision")), text(output.get("permissionDecisionReason"))),
    };
    Action::from_word(&action).filter(|action| *action == Action::Allow || !reason.is_empty())
}

fn decision(decision: Value) -> Answer {
    let output = object!({ "hookSpecificOutput": { "hookEventName": REQUEST, "decision": decision } });
    Answer { stdout: format!("{output}\n"), ..Answer::default() }
}

fn deeds(tool: &str, input: Fields<'_>) -> Result<Vec<Deed>, String> {
    if let Some(deeds) = Deed::of_server(tool) {
        return Ok(deeds);
    }
    Ok(match tool {
        "Bash" | "exec_command" | "shell" => {
            let command = input.text("command")?;
            let mut deeds = vec![Deed::new(Kind::Run, command)];
            // A patch may also come as a command line, which Codex applies itself; behind other commands in whatever folder
            // they move to.
            if command.contains("*** Begin Patch") {
                deeds.extend(edits(command)?);
                if !command.trim_start().starts_with("apply_patch") {
                    deeds.push(Deed::open(Kind::Edit));
                }
            }
            deeds
        }
        "apply_patch" => edits(input.text("command")?)?,
        "update_plan" => vec![Deed::session("todowrite")],
        "web_search" => vec![Deed::new(Kind::Query, input.text("query")?)],
        "view_image" => vec![Deed::new(Kind::Read, input.text("path")?)],
        _ => vec![Deed::new(Kind::Unknown, tool)],
    })
}

static FACTS: [Fact; 8] = [
    Fact::seen("PreToolUse: fields of the event, `Bash` and `apply_patch` with the patch as `command`", "0.171.0"),
    Fact::seen("PreToolUse: deny with a reason stops the call", "0.171.0"),
    Fact::seen("PreToolUse: exit code 2 with a text on standard error stops the call", "0.171.0"),
    Fact::seen("PreToolUse: ask is none, the call runs; so deny is answered instead", "0.171.0"),
    Fact::seen("PreToolUse: no answer lets the call go on to its rules and its sandbox", "0.171.0"),
    Fact::seen("PermissionRequest: allow answers the question that is due, where one is", "0.171.0"),
    Fact::seen("PermissionRequest: deny, and exit code 2 with a text, answer it too; no answer asks", "0.171.0"),
    Fact::read("`agent_type` in subagents", "its source; not run"),
];

static SAMPLES: [Sample; 8] = [
    Sample::new(
        "runs a command that is allowed",
        r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","model":"m","permission_mode":"default","tool_name":"Bash","tool_input":{"command":"git status"},"tool_use_id":"u"}"#,
        Action::Allow,
    ),
    Sample::new(
        "runs a denied command",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "runs a command that is asked about, which Codex cannot",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "adds a file in a denied folder by a patch",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** Add File: secrets/key\n+hi\n*** End Patch\n"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "changes a file that is allowed by a patch",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n-a\n+b\n*** End Patch\n"}}"#,
        Action::Allow,
    ),
    Sample::new(
        "asks for permission of an allowed command",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"git status","description":"d"}}"#,
        Action::Allow,
    ),
    Sample::new(
        "asks for permission of a command that is asked about",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"git push"}}"#,
        Action::Ask,
    ),
    Sample::new(
        "asks for permission of a denied command",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}"#,
        Action::Deny,
    ),
];
