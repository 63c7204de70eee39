//! PC0802: a rule of the user's that decides no expectation of any test. Asked for with `test --coverage`.

use super::tests::Run;
use super::written;
use crate::diagnostic::{Code, Finding, Severity};
use crate::model::Model;
use crate::rule::Rule;
use rustc_hash::FxHashSet;

/// A rule that no test covers.
pub const CODE: Code = Code::new("PC0802", "rule-never-decides-a-test", Severity::Warning);

/// How many rules the user wrote, and how many of them decide an expectation.
pub fn covered(model: &Model, run: &Run<'_>) -> (usize, usize) {
    let deciding = deciding(run);
    let (all, covered) = written::rules(model)
        .fold((0, 0), |(all, covered), rule| (all + 1, covered + usize::from(deciding.contains(&rule.id))));
    (covered, all)
}

/// One finding for each written rule of which no part decides an expectation, or some parts do not.
pub fn findings(model: &Model, run: &Run<'_>) -> Vec<Finding> {
    let deciding = deciding(run);
    let mut statements: Vec<Vec<&Rule>> = Vec::new();
    for rule in written::rules(model) {
        match statements.last_mut() {
            Some(last) if last.first().is_some_and(|first| first.origin.statement == rule.origin.statement) => {
                last.push(rule);
            }
            _ => statements.push(vec![rule]),
        }
    }
    statements.iter().filter_map(|rules| finding(rules, &deciding)).collect()
}

fn deciding(run: &Run<'_>) -> FxHashSet<u32> {
    run.outcomes().flat_map(|(_, outcome)| outcome.rules()).map(|rule| rule.id).collect()
}

fn finding(rules: &[&Rule], deciding: &FxHashSet<u32>) -> Option<Finding> {
    let idle: Vec<&&Rule> = rules.iter().filter(|rule| !deciding.contains(&rule.id)).collect();
    let first = idle.first()?;
    let text = match (rules.len(), idle.len()) {
        (1, _) => format!("no test is decided by this rule: {first}"),
        (all, idle) if all == idle => "no test is decided by any part of this rule".to_owned(),
        (all, idle) => format!("{idle} of the {all} parts of this rule decide no test"),
    };
    let mut finding = Finding::new(CODE, first.origin.statement, text);
    if rules.len() > 1 {
        let parts: Vec<String> =
            idle.iter().map(|rule| format!("{} {}", rule.permission.text(), rule.pattern.text())).collect();
        finding = finding.note(format!("untested: {}", written::listed(parts.iter().map(String::as_str), 8)));
    }
    Some(finding.help("add an expectation that this rule decides"))
}
