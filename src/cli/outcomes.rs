//! What came of `test` blocks as JUnit XML: a suite a block, a case an expectation.

use crate::checks::tests::{Block, Outcome, Verdict};
use crate::report::shown;
use crate::source::SourceMap;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// A block as a suite.
pub(super) fn suite(block: &Block<'_>, sources: &SourceMap) -> TestSuite {
    let agent = shown::line(&block.test.agent.node);
    let name = block.test.name.as_deref().map(|name| format!(": {}", shown::line(name))).unwrap_or_default();
    let mut suite = TestSuite::new(format!("{agent}{name}"));
    suite.add_test_cases(block.outcomes.iter().map(|outcome| case(outcome, sources)));
    suite
}

fn case(outcome: &Outcome<'_>, sources: &SourceMap) -> TestCase {
    let span = outcome.expectation.span;
    let text = sources.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
    let mut case = TestCase::new(shown::line(&text), status(outcome, &shown::line(&sources.place(span))));
    case.set_classname(shown::line(sources.name(span.file)));
    case
}

fn status(outcome: &Outcome<'_>, place: &str) -> TestCaseStatus {
    let (kind, message) = match outcome.verdict {
        Verdict::Passed => return TestCaseStatus::success(),
        Verdict::Failed if outcome.asked.is_empty() => (NonSuccessKind::Failure, "it comes out otherwise".to_owned()),
        Verdict::Failed => (NonSuccessKind::Failure, format!("comes out as {}", outcome.action())),
        Verdict::Undecided => (NonSuccessKind::Error, "what the call asks cannot be told".to_owned()),
        Verdict::Unknown => (NonSuccessKind::Error, "it names what nothing knows".to_owned()),
    };
    let why = outcome.why.as_deref().map(|why| format!(": {}", shown::line(why))).unwrap_or_default();
    let rule = outcome.rules().last().map(|rule| format!("\ndecided by: {}", shown::line(&rule.to_string())));
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(format!("{message}{why}"));
    status.set_description(format!("{place}{}", rule.unwrap_or_default()));
    status
}

/// All suites as one file.
pub(super) fn xml(suites: &[TestSuite]) -> Result<String, quick_junit::SerializeError> {
    let mut report = Report::new("policyc test");
    report.add_test_suites(suites.iter().cloned());
    report.to_string()
}
