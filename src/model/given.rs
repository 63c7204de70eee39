//! Layers that a command line fills.

use super::{Combine, Layer, Model, SLOTS};
use crate::rule::{Origin, Rule};
use std::sync::Arc;

/// What a slot of the merge order is given.
#[derive(Debug, Clone)]
pub struct Given {
    /// The slot.
    pub name: String,
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// How they are ordered among themselves.
    pub combine: Option<Combine>,
}

impl Given {
    /// What a policy says in its layer of this name; `None`: it has no such layer.
    pub fn layer(model: &Model, name: &str) -> Option<Given> {
        let layer = model.layers.get(name)?;
        Some(Given { name: name.to_owned(), rules: own(layer), combine: layer.combine })
    }

    /// What a runtime's config says to all agents.
    pub fn config(model: &Model, name: &str) -> Given {
        Given { name: name.to_owned(), rules: model.layers.values().flat_map(own).collect(), combine: None }
    }
}

fn own(layer: &Layer) -> Vec<Rule> {
    layer.rules.iter().filter(|rule| !rule.origin.prelude).cloned().collect()
}

impl Model {
    /// The slots that can be given rules: layers that some merge order names, declared or not.
    pub fn slots(&self) -> Vec<&str> {
        let own = self.agents.values().filter_map(|agent| agent.merge.as_ref());
        let mut slots: Vec<&str> = Vec::new();
        for slot in std::iter::once(&self.merge).chain(own).flat_map(|merge| &merge.slots) {
            let fixed = SLOTS.contains(&&**slot) && &**slot != "approvals";
            if !fixed && !slots.contains(&&**slot) {
                slots.push(slot);
            }
        }
        slots
    }

    /// Fills slots, behind what their layers say already.
    pub fn supply(&mut self, given: &[Given]) {
        for Given { name, rules, combine } in given {
            let (Some(first), true) = (rules.first(), self.slots().contains(&name.as_str())) else { continue };
            let next = self.rules().map(|rule| rule.id + 1).max().unwrap_or(0);
            let slot: Arc<str> = name.as_str().into();
            let layer = self.layers.entry(name.clone()).or_insert_with(|| Layer {
                span: first.origin.statement,
                prelude: false,
                rules: Vec::new(),
                combine: *combine,
            });
            layer.rules.extend(rules.iter().map(|rule| {
                let origin = Arc::new(Origin { slot: slot.clone(), ..(*rule.origin).clone() });
                Rule { id: next + rule.id, origin, ..rule.clone() }
            }));
        }
    }

    fn rules(&self) -> impl Iterator<Item = &Rule> {
        let agents = self.agents.values().flat_map(|agent| agent.builtin.iter().chain(&agent.own));
        self.layers.values().flat_map(|layer| &layer.rules).chain(agents)
    }
}
