//! PC0805: a test that names an agent, a permission or a tool that nothing knows.

use super::{Cx, vocabulary, written};
use crate::diagnostic::{Code, Finding, Severity, Sink, near_name};

pub(crate) const CODE: Code = Code::new("PC0805", "test-names-unknown-rule", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for test in &cx.model.tests {
        let agent = &test.agent;
        if cx.set_of(&agent.node).is_some() {
            for expectation in &test.expectations {
                if let Some(unknown) = vocabulary::unknown_in_test(cx.model, cx.rulesets, &expectation.node) {
                    let finding = Finding::new(CODE, unknown.span, unknown.message).help(unknown.help);
                    sink.push(
                        finding.note("an expectation about a name that nothing has tests nothing: it counts as failed"),
                    );
                }
            }
            continue;
        }
        let mut finding = Finding::new(CODE, agent.span, format!("no agent is called `{}`", agent.node))
            .label("nothing in this block is tested, so all of it counts as failed");
        if let Some(declared) = cx.model.agents.get(&agent.node) {
            finding.message = format!("the agent `{}` is disabled", agent.node);
            finding = finding.related(declared.touched.first().copied().unwrap_or(declared.span), "declared here");
            sink.push(finding.help("enable it, or delete the test"));
            continue;
        }
        let known = || cx.model.live_agents().map(|agent| agent.name.as_str());
        sink.push(match near_name(&agent.node, known()) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("the agents are {}", written::listed(known(), 12))),
        });
    }
}
