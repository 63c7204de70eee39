//! PC0331: a patch moves a file to where it may not be written, and only the file it starts from is asked.

use super::{Cx, parted, proof, said, written};
use crate::decide::{decide, strictest, visible};
use crate::diagnostic::{Code, Confidence, Severity, Sink};
use crate::language::Call;
use crate::model::Capability;
use crate::rule::Action;

pub(crate) const CODE: Code = Code::new("PC0331", "patch-move", Severity::Info);

/// A call that moves a file, and the one request of it that shows why it passes.
struct Moved {
    tool: &'static str,
    input: serde_json::Value,
    asked: Call,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let permissions: Vec<&str> = written::giving(cx.model, Capability::Write).collect();
    let open = [Action::Allow, Action::Ask];
    let all = parted::each(cx, &permissions, |parted, cx| {
        let sources = parted.others(&open, cx);
        sources.into_iter().find_map(|source| moved(parted, source, cx))
    });
    let Some((first, moved)) = all.first() else { return };
    let rules = parted::rules(&all);
    let s = if rules.len() == 1 { "s" } else { "" };
    let text = format!(
        "{} stop{s} no move: a call of `{}` that moves a file asks about where it was, not where it goes",
        said::subject(&rules),
        moved.tool
    );
    let Moved { tool, input, asked } = moved;
    let finding = parted::about(CODE, first, text)
        .confidence(Confidence::Catalogue)
        .label("denies where the file goes")
        .note(format!(
            "`{tool}` with {input} asks {} `{}` alone, and writes `{}`",
            asked.key, asked.value, first.denied.value
        ))
        .note(format!("this holds for {} {}", cx.runtime.name(), cx.version.id))
        .help(format!("no rule about paths closes this: only an agent that may edit nothing is not shown `{tool}`"));
    let finding = parted::listed(finding, &all, "nor does this");
    proof::push(sink, finding, first.set, (asked, &[]), |_, decision| decision.action != Action::Deny);
}

/// The call that moves a file from where editing passes to where it is denied, if the agent is shown the tool and nothing
/// that the call asks is denied.
fn moved(parted: &parted::Parted<'_>, source: Call, cx: &Cx<'_>) -> Option<Moved> {
    let (set, target) = (parted.set, &parted.denied);
    let (tool, input) = cx.runtime.move_call(&source.value, &target.value, cx.version)?;
    let declared = cx.model.permissions.get(&target.key)?;
    let shown = declared.tools.iter().any(|name| name.node == tool) && visible(set, &target.key, cx.model.visibility);
    let asks = cx.runtime.asks(tool, &input, cx.version, None).ok()?;
    let decided = asks.requests.iter().map(|asked| decide(set, &asked.permission, &asked.resource).action);
    let passes = shown && asks.open.is_none() && strictest(decided) != Action::Deny;
    passes.then_some(Moved { tool, input, asked: source })
}
