//! Claude Code's hook `PreToolUse`: JSON in, JSON out. An exit code other than 0 and 2 lets the call go its way.

use crate::rule::Action;
use crate::runtimes::protocol::{
    Answer, Claude, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, exit_two,
};
use serde_json::Value;

/// Claude Code's hook.
#[derive(Debug)]
pub struct ClaudeCode;

/// The agent that is started where a call names none.
const GENERAL: &str = "general-purpose";

impl Protocol for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
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
        Some("CLAUDE_PROJECT_DIR")
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
        "Bash" | "Monitor" => Deed::new(Kind::Run, input.text("command")?),
        "PowerShell" => Deed::open(Kind::Run),
        "Read" => Deed::new(Kind::Read, input.text("file_path")?),
        "Write" | "Edit" | "MultiEdit" => Deed::new(Kind::Edit, input.text("file_path")?),
        "NotebookRead" => Deed::new(Kind::Read, input.text("notebook_path")?),
        "NotebookEdit" => Deed::new(Kind::Edit, input.text("notebook_path")?),
        "LS" => Deed::new(Kind::List, input.text("path")?),
        "Glob" => Deed::new(Kind::Find, input.text("pattern")?).within(folder),
        "Grep" => Deed::new(Kind::Search, input.text("pattern")?).within(folder),
        "WebFetch" => Deed::new(Kind::Fetch, input.text("url")?),
        "WebSearch" => Deed::new(Kind::Query, input.text("query")?),
        "Agent" | "Task" => Deed::new(Kind::Start, input.maybe("subagent_type")?.unwrap_or(GENERAL)),
        "Skill" => Deed::new(Kind::Skill, input.one(&["skill", "command"])?),
        "ReadMcpResourceTool" => Deed::resource(input.text("server")?, input.text("uri")?),
        "TodoWrite" | "TaskCreate" | "TaskUpdate" | "TaskGet" | "TaskList" => Deed::session("todowrite"),
        "AskUserQuestion" => Deed::session("question"),
        "EnterPlanMode" => Deed::session("plan_enter"),
        "ExitPlanMode" => Deed::session("plan_exit"),
        _ => Deed::new(Kind::Unknown, tool),
    };
    Ok(vec![deed])
}

static FACTS: [Fact; 5] = [
    Fact::read("the event: fields, absolute paths, `agent_type` in subagents", "its documents"),
    Fact::read("allow skips the question, but no deny or ask rule of its settings", "its documents"),
    Fact::read("ask asks, also where nothing else would", "its documents"),
    Fact::read("deny, and exit code 2 with a text on standard error, stop the call", "its documents"),
    Fact::read("files named with `@` in a prompt are read without any event", "its documents"),
];

static SAMPLES: [Sample; 8] = [
    Sample::new(
        "runs a command that is allowed",
        r#"{"session_id":"s","transcript_path":"/t","cwd":"/policyc-selftest","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status","description":"d"},"tool_use_id":"u"}"#,
        Action::Allow,
    ),
    Sample::new(
        "runs one of several commands that is denied",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git status && rm -rf build"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "runs a command that is asked about",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push origin main"}}"#,
        Action::Ask,
    ),
    Sample::new(
        "reads a denied file by a long way round",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/policyc-selftest/docs/..//./.env"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "writes a file that is allowed",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/policyc-selftest/src/a.rs","content":"x"}}"#,
        Action::Allow,
    ),
    Sample::new(
        "writes in a subagent that may only read",
        r#"{"cwd":"/policyc-selftest","agent_id":"i","agent_type":"reviewer","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"/policyc-selftest/src/a.rs","content":"x"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "calls a tool of a server",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"mcp__tracker__delete_issue","tool_input":{}}"#,
        Action::Deny,
    ),
    Sample::new(
        "calls a tool that nobody knows",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"PreToolUse","tool_name":"Teleport","tool_input":{}}"#,
        Action::Ask,
    ),
];
