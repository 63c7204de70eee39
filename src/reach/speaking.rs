//! The rules of a ruleset that speak of one permission, and their table: made when it is first asked, for all that ask.

use super::{impossible, table};
use crate::decide::{Decision, FALLBACK};
use crate::language::{Answer, Budget, Call, Colours, Pattern, Table, TooLarge};
use crate::model::Model;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::Runtime;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// A table remembers the expressions it was asked about; one that knows more than this of them is made anew, since there is
/// room for some thousands.
const LEARNT: usize = 2_000;

/// What an agent's rules say of one permission.
pub struct Speaking<'a> {
    /// All its rules.
    pub set: &'a Ruleset,
    /// The permission; `*` stands for all of them.
    pub permission: Box<str>,
    /// Those that speak of it, in deciding order.
    pub rules: Vec<&'a Rule>,
    /// Where they stand in the ruleset.
    places: Vec<usize>,
    /// Calls of it that can never be made.
    never: Vec<(Pattern, Pattern)>,
    table: OnceCell<Result<RefCell<Table>, TooLarge>>,
}

impl<'a> Speaking<'a> {
    /// The rules that a user wrote, in deciding order.
    pub fn users(&self) -> Vec<&'a Rule> {
        self.rules.iter().copied().filter(|rule| !rule.origin.prelude).collect()
    }

    /// What [`decide`](crate::decide::decide) says of a request.
    pub fn decide(&self, resource: &str) -> Decision<'a> {
        let rule = self.last(resource, |_| true);
        Decision { action: rule.map_or(FALLBACK, |(_, rule)| rule.action), rule }
    }

    /// The rule that decides a request.
    pub fn decider(&self, resource: &str) -> Option<&'a Rule> {
        self.decide(resource).rule.map(|(_, rule)| rule)
    }

    /// The rule that would decide a request if one were not there.
    pub fn decider_without(&self, gone: u32, resource: &str) -> Option<&'a Rule> {
        self.last(resource, |rule| rule.id != gone).map(|(_, rule)| rule)
    }

    /// The last rule that matches, of those that count.
    fn last(&self, resource: &str, counts: impl Fn(&Rule) -> bool) -> Option<(usize, &'a Rule)> {
        let counted = |at: usize| self.rules.get(at).is_some_and(|rule| counts(rule));
        let at = match self.table() {
            Ok(table) => table.borrow_mut().last_where(&self.permission, resource, counted)?,
            Err(_) => {
                let decides = |rule: &&Rule| counts(rule) && rule.pattern.matches(resource, self.set.case);
                self.rules.iter().rposition(decides)?
            }
        };
        Some((*self.places.get(at)?, self.rules.get(at)?))
    }

    /// A call in `include`, not in `exclude`, with one of these outcomes.
    ///
    /// # Errors
    /// The rules go over a limit of the engine.
    pub fn find(
        &self,
        include: &[(Pattern, Pattern)],
        exclude: &[(Pattern, Pattern)],
        wanted: &[Action],
        budget: &mut Budget,
    ) -> Result<Answer<Call>, TooLarge> {
        let table = self.table().map_err(Clone::clone)?;
        let colours: Vec<u8> = wanted.iter().map(|action| action.colour()).collect();
        let mut table = table.borrow_mut();
        if table.learnt() > LEARNT {
            *table = self.made()?;
        }
        Ok(table.find(include, exclude, Colours::of(&colours), budget).map(|(call, _)| call))
    }

    fn table(&self) -> Result<&RefCell<Table>, &TooLarge> {
        self.table.get_or_init(|| self.made().map(RefCell::new)).as_ref()
    }

    fn made(&self) -> Result<Table, TooLarge> {
        table(self.rules.iter().copied(), FALLBACK.colour(), self.set, &self.never)
    }
}

type ByPermission<'a> = FxHashMap<Box<str>, Rc<Speaking<'a>>>;

/// What all agents' rules say, by agent and permission.
pub struct Tables<'a> {
    never: Vec<(Pattern, Pattern)>,
    known: RefCell<FxHashMap<&'a str, ByPermission<'a>>>,
}

impl<'a> Tables<'a> {
    /// Nothing yet.
    pub fn new(model: &Model, runtime: &dyn Runtime) -> Tables<'a> {
        Tables { never: impossible(model, runtime), known: RefCell::default() }
    }

    /// Calls that can never be made.
    pub fn impossible(&self) -> &[(Pattern, Pattern)] {
        &self.never
    }

    /// What a ruleset says of a permission; of `*`: all that it says.
    pub fn speaking(&self, set: &'a Ruleset, permission: &str) -> Rc<Speaking<'a>> {
        let mut known = self.known.borrow_mut();
        let of_set = known.entry(set.agent.as_str()).or_default();
        if let Some(speaking) = of_set.get(permission) {
            return Rc::clone(speaking);
        }
        let all = permission.contains(['*', '?']);
        let speaks = |(_, rule): &(usize, &Rule)| all || rule.permission.matches(permission, set.case);
        let (places, rules) = set.rules.iter().enumerate().filter(speaks).unzip();
        let about = |(key, _): &&(Pattern, Pattern)| all || key.matches(permission, set.case);
        let never = self.never.iter().filter(about).cloned().collect();
        let speaking =
            Rc::new(Speaking { set, permission: permission.into(), rules, places, never, table: OnceCell::new() });
        of_set.insert(permission.into(), Rc::clone(&speaking));
        speaking
    }
}
