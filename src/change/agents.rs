//! What changed besides decisions: which agents there are, who can choose them, which tools they see, where switches lead.

use super::{Asking, Change, Direction, Fact, FactKind, Open, SwitchChange, ask};
use crate::decide;
use crate::diagnostic::{Witness, WitnessCall};
use crate::language::Budget;
use crate::model::{Agent, Mode, Model, Permission, Switch, Unattended};
use crate::project::Compilation;
use crate::ruleset::{self, Ruleset};
use crate::syntax::ast::Name;

/// Adds the facts about two compilations to what is known of their rules.
pub(super) fn facts(
    old: &Compilation,
    new: &Compilation,
    pairs: &[(&Ruleset, &Ruleset)],
    asking: &Asking<'_>,
    budget: &mut Budget,
    change: &mut Change,
) {
    let mut facts = Facts { old, new, asking, budget, change };
    facts.agents();
    facts.default_agent();
    facts.tools(pairs);
    facts.switches();
    facts.declarations();
}

struct Facts<'a> {
    old: &'a Compilation,
    new: &'a Compilation,
    asking: &'a Asking<'a>,
    budget: &'a mut Budget,
    change: &'a mut Change,
}

impl Facts<'_> {
    /// Adds a fact, or an agent to one that is the same.
    fn push(&mut self, agent: &str, kind: FactKind, direction: Option<Direction>, witness: Option<Witness>) {
        let same = |fact: &&mut Fact| {
            !fact.agents.is_empty() && fact.kind == kind && fact.direction == direction && fact.witness == witness
        };
        match self.change.facts.iter_mut().find(same) {
            Some(fact) => fact.agents.push(agent.to_owned()),
            None => self.change.facts.push(Fact { agents: vec![agent.to_owned()], kind, direction, witness }),
        }
    }

    fn agents(&mut self) {
        let live = |model: &Model, name: &str| model.agents.get(name).is_some_and(|agent| !agent.disabled);
        let (old, new) = (&self.old.model, &self.new.model);
        let held_to = default_name(self.old);
        for agent in new.live_agents() {
            match old.agents.get(&agent.name).filter(|agent| !agent.disabled) {
                Some(before) => self.attributes(before, agent),
                None => {
                    let (direction, witness) = self.held(held_to.as_deref(), &agent.name);
                    // Where there was no agent, one that may little takes nothing away.
                    let direction = direction.filter(|direction| *direction == Direction::Looser);
                    let kind = FactKind::AgentAdded { mode: agent.mode, held_to: held_to.clone() };
                    self.push(&agent.name, kind, direction, witness);
                }
            }
        }
        for agent in old.live_agents().filter(|agent| !live(new, &agent.name)) {
            let disabled = new.agents.contains_key(&agent.name);
            self.push(&agent.name, FactKind::AgentRemoved { disabled }, Some(Direction::Tighter), None);
        }
    }

    fn attributes(&mut self, before: &Agent, after: &Agent) {
        if before.mode != after.mode {
            let kind = FactKind::Mode { before: before.mode, after: after.mode };
            // Who could not choose it before now can: the person, or other agents.
            let direction = if before.mode == Mode::All { Direction::Tighter } else { Direction::Looser };
            self.push(&after.name, kind, Some(direction), None);
        }
        if before.hidden != after.hidden {
            self.push(&after.name, FactKind::Hidden { now: after.hidden }, None, None);
        }
    }

    fn default_agent(&mut self) {
        let (before, after) = (default_name(self.old), default_name(self.new));
        if before == after {
            return;
        }
        let (direction, witness) = match &after {
            Some(after) => self.held(before.as_deref(), after),
            None => (Some(Direction::Tighter), None),
        };
        let agents = after.iter().cloned().collect();
        self.change.facts.push(Fact { agents, kind: FactKind::DefaultAgent { before, after }, direction, witness });
    }

    /// What an agent of the new side can do, held to what one of the old side could: looser, with a call, or not.
    fn held(&mut self, to: Option<&str>, agent: &str) -> (Option<Direction>, Option<Witness>) {
        let theirs = self.new.rulesets.iter().find(|set| set.agent == agent);
        let ours = self.old.rulesets.iter().find(|set| Some(set.agent.as_str()) == to);
        let (Some(ours), Some(theirs)) = (ours, theirs) else { return (Some(Direction::Looser), None) };
        let answers = ask::pair(self.asking, ours, theirs, self.budget);
        let left = answers.open.len() + answers.left + answers.wrong.len();
        let goes = |way| answers.found.iter().find(|found| Direction::of(found.before, found.after) == way);
        if let Some(found) = goes(Direction::Looser) {
            let (permission, resource) = (found.call.key.clone(), found.call.value.clone());
            let call = WitnessCall { agent: agent.to_owned(), permission, resource };
            return (Some(Direction::Looser), Some(Witness { calls: vec![call], decision: found.after.to_string() }));
        }
        if left > 0 {
            self.change.open.push(Open { agent: agent.to_owned(), rule: None, left });
        }
        (goes(Direction::Tighter).map(|_| Direction::Tighter), None)
    }

    fn tools(&mut self, pairs: &[(&Ruleset, &Ruleset)]) {
        let mut tools: Vec<&str> = self.new.model.tools().chain(self.old.model.tools()).collect();
        let mut seen = std::collections::BTreeSet::new();
        tools.retain(|tool| seen.insert(*tool));
        for (old, new) in pairs {
            let views = [(self.old, *old), (self.new, *new)];
            let sees = |tool: &str| {
                views.map(|(side, set)| decide::visible(set, side.model.key_of(tool), side.model.visibility))
            };
            for shown in [true, false] {
                let names: Vec<String> =
                    tools.iter().filter(|tool| sees(tool) == [!shown, shown]).map(|tool| (*tool).to_owned()).collect();
                if !names.is_empty() {
                    self.push(&new.agent, FactKind::Tools { names, shown }, None, None);
                }
            }
        }
    }

    /// What is declared otherwise; of preludes of two versions only what a user's file says.
    fn declarations(&mut self) {
        let (old, new) = (&self.old.model.permissions, &self.new.model.permissions);
        let said = |permission: &Permission| {
            let named = |tools: &[Name]| tools.iter().map(|tool| tool.node.clone()).collect::<Vec<_>>();
            let Permission { resource, capability, delegate, depth, .. } = permission;
            let tools = (named(&permission.tools), named(&permission.asked_by));
            (tools, *resource, *capability, *delegate, *depth)
        };
        let users = |permission: Option<&Permission>| permission.is_some_and(|permission| !permission.prelude);
        let same = self.old.runtime.name() == self.new.runtime.name() && self.old.version == self.new.version;
        let all = new.keys().chain(old.keys().filter(|name| !new.contains_key(*name)));
        let names: Vec<String> = all
            .filter(|name| same || users(old.get(*name)) || users(new.get(*name)))
            .filter(|name| old.get(*name).map(said) != new.get(*name).map(said))
            .cloned()
            .collect();
        if !names.is_empty() {
            let kind = FactKind::Declared { names };
            self.change.facts.push(Fact { agents: Vec::new(), kind, direction: None, witness: None });
        }
    }

    fn switches(&mut self) {
        let (old, new) = (&self.old.model.switches, &self.new.model.switches);
        let mut changes: Vec<(&String, SwitchChange, Option<Direction>)> = Vec::new();
        for (name, after) in new {
            match old.get(name) {
                Some(before) => changes.extend(switch(before, after).into_iter().map(|(what, way)| (name, what, way))),
                None => changes.push((name, SwitchChange::Added, Some(Direction::Looser))),
            }
        }
        let gone = old.keys().filter(|name| !new.contains_key(*name));
        changes.extend(gone.map(|name| (name, SwitchChange::Removed, Some(Direction::Tighter))));
        for (name, what, direction) in changes {
            let kind = FactKind::Switch { name: name.clone(), what };
            self.change.facts.push(Fact { agents: Vec::new(), kind, direction, witness: None });
        }
    }
}

fn default_name(side: &Compilation) -> Option<String> {
    ruleset::default_agent(&side.model).ok().map(|agent| agent.name.clone())
}

fn switch(before: &Switch, after: &Switch) -> Vec<(SwitchChange, Option<Direction>)> {
    let mut out = Vec::new();
    match (&before.confirm, &after.confirm) {
        (Some(_), None) => out.push((SwitchChange::Unconfirmed, Some(Direction::Looser))),
        (None, Some(_)) => out.push((SwitchChange::Confirmed, Some(Direction::Tighter))),
        _ => {}
    }
    match (before.unattended, after.unattended) {
        (Unattended::Stay, Unattended::Switch) => {
            out.push((SwitchChange::UnattendedSwitches, Some(Direction::Looser)));
        }
        (Unattended::Switch, Unattended::Stay) => out.push((SwitchChange::UnattendedStays, Some(Direction::Tighter))),
        _ => {}
    }
    // Another answer or file is neither more nor less; another way to go is one that was not there.
    let leads = |switch: &Switch| (switch.from.clone(), switch.to.clone());
    let asks = |switch: &Switch| (switch.answers.clone(), switch.requires.clone());
    if leads(before) != leads(after) || asks(before) != asks(after) {
        out.push((SwitchChange::Other, (leads(before) != leads(after)).then_some(Direction::Looser)));
    }
    out
}
