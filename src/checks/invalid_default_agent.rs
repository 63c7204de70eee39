//! PC0502: the agent named as the default cannot be it.

use super::Cx;
use crate::diagnostic::{Code, Finding, Severity, Sink, near_name};
use crate::ruleset::{NoDefault, default_agent};

pub(crate) const CODE: Code = Code::new("PC0502", "invalid-default-agent", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let Some(named) = &cx.model.default_agent else { return };
    let Err(why) = default_agent(cx.model) else { return };
    let declared = cx.model.agents.get(&named.node);
    let mut finding = Finding::new(CODE, named.span, why.message(&named.node)).agent(&named.node);
    let usable = || cx.model.live_agents().filter(|agent| agent.selectable() && !agent.hidden);
    if let Some(agent) = declared {
        let state = match why {
            NoDefault::IsSubagent => "only other agents can start it",
            NoDefault::IsHidden => "it is left out of every menu",
            NoDefault::NotFound | NoDefault::NoVisiblePrimary => "it is disabled, so it does not exist",
        };
        finding = finding.related(agent.touched.first().copied().unwrap_or(agent.span), state);
    }
    let first = usable().next().map(|agent| agent.name.as_str());
    let near = near_name(&named.node, usable().map(|agent| agent.name.as_str()));
    sink.push(match (declared, near, first) {
        (None, Some(near), _) => finding.help(format!("did you mean `{near}`?")),
        (_, _, Some(first)) => finding
            .help(format!("name an agent that a person can choose; without `default agent` it would be `{first}`")),
        _ => finding.help("declare an agent that a person can choose: `mode primary`, not hidden, not disabled"),
    });
}
