//! Findings as JUnit XML, which every CI server shows: a suite a policy or config, a failed case a finding.

use crate::diagnostic::Finding;
use crate::report::{Report, json, shown, told};
use crate::source::SourceMap;
use quick_junit::{NonSuccessKind, SerializeError, TestCase, TestCaseStatus, TestSuite};
use std::collections::HashSet;

/// The whole report. Where nothing was found stands one case that passed, since a file without cases counts as a fault.
///
/// # Errors
/// None that depends on the findings: what XML does not allow is taken out.
pub fn report(report: &Report, sources: &SourceMap) -> Result<String, SerializeError> {
    let mut out = quick_junit::Report::new("policyc");
    let mut seen = HashSet::new();
    let all = json::sorted(report, sources);
    let ignored = json::sorted_ignored(report, sources);
    for section in report.sections.iter().filter(|section| seen.insert(&section.target)) {
        let name = if section.target.is_empty() { "found in folders" } else { &section.target };
        let mut suite = TestSuite::new(shown::line(name));
        let here = |all: &[(&str, &Finding)]| -> Vec<Finding> {
            all.iter().filter(|(target, _)| *target == section.target).map(|(_, finding)| (*finding).clone()).collect()
        };
        suite.add_test_cases(here(&all).iter().map(|finding| failed(&section.target, finding, sources)));
        suite.add_test_cases(here(&ignored).iter().map(|finding| skipped(finding, sources)));
        if suite.test_cases.is_empty() {
            suite.add_test_case(TestCase::new("check", TestCaseStatus::success()));
        }
        out.add_test_suite(suite);
    }
    out.to_string()
}

fn failed(target: &str, finding: &Finding, sources: &SourceMap) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    let place = shown::line(&sources.place(finding.primary.span));
    status.set_type(finding.severity.to_string()).set_message(told::message(finding));
    status.set_description(format!("{place}\n{}", told::text(target, finding)));
    case(finding, sources, status)
}

fn skipped(finding: &Finding, sources: &SourceMap) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(format!("ignored: {}", shown::line(finding.ignored.as_deref().unwrap_or_default())));
    case(finding, sources, status)
}

fn case(finding: &Finding, sources: &SourceMap, status: TestCaseStatus) -> TestCase {
    let place = shown::line(&sources.place(finding.primary.span));
    let mut case = TestCase::new(format!("{} {} {place}", finding.code.id, finding.code.name), status);
    case.set_classname(shown::line(sources.name(finding.primary.span.file)));
    case
}
