//! Whether one ruleset decides as another: for every call there is, not for examples of them.

use crate::decide;
use crate::language::{Answer, Budget, Call, Case, Colours, Entry, Pattern, Table};
use crate::model::Visibility;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

/// A ruleset and when it hides a tool.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The rules.
    pub set: &'a Ruleset,
    /// When a denied tool disappears.
    pub visibility: Visibility,
}

/// How a written ruleset stands to the one it was written from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fidelity {
    /// The same for every call, and the same tools hidden.
    Exact,
    /// Never looser, and stricter for this call.
    Tighter(Difference),
    /// Looser for this call.
    Looser(Difference),
    /// The budget ended first.
    Undecided,
}

/// Where two rulesets differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// A shortest request that they decide differently.
    Decision {
        /// The request.
        call: Call,
        /// What becomes of it by the first.
        ours: Action,
        /// By the second.
        theirs: Action,
    },
    /// A permission whose tools one of them hides.
    Hidden {
        /// The permission.
        permission: String,
        /// Whether it is the second.
        theirs: bool,
    },
}

/// Compares what was written (`theirs`) with what it was written from (`ours`), all calls but the `impossible` ones.
pub fn compare(ours: Side<'_>, theirs: Side<'_>, impossible: &[(Pattern, Pattern)], budget: &mut Budget) -> Fidelity {
    let decisions =
        Pair::of(ours.set, theirs.set, impossible, |rule| Some((rule.pattern.clone(), rule.action.colour())));
    let looser = decisions.find(|ours, theirs| theirs < ours, budget);
    match decided(looser, ours, theirs) {
        Some(Some(difference)) => return Fidelity::Looser(difference),
        Some(None) => {}
        None => return Fidelity::Undecided,
    }
    let sight = Pair { ours: hiding(ours), theirs: hiding(theirs), fallback: 0, impossible, case: ours.set.case };
    match seen(sight.find(|ours, theirs| theirs < ours, budget), false) {
        Some(Some(difference)) => return Fidelity::Looser(difference),
        Some(None) => {}
        None => return Fidelity::Undecided,
    }
    // A lost allow says more than an ask that became a deny, so it is sought first.
    for tighter in [lost_allow, lost_ask] {
        match decided(decisions.find(tighter, budget), ours, theirs) {
            Some(Some(difference)) => return Fidelity::Tighter(difference),
            Some(None) => {}
            None => return Fidelity::Undecided,
        }
    }
    if ours.visibility == Visibility::Fixed {
        // What they hide they deny, and so do we: it is shown and denied here.
        return Fidelity::Exact;
    }
    match seen(sight.find(|ours, theirs| theirs > ours, budget), true) {
        Some(Some(difference)) => Fidelity::Tighter(difference),
        Some(None) => Fidelity::Exact,
        None => Fidelity::Undecided,
    }
}

fn lost_allow(ours: u8, theirs: u8) -> bool {
    ours == Action::Allow.colour() && theirs > ours
}

fn lost_ask(ours: u8, theirs: u8) -> bool {
    ours == Action::Ask.colour() && theirs > ours
}

/// The witness decided again by the naive meaning; one that does not hold proves nothing.
fn decided(answer: Answer<Call>, ours: Side<'_>, theirs: Side<'_>) -> Option<Option<Difference>> {
    let call = match answer {
        Answer::No => return Some(None),
        Answer::Undecided { .. } => return None,
        Answer::Yes(call) => call,
    };
    let action = |side: Side<'_>| decide::decide(side.set, &call.key, &call.value).action;
    let (ours, theirs) = (action(ours), action(theirs));
    (ours != theirs).then_some(Some(Difference::Decision { call, ours, theirs }))
}

fn seen(answer: Answer<Call>, theirs: bool) -> Option<Option<Difference>> {
    match answer {
        Answer::No => Some(None),
        Answer::Undecided { .. } => None,
        Answer::Yes(call) => Some(Some(Difference::Hidden { permission: call.key, theirs })),
    }
}

type Line = (Pattern, Pattern, u8);

/// What hides tools: each rule's permission, coloured by whether it hides when it speaks last.
fn hiding(side: Side<'_>) -> Vec<Line> {
    let bare_deny = |rule: &Rule| rule.action == Action::Deny && rule.pattern.text() == "*";
    let line = |rule: &Rule| (rule.permission.clone(), Pattern::wildcard("*"), u8::from(bare_deny(rule)));
    let rules = side.set.rules.iter();
    match side.visibility {
        Visibility::LastDeny => rules.map(line).collect(),
        Visibility::BareDeny => rules.filter(|rule| bare_deny(rule)).map(line).collect(),
        Visibility::Fixed => Vec::new(),
    }
}

/// Two lists of entries that are compared.
struct Pair<'a> {
    ours: Vec<Line>,
    theirs: Vec<Line>,
    fallback: u8,
    impossible: &'a [(Pattern, Pattern)],
    case: Case,
}

impl<'a> Pair<'a> {
    fn of(
        ours: &Ruleset,
        theirs: &Ruleset,
        impossible: &'a [(Pattern, Pattern)],
        line: impl Fn(&Rule) -> Option<(Pattern, u8)>,
    ) -> Pair<'a> {
        let lines = |set: &Ruleset| -> Vec<Line> {
            let lines = set
                .rules
                .iter()
                .filter_map(|rule| line(rule).map(|(value, colour)| (rule.permission.clone(), value, colour)));
            lines.collect()
        };
        Pair {
            ours: lines(ours),
            theirs: lines(theirs),
            fallback: decide::FALLBACK.colour(),
            impossible,
            case: ours.case,
        }
    }

    /// A shortest call whose two colours are related so.
    ///
    /// Where both lists begin alike, a call that they decide differently is decided by a rule after that in one of them:
    /// it is sought among the calls that such a rule decides, in the table of the other list.
    fn find(&self, related: fn(u8, u8) -> bool, budget: &mut Budget) -> Answer<Call> {
        let same = self.ours.iter().zip(&self.theirs).take_while(|(ours, theirs)| ours == theirs).count();
        let by_theirs = self.half(&self.theirs, &self.ours, same, |theirs, ours| related(ours, theirs), budget);
        let by_ours = self.half(&self.ours, &self.theirs, same, related, budget);
        shorter(by_theirs, by_ours)
    }

    fn half(
        &self,
        deciding: &[Line],
        other: &[Line],
        from: usize,
        related: impl Fn(u8, u8) -> bool,
        budget: &mut Budget,
    ) -> Answer<Call> {
        if deciding.len() <= from {
            return Answer::No;
        }
        let entries: Vec<Entry<'_>> =
            other.iter().map(|(key, value, colour)| Entry { key, value, colour: *colour }).collect();
        let Ok(mut table) = Table::new(&entries, self.impossible, self.fallback, self.case) else {
            return Answer::Undecided { states: 0 };
        };
        let mut best = Answer::No;
        for (at, (key, value, colour)) in deciding.iter().enumerate().skip(from) {
            let wanted: Vec<u8> = (0..4).filter(|other| related(*colour, *other)).collect();
            if wanted.is_empty() {
                continue;
            }
            let later: Vec<(Pattern, Pattern)> =
                deciding.iter().skip(at + 1).map(|(key, value, _)| (key.clone(), value.clone())).collect();
            let include = [(key.clone(), value.clone())];
            let found = table.find(&include, &later, Colours::of(&wanted), budget).map(|(call, _)| call);
            best = shorter(best, found);
        }
        best
    }
}

/// The shorter of two witnesses; one outweighs what is undecided.
fn shorter(one: Answer<Call>, other: Answer<Call>) -> Answer<Call> {
    let length = |call: &Call| (call.key.len() + call.value.len(), call.clone());
    match (one, other) {
        (Answer::Yes(one), Answer::Yes(other)) => Answer::Yes(if length(&other) < length(&one) { other } else { one }),
        (Answer::Yes(call), _) | (_, Answer::Yes(call)) => Answer::Yes(call),
        (Answer::Undecided { states }, _) | (_, Answer::Undecided { states }) => Answer::Undecided { states },
        (Answer::No, Answer::No) => Answer::No,
    }
}
