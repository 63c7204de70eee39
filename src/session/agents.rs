//! Which agent acts: by name, by `@name` at the head of a message, or the default one.

use super::act::Prompt;
use super::event::{Chosen, Event};
use super::{Refusal, Session};
use crate::model::{Agent, Switch};
use crate::rule::Action;
use crate::ruleset;
use crate::runtimes::SessionRule;

impl Session<'_> {
    /// An agent by its name.
    ///
    /// # Errors
    /// If there is none of that name, with the nearest name; a disabled one counts as none.
    pub fn get(&self, name: &str) -> Result<&Agent, Refusal> {
        let model = self.world.model;
        match model.agents.get(name) {
            Some(agent) if !agent.disabled => Ok(agent),
            found => {
                let what = if found.is_some() { "is disabled" } else { "does not exist" };
                let known = model.live_agents().map(|agent| agent.name.as_str());
                Err(Refusal::new(format!("agent `{name}` {what}")).near(name, known))
            }
        }
    }

    /// The agent that acts where nobody chose one. It is looked for once, and not before it is needed.
    ///
    /// # Errors
    /// If the one that is named does not exist, is a subagent or is hidden; without a name, if no agent can be chosen.
    pub fn default_agent(&self) -> Result<&str, Refusal> {
        let model = self.world.model;
        let found = self.default.get_or_init(|| ruleset::default_agent(model).map(|agent| agent.name.clone()));
        match found {
            Ok(agent) => Ok(agent),
            Err(why) => {
                let named = model.default_agent.as_ref().map_or("", |named| &named.node);
                let can = |agent: &&Agent| agent.selectable() && !agent.hidden;
                let known = model.live_agents().filter(can).map(|agent| agent.name.as_str());
                Err(Refusal::new(why.message(named)).near(named, known))
            }
        }
    }

    /// One that a person may choose.
    fn choose(&self, name: &str) -> Result<&Agent, Refusal> {
        let agent = self.get(name)?;
        if agent.selectable() {
            return Ok(agent);
        }
        let known = self.world.model.live_agents().filter(|agent| agent.selectable() && !agent.hidden);
        let known: Vec<&str> = known.map(|agent| agent.name.as_str()).collect();
        Err(Refusal::new(format!("agent `{name}` is a subagent: only other agents start it"))
            .help(format!("these can be chosen: {}", known.join(", "))))
    }

    pub(super) fn select(&mut self, session: &str, agent: &str) -> Result<(), Refusal> {
        self.conversation(session)?;
        let agent = self.choose(agent)?.name.clone();
        self.nothing_waits(session)?;
        self.change(session, &agent, Chosen::Person)
    }

    /// Refuses what would come between a question and its answer.
    fn nothing_waits(&self, session: &str) -> Result<(), Refusal> {
        let mut waiting = self.state.waiting.iter().filter(|(_, waiting)| waiting.session == session);
        match waiting.next() {
            None => Ok(()),
            Some((request, _)) => Err(Refusal::new(format!("request {request} waits in session `{session}`"))
                .help("answer it first: `reject` lets its call fail, and `cancel` puts a switch aside")),
        }
    }

    /// The agent of a session; the default one takes it over if it has none.
    pub(super) fn acting(&mut self, session: &str) -> Result<String, Refusal> {
        if let Some(agent) = &self.conversation(session)?.agent {
            return Ok(agent.clone());
        }
        let agent = self.default_agent()?.to_owned();
        self.change(session, &agent, Chosen::Default)?;
        Ok(agent)
    }

    /// Another agent takes a session over. Leaving a mode without approval is told to the model, and so is entering one.
    pub(super) fn change(&mut self, session: &str, to: &str, by: Chosen) -> Result<(), Refusal> {
        let from = self.conversation(session)?.agent.clone();
        if from.as_deref() == Some(to) {
            return Ok(());
        }
        self.emit(session, Event::Selected { agent: to.to_owned(), by })?;
        let model = self.world.model;
        let of = |switch: &Switch, agent: Option<&str>| {
            switch.from.as_ref().is_some_and(|name| Some(name.node.as_str()) == agent)
        };
        let switches = || model.switches.values();
        let left = switches().filter(|switch| of(switch, from.as_deref())).filter_map(|switch| switch.leave.clone());
        let entered = switches().filter(|switch| of(switch, Some(to))).filter_map(|switch| switch.enter.clone());
        let approved = by == Chosen::Switch;
        let texts: Vec<String> = left.filter(|_| !approved).chain(entered).collect();
        for text in texts {
            self.tell(session, to, text)?;
        }
        Ok(())
    }

    /// A message to the model that no person wrote.
    pub(super) fn tell(&mut self, session: &str, agent: &str, text: String) -> Result<(), Refusal> {
        let tools = self.tools(session)?;
        let agent = agent.to_owned();
        self.emit(session, Event::Prompted { agent, text, synthetic: true, mentions: Vec::new(), tools }).map(drop)
    }

    pub(super) fn prompt(&mut self, prompt: Prompt) -> Result<(), Refusal> {
        let Prompt { session, text, agent, mut mentions, tools } = prompt;
        self.conversation(&session)?;
        self.nothing_waits(&session)?;
        for name in &mentions {
            self.get(name)?;
        }
        let chosen = match agent {
            Some(agent) => Some(self.choose(&agent)?.name.clone()),
            None => self.named(&text, &mut mentions)?,
        };
        match chosen {
            Some(agent) => self.change(&session, &agent, Chosen::Person)?,
            None => drop(self.acting(&session)?),
        }
        if !tools.is_empty() {
            let action = |on: bool| if on { Action::Allow } else { Action::Deny };
            let rules = tools.iter().map(|(tool, on)| SessionRule::whole(tool, action(*on))).collect();
            self.emit(&session, Event::Ruled { rules })?;
        }
        let agent = self.acting(&session)?;
        let tools = self.tools(&session)?;
        self.emit(&session, Event::Prompted { agent, text, synthetic: false, mentions, tools }).map(drop)
    }

    /// The agent that a text begins with. A subagent is not chosen but mentioned, and a file is no agent.
    fn named(&self, text: &str, mentions: &mut Vec<String>) -> Result<Option<String>, Refusal> {
        let Some(word) = text.trim_start().strip_prefix('@').and_then(|rest| rest.split_whitespace().next()) else {
            return Ok(None);
        };
        let name = word.trim_end_matches([',', ':', ';', '.', '!', '?']);
        let agent = match self.get(name) {
            Ok(agent) => agent,
            Err(_) if name.is_empty() || name.contains(['/', '.', '@']) => return Ok(None),
            Err(why) => return Err(why),
        };
        if agent.selectable() {
            return Ok(Some(agent.name.clone()));
        }
        if !mentions.contains(&agent.name) {
            mentions.push(agent.name.clone());
        }
        Ok(None)
    }
}
