//! PC0332: an answer "always" is kept behind all rules, and covers calls that a rule denies.

use super::parted::Parted;
use super::{Cx, parted, proof, said};
use crate::diagnostic::{Code, Confidence, Severity, Sink};
use crate::language::{Call, Pattern};
use crate::model::ResourceKind;
use crate::rule::Action;
use crate::runtimes::Request;
use crate::source::Span;

pub(crate) const CODE: Code = Code::new("PC0332", "approval-beats-deny", Severity::Info);

/// A request that a user's rule has asked, and what "always" makes of it.
struct Approval {
    asked: Call,
    by: Span,
    pattern: Pattern,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    // Of what is never asked nothing is approved.
    let unasked = cx.runtime.holes(cx.version).unasked;
    let asked = |name: &&str| !name.contains(['*', '?']) && !unasked.contains(name);
    let permissions: Vec<&str> = model.permissions.keys().map(String::as_str).filter(asked).collect();
    let all = parted::each(cx, &permissions, |parted, cx| {
        let mut asked = akin(&parted.denied, cx);
        asked.extend(parted.others(&[Action::Ask], cx));
        asked.into_iter().find_map(|call| approval(parted, call, cx))
    });
    let Some((first, approval)) = all.first() else { return };
    let rules = parted::rules(&all);
    let s = if rules.len() == 1 { "s" } else { "" };
    let text = format!(
        "{} hold{s} until a person answers \"always\": the answer counts after all rules",
        said::subject(&rules)
    );
    let Approval { asked, by, pattern } = approval;
    let denied = &first.denied;
    let finding = parted::about(CODE, first, text)
        .confidence(Confidence::Catalogue)
        .label("denies a part of what is asked")
        .related(*by, "asks")
        .note(format!(
            "after \"always\" to {} `{}`, {} `{}` passes whatever rules say, and so does `{}`",
            asked.key,
            asked.value,
            asked.key,
            pattern.text(),
            denied.value
        ))
        .note(format!("this holds for {} {}", cx.runtime.name(), cx.version.id))
        .help("answer \"once\" where a denial stands, or allow what need not be asked and deny the rest");
    let finding = parted::listed(finding, &all, "so does this");
    proof::push(sink, finding, first.set, (denied, &[]), |_, decision| decision.action == Action::Deny);
}

/// Command lines that begin as a denied one does, the nearest first: what is approved of them may cover it.
fn akin(denied: &Call, cx: &Cx<'_>) -> Vec<Call> {
    let kind = cx.model.permissions.get(&denied.key).map(|declared| declared.resource);
    if kind != Some(ResourceKind::Command) {
        return Vec::new();
    }
    let starts = denied.value.match_indices(' ').filter_map(|(at, _)| denied.value.get(..at)).take(2);
    let mut lines: Vec<String> = starts.map(|start| format!("{start} x")).collect();
    lines.reverse();
    lines.into_iter().map(|value| Call { key: denied.key.clone(), value }).collect()
}

/// What "always" to a call makes of the denied one, if a user's rule has the call asked.
fn approval(parted: &Parted<'_>, asked: Call, cx: &Cx<'_>) -> Option<Approval> {
    let by = parted.decider(&asked).filter(|rule| rule.action == Action::Ask && !rule.origin.prelude)?;
    let request = Request { permission: asked.key.clone(), resource: asked.value.clone() };
    let pattern = cx.runtime.approves(&request, cx.version)?;
    // It counts after all rules, so whatever it matches passes.
    let opens = pattern.matches(&parted.denied.value, parted.set.case);
    opens.then(|| Approval { by: said::span(by), asked, pattern })
}
