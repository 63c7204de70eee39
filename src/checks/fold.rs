//! What stands in one file several times, word for word, as in tables that were copied from agent to agent, is found once,
//! with a list.

use super::{said, written};
use crate::diagnostic::{Finding, Fix, Label, Severity};
use crate::source::{FileId, SourceMap};
use std::collections::HashMap;

/// So many agents are named.
const NAMED: usize = 6;

/// Folds findings of one code that say the same of the same text, in one file. What is ignored stays apart.
pub fn fold(findings: Vec<Finding>, sources: &SourceMap) -> Vec<Finding> {
    let mut out: Vec<Folded> = Vec::with_capacity(findings.len());
    let mut known: HashMap<Key, usize> = HashMap::new();
    for finding in findings {
        let next = out.len();
        let at = key(&finding, sources).map_or(next, |key| *known.entry(key).or_insert(next));
        match out.get_mut(at).filter(|folded| folded.first.primary.span != finding.primary.span) {
            Some(folded) => folded.copies.push(finding),
            None => out.push(Folded { first: finding, copies: Vec::new() }),
        }
    }
    out.into_iter().map(Folded::finding).collect()
}

/// Code, severity, file, whether there is a fix; message; the texts it points at.
type Key = (&'static str, Severity, FileId, bool, String, Vec<String>);

/// What is equal in copies; `None` for what is never folded. Rules and keys are: not texts that cannot be read, tests, or
/// annotations, each of which is its own.
fn key(finding: &Finding, sources: &SourceMap) -> Option<Key> {
    let id = finding.code.id;
    let folds = id.starts_with("PC01") || ("PC1005".."PC1009").contains(&id);
    if !folds || finding.ignored.is_some() {
        return None;
    }
    let labels = std::iter::once(&finding.primary).chain(&finding.related);
    let texts = labels.map(|label| sources.slice(label.span).to_owned()).collect();
    let fixed = finding.fix.is_some();
    Some((id, finding.severity, finding.primary.span.file, fixed, finding.message.clone(), texts))
}

/// Findings that say the same.
struct Folded {
    first: Finding,
    copies: Vec<Finding>,
}

impl Folded {
    fn finding(self) -> Finding {
        let Folded { mut first, copies } = self;
        if copies.is_empty() {
            return first;
        }
        let places = copies.iter().map(|copy| copy.primary.span).take(said::LISTED);
        first.related.extend(places.map(|span| Label::new(span, "the same again")));
        let agents: Vec<&str> = copies.iter().filter_map(|copy| copy.agent.as_deref()).collect();
        let times = if copies.len() == 1 { "once more".to_owned() } else { format!("{} more times", copies.len()) };
        first.notes.push(match agents.is_empty() {
            true => format!("the same stands there {times}"),
            false => format!("the same stands there {times}, for {}", written::listed(agents, NAMED)),
        });
        let fixes = copies.into_iter().filter_map(|copy| copy.fix);
        first.fix = first.fix.take().map(|fix| fixes.fold(fix, join));
        first
    }
}

fn join(mut one: Fix, other: Fix) -> Fix {
    one.edits.extend(other.edits);
    one.edits.sort_by_key(|edit| edit.span);
    one.changes.extend(other.changes);
    one
}
