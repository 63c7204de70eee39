//! PC0907: a catch-all of the user allows every call of every permission, with no exception.

use super::{Cx, proof, said, written};
use crate::decide::FALLBACK;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Call, Colours};
use crate::model::Capability;
use crate::reach::{self, Place};
use crate::rule::{Action, Rule};

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
        let Some((index, rule)) = unrestricted(cx, at) else { continue };
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

/// The catch-all of a user that allows an agent everything, if nothing after it restricts that.
pub(crate) fn unrestricted<'a>(cx: &mut Cx<'a>, at: usize) -> Option<(usize, &'a Rule)> {
    let set = cx.rulesets.get(at)?;
    let everything = |rule: &Rule| rule.permission.is_everything() && rule.pattern.is_everything();
    let index = set.rules.iter().rposition(everything)?;
    let rule = set.rules.get(index).filter(|rule| !rule.origin.prelude && rule.action == Action::Allow)?;
    (!restricted(cx, at, index)).then_some((index, rule))
}

/// Whether a rule after the catch-all restricts anything.
fn restricted(cx: &mut Cx<'_>, at: usize, index: usize) -> bool {
    let Some(set) = cx.rulesets.get(at) else { return true };
    let later = || set.rules.iter().skip(index);
    if later().all(|rule| rule.action == Action::Allow) {
        return false;
    }
    let never = reach::impossible(cx.model, cx.runtime);
    let Ok(mut table) = reach::table(later(), FALLBACK.colour(), set, &never) else { return true };
    let include: Vec<_> = later().take(1).map(|rule| (rule.permission.clone(), rule.pattern.clone())).collect();
    let stricter = Colours::except(Action::Allow.colour());
    !matches!(table.find(&include, &[], stricter, cx.budget), Answer::No)
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
