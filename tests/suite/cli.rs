//! What people type and what they see: the transcripts are the documentation of the commands, and so are the pages.

#[test]
fn transcripts() {
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").case("tests/cli/*.md");
    for page in ["README.md", "docs/hooks.md", "docs/runtimes/pi.md"] {
        cases.case(page);
    }
}
