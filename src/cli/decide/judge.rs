//! Who decides: the plain meaning for a few requests, compiled tables for many.

use crate::decide::{self, Decision};
use crate::engine::{Decider, Table};
use crate::project::Compilation;
use crate::ruleset::Ruleset;
use crate::source::SourceMap;
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// From so many calls on, compiling the rules pays.
pub(super) const MANY: usize = 256;

/// Decides requests; both ways give the same answers.
pub(super) struct Judge<'t> {
    deciders: RefCell<FxHashMap<&'t str, Decider<'t>>>,
}

/// The rules as a table.
pub(super) fn table(compilation: &Compilation, sources: &SourceMap) -> Table {
    let runtime = (compilation.runtime.name(), compilation.version.id);
    Table::new(&compilation.model, &compilation.rulesets, sources, runtime)
}

impl<'t> Judge<'t> {
    pub(super) fn new(table: Option<&'t Table>) -> Judge<'t> {
        let deciders = table.into_iter().flat_map(|table| {
            table.agents().filter_map(|agent| Some((agent, table.decider(agent)?))).collect::<Vec<_>>()
        });
        Judge { deciders: RefCell::new(deciders.collect()) }
    }

    pub(super) fn decide<'a>(&self, set: &'a Ruleset, permission: &str, resource: &str) -> Decision<'a> {
        match self.deciders.borrow_mut().get_mut(set.agent.as_str()) {
            Some(decider) => {
                let verdict = decider.decide(permission, resource);
                let rule = verdict.rule.and_then(|(at, _)| Some((at, set.rules.get(at)?)));
                Decision { action: verdict.action, rule }
            }
            None => decide::decide(set, permission, resource),
        }
    }
}
