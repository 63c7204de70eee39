//! What an agent can bring about with the help of others.

use super::direct::{Direct, Entries, Extent};
use super::edges::Hop;
use super::{Act, Goal, Step, Way, World};
use crate::language::{Budget, Call};
use crate::model::Capability;
use crate::ruleset::Ruleset;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;

/// The ways of an agent, and the questions that stayed open.
#[derive(Clone, Debug, Default)]
pub struct Ways {
    /// The agent's own ways first, then one through each other agent, the shortest chains first.
    pub ways: Vec<Way>,
    /// Questions that the budget did not suffice for, each with the states that were spent on it. Without any, no way means
    /// that none is known.
    pub doubts: Vec<usize>,
    /// Calls, by agent, that the engine found and the naive meaning decides otherwise: mistakes of policyc.
    pub wrong: Vec<(String, Call)>,
}

/// Questions about one goal, whose parts are asked once for all agents.
pub struct Closure<'w, 'a> {
    world: &'w World<'a>,
    goal: Goal,
    hops: FxHashMap<&'a str, Rc<[Hop]>>,
    /// The first way of each agent by its own calls.
    first: FxHashMap<&'a str, Ways>,
}

impl<'w, 'a> Closure<'w, 'a> {
    /// Questions about a goal.
    pub fn new(world: &'w World<'a>, goal: Goal) -> Closure<'w, 'a> {
        Closure { world, goal, hops: FxHashMap::default(), first: FxHashMap::default() }
    }

    /// All ways of an agent: each of its own, and one through each agent it can have act.
    pub fn ways(&mut self, who: &str, budget: &mut Budget) -> Ways {
        self.find(who, Extent::All, budget)
    }

    /// The ways of an agent by its own calls alone, tools nobody declared left out; of the command lines only those of some
    /// entries, and of those only what people write.
    pub fn own_ways(&mut self, who: &str, entries: Entries, budget: &mut Budget) -> Ways {
        let Some(set) = self.world.set_of(who) else { return Ways::default() };
        self.ask(set, Extent::Written(entries), budget)
    }

    /// One way of an agent, by the shortest chain, if there is any.
    pub fn first(&mut self, who: &str, budget: &mut Budget) -> Ways {
        self.find(who, Extent::First, budget)
    }

    fn find(&mut self, who: &str, extent: Extent, budget: &mut Budget) -> Ways {
        let Some(set) = self.world.set_of(who) else { return Ways::default() };
        let first = matches!(extent, Extent::First);
        let mut out = if first { self.own(set, budget).clone() } else { self.ask(set, extent, budget) };
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

    /// Breadth first, so that the chain to each agent is a shortest one. A switch keeps the session's depth; who is reached
    /// again less deep may start others that it could not start before.
    fn through_others(&mut self, set: &'a Ruleset, first: bool, budget: &mut Budget, out: &mut Ways) {
        let deepest = self.world.model.permissions.values().filter_map(|declared| declared.depth).max().unwrap_or(0);
        let start = self.world.level(set).min(deepest);
        let mut seen: FxHashSet<(&str, u32)> = FxHashSet::from_iter([(set.agent.as_str(), start)]);
        let mut told: FxHashSet<&str> = FxHashSet::from_iter([set.agent.as_str()]);
        let mut queue: VecDeque<(&'a Ruleset, u32, Vec<Step>)> = VecDeque::from([(set, start, Vec::new())]);
        while let Some((from, depth, chain)) = queue.pop_front() {
            for hop in self.hops(from).iter() {
                let nests = hop.depth.is_none_or(|limit| limit.is_none_or(|limit| depth < limit));
                let to = hop.step.to.as_deref().and_then(|to| self.world.set_of(to));
                let Some(to) = to.filter(|_| nests && self.goal.counts(hop.step.action)) else { continue };
                // Deeper than every limit is as deep as the deepest.
                let next = if hop.depth.is_some() { (depth + 1).min(deepest) } else { depth };
                if !seen.insert((&to.agent, next)) {
                    continue;
                }
                let steps: Vec<Step> = chain.iter().chain([&hop.step]).cloned().collect();
                if told.insert(&to.agent) {
                    let found = self.own(to, budget);
                    out.doubts.extend_from_slice(&found.doubts);
                    out.wrong.extend_from_slice(&found.wrong);
                    out.ways.extend(found.ways.first().map(|way| way.after(&steps)));
                }
                if first && !out.ways.is_empty() {
                    return;
                }
                queue.push_back((to, next, steps));
            }
        }
    }

    fn hops(&mut self, set: &'a Ruleset) -> Rc<[Hop]> {
        Rc::clone(self.hops.entry(&set.agent).or_insert_with(|| self.world.hops(set).into()))
    }

    /// The first way of an agent by its own calls, asked once.
    fn own(&mut self, set: &'a Ruleset, budget: &mut Budget) -> &Ways {
        if !self.first.contains_key(set.agent.as_str()) {
            let found = self.ask(set, Extent::First, budget);
            self.first.insert(&set.agent, found);
        }
        self.first.entry(&set.agent).or_default()
    }

    fn ask(&self, set: &'a Ruleset, extent: Extent, budget: &mut Budget) -> Ways {
        let paths = &self.goal.paths(set.case);
        Direct { world: self.world, goal: &self.goal, paths, set, extent, budget, found: Ways::default() }.run()
    }
}
