//! PC0105: two rules with different actions match some calls both, and each matches calls that the other does not.

use super::{Cx, dead, proof, said};
use crate::decide::FALLBACK;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Budget, Call, Pattern, Table};
use crate::reach::{self, Place};
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0105", "partial-shadow", Severity::Info);

/// Rulesets with more rules of the user than this are not asked: the question is about pairs.
const MOST: usize = 2_000;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let never = reach::impossible(cx.model, cx.runtime);
    let mut told: FxHashSet<u32> = FxHashSet::default();
    for group in reach::alike(cx.rulesets, &reach::judged(cx.model, cx.rulesets)) {
        let Some(&at) = group.first() else { continue };
        for shadow in shadows(cx.rulesets, at, &never, cx.budget) {
            if shadow.later.rule(cx.rulesets).is_some_and(|rule| told.insert(rule.id)) {
                report(&shadow, cx, sink);
            }
        }
    }
}

/// A rule, the earlier ones that it partly overrules, and a call of the first of them.
struct Shadow {
    later: Place,
    earlier: Vec<Place>,
    call: Call,
}

fn shadows(sets: &[Ruleset], at: usize, never: &[(Pattern, Pattern)], budget: &mut Budget) -> Vec<Shadow> {
    let Some(set) = sets.get(at) else { return Vec::new() };
    let users: Vec<(usize, &Rule)> = set.rules.iter().enumerate().filter(|(_, rule)| !rule.origin.prelude).collect();
    if users.len() > MOST {
        return Vec::new();
    }
    let Ok(mut table) = reach::table(users.iter().map(|(_, rule)| *rule), FALLBACK.colour(), set, never) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    for (entry, (index, rule)) in users.iter().enumerate() {
        let mut earlier = Vec::new();
        let mut call = None;
        for (other, (before, shadowed)) in users.iter().enumerate().take(entry) {
            if shadowed.action != rule.action && crosses(&mut table, other, entry, budget) {
                let found = table.overlap(other, entry, budget).yes();
                let decided = |call: &Call| table.last(&call.key, &call.value) == Some(entry);
                if let Some(found) = found.filter(decided) {
                    earlier.push(Place { set: at, index: *before });
                    call.get_or_insert(found);
                }
            }
        }
        if let Some(call) = call {
            out.push(Shadow { later: Place { set: at, index: *index }, earlier, call });
        }
    }
    out
}

/// Whether two entries overlap and neither holds the other: a narrower exception after a broad rule is the normal idiom.
fn crosses(table: &mut Table, one: usize, other: usize, budget: &mut Budget) -> bool {
    let some = |answer: &Answer<Call>| matches!(answer, Answer::Yes(_));
    some(&table.overlap(one, other, budget))
        && some(&table.difference(one, &[other], budget))
        && some(&table.difference(other, &[one], budget))
}

fn report(shadow: &Shadow, cx: &Cx<'_>, sink: &mut Sink) {
    let (Some(rule), Some(set)) = (shadow.later.rule(cx.rulesets), cx.rulesets.get(shadow.later.set)) else { return };
    let earlier = said::rules(shadow.earlier.iter().copied(), cx.rulesets);
    let text = format!("{} overrules a part of {}", said::rule(rule), said::subject(&earlier));
    let finding = Finding::new(CODE, said::span(rule), text)
        .label("decides the calls that both match")
        .note("neither holds the other, so which comes last matters for the calls that both match")
        .help("nothing is wrong if that is what you want");
    let finding = dead::list(finding, said::places(&earlier), "overruled in part");
    let at = shadow.later.index;
    proof::push(sink, finding, set, (&shadow.call, &[]), |_, decision| {
        decision.rule.is_some_and(|(decider, _)| decider == at)
    });
}
