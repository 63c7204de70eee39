//! How it is told that an agent that may not edit writes through the shell: one story for several checks.

use super::loopholes::{self, Loophole};
use super::{Cx, ways, written};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Confidence, Finding, Sink};
use crate::model::Family;

/// Reports, of each agent that a user's rule keeps from editing, the command lines whose most telling kind is one of these.
pub(crate) fn tell(code: Code, families: &[Family], cx: &mut Cx<'_>, sink: &mut Sink) {
    let all = loopholes::of(cx, sink);
    for loophole in all.iter().filter(|loophole| !loophole.native) {
        let commands = loopholes::commands(loophole);
        if !ways::kind(&commands).is_some_and(|kind| families.contains(&kind)) {
            continue;
        }
        sink.push(by_commands(code, loophole, &commands, cx));
    }
}

fn by_commands(code: Code, loophole: &Loophole, commands: &[&Way], cx: &Cx<'_>) -> Finding {
    let agents = written::listed(loophole.agents.iter().map(String::as_str), 6);
    let outside = if loophole.narrowed { " outside the paths it is given" } else { "" };
    let telling = by_rule(commands, cx);
    let example = telling.first().and_then(|way| way.last()).map(|step| step.resource.as_str()).unwrap_or_default();
    let text = match ways::kind(commands) {
        Some(Family::Shell) => format!("{agents} may not edit{outside}, and the shell runs anything: `{example}`"),
        _ => format!("{agents} may not edit{outside}, and can write through the shell: `{example}`"),
    };
    let finding = Finding::new(code, loophole.deny, text).label("denies editing").confidence(Confidence::Catalogue);
    ways::told(ways::about(finding, &loophole.agents), &telling, cx)
        .help("deny the shell, or allow only commands that cannot write; `policyc can` lists every way")
}

/// The most telling command line of each rule that lets some pass, those of the kind that all are called by first.
fn by_rule<'w>(commands: &[&'w Way], cx: &Cx<'_>) -> Vec<&'w Way> {
    let mut rules: Vec<Option<u32>> = Vec::new();
    let mut out = Vec::new();
    for way in commands {
        let rule = way.last().and_then(|step| ways::rule(step, cx)).map(|rule| rule.id);
        if rules.contains(&rule) {
            continue;
        }
        rules.push(rule);
        let same: Vec<&Way> = commands
            .iter()
            .filter(|other| other.last().and_then(|step| ways::rule(step, cx)).map(|rule| rule.id) == rule)
            .copied()
            .collect();
        let shown = shown(&same);
        let of_kind = same.iter().find(|way| ways::family(way) == shown);
        out.extend(of_kind.or(same.first()).copied());
    }
    let first = shown(commands);
    out.sort_by_key(|way| (ways::family(way) != first, ways::family(way) == Some(Family::Redirect)));
    out
}

/// The kind that is shown of some command lines. Of a free shell that is the plainest thing: a tool that writes.
fn shown(commands: &[&Way]) -> Option<Family> {
    match ways::kind(commands) {
        Some(Family::Shell) => Some(Family::FilterTool),
        other => other,
    }
}
