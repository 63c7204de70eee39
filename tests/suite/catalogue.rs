//! The catalogue: each line is what its example shows, one command for a shell, and possible where everything is allowed.

use crate::support::compile;
use policyc::catalogue::{kept, shipped, source};
use policyc::decide::decide;
use policyc::language::{Answer, Budget, Case, Colours, Entry, Pattern, Table};
use policyc::model::{Command, Commands};
use policyc::rule::Action;
use policyc::syntax::format;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

fn updates() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}

fn entries() -> impl Iterator<Item = (&'static Commands, &'static Command)> {
    shipped().commands.iter().flat_map(|group| group.entries.iter().map(move |entry| (group, entry)))
}

#[test]
fn it_reads_without_findings() {
    let source = source();
    let told: Vec<_> = source
        .findings
        .iter()
        .map(|finding| format!("{}: {}", source.files.place(finding.primary.span), finding.message))
        .collect();
    assert_eq!(told, Vec::<String>::new());
    let mut loose = Vec::new();
    for (id, file) in source.files.iter() {
        assert_eq!(fs::read_to_string(file.name()).unwrap(), file.text());
        let formatted = format(id, file.text()).unwrap();
        if formatted != file.text() {
            loose.push(file.name());
        }
        if updates() {
            fs::write(file.name(), &formatted).unwrap();
        }
    }
    assert_eq!(loose, Vec::<&str>::new(), "not in their canonical form");
    let files = fs::read_dir("policies/catalogue").unwrap().count();
    assert_eq!(source.files.iter().count(), files, "a file of the folder is not embedded");
}

/// `INSTA_UPDATE=always cargo test catalogue` writes it anew.
#[test]
fn what_is_kept_is_what_is_written() {
    let source = source();
    let text = kept(&source.catalogue);
    if updates() {
        fs::write("policies/catalogue.json", &text).unwrap();
    }
    assert!(text == fs::read_to_string("policies/catalogue.json").unwrap(), "policies/catalogue.json is out of date");
    assert!(text == kept(shipped()), "what is embedded says something else: build again");
}

#[test]
fn every_entry_has_a_family_a_reason_and_an_example() {
    let mut seen = BTreeSet::new();
    for (group, entry) in entries() {
        let text = entry.line.text();
        assert!(group.family.is_some() && !group.capabilities.is_empty(), "{text}");
        assert!(entry.reason.is_some() && entry.example.is_some() && entry.line.template().is_some(), "{text}");
        let key = (group.capabilities.iter().map(|one| one.word()).collect::<Vec<_>>(), text);
        assert!(seen.insert(key), "`{text}` stands twice");
    }
}

#[test]
fn every_list_that_checks_ask_for_is_there() {
    for name in ["secrets", "no_secrets", "no_files", "self_modification"] {
        assert!(!shipped().lists[name].patterns.is_empty(), "{name}");
    }
}

#[test]
fn paths_are_in_the_lists_that_are_meant() {
    let named = |name: &str, path: &str| {
        shipped().lists[name].patterns.iter().any(|pattern| pattern.node.matches(path, Case::Sensitive))
    };
    for path in [".env", "/srv/app/.env", "app/.env.local", "prod.env", "/home/me/.ssh/id_rsa", "server.key"] {
        assert!(named("secrets", path) && !named("no_secrets", path), "{path}");
    }
    for path in
        [".env.example", "app/.env.sample", "/home/me/.ssh/id_rsa.pub", "environment.ts", "src/key.rs", "README.md"]
    {
        assert!(!named("secrets", path) || named("no_secrets", path), "{path}");
    }
    for path in
        ["opencode.json", ".opencode/agent/a.md", ".git/hooks/pre-commit", "/home/me/.bashrc", ".claude/settings.json"]
    {
        assert!(named("self_modification", path), "{path}");
    }
    for path in [".opencode/plans/a.md", "src/main.rs", "docs/guide.md", "package.json", ".gitignore", "AGENTS.md"] {
        assert!(!named("self_modification", path), "{path}");
    }
}

/// Whether a shell that reads `line` runs one command, apart from a redirection that the template itself writes.
fn is_one_command(line: &str, template: &str) -> bool {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    let tree = parser.parse(line, None).unwrap();
    let root = tree.root_node();
    let kind = root.named_child(0).map_or("", |node| node.kind());
    let fits = match kind {
        "command" | "declaration_command" => true,
        "redirected_statement" => template.contains(['<', '>']),
        _ => false,
    };
    !root.has_error() && root.named_child_count() == 1 && fits
}

#[test]
fn every_example_is_one_command() {
    let not: Vec<&str> = entries()
        .map(|(_, entry)| (entry.example.as_ref().unwrap().node.as_str(), entry.line.text()))
        .filter(|(example, template)| !is_one_command(example, template))
        .map(|(example, _)| example)
        .collect();
    assert_eq!(not, Vec::<&str>::new());
}

/// A finding of a capability rests on this: the engine finds a call of each entry, and the plain meaning allows it.
#[test]
fn a_bare_allow_allows_each() {
    let compiled = compile::clean("agent everything {\n  allow bash\n}\n");
    let set = compile::of(&compiled, "everything");
    let rules = set.rules.iter();
    let rules: Vec<Entry<'_>> =
        rules.map(|rule| Entry { key: &rule.permission, value: &rule.pattern, colour: rule.action.colour() }).collect();
    let mut table = Table::new(&rules, &[], Action::Ask.colour(), Case::Sensitive).unwrap();
    let mut budget = Budget::default();
    let allowed = Colours::of(&[Action::Allow.colour()]);
    for (_, entry) in entries() {
        let include = [(Pattern::wildcard("bash"), entry.line.pattern())];
        let Answer::Yes((call, _)) = table.find(&include, &[], allowed, &mut budget) else {
            panic!("no witness for `{}`", entry.line.text())
        };
        assert!(entry.line.matches(&call.value), "{} {call:?}", entry.line.text());
        for command in [&call.value, &entry.example.as_ref().unwrap().node] {
            assert_eq!(decide(set, "bash", command).action, Action::Allow, "{command}");
        }
    }
}

#[test]
fn the_list_of_entries_is_generated() {
    let mut text = String::from(
        "# The command catalogue\n\nGenerated from `policies/catalogue/`; edit nothing here. What the holes mean, and how to add to it, is\n\
         in [the language](language.md#commands).\n",
    );
    let count = entries().count();
    write!(text, "\n{count} command lines. Each stands for all lines that it matches.\n").unwrap();
    let mut head = String::new();
    for (group, entry) in entries() {
        let capabilities: Vec<&str> = group.capabilities.iter().map(|one| one.word()).collect();
        let title = format!("## {} by {}", capabilities.join(", "), group.family.unwrap());
        if title != head {
            write!(text, "\n{title}\n\n| command | why | example |\n|---|---|---|\n").unwrap();
            head = title;
        }
        let cell = |text: &str| text.replace('|', "\\|");
        let (line, reason) = (cell(entry.line.text()), cell(entry.reason.as_ref().unwrap()));
        writeln!(text, "| `{line}` | {reason} | `{}` |", cell(&entry.example.as_ref().unwrap().node)).unwrap();
    }
    let path = Path::new("docs/catalogue.md");
    if updates() {
        fs::write(path, &text).unwrap();
    }
    let stored = fs::read_to_string(path).unwrap_or_default();
    assert!(stored == text, "docs/catalogue.md is not up to date: run the tests with INSTA_UPDATE=always");
}
