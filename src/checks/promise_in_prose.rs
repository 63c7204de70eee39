//! PC1011: a description promises what no rule keeps.

use super::{Cx, loopholes, proof, ways};
use crate::capabilities::{Closure, Goal};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::Pattern;
use crate::model::Capability;

pub(crate) const CODE: Code = Code::new("PC1011", "promise-in-prose", Severity::Info);

/// How people say that an agent changes no files.
const READ_ONLY: [&str; 18] = [
    "read-only",
    "read only",
    "readonly",
    "never edits",
    "never writes",
    "never modifies",
    "never changes",
    "does not edit",
    "does not write",
    "does not modify",
    "does not change",
    "doesn't edit",
    "doesn't write",
    "doesn't modify",
    "cannot edit",
    "cannot write",
    "without editing",
    "without changing",
];

/// How they say that it changes some files only; the next word names them.
const ONLY: [&str; 6] = ["only writes ", "only edits ", "writes only ", "edits only ", "only write ", "only edit "];

/// What a description promises: that nothing is written, or nothing but this.
enum Promise {
    Nothing,
    Only(String),
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for agent in cx.model.live_agents().filter(|agent| !agent.prelude) {
        let Some(description) = agent.attributes.get("description") else { continue };
        let Some(promise) = description.node.as_str().and_then(promise) else { continue };
        // Where a rule denies editing, what gets around it is told of that rule.
        let Some(set) = cx.set_of(&agent.name).filter(|set| loopholes::standing(cx, set).is_none()) else { continue };
        let (except, said) = match &promise {
            Promise::Nothing => (Vec::new(), "as one that writes nothing".to_owned()),
            Promise::Only(path) => (vec![Pattern::wildcard(path)], format!("as one that writes only `{path}`")),
        };
        let goal = Goal { except, silently: true, declared: true, ..Goal::of(Capability::Write) };
        let found = Closure::new(cx.world, goal).ways(&set.agent, cx.budget);
        proof::push_wrong(sink, CODE, description.span, &found.wrong, cx.rulesets);
        let Some(way) = found.ways.iter().find(|way| loopholes::counts(way)) else { continue };
        let text = format!("`{}` is described {said}, and no rule holds it to that", agent.name);
        let finding = Finding::new(CODE, description.span, text)
            .confidence(Confidence::Heuristic)
            .label("a promise in prose")
            .agent(&agent.name)
            .help("deny editing and the shell to it, or say what it does; `cannot write` has a promise proved");
        sink.push(ways::told(finding, &[way], cx));
    }
}

fn promise(description: &str) -> Option<Promise> {
    let text = description.to_lowercase();
    if let Some(path) = ONLY.iter().find_map(|only| named(text.split_once(only)?.1)) {
        return Some(Promise::Only(path));
    }
    let said = |words: &&str| text.contains(*words) && !text.contains(&format!("not {words}"));
    READ_ONLY.iter().any(said).then_some(Promise::Nothing)
}

/// The files that a sentence names next: `docs/`, `to plans/*.md`, `the docs/ folder`.
fn named(rest: &str) -> Option<String> {
    let words = rest.split_whitespace().map(|word| word.trim_matches(|c: char| "`'\"(),;:".contains(c)));
    let path = words.take(3).find(|word| word.contains('/') || word.contains('*'))?.trim_end_matches('.');
    let folder = path.ends_with('/').then(|| format!("{path}*"));
    Some(folder.unwrap_or_else(|| path.to_owned()))
}
