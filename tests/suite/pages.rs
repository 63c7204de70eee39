//! The page of every check is its test: its form, its *Avoid* block, which gives exactly its code, and its *Prefer* block,
//! which gives nothing; and the list of checks is whole.

use camino::{Utf8Path, Utf8PathBuf};
use policyc::checks::{CHECKS, Check, Date, rule_never_decides_a_test, tests};
use policyc::diagnostic::{Finding, Severity};
use policyc::files::Files;
use policyc::language::Budget;
use policyc::project::{self, Compilation, Options};
use policyc::report::human::{self, Style};
use policyc::report::{Report, Section};
use policyc::runtimes::{RUNTIMES, Source};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// What a page consists of, after its title, its summary and its line of facts.
const SECTIONS: [&str; 6] = ["Why it matters", "Avoid", "Prefer", "How it is decided", "Known limits", "Related"];

/// Codes that need a base or a target to compare with, or that no policy can give: their pages have no examples.
const WITHOUT_EXAMPLES: [&str; 10] =
    ["PC0206", "PC0207", "PC0209", "PC0601", "PC0602", "PC0603", "PC0606", "PC0608", "PC0908", "PC0999"];

struct Page<'a> {
    summary: &'a str,
    severity: &'a str,
    kind: &'a str,
    sections: BTreeMap<&'a str, &'a str>,
}

fn page(check: &Check) -> Page<'_> {
    let code = check.code;
    let text = check.page;
    let title = format!("# {} {}\n\n", code.id, code.name);
    let body = text.strip_prefix(&title).unwrap_or_else(|| panic!("{} does not start with its title", code.id));
    let mut parts = body.split("\n## ");
    let mut head = parts.next().unwrap().trim_end().splitn(2, "\n\n");
    let summary = head.next().unwrap();
    let facts = head.next().unwrap_or_else(|| panic!("{} has no line of facts", code.id));
    let facts = facts.strip_prefix("Severity: ").unwrap_or_else(|| panic!("{}: {facts}", code.id));
    let (severity, kind) = facts.split_once(". Kind: ").unwrap_or_else(|| panic!("{}: {facts}", code.id));
    let kind = kind.strip_suffix('.').unwrap_or_else(|| panic!("{}: {facts}", code.id));
    let sections: Vec<(&str, &str)> = parts.map(|part| part.split_once("\n\n").unwrap()).collect();
    let names: Vec<&str> = sections.iter().map(|(name, _)| *name).collect();
    let wanted: Vec<&str> = match WITHOUT_EXAMPLES.contains(&code.id) {
        true => SECTIONS.into_iter().filter(|name| !["Avoid", "Prefer"].contains(name)).collect(),
        false => SECTIONS.to_vec(),
    };
    assert_eq!(names, wanted, "sections of {}", code.id);
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{} ends in one newline", code.id);
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{} has a line of more than 120 characters", code.id);
    Page { summary, severity, kind, sections: sections.into_iter().collect() }
}

/// The fenced blocks of a section: a language, a file's name or nothing, and the text.
fn blocks(section: &str) -> Vec<(String, Utf8PathBuf, String)> {
    let mut out = Vec::new();
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let (language, name) = info.split_once(' ').unwrap_or((info, "page.policy"));
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        out.push((language.to_owned(), name.into(), text.join("\n") + "\n"));
    }
    out
}

fn compile(blocks: &[(String, Utf8PathBuf, String)]) -> (Files, Compilation) {
    let mut files = Files::default();
    let mut sources = Vec::new();
    for (_, name, text) in blocks {
        let file = files.given(name, text);
        sources.push(Source { kind: kind_of(name), path: name.clone(), file });
    }
    let options = Options::default();
    let compiled = match blocks.first().unwrap() {
        (language, name, _) if language == "policy" => project::compile_policy(&mut files, name, &options).unwrap(),
        _ => {
            let opencode = RUNTIMES.into_iter().find(|runtime| runtime.name() == "opencode").unwrap();
            project::compile_config(&mut files, opencode, &sources, &options)
        }
    };
    (files, compiled)
}

fn kind_of(name: &Utf8Path) -> &'static str {
    if name.extension() == Some("md") { "agent-file" } else { "project" }
}

/// What is found in the blocks of a section, at the level where this check speaks.
fn found(check: &Check, section: &str) -> (String, Vec<Finding>) {
    let blocks = blocks(section);
    assert!(!blocks.is_empty(), "{} has no block", check.code.id);
    let (files, compiled) = compile(&blocks);
    let pedantic = check.code.severity == Severity::Info;
    let today = Date::parse("2026-12-01").unwrap();
    let mut findings = project::check(&compiled, &files.sources, today, pedantic, &mut Budget::default());
    if check.code.id == "PC0802" {
        let run = tests::run(&compiled.model, &compiled.rulesets, (compiled.runtime, compiled.version), None);
        findings.extend(rule_never_decides_a_test::findings(&compiled.model, &run));
    }
    findings.retain(|finding| pedantic || finding.severity > Severity::Info);
    // Of OpenCode's own plan mode, and of links, there is something to say whatever else a page is about.
    let own = |finding: &Finding| ["PC0307", "PC0330"].contains(&finding.code.id);
    findings.retain(|finding| !own(finding) || finding.code.id == check.code.id);
    let name = blocks[0].1.to_string();
    let section = Section { target: name, findings: findings.clone(), agents: 0, rules: 0, sources: Vec::new() };
    let report = Report { sections: vec![section] };
    (human::findings(&report, &files.sources, Style { width: 100, colour: false }), findings)
}

#[test]
fn every_page_has_the_form() {
    for check in CHECKS {
        let page = page(check);
        assert_eq!(page.severity, check.code.severity.to_string(), "severity of {}", check.code.id);
        assert!(!page.summary.contains('\n') && page.summary.ends_with('.'), "summary of {}", check.code.id);
        for part in page.kind.split(", ") {
            let known =
                ["exact", "exact on a finite set", "a model of the runtime", "catalogue", "heuristic", "syntax"];
            assert!(known.contains(&part), "kind of {}: {part}", check.code.id);
        }
    }
}

#[test]
fn every_page_proves_itself() {
    let mut wrong = Vec::new();
    for check in CHECKS.iter().filter(|check| !WITHOUT_EXAMPLES.contains(&check.code.id)) {
        let id = check.code.id;
        let page = page(check);
        let (shown, findings) = found(check, page.sections["Avoid"]);
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code.id).collect();
        if codes.is_empty() || codes.iter().any(|code| *code != id) {
            wrong.push(format!("{id} avoid: {codes:?}\n{shown}"));
        }
        insta::assert_snapshot!(format!("page_{id}"), shown);
        let (shown, findings) = found(check, page.sections["Prefer"]);
        if !findings.is_empty() {
            wrong.push(format!("{id} prefer:\n{shown}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn pages_name_only_codes_that_exist() {
    for check in CHECKS {
        let related = page(check).sections["Related"];
        for at in related.match_indices("PC").map(|(at, _)| at) {
            let code = &related[at..at + 6];
            assert!(CHECKS.iter().any(|check| check.code.id == code), "{} names {code}", check.code.id);
        }
    }
}

#[test]
fn the_list_is_sorted_and_whole() {
    let listed: Vec<&str> = CHECKS.iter().map(|check| check.code.id).collect();
    let mut sorted = listed.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(listed, sorted);
    let mut names: Vec<&str> = CHECKS.iter().map(|check| check.code.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), listed.len(), "two checks have one name");
    let mut declared = Vec::new();
    collect(Path::new("src"), &mut declared);
    declared.sort_unstable();
    assert_eq!(declared, listed, "codes in the source, and the list");
}

/// Every code that the source declares.
fn collect(folder: &Path, out: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            collect(&entry, out);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&entry).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap();
            for part in text.split("Code::new(").skip(1) {
                let part = part.trim_start();
                if let Some(code) = part.strip_prefix("\"PC") {
                    out.push(format!("PC{}", &code[..4]));
                }
            }
        }
    }
}

#[test]
fn the_table_in_the_docs_is_current() {
    let mut text = String::from(
        "# Checks\n\nGenerated from the pages in `src/checks` by `tests/suite/pages.rs`; `policyc explain CODE` prints a page.\n\n\
         | code | name | severity | kind | |\n|---|---|---|---|---|\n",
    );
    for check in CHECKS {
        let page = page(check);
        let (id, name) = (check.code.id, check.code.name);
        let file = file_of(check);
        let summary = page.summary.replace('|', "\\|");
        writeln!(text, "| [{id}]({file}) | {name} | {} | {} | {summary} |", page.severity, page.kind).unwrap();
    }
    let path = Path::new("docs/checks.md");
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::create_dir_all("docs").unwrap();
        std::fs::write(path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(stored, text, "run the tests with INSTA_UPDATE=always");
}

/// Where a page stands, seen from `docs/`.
fn file_of(check: &Check) -> String {
    let pages = std::fs::read_dir("src/checks").unwrap().map(|entry| entry.unwrap().path());
    let mut pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let found = pages.find(|path| std::fs::read_to_string(path).unwrap() == check.page).unwrap();
    format!("../src/checks/{}", found.file_name().unwrap().to_str().unwrap())
}
