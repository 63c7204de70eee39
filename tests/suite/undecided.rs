//! A question that the budget does not suffice for is said to be open, whichever check asked it.

use crate::support::compile::policy;
use policyc::checks::Date;
use policyc::language::Budget;
use policyc::project;

#[test]
fn a_check_that_stays_undecided_is_not_silent() {
    let text = "runtime opencode\n\
                agent lead { mode primary; allow task \"kid\"; deny bash \"*x?y*z*\" }\n\
                agent kid { mode subagent; deny bash; allow bash \"*q?y*z*\" }\n";
    let (files, compiled) = policy(text);
    let today = Date::parse("2026-11-30").unwrap();
    let codes = |mut budget: Budget| -> Vec<&str> {
        let findings = project::check(&compiled, &files.sources, today, false, &mut budget);
        findings.iter().map(|finding| finding.code.id).collect()
    };
    assert_eq!(codes(Budget::default()), ["PC0506"]);
    assert!(codes(Budget::new(0).with_run(0)).contains(&"PC0908"));
}
