//! PC0301: an agent that may not edit writes through another permission that is declared to give it.

use super::{Cx, loopholes, ways, written};
use crate::capabilities::Way;
use crate::diagnostic::{Code, Finding, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0301", "write-by-edit", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let all = loopholes::of(cx, sink);
    for loophole in all.iter().filter(|loophole| !loophole.native) {
        let own: Vec<&Way> = loophole.ways.iter().filter(|way| loopholes::is_permission(way)).collect();
        if own.is_empty() {
            continue;
        }
        let names = written::listed(loopholes::permissions(&loophole.ways), 4);
        let agents = written::listed(loophole.agents.iter().map(String::as_str), 6);
        let outside = if loophole.narrowed { " outside the paths it is given" } else { "" };
        let text = format!("{agents} may not edit{outside}, and may write through {names}");
        let finding = Finding::new(CODE, loophole.deny, text).label("denies editing");
        let help = format!("deny {names} too, name the paths that are meant, or let a person be asked");
        sink.push(ways::told(ways::about(finding, &loophole.agents), &own, cx).help(help));
    }
}
