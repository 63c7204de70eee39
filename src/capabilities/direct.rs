//! What an agent can bring about by its own calls.

use super::command::Commanding;
use super::{Act, Goal, Step, Way, Ways, World};
use crate::decide;
use crate::language::{Answer, Budget, Call, Paths, Pattern};
use crate::model::{Capability, Family, Permission, ResourceKind};
use crate::reach::Speaking;
use crate::rule::Action;
use crate::ruleset::Ruleset;

/// Requests: a pattern of permissions and one of resources.
pub(super) type Requests = (Pattern, Pattern);

/// Which entries of the catalogue are looked at, by their family and their line.
pub type Entries = fn(Option<Family>, &str) -> bool;

/// How much is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extent {
    /// Every way.
    All,
    /// One way is enough.
    First,
    /// Of the command lines only those of some entries, and of those only what people write; no tools nobody declared.
    Written(Entries),
}

/// A question about one agent's own calls.
pub(super) struct Direct<'w, 'a> {
    pub(super) world: &'w World<'a>,
    pub(super) goal: &'w Goal,
    /// The paths of command lines that the goal is about.
    pub(super) paths: &'w Paths,
    pub(super) set: &'a Ruleset,
    pub(super) extent: Extent,
    pub(super) budget: &'w mut Budget,
    pub(super) found: Ways,
}

impl Direct<'_, '_> {
    pub(super) fn run(mut self) -> Ways {
        self.permissions();
        if !self.done() {
            self.unasked();
        }
        if !self.done() {
            self.commands();
        }
        let written = matches!(self.extent, Extent::Written(_));
        if !self.done() && !self.goal.declared && !written {
            self.undeclared();
        }
        self.found
    }

    pub(super) fn done(&self) -> bool {
        matches!(self.extent, Extent::First) && !self.found.ways.is_empty()
    }

    /// The permissions that are declared to give the capability.
    fn permissions(&mut self) {
        let model = self.world.model;
        for (name, declared) in &model.permissions {
            if declared.capability != Some(self.goal.capability) || self.done() {
                continue;
            }
            match declared.resource {
                ResourceKind::Agent if self.nests(declared) => self.children(name),
                ResourceKind::Agent => {}
                // Switches lead on; the permission alone moves nothing.
                _ if self.goal.capability == Capability::Switch => {}
                kind => self.permission(name, self.tells(kind)),
            }
        }
    }

    /// Whether resources of this kind are what the goal's patterns are about. What tells nothing of them counts as every one.
    fn tells(&self, kind: ResourceKind) -> bool {
        match self.goal.capability {
            Capability::Read | Capability::Write => kind == ResourceKind::Path,
            Capability::Network => kind == ResourceKind::Url,
            Capability::Exec => kind == ResourceKind::Command,
            Capability::Delegate | Capability::Switch => true,
        }
    }

    fn permission(&mut self, name: &str, tells: bool) {
        let key = Pattern::wildcard(name);
        let pairs = |patterns: &[Pattern]| -> Vec<(Pattern, Pattern)> {
            patterns.iter().map(|pattern| (key.clone(), pattern.clone())).collect()
        };
        let everything = || vec![(key.clone(), Pattern::wildcard("*"))];
        let (include, exclude) = match tells {
            true if self.goal.include.is_empty() => (everything(), pairs(&self.goal.except)),
            true => (pairs(&self.goal.include), pairs(&self.goal.except)),
            false => (everything(), Vec::new()),
        };
        // A tool that a pattern of names stands for.
        let named = name.replace("_*", "_tool").replace('*', "");
        let hints = self.world.hints(name).into_iter();
        let plausible = hints.map(|value| Call { key: named.clone(), value });
        let speaking = self.world.tables.speaking(self.set, name);
        if let Some(call) = self.seek(&speaking, (&include, &exclude), plausible) {
            self.push(&call, Act::Permission, None);
        }
    }

    /// Whether the agent is not as deep already as delegation goes.
    fn nests(&self, declared: &Permission) -> bool {
        declared.depth.is_none_or(|depth| self.world.level(self.set) < depth)
    }

    /// The agents that it may start.
    fn children(&mut self, permission: &str) {
        for child in self.world.model.live_agents() {
            let call = Call { key: permission.to_owned(), value: child.name.clone() };
            let among =
                |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(&child.name, self.set.case));
            let asked = (self.goal.include.is_empty() || among(&self.goal.include)) && !among(&self.goal.except);
            if asked && self.goal.counts(self.decide(&call)) && !self.done() {
                self.push(&call, Act::Chain, Some(child.name.clone()));
            }
        }
    }

    /// What the runtime asks nobody about, as long as the model sees the tool.
    fn unasked(&mut self) {
        let model = self.world.model;
        for unasked in self.world.runtime.passing(self.world.version) {
            let shown = decide::visible(self.set, unasked.permission, model.visibility);
            if !shown || !unasked.capabilities.contains(&self.goal.capability) || self.done() {
                continue;
            }
            let line = Commanding::of(unasked.line, self.goal, self.paths);
            if let Some(command) = line.candidates().find(|command| line.is_asked(command)) {
                let call = Call { key: unasked.permission.to_owned(), value: command };
                let mut step = self.step(&call, None);
                (step.action, step.rule) = (Action::Allow, None);
                self.found.ways.push(Way { steps: vec![step], act: Act::Unasked(unasked.why) });
            }
        }
    }

    /// Tools that nobody declared.
    fn undeclared(&mut self) {
        let declared = self.world.model.permissions.keys();
        let exclude: Vec<(Pattern, Pattern)> =
            declared.map(|name| (Pattern::wildcard(name), Pattern::wildcard("*"))).collect();
        let include = [(Pattern::wildcard("?*"), Pattern::wildcard("*"))];
        let plausible = ["server_tool"].map(|key| Call { key: key.to_owned(), value: "*".to_owned() });
        let speaking = self.world.tables.speaking(self.set, "*");
        if let Some(found) = self.seek(&speaking, (&include, &exclude), plausible.into_iter()) {
            // Tools of servers are asked about `*`.
            let usual = Call { value: "*".to_owned(), ..found.clone() };
            let call = if self.goal.counts(self.decide(&usual)) { usual } else { found };
            self.push(&call, Act::Undeclared, None);
        }
    }

    /// A call in `include`, not in `exclude`, that counts: a plausible one, else the shortest.
    pub(super) fn seek(
        &mut self,
        speaking: &Speaking<'_>,
        (include, exclude): (&[Requests], &[Requests]),
        plausible: impl Iterator<Item = Call>,
    ) -> Option<Call> {
        let case = self.set.case;
        let within = |call: &Call, pairs: &[Requests]| {
            pairs.iter().any(|(key, value)| key.matches(&call.key, case) && value.matches(&call.value, case))
        };
        let never = self.world.tables.impossible();
        for call in plausible {
            let asked = within(&call, include) && !within(&call, exclude) && !within(&call, never);
            if asked && self.goal.counts(self.decide(&call)) {
                return Some(call);
            }
        }
        let wanted: Vec<Action> = Action::ALL.into_iter().filter(|action| self.goal.counts(*action)).collect();
        match speaking.find(include, exclude, &wanted, self.budget) {
            Ok(Answer::Yes(call)) => self.replayed(call),
            Ok(Answer::No) => None,
            Ok(Answer::Undecided { states }) => {
                self.found.doubts.push(states);
                None
            }
            Err(_) => {
                self.found.doubts.push(0);
                None
            }
        }
    }

    /// A call that was found to count, if the naive meaning says so too.
    pub(super) fn replayed(&mut self, call: Call) -> Option<Call> {
        if self.goal.counts(self.decide(&call)) {
            return Some(call);
        }
        self.found.wrong.push((self.set.agent.clone(), call));
        None
    }

    pub(super) fn decide(&self, call: &Call) -> Action {
        decide::decide(self.set, &call.key, &call.value).action
    }

    pub(super) fn push(&mut self, call: &Call, act: Act, to: Option<String>) {
        let step = self.step(call, to);
        self.found.ways.push(Way { steps: vec![step], act });
    }

    /// A call as the naive meaning decides it.
    fn step(&self, call: &Call, to: Option<String>) -> Step {
        step(self.set, &call.key, &call.value, to)
    }
}

/// A call of an agent as the naive meaning decides it.
pub(super) fn step(set: &Ruleset, permission: &str, resource: &str, to: Option<String>) -> Step {
    let decision = decide::decide(set, permission, resource);
    Step {
        agent: set.agent.clone(),
        permission: permission.to_owned(),
        resource: resource.to_owned(),
        action: decision.action,
        rule: decision.rule.map(|(at, _)| at),
        to,
        switch: None,
    }
}
