//! PC0507: an agent that no menu shows may write.

use super::{Cx, loopholes, proof, ways};
use crate::capabilities::{Closure, Goal};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::model::{Agent, Capability};

pub(crate) const CODE: Code = Code::new("PC0507", "hidden-agent-writes", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let hidden: Vec<&Agent> = cx.model.live_agents().filter(|agent| agent.hidden && !agent.prelude).collect();
    let goal = Goal { silently: true, declared: true, ..Goal::of(Capability::Write) };
    let mut closure = Closure::new(cx.world, goal);
    for agent in hidden {
        let found = closure.ways(&agent.name, cx.budget);
        proof::push_wrong(sink, CODE, agent.span, &found.wrong, cx.rulesets);
        let Some(way) = found.ways.iter().find(|way| loopholes::counts(way)) else {
            if !found.doubts.is_empty() {
                cx.doubt(agent.span, "whether a hidden agent may write");
            }
            continue;
        };
        let text = format!("no menu shows the agent `{}`, and it may write without asking", agent.name);
        let finding = Finding::new(CODE, agent.span, text)
            .confidence(ways::confidence(way))
            .label("hidden")
            .agent(&agent.name)
            .help("let a person be asked before it writes, or show it");
        sink.push(ways::told(finding, &[way], cx));
    }
}
