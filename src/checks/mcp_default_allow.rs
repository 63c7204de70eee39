//! PC0309: an agent that may not edit may call every tool of a server that the config starts.

use super::{Cx, loopholes, proof, ways, written};
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

/// What is said of one denial, and of the same servers, for all agents that it holds for.
struct Open<'a> {
    set: &'a Ruleset,
    place: Span,
    servers: Vec<&'a str>,
    call: Call,
    agents: Vec<String>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    if cx.servers.is_empty() {
        return;
    }
    let rulesets = cx.rulesets;
    let mut found: Vec<Open<'_>> = Vec::new();
    for set in reach::judged(cx.model, rulesets).into_iter().filter_map(|at| rulesets.get(at)) {
        let Some(standing) = loopholes::standing(cx, set).filter(|standing| !standing.native()) else { continue };
        let place = standing.span();
        let servers = cx.servers.iter().map(|server| server.node.as_str());
        let open: Vec<(&str, Call)> =
            servers.filter_map(|server| Some((server, allowed(cx, set, server, place)?))).collect();
        let Some((_, call)) = open.first() else { continue };
        let servers: Vec<&str> = open.iter().map(|(server, _)| *server).collect();
        match found.iter_mut().find(|known| known.place == place && known.servers == servers) {
            Some(known) => known.agents.push(set.agent.clone()),
            None => found.push(Open { set, place, servers, call: call.clone(), agents: vec![set.agent.clone()] }),
        }
    }
    for open in &found {
        tell(open, sink);
    }
}

fn tell(open: &Open<'_>, sink: &mut Sink) {
    let agents = written::listed(open.agents.iter().map(String::as_str), 6);
    let names = written::listed(open.servers.iter().copied(), 6);
    let text = format!("{agents} may not edit, and may call tools of {names} without being asked");
    let first = open.servers.first().copied().unwrap_or_default();
    let finding = Finding::new(CODE, open.place, text)
        .label("denies editing")
        .confidence(Confidence::Catalogue)
        .note("what a server's tools do is not known; one that writes files asks nothing about editing")
        .help(format!("deny `{first}_*` and allow the tools that only read by name"));
    let finding = ways::about(finding, &open.agents);
    proof::push(sink, finding, open.set, (&open.call, &[]), |_, decision| decision.action == Action::Allow);
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
