//! The shared analysis of dead and needless rules, against brute force over short strings.

use policyc::decide::{decide, visible};
use policyc::language::{Budget, Case, Pattern};
use policyc::model::{Model, Visibility};
use policyc::reach::{Kind, Reach, Tables};
use policyc::rule::{Action, Origin, Rule};
use policyc::ruleset::Ruleset;
use policyc::runtimes::RUNTIMES;
use policyc::source::{SourceMap, Span};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Strings long enough to tell short patterns apart; `x` is in none of them.
fn strings(most: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..most {
        last = last.iter().flat_map(|text| "ab x".chars().map(move |c| format!("{text}{c}"))).collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn calls() -> Vec<(&'static str, String)> {
    ["p", "q", "x"]
        .into_iter()
        .flat_map(|permission| strings(4).into_iter().map(move |text| (permission, text)))
        .collect()
}

type Written = (&'static str, &'static str, Action);

fn written() -> impl Strategy<Value = Written> {
    let permission = prop::sample::select(vec!["p", "q", "*"]);
    let pattern = prop::sample::select(vec![
        "*", "a*", "a", "a *", "*b", "a?", "?", "*a*", "ab", "*a", "b *", "a*b", "??*", "b", "a b", "* *",
    ]);
    (permission, pattern, prop::sample::select(Action::ALL.to_vec()))
}

/// A ruleset of numbered rules; each is its own statement.
fn ruleset(agent: &str, rules: impl IntoIterator<Item = (u32, &'static str, Written)>) -> Ruleset {
    let mut sources = SourceMap::default();
    let file = sources.add("test.policy", " ".repeat(1_000));
    let rules = rules.into_iter().map(|(id, slot, (permission, pattern, action))| {
        let span = Span::new(file, id as usize * 10..id as usize * 10 + 9);
        let origin = Origin { span, statement: span, slot: slot.into(), prelude: slot == "defaults", via: Vec::new() };
        let (permission, pattern) = (Pattern::wildcard(permission), Pattern::wildcard(pattern));
        Rule { id, permission, pattern, action, reason: None, origin: Arc::new(origin) }
    });
    Ruleset { agent: agent.to_owned(), rules: rules.collect(), case: Case::Sensitive }
}

/// Two agents that share a layer and have rules of their own, below a prelude's one rule.
fn agents() -> impl Strategy<Value = Vec<Ruleset>> {
    let rules = |most| prop::collection::vec(written(), 0..most);
    (rules(6), rules(3), rules(3)).prop_map(|(layer, one, two)| {
        let number = |slot, from: u32, rules: &[Written]| {
            rules.iter().enumerate().map(|(at, rule)| (from + at as u32, slot, *rule)).collect::<Vec<_>>()
        };
        let set = |agent: &str, from, own: &[Written]| {
            let defaults = [(0, "defaults", ("*", "*", Action::Allow))];
            let rules = defaults.into_iter().chain(number("user", 1, &layer)).chain(number("own", from, own));
            ruleset(agent, rules)
        };
        vec![set("one", 20, &one), set("two", 30, &two)]
    })
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Truth {
    Dead,
    Redundant,
    Fine,
}

/// What is true of each of the user's rules, by the naive meaning, over short strings.
fn truth(sets: &[Ruleset]) -> BTreeMap<u32, Truth> {
    let calls = calls();
    let decisions: Vec<Vec<Option<u32>>> = sets
        .iter()
        .map(|set| calls.iter().map(|(p, text)| decide(set, p, text).rule.map(|(_, rule)| rule.id)).collect())
        .collect();
    let ids = sets.iter().flat_map(|set| &set.rules).filter(|rule| !rule.origin.prelude).map(|rule| rule.id);
    let decides = |id: u32| decisions.iter().any(|of| of.contains(&Some(id)));
    let mut out = BTreeMap::new();
    for id in ids {
        if !decides(id) {
            out.insert(id, Truth::Dead);
            continue;
        }
        // Without it, and without what is dead everywhere or with it, every call is decided the same by one of the user's rules.
        let matters = sets.iter().zip(&decisions).any(|(set, decided)| {
            let Some(at) = set.rules.iter().position(|rule| rule.id == id) else { return false };
            let local = |rule: &Rule| rule.origin.prelude || decided.contains(&Some(rule.id));
            let rest: Vec<Rule> =
                set.rules.iter().filter(|rule| rule.id != id && (local(rule) || decides(rule.id))).cloned().collect();
            let rest = Ruleset { agent: set.agent.clone(), rules: rest, case: set.case };
            let all = set.rules.iter().filter(|rule| rule.id != id).cloned().collect();
            let all = Ruleset { agent: set.agent.clone(), rules: all, case: set.case };
            calls.iter().zip(decided).filter(|(_, decider)| **decider == Some(id)).any(|((p, text), _)| {
                let others = [decide(&rest, p, text), decide(&all, p, text)];
                others.iter().any(|other| {
                    other.action != set.rules[at].action || other.rule.is_none_or(|(_, rule)| rule.origin.prelude)
                })
            })
        });
        out.insert(id, if matters { Truth::Fine } else { Truth::Redundant });
    }
    out
}

/// Whether a needless rule is not reported: a base that says of one permission what a broader rule says of all, or one
/// that alone keeps a tool in view.
fn spared(id: u32, sets: &[Ruleset]) -> bool {
    sets.iter().any(|set| {
        let Some(rule) = set.rules.iter().find(|rule| rule.id == id) else { return false };
        let without = Ruleset {
            rules: set.rules.iter().filter(|rule| rule.id != id).cloned().collect(),
            agent: set.agent.clone(),
            case: set.case,
        };
        let sees = |set: &Ruleset| visible(set, rule.permission.text(), Visibility::LastDeny);
        let literal = !rule.permission.text().contains(['*', '?']);
        literal && rule.pattern.is_everything() || sees(set) && !sees(&without)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_brute_force(sets in agents()) {
        let reach = Reach::of(&Model::default(), &sets, RUNTIMES[0], &mut Budget::default());
        prop_assert!(reach.undecided.is_empty() && reach.too_large.is_empty());
        let truth = truth(&sets);
        let mut found: BTreeMap<u32, Kind> = BTreeMap::new();
        for case in &reach.cases {
            for fault in &case.rules {
                let rule = fault.at.rule(&sets).unwrap();
                prop_assert!(found.insert(rule.id, case.kind).is_none(), "one code a rule: {rule}");
                let call = fault.call.as_ref().unwrap();
                let decision = decide(&sets[fault.at.set], &call.key, &call.value);
                prop_assert!(rule.permission.matches(&call.key, Case::Sensitive));
                prop_assert!(rule.pattern.matches(&call.value, Case::Sensitive));
                match truth[&rule.id] {
                    Truth::Dead => prop_assert!(decision.rule.unwrap().0 > fault.at.index),
                    // Elsewhere it may decide; in the ruleset that is shown it does, or another rule decides the same.
                    _ => prop_assert!(decision.rule.unwrap().0 >= fault.at.index && decision.action == rule.action),
                }
            }
        }
        for (id, truth) in truth {
            match (truth, found.get(&id)) {
                (Truth::Fine, None) => {}
                (Truth::Redundant, Some(Kind::Redundant | Kind::Mergeable)) => {}
                (Truth::Redundant, None) if spared(id, &sets) => {}
                (Truth::Dead, Some(kind)) => prop_assert!(*kind != Kind::Redundant, "{id}"),
                (truth, found) => prop_assert!(false, "{id}: {truth:?}, found {found:?}"),
            }
        }
    }
    #[test]
    fn tables_kept_for_all_checks_decide_as_the_meaning_does(sets in agents()) {
        let tables = Tables::new(&Model::default(), RUNTIMES[0]);
        for set in &sets {
            for (permission, text) in calls() {
                let (kept, meant) = (tables.speaking(set, permission).decide(&text), decide(set, permission, &text));
                prop_assert_eq!((kept.action, kept.rule), (meant.action, meant.rule), "{} {}", permission, text);
                let Some((_, rule)) = meant.rule else { continue };
                let rest = set.rules.iter().rfind(|other| {
                    let speaks = other.permission.matches(permission, set.case) && other.pattern.matches(&text, set.case);
                    other.id != rule.id && speaks
                });
                prop_assert_eq!(tables.speaking(set, permission).decider_without(rule.id, &text), rest);
            }
        }
    }
}
