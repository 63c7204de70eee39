//! The language: what is read, what is printed, and what is said of mistakes.

use crate::support::{ast, compile, plain};
use policyc::diagnostic::{Finding, Sink};
use policyc::files::Files;
use policyc::project::{Options, compile_policy};
use policyc::source::SourceMap;
use policyc::syntax::ast::{Item, LayerClause, Patterns, Policy, Trivia};
use policyc::syntax::words::ATTRIBUTES;
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

/// One mistake a paragraph; each is read as a file of its own.
#[test]
fn mistakes_are_told_with_what_to_write() {
    let mistakes = include_str!("../syntax/mistakes.policies");
    let told: Vec<String> = mistakes
        .split("\n---\n")
        .map(|text| {
            let told = told(text);
            format!("{}\n{}", text.trim_end(), if told.is_empty() { "  NOTHING\n" } else { &told })
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"));
}

fn bounded(text: &str) {
    let (policy, findings) = read(text);
    assert!(findings.len() <= 101, "no flood of findings");
    if findings.is_empty() {
        // Whatever reads at all is printed and reads the same.
        assert!(read(&print(&policy)) == (policy, Vec::new()), "{text}");
        assert!(format(ast::file(), text).is_ok());
    }
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        bounded(&text);
    }

    #[test]
    fn any_soup_of_the_languages_own_words_is_survived(
        words in prop::collection::vec(prop::sample::select(SOUP.to_vec()), 0..40),
    ) {
        bounded(&words.join(" "));
        bounded(&words.concat());
    }

    #[test]
    fn formatting_is_stable(policy in ast::policy()) {
        let once = format(ast::file(), &print(&policy)).unwrap();
        prop_assert_eq!(format(ast::file(), &once).unwrap(), once);
    }
}

const SOUP: &[&str] = &[
    "agent", "layer", "test", "deny", "allow", "because", "cannot", "except", "option", "{", "}", "[", "]", "\n", ";",
    ",", "#", "\"", "'", "\"x\"", "*", "=>", "=", "@ignore(", ")", "x", "\\", "\r\n", "1", ":", "é", "\u{a0}", "from",
    "merge",
];

#[test]
fn every_beginning_of_a_policy_is_survived() {
    let whole = EXAMPLE.replace('\n', "\r\n");
    for end in (0..=whole.len()).filter(|end| whole.is_char_boundary(*end)) {
        assert!(read(&whole[..end]).1.len() <= 101);
    }
}

/// All constructs in one text, with all odd places for comments.
const EXAMPLE: &str = include_str!("../syntax/all.policy");

#[test]
fn every_construct_reads_and_has_its_form() {
    assert_eq!(told(EXAMPLE), "");
    let printed = format(ast::file(), EXAMPLE).unwrap();
    assert_eq!(format(ast::file(), &printed).unwrap(), printed);
    insta::assert_snapshot!(printed);
}

#[test]
fn marks_and_line_ends_of_other_systems_are_read() {
    let plain = read(EXAMPLE).0;
    for other in [
        format!("\u{feff}{EXAMPLE}"),
        EXAMPLE.replace('\n', "\r\n"),
        EXAMPLE.replace('\n', "\r"),
        EXAMPLE.replace('\n', " \t\n"),
    ] {
        assert!(read(&other) == (plain.clone(), Vec::new()));
    }
}

#[test]
fn places_are_those_of_the_text() {
    let text = "\u{feff}layer é {\r\n  deny read, \"b*\" [\"x\",\r\n    y] # c\r\n    because 'z'\r\n}\r\n";
    let mut sources = SourceMap::default();
    let file = sources.add("a.policy", text);
    let mut sink = Sink::default();
    let policy = parse(file, text, &mut sink);
    assert_eq!(sources.slice(policy.stmts[0].span), text.trim_start_matches('\u{feff}').trim_end());
    let Item::Layer { name, body: Some(body), .. } = &policy.stmts[0].node else { panic!() };
    assert_eq!(sources.slice(name.span), "é");
    let LayerClause::Rule(rule) = &body.stmts[0].node else { panic!() };
    assert_eq!(sources.slice(rule.action.span), "deny");
    assert_eq!(sources.slice(rule.permissions[1].span), "\"b*\"");
    assert_eq!(sources.slice(rule.because.as_ref().unwrap().span), "'z'");
    assert_eq!(body.stmts[0].lead, [Trivia::Comment("c".to_string())], "it has no place inside the rule");
    let Some(Patterns::List(list)) = &rule.patterns else { panic!() };
    assert_eq!(sources.slice(list.stmts[1].span), "y");
    assert!(!list.one_line);
}

#[test]
fn sizes_without_bounds_have_bounds() {
    let deep = "[".repeat(1 << 20);
    for text in [format!("agent x {{\n  option a {deep}\n}}\n"), format!("let a = {deep}"), deep.replace('[', "{")] {
        bounded(&text);
    }
    let nested = "agent a {\n;".repeat(100_000);
    bounded(&nested);
    let wrong = format!("layer x {{ {} }}\n", "dney bash;".repeat(10_000));
    let (_, findings) = read(&wrong);
    assert_eq!(findings.len(), 101);
    assert_eq!(findings[100].message, "9900 more syntax errors in this file are not listed");
    let long = format!("layer x {{ deny bash '{}' }}\n", "x".repeat(1 << 20));
    assert_eq!(told(&long), "");
    let (_, findings) = read(&format!("let a = ['{}']", "x".repeat(5 << 20)));
    assert_eq!(findings[0].message, "this statement is longer than 4 MiB");
}

/// The examples of the reference, in its order.
fn examples() -> impl Iterator<Item = &'static str> {
    let page = include_str!("../../docs/language.md");
    page.split("\n```policy\n").skip(1).map(|rest| rest.split("\n```").next().unwrap())
}

#[test]
fn the_reference_compiles() {
    assert!(examples().count() > 10);
    for example in examples() {
        assert_eq!(told(example), "");
        let runtime = if example.starts_with("runtime") { "" } else { "runtime opencode; " };
        let mut files = Files::default();
        files.given("page.policy".into(), &format!("{runtime}{example}\n"));
        files.given("base.json".into(), "{}");
        files.given("team.json".into(), r#"{ "permission": { "bash": "ask" } }"#);
        let compiled = compile_policy(&mut files, "page.policy".into(), &Options::default()).unwrap();
        assert_eq!(compile::findings(&files, &compiled), Vec::<String>::new(), "{example}");
    }
}

#[test]
fn the_first_example_does_what_its_comments_say() {
    let compiled = compile::clean(examples().next().unwrap());
    for (agent, permission, resource, action) in [
        ("build", "read", ".env", "deny"),
        ("build", "read", ".env.example", "allow"),
        ("build", "bash", "git push origin main", "ask"),
        ("build", "bash", "rm -rf /", "deny"),
        ("docs-writer", "edit", "docs/a.md", "allow"),
        ("docs-writer", "edit", "src/main.rs", "deny"),
        ("docs-writer", "bash", "ls", "deny"),
        ("plan", "edit", "src/main.rs", "deny"),
        ("plan", "edit", ".opencode/plans/auth.md", "allow"),
        ("plan", "task", "general", "deny"),
    ] {
        assert_eq!(compile::decide(&compiled, agent, permission, resource), action, "{agent} {permission} {resource}");
    }
}

#[test]
fn attributes_are_those_of_the_grammar() {
    for attribute in ATTRIBUTES {
        assert_eq!(told(&format!("agent x {{ {attribute} 1 }}")), "");
    }
}
