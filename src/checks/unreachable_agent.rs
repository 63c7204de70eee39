//! PC0504: nobody can start this agent.

use super::{Cx, delegation, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::model::{Mode, ResourceKind};

pub(crate) const CODE: Code = Code::new("PC0504", "unreachable-agent", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let suspects = || {
        cx.model.live_agents().filter(|agent| agent.mode == Mode::Subagent && agent.hidden && !agent.touched.is_empty())
    };
    if suspects().next().is_none() || written::of_kind(cx.model, ResourceKind::Agent).next().is_none() {
        return;
    }
    let edges = delegation::edges(cx);
    // A visible subagent can be mentioned by a person; a hidden primary is started by the runtime.
    let mut reached: Vec<&str> = cx
        .model
        .live_agents()
        .filter(|agent| agent.mode != Mode::Subagent || !agent.hidden)
        .map(|agent| agent.name.as_str())
        .collect();
    reached.extend(cx.model.switches.values().filter_map(|switch| switch.to.as_ref()).map(|to| to.node.as_str()));
    loop {
        let next = edges
            .iter()
            .find(|edge| reached.contains(&edge.parent.name.as_str()) && !reached.contains(&edge.child.name.as_str()));
        match next {
            Some(edge) => reached.push(&edge.child.name),
            None => break,
        }
    }
    for agent in suspects().filter(|agent| !reached.contains(&agent.name.as_str())) {
        let mut finding = Finding::new(CODE, agent.span, format!("nothing can start the agent `{}`", agent.name))
            .label("hidden, so no person chooses it; a subagent, and every other agent may not delegate to it")
            .agent(&agent.name)
            .help(format!("allow an agent to delegate to `{}`, or show or delete it", agent.name));
        let denies = written::rules(cx.model).filter(|rule| {
            !rule.permission.is_everything()
                && rule.action == crate::rule::Action::Deny
                && rule.pattern.matches(&agent.name, crate::language::Case::Sensitive)
                && written::spoken(cx.model, rule).any(|(_, permission)| permission.resource == ResourceKind::Agent)
        });
        for rule in denies.take(3) {
            finding = finding.related(rule.origin.span, "denied here");
        }
        sink.push(finding);
    }
}
