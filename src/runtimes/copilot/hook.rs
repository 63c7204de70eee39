//! GitHub Copilot CLI's hook `preToolUse`. Its events carry no name of their own, and the tool's input as JSON in a text.

use crate::rule::Action;
use crate::runtimes::protocol::{
    Answer, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, edits, first_line, json,
};
use serde_json::{Map, Value, json as object};

/// GitHub Copilot CLI's hook.
#[derive(Debug)]
pub struct Copilot;

impl Protocol for Copilot {
    fn name(&self) -> &'static str {
        "copilot"
    }

    fn event(&self, value: &Value, _: Variables<'_>) -> Result<Event, String> {
        let whole = Fields::of("the event", value)?;
        let tool = whole.text("toolName")?;
        let input = match whole.value("toolArgs") {
            None | Some(Value::Null) => Value::Object(Map::new()),
            Some(Value::String(text)) => {
                serde_json::from_str(text).map_err(|error| format!("`toolArgs` is no JSON: {error}"))?
            }
            Some(other) => other.clone(),
        };
        let input = Fields::of("`toolArgs`", &input)?;
        let owned = |field: &str| Ok::<_, String>(whole.maybe(field)?.map(str::to_owned));
        Ok(Event {
            name: "preToolUse".to_owned(),
            tool: tool.to_owned(),
            deeds: deeds(tool, input)?,
            agent: None,
            cwd: owned("cwd")?,
            root: None,
            session: owned("sessionId")?,
        })
    }

    fn answer(&self, _: &Event, action: Action, reason: &str) -> Answer {
        let output = object!({ "permissionDecision": action.word(), "permissionDecisionReason": reason });
        Answer { stdout: format!("{output}\n"), ..Answer::default() }
    }

    fn refuse(&self, reason: &str) -> Answer {
        // Both ways that are documented: an answer, and a failure.
        let answer = self.answer(&Event::default(), Action::Deny, reason);
        Answer { stderr: first_line(reason), code: 2, ..answer }
    }

    fn understood(&self, _: Option<&Event>, answer: &Answer) -> Option<Action> {
        match answer.code {
            0 => Action::from_word(&json(&answer.stdout, &["permissionDecision"])?),
            _ => Some(Action::Deny),
        }
    }

    fn facts(&self) -> &'static [Fact] {
        &FACTS
    }

    fn samples(&self) -> &'static [Sample] {
        &SAMPLES
    }
}

fn deeds(tool: &str, input: Fields<'_>) -> Result<Vec<Deed>, String> {
    let folder = input.maybe("path")?;
    let deed = match tool {
        "bash" => Deed::new(Kind::Run, input.text("command")?),
        // Another shell, and what is typed into one that runs.
        "powershell" | "write_bash" | "write_powershell" => Deed::open(Kind::Run),
        "view" | "show_file" => Deed::new(Kind::Read, input.text("path")?),
        "create" | "edit" | "str_replace" | "insert" => Deed::new(Kind::Edit, input.text("path")?),
        "str_replace_editor" if input.maybe("command")? == Some("view") => Deed::new(Kind::Read, input.text("path")?),
        "str_replace_editor" => Deed::new(Kind::Edit, input.text("path")?),
        "apply_patch" => return edits(input.one(&["input", "patch", "patchText"])?),
        "glob" => Deed::new(Kind::Find, input.text("pattern")?).within(folder),
        "grep" | "rg" => return searches(input),
        "web_fetch" => Deed::new(Kind::Fetch, input.text("url")?),
        "web_search" => Deed::new(Kind::Query, input.text("query")?),
        "task" => Deed::new(Kind::Start, input.text("agent_type")?),
        "skill" => Deed::new(Kind::Skill, input.one(&["skill", "name"])?),
        "update_todo" | "report_intent" => Deed::session("todowrite"),
        "ask_user" => Deed::session("question"),
        "exit_plan_mode" => Deed::session("plan_exit"),
        // A server's tool is told by its own name: rules know it by that.
        _ => Deed::new(Kind::Unknown, tool),
    };
    Ok(vec![deed])
}

fn searches(input: Fields<'_>) -> Result<Vec<Deed>, String> {
    let search = |folder: Option<&str>| Ok(Deed::new(Kind::Search, input.text("pattern")?).within(folder));
    let folders: Vec<&str> = [input.texts("path")?, input.texts("paths")?].concat();
    if folders.is_empty() {
        return Ok(vec![search(None)?]);
    }
    folders.into_iter().map(|folder| search(Some(folder))).collect()
}

static FACTS: [Fact; 4] = [
    Fact::read(
        "the event: `toolName`, `toolArgs`; names and inputs of its tools",
        "its documents, and reports of users",
    ),
    Fact::read("allow, ask and deny", "its documents"),
    Fact::read("an exit code other than 0 stops the call; a hook that takes too long does not", "its documents"),
    Fact::read("which agent calls, and which server a tool is of, is not said", "its documents"),
];

static SAMPLES: [Sample; 6] = [
    Sample::new(
        "runs a command that is allowed",
        r#"{"timestamp":1764547200000,"cwd":"/policyc-selftest","toolName":"bash","toolArgs":"{\"command\":\"git status\",\"description\":\"d\"}"}"#,
        Action::Allow,
    ),
    Sample::new(
        "runs a denied command behind a pipe",
        r#"{"timestamp":1764547200000,"cwd":"/policyc-selftest","toolName":"bash","toolArgs":"{\"command\":\"git ls-files | rm -f x\"}"}"#,
        Action::Deny,
    ),
    Sample::new(
        "runs a command that is asked about",
        r#"{"timestamp":1764547200000,"cwd":"/policyc-selftest","toolName":"bash","toolArgs":{"command":"git push"}}"#,
        Action::Ask,
    ),
    Sample::new(
        "reads a denied file",
        r#"{"timestamp":1764547200000,"cwd":"/policyc-selftest","toolName":"view","toolArgs":"{\"path\":\"/policyc-selftest/.env\"}"}"#,
        Action::Deny,
    ),
    Sample::new(
        "creates a file that is allowed",
        r#"{"timestamp":1764547200000,"cwd":"/policyc-selftest","toolName":"create","toolArgs":"{\"path\":\"/policyc-selftest/src/a.rs\",\"file_text\":\"x\"}"}"#,
        Action::Allow,
    ),
    Sample::new(
        "calls a tool that nobody knows",
        r#"{"timestamp":1764547200000,"cwd":"/policyc-selftest","toolName":"teleport","toolArgs":"{}"}"#,
        Action::Ask,
    ),
];
