//! PC0202: one rule of a later layer makes many rules of earlier ones void.

use super::{Cx, dead, plausible, proof, said};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::reach::{Kind, statements};
use crate::rule::Action;

pub(crate) const CODE: Code = Code::new("PC0202", "broad-rule-wipes-layer", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    for case in reach.of_kind(Kind::WipesLayer) {
        let Some((fault, set, call)) = dead::first(case, cx) else { continue };
        let dead = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
        let Some(cover) = case.cover.first().and_then(|place| place.rule(cx.rulesets)) else { continue };
        let mut blocks: Vec<String> = dead.iter().map(|rule| said::block(rule, set)).collect();
        blocks.dedup();
        blocks.truncate(3);
        let (number, of) = (statements(dead.iter().copied()), blocks.join(" and "));
        let text = match case.rest {
            false => format!("{} makes {number} rules of {of} void", said::rule(cover)),
            true => format!("{number} more rules of earlier layers never decide"),
        };
        let loosened = dead.iter().any(|rule| rule.action == Action::Deny && cover.action < Action::Deny);
        let severity = if loosened { Severity::Error } else { CODE.severity };
        let finding = Finding::new(CODE, said::span(cover), text)
            .severity(severity)
            .label("matches every call that they match")
            .note("a later layer is stronger than an earlier one, however narrow the earlier rule is")
            .help("narrow it, or move it to the first layer");
        let finding = dead::list(finding, said::places(&dead), "never decides");
        let at = fault.at.index;
        let plausible = dead.first().map(|rule| plausible::of_rule(cx, rule, set.case)).unwrap_or_default();
        proof::push(sink, finding, set, (call, &plausible), |_, decision| {
            decision.rule.is_some_and(|(decider, _)| decider > at)
        });
    }
}
