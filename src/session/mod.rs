//! Sessions: agents chosen, calls decided, answers given, agents switched. A state machine without input and output: acts go
//! in, and what follows from them are events of a log that only grows.
//!
//! A [`Session`] drives all conversations of one project: `main`, those of subagents, and others beside them, because kept
//! answers and waiting requests are shared. It follows the runtime it models, also where that is unsafe; policyc's own sessions,
//! of policies that name no runtime, are safe: no answer lets pass what a rule denies.

mod act;
mod agents;
mod answer;
mod call;
mod child;
mod event;
mod kept;
mod log;
mod refusal;
mod rules;
mod state;
mod switch;
mod time;

pub use act::{Act, Call, Prompt, Submitted};
pub use event::{Chosen, Entry, Event, Kept, MAIN, Ruling, SCHEMA};
pub use kept::Answers;
pub use log::Log;
pub use refusal::Refusal;
pub use state::{Conversation, OpenCall, Question, State, Waiting};

use crate::model::Model;
use crate::ruleset::{NoDefault, Ruleset};
use crate::runtimes::{Environment, Runtime, Sessions, Version};
use std::cell::OnceCell;

/// What sessions run by: a compiled policy.
#[derive(Clone, Debug)]
pub struct World<'a> {
    /// Agents, permissions, switches.
    pub model: &'a Model,
    /// One ruleset an agent.
    pub rulesets: &'a [Ruleset],
    /// The runtime.
    pub runtime: &'static dyn Runtime,
    /// Its version.
    pub version: &'static Version,
    /// The machine, if it is known.
    pub environment: Option<&'a Environment>,
    /// Servers that bring tools of their own, by what the tools' names begin with.
    pub servers: Vec<&'a str>,
}

impl World<'_> {
    /// How its sessions go.
    pub fn facts(&self) -> Sessions {
        self.runtime.sessions(self.version)
    }

    fn set(&self, agent: &str) -> Result<&Ruleset, Refusal> {
        self.rulesets.iter().find(|set| set.agent == agent).ok_or_else(|| {
            let known = self.rulesets.iter().map(|set| set.agent.as_str());
            Refusal::new(format!("agent `{agent}` does not exist")).near(agent, known)
        })
    }
}

/// All sessions of a project.
#[derive(Debug)]
pub struct Session<'a> {
    world: World<'a>,
    log: Log,
    state: State,
    /// Looked for when it is needed first.
    default: OnceCell<Result<String, NoDefault>>,
}

impl<'a> Session<'a> {
    /// A new one. `person`: somebody is there to answer.
    ///
    /// # Errors
    /// Never for an empty log, which this one is.
    pub fn new(world: World<'a>, person: bool) -> Result<Session<'a>, Refusal> {
        let started = Event::Started {
            schema: SCHEMA.to_owned(),
            runtime: world.runtime.name().to_owned(),
            version: world.version.id.to_owned(),
            person,
        };
        let mut session = Session { world, log: Log::default(), state: State::default(), default: OnceCell::new() };
        session.emit(MAIN, started)?;
        Ok(session)
    }

    /// Goes on where a log ends. The program that wrote it has ended, so what waited is lost.
    ///
    /// # Errors
    /// The line of the log that is wrong, from 1, and what is wrong with it.
    pub fn resume(world: World<'a>, log: Log, person: bool) -> Result<Session<'a>, (usize, Refusal)> {
        let at = |id: u64| usize::try_from(id).unwrap_or(usize::MAX).saturating_add(1);
        let whole = State::of(&log).map_err(|(id, why)| (at(id), Refusal::new(why)))?;
        match log.get(0).map(|entry| &entry.event) {
            Some(Event::Started { runtime, version, .. })
                if runtime == world.runtime.name() && version == world.version.id => {}
            Some(Event::Started { runtime, version, .. }) => {
                let (ours, here) = (world.runtime.name(), world.version.id);
                let why = format!("the log is of {runtime} {version}, and the policy is for {ours} {here}");
                return Err((1, Refusal::new(why)));
            }
            _ => return Err((1, Refusal::new("the log does not begin with `started`"))),
        }
        let mut session = Session { world, log, state: whole, default: OnceCell::new() };
        let last = session.log.entries().len();
        session.act(Act::Resume { person: Some(person) }).map_err(|why| (last, why))?;
        Ok(session)
    }

    /// Does something, and gives the events that followed from it.
    ///
    /// # Errors
    /// Why it cannot be done; nothing happened then.
    pub fn act(&mut self, act: Act) -> Result<&[Entry], Refusal> {
        let before = self.log.next();
        if let Err(why) = self.perform(act) {
            if self.log.next() > before {
                self.log.truncate(before);
                self.state = State::of(&self.log).map_err(|(_, why)| Refusal::new(why))?;
            }
            return Err(why);
        }
        let new = usize::try_from(before).ok().and_then(|before| self.log.entries().get(before..));
        Ok(new.unwrap_or_default())
    }

    fn perform(&mut self, act: Act) -> Result<(), Refusal> {
        match act {
            Act::Open { session, rules } => self.begin(&session, rules),
            Act::Select { session, agent } => self.select(&session, &agent),
            Act::Offer { session, tools, silent, without } => {
                self.conversation(&session)?;
                self.emit(&session, Event::Offered { tools, silent, without }).map(drop)
            }
            Act::Prompt(prompt) => self.prompt(prompt),
            Act::Call(call) => self.call(call),
            Act::Answer { request, answer, text } => self.answer(request, &answer, text),
            Act::Back { to } => self.back(to),
            Act::Fork { from } => self.fork(from),
            Act::Resume { person } => self.start_again(person),
        }
    }

    fn begin(&mut self, session: &str, rules: Vec<crate::runtimes::SessionRule>) -> Result<(), Refusal> {
        if session.is_empty() || session.contains('/') {
            return Err(Refusal::new(format!("`{session}` is no name for a session"))
                .help("give it a name without `/`, which stands before the names of subagents' sessions"));
        }
        if self.state.sessions.contains_key(session) {
            return Err(Refusal::new(format!("a session `{session}` began before")).help("give it another name"));
        }
        self.emit(session, Event::Opened { agent: None, by: None, from: None, bounded: false, rules }).map(drop)
    }

    /// Adds an event behind the last one.
    fn emit(&mut self, session: &str, event: Event) -> Result<u64, Refusal> {
        let id = self.log.next();
        let entry = Entry { id, parent: id.checked_sub(1), session: session.to_owned(), event };
        self.push(entry)
    }

    fn push(&mut self, entry: Entry) -> Result<u64, Refusal> {
        let id = entry.id;
        self.state.apply(&entry).map_err(Refusal::new)?;
        self.log.push(entry);
        Ok(id)
    }

    /// What it runs by.
    pub fn world(&self) -> &World<'a> {
        &self.world
    }

    /// All that happened.
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// Where things stand.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn conversation(&self, session: &str) -> Result<&Conversation, Refusal> {
        self.state.sessions.get(session).ok_or_else(|| {
            let known = self.state.sessions.keys().map(String::as_str);
            Refusal::new(format!("there is no session `{session}`")).near(session, known)
        })
    }
}
