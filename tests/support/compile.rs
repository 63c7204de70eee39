//! Policies in tests, compiled from text.

use camino::Utf8Path;
use policyc::checks::Date;
use policyc::decide;
use policyc::diagnostic::Severity;
use policyc::files::Files;
use policyc::language::Budget;
use policyc::project::{self, Compilation, Options};
use policyc::report::human::{self, Style};
use policyc::report::{Report, Section};
use policyc::ruleset::Ruleset;
use policyc::runtimes::{RUNTIMES, Source};

/// A policy compiled from its text, and the files it was compiled from.
pub(crate) fn policy(text: &str) -> (Files, Compilation) {
    let mut files = Files::default();
    files.given(Utf8Path::new("test.policy"), text);
    let compiled = project::compile_policy(&mut files, Utf8Path::new("test.policy"), &Options::default()).unwrap();
    (files, compiled)
}

/// The same, which must compile without findings.
pub(crate) fn clean(text: &str) -> Compilation {
    let (files, compiled) = policy(text);
    assert_eq!(findings(&files, &compiled), Vec::<String>::new(), "{text}");
    compiled
}

/// What the stages found: place, code and message a line.
pub(crate) fn findings(files: &Files, compiled: &Compilation) -> Vec<String> {
    let line = |finding: &policyc::diagnostic::Finding| {
        format!("{} {} {}", files.sources.place(finding.primary.span), finding.code.id, finding.message)
    };
    compiled.findings.iter().map(line).collect()
}

/// The ruleset of an agent.
pub(crate) fn of<'a>(compiled: &'a Compilation, agent: &str) -> &'a Ruleset {
    compiled.rulesets.iter().find(|set| set.agent == agent).unwrap()
}

/// The rules of an agent, `permission pattern action` each.
pub(crate) fn rules(compiled: &Compilation, agent: &str) -> Vec<String> {
    let line =
        |rule: &policyc::rule::Rule| format!("{} {} {}", rule.permission.text(), rule.pattern.text(), rule.action);
    of(compiled, agent).rules.iter().map(line).collect()
}

/// The decision's word.
pub(crate) fn decide(compiled: &Compilation, agent: &str, permission: &str, resource: &str) -> &'static str {
    decide::decide(of(compiled, agent), permission, resource).action.word()
}

/// What all checks find in a policy, as a person sees it.
pub(crate) fn report(text: &str, pedantic: bool) -> String {
    let (files, compiled) = policy(text);
    shown(&files, &compiled, pedantic)
}

/// What all checks find, as a person sees it.
pub(crate) fn shown(files: &Files, compiled: &Compilation, pedantic: bool) -> String {
    let today = Date::parse("2026-12-01").unwrap();
    let mut findings = project::check(compiled, &files.sources, today, pedantic, &mut Budget::default());
    findings.retain(|finding| pedantic || finding.severity > Severity::Info);
    let section = Section { target: "test.policy".into(), findings, agents: 0, rules: 0, sources: Vec::new() };
    let report = Report { sections: vec![section] };
    human::findings(&report, &files.sources, Style { width: 100, colour: false })
}

/// What all checks find in OpenCode configs, each a name and a text, as a person sees it.
pub(crate) fn config(texts: &[(&str, &str)]) -> String {
    let mut files = Files::default();
    let sources: Vec<Source> = texts
        .iter()
        .map(|(name, text)| Source {
            kind: "project",
            path: (*name).into(),
            file: files.given(Utf8Path::new(name), text),
        })
        .collect();
    let opencode = RUNTIMES.into_iter().find(|runtime| runtime.name() == "opencode").unwrap();
    let compiled = project::compile_config(&mut files, opencode, &sources, &Options::default());
    shown(&files, &compiled, false)
}
