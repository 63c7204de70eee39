//! Fixes applied to texts: together where that can be proved, else by halves, and left out where it cannot.

use crate::diagnostic::{Edit, Finding, Fix, Severity};
use crate::fidelity::{self, Fidelity, Side};
use crate::language::{Budget, Pattern};
use crate::model::Model;
use crate::project::Compilation;
use crate::reach;
use crate::rewrite;
use crate::ruleset::Ruleset;
use crate::source::{FileId, SourceMap, Span};
use std::collections::BTreeMap;

/// Of some fixes those that can be made together: the first of each that overlap.
pub fn apart(fixes: Vec<&Fix>) -> Vec<&Fix> {
    let mut taken: Vec<Span> = Vec::new();
    let mut out = Vec::new();
    for fix in fixes {
        // Edits that touch may be one line twice, or a comma and its entry.
        let touches = |a: Span, b: Span| a.file == b.file && a.start <= b.end && b.start <= a.end;
        if fix.edits.iter().all(|edit| !taken.iter().any(|other| touches(edit.span, *other))) {
            taken.extend(fix.edits.iter().map(|edit| edit.span));
            out.push(fix);
        }
    }
    out
}

/// The texts of the files that fixes change, changed; `None` if an edit is no place of its file.
pub fn texts(fixes: &[&Fix], sources: &SourceMap) -> Option<Vec<(FileId, String)>> {
    let mut edits: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
    for edit in fixes.iter().flat_map(|fix| &fix.edits) {
        edits.entry(edit.span.file).or_default().push(edit.clone());
    }
    let text = |(file, edits): (FileId, Vec<Edit>)| Some((file, rewrite::apply(sources.file(file)?.text(), &edits)?));
    edits.into_iter().map(text).collect()
}

/// Whether fixes did what they say and nothing else, for every call of every agent: the same agents, no new errors, and the
/// same decisions but for the calls of the rules that the fixes are about. Where they are about none, the same tools are
/// hidden too.
pub fn proved(before: &Compilation, after: &Compilation, fixes: &[&Fix], budget: &mut Budget) -> bool {
    let known = |finding: &Finding| {
        before.findings.iter().any(|old| old.code == finding.code && old.message == finding.message)
    };
    let broken = after.findings.iter().any(|finding| finding.severity == Severity::Error && !known(finding));
    let agents = |compilation: &Compilation| -> Vec<String> {
        compilation.rulesets.iter().map(|set| set.agent.clone()).collect()
    };
    if broken || agents(before) != agents(after) {
        return false;
    }
    let spans: Vec<Span> = fixes.iter().flat_map(|fix| fix.changes.iter().copied()).collect();
    let impossible = reach::impossible(&before.model, before.runtime);
    before.rulesets.iter().zip(&after.rulesets).all(|(old, new)| {
        let (ours, theirs) = (side(old, &before.model), side(new, &after.model));
        match spans.is_empty() {
            true => fidelity::compare(ours, theirs, &impossible, budget) == Fidelity::Exact,
            false => fidelity::same_but(ours, theirs, &calls(old, &spans), &impossible, budget) == Some(true),
        }
    })
}

fn side<'a>(set: &'a Ruleset, model: &Model) -> Side<'a> {
    Side { set, visibility: model.visibility }
}

/// The calls that the rules of these places match.
fn calls(set: &Ruleset, spans: &[Span]) -> Vec<(Pattern, Pattern)> {
    let rules = set.rules.iter().filter(|rule| spans.contains(&rule.origin.span));
    rules.map(|rule| (rule.permission.clone(), rule.pattern.clone())).collect()
}
