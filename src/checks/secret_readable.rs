//! PC0313: a user's broad allow switches off the runtime's own guard of files that hold secrets.

use super::{Cx, plausible, proof, said, unrestricted, ways, written};
use crate::catalogue;
use crate::decide::decide;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Answer, Call, Case, Pattern};
use crate::model::Capability;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

pub(crate) const CODE: Code = Code::new("PC0313", "secret-readable", Severity::Info);

/// So many rules are told for each guard.
const TOLD: usize = 20;

/// A rule that switches off a guard.
struct Undone<'a> {
    set: &'a Ruleset,
    rule: &'a Rule,
    guard: &'a Rule,
    call: Call,
    agents: Vec<String>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let (model, rulesets) = (cx.model, cx.rulesets);
    let mut found: Vec<Undone<'_>> = Vec::new();
    for at in reach::judged(model, rulesets) {
        let Some(set) = rulesets.get(at) else { continue };
        let undone = of_set(cx, set);
        if undone.is_empty() {
            continue;
        }
        // What a catch-all without any exception switches off is told with it.
        let told = unrestricted::by(cx, at).map(|(_, rule)| rule.id);
        for undone in undone.into_iter().filter(|undone| Some(undone.rule.id) != told) {
            match found.iter_mut().find(|known| known.rule.id == undone.rule.id) {
                Some(known) if known.agents.contains(&set.agent) => {}
                Some(known) => known.agents.push(set.agent.clone()),
                None => found.push(undone),
            }
        }
    }
    for undone in &found {
        report(undone, cx, sink);
    }
}

/// The rules that switch off some guard of an agent.
fn of_set<'a>(cx: &mut Cx<'a>, set: &'a Ruleset) -> Vec<Undone<'a>> {
    let mut out = Vec::new();
    for permission in written::giving(cx.model, Capability::Read) {
        let guards: Vec<&Rule> = set.rules.iter().filter(|rule| is_guard(rule, permission)).collect();
        for guard in &guards {
            of_guard(cx, set, (permission, guard, &guards), &mut out);
        }
    }
    out
}

/// Whether the runtime itself restricts reading some files by this rule.
fn is_guard(rule: &Rule, permission: &str) -> bool {
    let restricts = rule.origin.prelude && rule.action > Action::Allow;
    restricts && rule.permission.text() == permission && !rule.pattern.is_everything()
}

/// The rules that switch off one guard, each with a file. A rule about guarded files alone was written for them.
fn of_guard<'a>(
    cx: &mut Cx<'a>,
    set: &'a Ruleset,
    (permission, guard, guards): (&str, &'a Rule, &[&'a Rule]),
    out: &mut Vec<Undone<'a>>,
) {
    let key = Pattern::wildcard(permission);
    let pair = |pattern: &Pattern| (key.clone(), pattern.clone());
    // As people name such files, in any folder: `docs/.env.md` for a rule about `docs/*.md` would be far-fetched.
    let name = guard.pattern.text().trim_start_matches('*').replace('*', "local");
    let include = [name.clone(), format!("*/{name}")].map(|text| pair(&Pattern::wildcard(&text)));
    let guarded: Vec<_> = guards.iter().map(|guard| pair(&guard.pattern)).collect();
    let mut exclude: Vec<_> = listed("no_secrets").map(pair).collect();
    let speaking = cx.world.tables.speaking(set, permission);
    for _ in 0..TOLD {
        let call = match speaking.find(&include, &exclude, &[Action::Allow], cx.budget) {
            Ok(Answer::Yes(call)) => call,
            Ok(Answer::No) => return,
            Ok(Answer::Undecided { .. }) | Err(_) => {
                return cx.doubt(said::span(guard), "whether files with secrets can be read");
            }
        };
        let Some(rule) = speaking.decider(&call.value) else { return };
        let of_rule = pair(&rule.pattern);
        if !rule.origin.prelude && is_secret(&call.value, set.case) {
            let beyond = speaking.find(std::slice::from_ref(&of_rule), &guarded, &Action::ALL, cx.budget);
            if let Ok(Answer::Yes(_)) = beyond {
                out.push(Undone { set, rule, guard, call, agents: vec![set.agent.clone()] });
            }
        }
        exclude.push(of_rule);
    }
}

fn report(undone: &Undone<'_>, cx: &Cx<'_>, sink: &mut Sink) {
    let Undone { set, rule, guard, call, agents } = undone;
    let by_rule = |call: &Call| decide(set, &call.key, &call.value).rule.is_some_and(|(_, by)| by.id == rule.id);
    let plausible = plausible::calls(cx, &Pattern::wildcard(&call.key), &guard.pattern, set.case);
    let shown = plausible.into_iter().find(|call| by_rule(call) && is_secret(&call.value, set.case));
    let path = shown.as_ref().unwrap_or(call).value.clone();
    let names = written::listed(agents.iter().map(String::as_str), 6);
    let does = if guard.action == Action::Deny { "denies" } else { "asks about" };
    let text = format!("{} lets {names} read `{path}`, which the runtime itself {does}", said::rule(rule));
    let finding = Finding::new(CODE, said::span(rule), text)
        .label("comes after the runtime's own rule")
        .confidence(Confidence::Catalogue)
        .help(format!("write {} after it again, if files with secrets are not meant", said::rule(guard)));
    let shown: Vec<Call> = shown.into_iter().collect();
    proof::push(sink, ways::about(finding, agents), set, (call, &shown), |call, decision| {
        decision.action == Action::Allow && by_rule(call)
    });
}

fn is_secret(path: &str, case: Case) -> bool {
    let among = |name: &str| listed(name).any(|pattern| pattern.matches(path, case));
    among("secrets") && !among("no_secrets")
}

/// A list of the catalogue.
fn listed(name: &str) -> impl Iterator<Item = &'static Pattern> {
    let list = catalogue::shipped().lists.get(name);
    list.into_iter().flat_map(|list| &list.patterns).map(|pattern| &pattern.node)
}
