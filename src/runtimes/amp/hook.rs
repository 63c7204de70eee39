//! Amp's delegated permission: a program that gets the tool's input and answers by its exit code alone.

use crate::rule::Action;
use crate::runtimes::protocol::{
    Answer, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, edits, first_line,
};
use serde_json::Value;

/// Amp's delegate.
#[derive(Debug)]
pub struct Amp;

/// The variable with the tool's name.
const TOOL: &str = "AGENT_TOOL_NAME";

impl Protocol for Amp {
    fn name(&self) -> &'static str {
        "amp"
    }

    fn event(&self, value: &Value, variables: Variables<'_>) -> Result<Event, String> {
        let tool = variables(TOOL).filter(|tool| !tool.is_empty());
        let tool = tool.ok_or_else(|| format!("the variable `{TOOL}` does not say which tool is called"))?;
        let deeds = deeds(&tool, Fields::of("the tool's input", value)?)?;
        Ok(Event { name: "delegate".to_owned(), tool, deeds, ..Event::default() })
    }

    fn answer(&self, _: &Event, action: Action, reason: &str) -> Answer {
        let code = match action {
            Action::Allow => 0,
            Action::Ask => 1,
            Action::Deny => 2,
        };
        Answer { stdout: String::new(), stderr: first_line(reason), code }
    }

    fn refuse(&self, reason: &str) -> Answer {
        self.answer(&Event::default(), Action::Deny, reason)
    }

    fn understood(&self, _: Option<&Event>, answer: &Answer) -> Option<Action> {
        Some(match answer.code {
            0 => Action::Allow,
            1 => Action::Ask,
            _ => Action::Deny,
        })
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
        "Bash" | "shell_command" | "async_shell_command" => {
            Deed::new(Kind::Run, input.one(&["cmd", "command"])?).within(input.any(&["cwd", "workdir"])?)
        }
        "Read" | "look_at" | "view_media" => Deed::new(Kind::Read, input.text("path")?),
        "edit_file" | "create_file" | "undo_edit" | "format_file" => Deed::new(Kind::Edit, input.text("path")?),
        "apply_patch" => return edits(input.one(&["patchText", "input", "patch"])?),
        "glob" | "Glob" => Deed::new(Kind::Find, input.one(&["filePattern", "pattern"])?).within(folder),
        "Grep" => Deed::new(Kind::Search, input.text("pattern")?).within(folder),
        "read_web_page" => Deed::new(Kind::Fetch, input.text("url")?),
        "web_search" => Deed::new(Kind::Query, input.one(&["query", "objective"])?),
        "skill" => Deed::new(Kind::Skill, input.text("name")?),
        "read_mcp_resource" => Deed::resource(input.text("server")?, input.text("uri")?),
        // Agents of its own, each a tool.
        "Task" | "oracle" | "librarian" | "finder" => Deed::new(Kind::Start, tool),
        "todo_write" | "todo_read" | "task_list" => Deed::session("todowrite"),
        _ => Deed::new(Kind::Unknown, tool),
    };
    Ok(vec![deed])
}

static FACTS: [Fact; 5] = [
    Fact::seen("the tool's input on standard input, its name in AGENT_TOOL_NAME", "`amp permissions test`"),
    Fact::seen("exit codes 0, 1 and 2 allow, ask and reject", "`amp permissions test`"),
    Fact::seen("standard error of a rejection is its message", "`amp permissions test`"),
    Fact::seen("a program that is missing rejects", "`amp permissions test`"),
    Fact::read("names and inputs of its tools", "its built-in list, and its documents"),
];

static SAMPLES: [Sample; 6] = [
    Sample {
        title: "runs a command that is allowed",
        event: r#"{"cmd":"git status","cwd":"/policyc-selftest"}"#,
        variables: &[(TOOL, "Bash")],
        gives: Action::Allow,
    },
    Sample {
        title: "runs a denied command in a script",
        event: r#"{"cmd":"bash -c 'rm -rf build'","cwd":"/policyc-selftest"}"#,
        variables: &[(TOOL, "Bash")],
        gives: Action::Deny,
    },
    Sample {
        title: "runs a command that is asked about",
        event: r#"{"cmd":"git push","cwd":"/policyc-selftest"}"#,
        variables: &[(TOOL, "Bash")],
        gives: Action::Ask,
    },
    Sample {
        title: "reads a denied file",
        event: r#"{"path":"/policyc-selftest/.env"}"#,
        variables: &[(TOOL, "Read")],
        gives: Action::Deny,
    },
    Sample {
        title: "creates a file that is allowed",
        event: r#"{"path":"/policyc-selftest/src/a.rs","content":"x"}"#,
        variables: &[(TOOL, "create_file")],
        gives: Action::Allow,
    },
    Sample {
        title: "calls a tool of a server",
        event: r#"{"id":"1"}"#,
        variables: &[(TOOL, "mcp__tracker__delete_issue")],
        gives: Action::Deny,
    },
];
