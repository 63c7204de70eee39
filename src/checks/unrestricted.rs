//! The catch-all by which an agent may do anything: what several checks ask for.

use super::Cx;
use crate::decide::FALLBACK;
use crate::language::{Answer, Colours};
use crate::reach;
use crate::rule::{Action, Rule};

/// The catch-all of a user that allows an agent everything, if nothing after it restricts that.
pub(crate) fn by<'a>(cx: &mut Cx<'a>, at: usize) -> Option<(usize, &'a Rule)> {
    let set = cx.rulesets.get(at)?;
    let everything = |rule: &Rule| rule.permission.is_everything() && rule.pattern.is_everything();
    let index = set.rules.iter().rposition(everything)?;
    let rule = set.rules.get(index).filter(|rule| !rule.origin.prelude && rule.action == Action::Allow)?;
    (!restricted(cx, at, index)).then_some((index, rule))
}

/// Whether a rule after the catch-all restricts anything.
fn restricted(cx: &mut Cx<'_>, at: usize, index: usize) -> bool {
    let Some(set) = cx.rulesets.get(at) else { return true };
    let later = || set.rules.iter().skip(index);
    if later().all(|rule| rule.action == Action::Allow) {
        return false;
    }
    let never = reach::impossible(cx.model, cx.runtime);
    let Ok(mut table) = reach::table(later(), FALLBACK.colour(), set, &never) else { return true };
    let include: Vec<_> = later().take(1).map(|rule| (rule.permission.clone(), rule.pattern.clone())).collect();
    let stricter = Colours::except(Action::Allow.colour());
    !matches!(table.find(&include, &[], stricter, cx.budget), Answer::No)
}
