//! PC0508: a rule about delegation whose wildcard matches no agent.

use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Case;
use crate::model::ResourceKind;

pub(crate) const CODE: Code = Code::new("PC0508", "task-pattern-empty", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for rule in written::rules(cx.model) {
        let delegates = !rule.permission.is_everything()
            && written::spoken(cx.model, rule).any(|(_, permission)| permission.resource == ResourceKind::Agent);
        if !delegates || written::is_literal(&rule.pattern) || rule.pattern.is_everything() {
            continue;
        }
        let case = cx.rulesets.first().map_or(Case::Sensitive, |set| set.case);
        if cx.model.agents.keys().any(|agent| rule.pattern.matches(agent, case)) {
            continue;
        }
        let text = format!("`{}` matches no agent, so this rule decides nothing", rule.pattern.text());
        let names = written::listed(cx.model.live_agents().map(|agent| agent.name.as_str()), 12);
        sink.push(
            Finding::new(CODE, rule.origin.span, text)
                .note("only agents of the files that were read are known here")
                .help(format!("the agents are {names}")),
        );
    }
}
