//! The exact engine on rules as people write them, and on sets built to be hard.
//!
//! `cargo bench --bench engine`; the number in a row is how many rules there are.
#![allow(missing_docs, clippy::unwrap_used, reason = "divan's benches are functions, and their sets are good")]

use divan::{Bencher, black_box};
use policyc::language::{Answer, Budget, Case, Colours, Entry, Pattern, Table};

#[path = "../tests/support/generate.rs"]
mod generate;
use generate::{Hard, Rule, adversarial, calls, realistic, satisfiability};

fn main() {
    divan::main();
}

/// Rules as patterns: what a table is built from.
struct Set(Vec<(Pattern, Pattern, u8)>);

impl Set {
    fn new(rules: &[Rule]) -> Set {
        let pattern = |rule: &Rule| (Pattern::wildcard(&rule.key), Pattern::wildcard(&rule.value), rule.colour);
        Set(rules.iter().map(pattern).collect())
    }

    fn table(&self) -> Table {
        let entries: Vec<Entry> =
            self.0.iter().map(|(key, value, colour)| Entry { key, value, colour: *colour }).collect();
        Table::new(&entries, &[], 1, Case::Sensitive).unwrap()
    }
}

/// Dead and redundant entries, as the checks ask for them.
fn verdicts(table: &mut Table) -> [usize; 3] {
    let mut budget = Budget::default();
    let mut counts = [0; 3];
    for entry in 0..table.len() {
        match table.decides(entry, &mut budget) {
            Answer::No => counts[0] += 1,
            Answer::Undecided { .. } => counts[2] += 1,
            Answer::Yes(_) => match table.matters(entry, &mut budget) {
                Answer::No => counts[1] += 1,
                Answer::Undecided { .. } => counts[2] += 1,
                Answer::Yes(_) => {}
            },
        }
    }
    counts
}

const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

#[divan::bench(args = SIZES, max_time = 4)]
fn build(bencher: Bencher, count: usize) {
    let set = Set::new(&realistic(count, 42));
    bencher.bench(|| set.table());
}

#[divan::bench(args = SIZES, max_time = 4)]
fn dead_and_redundant(bencher: Bencher, count: usize) {
    let set = Set::new(&realistic(count, 42));
    bencher.with_inputs(|| set.table()).bench_values(|mut table| verdicts(&mut table));
}

#[divan::bench(args = SIZES, max_time = 4)]
fn build_and_verdicts(bencher: Bencher, count: usize) {
    let set = Set::new(&realistic(count, 42));
    bencher.bench(|| verdicts(&mut set.table()));
}

#[divan::bench(args = SIZES, max_time = 2)]
fn decide(bencher: Bencher, count: usize) {
    let rules = realistic(count, 42);
    let mut table = Set::new(&rules).table();
    let calls = calls(&rules, 4_096, 7);
    let mut next = calls.iter().cycle();
    bencher.bench_local(|| next.next().map(|(key, value)| black_box(table.last(key, value))));
}

#[divan::bench(args = SIZES, max_time = 2)]
fn capability(bencher: Bencher, count: usize) {
    let mut table = Set::new(&realistic(count, 42)).table();
    let include = [(Pattern::wildcard("bash"), Pattern::wildcard("*rm -rf*"))];
    bencher.bench_local(|| table.find(&include, &[], Colours::of(&[2]), &mut Budget::default()));
}

#[divan::bench(args = Hard::ALL, max_time = 2)]
fn hard_10_000(bencher: Bencher, kind: Hard) {
    let set = Set::new(&adversarial(kind, 10_000, 42));
    bencher.bench(|| verdicts(&mut set.table()));
}

#[divan::bench(args = [10, 12, 14, 16], max_time = 2)]
fn satisfiability_dead(bencher: Bencher, variables: usize) {
    let set = Set::new(&satisfiability(variables, variables * 26 / 5, 3));
    bencher.with_inputs(|| set.table()).bench_values(|mut table| table.decides(0, &mut Budget::default()));
}
