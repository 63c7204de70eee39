//! Qwen Code's hook `PreToolUse`: Claude Code's shape with tools of its own.

use crate::rule::Action;
use crate::runtimes::protocol::{
    Answer, Claude, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, exit_two,
};
use serde_json::Value;

/// Qwen Code's hook.
#[derive(Debug)]
pub struct Qwen;

impl Protocol for Qwen {
    fn name(&self) -> &'static str {
        "qwen"
    }

    fn event(&self, value: &Value, _: Variables<'_>) -> Result<Event, String> {
        let shape = Claude::of(value, &["PreToolUse"])?;
        Ok(Event { deeds: deeds(shape.tool, shape.input)?, ..shape.common()? })
    }

    fn answer(&self, _: &Event, action: Action, reason: &str) -> Answer {
        Claude::answer(action, reason)
    }

    fn refuse(&self, reason: &str) -> Answer {
        exit_two(reason)
    }

    fn understood(&self, _: Option<&Event>, answer: &Answer) -> Option<Action> {
        Claude::understood(answer)
    }

    fn root_variable(&self) -> Option<&'static str> {
        Some("QWEN_PROJECT_DIR")
    }

    fn facts(&self) -> &'static [Fact] {
        &FACTS
    }

    fn samples(&self) -> &'static [Sample] {
        &SAMPLES
    }
}

fn deeds(tool: &str, input: Fields<'_>) -> Result<Vec<Deed>, String> {
    if let Some(deeds) = Deed::of_server(tool) {
        return Ok(deeds);
    }
    let folder = input.maybe("path")?;
    let deed = match tool {
        "run_shell_command" | "monitor" => {
            Deed::new(Kind::Run, input.text("command")?).within(input.maybe("directory")?)
        }
        "read_file" => Deed::new(Kind::Read, input.one(&["file_path", "absolute_path"])?),
        "write_file" | "edit" => Deed::new(Kind::Edit, input.text("file_path")?),
        "notebook_edit" => Deed::new(Kind::Edit, input.one(&["notebook_path", "file_path"])?),
        "list_directory" => Deed::new(Kind::List, input.text("path")?),
        "glob" => Deed::new(Kind::Find, input.text("pattern")?).within(folder),
        "grep_search" => Deed::new(Kind::Search, input.text("pattern")?).within(folder),
        "web_fetch" => Deed::new(Kind::Fetch, input.text("url")?),
        "web_search" => Deed::new(Kind::Query, input.text("query")?),
        "agent" | "task" => Deed::new(Kind::Start, input.text("subagent_type")?),
        "skill" => Deed::new(Kind::Skill, input.one(&["skill", "name"])?),
        "todo_write" => Deed::session("todowrite"),
        "ask_user_question" => Deed::session("question"),
        "enter_plan_mode" => Deed::session("plan_enter"),
        "exit_plan_mode" => Deed::session("plan_exit"),
        _ => Deed::new(Kind::Unknown, tool),
    };
    Ok(vec![deed])
}

static FACTS: [Fact; 3] = [
    Fact::read(
        "the event: Claude Code's fields, its own tools and `agent_type`",
        "the source of 0.24.4 in part; not run",
    ),
    Fact::read("allow, ask and deny are told apart", "the source of 0.24.4; not run"),
    Fact::read("exit code 2 with a text stops the call, other codes warn and go on", "the source of 0.24.4; not run"),
];

static SAMPLES: [Sample; 5] = [
    Sample::new(
        "runs a command that is allowed",
        r#"{"session_id":"s","cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"git status","is_background":false}}"#,
        Action::Allow,
    ),
    Sample::new(
        "runs a denied command on a line of its own",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"git status\nrm -rf build"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "runs a command that is asked about",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"git push"}}"#,
        Action::Ask,
    ),
    Sample::new(
        "reads a denied file",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"read_file","tool_input":{"file_path":"/policyc-selftest/.env"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "changes a file that is allowed",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"edit","tool_input":{"file_path":"/policyc-selftest/src/a.rs","old_string":"a","new_string":"b"}}"#,
        Action::Allow,
    ),
];
