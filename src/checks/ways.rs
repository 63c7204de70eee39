//! How a way to a capability is told: in words, as calls that can be decided again, and with the rule that lets it pass.

use super::{Cx, said, witness};
use crate::capabilities::{Act, Step, Way};
use crate::diagnostic::{Confidence, Finding, Witness};
use crate::model::Family;
use crate::rule::Rule;

/// So many ways are told one by one.
const TOLD: usize = 4;

/// A way in words.
pub(crate) fn words(way: &Way) -> String {
    let Some((last, chain)) = way.steps.split_last() else { return String::new() };
    let mut text = String::new();
    for step in chain {
        let to = step.to.as_deref().unwrap_or_default();
        text.push_str(&format!("`{}` hands over to `{to}`: {}; then ", step.agent, call(step)));
    }
    text.push_str(&format!("`{}` may: {}", last.agent, call(last)));
    match &way.act {
        Act::Command { reason: Some(reason), .. } => text.push_str(&format!(" ({reason})")),
        Act::Undeclared => text.push_str(" (no permission declares this tool, so it may do anything)"),
        Act::Unasked(why) => text.push_str(&format!(" (nobody is asked: {why})")),
        Act::Chain => {
            if let Some(to) = &last.to {
                text.push_str(&format!(" (then `{to}` acts)"));
            }
        }
        Act::Command { reason: None, .. } | Act::Permission => {}
    }
    if !way.is_silent() {
        text.push_str(" (after a person was asked)");
    }
    text
}

fn call(step: &Step) -> String {
    format!("{} `{}`", step.permission, step.resource)
}

/// What a person can decide again: every request of the way. `None` where the last asks nobody.
pub(crate) fn calls(way: &Way, cx: &Cx<'_>) -> Option<Witness> {
    if matches!(way.act, Act::Unasked(_)) {
        return None;
    }
    let chain: Option<Vec<_>> = way
        .steps
        .iter()
        .map(|step| Some((cx.set_of(&step.agent)?, step.permission.as_str(), step.resource.as_str())))
        .collect();
    witness::chain(&chain?, way.last()?.action)
}

/// How sure a way is: what a command does is known from the catalogue, what a permission gives is declared.
pub(crate) fn confidence(way: &Way) -> Confidence {
    match way.act {
        Act::Permission | Act::Chain => Confidence::Proved,
        Act::Command { .. } | Act::Undeclared | Act::Unasked(_) => Confidence::Catalogue,
    }
}

/// Whether a way is a command that names a file.
pub(crate) fn names(way: &Way, file: &str) -> bool {
    matches!(way.act, Act::Command { .. }) && way.last().is_some_and(|last| last.resource.contains(file))
}

/// Whether an entry of the catalogue is about commands that are there to act upon files. What git shows of a file that it
/// keeps, what `gh` publishes beside all else that it does, or any command that reads a redirection, is too far from what
/// people mean by a rule about files.
pub(crate) fn is_about_files(family: Option<Family>, line: &str) -> bool {
    let fed = line.starts_with('*') && family == Some(Family::Secret);
    let forge = line.starts_with("git ") || line.starts_with("gh ");
    !fed && !forge
}

/// The rule that lets a call pass.
pub(crate) fn rule<'a>(step: &Step, cx: &Cx<'a>) -> Option<&'a Rule> {
    cx.set_of(&step.agent)?.rules.get(step.rule?)
}

/// The family of the command that a way ends with.
pub(crate) fn family(way: &Way) -> Option<Family> {
    match &way.act {
        Act::Command { family, .. } => *family,
        Act::Permission | Act::Undeclared | Act::Unasked(_) | Act::Chain => None,
    }
}

/// What command lines are called together: by the most telling of them. Who may run `sh -c` may run everything; what a
/// policy's own `commands` say without a family is a tool that does its business.
pub(crate) fn kind(ways: &[&Way]) -> Option<Family> {
    const ORDER: [Family; 11] = [
        Family::Shell,
        Family::GlobalOption,
        Family::Interpreter,
        Family::Agent,
        Family::Runner,
        Family::Option,
        Family::FilterTool,
        Family::Windows,
        Family::Privilege,
        Family::Redirect,
        Family::Network,
    ];
    let has = |wanted: Option<Family>| ways.iter().any(|way| family(way) == wanted);
    let known = ORDER.into_iter().find(|family| has(Some(*family)));
    known.or_else(|| has(None).then_some(Family::FilterTool))
}

/// A finding about agents: it names the agent where there is but one.
pub(crate) fn about(finding: Finding, agents: &[String]) -> Finding {
    match agents {
        [one] => finding.agent(one),
        _ => finding,
    }
}

/// Adds ways to a finding: the first as its witness, each with the rule that lets it pass.
pub(crate) fn told(mut finding: Finding, ways: &[&Way], cx: &Cx<'_>) -> Finding {
    let mut seen = Vec::new();
    for way in ways.iter().take(TOLD) {
        finding = finding.note(words(way));
        for step in &way.steps {
            let Some(rule) = rule(step, cx).filter(|rule| !seen.contains(&rule.id)) else { continue };
            seen.push(rule.id);
            let by = if rule.origin.prelude { ", by the runtime's own rule" } else { "" };
            finding = finding.related(said::span(rule), format!("lets `{}` pass{by}: {}", step.resource, rule.action));
        }
    }
    if ways.len() > TOLD {
        finding = finding.note(format!("and {} more ways", ways.len() - TOLD));
    }
    match ways.iter().find_map(|way| calls(way, cx)) {
        Some(witness) => finding.witness(witness),
        None => finding,
    }
}

/// One way of each kind, the shortest chains first: through one permission, by one family, at one rule.
pub(crate) fn each_kind(ways: &[Way]) -> Vec<&Way> {
    let mut kinds = Vec::new();
    let mut out = Vec::new();
    for way in ways {
        let Some(first) = way.steps.first() else { continue };
        let kind = (way.steps.len(), &first.permission, &first.to, family(way), std::mem::discriminant(&way.act));
        if !kinds.contains(&kind) {
            kinds.push(kind);
            out.push(way);
        }
    }
    out
}
