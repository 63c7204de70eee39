//! PC0203: the runtime keeps rules in a map, and the order it reads them in decides otherwise than the order they are
//! written in.

use super::{Cx, plausible, proof, said, written};
use crate::decide::{FALLBACK, decide};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Call, Colours, Pattern};
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::Span;
use rustc_hash::FxHashMap;

pub(crate) const CODE: Code = Code::new("PC0203", "key-order-dependent", Severity::Error);

/// So many moved rules of an agent are asked about.
const ASKED: usize = 50;

/// A rule that the order of keys moved, and a call that shows what that changes.
struct Moved<'a> {
    /// As read and as written.
    sets: (&'a Ruleset, &'a Ruleset),
    rule: &'a Rule,
    call: Call,
    agents: Vec<&'a str>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let Some(as_written) = cx.as_written else { return };
    let never = reach::impossible(cx.model, cx.runtime);
    let mut found: Vec<Moved<'_>> = Vec::new();
    for at in reach::judged(cx.model, cx.rulesets) {
        let Some(read) = cx.rulesets.get(at) else { continue };
        let Some(wrote) = as_written.iter().find(|set| set.agent == read.agent) else { continue };
        for (rule, call) in moved(read, wrote, &never, cx) {
            match found.iter_mut().find(|one| identity(one.rule) == identity(rule)) {
                Some(one) => one.agents.push(&read.agent),
                None => found.push(Moved { sets: (read, wrote), rule, call, agents: vec![&read.agent] }),
            }
        }
    }
    for one in &found {
        report(one, cx, sink);
    }
}

/// What tells a rule from others in both orders.
fn identity(rule: &Rule) -> (Span, &str, &str, Action) {
    (rule.origin.span, rule.permission.text(), rule.pattern.text(), rule.action)
}

/// Rules that decide a call as written that is decided otherwise as read. Such a rule was left out, or has come to stand
/// before one with another action that is written before it.
fn moved<'a>(
    read: &Ruleset,
    wrote: &'a Ruleset,
    never: &[(Pattern, Pattern)],
    cx: &mut Cx<'_>,
) -> Vec<(&'a Rule, Call)> {
    let places: FxHashMap<_, usize> = read.rules.iter().enumerate().map(|(at, rule)| (identity(rule), at)).collect();
    let mut furthest: [Option<usize>; 3] = [None; 3];
    let mut suspects: Vec<usize> = Vec::new();
    for (at, rule) in wrote.rules.iter().enumerate().filter(|(_, rule)| !rule.origin.prelude) {
        let place = places.get(&identity(rule)).copied();
        let others = Action::ALL.iter().zip(&furthest).filter(|(action, _)| **action != rule.action);
        if others.map(|(_, furthest)| *furthest).any(|furthest| furthest > place) {
            suspects.push(at);
        }
        if let Some(furthest) = furthest.get_mut(usize::from(rule.action.colour())) {
            *furthest = (*furthest).max(place);
        }
    }
    if suspects.is_empty() {
        return Vec::new();
    }
    let Ok(mut table) = reach::table(read.rules.iter(), FALLBACK.colour(), read, never) else { return Vec::new() };
    let pair = |rule: &Rule| (rule.permission.clone(), rule.pattern.clone());
    let mut out = Vec::new();
    for at in suspects.into_iter().rev().take(ASKED) {
        let Some(rule) = wrote.rules.get(at) else { continue };
        let later: Vec<(Pattern, Pattern)> = wrote.rules.iter().skip(at + 1).map(pair).collect();
        let wanted = Colours::except(rule.action.colour());
        match table.find(&[pair(rule)], &later, wanted, cx.budget) {
            Answer::Yes((call, _)) => out.push((rule, call)),
            Answer::No => {}
            Answer::Undecided { .. } => {
                cx.doubt(rule.origin.span, "whether the order of keys decides otherwise than the order of lines");
            }
        }
    }
    out
}

fn report(one: &Moved<'_>, cx: &Cx<'_>, sink: &mut Sink) {
    let (read, wrote) = one.sets;
    let as_read = decide(read, &one.call.key, &one.call.value);
    let severity = if as_read.action < one.rule.action { Severity::Error } else { Severity::Warning };
    let agents = written::listed(one.agents.iter().copied(), 6);
    let text = format!("{} does not decide what it would decide as written, for {agents}", said::rule(one.rule));
    let mut finding = Finding::new(CODE, said::span(one.rule), text)
        .severity(severity)
        .label("the order of keys gives it another place")
        .note("a key keeps the place where it stands first, in the first file that has it; keys that are numbers come first")
        .help("write the rules so that no key stands twice, or in another order, and check again");
    if let Some((_, rule)) = as_read.rule {
        finding = finding.related(said::span(rule), format!("decides instead: {}", rule.action));
    }
    let plausible = plausible::of_rule(cx, one.rule, read.case);
    proof::push(sink, finding, read, (&one.call, &plausible), |call, decision| {
        let as_written = decide(wrote, &call.key, &call.value);
        decision.action == as_read.action
            && decision.action != one.rule.action
            && as_written.rule.is_some_and(|(_, rule)| identity(rule) == identity(one.rule))
    });
}
