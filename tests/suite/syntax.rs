//! The language: what is read, what is printed, and what is said of mistakes.

use crate::support::{ast, plain};
use policyc::diagnostic::{Finding, Sink};
use policyc::source::SourceMap;
use policyc::syntax::ast::Policy;
use policyc::syntax::{format, parse, print};
use proptest::prelude::*;

fn read(text: &str) -> (Policy, Vec<Finding>) {
    let mut sink = Sink::default();
    let policy = parse(ast::file(), text, &mut sink);
    (policy, sink.into_findings())
}

/// What a person is told about a text.
fn told(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("a.policy", text);
    let mut sink = Sink::default();
    parse(file, text, &mut sink);
    plain::render(&sources, sink.findings())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_the_same(policy in ast::policy()) {
        let text = print(&policy);
        let (again, findings) = read(&text);
        prop_assert!(findings.is_empty(), "{}\n{}", text, told(&text));
        prop_assert!(again == policy, "{}\n{:#?}\n{:#?}", text, policy, again);
        prop_assert_eq!(print(&again), text);
    }
}
