//! PC0907: a catch-all of the user allows every call of every permission, with no exception.

use super::{Cx, proof, said, unrestricted, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Call;
use crate::model::Capability;
use crate::reach::{self, Place};
use crate::rule::Action;

pub(crate) const CODE: Code = Code::new("PC0907", "allow-everything", Severity::Warning);

/// A catch-all and the agents that may do anything by it.
struct Open {
    rule: Place,
    agents: Vec<String>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut found: Vec<Open> = Vec::new();
    for at in reach::judged(cx.model, cx.rulesets) {
        let Some(set) = cx.rulesets.get(at) else { continue };
        let Some((index, rule)) = unrestricted::by(cx, at) else { continue };
        let same = |one: &&mut Open| one.rule.rule(cx.rulesets).is_some_and(|known| known.id == rule.id);
        match found.iter_mut().find(same) {
            Some(one) => one.agents.push(set.agent.clone()),
            None => found.push(Open { rule: Place { set: at, index }, agents: vec![set.agent.clone()] }),
        }
    }
    for one in found {
        report(&one, cx, sink);
    }
}

fn report(one: &Open, cx: &Cx<'_>, sink: &mut Sink) {
    let (Some(rule), Some(set)) = (one.rule.rule(cx.rulesets), cx.rulesets.get(one.rule.set)) else { return };
    let agents = written::listed(one.agents.iter().map(String::as_str), 6);
    let text = format!("{} lets {agents} do everything: nothing is denied, nothing asked", said::rule(rule));
    let mut finding = Finding::new(CODE, said::span(rule), text).label("no rule after it restricts anything");
    let guards =
        set.rules.iter().take(one.rule.index).filter(|rule| rule.origin.prelude && rule.action > Action::Allow);
    let mut guards: Vec<&str> = guards.map(|rule| rule.permission.text()).filter(|name| !name.contains('*')).collect();
    guards.sort_unstable();
    guards.dedup();
    if !guards.is_empty() {
        finding = finding
            .note(format!("it also switches off what the runtime guards itself: {}", written::listed(guards, 8)));
    }
    let finding = finding.help("name what may be done, or add the exceptions after it");
    proof::push(sink, finding, set, (&call(cx), &[]), |_, decision| decision.action == Action::Allow);
}

/// A telling call: of a permission that gives a capability.
fn call(cx: &Cx<'_>) -> Call {
    let powers = [Capability::Exec, Capability::Write];
    let power = |wanted: Capability| {
        cx.model
            .permissions
            .iter()
            .find(|(_, permission)| permission.capability == Some(wanted))
            .map(|(name, _)| name.clone())
    };
    let key = powers.into_iter().find_map(power).unwrap_or_else(|| "tool".to_owned());
    let value = cx.runtime.hints(&key).into_iter().next().unwrap_or_else(|| "*".to_owned());
    Call { key, value }
}
