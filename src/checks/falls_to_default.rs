//! PC0109: no rule of an agent matches some call of a declared permission, so a person is asked.

use super::{Cx, plausible, proof, written};
use crate::decide::FALLBACK;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Call, Pattern};
use crate::reach;

pub(crate) const CODE: Code = Code::new("PC0109", "falls-to-default", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let never = reach::impossible(cx.model, cx.runtime);
    for (at, set) in cx.rulesets.iter().enumerate() {
        let Some(agent) = cx.model.agents.get(&set.agent).filter(|agent| !agent.prelude) else { continue };
        // What no rule of any kind speaks of is not forgotten in this policy, but none of its business.
        let spoken = cx
            .model
            .permissions
            .keys()
            .filter(|name| !name.contains(['*', '?']))
            .filter(|name| set.rules.iter().any(|rule| written::matches(&rule.permission, name, set.case)));
        let Ok(mut table) = reach::table(set.rules.iter(), FALLBACK.colour(), set, &never) else { continue };
        let mut open: Vec<(&str, Call)> = Vec::new();
        for name in spoken {
            let include = [(Pattern::wildcard(name), Pattern::wildcard("*"))];
            if let Answer::Yes(call) = table.uncovered(&include, cx.budget) {
                open.push((name, call));
            }
        }
        let (Some((name, call)), Some(set)) = (open.first(), cx.rulesets.get(at)) else { continue };
        let names = written::listed(open.iter().map(|(name, _)| *name), 6);
        let text = format!("for some calls of {names}, no rule of `{}` matches, so a person is asked", set.agent);
        let finding = Finding::new(CODE, agent.span, text)
            .agent(&set.agent)
            .help(format!("say it: `ask {name}` before the other rules, or `deny {name}`"));
        let plausible = plausible::calls(cx, &Pattern::wildcard(name), &Pattern::wildcard("*"), set.case);
        proof::push(sink, finding, set, (call, &plausible), |_, decision| decision.rule.is_none());
    }
}
