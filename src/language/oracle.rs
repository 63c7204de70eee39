//! The engine against brute force: all strings up to a length over a few letters, decided by the naive meaning.

use crate::language::table::{Entry, Table};
use crate::language::{Answer, Budget, Call, Case, Colours, Dialect, Diff, Pattern, Side};

#[path = "../../tests/support/generate.rs"]
mod generate;
use generate::Random;

/// A list of entries that owns its patterns.
#[derive(Clone, Debug)]
struct Rules(Vec<(Pattern, Pattern, u8)>);

impl Rules {
    fn entries(&self) -> Vec<Entry<'_>> {
        self.0.iter().map(|(key, value, colour)| Entry { key, value, colour: *colour }).collect()
    }

    fn table(&self, impossible: &[(Pattern, Pattern)], case: Case) -> Table {
        Table::new(&self.entries(), impossible, 1, case).unwrap()
    }

    fn matching(&self, call: &Call, case: Case) -> Vec<usize> {
        let fits = |&place: &usize| {
            let (key, value, _) = &self.0[place];
            key.matches(&call.key, case) && value.matches(&call.value, case)
        };
        (0..self.0.len()).filter(fits).collect()
    }

    fn colour(&self, last: Option<&usize>) -> u8 {
        last.map_or(1, |&place| self.0[place].2)
    }
}

fn strings(letters: &[char], longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for place in from..to {
            for letter in letters {
                all.push(format!("{}{letter}", all[place]));
            }
        }
        from = to;
    }
    all
}

fn length(call: &Call) -> usize {
    call.key.encode_utf16().count() + call.value.encode_utf16().count()
}

/// What brute force says of a set of rules.
struct Truth {
    calls: Vec<(Call, Vec<usize>)>,
}

impl Truth {
    fn new(rules: &Rules, impossible: &[(Pattern, Pattern)], keys: &[String], values: &[String], case: Case) -> Truth {
        let mut calls = Vec::new();
        for key in keys {
            for value in values {
                let call = Call { key: key.clone(), value: value.clone() };
                if !impossible
                    .iter()
                    .any(|(key, value)| key.matches(&call.key, case) && value.matches(&call.value, case))
                {
                    let matching = rules.matching(&call, case);
                    calls.push((call, matching));
                }
            }
        }
        Truth { calls }
    }

    fn shortest(&self, wanted: impl Fn(&Call, &[usize]) -> bool) -> Option<usize> {
        self.calls.iter().filter(|(call, matching)| wanted(call, matching)).map(|(call, _)| length(call)).min()
    }
}

/// Compares an answer with brute force: no witness where none exists, a true one where there is one, and not a longer one
/// than needed where that is promised.
#[track_caller]
fn agree(
    what: &str,
    context: &impl std::fmt::Debug,
    answer: Answer<Call>,
    truth: Option<usize>,
    shortest: bool,
    holds: impl Fn(&Call) -> bool,
) {
    match answer {
        Answer::Undecided { states } => panic!("{what} undecided after {states}: {context:?}"),
        Answer::No => assert!(truth.is_none(), "{what}: {context:?} has a call of length {truth:?}"),
        Answer::Yes(call) => {
            assert!(holds(&call), "{what}: {context:?} does not hold for {call:?}");
            if let (true, Some(truth)) = (shortest, truth) {
                assert!(length(&call) <= truth, "{what}: {context:?} has a call of length {truth}, not {call:?}");
            }
        }
    }
}

struct Setting {
    rules: Rules,
    impossible: Vec<(Pattern, Pattern)>,
    case: Case,
}

fn check(setting: &Setting, keys: &[String], values: &[String]) -> [usize; 3] {
    let Setting { rules, impossible, case } = setting;
    let case = *case;
    let truth = Truth::new(rules, impossible, keys, values, case);
    let possible = |call: &Call| {
        !impossible.iter().any(|(key, value)| key.matches(&call.key, case) && value.matches(&call.value, case))
    };
    let matching = |call: &Call| rules.matching(call, case);
    let mut table = rules.table(impossible, case);
    for (call, matching) in &truth.calls {
        assert_eq!(table.last(&call.key, &call.value), matching.last().copied(), "{rules:?} {call:?}");
    }
    let mut found = [0; 3];
    let mut budget = Budget::default();
    for (shortcuts, surveyed) in [(true, false), (true, true), (false, false)] {
        table.shortcuts = shortcuts;
        if surveyed {
            table.survey();
        }
        for i in 0..rules.0.len() {
            let context = (rules, impossible, i, shortcuts);
            let live = truth.shortest(|_, matching| matching.last() == Some(&i));
            let answer = table.decides(i, &mut budget);
            let dead = answer.is_no();
            agree("decides", &context, answer, live, !shortcuts && table.words.of(i).len() == 1, |call| {
                possible(call) && matching(call).last() == Some(&i)
            });
            let changes = |matching: &[usize]| {
                matching.last() == Some(&i)
                    && rules.colour(matching.iter().rev().nth(1)) != rules.colour(matching.last())
            };
            let answer = table.matters(i, &mut budget);
            found[if dead {
                0
            } else if answer.is_no() {
                1
            } else {
                2
            }] += 1;
            let truth_matters = truth.shortest(|_, matching| changes(matching));
            agree("matters", &context, answer, truth_matters, false, |call| possible(call) && changes(&matching(call)));
            if dead {
                match table.cover(i, &mut budget) {
                    Answer::Yes(cover) => check_cover(&truth, &context, i, &cover, &mut table),
                    Answer::No => assert_eq!(truth.shortest(|_, matching| matching.contains(&i)), None, "{context:?}"),
                    Answer::Undecided { .. } => panic!("undecided cover"),
                }
            }
        }
    }
    let last = rules.0.len() - 1;
    for (i, j) in [(0, last), (last, 0), (last / 2, last)] {
        let context = (rules, impossible, i, j);
        let both = |matching: &[usize]| matching.contains(&i) && matching.contains(&j);
        let truth_both = truth.shortest(|_, matching| both(matching));
        agree("overlap", &context, table.overlap(i, j, &mut budget), truth_both, true, |call| {
            possible(call) && both(&matching(call))
        });
        let only = |matching: &[usize]| matching.contains(&i) && !matching.contains(&j);
        let truth_only = truth.shortest(|_, matching| only(matching));
        let difference = table.difference(i, &[j], &mut budget);
        assert_eq!(table.includes(j, i, &mut budget), difference.is_no(), "includes {context:?}");
        agree("difference", &context, difference, truth_only, true, |call| possible(call) && only(&matching(call)));
    }
    let (key, value, _) = &rules.0[last];
    let include = [(Pattern::wildcard("*"), Pattern::wildcard("*a*")), (key.clone(), value.clone())];
    let exclude = [(rules.0[0].0.clone(), rules.0[0].1.clone()), (Pattern::wildcard("q"), Pattern::wildcard("?"))];
    let within = |call: &Call, sets: &[(Pattern, Pattern)]| {
        sets.iter().any(|(key, value)| key.matches(&call.key, case) && value.matches(&call.value, case))
    };
    for wanted in [Colours::of(&[0]), Colours::of(&[2, 1])] {
        let holds = |call: &Call, matching: &[usize]| {
            within(call, &include) && !within(call, &exclude) && wanted.has(rules.colour(matching.last()))
        };
        let truth_find = truth.shortest(holds);
        let answer = table.find(&include, &exclude, wanted, &mut budget);
        if let Answer::Yes((call, last)) = &answer {
            assert_eq!(*last, matching(call).last().copied());
        }
        let answer = answer.map(|(call, _)| call);
        agree("find", &(rules, impossible, wanted), answer, truth_find, true, |call| {
            possible(call) && holds(call, &matching(call))
        });
    }
    let free = |call: &Call, matching: &[usize]| within(call, &include) && matching.is_empty();
    let truth_free = truth.shortest(free);
    agree("uncovered", &(rules, impossible), table.uncovered(&include, &mut budget), truth_free, true, |call| {
        possible(call) && free(call, &matching(call))
    });
    check_retired(setting, &truth, &mut budget);
    // Questions may refine the alphabet; decisions stay what they were.
    for (call, matching) in truth.calls.iter().step_by(7) {
        assert_eq!(table.last(&call.key, &call.value), matching.last().copied(), "{rules:?} {call:?}");
    }
    found
}

/// Without every other entry the others decide as if they had never been there.
fn check_retired(setting: &Setting, truth: &Truth, budget: &mut Budget) {
    let Setting { rules, impossible, case } = setting;
    let mut table = rules.table(impossible, *case);
    table.survey();
    table.retire(|entry| entry % 2 == 1);
    let kept = |matching: &[usize]| -> Vec<usize> { matching.iter().copied().filter(|entry| entry % 2 == 0).collect() };
    for (call, matching) in &truth.calls {
        assert_eq!(table.last(&call.key, &call.value), kept(matching).last().copied(), "{rules:?} {call:?}");
    }
    for i in 0..rules.0.len() {
        let context = (rules, impossible, i, "retired");
        let lives = |matching: &[usize]| kept(matching).last() == Some(&i);
        let live = truth.shortest(|_, matching| lives(matching));
        agree("decides", &context, table.decides(i, budget), live, false, |call| lives(&rules.matching(call, *case)));
        let changes = |matching: &[usize]| {
            let kept = kept(matching);
            kept.last() == Some(&i) && rules.colour(kept.iter().rev().nth(1)) != rules.colour(kept.last())
        };
        let matters = truth.shortest(|_, matching| changes(matching));
        agree("matters", &context, table.matters(i, budget), matters, false, |call| {
            changes(&rules.matching(call, *case))
        });
    }
}

fn check_cover(truth: &Truth, context: &impl std::fmt::Debug, i: usize, cover: &[usize], table: &mut Table) {
    assert!(cover.iter().all(|&j| j > i) && cover.is_sorted(), "{context:?} {cover:?}");
    let covers = |without: Option<usize>| {
        let covered = |matching: &[usize]| cover.iter().any(|j| Some(*j) != without && matching.contains(j));
        truth.shortest(|_, matching| matching.contains(&i) && !covered(matching)).is_none()
    };
    assert!(covers(None), "{context:?} {cover:?}");
    for &j in cover {
        let others: Vec<usize> = cover.iter().copied().filter(|&other| other != j).collect();
        assert!(!table.difference(i, &others, &mut Budget::default()).is_no(), "{context:?} {cover:?} without {j}");
    }
}

fn some(random: &mut Random, parts: &[&str], most: usize) -> String {
    (0..random.below(most + 1)).map(|_| random.pick(parts)).collect()
}

fn wildcards(random: &mut Random, parts: &[&str]) -> Rules {
    let rule = |random: &mut Random| {
        let key = Pattern::wildcard(random.pick(&["p", "*", "q", "?"]));
        let value = Pattern::wildcard(&some(random, parts, 4));
        (key, value, random.below(3) as u8)
    };
    Rules((0..1 + random.below(7)).map(|_| rule(random)).collect())
}

fn count() -> usize {
    std::env::var("ORACLE_SETS").ok().and_then(|count| count.parse().ok()).unwrap_or(40)
}

#[test]
fn wildcards_agree_with_brute_force() {
    let values = strings(&['a', 'b', ' ', 'x'], 4);
    let keys = strings(&['p', 'q', 'x'], 1);
    let mut found = [0; 3];
    for (seed, parts) in [(7, ["a", "b", "*", "*", " *"]), (11, ["a", "*", "?", " *", " "])] {
        let mut random = Random(seed);
        for round in 0..count() {
            let impossible = match round % 3 {
                0 => vec![(Pattern::wildcard("*"), Pattern::wildcard("*aa*"))],
                1 => vec![
                    (Pattern::wildcard("p"), Pattern::wildcard("?")),
                    (Pattern::wildcard(""), Pattern::wildcard("*")),
                ],
                _ => vec![],
            };
            let setting = Setting { rules: wildcards(&mut random, &parts), impossible, case: Case::Sensitive };
            let more = check(&setting, &keys, &values);
            found.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        }
    }
    assert!(found.iter().all(|&count| count > 20), "dead, redundant and live ones: {found:?}");
}

fn mixed(random: &mut Random) -> Pattern {
    let wildcard = ["a", "A", "/", "\\", "*", "?", " *", "é", "😀"];
    let glob = ["a", "/", "*", "**", "?", "[ab]", "[!a]", "{a,b/}", "**/", "/**", "é", "\\\\", "😀"];
    let regex = ["a", "B", "/", ".", ".*", "[^a]", "(a|b)*", "[a-c]?", "\\\\", "b+", "é", "(?i:a)", "[😀-😂]"];
    loop {
        let (dialect, parts) = match random.below(7) {
            0 | 1 => (Dialect::Wildcard, &wildcard[..]),
            2 | 3 => (Dialect::Glob, &glob[..]),
            4 => (Dialect::Prefix, &["a", "b", "/", " ", "\\", "é"][..]),
            5 => (Dialect::Exact, &["a", "b", "/", " ", "\\", "*", "A"][..]),
            _ => (Dialect::Regex, &regex[..]),
        };
        if let Ok(pattern) = Pattern::new(dialect, &some(random, parts, 3)) {
            return pattern;
        }
    }
}

#[test]
fn all_dialects_agree_with_brute_force() {
    let values = strings(&['a', 'b', 'A', '/', '\\', 'é', '😀', ' '], 3);
    let keys = strings(&['a', 'x'], 1);
    let mut random = Random(5);
    for round in 0..count() {
        let key = |random: &mut Random| {
            if random.below(3) == 0 { mixed(random) } else { Pattern::wildcard(random.pick(&["a", "*", "?"])) }
        };
        let rule = |random: &mut Random| (key(random), mixed(random), random.below(3) as u8);
        let rules = Rules((0..1 + random.below(6)).map(|_| rule(&mut random)).collect());
        let impossible = if round % 2 == 0 { vec![(Pattern::wildcard("*"), mixed(&mut random))] } else { vec![] };
        let case = if round % 3 == 0 { Case::Folded } else { Case::Sensitive };
        check(&Setting { rules, impossible, case }, &keys, &values);
    }
}

/// The rules after a random edit.
fn edited(rules: &Rules, random: &mut Random, fresh: (Pattern, Pattern, u8)) -> Rules {
    let mut rules = rules.clone();
    let place = random.below(rules.0.len());
    match random.below(4) {
        0 => drop(rules.0.remove(place)),
        1 => rules.0.insert(place, fresh),
        2 => rules.0[place].2 = random.below(3) as u8,
        _ => {
            let other = random.below(rules.0.len());
            rules.0.swap(place, other);
        }
    }
    rules
}

fn check_diff(old: &Rules, new: &Rules, fallback: u8, case: Case, keys: &[String], values: &[String]) -> usize {
    let (old_entries, new_entries) = (old.entries(), new.entries());
    let sides = [Side { entries: &old_entries, fallback: 1 }, Side { entries: &new_entries, fallback }];
    let impossible = [(Pattern::wildcard("*"), Pattern::wildcard("*bb*"))];
    let mut diff = Diff::new(sides[0], sides[1], &impossible, case).unwrap();
    let truth = Truth::new(old, &impossible, keys, values, case);
    let colour = |last: Option<&usize>| last.map_or(fallback, |&place| new.0[place].2);
    let mut found = 0;
    for (from, to) in [
        (Colours::of(&[0, 1]), Colours::of(&[2])),
        (Colours::of(&[2]), Colours::of(&[0])),
        (Colours::ALL, Colours::of(&[1])),
    ] {
        for include in [None, Some(&[(Pattern::wildcard("?"), Pattern::wildcard("*a*"))][..])] {
            let exclude = [(Pattern::wildcard("q"), Pattern::wildcard("*"))];
            let holds = |call: &Call| {
                from.has(old.colour(old.matching(call, case).last()))
                    && to.has(colour(new.matching(call, case).last()))
                    && call.key != "q"
                    && include
                        .is_none_or(|_| call.key.len() == 1 && Pattern::wildcard("*a*").matches(&call.value, case))
            };
            let shortest = truth.shortest(|call, _| holds(call));
            let answer = diff.find(from, to, include, &exclude, &mut Budget::default());
            if let Answer::Yes(difference) = &answer {
                found += 1;
                assert_eq!(difference.old, old.matching(&difference.call, case).last().copied());
                assert_eq!(difference.new, new.matching(&difference.call, case).last().copied());
            }
            agree("diff", &(old, new, from, to), answer.map(|difference| difference.call), shortest, true, holds);
        }
    }
    found
}

#[test]
fn differences_agree_with_brute_force() {
    let values = strings(&['a', 'b', ' ', 'x'], 4);
    let keys = strings(&['p', 'q', 'x'], 1);
    let mut random = Random(3);
    let mut found = 0;
    for round in 0..count() {
        let old = wildcards(&mut random, &["a", "b", "*", "?", " *"]);
        let fresh = (Pattern::wildcard("p"), mixed(&mut random), random.below(3) as u8);
        let new = edited(&old, &mut random, fresh);
        found += check_diff(&old, &new, if round % 8 == 0 { 2 } else { 1 }, Case::Sensitive, &keys, &values);
    }
    assert!(found > 20, "{found}");
}

/// Where a wildcard can be after what was read: a bit for each place in its text.
fn advance(pattern: &[u8], places: u64, letter: Option<u8>) -> u64 {
    let mut next = 0;
    for (place, &token) in pattern.iter().enumerate().filter(|(place, _)| places & (1 << place) != 0) {
        match letter {
            Some(_) if token == b'*' => next |= 1 << place,
            Some(letter) if token == b'?' || token == letter => next |= 1 << (place + 1),
            _ => {}
        }
    }
    let mut all = if letter.is_none() { places } else { next };
    for (place, &token) in pattern.iter().enumerate() {
        if token == b'*' && all & (1 << place) != 0 {
            all |= 1 << (place + 1);
        }
    }
    all
}

/// The length of a shortest value of a wanted colour, by breadth-first search over the places in all patterns at once.
fn breadth_first(rules: &[(String, u8)], wanted: Colours) -> Option<usize> {
    let start: Vec<u64> = rules.iter().map(|(value, _)| advance(value.as_bytes(), 1, None)).collect();
    let mut seen = std::collections::HashSet::from([start.clone()]);
    let mut front = vec![start];
    for length in 0.. {
        let mut next = Vec::new();
        for state in front {
            let ends = |place: &usize| state[*place] & (1 << rules[*place].0.len()) != 0;
            let last = (0..rules.len()).rev().find(ends);
            if wanted.has(last.map_or(1, |place| rules[place].1)) {
                return Some(length);
            }
            for &letter in b"abcx" {
                let moved: Vec<u64> = rules
                    .iter()
                    .zip(&state)
                    .map(|((value, _), &places)| advance(value.as_bytes(), places, Some(letter)))
                    .collect();
                if seen.insert(moved.clone()) {
                    next.push(moved);
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        front = next;
    }
    None
}

/// With literals of several letters an estimate that is too high would show.
#[test]
fn shortest_calls_are_as_short_as_breadth_first_search_finds_them() {
    let parts = ["abc", "cab", "ba", "bbb", "*", "*", "?", "c"];
    let mut random = Random(23);
    let (mut found, mut none) = (0, 0);
    for _ in 0..3 * count() {
        let mut rules: Vec<(String, u8)> =
            (0..2 + random.below(4)).map(|_| (some(&mut random, &parts, 5), random.below(3) as u8)).collect();
        rules.insert(0, ("*".to_owned(), 1));
        let patterns = rules.iter().map(|(value, colour)| (Pattern::wildcard("p"), Pattern::wildcard(value), *colour));
        let mut table = Rules(patterns.collect()).table(&[], Case::Sensitive);
        let include = [(Pattern::wildcard("p"), Pattern::wildcard("*"))];
        for wanted in [Colours::of(&[0]), Colours::of(&[2])] {
            let answer = table.find(&include, &[], wanted, &mut Budget::default()).map(|(call, _)| call.value.len());
            match breadth_first(&rules, wanted) {
                Some(length) => assert_eq!(answer, Answer::Yes(length), "{rules:?} {wanted:?}"),
                None => assert_eq!(answer, Answer::No, "{rules:?} {wanted:?}"),
            }
            if answer.is_no() { none += 1 } else { found += 1 }
        }
    }
    assert!(found > 50 && none > 20, "{found} {none}");
}

#[test]
fn hard_sets_end_within_the_budget() {
    let set = generate::satisfiability(16, 83, 3);
    let rules = Rules(
        set.iter().map(|rule| (Pattern::wildcard(&rule.key), Pattern::wildcard(&rule.value), rule.colour)).collect(),
    );
    let mut table = rules.table(&[], Case::Sensitive);
    let mut budget = Budget::new(2_000).with_run(3_000);
    assert_eq!(table.decides(0, &mut budget), Answer::Undecided { states: 2_000 });
    assert_eq!(table.decides(0, &mut budget), Answer::Undecided { states: 1_000 });
    assert_eq!(table.decides(0, &mut budget), Answer::Undecided { states: 0 });
    assert_eq!(budget.spent(), 3_000);
    for kind in generate::Hard::ALL {
        let set = generate::adversarial(kind, 60, 1);
        let rules = Rules(
            set.iter()
                .map(|rule| (Pattern::wildcard(&rule.key), Pattern::wildcard(&rule.value), rule.colour))
                .collect(),
        );
        let mut table = rules.table(&[], Case::Sensitive);
        let mut budget = Budget::default();
        for i in 0..rules.0.len() {
            if let Answer::Yes(call) = table.matters(i, &mut budget) {
                assert_eq!(rules.matching(&call, Case::Sensitive).last(), Some(&i));
            }
        }
        assert!(budget.spent() < 1_000_000, "{kind:?} {budget:?}");
    }
}
