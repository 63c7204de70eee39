//! A difference for programs: `policyc/diff/1`.

use super::{Shown, Side};
use crate::change::{Direction, Fact, Open, RuleChange, Wrong};
use crate::cli::decision::rule_json;
use crate::language::List;
use crate::secret::redact;
use crate::source::SourceMap;
use serde_json::{Value, json};
use std::borrow::Cow;

pub(super) fn value(shown: &Shown<'_>) -> Value {
    let (change, sources) = (shown.change, shown.sources);
    json!({
        "schema": "policyc/diff/1",
        "old": side(&shown.old),
        "new": side(&shown.new),
        "equivalent": change.is_equivalent(),
        "looser": change.goes(Direction::Looser),
        "tighter": change.goes(Direction::Tighter),
        "undecided": change.is_undecided(),
        "agents_compared": change.agents,
        "rules": change.rules.iter().map(|change| rule(change, sources)).collect::<Vec<_>>(),
        "facts": change.facts.iter().map(fact).collect::<Vec<_>>(),
        "open": change.open.iter().map(|left| open(left, sources)).collect::<Vec<_>>(),
        "wrong": change.wrong.iter().map(|wrong| self::wrong(wrong, sources)).collect::<Vec<_>>(),
    })
}

fn side(side: &Side<'_>) -> Value {
    let (runtime, version) = (side.compilation.runtime.name(), side.compilation.version);
    json!({ "name": side.name.as_str(), "runtime": runtime, "version": version.id, "verified": version.verified })
}

fn redacted(names: &[String]) -> Vec<Cow<'_, str>> {
    names.iter().map(|name| redact(name)).collect()
}

fn list(list: List) -> &'static str {
    match list {
        List::Old => "old",
        List::New => "new",
    }
}

fn rule(change: &RuleChange, sources: &SourceMap) -> Value {
    json!({
        "direction": change.direction().word(),
        "before": change.before.word(),
        "after": change.after.word(),
        "agents": redacted(&change.agents),
        "permissions": redacted(&change.permissions),
        "undeclared_permissions": change.undeclared,
        "witness": {
            "agent": change.agents.first().map(|name| redact(name)),
            "permission": redact(&change.call.key),
            "resource": redact(&change.call.value),
        },
        "side": list(change.list),
        "rule": rule_json(&change.rule, sources),
        "instead": change.instead.as_ref().map(|rule| rule_json(rule, sources)),
    })
}

fn fact(fact: &Fact) -> Value {
    let calls =
        fact.witness.iter().flat_map(|witness| &witness.calls).map(
            |call| json!({ "agent": redact(&call.agent), "permission": redact(&call.permission), "resource": redact(&call.resource) }),
        );
    let witness = fact
        .witness
        .as_ref()
        .map(|witness| json!({ "calls": calls.collect::<Vec<_>>(), "decision": witness.decision }));
    json!({
        "kind": fact.kind.word(),
        "direction": fact.direction.map(Direction::word),
        "agents": redacted(&fact.agents),
        "message": redact(&fact.message()),
        "witness": witness,
    })
}

fn open(open: &Open, sources: &SourceMap) -> Value {
    json!({
        "agent": redact(&open.agent),
        "side": open.rule.as_ref().map(|(side, _)| list(*side)),
        "rule": open.rule.as_ref().map(|(_, rule)| rule_json(rule, sources)),
        "rules_left": open.left,
    })
}

fn wrong(wrong: &Wrong, sources: &SourceMap) -> Value {
    json!({
        "agent": redact(&wrong.agent),
        "permission": redact(&wrong.call.key),
        "resource": redact(&wrong.call.value),
        "rule": rule_json(&wrong.rule, sources),
    })
}
