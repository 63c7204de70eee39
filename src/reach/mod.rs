//! Which written rules never decide, or decide nothing that would not be decided the same without them: one analysis
//! that several checks report from, so that each rule is reported once and each exact question is asked once.
//!
//! Only the user's rules are judged. One is at fault only if it is so for every agent that it flows into; the runtime's
//! own hidden agents, which no person meets, are left out. What only a prelude makes needless is not reported: a rule that
//! restates a runtime's default is no mistake.

mod ask;
mod cases;
mod layers;
mod speaking;

pub use speaking::{Speaking, Tables};

use crate::language::{Budget, Call, Entry, Pattern, Table, TooLarge};
use crate::model::Model;
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use crate::runtimes::Runtime;
use crate::source::Span;

/// The colour of what a prelude decides, where only the user's rules are judged.
const PRELUDE: u8 = 3;

/// What the analysis found.
#[derive(Debug, Default)]
pub struct Reach {
    /// Rules at fault, one case a cause, in the order of their first rules.
    pub cases: Vec<Case>,
    /// Rules whose question was too hard for the budget, with the states it took.
    pub undecided: Vec<(Place, usize)>,
    /// Rulesets that the engine cannot number, and why.
    pub too_large: Vec<(Place, String)>,
}

/// A rule of an agent's ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which ruleset.
    pub set: usize,
    /// Which of its rules.
    pub index: usize,
}

impl Place {
    /// The rule; `None` if the rulesets are not those that were analysed.
    pub fn rule(self, sets: &[Ruleset]) -> Option<&Rule> {
        sets.get(self.set)?.rules.get(self.index)
    }
}

/// A rule at fault and a call that it matches, where there is one.
#[derive(Clone, Debug)]
pub struct Fault {
    /// The rule.
    pub at: Place,
    /// The call: of a dead rule one that its author expected it to decide, of a needless one a call that it decides.
    pub call: Option<Call>,
}

/// Rules at fault by one cause.
#[derive(Debug)]
pub struct Case {
    /// What is wrong.
    pub kind: Kind,
    /// The rules, in written order.
    pub rules: Vec<Fault>,
    /// For rules that never decide: of each a minimal set of later rules of the same ruleset that match all its calls. All
    /// these sets were written in the same statements.
    pub cover: Vec<Place>,
    /// Whether one of the rules has another action than a rule that decides instead.
    pub opposed: bool,
    /// Whether this is what was left when enough cases were told one by one: its rules then have other covers than the first.
    pub rest: bool,
}

/// What is wrong with a rule; the order is the order in which they are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// No call can be made that it matches.
    Unmatchable,
    /// A rule of a later layer kills many of earlier ones.
    WipesLayer,
    /// A deny of an earlier layer that a looser rule of a later one kills.
    OverridesDeny,
    /// An exception before the broad rule that it is an exception to.
    Swallowed,
    /// Only several later rules together kill it.
    Union,
    /// One later rule kills it.
    Unreachable,
    /// It stands there twice.
    Duplicate,
    /// `x` beside `x *`, which matches `x` too.
    Mergeable,
    /// It decides, but nothing that would not be decided the same.
    Redundant,
    /// Nothing of its layer changes any decision.
    DeadLayer,
}

impl Reach {
    /// Analyses all rulesets of a policy.
    pub fn of(model: &Model, sets: &[Ruleset], runtime: &dyn Runtime, budget: &mut Budget) -> Reach {
        let impossible = impossible(model, runtime);
        let judged = judged(model, sets);
        let answers = ask::verdicts(sets, &judged, &impossible, budget);
        let mut reach = Reach { too_large: answers.too_large, ..Reach::default() };
        let idle = layers::idle(model, sets, &judged, &answers.verdicts, &impossible, budget);
        cases::sort(model, sets, answers.verdicts, &idle, &mut reach);
        reach
    }

    /// The cases of one kind.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Case> {
        self.cases.iter().filter(move |case| case.kind == kind)
    }
}

/// The rulesets whose agents a person can meet: all but the runtime's hidden ones that no file touches.
pub fn judged(model: &Model, sets: &[Ruleset]) -> Vec<usize> {
    let met = |set: &Ruleset| {
        model.agents.get(&set.agent).is_none_or(|agent| !(agent.prelude && agent.hidden && agent.touched.is_empty()))
    };
    sets.iter().enumerate().filter(|(_, set)| met(set)).map(|(at, _)| at).collect()
}

/// Groups of rulesets, of those named, that are the same but for what a prelude says first.
pub fn alike(sets: &[Ruleset], named: &[usize]) -> Vec<Vec<usize>> {
    ask::suffixes(sets, named).into_iter().map(|suffix| suffix.members).collect()
}

/// Calls that a permission can never be asked, as the engine takes them.
pub fn impossible(model: &Model, runtime: &dyn Runtime) -> Vec<(Pattern, Pattern)> {
    let plain = model.permissions.keys().filter(|name| !name.contains(['*', '?']));
    let pairs = plain
        .flat_map(|name| runtime.impossible(name).into_iter().map(move |pattern| (Pattern::wildcard(name), pattern)));
    pairs.collect()
}

/// The engine's table of rules of a ruleset, in order, coloured by their actions; what none of them matches has the
/// colour of `fallback`.
///
/// # Errors
/// The rules go over a limit of the engine.
pub fn table<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    fallback: u8,
    set: &Ruleset,
    impossible: &[(Pattern, Pattern)],
) -> Result<Table, TooLarge> {
    let entries: Vec<Entry<'_>> =
        rules.map(|rule| Entry { key: &rule.permission, value: &rule.pattern, colour: rule.action.colour() }).collect();
    Table::new(&entries, impossible, fallback, set.case)
}

/// The same where what a prelude says counts as no decision: it has a colour that no action has.
///
/// # Errors
/// The rules go over a limit of the engine.
pub fn users_table<'a>(
    rules: impl Iterator<Item = &'a Rule>,
    set: &Ruleset,
    impossible: &[(Pattern, Pattern)],
) -> Result<Table, TooLarge> {
    let colour = |rule: &Rule| if rule.origin.prelude { PRELUDE } else { rule.action.colour() };
    let entries: Vec<Entry<'_>> =
        rules.map(|rule| Entry { key: &rule.permission, value: &rule.pattern, colour: colour(rule) }).collect();
    Table::new(&entries, impossible, PRELUDE, set.case)
}

/// Whether two rules were written in the same block: the same layer, or the same agent's own rules.
pub fn same_block(a: &Rule, b: &Rule) -> bool {
    a.origin.prelude == b.origin.prelude
        && a.origin.slot == b.origin.slot
        && a.origin.statement.file == b.origin.statement.file
}

/// The number of statements that some rules were written in.
pub fn statements<'a>(rules: impl Iterator<Item = &'a Rule>) -> usize {
    let mut seen: Vec<Span> = rules.map(|rule| rule.origin.statement).collect();
    seen.sort_unstable();
    seen.dedup();
    seen.len()
}
