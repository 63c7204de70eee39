//! PC0505: agents that may start each other in a circle without anyone being asked.

use super::{Cx, delegation, witness};
use crate::capabilities::edges::Edge;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::rule::{Action, Rule};
use std::collections::VecDeque;

pub(crate) const CODE: Code = Code::new("PC0505", "delegation-cycle", Severity::Warning);

/// One step of a circle, by a rule that the user wrote about these agents.
struct Step<'a> {
    edge: Edge<'a>,
    rule: &'a Rule,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    let steps: Vec<Step<'_>> = delegation::edges(cx)
        .into_iter()
        .filter(|edge| edge.action == Action::Allow)
        .filter_map(|edge| Some(Step { edge, rule: edge.user_rule()? }))
        // `allow task` speaks of all agents and means no circle.
        .filter(|step| !step.rule.pattern.is_everything())
        .collect();
    let mut told: Vec<&str> = Vec::new();
    for agent in model.live_agents() {
        if told.contains(&agent.name.as_str()) {
            continue;
        }
        let Some(circle) = shortest(&steps, &agent.name) else { continue };
        let depth = circle.iter().filter_map(|step| step.edge.declared.depth).min();
        if depth.is_some_and(|depth| (depth as usize) < circle.len()) {
            continue;
        }
        told.extend(circle.iter().map(|step| step.edge.parent.name.as_str()));
        if let Some(finding) = finding(cx, &circle) {
            sink.push(finding);
        }
    }
}

/// The shortest way from an agent back to itself.
fn shortest<'s, 'a>(steps: &'s [Step<'a>], start: &str) -> Option<Vec<&'s Step<'a>>> {
    let mut ways: VecDeque<Vec<&Step<'_>>> = VecDeque::from([Vec::new()]);
    let mut seen: Vec<&str> = Vec::new();
    while let Some(way) = ways.pop_front() {
        let at = way.last().map_or(start, |step| step.edge.child.name.as_str());
        for step in steps.iter().filter(|step| step.edge.parent.name == at) {
            let child = step.edge.child.name.as_str();
            let mut way = way.clone();
            way.push(step);
            if child == start {
                return Some(way);
            }
            if !seen.contains(&child) {
                seen.push(child);
                ways.push_back(way);
            }
        }
    }
    None
}

fn finding(cx: &Cx<'_>, circle: &[&Step<'_>]) -> Option<Finding> {
    let names: Vec<&str> = circle.iter().map(|step| step.edge.parent.name.as_str()).collect();
    let first = *names.first()?;
    let message = match names.len() {
        1 => format!("`{first}` may start itself without end, and nobody is asked"),
        _ => {
            let way = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" -> ");
            format!("agents may start each other without end, and nobody is asked: {way} -> `{first}`")
        }
    };
    let calls: Option<Vec<_>> = circle
        .iter()
        .map(|step| Some((cx.set_of(&step.edge.parent.name)?, step.edge.permission, step.edge.child.name.as_str())))
        .collect();
    let witness = witness::chain(&calls?, Action::Allow)?;
    let mut places = circle.iter().map(|step| {
        let text = format!("lets `{}` start `{}`", step.edge.parent.name, step.edge.child.name);
        (step.rule.origin.span, text)
    });
    let (span, label) = places.next()?;
    let mut finding = Finding::new(CODE, span, message).label(label).agent(first).witness(witness);
    for (span, text) in places {
        finding = finding.related(span, text);
    }
    Some(finding.help("deny one of these steps, or make it ask"))
}
