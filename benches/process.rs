//! The whole program, cold: `policyc check` and `policyc decide` on files made by the generator.
//!
//! `cargo bench --bench process`; the number in a row is how many rules the file holds. One agent with the rules as its
//! own (`policy`), and an OpenCode config with them as shared rules of the native agents (`opencode`).
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "divan's benches are functions; a bench that fails should stop"
)]

use divan::Bencher;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[path = "../tests/support/generate.rs"]
mod generate;
use generate::{Hard, Random, Rule, adversarial, realistic, satisfiability};

fn main() {
    divan::main();
}

const ACTIONS: [&str; 4] = ["allow", "ask", "deny", "deny"];
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

fn action(rule: &Rule) -> &'static str {
    ACTIONS.get(usize::from(rule.colour)).unwrap()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A policy of one agent with these rules.
fn policy(rules: &[Rule]) -> String {
    let mut text = "agent worker {\n".to_owned();
    for rule in rules {
        writeln!(text, "  {} {} {}", action(rule), quoted(&rule.key), quoted(&rule.value)).unwrap();
    }
    text + "}\n"
}

/// An OpenCode config whose shared `permission` section has these rules, grouped by permission as its format demands.
fn opencode(rules: &[Rule]) -> String {
    let mut root = serde_json::Map::new();
    for rule in rules {
        let entry = root.entry(rule.key.clone()).or_insert_with(|| serde_json::Value::Object(serde_json::Map::new()));
        entry.as_object_mut().unwrap().insert(rule.value.clone(), action(rule).into());
    }
    if let Some(hosts) = root.get_mut("webfetch") {
        // That key takes no patterns.
        *hosts = "ask".into();
    }
    serde_json::json!({ "$schema": "https://opencode.ai/config.json", "permission": root }).to_string()
}

fn write(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join("policyc-bench").join(name.replace('.', "-"));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name.rsplit('/').next().unwrap());
    std::fs::write(&path, text).unwrap();
    path
}

fn run(arguments: &[&str], file: &PathBuf) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    let (verb, rest) = arguments.split_first().unwrap();
    command.arg(verb).arg(file).args(rest).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(command.status().unwrap().code().unwrap() < 2, "the file must be read");
}

#[divan::bench(args = SIZES, max_time = 20, sample_size = 1)]
fn check_policy(bencher: Bencher, count: usize) {
    let file = write(&format!("{count}.policy"), &policy(&realistic(count, 42)));
    bencher.bench(|| run(&["check", "--fail-on", "never"], &file));
}

#[divan::bench(args = SIZES, max_time = 20, sample_size = 1)]
fn check_opencode(bencher: Bencher, count: usize) {
    let folder = format!("opencode-{count}");
    let file = write(&folder, "");
    std::fs::remove_file(&file).unwrap();
    let file = file.parent().unwrap().join("opencode.json");
    std::fs::write(&file, opencode(&realistic(count, 42))).unwrap();
    bencher.bench(|| run(&["check", "--fail-on", "never"], &file));
}

#[divan::bench(args = [Hard::TwoInfixes, Hard::ThreeInfixes, Hard::TwoLetters, Hard::Questions], max_time = 20, sample_size = 1)]
fn check_adversarial(bencher: Bencher, kind: Hard) {
    let file = write(&format!("{kind:?}.policy"), &policy(&adversarial(kind, 10_000, 7)));
    bencher.bench(|| run(&["check", "--fail-on", "never"], &file));
}

/// Each a formula with so many variables; the last ones are beyond the budget of a question.
#[divan::bench(args = [10, 12, 14, 16], max_time = 20, sample_size = 1)]
fn check_satisfiability(bencher: Bencher, variables: usize) {
    let file = write(&format!("sat-{variables}.policy"), &policy(&satisfiability(variables, variables * 5, 3)));
    bencher.bench(|| run(&["check", "--fail-on", "never"], &file));
}

/// The same rules after some work on them: ten rules changed, taken away or put in anywhere, and a block that moved down.
fn edited(mut rules: Vec<Rule>, block: usize) -> Vec<Rule> {
    let mut random = Random(11);
    for place in 0..10 {
        let at = 8 + random.below(rules.len() - 8);
        match place % 3 {
            0 => rules[at].colour = (rules[at].colour + 1) % 3,
            1 => drop(rules.remove(at)),
            _ => rules.insert(at, Rule::new("bash", format!("deploy {place} *"), 2)),
        }
    }
    let from = rules.len() / 2;
    rules[from..from + 2 * block].rotate_left(block);
    rules
}

#[divan::bench(args = [1_000, 10_000], max_time = 20, sample_size = 1)]
fn diff_policies(bencher: Bencher, count: usize) {
    let rules = realistic(count, 42);
    let old = write(&format!("old-{count}.policy"), &policy(&rules));
    let new = write(&format!("new-{count}.policy"), &policy(&edited(rules, count / 50)));
    bencher.bench(|| run(&["diff", new.to_str().unwrap()], &old));
}

/// Every agent has the rules: they are shared.
#[divan::bench(args = [1_000, 10_000], max_time = 20, sample_size = 1)]
fn diff_opencode(bencher: Bencher, count: usize) {
    let rules = realistic(count, 42);
    let shared = |rules: &[Rule]| policy(rules).replacen("agent worker {", "runtime opencode\nlayer user {", 1);
    let old = write(&format!("shared-old-{count}.policy"), &shared(&rules));
    let new = write(&format!("shared-new-{count}.policy"), &shared(&edited(rules, count / 50)));
    bencher.bench(|| run(&["diff", new.to_str().unwrap()], &old));
}

/// Agents with so many rules each, all of whom may start all others, and a promise for every capability.
fn crew(agents: usize, rules: usize) -> String {
    let mut text = String::new();
    for agent in 0..agents {
        writeln!(text, "agent a{agent} {{\n  mode all\n  deny *\n  allow task").unwrap();
        for rule in realistic(rules + 8, agent as u64).iter().skip(8).filter(|rule| rule.key != "task") {
            writeln!(text, "  {} {} {}", action(rule), quoted(&rule.key), quoted(&rule.value)).unwrap();
        }
        text.push_str("}\n");
    }
    for capability in ["read", "write", "exec", "network", "delegate", "switch"] {
        writeln!(text, "assert every agent cannot {capability}").unwrap();
    }
    text
}

/// One witness for every agent and capability, over all ways: agents, and rules of each.
#[divan::bench(args = [(20, 50), (200, 5)], max_time = 20, sample_size = 1)]
fn check_capabilities(bencher: Bencher, (agents, rules): (usize, usize)) {
    let file = write(&format!("crew-{agents}-{rules}.policy"), &crew(agents, rules));
    bencher.bench(|| run(&["check", "--fail-on", "never", "--select", "PC0801"], &file));
}

#[divan::bench(max_time = 5, sample_size = 1)]
fn decide_small(bencher: Bencher) {
    let file = write("small.policy", &policy(&realistic(30, 42)));
    bencher.bench(|| run(&["decide", "--agent", "worker", "bash", "git push origin main"], &file));
}

/// So many calls, one a line, against a policy of 1,000 rules.
#[divan::bench(args = [10_000, 1_000_000], max_time = 20, sample_size = 1)]
fn decide_calls(bencher: Bencher, count: usize) {
    let rules = realistic(1_000, 42);
    let file = write("calls.policy", &policy(&rules));
    let line = |(permission, resource): (String, String)| {
        format!("{}\n", serde_json::json!({ "agent": "worker", "permission": permission, "resource": resource }))
    };
    let lines: String = generate::calls(&rules, count, 5).into_iter().map(line).collect();
    let calls = write(&format!("calls-{count}.jsonl"), &lines);
    bencher.bench(|| run(&["decide", "--calls", calls.to_str().unwrap()], &file));
}

const EVENT: &str = r#"{"session_id":"s","cwd":"/nowhere/shop","permission_mode":"default",
"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push origin main"},"tool_use_id":"t"}"#;

/// A hook that decides by a compiled table, and by the policy itself.
#[divan::bench(args = ["table", "policy"], max_time = 10, sample_size = 1)]
fn hook(bencher: Bencher, by: &str) {
    let policy = write("hook.policy", &(policy(&realistic(1_000, 42)) + "default agent worker\n"));
    let folder = policy.parent().unwrap().to_str().unwrap().to_owned();
    run(&["compile", "--target", "table", "--out", &folder], &policy);
    let file = if by == "table" { policy.with_file_name("policy.table") } else { policy };
    let event = write("event.json", EVENT);
    let arguments = ["hook", "claude-code", "--event", event.to_str().unwrap(), "--policy", file.to_str().unwrap()];
    bencher.bench(|| {
        let output = Command::new(env!("CARGO_BIN_EXE_policyc")).args(arguments).output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("permissionDecision"));
    });
}
