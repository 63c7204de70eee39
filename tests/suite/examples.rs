//! Everything under `policies/` compiles; what it comes to, and what is found in it, are snapshots.

use camino::{Utf8Path, Utf8PathBuf};
use policyc::checks::Date;
use policyc::diagnostic::{Finding, Severity};
use policyc::files::Files;
use policyc::language::{Budget, Dialect};
use policyc::project::{self, Compilation, Options};
use policyc::report::{Report, Section, human};
use policyc::source::SourceMap;
use std::fmt::Write;

const TODAY: Date = Date { year: 2026, month: 12, day: 1 };

fn compiled(path: &str) -> (Files, Compilation, Vec<Finding>) {
    let mut files = Files::default();
    let compilation = project::compile_policy(&mut files, Utf8Path::new(path), &Options::default()).unwrap();
    let findings = project::check(&compilation, &files.sources, TODAY, false, &mut Budget::default());
    (files, compilation, findings)
}

fn rendered(path: &str, compilation: &Compilation, findings: Vec<Finding>, sources: &SourceMap) -> String {
    let section = Section {
        target: path.to_owned(),
        findings,
        agents: compilation.rulesets.len(),
        rules: 0,
        sources: Vec::new(),
    };
    human::findings(&Report { sections: vec![section] }, sources, human::Style { width: 110, colour: false })
}

fn flattened(compilation: &Compilation) -> String {
    let mut out = String::new();
    for set in &compilation.rulesets {
        let _ = writeln!(out, "{}", set.agent);
        for rule in &set.rules {
            let dialect = match rule.pattern.dialect() {
                Dialect::Wildcard => String::new(),
                dialect => format!("{dialect:?} ").to_lowercase(),
            };
            let (permission, pattern) = (rule.permission.text(), rule.pattern.text());
            let _ = writeln!(out, "  {:5} {permission} {dialect}{pattern:?} ({})", rule.action, rule.origin.slot);
        }
    }
    out
}

pub(crate) fn policies(folder: &str) -> Vec<Utf8PathBuf> {
    let mut out = Vec::new();
    for entry in Utf8Path::new(folder).read_dir_utf8().unwrap() {
        let path = entry.unwrap().into_path();
        if path.is_dir() {
            out.extend(policies(path.as_str()));
        } else if path.extension() == Some("policy") {
            out.push(path);
        }
    }
    out.sort();
    out
}

/// The README's example, and agents as their authors wrote them, who may not edit and can write: they are there to show
/// mistakes.
const MISTAKEN: [&str; 3] = [
    "policies/examples/first/first.policy",
    "policies/examples/custom-agent/custom-agent.policy",
    "policies/examples/native-agents/native-agents.policy",
];

#[test]
fn every_example_compiles_and_says_what_it_finds() {
    for path in policies("policies/examples") {
        if path.file_name() == Some("large.policy") {
            continue;
        }
        let (files, compilation, findings) = compiled(path.as_str());
        let errors: Vec<&Finding> = findings.iter().filter(|finding| finding.severity == Severity::Error).collect();
        assert_eq!(errors.is_empty(), !MISTAKEN.contains(&path.as_str()), "{path}: {errors:#?}");
        let found = rendered(path.as_str(), &compilation, findings.clone(), &files.sources);
        let text = format!("{}\n{found}", flattened(&compilation));
        let name = path.as_str().replace(['/', '.'], "_");
        insta::assert_snapshot!(name, text, path.as_str());
    }
}

#[test]
fn policies_are_in_canonical_form() {
    for path in policies("policies/examples") {
        let text = std::fs::read_to_string(&path).unwrap();
        let mut sources = SourceMap::default();
        let file = sources.add(path.as_str(), text.clone());
        let formatted = policyc::syntax::format(file, &text).unwrap();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &formatted).unwrap();
            continue;
        }
        assert_eq!(formatted, text, "{path}");
    }
}

#[test]
fn the_large_example_is_checked_whole() {
    let (_, compilation, findings) = compiled("policies/examples/large/large.policy");
    let rules: usize = compilation.model.agents.values().map(|agent| agent.own.len()).sum();
    let shared = compilation.model.layers.get("user").map_or(0, |layer| layer.rules.len());
    let mut counts = std::collections::BTreeMap::new();
    for finding in &findings {
        *counts.entry((finding.code.id, finding.code.name)).or_insert(0) += 1;
    }
    insta::assert_debug_snapshot!((rules + shared, counts));
}
