//! Hooks in tests: an event through the judge to what the runtime makes of the answer.

use crate::support::compile;
use policyc::diagnostic::Severity;
use policyc::files::Files;
use policyc::hook::{self, Place, Policy, Ruling};
use policyc::project::Compilation;
use policyc::rule::Action;
use policyc::runtimes::PROTOCOLS;
use policyc::runtimes::protocol::{Answer, Event, Protocol};
use serde_json::{Value, json};

/// A policy, and the workspace that its paths are relative to.
pub(crate) struct Hook {
    files: Files,
    compiled: Compilation,
    pub(crate) root: String,
    tool: Option<String>,
}

/// What became of an event.
pub(crate) struct Done {
    pub(crate) ruling: Result<Ruling, String>,
    pub(crate) answer: Answer,
    /// What the runtime makes of it.
    pub(crate) taken: Option<Action>,
}

pub(crate) fn protocol(name: &str) -> &'static dyn Protocol {
    PROTOCOLS.into_iter().find(|protocol| protocol.name() == name).unwrap()
}

impl Hook {
    pub(crate) fn new(policy: &str) -> Hook {
        let (files, compiled) = compile::policy(policy);
        let errors = compiled.findings.iter().filter(|finding| finding.severity == Severity::Error);
        assert_eq!(errors.map(|finding| &finding.message).collect::<Vec<_>>(), Vec::<&String>::new(), "{policy}");
        Hook { files, compiled, root: "/nowhere/project".to_owned(), tool: None }
    }

    /// The same, in another workspace.
    pub(crate) fn at(self, root: &str) -> Hook {
        Hook { root: root.to_owned(), ..self }
    }

    /// The same, in a workspace that nobody names.
    pub(crate) fn nowhere(self) -> Hook {
        self.at("")
    }

    /// The same, with the tool's name in a variable.
    pub(crate) fn of(self, tool: Option<&str>) -> Hook {
        Hook { tool: tool.map(str::to_owned), ..self }
    }

    pub(crate) fn policy(&self) -> Policy<'_> {
        Policy::of(&self.compiled, &self.files.sources, None)
    }

    pub(crate) fn send(&self, protocol: &dyn Protocol, text: &str) -> Done {
        let variables = |name: &str| match name {
            "AGENT_TOOL_NAME" => self.tool.clone(),
            "HOME" => Some("/home/someone".to_owned()),
            _ => None,
        };
        let event = hook::read(protocol, text.as_bytes(), &variables);
        let judged = |event: &Event| -> Result<Ruling, String> {
            let place =
                Place::of(event, protocol, Some(self.root.as_str()).filter(|root| !root.is_empty()), &variables)?;
            hook::judge(&self.policy(), event, &place, None)
        };
        let ruling = event.as_ref().map_err(String::clone).and_then(judged);
        let event = event.ok();
        let answer = match (&event, &ruling) {
            (Some(event), Ok(ruling)) => protocol.answer(event, ruling.action, &ruling.reason),
            (_, Ok(_)) => unreachable!("nothing is judged without an event"),
            (_, Err(why)) => protocol.refuse(why),
        };
        let taken = protocol.understood(event.as_ref(), &answer);
        Done { ruling, answer, taken }
    }

    /// A call in Claude Code's words.
    pub(crate) fn call(&self, tool: &str, input: Value) -> Done {
        let event =
            json!({ "hook_event_name": "PreToolUse", "cwd": self.root, "tool_name": tool, "tool_input": input });
        self.send(protocol("claude-code"), &event.to_string())
    }

    pub(crate) fn bash(&self, command: &str) -> Action {
        self.call("Bash", json!({ "command": command })).ruling.unwrap().action
    }

    pub(crate) fn reads(&self, path: &str) -> Action {
        self.call("Read", json!({ "file_path": path })).ruling.unwrap().action
    }

    pub(crate) fn writes(&self, path: &str) -> Action {
        self.call("Write", json!({ "file_path": path })).ruling.unwrap().action
    }
}
