//! PC0330: paths are compared as they are written, and the runtime follows links.

use super::{Cx, parted, proof, said, written};
use crate::diagnostic::{Code, Confidence, Severity, Sink};
use crate::rule::Action;

pub(crate) const CODE: Code = Code::new("PC0330", "links-followed", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let permissions: Vec<&str> = cx.runtime.holes(cx.version).links.to_vec();
    let open = [Action::Allow, Action::Ask];
    let all = parted::each(cx, &permissions, |parted, cx| parted.others(&open, cx).into_iter().next());
    let Some((first, passes)) = all.first() else { return };
    let rules = parted::rules(&all);
    let (s, it) = if rules.len() == 1 { ("s", "it") } else { ("", "them") };
    let text = format!(
        "{} compare{s} paths as they are written, and links are followed: one in a path that passes leads past {it}",
        said::subject(&rules)
    );
    let (permission, passing, denied) = (&passes.key, &passes.value, &first.denied.value);
    let names = written::listed(permissions.iter().copied(), 6);
    let finding = parted::about(CODE, first, text)
        .confidence(Confidence::Catalogue)
        .label("compared with the path as it is written")
        .note(format!("where `{passing}` is a link to `{denied}`, `{permission}` reaches what is denied by its name"))
        .note(format!("this holds for {} {}, of {names}", cx.runtime.name(), cx.version.id))
        .help("no rule closes this: look for links in what the agent may reach, and deny the commands that make them");
    let finding = parted::listed(finding, &all, "so is this");
    proof::push(sink, finding, first.set, (passes, &[]), |_, decision| decision.action != Action::Deny);
}
