//! Command transcripts: the documentation of every verb, and pages whose examples are commands, run.

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").case("tests/cli/*.md");
    for page in ["README.md", "docs/hooks.md", "docs/runtimes/pi.md"] {
        cases.case(page);
    }
}
