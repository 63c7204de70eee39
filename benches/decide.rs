//! What one decision costs: by a compiled table, by the plain meaning, by a `GlobSet`, and as OpenCode decides, in Node.
//!
//! `cargo bench --bench decide`. All answer the same calls in one run, so the ratios hold whatever the machine is doing.
//! "Hot" are 100 calls over and over, "distinct" are 20,000. Node is left out where there is none.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench that meets the unexpected should stop there, and prints what it measured"
)]

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use policyc::decide::decide;
use policyc::engine::Table;
use policyc::language::{Case, Pattern};
use policyc::model::Model;
use policyc::rule::{Action, Origin, Rule};
use policyc::ruleset::Ruleset;
use policyc::source::{SourceMap, Span};
use std::hint::black_box;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[path = "../tests/support/generate.rs"]
mod generate;

const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];
/// Each measurement is the median of so many.
const SAMPLES: usize = 15;
/// Each sample takes about so long.
const SAMPLE: Duration = Duration::from_millis(60);

type Calls = Vec<(String, String)>;

fn main() {
    println!(
        "{:>7} {:>10} {:>9} {:>9} {:>12} {:>12} {:>12} {:>9}",
        "rules", "build", "bytes", "hot", "distinct", "naive", "globset", "node"
    );
    for count in SIZES {
        let rules = generate::realistic(count, 42);
        let set = ruleset(&rules);
        let make = || Table::new(&Model::default(), std::slice::from_ref(&set), &SourceMap::default(), ("core", "1"));
        let build = median((0..5).map(|_| timed(|| drop(black_box(make())))).collect());
        let table = make();
        let bytes = table.to_bytes().unwrap().len();
        let calls = generate::calls(&rules, 20_000, 5);
        let hot: Calls = calls.iter().take(100).cloned().collect();
        let mut decider = table.decider("a").unwrap();
        for (permission, resource) in calls.iter().take(2_000) {
            assert_eq!(decider.decide(permission, resource).action, decide(&set, permission, resource).action);
        }
        let mut by_table =
            |calls: &Calls| each(calls, |permission, resource| decider.decide(permission, resource).action);
        let (fast, distinct) = (by_table(&hot), by_table(&calls));
        let naive = each(&hot, |permission, resource| decide(&set, permission, resource).action);
        let globs = globs(&rules);
        let globset = each(&hot, |permission, resource| by_globs(&globs, &set, permission, resource));
        let node = in_node(&rules, &hot);
        let ratio = |other: f64| format!("{other:.0} ({:.0}x)", other / fast);
        println!(
            "{count:>7} {:>7.1} ms {bytes:>9} {fast:>6.0} ns {distinct:>9.0} ns {:>12} {:>12} {}",
            build.as_secs_f64() * 1e3,
            ratio(naive),
            ratio(globset),
            node.map_or("no node".to_owned(), ratio),
        );
    }
}

fn ruleset(rules: &[generate::Rule]) -> Ruleset {
    let actions = [Action::Deny, Action::Ask, Action::Allow, Action::Deny];
    let span = Span::new(SourceMap::default().add("bench", ""), 0..0);
    let origin = Arc::new(Origin { span, statement: span, slot: "own".into(), prelude: false, via: Vec::new() });
    let rule = |(id, rule): (usize, &generate::Rule)| Rule {
        id: id as u32,
        permission: Pattern::wildcard(&rule.key),
        pattern: Pattern::wildcard(&rule.value),
        action: actions[usize::from(rule.colour)],
        reason: None,
        origin: Arc::clone(&origin),
    };
    Ruleset { agent: "a".to_owned(), rules: rules.iter().enumerate().map(rule).collect(), case: Case::Sensitive }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

/// Nanoseconds a decision.
fn each(calls: &Calls, mut decide: impl FnMut(&str, &str) -> Action) -> f64 {
    let mut round = || {
        for (permission, resource) in calls {
            black_box(decide(permission, resource));
        }
    };
    let once = timed(&mut round).max(timed(&mut round));
    let rounds = (SAMPLE.as_nanos() / once.as_nanos().max(1)).max(1) as usize;
    let samples = (0..SAMPLES).map(|_| timed(|| (0..rounds).for_each(|_| round())));
    median(samples.collect()).as_secs_f64() * 1e9 / (rounds * calls.len()) as f64
}

/// Permission and resource in one text, so that one set answers for both.
fn globs(rules: &[generate::Rule]) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for rule in rules {
        let escaped = |text: &str| text.replace(['[', ']', '{', '}', '!'], "?");
        let text = format!("{}\u{1}{}", escaped(&rule.key), escaped(&rule.value));
        builder.add(GlobBuilder::new(&text).literal_separator(false).build().unwrap());
    }
    builder.build().unwrap()
}

fn by_globs(globs: &GlobSet, set: &Ruleset, permission: &str, resource: &str) -> Action {
    let last = globs.matches(format!("{permission}\u{1}{resource}")).into_iter().max();
    last.map_or(Action::Ask, |at| set.rules[at].action)
}

/// The way of OpenCode 1.18: the last rule for which an expression made from permission and pattern matches.
const NODE: &str = r#"
const { rules, calls } = JSON.parse(require("fs").readFileSync(0, "utf8"))
const match = (value, pattern) => {
  let source = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".")
  if (source.endsWith(" .*")) source = source.slice(0, -3) + "( .*)?"
  return new RegExp("^" + source + "$", "s").test(value)
}
const decide = (permission, resource) => rules.findLast((rule) => match(permission, rule[0]) && match(resource, rule[1]))
const samples = []
for (let sample = 0; sample < 5; sample++) {
  const start = process.hrtime.bigint()
  let count = 0
  do {
    for (const [permission, resource] of calls) decide(permission, resource)
    count += calls.length
  } while (process.hrtime.bigint() - start < 60_000_000n)
  samples.push(Number(process.hrtime.bigint() - start) / count)
}
console.log(samples.sort((a, b) => a - b)[2])
"#;

fn in_node(rules: &[generate::Rule], calls: &Calls) -> Option<f64> {
    let rules: Vec<(&str, &str)> = rules.iter().map(|rule| (rule.key.as_str(), rule.value.as_str())).collect();
    let input = serde_json::json!({ "rules": rules, "calls": calls }).to_string();
    let mut node = Command::new("node").args(["-e", NODE]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    node.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let output = node.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
