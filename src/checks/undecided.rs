//! PC0908: a question was too hard for the budget, or a ruleset too large for the engine.

use super::{Cx, dead, said};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};

pub(crate) const CODE: Code = Code::new("PC0908", "undecided", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    let rules = said::rules(reach.undecided.iter().map(|(place, _)| *place), cx.rulesets);
    let mut places = said::places(&rules).into_iter();
    if let Some(primary) = places.next() {
        let states = reach.undecided.iter().map(|(_, states)| states).max().copied().unwrap_or(0);
        let text = format!("whether {} ever decides was not settled within the budget", said::subject(&rules));
        let finding = Finding::new(CODE, primary, text)
            .confidence(Confidence::Undecided)
            .label(format!("undecided after {states} states"))
            .note(format!("the budget is {} states a question", cx.budget.question()))
            .help("raise `--budget`, or write the pattern with fewer `?` and `*`");
        sink.push(dead::list(finding, places.collect(), "undecided too"));
    }
    for (span, what) in std::mem::take(&mut cx.doubts) {
        let text = format!("{what} was not settled within the budget");
        sink.push(Finding::new(CODE, span, text).confidence(Confidence::Undecided).help("raise `--budget`"));
    }
    for (place, why) in &reach.too_large {
        let (Some(rule), Some(set)) = (place.rule(cx.rulesets), cx.rulesets.get(place.set)) else { continue };
        let text = format!("the rules of `{}` are beyond what can be analysed: {why}", set.agent);
        sink.push(Finding::new(CODE, said::span(rule), text).confidence(Confidence::Undecided).label("from here"));
    }
}
