//! Gemini CLI's hook `BeforeTool`. Its `ask` asks the person even where Gemini's own policy denies, so it is never given;
//! its `allow` lifts nothing.

use crate::rule::Action;
use crate::runtimes::protocol::{Answer, Deed, Event, Fact, Fields, Kind, Protocol, Sample, Variables, exit_two, json};
use serde_json::{Value, json as object};

/// Gemini CLI's hook.
#[derive(Debug)]
pub struct Gemini;

impl Protocol for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn event(&self, value: &Value, _: Variables<'_>) -> Result<Event, String> {
        let whole = Fields::of("the event", value)?;
        let name = whole.text("hook_event_name")?;
        if name != "BeforeTool" {
            return Err(format!("the event is `{name}`, and only `BeforeTool` is answered"));
        }
        let tool = whole.text("tool_name")?;
        let deeds = match whole.value("mcp_context") {
            Some(context) if !context.is_null() => {
                let context = Fields::of("`mcp_context`", context)?;
                vec![Deed::mcp(context.text("server_name")?, context.maybe("tool_name")?.unwrap_or(tool))]
            }
            _ => deeds(tool, whole.object("tool_input")?)?,
        };
        let owned = |field: &str| Ok::<_, String>(whole.maybe(field)?.map(str::to_owned));
        Ok(Event {
            name: name.to_owned(),
            tool: tool.to_owned(),
            deeds,
            agent: None,
            cwd: owned("cwd")?,
            root: None,
            session: owned("session_id")?,
        })
    }

    fn answer(&self, _: &Event, action: Action, reason: &str) -> Answer {
        let (word, reason) = match action {
            Action::Allow => ("allow", reason.to_owned()),
            Action::Ask => ("deny", format!("{reason}; asking would lift what Gemini itself denies, so it is denied")),
            Action::Deny => ("deny", reason.to_owned()),
        };
        Answer { stdout: format!("{}\n", object!({ "decision": word, "reason": reason })), ..Answer::default() }
    }

    fn refuse(&self, reason: &str) -> Answer {
        exit_two(reason)
    }

    fn understood(&self, _: Option<&Event>, answer: &Answer) -> Option<Action> {
        // Standard output is read first, whatever the exit code, and standard error where that is empty.
        match (answer.stdout.trim(), answer.code) {
            ("", 0 | 1) => None,
            ("", _) => (!answer.stderr.trim().is_empty()).then_some(Action::Deny),
            (text, _) => Action::from_word(&json(text, &["decision"])?),
        }
    }

    fn root_variable(&self) -> Option<&'static str> {
        Some("GEMINI_PROJECT_DIR")
    }

    fn facts(&self) -> &'static [Fact] {
        &FACTS
    }

    fn samples(&self) -> &'static [Sample] {
        &SAMPLES
    }
}

fn deeds(tool: &str, input: Fields<'_>) -> Result<Vec<Deed>, String> {
    let folder = input.any(&["dir_path", "path", "directory"])?;
    let deed = match tool {
        "run_shell_command" => Deed::new(Kind::Run, input.text("command")?).within(folder),
        "read_file" => Deed::new(Kind::Read, input.one(&["file_path", "absolute_path", "path"])?),
        "read_many_files" => return files(input),
        "write_file" | "replace" | "edit" => Deed::new(Kind::Edit, input.text("file_path")?),
        "list_directory" => Deed::new(Kind::List, input.one(&["dir_path", "path"])?),
        "glob" => Deed::new(Kind::Find, input.text("pattern")?).within(folder),
        "grep_search" | "search_file_content" => Deed::new(Kind::Search, input.text("pattern")?).within(folder),
        "web_fetch" => return addresses(input),
        "google_web_search" => Deed::new(Kind::Query, input.text("query")?),
        "invoke_agent" | "delegate_to_agent" => Deed::new(Kind::Start, input.text("agent_name")?),
        "activate_skill" => Deed::new(Kind::Skill, input.text("name")?),
        "write_todos" | "update_topic" | "complete_task" => Deed::session("todowrite"),
        "ask_user" => Deed::session("question"),
        "enter_plan_mode" => Deed::session("plan_enter"),
        "exit_plan_mode" => Deed::session("plan_exit"),
        _ => Deed::new(Kind::Unknown, tool),
    };
    Ok(vec![deed])
}

/// The files of `read_many_files`; a pattern stands for any.
fn files(input: Fields<'_>) -> Result<Vec<Deed>, String> {
    let named: Vec<&str> = [input.texts("include")?, input.texts("paths")?].concat();
    if named.is_empty() {
        return Err("the call names no file".to_owned());
    }
    let read = |path: &&str| match path.contains(['*', '?', '[', '{', '!']) {
        true => Deed::open(Kind::Read),
        false => Deed::new(Kind::Read, *path),
    };
    Ok(named.iter().map(read).collect())
}

/// The URLs in a prompt to `web_fetch`, as the tool finds them: words with a scheme.
fn addresses(input: Fields<'_>) -> Result<Vec<Deed>, String> {
    let url = input.maybe("url")?.into_iter();
    let words = input.maybe("prompt")?.unwrap_or_default().split_whitespace().filter(|word| word.contains("://"));
    let found: Vec<Deed> = url.chain(words).map(|url| Deed::new(Kind::Fetch, url)).collect();
    Ok(if found.is_empty() { vec![Deed::open(Kind::Fetch)] } else { found })
}

static FACTS: [Fact; 6] = [
    Fact::read("the event: fields, `mcp_context` for servers' tools", "the source of 0.61.0"),
    Fact::seen("deny with a reason stops the call", "the hook runner of 0.61.0"),
    Fact::seen("exit code 2 with a text on standard error stops the call", "the hook runner of 0.61.0"),
    Fact::seen("allow decides nothing: Gemini's own policy follows", "the hook runner of 0.61.0"),
    Fact::read("ask lifts a denial of Gemini's own policy; so deny is answered instead", "the source of 0.61.0"),
    Fact::read("which agent calls is not said", "the source of 0.61.0"),
];

static SAMPLES: [Sample; 7] = [
    Sample::new(
        "runs a command that is allowed",
        r#"{"session_id":"s","transcript_path":"","cwd":"/policyc-selftest","hook_event_name":"BeforeTool","timestamp":"2026-01-01T00:00:00.000Z","tool_name":"run_shell_command","tool_input":{"command":"git status"}}"#,
        Action::Allow,
    ),
    Sample::new(
        "runs a denied command in a substitution",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"git log $(rm -rf build)"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "runs a command that is asked about, which would lift denials",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"git push"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "reads a denied file by a relative path",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"BeforeTool","tool_name":"read_file","tool_input":{"file_path":"docs/../.env"}}"#,
        Action::Deny,
    ),
    Sample::new(
        "reads files by a pattern that may hit a denied one",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"BeforeTool","tool_name":"read_many_files","tool_input":{"include":["**/*"]}}"#,
        Action::Deny,
    ),
    Sample::new(
        "writes a file that is allowed",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"BeforeTool","tool_name":"write_file","tool_input":{"file_path":"src/a.rs","content":"x"}}"#,
        Action::Allow,
    ),
    Sample::new(
        "calls a tool of a server",
        r#"{"cwd":"/policyc-selftest","hook_event_name":"BeforeTool","tool_name":"mcp_tracker_delete_issue","tool_input":{},"mcp_context":{"server_name":"tracker","tool_name":"delete_issue"}}"#,
        Action::Deny,
    ),
];
