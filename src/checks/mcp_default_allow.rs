//! PC0309: an agent that may not edit may call every tool of a server that the config starts.

use super::{Cx, loopholes, proof, written};
use crate::decide::{FALLBACK, decide};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Answer, Call, Colours, Pattern};
use crate::reach;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::source::Span;

pub(crate) const CODE: Code = Code::new("PC0309", "mcp-default-allow", Severity::Warning);

/// What tools that only read are called.
const READING: [&str; 8] = ["*read*", "*get*", "*list*", "*search*", "*view*", "*find*", "*query*", "*fetch*"];

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    if cx.servers.is_empty() {
        return;
    }
    let rulesets = cx.rulesets;
    for set in reach::judged(cx.model, rulesets).into_iter().filter_map(|at| rulesets.get(at)) {
        let Some(standing) = loopholes::standing(cx, set).filter(|standing| !standing.native()) else { continue };
        let place = standing.span();
        let servers = cx.servers.iter().map(|server| server.node.as_str());
        let open: Vec<(&str, Call)> =
            servers.filter_map(|server| Some((server, allowed(cx, set, server, place)?))).collect();
        let Some((first, call)) = open.first() else { continue };
        let names = written::listed(open.iter().map(|(server, _)| *server), 6);
        let text = format!("`{}` may not edit, and may call tools of {names} without being asked", set.agent);
        let finding = Finding::new(CODE, place, text)
            .agent(&set.agent)
            .label("denies editing")
            .confidence(Confidence::Catalogue)
            .note("what a server's tools do is not known; one that writes files asks nothing about editing")
            .help(format!("deny `{}_*` and allow the tools that only read by name", first));
        proof::push(sink, finding, set, (call, &[]), |_, decision| decision.action == Action::Allow);
    }
}

/// A tool of a server that is allowed and not called as tools that only read are.
fn allowed(cx: &mut Cx<'_>, set: &Ruleset, server: &str, place: Span) -> Option<Call> {
    let everything = || Pattern::wildcard("*");
    let include = [(Pattern::wildcard(&format!("{server}_?*")), everything())];
    let exclude: Vec<(Pattern, Pattern)> = READING.iter().map(|name| (Pattern::wildcard(name), everything())).collect();
    let plausible = Call { key: format!("{server}_write_file"), value: "*".to_owned() };
    if decide(set, &plausible.key, &plausible.value).action == Action::Allow {
        return Some(plausible);
    }
    let mut table = reach::table(set.rules.iter(), FALLBACK.colour(), set, &[]).ok()?;
    match table.find(&include, &exclude, Colours::of(&[Action::Allow.colour()]), cx.budget) {
        Answer::Yes((call, _)) => Some(call),
        Answer::No => None,
        Answer::Undecided { .. } => {
            cx.doubt(place, "whether a server's tools are allowed");
            None
        }
    }
}
