//! What an agent can bring about with the help of others.

use super::direct::{Direct, Found};
use super::edges::Hop;
use super::{Act, Doubt, Goal, Step, Way, World};
use crate::language::{Budget, Call};
use crate::model::{Capability, Family, Mode};
use crate::ruleset::Ruleset;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The ways of an agent, and the questions that stayed open.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// The agent's own ways first, then one through each other agent, the shortest chains first.
    pub ways: Vec<Way>,
    /// What the budget did not suffice for. Without any, no way means that there is none.
    pub doubts: Vec<Doubt>,
    /// Calls, by agent, that the engine found and the naive meaning decides otherwise: mistakes of policyc.
    pub wrong: Vec<(String, Call)>,
}

/// Questions about one goal, whose parts are asked once for all agents.
pub struct Closure<'w, 'a> {
    world: &'w World<'a>,
    goal: Goal,
    hops: FxHashMap<&'a str, Vec<Hop>>,
    /// The first way of each agent by its own calls.
    first: FxHashMap<&'a str, Found>,
}

impl<'w, 'a> Closure<'w, 'a> {
    /// Questions about a goal.
    pub fn new(world: &'w World<'a>, goal: Goal) -> Closure<'w, 'a> {
        Closure { world, goal, hops: FxHashMap::default(), first: FxHashMap::default() }
    }

    /// All ways of an agent: each of its own, and one through each agent it can have act.
    pub fn ways(&mut self, who: &str, budget: &mut Budget) -> Ways {
        self.find(who, false, budget)
    }

    /// The ways of an agent by its own calls alone, of the command lines only those of some families,
    /// and of those only what people write.
    pub fn own_ways(&mut self, who: &str, families: &'static [Family], budget: &mut Budget) -> Ways {
        let Some(set) = self.world.set_of(who) else { return Ways::default() };
        let Found { ways, doubts, wrong } = self.question(set, false, Some(families), budget).run();
        Ways { ways, doubts, wrong }
    }

    /// One way of an agent, by the shortest chain, if there is any.
    pub fn first(&mut self, who: &str, budget: &mut Budget) -> Ways {
        self.find(who, true, budget)
    }

    fn find(&mut self, who: &str, first: bool, budget: &mut Budget) -> Ways {
        let Some(set) = self.world.set_of(who) else { return Ways::default() };
        let own = if first { self.own(set, budget).clone() } else { self.ask(set, false, budget) };
        let mut out = Ways { ways: own.ways, doubts: own.doubts, wrong: own.wrong };
        if self.goal.capability == Capability::Switch {
            let ways = self.world.switches(set).filter(|hop| self.goal.counts(hop.step.action));
            out.ways.extend(ways.map(|hop| Way { steps: vec![hop.step], act: Act::Chain }));
        }
        if first && !out.ways.is_empty() {
            out.ways.truncate(1);
            return out;
        }
        self.through_others(set, first, budget, &mut out);
        out
    }

    /// Breadth first, so that the chain to each agent is a shortest one. A switch keeps the session's depth.
    fn through_others(&mut self, set: &'a Ruleset, first: bool, budget: &mut Budget, out: &mut Ways) {
        let starts = self.world.model.agents.get(&set.agent).is_some_and(|agent| agent.mode == Mode::Subagent);
        let mut seen: FxHashSet<&str> = FxHashSet::from_iter([set.agent.as_str()]);
        let mut queue: VecDeque<(&'a Ruleset, u32, Vec<Step>)> = VecDeque::from([(set, u32::from(starts), Vec::new())]);
        while let Some((from, depth, chain)) = queue.pop_front() {
            for hop in self.hops(from) {
                let nests = hop.depth.is_none_or(|limit| limit.is_none_or(|limit| depth < limit));
                let Some(to) = self.world.set_of(&hop.to) else { continue };
                if !nests || !self.goal.counts(hop.step.action) || !seen.insert(&to.agent) {
                    continue;
                }
                let mut steps = chain.clone();
                steps.push(hop.step.clone());
                let found = self.own(to, budget);
                out.doubts.extend(found.doubts.iter().cloned());
                out.wrong.extend(found.wrong.iter().cloned());
                out.ways.extend(found.ways.first().map(|way| way.after(&steps)));
                if first && !out.ways.is_empty() {
                    return;
                }
                queue.push_back((to, depth + u32::from(hop.depth.is_some()), steps));
            }
        }
    }

    fn hops(&mut self, set: &'a Ruleset) -> Vec<Hop> {
        self.hops.entry(&set.agent).or_insert_with(|| self.world.hops(set)).clone()
    }

    /// The first way of an agent by its own calls, asked once.
    fn own(&mut self, set: &'a Ruleset, budget: &mut Budget) -> &Found {
        if !self.first.contains_key(set.agent.as_str()) {
            let found = self.ask(set, true, budget);
            self.first.insert(&set.agent, found);
        }
        self.first.entry(&set.agent).or_default()
    }

    fn ask(&self, set: &'a Ruleset, first: bool, budget: &mut Budget) -> Found {
        self.question(set, first, None, budget).run()
    }

    fn question<'q>(
        &'q self,
        set: &'a Ruleset,
        first: bool,
        families: Option<&'static [Family]>,
        budget: &'q mut Budget,
    ) -> Direct<'q, 'a> {
        Direct { world: self.world, goal: &self.goal, set, first, families, budget, found: Found::default() }
    }
}
