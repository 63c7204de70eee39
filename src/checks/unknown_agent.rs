//! PC0501: a rule about delegation, or a switch, names an agent that does not exist.

use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink, near_name};
use crate::model::{Model, ResourceKind};
use crate::rule::Action;

pub(crate) const CODE: Code = Code::new("PC0501", "unknown-agent", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for rule in written::rules(cx.model) {
        let delegates = !rule.permission.is_everything()
            && written::spoken(cx.model, rule).any(|(_, permission)| permission.resource == ResourceKind::Agent);
        if !delegates || !written::is_literal(&rule.pattern) {
            continue;
        }
        let name = rule.pattern.text();
        match cx.model.agents.get(name) {
            None => {
                let text = format!("this rule is about an agent `{name}`, which does not exist");
                sink.push(unknown(cx.model, name, Finding::new(CODE, rule.origin.span, text)));
            }
            Some(agent) if agent.disabled && rule.action != Action::Deny => {
                let text = format!("this rule lets agents start `{name}`, which is disabled");
                let finding = Finding::new(CODE, rule.origin.span, text).severity(Severity::Warning);
                sink.push(finding.related(agent.span, "declared here").help("enable it, or delete the rule"));
            }
            Some(_) => {}
        }
    }
    for (switch, declared) in cx.model.switches.iter().filter(|(_, switch)| !switch.prelude) {
        for name in declared.from.iter().chain(&declared.to) {
            if !cx.model.agents.contains_key(&name.node) {
                let text = format!("the switch `{switch}` names an agent `{}`, which does not exist", name.node);
                sink.push(unknown(cx.model, &name.node, Finding::new(CODE, name.span, text)));
            }
        }
    }
}

/// A near name makes it a slip; without one the agent may live in a source that was not read, which is a warning.
fn unknown(model: &Model, name: &str, finding: Finding) -> Finding {
    let known = || model.agents.keys().map(String::as_str);
    // A comment that was swallowed into the name: `explore # fast`.
    let first = name.split([' ', '\t', '#', ',']).next().unwrap_or(name);
    match known().find(|known| *known == first).or_else(|| near_name(name, known())) {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding
            .severity(Severity::Warning)
            .note("only agents of the files that were read are known here")
            .help(format!("the agents are {}", written::listed(known(), 12))),
    }
}
