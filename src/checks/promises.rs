//! Promises about requests, proved or refuted over all calls; told as PC0801.

use super::cannot::{self, Cannot};
use super::vacuous_assert::no_agent;
use super::{Cx, assertion_failed::CODE, plausible, proof, said, written};
use crate::decide::{FALLBACK, decide};
use crate::diagnostic::{Confidence, Finding, Sink};
use crate::language::{Answer, Call, Case, Colours, Pattern};
use crate::model::{Promise, PromiseKind};
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::Spanned;

/// The requests that a promise is about.
pub(super) struct Domain {
    /// These,
    pub(super) include: Vec<(Pattern, Pattern)>,
    /// but not these.
    pub(super) exclude: Vec<(Pattern, Pattern)>,
}

impl Domain {
    pub(super) fn new(permission: &Pattern, patterns: &[Spanned<Pattern>], except: &[Spanned<Pattern>]) -> Domain {
        let pairs = |patterns: &[Spanned<Pattern>]| -> Vec<(Pattern, Pattern)> {
            patterns.iter().map(|pattern| (permission.clone(), pattern.node.clone())).collect()
        };
        let everything = || vec![(permission.clone(), Pattern::wildcard("*"))];
        Domain { include: if patterns.is_empty() { everything() } else { pairs(patterns) }, exclude: pairs(except) }
    }

    fn includes(&self, call: &Call, case: Case) -> bool {
        self.include.iter().any(|(key, value)| key.matches(&call.key, case) && value.matches(&call.value, case))
    }

    fn excludes(&self, call: &Call, case: Case) -> bool {
        self.exclude.iter().any(|(key, value)| key.matches(&call.key, case) && value.matches(&call.value, case))
    }
}

/// Finds the promises that do not hold.
pub(super) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    for promise in model.promises.iter().filter(|promise| !promise.prelude) {
        match &promise.kind {
            PromiseKind::Requests { who, permission, patterns, except, allowed } => {
                let domain = Domain::new(&permission.node, patterns, except);
                requests(promise, who, &domain, allowed, cx, sink);
            }
            // It holds of nobody, and PC0804 tells of that.
            PromiseKind::Cannot { who, .. } if no_agent(who, model) => {}
            PromiseKind::Cannot { who, capability, patterns, except } => {
                let capability = *capability;
                cannot::run(&Cannot { promise, who, capability, patterns, except }, cx, sink);
            }
            // PC0205 tells of these.
            PromiseKind::NoLayerLoosens { .. } => {}
        }
    }
}

/// The promise in backticks, as it was written.
pub(super) fn as_written(promise: &Promise, cx: &Cx<'_>) -> String {
    let text = cx.sources.slice(promise.span).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(80) {
        Some((at, _)) => format!("`{}…`", text.get(..at).unwrap_or(&text)),
        None => format!("`{text}`"),
    }
}

fn requests(promise: &Promise, who: &[String], domain: &Domain, allowed: &[Action], cx: &mut Cx<'_>, sink: &mut Sink) {
    let never = reach::impossible(cx.model, cx.runtime);
    let broken: Vec<u8> =
        Action::ALL.iter().filter(|action| !allowed.contains(action)).map(|action| action.colour()).collect();
    let wanted = Colours::of(&broken);
    let mut failed: Vec<(&Ruleset, Call)> = Vec::new();
    let mut undecided: Vec<(&str, usize)> = Vec::new();
    let sets: Vec<&Ruleset> = who.iter().filter_map(|name| cx.set_of(name)).collect();
    for set in sets {
        let Ok(mut table) = reach::table(asked(set, domain), FALLBACK.colour(), set, &never) else {
            undecided.push((&set.agent, 0));
            continue;
        };
        match table.find(&domain.include, &domain.exclude, wanted, cx.budget) {
            Answer::No => {}
            Answer::Yes((call, _)) => failed.push((set, call)),
            Answer::Undecided { states } => undecided.push((&set.agent, states)),
        }
    }
    if let Some((set, call)) = failed.first() {
        let agents: Vec<&str> = failed.iter().map(|(set, _)| set.agent.as_str()).collect();
        refuted(promise, (set, call), &agents, (domain, allowed), cx, sink);
    }
    if let Some((_, states)) = undecided.first() {
        let agents = written::listed(undecided.iter().map(|(agent, _)| *agent), 6);
        let text =
            format!("whether {} holds for {agents} was not settled, so it counts as failed", as_written(promise, cx));
        let finding = Finding::new(CODE, promise.span, text).confidence(Confidence::Undecided);
        sink.push(finding.label(format!("undecided after {states} states")).help("raise `--budget`"));
    }
}

/// The rules that can match a request of the domain, in order.
fn asked<'a>(set: &'a Ruleset, domain: &'a Domain) -> impl Iterator<Item = &'a Rule> {
    let names = domain.include.iter().map(|(permission, _)| permission);
    // All pairs have the same permission.
    let literal = names.take(1).find(|permission| written::is_literal(permission));
    set.rules
        .iter()
        .filter(move |rule| literal.is_none_or(|name| written::matches(&rule.permission, name.text(), set.case)))
}

fn refuted(
    promise: &Promise,
    (set, call): (&Ruleset, &Call),
    agents: &[&str],
    (domain, allowed): (&Domain, &[Action]),
    cx: &Cx<'_>,
    sink: &mut Sink,
) {
    let decision = decide(set, &call.key, &call.value);
    let text = format!("{} does not hold for {}", as_written(promise, cx), written::listed(agents.iter().copied(), 6));
    let mut finding = Finding::new(CODE, promise.span, text).agent(&set.agent).label("broken");
    finding = match decision.rule {
        Some((_, rule)) => {
            let by = if rule.origin.prelude { ", of the runtime's own" } else { "" };
            let text = format!("decides such a call{by}: {}", rule.action);
            finding.related(said::span(rule), text).help("add a rule after it, or change the promise")
        }
        None => finding.note("no rule matches the call, so a person is asked").help("add a rule that matches it"),
    };
    let decider = decision.rule.map(|(_, rule)| plausible::of_rule(cx, rule, set.case)).unwrap_or_default();
    let plausible: Vec<Call> = domain
        .include
        .iter()
        .take(said::LISTED)
        .flat_map(|(permission, pattern)| plausible::calls(cx, permission, pattern, set.case))
        .chain(decider.into_iter().filter(|call| domain.includes(call, set.case)))
        .filter(|call| !domain.excludes(call, set.case))
        .collect();
    proof::push(sink, finding, set, (call, &plausible), |_, decision| !allowed.contains(&decision.action));
}
