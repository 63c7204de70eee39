//! PC0503: there are agents, and a person can choose none of them.

use super::Cx;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::ruleset::{NoDefault, default_agent};

pub(crate) const CODE: Code = Code::new("PC0503", "no-visible-primary", Severity::Error);

/// How many agents are shown.
const SHOWN: usize = 5;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    if default_agent(cx.model).err() != Some(NoDefault::NoVisiblePrimary) {
        return;
    }
    // A file of layers and lists, meant to be used by others, has no agents at all.
    let touched = || cx.model.agents.values().filter(|agent| !agent.prelude || !agent.touched.is_empty());
    let Some(first) = touched().next() else { return };
    let at = |agent: &crate::model::Agent| agent.touched.first().copied().unwrap_or(agent.span);
    let mut finding = Finding::new(CODE, at(first), NoDefault::NoVisiblePrimary.message(""))
        .note("a session starts with the default agent, so this policy starts none")
        .help("make one `mode primary`, not hidden and not disabled");
    for (place, agent) in touched().take(SHOWN).enumerate() {
        let state = match (agent.disabled, agent.selectable()) {
            (true, _) => "disabled",
            (false, false) => "a subagent",
            (false, true) => "hidden",
        };
        let text = format!("`{}` is {state}", agent.name);
        finding = if place == 0 { finding.label(text) } else { finding.related(at(agent), text) };
    }
    sink.push(finding);
}
