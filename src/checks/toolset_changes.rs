//! PC0701: a switch between agents changes which tools the model sees, and with that the beginning of every request, so the
//! provider's prompt cache is lost.

use super::{Cx, said, written};
use crate::decide::visible;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::model::{Agent, Switch, Visibility};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use indexmap::IndexMap;

pub(crate) const CODE: Code = Code::new("PC0701", "toolset-changes-on-switch", Severity::Info);

/// The size of a session for which it is said what a switch costs, in tokens.
const CONTEXT: &str = "100,000";

/// A user's rule that hides tools from one agent which another, a switch away, sees.
#[derive(Default)]
struct Hides<'a> {
    tools: Vec<&'a str>,
    switches: Vec<String>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    if cx.model.visibility == Visibility::Fixed {
        return;
    }
    let mut found: IndexMap<u32, (&Rule, Hides<'_>)> = IndexMap::new();
    for (name, switch) in &cx.model.switches {
        for (from, to) in pairs(cx, switch) {
            let (Some(one), Some(other)) = (cx.set_of(from), cx.set_of(to)) else { continue };
            let told = format!("`{name}` from `{from}` to `{to}`");
            for (hidden, shown) in [(one, other), (other, one)] {
                for (permission, tools) in tools(cx) {
                    let Some(rule) = hiding(cx, hidden, permission) else { continue };
                    if !visible(shown, permission, cx.model.visibility) {
                        continue;
                    }
                    let (_, hides) = found.entry(rule.id).or_insert_with(|| (rule, Hides::default()));
                    hides
                        .tools
                        .extend(tools.iter().filter(|tool| !hides.tools.contains(tool)).copied().collect::<Vec<_>>());
                    if !hides.switches.contains(&told) {
                        hides.switches.push(told.clone());
                    }
                }
            }
        }
    }
    found.values().for_each(|(rule, hides)| sink.push(finding(rule, hides)));
}

/// The agents that a switch leaves and goes to. One that leaves any agent leaves those a person can choose.
fn pairs<'a>(cx: &Cx<'a>, switch: &'a Switch) -> Vec<(&'a str, &'a str)> {
    let Some(to) = switch.to.as_ref().map(|to| to.node.as_str()) else { return Vec::new() };
    let from: Vec<&str> = match &switch.from {
        Some(from) => vec![from.node.as_str()],
        None => {
            cx.model.live_agents().filter(|agent| Agent::selectable(agent)).map(|agent| agent.name.as_str()).collect()
        }
    };
    from.into_iter().filter(|from| *from != to).map(|from| (from, to)).collect()
}

/// Permissions by which tools are hidden, with those tools.
fn tools<'a>(cx: &Cx<'a>) -> impl Iterator<Item = (&'a str, Vec<&'a str>)> {
    let named = cx.model.permissions.iter().filter(|(name, _)| !name.contains(['*', '?']));
    named.map(|(name, declared)| (name.as_str(), declared.tools.iter().map(|tool| tool.node.as_str()).collect()))
}

/// The user's rule that hides the tools of a permission, if one does.
fn hiding<'a>(cx: &Cx<'_>, set: &'a Ruleset, permission: &str) -> Option<&'a Rule> {
    if visible(set, permission, cx.model.visibility) {
        return None;
    }
    let denies = |rule: &&Rule| rule.action == Action::Deny && rule.permission.matches(permission, set.case);
    set.rules.iter().rfind(denies).filter(|rule| !rule.origin.prelude)
}

fn finding(rule: &Rule, hides: &Hides<'_>) -> Finding {
    let tools = written::listed(hides.tools.iter().copied(), 6);
    let text = format!("{} hides {tools}, so a switch changes the tools that the model sees", said::rule(rule));
    let switches = hides.switches.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
    Finding::new(CODE, said::span(rule), text)
        .label("hides its tools")
        .note(format!("the switches are {switches}"))
        .note(format!(
            "tools stand first in every request: a session of {CONTEXT} tokens is sent uncached once more at each switch"
        ))
        .help("write the pattern `**`: it denies every call as `*` does, and the tools stay where they are")
}
