//! The shape of hooks that Claude Code brought up and others took over.

use super::{Answer, Event, Fields, first_line, json};
use crate::rule::Action;
use serde_json::{Value, json as object};

/// The event `PreToolUse` in Claude Code's shape.
#[derive(Clone, Copy, Debug)]
pub struct Claude<'a> {
    /// All fields.
    pub whole: Fields<'a>,
    /// The event's name.
    pub event: &'a str,
    /// The tool's name.
    pub tool: &'a str,
    /// The tool's input.
    pub input: Fields<'a>,
}

impl<'a> Claude<'a> {
    /// The fields that every such event has.
    pub fn of(value: &'a Value, events: &[&str]) -> Result<Claude<'a>, String> {
        let whole = Fields::of("the event", value)?;
        let event = whole.text("hook_event_name")?;
        if !events.contains(&event) {
            return Err(format!("the event is `{event}`, and only `{}` is answered", events.join("` and `")));
        }
        Ok(Claude { whole, event, tool: whole.text("tool_name")?, input: whole.object("tool_input")? })
    }

    /// What is common to all events, without what the call does.
    pub fn common(&self) -> Result<Event, String> {
        let owned = |field: &str| Ok::<_, String>(self.whole.maybe(field)?.map(str::to_owned));
        Ok(Event {
            name: self.event.to_owned(),
            tool: self.tool.to_owned(),
            deeds: Vec::new(),
            agent: owned("agent_type")?,
            cwd: owned("cwd")?,
            root: None,
            session: owned("session_id")?,
        })
    }

    /// The answer in this shape.
    pub fn answer(action: Action, reason: &str) -> Answer {
        let output = object!({
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": action.word(),
                "permissionDecisionReason": reason,
            }
        });
        Answer { stdout: format!("{output}\n"), ..Answer::default() }
    }

    /// What is made of an answer: by its exit code first.
    pub fn understood(answer: &Answer) -> Option<Action> {
        match answer.code {
            0 => Action::from_word(&json(&answer.stdout, &["hookSpecificOutput", "permissionDecision"])?),
            2 if !answer.stderr.trim().is_empty() => Some(Action::Deny),
            _ => None,
        }
    }
}

/// A refusal by the exit code 2, its reason on standard error.
pub fn exit_two(reason: &str) -> Answer {
    Answer { stderr: first_line(reason), code: 2, ..Answer::default() }
}
