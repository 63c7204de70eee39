//! Compiled tables decide as the plain meaning does, whatever the rules, before and after they were written down.

use crate::support::generate::{Hard, Random, Rule as Made, adversarial, calls, realistic};
use policyc::decide::{decide, visible};
use policyc::engine::{Broken, Decider, FORMAT, Table};
use policyc::language::{Case, Dialect, Pattern};
use policyc::model::{Model, Visibility};
use policyc::rule::{Action, Origin, Rule};
use policyc::ruleset::Ruleset;
use policyc::source::{SourceMap, Span};
use proptest::prelude::*;
use std::sync::Arc;

const DIALECTS: [Dialect; 5] = [Dialect::Wildcard, Dialect::Glob, Dialect::Prefix, Dialect::Exact, Dialect::Regex];

fn rule(id: usize, permission: Pattern, pattern: Pattern, action: Action) -> Rule {
    let span = Span::new(SourceMap::default().add("test", ""), 0..0);
    let origin = Arc::new(Origin { span, statement: span, slot: "own".into(), prelude: false, via: Vec::new() });
    Rule { id: id as u32, permission, pattern, action, reason: None, origin }
}

fn ruleset(rules: impl IntoIterator<Item = (Pattern, Pattern, Action)>, case: Case) -> Ruleset {
    let rules = rules.into_iter().enumerate();
    let rules = rules.map(|(id, (permission, pattern, action))| rule(id, permission, pattern, action)).collect();
    Ruleset { agent: "a".to_owned(), rules, case }
}

fn made(rules: &[Made]) -> Ruleset {
    let actions = [Action::Deny, Action::Ask, Action::Allow, Action::Deny];
    let of =
        |rule: &Made| (Pattern::wildcard(&rule.key), Pattern::wildcard(&rule.value), actions[usize::from(rule.colour)]);
    ruleset(rules.iter().map(of), Case::Sensitive)
}

fn table(set: &Ruleset) -> Table {
    let model = Model { visibility: Visibility::LastDeny, ..Model::default() };
    let table = Table::new(&model, std::slice::from_ref(set), &SourceMap::default(), ("core", "1"));
    let bytes = table.to_bytes().unwrap();
    assert_eq!(bytes, Table::from_bytes(&bytes).unwrap().to_bytes().unwrap());
    Table::from_bytes(&bytes).unwrap()
}

#[track_caller]
fn same(set: &Ruleset, decider: &mut Decider<'_>, permission: &str, resource: &str) {
    let (ours, theirs) = (decide(set, permission, resource), decider.decide(permission, resource));
    let place = |rule: Option<usize>| rule.map(|at| set.rules[at].to_string());
    assert_eq!(
        (theirs.action, place(theirs.rule.map(|(at, _)| at))),
        (ours.action, place(ours.rule.map(|(at, _)| at))),
        "{permission} {resource:?} in {:?}",
        set.rules.iter().map(ToString::to_string).collect::<Vec<_>>()
    );
    assert_eq!(decider.visible(permission), visible(set, permission, Visibility::LastDeny), "{permission}");
}

#[test]
fn real_sets_and_hard_ones_are_decided_alike() {
    let mut sets: Vec<(Vec<Made>, u64)> = [10, 100, 1_000].map(|count| (realistic(count, 42), 1)).to_vec();
    for kind in [Hard::TwoInfixes, Hard::ThreeInfixes, Hard::TwoLetters, Hard::Questions] {
        sets.extend([10, 60, 300].map(|count| (adversarial(kind, count, 7), 2)));
    }
    for (rules, seed) in sets {
        let set = made(&rules);
        let table = table(&set);
        let mut decider = table.decider("a").unwrap();
        for (permission, resource) in calls(&rules, 150, seed) {
            same(&set, &mut decider, &permission, &resource);
        }
        // The patterns themselves lie at the edges.
        let mut random = Random(seed);
        for _ in 0..150 {
            let made = &rules[random.below(rules.len())];
            same(&set, &mut decider, &made.key, &made.value);
            same(&set, &mut decider, "bash", &made.value.replace('*', "x").replace('?', "y"));
        }
    }
}

#[test]
fn tables_grow_with_their_rules_only() {
    for kind in [Hard::TwoInfixes, Hard::ThreeInfixes, Hard::TwoLetters, Hard::Questions] {
        let size = |count: usize| table(&made(&adversarial(kind, count, 7))).to_bytes().unwrap().len();
        let (small, large) = (size(100), size(600));
        assert!(large < 12 * small, "{kind:?}: {small} and {large} bytes");
    }
}

#[test]
fn damaged_tables_are_refused() {
    let bytes = table(&made(&realistic(50, 1))).to_bytes().unwrap();
    for place in (0..bytes.len()).step_by(7) {
        let mut other = bytes.clone();
        other[place] ^= 0x20;
        assert!(Table::from_bytes(&other).is_err(), "{place}");
    }
    for length in [0, 7, 8, 15, 16, 17, bytes.len() - 1] {
        assert!(Table::from_bytes(&bytes[..length]).is_err(), "{length}");
    }
    let mut newer = bytes.clone();
    newer[8..12].copy_from_slice(&(FORMAT + 1).to_le_bytes());
    assert_eq!(Table::from_bytes(&newer).unwrap_err(), Broken::Format(FORMAT + 1));
    assert_eq!(Table::from_bytes(b"{}").unwrap_err(), Broken::NoTable);
    assert!(Table::from_bytes(&bytes).unwrap().decider("b").is_none());
}

fn patterns() -> impl Strategy<Value = Pattern> {
    let text = prop_oneof![4 => r"[ab*?/ ]{0,7}", 1 => r"[abé😀*?/\\ .A\[\]{},-]{0,8}"];
    (0..9_usize, text).prop_filter_map("a pattern", |(dialect, text)| {
        Pattern::new(*DIALECTS.get(dialect).unwrap_or(&Dialect::Wildcard), &text).ok()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn any_rules_are_decided_alike(
        rules in prop::collection::vec(
            (prop_oneof![2 => Just(Pattern::wildcard("bash")), 1 => patterns()], patterns(),
             prop::sample::select(Action::ALL.to_vec())),
            0..24,
        ),
        resources in prop::collection::vec(prop_oneof![3 => r"[ab/ ]{0,9}", 1 => r"[abéÉ😀/\\ A.\n]{0,9}"], 12),
        permissions in prop::collection::vec("bash|[abé/ ]{0,4}", 3),
        folded: bool,
    ) {
        let set = ruleset(rules, if folded { Case::Folded } else { Case::Sensitive });
        let table = table(&set);
        let mut decider = table.decider("a").unwrap();
        for permission in &permissions {
            for resource in &resources {
                same(&set, &mut decider, permission, resource);
            }
        }
    }
}
