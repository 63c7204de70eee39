//! The comparison of rulesets, held to trying out every short call.

use policyc::decide::{decide, visible};
use policyc::fidelity::{Difference, Fidelity, Side, compare};
use policyc::language::{Budget, Case, Pattern};
use policyc::model::Visibility;
use policyc::rule::{Action, Origin, Rule};
use policyc::ruleset::Ruleset;
use policyc::source::{SourceMap, Span};
use proptest::prelude::*;
use std::sync::Arc;

type Said = (&'static str, &'static str, Action);

fn ruleset(said: &[Said]) -> Ruleset {
    let span = Span::new(SourceMap::default().add("a", ""), 0..0);
    let origin = Origin { span, statement: span, slot: "own".into(), prelude: false, via: Vec::new() };
    let origin = Arc::new(origin);
    let rule = |(id, (permission, pattern, action)): (usize, &Said)| Rule {
        id: id as u32,
        permission: Pattern::wildcard(permission),
        pattern: Pattern::wildcard(pattern),
        action: *action,
        reason: None,
        origin: origin.clone(),
    };
    Ruleset { agent: "a".to_owned(), rules: said.iter().enumerate().map(rule).collect(), case: Case::Sensitive }
}

fn side(set: &Ruleset) -> Side<'_> {
    Side { set, visibility: Visibility::LastDeny }
}

fn rules() -> impl Strategy<Value = Vec<Said>> {
    let permission = prop::sample::select(vec!["*", "a", "b", "a*", "?"]);
    let pattern = prop::sample::select(vec!["*", "x", "x*", "*y", "x *", "?", "**", ""]);
    prop::collection::vec((permission, pattern, prop::sample::select(Action::ALL.to_vec())), 0..6)
}

/// Strings long enough to tell such patterns apart.
fn strings(letters: &[&str], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        last = last.iter().flat_map(|head| letters.iter().map(move |tail| format!("{head}{tail}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

proptest! {
    #[test]
    fn agrees_with_trying_out(mut ours in rules(), theirs in rules(), same in rules()) {
        let theirs: Vec<Said> = same.iter().chain(&theirs).copied().collect();
        ours.splice(0..0, same);
        let (ours, theirs) = (ruleset(&ours), ruleset(&theirs));
        let verdict = compare(side(&ours), side(&theirs), &[], &mut Budget::default());
        let (mut looser, mut tighter) = (false, false);
        let mut resources = strings(&["x", "y", " "], 3);
        resources.extend(["q", "xq", "qy", "qq", "xqy"].map(str::to_owned));
        for permission in strings(&["a", "b", "q"], 2) {
            for resource in &resources {
                let action = |set| decide(set, &permission, resource).action;
                looser |= action(&theirs) < action(&ours);
                tighter |= action(&theirs) > action(&ours);
            }
            let shown = |set| visible(set, &permission, Visibility::LastDeny);
            looser |= shown(&theirs) && !shown(&ours);
            tighter |= !shown(&theirs) && shown(&ours);
        }
        match verdict {
            Fidelity::Exact => prop_assert!(!looser && !tighter),
            Fidelity::Tighter(_) => prop_assert!(!looser && tighter),
            Fidelity::Looser(_) => prop_assert!(looser),
            Fidelity::Undecided => prop_assert!(false, "such small sets are decided"),
        }
    }
}

#[test]
fn a_lost_allow_is_shown_before_a_lost_ask() {
    let ours = ruleset(&[("bash", "*", Action::Ask), ("bash", "git log *", Action::Allow)]);
    let theirs = ruleset(&[("bash", "*", Action::Deny), ("bash", "git log", Action::Allow)]);
    let verdict = compare(side(&ours), side(&theirs), &[], &mut Budget::default());
    let Fidelity::Tighter(Difference::Decision { call, ours, theirs }) = verdict else { panic!("{verdict:?}") };
    assert_eq!((call.key.as_str(), call.value.as_str()), ("bash", "git log "));
    assert_eq!((ours, theirs), (Action::Allow, Action::Deny));
}

#[test]
fn no_budget_is_no_proof() {
    let ours = ruleset(&[("*", "*?x?*?y?*", Action::Deny)]);
    let theirs = ruleset(&[("*", "*?x?*", Action::Deny), ("*", "*?y?*", Action::Ask)]);
    let verdict = compare(side(&ours), side(&theirs), &[], &mut Budget::new(0));
    assert_eq!(verdict, Fidelity::Undecided);
}
