//! Subagents: a call that starts another agent begins a session of its own, and what that one takes over.

use super::event::{Chosen, Event};
use super::state::{DEEPEST, OpenCall};
use super::{Refusal, Session};
use crate::model::{Delegate, Mode};
use crate::runtimes::Request;

impl Session<'_> {
    /// Why a session may start no other agent.
    pub(super) fn too_deep(&self, session: &str, requests: &[Request]) -> Result<Option<String>, Refusal> {
        let level = self.conversation(session)?.level;
        let depth = self.delegation(requests).map(|(permission, _)| permission.depth.unwrap_or(DEEPEST).min(DEEPEST));
        let deepest = depth.filter(|depth| level >= *depth);
        Ok(deepest.map(|depth| format!("subagents nest {depth} deep, and session `{session}` is at that depth")))
    }

    /// A call that nothing stops starts its agent.
    pub(super) fn start_child(&mut self, id: u64, call: &OpenCall) -> Result<(), Refusal> {
        let name = call.starts.clone().unwrap_or_default();
        if let Some(why) = self.no_child(&name) {
            return self.emit(&call.session, Event::Refused { call: id, why }).map(drop);
        }
        self.emit(&call.session, Event::Ran { call: id })?;
        if let Some(session) = call.resumes.as_ref().filter(|session| self.state.sessions.contains_key(*session)) {
            // It keeps the rules it began with, and gets the agent that is named now.
            return self.change(&session.clone(), &name, Chosen::Agent);
        }
        let bounded = self.is_bounded(call);
        let rules = {
            let parent = self.conversation(&call.session)?;
            self.world.runtime.inherited(&parent.rules, self.world.set(&name)?, self.world.version)
        };
        let session = self.name_of_child(&call.session, &name);
        let from = Some(call.session.clone());
        self.emit(&session, Event::Opened { agent: Some(name), by: Some(id), from, bounded, rules }).map(drop)
    }

    /// Why an agent cannot be started.
    fn no_child(&self, name: &str) -> Option<String> {
        match self.get(name) {
            Err(why) => Some(why.message),
            Ok(agent) if agent.mode == Mode::Primary && !self.world.facts().starts_primary => {
                Some(format!("agent `{name}` is primary: only a person chooses it"))
            }
            Ok(_) => None,
        }
    }

    /// Whether what a call starts may do no more than who starts it. A request that was not asked says so still.
    fn is_bounded(&self, call: &OpenCall) -> bool {
        let key = call.tool.as_deref().map(|tool| self.world.model.key_of(tool));
        let named = key.and_then(|key| self.world.model.permissions.get(key));
        let declared = self.delegation(&call.requests).map(|(permission, _)| permission).or(named);
        declared.is_some_and(|permission| permission.delegate == Some(Delegate::Bounded))
    }

    fn name_of_child(&self, session: &str, agent: &str) -> String {
        let free = |name: &String| !self.state.sessions.contains_key(name);
        let mut names = (1..).map(|number: u64| format!("{session}/{agent}-{number}"));
        names.find(free).unwrap_or_default()
    }
}
