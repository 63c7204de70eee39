//! PC0314: a file that may not be read can be read by a command.

use super::secrets::{self, Kind, Leak};
use super::{Cx, ways};
use crate::capabilities::{Act, Closure, Goal, Step, Way};
use crate::diagnostic::{Code, Severity, Sink};
use crate::model::{Capability, Family};

pub(crate) const CODE: Code = Code::new("PC0314", "secret-by-shell", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for leak in secrets::of(cx, sink).iter().filter(|leak| leak.kind == Kind::Shown) {
        let does = |call: &Step| format!("`{}` shows it", call.resource);
        let help = |_: &Step| "deny the commands that read files, or let a person be asked about them".to_owned();
        let finding = secrets::told(CODE, leak, &leak.commands(Family::Secret), (does, help), cx);
        let Some(mut finding) = finding else { continue };
        finding.notes.extend(leaves(leak, cx).map(|way| format!("so it can leave the machine: {way}")));
        sink.push(finding);
    }
}

/// How the file, or what was seen of it, leaves the machine, in words. That makes a leak worse and is no finding of its own:
/// what closes the leak closes this too.
fn leaves(leak: &Leak, cx: &mut Cx<'_>) -> Option<String> {
    if let Some(sent) = leak.commands(Family::Network).first() {
        return Some(ways::words(sent));
    }
    let goal = Goal { silently: true, ..Goal::of(Capability::Network) };
    let found =
        Closure::new(cx.world, goal).own_ways(&leak.agent, |family, _| family == Some(Family::Network), cx.budget);
    // Commands that send some other file, and redirections to a network, are far-fetched here.
    let told = |way: &&Way| match &way.act {
        Act::Command { line, .. } => !line.starts_with('*') && !line.contains("{path}"),
        _ => true,
    };
    found.ways.iter().find(told).map(ways::words)
}
