//! What happened, as data: one line of JSON an event.

use super::Refusal;
use crate::rule::Action;
use crate::runtimes::{Approval, Request, SessionRule};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The shape of the log, named in its first event.
pub const SCHEMA: &str = "policyc/session/1";
/// The session that a log begins with.
pub const MAIN: &str = "main";

/// One event of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number: its place in the log, from 0.
    pub id: u64,
    /// The event it follows; `None` for the first one.
    pub parent: Option<u64>,
    /// The session it happened in.
    pub session: String,
    /// What happened.
    pub event: Event,
}

/// What can happen. A call and a request are named by the number of the event that made them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Event {
    /// A log begins, and with it the session `main`.
    Started {
        /// [`SCHEMA`]
        schema: String,
        /// The runtime whose sessions these are.
        runtime: String,
        /// Its version.
        version: String,
        /// Whether a person is there to answer.
        person: bool,
    },
    /// A further session begins.
    Opened {
        /// The agent of a subagent's session.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<String>,
        /// The call that started it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<u64>,
        /// The session of that call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        /// Whether it may do no more than the session that started it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        bounded: bool,
        /// Its own rules, beside those of its agent.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        rules: Vec<SessionRule>,
    },
    /// The session has other tools from now on.
    Offered {
        /// More tools.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tools: Vec<String>,
        /// More tools, which ask nobody.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        silent: Vec<String>,
        /// Tools it does not have.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// An agent takes the session over.
    Selected {
        /// The agent.
        agent: String,
        /// Who chose it.
        by: Chosen,
    },
    /// The session's own rules are these from now on.
    Ruled {
        /// The rules.
        rules: Vec<SessionRule>,
    },
    /// A message for the model.
    Prompted {
        /// The agent that is to act on it.
        agent: String,
        /// Its text.
        text: String,
        /// Whether no person wrote it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        synthetic: bool,
        /// Agents it mentions.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mentions: Vec<String>,
        /// The tools that the model sees with it.
        tools: Vec<String>,
    },
    /// The model calls a tool.
    Called {
        /// The agent.
        agent: String,
        /// The tool; `None`: requests by themselves.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        /// Its input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        input: Option<Value>,
        /// What it asks, in this order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        requests: Vec<Request>,
        /// Parts of its command line that run and are asked by nobody.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        unasked: Vec<String>,
        /// The agent it starts.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        starts: Option<String>,
        /// The session it goes on with instead of a new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resumes: Option<String>,
        /// The path of the file it hands in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Whether it stands in the same message as the call before.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        parallel: bool,
    },
    /// A call runs.
    Ran {
        /// The call.
        call: u64,
    },
    /// A rule denies a call.
    Denied {
        /// The call.
        call: u64,
        /// The permission.
        permission: String,
        /// The resource.
        resource: String,
        /// The rule.
        rule: Ruling,
    },
    /// The model cannot see the tool it calls: nothing runs.
    Hidden {
        /// The call.
        call: u64,
        /// Why.
        why: String,
    },
    /// A call fails for a reason that is no rule.
    Refused {
        /// The call.
        call: u64,
        /// Why.
        why: String,
    },
    /// A call waits for a person's answer.
    Asked {
        /// The call.
        call: u64,
        /// Which of its permissions this is, from 0.
        stage: usize,
        /// The permission.
        permission: String,
        /// The resources.
        resources: Vec<String>,
        /// What "always" lets pass.
        always: Vec<Approval>,
    },
    /// A switch waits for a person's answer.
    Confirm {
        /// The call.
        call: u64,
        /// The question.
        question: String,
        /// The answers it takes: the first approves, the last rejects, the others want changes.
        answers: Vec<String>,
        /// The agent it leads to.
        to: String,
    },
    /// A person answers.
    Answered {
        /// The event that asked.
        request: u64,
        /// The word.
        answer: String,
        /// What the person says with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// An answer is kept.
    Approved {
        /// What it lets pass.
        approvals: Vec<Approval>,
        /// Whether in every session, or in this one.
        everywhere: bool,
    },
    /// A waiting request needs no answer any more: one that was kept covers it.
    Released {
        /// The event that asked.
        request: u64,
    },
    /// A call is rejected.
    Rejected {
        /// The call.
        call: u64,
        /// The event that asked.
        request: u64,
        /// What the model is told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// A call asks, and nobody is there to answer: it does not run, and is not rejected either.
    Unanswered {
        /// The call.
        call: u64,
        /// The permission.
        permission: String,
        /// The resources.
        resources: Vec<String>,
    },
    /// A switch is asked for, and nobody is there to confirm it: it is neither approved nor rejected.
    Recorded {
        /// The call.
        call: u64,
        /// The path of the file that was handed in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        file: Option<String>,
    },
    /// The turn ends: the model waits for the next message of a person.
    Stopped {},
    /// The history goes on from an earlier event, this one's parent.
    Returned {
        /// The answers that are kept now.
        approvals: Vec<Kept>,
    },
    /// A branch goes on from an earlier event, this one's parent; what waited there does not wait here.
    Forked {
        /// The answers that are kept now.
        approvals: Vec<Kept>,
    },
    /// The program was started again: what waited is lost.
    Resumed {
        /// Whether a person is there now.
        person: bool,
        /// The answers that are kept still.
        approvals: Vec<Kept>,
    },
}

/// Who chose an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chosen {
    /// A person, by name or `@name`.
    Person,
    /// Nobody: it is the default.
    Default,
    /// A switch.
    Switch,
    /// Another agent, for a session to go on with.
    Agent,
}

/// A kept answer, and where it counts.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// What it lets pass.
    pub approval: Approval,
    /// The session; `None`: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The rule that decided, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ruling {
    /// Whose rule it is.
    pub agent: String,
    /// The slot of the merge order it stands in; `session` for a rule of the session itself.
    pub slot: String,
    /// What it says.
    pub action: Action,
    /// Of which permissions.
    pub permission: String,
    /// Of which resources.
    pub pattern: String,
    /// What its author said of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Entry {
    /// The line of the log, without its end.
    pub fn line(&self) -> String {
        let mut out = Map::new();
        out.insert("id".to_owned(), self.id.into());
        out.insert("parent".to_owned(), self.parent.into());
        out.insert("session".to_owned(), self.session.as_str().into());
        if let Ok(Value::Object(event)) = serde_json::to_value(&self.event) {
            out.extend(event);
        }
        Value::Object(out).to_string()
    }

    /// The event of a line.
    ///
    /// # Errors
    /// If it is no event, or none that this version of policyc knows.
    pub fn parse(line: &str) -> Result<Entry, Refusal> {
        let wrong = |error: serde_json::Error| Refusal::new(format!("it is no event of a session: {error}"));
        let mut fields: Map<String, Value> = serde_json::from_str(line).map_err(wrong)?;
        let mut take = |name: &str| fields.remove(name);
        let id = take("id").as_ref().and_then(Value::as_u64);
        let parent = take("parent").map(|parent| (parent.is_null(), parent.as_u64()));
        let session = take("session");
        let (Some(id), Some((root, parent)), Some(Value::String(session))) = (id, parent, session) else {
            return Err(Refusal::new("an event has a number `id`, a number or null `parent` and a text `session`"));
        };
        if !root && parent.is_none() {
            return Err(Refusal::new("the `parent` of an event is the number of another, or null"));
        }
        let event = serde_json::from_value(Value::Object(fields)).map_err(wrong)?;
        Ok(Entry { id, parent, session, event })
    }
}
