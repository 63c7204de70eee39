//! PC0205: `assert no layer loosens NAME` does not hold.

use super::{Cx, plausible, proof, said};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Answer, Budget, Call, Colours, Pattern, TooLarge};
use crate::model::PromiseKind;
use crate::reach::{self, Place};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::Span;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

pub(crate) const CODE: Code = Code::new("PC0205", "layer-loosened", Severity::Error);

/// The colour of what the layer does not decide.
const SILENT: u8 = 3;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    for promise in model.promises.iter().filter(|promise| !promise.prelude) {
        if let PromiseKind::NoLayerLoosens { layer } = &promise.kind {
            assert(&layer.node, promise.span, cx, sink);
        }
    }
}

/// A later rule, the rule of the layer that it loosens, and a call that shows it.
struct Loosened {
    by: Place,
    of: Place,
    call: Call,
}

fn assert(layer: &str, span: Span, cx: &mut Cx<'_>, sink: &mut Sink) {
    let never = reach::impossible(cx.model, cx.runtime);
    let mut found: Vec<Loosened> = Vec::new();
    let mut undecided = false;
    let mut seen: FxHashSet<u64> = FxHashSet::default();
    for at in reach::judged(cx.model, cx.rulesets) {
        let Some(set) = cx.rulesets.get(at) else { continue };
        let Some(first) = set.rules.iter().position(|rule| *rule.origin.slot == *layer) else { continue };
        // Agents that share the layer and all that comes after it share the answer.
        let mut hasher = FxHasher::default();
        set.rules.iter().skip(first).for_each(|rule| (rule.id, rule.origin.span).hash(&mut hasher));
        if seen.insert(hasher.finish()) {
            undecided |= loosened(layer, at, set, (&never, &mut *cx.budget), &mut found).unwrap_or(true);
        }
    }
    report(layer, span, &found, cx, sink);
    if undecided {
        let text = format!("whether a later layer loosens `{layer}` was not settled, so it counts as failed");
        sink.push(Finding::new(CODE, span, text).confidence(Confidence::Undecided).help("raise `--budget`"));
    }
}

/// For each looser rule after the layer: a call that it decides and that the layer's own last word is stricter on. Whether
/// some question was too hard is the answer.
fn loosened(
    layer: &str,
    at: usize,
    set: &Ruleset,
    (never, budget): (&[(Pattern, Pattern)], &mut Budget),
    found: &mut Vec<Loosened>,
) -> Result<bool, TooLarge> {
    let ours: Vec<(usize, &Rule)> =
        set.rules.iter().enumerate().filter(|(_, rule)| *rule.origin.slot == *layer).collect();
    let strictest = ours.iter().map(|(_, rule)| rule.action).max();
    let Some((last, _)) = ours.last() else { return Ok(false) };
    let later = || set.rules.iter().enumerate().skip(last + 1);
    if !later().any(|(_, rule)| strictest.is_some_and(|strictest| rule.action < strictest)) {
        return Ok(false);
    }
    let mut table = reach::table(ours.iter().map(|(_, rule)| *rule), SILENT, set, never)?;
    let mut undecided = false;
    for (index, rule) in later().filter(|(_, rule)| rule.action < Action::Deny) {
        let stricter: Vec<u8> =
            Action::ALL.iter().filter(|action| **action > rule.action).map(|action| action.colour()).collect();
        let pair = |rule: &Rule| (rule.permission.clone(), rule.pattern.clone());
        let stronger: Vec<(Pattern, Pattern)> = set.rules.iter().skip(index + 1).map(pair).collect();
        match table.find(&[pair(rule)], &stronger, Colours::of(&stricter), budget) {
            Answer::No | Answer::Yes((_, None)) => {}
            Answer::Undecided { .. } => undecided = true,
            Answer::Yes((call, Some(entry))) => {
                let Some((of, _)) = ours.get(entry) else { continue };
                found.push(Loosened { by: Place { set: at, index }, of: Place { set: at, index: *of }, call });
            }
        }
    }
    Ok(undecided)
}

fn report(layer: &str, span: Span, found: &[Loosened], cx: &Cx<'_>, sink: &mut Sink) {
    let Some(first) = found.first() else { return };
    let (Some(by), Some(of)) = (first.by.rule(cx.rulesets), first.of.rule(cx.rulesets)) else { return };
    let Some(set) = cx.rulesets.get(first.by.set) else { return };
    let does = match by.action {
        Action::Allow => "allows",
        Action::Ask | Action::Deny => "only asks for",
    };
    let mut text = format!("layer `{layer}` is loosened: {} {does} calls of {}", said::rule(by), said::rule(of));
    let mut seen = FxHashSet::default();
    let others: Vec<&Loosened> =
        found.iter().filter(|one| one.by.rule(cx.rulesets).is_some_and(|rule| seen.insert(rule.id))).collect();
    if others.len() > 1 {
        let rules = if others.len() == 2 { "rule loosens" } else { "rules loosen" };
        text.push_str(&format!(", and {} more {rules} it", others.len() - 1));
    }
    let mut finding = Finding::new(CODE, span, text)
        .label("does not hold")
        .related(said::span(of), format!("says {}", of.action))
        .help("narrow the later rule, or repeat the layer's rule after it");
    for one in others.iter().take(said::LISTED) {
        if let (Some(rule), Some(set)) = (one.by.rule(cx.rulesets), cx.rulesets.get(one.by.set)) {
            finding = finding.related(said::span(rule), format!("in {}: {}", said::block(rule, set), rule.action));
        }
    }
    let at = first.by.index;
    let plausible = plausible::of_rule(cx, by, set.case);
    let last_word = |call: &Call| {
        let mut ours = set.rules.iter().filter(|rule| *rule.origin.slot == *layer);
        ours.rfind(|rule| rule.permission.matches(&call.key, set.case) && rule.pattern.matches(&call.value, set.case))
    };
    let layer_says = |call: &Call| last_word(call).is_some_and(|rule| rule.id == of.id);
    proof::push(sink, finding, set, (&first.call, &plausible), |call, decision| {
        layer_says(call) && decision.rule.is_some_and(|(decider, _)| decider == at)
    });
}
