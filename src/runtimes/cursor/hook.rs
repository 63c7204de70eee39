//! Cursor's hooks: `beforeShellExecution`, `beforeMCPExecution`, `beforeReadFile` and `preToolUse`. Only the first two ask.

use crate::rule::Action;
use crate::runtimes::protocol::{
    Answer, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, first_line, json,
};
use serde_json::{Value, json as object};

/// Cursor's hooks.
#[derive(Debug)]
pub struct Cursor;

const SHELL: &str = "beforeShellExecution";
const MCP: &str = "beforeMCPExecution";
const READ: &str = "beforeReadFile";
const TOOL: &str = "preToolUse";

impl Protocol for Cursor {
    fn name(&self) -> &'static str {
        "cursor"
    }

    fn event(&self, value: &Value, _: Variables<'_>) -> Result<Event, String> {
        let whole = Fields::of("the event", value)?;
        let name = whole.text("hook_event_name")?;
        let (tool, deeds) = match name {
            SHELL => ("Shell", vec![Deed::new(Kind::Run, whole.text("command")?)]),
            MCP => (whole.text("tool_name")?, vec![server_tool(whole)?]),
            READ => ("Read", vec![Deed::new(Kind::Read, whole.text("file_path")?)]),
            TOOL => {
                let tool = whole.text("tool_name")?;
                (tool, deeds(tool, whole.object("tool_input")?)?)
            }
            other => {
                return Err(format!(
                    "the event is `{other}`, and only `{SHELL}`, `{MCP}`, `{READ}` and `{TOOL}` are answered"
                ));
            }
        };
        let owned = |field: &str| Ok::<_, String>(whole.maybe(field)?.map(str::to_owned));
        Ok(Event {
            name: name.to_owned(),
            tool: tool.to_owned(),
            deeds,
            agent: None,
            cwd: owned("cwd")?.filter(|cwd| !cwd.is_empty()),
            root: whole.texts("workspace_roots")?.first().map(|root| (*root).to_owned()),
            session: owned("conversation_id")?,
        })
    }

    fn answer(&self, event: &Event, action: Action, reason: &str) -> Answer {
        let (action, reason) = match action {
            Action::Ask if !asks(event) => {
                (Action::Deny, format!("{reason}; Cursor does not ask at `{}`, so it is denied", event.name))
            }
            action => (action, reason.to_owned()),
        };
        let mut output = object!({ "permission": action.word(), "user_message": reason });
        // What is told of reading has no message for the model.
        if let (true, Some(fields)) = (event.name != READ, output.as_object_mut()) {
            fields.insert("agent_message".to_owned(), reason.into());
        }
        Answer { stdout: format!("{output}\n"), ..Answer::default() }
    }

    fn refuse(&self, reason: &str) -> Answer {
        let answer = self.answer(&Event::default(), Action::Deny, reason);
        Answer { stderr: first_line(reason), code: 2, ..answer }
    }

    fn understood(&self, event: Option<&Event>, answer: &Answer) -> Option<Action> {
        match answer.code {
            0 => {
                let action = Action::from_word(&json(&answer.stdout, &["permission"])?)?;
                (action != Action::Ask || event.is_some_and(asks)).then_some(action)
            }
            2 => Some(Action::Deny),
            _ => None,
        }
    }

    fn root_variable(&self) -> Option<&'static str> {
        Some("CURSOR_PROJECT_DIR")
    }

    fn facts(&self) -> &'static [Fact] {
        &FACTS
    }

    fn samples(&self) -> &'static [Sample] {
        &SAMPLES
    }
}

fn asks(event: &Event) -> bool {
    matches!(event.name.as_str(), SHELL | MCP)
}

/// A server is told by the command or the URL it is reached by, if at all, so its tools are known by their own names alone.
fn server_tool(whole: Fields<'_>) -> Result<Deed, String> {
    Ok(match whole.any(&["server_name", "server"])? {
        Some(server) => Deed::mcp(server, whole.text("tool_name")?),
        None => Deed::new(Kind::Unknown, whole.text("tool_name")?),
    })
}

fn deeds(tool: &str, input: Fields<'_>) -> Result<Vec<Deed>, String> {
    let file = || input.one(&["file_path", "path", "target_file"]);
    let folder = input.any(&["path", "target_directory"])?;
    let deed = match tool {
        "Shell" => Deed::new(Kind::Run, input.text("command")?).within(input.any(&["cwd", "working_directory"])?),
        "Read" | "TabRead" => Deed::new(Kind::Read, file()?),
        "Write" | "Edit" | "StrReplace" | "Delete" | "TabWrite" => Deed::new(Kind::Edit, file()?),
        "LS" => Deed::new(Kind::List, input.one(&["path", "target_directory"])?),
        "Glob" => Deed::new(Kind::Find, input.one(&["glob_pattern", "pattern"])?).within(folder),
        "Grep" => Deed::new(Kind::Search, input.text("pattern")?).within(folder),
        "WebFetch" => Deed::new(Kind::Fetch, input.text("url")?),
        "WebSearch" => Deed::new(Kind::Query, input.one(&["search_term", "query"])?),
        "Task" => Deed::new(Kind::Start, input.text("subagent_type")?),
        "TodoWrite" => Deed::session("todowrite"),
        "AskQuestion" => Deed::session("question"),
        _ => Deed::new(Kind::Unknown, tool.strip_prefix("MCP:").unwrap_or(tool)),
    };
    Ok(vec![deed])
}

static FACTS: [Fact; 5] = [
    Fact::read("the events: fields, names and inputs of tools", "its documents, and what users show"),
    Fact::read("allow and deny; ask at beforeShellExecution and beforeMCPExecution", "its documents"),
    Fact::read("ask at preToolUse and beforeReadFile is none; so deny is answered instead", "its documents"),
    Fact::read("exit code 2 stops the call, others do not unless the hook says `failClosed`", "its documents"),
    Fact::read("which agent calls is not said", "its documents"),
];

static SAMPLES: [Sample; 8] = [
    Sample::new(
        "runs a command that is allowed",
        r#"{"conversation_id":"c","generation_id":"g","hook_event_name":"beforeShellExecution","workspace_roots":["/policyc-selftest"],"command":"git status","cwd":"/policyc-selftest"}"#,
        Action::Allow,
    ),
    Sample::new(
        "runs a denied command",
        r#"{"hook_event_name":"beforeShellExecution","workspace_roots":["/policyc-selftest"],"command":"git status; rm -rf build","cwd":""}"#,
        Action::Deny,
    ),
    Sample::new(
        "runs a command that is asked about",
        r#"{"hook_event_name":"beforeShellExecution","workspace_roots":["/policyc-selftest"],"command":"git push","cwd":"/policyc-selftest"}"#,
        Action::Ask,
    ),
    Sample::new(
        "is about to run a command that is asked about, where Cursor cannot ask",
        r#"{"hook_event_name":"preToolUse","workspace_roots":["/policyc-selftest"],"tool_name":"Shell","tool_input":{"command":"git push"},"cwd":"/policyc-selftest"}"#,
        Action::Deny,
    ),
    Sample::new(
        "reads a denied file",
        r#"{"hook_event_name":"beforeReadFile","workspace_roots":["/policyc-selftest"],"file_path":"/policyc-selftest/.env","content":"A=1"}"#,
        Action::Deny,
    ),
    Sample::new(
        "writes a file that is allowed",
        r#"{"hook_event_name":"preToolUse","workspace_roots":["/policyc-selftest"],"tool_name":"Write","tool_input":{"file_path":"/policyc-selftest/src/a.rs","content":"x"}}"#,
        Action::Allow,
    ),
    Sample::new(
        "deletes a file in a denied folder",
        r#"{"hook_event_name":"preToolUse","workspace_roots":["/policyc-selftest"],"tool_name":"Delete","tool_input":{"path":"secrets/key"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "calls a tool of a server that is not said",
        r#"{"hook_event_name":"beforeMCPExecution","workspace_roots":["/policyc-selftest"],"tool_name":"delete_issue","tool_input":"{}","command":"npx tracker"}"#,
        Action::Ask,
    ),
];
