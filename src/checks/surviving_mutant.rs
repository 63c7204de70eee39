//! PC0806: rules that could be changed or deleted without any test failing. Speaks only where there are tests.

use super::tests::{self, Run, Verdict};
use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::rule::{Action, Rule};
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0806", "surviving-mutant", Severity::Info);

/// How many rules are shown.
const SHOWN: usize = 8;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let run = tests::run(cx.model, cx.rulesets, (cx.runtime, cx.version), None);
    // What a failing suite would notice is no question yet.
    let Some((first, _)) = run.outcomes().next().filter(|_| run.failed() == 0) else { return };
    let (flipped, dropped) = killed(cx, &run);
    let all = written::rules(cx.model).count();
    let survivors: Vec<(&Rule, bool)> = written::rules(cx.model)
        .filter(|rule| !dropped.contains(&rule.id))
        .map(|rule| (rule, flipped.contains(&rule.id)))
        .collect();
    if survivors.is_empty() {
        return;
    }
    let text = format!("{} of {all} rules can be changed without any test failing", survivors.len());
    let mut finding = Finding::new(CODE, first.test.span, text)
        .label("the tests start here")
        .help("add an expectation that only such a rule explains, or delete the rule");
    for (rule, decides) in survivors.iter().take(SHOWN) {
        let text = match decides {
            true => format!("delete it, and every test still passes: {rule}"),
            false => format!("turn it around, and every test still passes: {rule}"),
        };
        finding = finding.related(rule.origin.span, text);
    }
    if survivors.len() > SHOWN {
        finding = finding.note(format!("and {} more", survivors.len() - SHOWN));
    }
    sink.push(finding);
}

/// Rules that cannot be turned around, and rules that cannot be deleted, without a test that fails.
fn killed(cx: &Cx<'_>, run: &Run<'_>) -> (FxHashSet<u32>, FxHashSet<u32>) {
    let (mut flipped, mut dropped) = (FxHashSet::default(), FxHashSet::default());
    for (block, outcome) in run.outcomes().filter(|(_, outcome)| outcome.verdict == Verdict::Passed) {
        let Some(set) = block.set else { continue };
        for rule in outcome.rules() {
            let turned = if rule.action == Action::Allow { Action::Deny } else { Action::Allow };
            for (killed, change) in [(&mut flipped, Some(turned)), (&mut dropped, None)] {
                if !killed.contains(&rule.id) && !tests::holds_if(cx.model, set, outcome, (rule.id, change)) {
                    killed.insert(rule.id);
                }
            }
        }
    }
    (flipped, dropped)
}
