//! What changed between two compilations: for every call there is, not for examples of them.
//!
//! Both may be of another runtime, or of another version of one. An agent that both have is compared with itself; one that
//! is new is held to what the default agent could do before.

mod abilities;
mod agents;
mod ask;
pub mod disagree;
pub mod findings;
mod fold;
pub(crate) mod told;

use crate::decide;
use crate::diagnostic::Witness;
use crate::language::{Budget, Call, List, Pattern};
use crate::model::{Capability, Mode, Model};
use crate::project::Compilation;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::Runtime;

/// Which way a change goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// More passes, or passes without a question.
    Looser,
    /// Less does.
    Tighter,
}

impl Direction {
    /// The way from one decision to another one.
    pub fn of(before: Action, after: Action) -> Direction {
        if after < before { Direction::Looser } else { Direction::Tighter }
    }

    /// Its word in every output.
    pub fn word(self) -> &'static str {
        match self {
            Direction::Looser => "looser",
            Direction::Tighter => "tighter",
        }
    }
}

/// Everything that changed. Nothing in any of its lists: the two are equivalent, which is a theorem.
#[derive(Debug, Default)]
pub struct Change {
    /// Decisions, by the rule responsible, what became looser first.
    pub rules: Vec<RuleChange>,
    /// What is not a matter of one rule: agents, modes, tools in view.
    pub facts: Vec<Fact>,
    /// Questions that stayed open.
    pub open: Vec<Open>,
    /// Answers that the naive meaning does not confirm: mistakes of policyc.
    pub wrong: Vec<Wrong>,
    /// How many agents were compared with each other.
    pub agents: usize,
}

impl Change {
    /// Whether it is proved that nothing changed.
    pub fn is_equivalent(&self) -> bool {
        self.rules.is_empty() && self.facts.is_empty() && self.open.is_empty() && self.wrong.is_empty()
    }

    /// Whether it is proved that something went this way.
    pub fn goes(&self, direction: Direction) -> bool {
        self.rules.iter().any(|change| change.direction() == direction)
            || self.facts.iter().any(|fact| fact.direction == Some(direction))
    }

    /// Whether the answer is not known: a question stayed open, or a proof did not hold.
    pub fn is_undecided(&self) -> bool {
        !self.open.is_empty() || !self.wrong.is_empty()
    }
}

/// Calls whose decision changed, by one rule, in one way.
#[derive(Clone, Debug)]
pub struct RuleChange {
    /// Who makes them, in the order of declaration. The call below shows it for each of them.
    pub agents: Vec<String>,
    /// The side that the rule is written on.
    pub list: List,
    /// The rule responsible: on the new side the one that decides there and that the old side does not have (there); on the
    /// old side one that decided there and that the new side does not have (there).
    pub rule: Rule,
    /// What decides the call on the other side; `None`: no rule matches.
    pub instead: Option<Rule>,
    /// What became of the calls.
    pub before: Action,
    /// What becomes of them.
    pub after: Action,
    /// One of them: a plausible one, or a shortest.
    pub call: Call,
    /// The declared permissions of which there are such calls.
    pub permissions: Vec<String>,
    /// Whether there are also some of permissions that nothing declares, like those of MCP tools.
    pub undeclared: bool,
}

impl RuleChange {
    /// Which way it goes.
    pub fn direction(&self) -> Direction {
        Direction::of(self.before, self.after)
    }

    /// The rule that decides on the new side; `None`: no rule matches.
    pub fn decides_now(&self) -> Option<&Rule> {
        if self.list == List::New { Some(&self.rule) } else { self.instead.as_ref() }
    }

    /// The rule that decided on the old side; `None`: no rule matched.
    pub fn decided_before(&self) -> Option<&Rule> {
        if self.list == List::Old { Some(&self.rule) } else { self.instead.as_ref() }
    }
}

/// A change that no single rule is responsible for.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The agents it is about, in the order of declaration.
    pub agents: Vec<String>,
    /// What changed.
    pub kind: FactKind,
    /// Which way it goes; `None`: neither, by itself.
    pub direction: Option<Direction>,
    /// The calls that show it, where calls can.
    pub witness: Option<Witness>,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactKind {
    /// An agent that was not there, or was disabled.
    AgentAdded {
        /// Who can choose it.
        mode: Mode,
        /// The agent of the old side whose rules it is held to; `None`: there was no default agent.
        held_to: Option<String>,
    },
    /// An agent that is gone, or disabled.
    AgentRemoved {
        /// Whether it is only disabled.
        disabled: bool,
    },
    /// The agent that a session starts with.
    DefaultAgent {
        /// Before; `None`: there was none.
        before: Option<String>,
        /// Now.
        after: Option<String>,
    },
    /// Who can choose an agent.
    Mode {
        /// Before.
        before: Mode,
        /// Now.
        after: Mode,
    },
    /// Whether an agent is left out of menus.
    Hidden {
        /// Whether it is so now.
        now: bool,
    },
    /// Tools that the model sees, or no longer sees.
    Tools {
        /// The tools, or the permission of an undeclared one.
        names: Vec<String>,
        /// Whether it sees them now.
        shown: bool,
    },
    /// Permissions of which something else is declared: their tools, what their resources are, what they give.
    Declared {
        /// The permissions.
        names: Vec<String>,
    },
    /// Something that an agent can bring about on one side only, over every way that is known.
    Ability {
        /// What.
        capability: Capability,
        /// The permission of the first call of the way.
        through: String,
        /// Whether it is so now, or was.
        now: bool,
    },
    /// A tool that moves the session to another agent.
    Switch {
        /// Its name.
        name: String,
        /// What of it.
        what: SwitchChange,
    },
}

/// What changed about a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It no longer asks a person first.
    Unconfirmed,
    /// It asks a person first now.
    Confirmed,
    /// It leads from or to other agents, or asks for another file or other answers.
    Other,
    /// Without a person it switches now.
    UnattendedSwitches,
    /// Without a person it stays now.
    UnattendedStays,
}

/// A question that the budget did not suffice for.
#[derive(Clone, Debug)]
pub struct Open {
    /// The agent.
    pub agent: String,
    /// The rule it was about, with its side; `None`: all rules that were left.
    pub rule: Option<(List, Rule)>,
    /// How many changed rules were left.
    pub left: usize,
}

/// A call that the engine and the naive meaning decide differently.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// The agent.
    pub agent: String,
    /// The rule it was about.
    pub rule: Rule,
    /// The call.
    pub call: Call,
}

/// What is compared, and in which directions.
pub(crate) struct Asking<'a> {
    /// The new side, for plausible calls.
    pub(crate) model: &'a Model,
    pub(crate) runtime: &'a dyn Runtime,
    /// Plainly declared permissions of both sides.
    pub(crate) names: Vec<String>,
    /// Calls that neither side makes.
    pub(crate) impossible: Vec<(Pattern, Pattern)>,
    /// Only what became looser.
    pub(crate) looser_only: bool,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(old: &Compilation, new: &'a Compilation, looser_only: bool) -> Asking<'a> {
        let mut names: Vec<String> = Vec::new();
        for name in new.model.permissions.keys().chain(old.model.permissions.keys()) {
            if !name.contains(['*', '?']) && !names.contains(name) {
                names.push(name.clone());
            }
        }
        let theirs = reach::impossible(&new.model, new.runtime);
        let mut impossible = reach::impossible(&old.model, old.runtime);
        impossible.retain(|call| theirs.contains(call));
        Asking { model: &new.model, runtime: new.runtime, names, impossible, looser_only }
    }
}

/// Compares two compilations. Their places may be in the same files or in others, but in one map.
pub fn compare(old: &Compilation, new: &Compilation, budget: &mut Budget) -> Change {
    let asking = Asking::new(old, new, false);
    let pairs: Vec<(&Ruleset, &Ruleset)> = new
        .rulesets
        .iter()
        .filter_map(|set| Some((old.rulesets.iter().find(|old| old.agent == set.agent)?, set)))
        .collect();
    let mut change = fold::pairs(&asking, &pairs, budget);
    change.agents = pairs.len();
    agents::facts(old, new, &pairs, &asking, budget, &mut change);
    abilities::facts(old, new, &pairs, budget, &mut change);
    change
}

/// The action of a place in a ruleset, or what becomes of a request that no rule matches.
fn action(set: &Ruleset, place: Option<usize>) -> Action {
    place.and_then(|place| set.rules.get(place)).map_or(decide::FALLBACK, |rule| rule.action)
}
