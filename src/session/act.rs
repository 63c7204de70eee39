//! What somebody does in a session: the person, the model, or who drives both. What follows from it are events.

use super::event::MAIN;
use crate::runtimes::{Request, SessionRule};
use indexmap::IndexMap;
use serde::Deserialize;
use serde_json::Value;

/// An act. In JSON `do` names it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Act {
    /// A further session beside the others begins.
    Open {
        /// Its name.
        session: String,
        /// Its own rules.
        #[serde(default)]
        rules: Vec<SessionRule>,
    },
    /// The person chooses an agent.
    Select {
        /// Where.
        #[serde(default = "main")]
        session: String,
        /// The agent.
        agent: String,
    },
    /// The session gets tools, or loses some.
    Offer {
        /// Where.
        #[serde(default = "main")]
        session: String,
        /// More tools.
        #[serde(default)]
        tools: Vec<String>,
        /// More tools that ask nobody.
        #[serde(default)]
        silent: Vec<String>,
        /// Tools it does not have.
        #[serde(default)]
        without: Vec<String>,
    },
    /// The person writes a message. `@name` at its head chooses an agent.
    Prompt(Prompt),
    /// The model calls a tool.
    Call(Call),
    /// The person answers.
    Answer {
        /// The event that asked; without it the one that has waited longest.
        #[serde(default)]
        request: Option<u64>,
        /// The word.
        answer: String,
        /// What the person says with it.
        #[serde(default)]
        text: Option<String>,
    },
    /// The history goes on from an earlier event.
    Back {
        /// Its number.
        to: u64,
    },
    /// A branch begins at an earlier event.
    Fork {
        /// Its number; without it the last one.
        #[serde(default)]
        from: Option<u64>,
    },
    /// The program ended and is started again.
    Resume {
        /// Whether a person is there now; without it as before.
        #[serde(default)]
        person: Option<bool>,
    },
}

/// A person's message.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Where.
    #[serde(default = "main")]
    pub session: String,
    /// Its text.
    pub text: String,
    /// The agent it is for, before any `@name`.
    #[serde(default)]
    pub agent: Option<String>,
    /// Agents it mentions.
    #[serde(default)]
    pub mentions: Vec<String>,
    /// Permissions that it switches on or off; they take the place of the session's own rules.
    #[serde(default)]
    pub tools: IndexMap<String, bool>,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Where.
    #[serde(default = "main")]
    pub session: String,
    /// The tool.
    #[serde(default)]
    pub tool: Option<String>,
    /// Its input.
    #[serde(default)]
    pub input: Option<Value>,
    /// What it asks, if the runtime cannot say it.
    #[serde(default)]
    pub requests: Vec<Request>,
    /// Whether it stands in the same message as the call before.
    #[serde(default)]
    pub parallel: bool,
    /// The file it hands in, as it was when it was called.
    #[serde(default)]
    pub file: Option<Submitted>,
}

/// A file that is handed in.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submitted {
    /// Its path in the workspace.
    pub path: String,
    /// Its text.
    pub text: String,
}

fn main() -> String {
    MAIN.to_owned()
}
