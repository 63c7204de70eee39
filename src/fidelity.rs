//! Whether one ruleset decides as another: for every call there is, not for examples of them.

use crate::decide;
use crate::language::{self, Answer, Budget, Call, Case, Colours, Dialect, Diff, Entry, Pattern};
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
    proved(ours, theirs, impossible, budget).unwrap_or(Fidelity::Undecided)
}

fn proved(
    ours: Side<'_>,
    theirs: Side<'_>,
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Option<Fidelity> {
    const ALLOW: u8 = Action::Allow as u8;
    const ASK: u8 = Action::Ask as u8;
    const DENY: u8 = Action::Deny as u8;
    let (lines, their_lines) = (deciding(ours.set), deciding(theirs.set));
    let (hides, they_hide) = (hiding(ours), hiding(theirs));
    if lines == their_lines && hides == they_hide {
        return Some(Fidelity::Exact);
    }
    let case = ours.set.case;
    let mut decisions = diff((&lines, &their_lines), decide::FALLBACK.colour(), impossible, case)?;
    for (before, after) in [(&[DENY][..], &[ALLOW, ASK][..]), (&[ASK], &[ALLOW])] {
        if let Some(difference) = decided(find(&mut decisions, before, after, budget), ours, theirs)? {
            return Some(Fidelity::Looser(difference));
        }
    }
    // Whether a tool is hidden hangs on its permission alone.
    let no_name: Vec<(Pattern, Pattern)> =
        impossible.iter().filter(|(_, value)| value.is_everything()).cloned().collect();
    let mut sight = diff((&hides, &they_hide), SHOWN, &no_name, case)?;
    if let Some(difference) = seen(find(&mut sight, &[HIDDEN], &[SHOWN], budget), false)? {
        return Some(Fidelity::Looser(difference));
    }
    // A lost allow says more than an ask that became a deny, so it is sought first.
    for (before, after) in [(&[ALLOW][..], &[ASK, DENY][..]), (&[ASK], &[DENY])] {
        if let Some(difference) = decided(find(&mut decisions, before, after, budget), ours, theirs)? {
            return Some(Fidelity::Tighter(difference));
        }
    }
    // Where ours hides nothing, what they hide they deny, and so do we: it is shown and denied here.
    if ours.visibility != Visibility::Fixed
        && let Some(difference) = seen(find(&mut sight, &[SHOWN], &[HIDDEN], budget), true)?
    {
        return Some(Fidelity::Tighter(difference));
    }
    Some(Fidelity::Exact)
}

/// Whether both decide the same for every call that none of `except` matches; nothing is said about hidden tools. `None`:
/// the budget ended first.
pub fn same_but(
    ours: Side<'_>,
    theirs: Side<'_>,
    except: &[(Pattern, Pattern)],
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Option<bool> {
    let (lines, their_lines) = (deciding(ours.set), deciding(theirs.set));
    let mut decisions = diff((&lines, &their_lines), decide::FALLBACK.colour(), impossible, ours.set.case)?;
    for action in Action::ALL {
        let (before, after) = (Colours::of(&[action.colour()]), Colours::except(action.colour()));
        match decisions.find(before, after, None, except, budget) {
            Answer::No => {}
            Answer::Yes(_) => return Some(false),
            Answer::Undecided { .. } => return None,
        }
    }
    Some(true)
}

/// The rules that speak of one permission, as rules of that one alone.
pub fn of_permission(set: &Ruleset, name: &str) -> Ruleset {
    let speaking = set.rules.iter().filter(|rule| rule.permission.matches(name, set.case));
    // INVARIANT: every text is an exact pattern.
    let exact = Pattern::new(Dialect::Exact, name).ok();
    let rules = speaking.filter_map(|rule| Some(Rule { permission: exact.clone()?, ..rule.clone() })).collect();
    Ruleset { rules, ..set.clone() }
}

/// The two lists in one table; `None`: they are larger than the engine takes, so nothing is decided.
fn diff(lines: (&[Line], &[Line]), fallback: u8, impossible: &[(Pattern, Pattern)], case: Case) -> Option<Diff> {
    fn entries(lines: &[Line]) -> Vec<Entry<'_>> {
        lines.iter().map(|(key, value, colour)| Entry { key, value, colour: *colour }).collect()
    }
    let (ours, theirs) = (entries(lines.0), entries(lines.1));
    let side = |entries| language::Side { entries, fallback };
    Diff::new(side(&ours), side(&theirs), impossible, case).ok()
}

/// A shortest call that comes out as one of `before` by ours, and as one of `after` by theirs.
fn find(diff: &mut Diff, before: &[u8], after: &[u8], budget: &mut Budget) -> Answer<Call> {
    diff.find(Colours::of(before), Colours::of(after), None, &[], budget).map(|found| found.call)
}

/// The difference that an answer shows, `None` if it is undecided. The witness is decided again by the naive meaning; one
/// that does not hold proves nothing.
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

/// Colours of permissions: their tools are shown, or hidden.
const SHOWN: u8 = 0;
const HIDDEN: u8 = 1;

/// What decides: each rule, coloured by its action.
fn deciding(set: &Ruleset) -> Vec<Line> {
    set.rules.iter().map(|rule| (rule.permission.clone(), rule.pattern.clone(), rule.action.colour())).collect()
}

/// What hides tools: each rule's permission, coloured by whether it hides when it speaks last.
fn hiding(side: Side<'_>) -> Vec<Line> {
    let bare_deny = |rule: &Rule| {
        rule.action == Action::Deny && rule.pattern.dialect() == Dialect::Wildcard && rule.pattern.text() == "*"
    };
    let colour = |rule: &Rule| if bare_deny(rule) { HIDDEN } else { SHOWN };
    let line = |rule: &Rule| (rule.permission.clone(), Pattern::wildcard("*"), colour(rule));
    let rules = side.set.rules.iter();
    match side.visibility {
        Visibility::LastDeny => rules.map(line).collect(),
        Visibility::BareDeny => rules.filter(|rule| bare_deny(rule)).map(line).collect(),
        Visibility::Fixed => Vec::new(),
    }
}
