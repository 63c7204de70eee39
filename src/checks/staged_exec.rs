//! PC0317: an agent that may edit named paths only may edit a file and start a command that does what the file says.

mod stages;

use super::{Cx, loopholes, said, ways, witness, written};
use crate::decide::decide;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Answer, Pattern};
use crate::model::{Command, Family, ResourceKind};
use crate::reach;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::source::Span;

pub(crate) const CODE: Code = Code::new("PC0317", "staged-exec", Severity::Warning);

/// An edit that passes, and a command that passes and does what was written.
#[derive(PartialEq, Eq)]
struct Staged {
    file: &'static str,
    permission: String,
    line: String,
}

/// What the agents that one rule binds can do.
struct Found<'a> {
    set: &'a Ruleset,
    deny: Span,
    edit: &'a str,
    staged: Vec<Staged>,
    agents: Vec<String>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let rulesets = cx.rulesets;
    let mut found: Vec<Found<'_>> = Vec::new();
    for set in reach::judged(cx.model, rulesets).into_iter().filter_map(|at| rulesets.get(at)) {
        let Some(standing) =
            loopholes::standing(cx, set).filter(|standing| !standing.native() && standing.is_narrowed())
        else {
            continue;
        };
        let (deny, edit) = (standing.span(), standing.permission());
        let staged = of_set(cx, set, edit, deny);
        if staged.is_empty() || writes_at_once(cx, set, sink) {
            continue;
        }
        match found.iter_mut().find(|known| known.deny == deny && known.staged == staged) {
            Some(known) => known.agents.push(set.agent.clone()),
            None => found.push(Found { set, deny, edit, staged, agents: vec![set.agent.clone()] }),
        }
    }
    for one in &found {
        report(one, sink);
    }
}

/// Whether the agent writes through the shell without any file of its own, which is told already. What is added to a command
/// does not count, a redirection or an option: a deny of that leaves this open.
fn writes_at_once(cx: &mut Cx<'_>, set: &Ruleset, sink: &mut Sink) -> bool {
    let all = loopholes::of(cx, sink);
    let own = all.iter().filter(|loophole| loophole.agents.contains(&set.agent));
    let mut commands = own.flat_map(loopholes::commands);
    let added = [Family::Redirect, Family::Option, Family::GlobalOption];
    commands.any(|way| ways::family(way).is_none_or(|family| !added.contains(&family)))
}

/// One pair of calls for each kind of file.
fn of_set<'a>(cx: &mut Cx<'a>, set: &'a Ruleset, edit: &str, deny: Span) -> Vec<Staged> {
    let mut out = Vec::new();
    for stage in stages::STAGES {
        let editable = |file: &&&str| decide(set, edit, file).action == Action::Allow;
        let Some(file) = stage.files.iter().find(editable) else { continue };
        let commands = stage.lines.iter().filter_map(|line| stages::command(line));
        let first = commands.into_iter().find_map(|command| runs(cx, set, command, deny));
        out.extend(first.map(|(permission, line)| Staged { file, permission, line }));
    }
    out
}

/// A line of a command that passes: the example, else the shortest.
fn runs<'a>(cx: &mut Cx<'a>, set: &'a Ruleset, command: &Command, deny: Span) -> Option<(String, String)> {
    let model = cx.model;
    let running = model.permissions.iter().filter(|(_, declared)| declared.resource == ResourceKind::Command);
    for (permission, _) in running {
        let (runtime, version) = (cx.runtime, cx.version);
        let passes = |line: &str| {
            decide(set, permission, line).action == Action::Allow && runtime.asks_whole(version, permission, line)
        };
        let example = command.example.as_ref().map(|example| example.node.as_str());
        if let Some(line) = example.filter(|line| passes(line)) {
            return Some((permission.clone(), line.to_owned()));
        }
        let include = [(Pattern::wildcard(permission), command.line.pattern())];
        match cx.world.tables.speaking(set, permission).find(&include, &[], &[Action::Allow], cx.budget) {
            Ok(Answer::Yes(call)) if passes(&call.value) => return Some((permission.clone(), call.value)),
            Ok(Answer::Yes(_) | Answer::No) => {}
            Ok(Answer::Undecided { .. }) | Err(_) => {
                cx.doubt(deny, "whether an agent may run what it may edit");
            }
        }
    }
    None
}

fn report(found: &Found<'_>, sink: &mut Sink) {
    let Found { set, deny, edit, staged, agents } = found;
    let Some((first, others)) = staged.split_first() else { return };
    let calls = [(*set, *edit, first.file), (*set, first.permission.as_str(), first.line.as_str())];
    let Some(witness) = witness::chain(&calls, Action::Allow) else { return };
    let names = written::listed(agents.iter().map(String::as_str), 6);
    let (file, line) = (first.file, &first.line);
    let text = format!(
        "{names} may edit named paths only, among them `{file}`, and may run `{line}`, which does what it says"
    );
    let mut finding = Finding::new(CODE, *deny, text)
        .label("denies editing everything else")
        .confidence(Confidence::Catalogue)
        .note("what is run so may write any file")
        .help("deny the file after the paths that are allowed, or let a person be asked about the command")
        .witness(witness);
    for (_, permission, resource) in calls {
        if let Some((_, rule)) = decide(set, permission, resource).rule {
            finding = finding.related(said::span(rule), format!("lets `{resource}` pass: {}", rule.action));
        }
    }
    for other in others {
        finding = finding.note(format!("the same with `{}` and `{}`", other.file, other.line));
    }
    sink.push(ways::about(finding, agents));
}
