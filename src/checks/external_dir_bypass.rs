//! PC0312: folders outside the project are denied, and a command reaches them without that rule being asked.

use super::{Cx, proof, said, ways, written};
use crate::capabilities::{Closure, Entries, Goal, Way};
use crate::decide::decide;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Dialect, Pattern};
use crate::model::{Capability, Family};
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

pub(crate) const CODE: Code = Code::new("PC0312", "external-dir-bypass", Severity::Error);

/// What is looked for outside.
struct Outside {
    capability: Capability,
    /// Of the commands that give it, those that are there to act upon the files they are told.
    entries: Entries,
    /// The folder, as the permission that guards it is asked.
    folder: &'static str,
    file: &'static str,
}

const OUTSIDE: [Outside; 2] = [
    Outside { capability: Capability::Read, entries: shows, folder: "/etc/*", file: "/etc/hosts" },
    Outside { capability: Capability::Write, entries: writes, folder: "/tmp/*", file: "/tmp/out.txt" },
];

fn shows(family: Option<Family>, line: &str) -> bool {
    // Of what git shows, this alone need not be in its folder.
    family == Some(Family::Secret) && (ways::is_about_files(family, line) || line.starts_with("git diff --no-index "))
}

fn writes(family: Option<Family>, line: &str) -> bool {
    match family {
        // Options that name a file name any file, also git's.
        Some(Family::Option) => true,
        Some(Family::Redirect | Family::FilterTool) => ways::is_about_files(family, line),
        _ => false,
    }
}

/// Commands that everybody knows, told before others.
const PLAIN: [&str; 3] = ["head ", "grep ", "tee "];

/// A denial, and the agents that get around it by the same call.
struct Bypass<'a> {
    deny: &'a Rule,
    agents: Vec<String>,
    ways: Vec<Way>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let Some(guard) = cx.runtime.guards_outside() else { return };
    let rulesets = cx.rulesets;
    let mut found: Vec<Bypass<'_>> = Vec::new();
    for set in reach::judged(cx.model, rulesets).into_iter().filter_map(|at| rulesets.get(at)) {
        let Some(deny) = denied(set, guard) else { continue };
        let ways = bypasses(cx, set, guard, deny, sink);
        if ways.is_empty() {
            continue;
        }
        let same = |known: &&mut Bypass<'_>| known.deny.id == deny.id && example(&known.ways) == example(&ways);
        match found.iter_mut().find(same) {
            Some(known) => known.agents.push(set.agent.clone()),
            None => found.push(Bypass { deny, agents: vec![set.agent.clone()], ways }),
        }
    }
    for bypass in &found {
        sink.push(told(bypass, guard, cx));
    }
}

/// The rule of a user that denies all folders outside by the name of their guard, if it is the last about all of them.
fn denied<'a>(set: &'a Ruleset, guard: &str) -> Option<&'a Rule> {
    let about = |rule: &&Rule| rule.pattern.is_everything() && rule.permission.matches(guard, set.case);
    let last = set.rules.iter().rfind(about)?;
    let named = last.permission.text() == guard && !last.origin.prelude;
    (named && last.action == Action::Deny).then_some(last)
}

/// One way for each rule that lets some pass, to read and to write, the best known commands first.
fn bypasses(cx: &mut Cx<'_>, set: &Ruleset, guard: &str, deny: &Rule, sink: &mut Sink) -> Vec<Way> {
    let mut out = Vec::new();
    for outside in OUTSIDE.iter().filter(|outside| decide(set, guard, outside.folder).action == Action::Deny) {
        let Ok(exactly) = Pattern::new(Dialect::Exact, outside.file) else { continue };
        let goal = Goal { include: vec![exactly], silently: true, ..Goal::of(outside.capability) };
        let found = Closure::new(cx.world, goal).own_ways(&set.agent, outside.entries, cx.budget);
        proof::push_wrong(sink, proof::CODE, said::span(deny), &found.wrong, cx.rulesets);
        let counts = |way: &Way| ways::names(way, outside.file) && is_unguarded(way, guard, set, cx);
        let mut ways: Vec<Way> = found.ways.into_iter().filter(counts).collect();
        ways.sort_by_key(|way| !is_plain(way));
        let mut rules: Vec<Option<usize>> = Vec::new();
        for way in ways {
            let rule = way.last().and_then(|last| last.rule);
            if !rules.contains(&rule) {
                rules.push(rule);
                out.push(way);
            }
        }
    }
    out
}

fn is_plain(way: &Way) -> bool {
    way.last().is_some_and(|last| PLAIN.iter().any(|name| last.resource.starts_with(name)))
}

/// Whether the runtime asks for a command without asking the guard, and every request passes.
fn is_unguarded(way: &Way, guard: &str, set: &Ruleset, cx: &Cx<'_>) -> bool {
    let call = way.last().and_then(|last| cx.runtime.command_call(&last.resource, cx.version));
    let asks = call.and_then(|(tool, input)| cx.runtime.asks(tool, &input, cx.version, None).ok());
    asks.is_some_and(|asks| {
        let mut requests = asks.requests.iter();
        asks.open.is_none()
            && requests.all(|request| {
                let passes = decide(set, &request.permission, &request.resource).action == Action::Allow;
                request.permission != guard && passes
            })
    })
}

/// The command that is told first.
fn example(ways: &[Way]) -> &str {
    ways.first().and_then(Way::last).map(|step| step.resource.as_str()).unwrap_or_default()
}

fn told(bypass: &Bypass<'_>, guard: &str, cx: &Cx<'_>) -> Finding {
    let agents = written::listed(bypass.agents.iter().map(String::as_str), 6);
    let call = example(&bypass.ways);
    let text = format!("folders outside the project are denied, and `{call}` reaches one: {agents}");
    let finding = Finding::new(CODE, said::span(bypass.deny), text)
        .label("denies folders outside")
        .confidence(Confidence::Catalogue)
        .note(format!("the runtime does not ask `{guard}` for this call, so no rule about it is consulted"));
    let shown: Vec<&Way> = bypass.ways.iter().collect();
    ways::told(ways::about(finding, &bypass.agents), &shown, cx)
        .help("let a person be asked about commands that take a path, or deny them")
}
