//! Command transcripts: the documentation of every verb, run.

#[test]
fn transcripts() {
    trycmd::TestCases::new().env("NO_COLOR", "1").case("tests/cli/*.md").case("README.md").case("docs/runtimes/pi.md");
}
