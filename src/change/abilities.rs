//! What agents can bring about now and could not before, over every way, and the other way round.

use super::{Change, Direction, Fact, FactKind, Open};
use crate::capabilities::{Act, Closure, Goal, Way, World};
use crate::diagnostic::{Witness, WitnessCall};
use crate::language::Budget;
use crate::model::Capability;
use crate::project::Compilation;
use crate::reach;
use crate::ruleset::Ruleset;

/// Adds what agents of both sides can bring about on one side only.
pub(super) fn facts(
    old: &Compilation,
    new: &Compilation,
    pairs: &[(&Ruleset, &Ruleset)],
    budget: &mut Budget,
    change: &mut Change,
) {
    let commands = |side: &Compilation| {
        let entries = side.model.commands.iter().flat_map(|commands| &commands.entries);
        entries.map(|entry| entry.line.text().to_owned()).collect::<Vec<_>>()
    };
    // Ways are made of decisions, agents, switches and what commands do.
    if change.rules.is_empty() && change.facts.is_empty() && commands(old) == commands(new) {
        return;
    }
    let before = World::new(&old.model, &old.rulesets, old.runtime, old.version);
    let after = World::new(&new.model, &new.rulesets, new.runtime, new.version);
    let judged = reach::judged(&new.model, &new.rulesets).into_iter();
    let met: Vec<&str> = judged.filter_map(|at| new.rulesets.get(at)).map(|set| set.agent.as_str()).collect();
    // A tool that only one side declares is no ability of its own.
    let goal = |capability| Goal { declared: true, ..Goal::of(capability) };
    for capability in Capability::ALL {
        let mut could = Closure::new(&before, goal(*capability));
        let mut can = Closure::new(&after, goal(*capability));
        for (_, set) in pairs.iter().filter(|(_, set)| met.contains(&set.agent.as_str())) {
            let (old, new) = (could.first(&set.agent, budget), can.first(&set.agent, budget));
            let open = [&old, &new].map(|ways| ways.ways.is_empty() && !ways.doubts.is_empty());
            if open.contains(&true) {
                change.open.push(Open { agent: set.agent.clone(), rule: None, left: 1 });
                continue;
            }
            let fact = match (old.ways.first(), new.ways.first()) {
                (None, Some(way)) => fact(*capability, &set.agent, way, true),
                (Some(way), None) => fact(*capability, &set.agent, way, false),
                _ => continue,
            };
            change.facts.push(fact);
        }
    }
}

fn fact(capability: Capability, agent: &str, way: &Way, now: bool) -> Fact {
    let through = way.steps.first().map(|step| step.permission.clone()).unwrap_or_default();
    let direction = if now { Direction::Looser } else { Direction::Tighter };
    // A way that is closed now has no calls to show on the new side.
    let shown = now && !matches!(way.act, Act::Unasked(_));
    Fact {
        agents: vec![agent.to_owned()],
        kind: FactKind::Ability { capability, through, now },
        direction: Some(direction),
        witness: shown.then(|| witness(way)).flatten(),
    }
}

fn witness(way: &Way) -> Option<Witness> {
    let calls = way.steps.iter().map(|step| WitnessCall {
        agent: step.agent.clone(),
        permission: step.permission.clone(),
        resource: step.resource.clone(),
    });
    Some(Witness { calls: calls.collect(), decision: way.last()?.action.to_string() })
}
