//! PC0801: an expectation of a test, or a promise, that does not hold.

use super::tests::{self, Block, Outcome, Run, Verdict};
use super::{Cx, promises, witness};
use crate::decide;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::model::{Expectation, Visibility};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

pub(crate) const CODE: Code = Code::new("PC0801", "assertion-failed", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let run = tests::run(cx.model, cx.rulesets, (cx.runtime, cx.version), None);
    for finding in findings(&run, cx.model.visibility) {
        sink.push(finding);
    }
    promises::run(cx, sink);
}

/// One finding for each expectation that failed, or that could not be decided.
pub fn findings(run: &Run<'_>, visibility: Visibility) -> Vec<Finding> {
    let failed = run.outcomes().filter_map(|(block, outcome)| match outcome.verdict {
        Verdict::Passed | Verdict::Unknown => None,
        Verdict::Undecided => Some(undecided(block, outcome)),
        Verdict::Failed => failed(block, outcome, visibility),
    });
    failed.collect()
}

fn undecided(block: &Block<'_>, outcome: &Outcome<'_>) -> Finding {
    let why = outcome.why.as_deref().unwrap_or_default();
    let text = format!("it cannot be told what {} asks, so this expectation counts as failed", outcome.text());
    Finding::new(CODE, outcome.expectation.span, text)
        .confidence(crate::diagnostic::Confidence::Undecided)
        .agent(&block.test.agent.node)
        .note(why)
        .help("expect its requests one by one: `PERMISSION \"RESOURCE\" => ACTION`")
}

fn failed(block: &Block<'_>, outcome: &Outcome<'_>, visibility: Visibility) -> Option<Finding> {
    let set = block.set?;
    let finding = match &outcome.expectation.node {
        Expectation::Request { action, .. } | Expectation::Call { action, .. } => decided(set, outcome, *action)?,
        Expectation::Visible(_) => seen(set, outcome, false, visibility),
        Expectation::Hidden(_) => seen(set, outcome, true, visibility),
    };
    Some(match &block.test.name {
        Some(name) => finding.note(format!("in the test `{name}` of `{}`", set.agent)),
        None => finding,
    })
}

fn decided(set: &Ruleset, outcome: &Outcome<'_>, expected: Action) -> Option<Finding> {
    let got = outcome.action();
    let text = format!("expected {expected}, got {got}: {} by `{}`", outcome.text(), set.agent);
    let finding = Finding::new(CODE, outcome.expectation.span, text).agent(&set.agent);
    // Of several requests the strictest decided; where that is too loose, the first of them shows it as well as any.
    let Some(asked) = outcome.asked.iter().find(|asked| asked.decision.action == got) else {
        return Some(finding.label("this call asks nothing, so it passes"));
    };
    let request = &asked.request;
    let mut finding = finding.witness(witness::request(set, &request.permission, &request.resource, got)?);
    if outcome.asked.len() > 1 || matches!(outcome.expectation.node, Expectation::Call { .. }) {
        let each = outcome.asked.iter().map(|asked| {
            format!("{} `{}` is {}", asked.request.permission, asked.request.resource, word(asked.decision.action))
        });
        finding = finding.note(format!("it asks: {}", each.collect::<Vec<_>>().join("; ")));
    }
    let Some((place, rule)) = asked.decision.rule else {
        let help = format!("add `{expected} {} \"{}\"` where it should hold", request.permission, request.resource);
        return Some(finding.label("no rule matches, so a person is asked").help(help));
    };
    finding = related(finding.label(format!("comes out as {got}")), rule);
    let earlier = decide::trace(set, &request.permission, &request.resource);
    let wanted = earlier.iter().rev().find(|(at, rule)| *at < place && rule.action == expected);
    Some(match wanted {
        Some((_, earlier)) => finding
            .related(earlier.origin.span, format!("would give {expected}, but a later rule wins"))
            .help("move the narrower rule after the broader one, or correct the expectation"),
        None => finding.help(format!(
            "add `{expected} {} \"{}\"` after that rule, or correct the expectation",
            request.permission, request.resource
        )),
    })
}

fn related(finding: Finding, rule: &Rule) -> Finding {
    let by = if rule.origin.prelude { ", of the runtime's own" } else { "" };
    let mut text = format!("this rule decides{by}: {rule}");
    if let Some(reason) = &rule.reason {
        text.push_str(&format!(", because \"{reason}\""));
    }
    finding.related(rule.origin.span, text)
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Allow => "allowed",
        Action::Ask => "asked",
        Action::Deny => "denied",
    }
}

fn seen(set: &Ruleset, outcome: &Outcome<'_>, seen: bool, visibility: Visibility) -> Finding {
    let (agent, tool) = (&set.agent, outcome.text());
    let text = match seen {
        true => format!("expected the tool `{tool}` to be hidden, but `{agent}` sees it"),
        false => format!("expected the tool `{tool}` to be visible, but `{agent}` does not see it"),
    };
    let mut finding = Finding::new(CODE, outcome.expectation.span, text).agent(agent);
    if let Some(rule) = outcome.speaker {
        finding = finding.related(rule.origin.span, format!("the last rule that speaks of it: {rule}"));
    }
    finding.note(match visibility {
        Visibility::LastDeny => "a tool is hidden when the last rule for its permission denies `*`",
        Visibility::BareDeny => "a tool is hidden when any rule for its permission denies `*`",
        Visibility::Fixed => "this runtime hides no tools",
    })
}
