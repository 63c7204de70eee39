//! Where things stand after some events. Nothing is decided here, so a log can be followed without its policy.

use super::event::{Entry, Event, Kept, MAIN, SCHEMA};
use super::kept::Answers;
use super::log::Log;
use crate::runtimes::{Approval, Request, SessionRule};
use indexmap::IndexMap;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How deep sessions nest at most, where no policy says less: what a session may do can depend on all above it.
pub(super) const DEEPEST: u32 = 100;

/// Where things stand.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Whether a person is there to answer.
    pub person: bool,
    /// The sessions by name, in the order they began.
    pub sessions: IndexMap<String, Conversation>,
    /// Calls that neither ran nor failed yet, by their numbers.
    pub calls: BTreeMap<u64, OpenCall>,
    /// What waits for an answer, by the number of the event that asked.
    pub waiting: BTreeMap<u64, Waiting>,
    /// The answers that are kept.
    pub kept: Answers,
}

/// One session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// Its agent, once one was chosen.
    pub agent: Option<String>,
    /// The session that started it.
    pub from: Option<String>,
    /// How many sessions stand above it.
    pub level: u32,
    /// Whether it may do no more than the one that started it.
    pub bounded: bool,
    /// Its own rules.
    pub rules: Vec<SessionRule>,
    /// Tools it has beside those of every session; with `true` they ask nobody.
    pub tools: BTreeMap<String, bool>,
    /// Tools it does not have.
    pub without: BTreeSet<String>,
    /// Agents that the last message mentions.
    pub mentions: Vec<String>,
    /// Whether its turn has ended before the model was done.
    pub stopped: bool,
    /// The last call of the last message: its tool and its input.
    pub last: Option<(Option<String>, Option<Value>)>,
    /// How many such calls stand in a row in that message.
    pub repeats: usize,
}

/// A call under way.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenCall {
    /// Its session.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// Its tool.
    pub tool: Option<String>,
    /// What it asks.
    pub requests: Vec<Request>,
    /// The agent it starts.
    pub starts: Option<String>,
    /// The session it goes on with.
    pub resumes: Option<String>,
    /// The file it hands in.
    pub file: Option<String>,
}

/// What waits for an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The call.
    pub call: u64,
    /// Its session.
    pub session: String,
    /// What is to be answered.
    pub question: Question,
}

/// What is to be answered.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    /// Whether a call may do what a permission stands for.
    Permission {
        /// Which of the call's permissions it is.
        stage: usize,
        /// The permission.
        permission: String,
        /// The resources.
        resources: Vec<String>,
        /// What "always" lets pass.
        always: Vec<Approval>,
    },
    /// Whether a switch may be made.
    Switch {
        /// The answers it takes.
        answers: Vec<String>,
        /// The agent it leads to.
        to: String,
    },
}

impl State {
    /// The state at the end of a log.
    ///
    /// # Errors
    /// The number of the first event that cannot follow those before it, and why.
    pub fn of(log: &Log) -> Result<State, (u64, String)> {
        let mut state = State::default();
        for entry in log.path() {
            state.apply(entry).map_err(|why| (entry.id, why))?;
        }
        Ok(state)
    }

    /// What an event changes.
    ///
    /// # Errors
    /// Why the event cannot follow; the state is then not to be used any more.
    pub(super) fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        let (id, session) = (entry.id, entry.session.as_str());
        match &entry.event {
            Event::Started { schema, person, .. } => return self.start(entry, schema, *person),
            Event::Opened { agent, from, bounded, rules, .. } => {
                return self.open(session, agent.as_ref(), from.as_deref(), *bounded, rules);
            }
            Event::Returned { approvals } => self.interrupt(approvals, false),
            Event::Forked { approvals } => self.interrupt(approvals, true),
            Event::Resumed { approvals, person } => {
                self.person = *person;
                self.interrupt(approvals, true);
            }
            Event::Approved { approvals, everywhere } => {
                let session = (!everywhere).then(|| session.to_owned());
                let kept = approvals.iter().cloned().map(|approval| Kept { approval, session: session.clone() });
                self.kept.extend(kept);
            }
            Event::Answered { request, .. } | Event::Released { request } => {
                self.waiting.remove(request).ok_or_else(|| format!("no request {request} waits"))?;
            }
            Event::Asked { call, stage, permission, resources, always } => {
                let question = Question::Permission {
                    stage: *stage,
                    permission: permission.clone(),
                    resources: resources.clone(),
                    always: always.clone(),
                };
                return self.wait(id, session, *call, question);
            }
            Event::Confirm { call, answers, to, .. } => {
                return self.wait(id, session, *call, Question::Switch { answers: answers.clone(), to: to.clone() });
            }
            Event::Ran { call }
            | Event::Denied { call, .. }
            | Event::Hidden { call, .. }
            | Event::Refused { call, .. }
            | Event::Rejected { call, .. }
            | Event::Unanswered { call, .. }
            | Event::Recorded { call, .. } => return self.end(*call),
            Event::Selected { .. }
            | Event::Offered { .. }
            | Event::Ruled { .. }
            | Event::Prompted { .. }
            | Event::Called { .. }
            | Event::Stopped {} => {}
        }
        let conversation = self.sessions.get_mut(session).ok_or_else(|| format!("no session `{session}` began"))?;
        conversation.apply(&entry.event);
        if let Event::Called { agent, tool, requests, starts, resumes, file, .. } = &entry.event {
            let call = OpenCall {
                session: session.to_owned(),
                agent: agent.clone(),
                tool: tool.clone(),
                requests: requests.clone(),
                starts: starts.clone(),
                resumes: resumes.clone(),
                file: file.clone(),
            };
            self.calls.insert(id, call);
        }
        Ok(())
    }

    fn start(&mut self, entry: &Entry, schema: &str, person: bool) -> Result<(), String> {
        if schema != SCHEMA {
            return Err(format!("the log has the shape `{schema}`, and this policyc reads `{SCHEMA}`"));
        }
        if entry.parent.is_some() || entry.session != MAIN || !self.sessions.is_empty() {
            return Err(format!("a log starts once, with its first event, in the session `{MAIN}`"));
        }
        self.person = person;
        self.sessions.insert(MAIN.to_owned(), Conversation::default());
        Ok(())
    }

    fn open(
        &mut self,
        session: &str,
        agent: Option<&String>,
        from: Option<&str>,
        bounded: bool,
        rules: &[SessionRule],
    ) -> Result<(), String> {
        let above = |name: &str| self.sessions.get(name).ok_or_else(|| format!("no session `{name}` began"));
        let level = from.map(above).transpose()?.map_or(0, |from| from.level.saturating_add(1));
        if level > DEEPEST || self.sessions.is_empty() || self.sessions.contains_key(session) {
            return Err(format!("the session `{session}` cannot begin here"));
        }
        let from = from.map(str::to_owned);
        let new =
            Conversation { agent: agent.cloned(), from, level, bounded, rules: rules.to_vec(), ..Default::default() };
        self.sessions.insert(session.to_owned(), new);
        Ok(())
    }

    fn wait(&mut self, id: u64, session: &str, call: u64, question: Question) -> Result<(), String> {
        self.open_call(call)?;
        if self.waiting.values().any(|waiting| waiting.call == call) {
            return Err(format!("the call {call} waits already"));
        }
        self.waiting.insert(id, Waiting { call, session: session.to_owned(), question });
        Ok(())
    }

    fn end(&mut self, call: u64) -> Result<(), String> {
        self.open_call(call)?;
        self.calls.remove(&call);
        self.waiting.retain(|_, waiting| waiting.call != call);
        Ok(())
    }

    /// A call that is under way.
    pub(super) fn open_call(&self, call: u64) -> Result<&OpenCall, String> {
        self.calls.get(&call).ok_or_else(|| format!("no call {call} is under way"))
    }

    /// What was going on is lost: all of it, or all but what waits for an answer.
    fn interrupt(&mut self, kept: &[Kept], all: bool) {
        self.kept = Answers::default();
        self.kept.extend(kept.iter().cloned());
        if all {
            self.waiting.clear();
        }
        let waits: BTreeSet<u64> = self.waiting.values().map(|waiting| waiting.call).collect();
        self.calls.retain(|call, _| waits.contains(call));
    }
}

impl Conversation {
    fn apply(&mut self, event: &Event) {
        match event {
            Event::Selected { agent, .. } => self.agent = Some(agent.clone()),
            Event::Ruled { rules } => self.rules.clone_from(rules),
            Event::Offered { tools, silent, without } => {
                let given = tools.iter().map(|tool| (tool, false)).chain(silent.iter().map(|tool| (tool, true)));
                for (tool, silent) in given {
                    self.without.remove(tool);
                    self.tools.insert(tool.clone(), silent);
                }
                self.without.extend(without.iter().cloned());
            }
            Event::Prompted { mentions, synthetic, .. } => {
                // What a person mentioned holds until the next message of a person, and so does the end of a turn.
                if !synthetic {
                    self.mentions.clone_from(mentions);
                    self.stopped = false;
                }
                self.last = None;
            }
            Event::Called { tool, input, parallel, .. } => {
                let call = Some((tool.clone(), input.clone()));
                self.repeats = if *parallel && self.last == call { self.repeats + 1 } else { 1 };
                self.last = call;
            }
            Event::Stopped {} => self.stopped = true,
            _ => {}
        }
    }
}
