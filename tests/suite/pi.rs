//! pi: what is written for it, what its extension asks, and that its parts in JavaScript do as the ones here.

use crate::support::node;
use camino::Utf8Path;
use policyc::decide::decide;
use policyc::fidelity::Fidelity;
use policyc::files::Files;
use policyc::language::{Budget, Case, Dialect, Pattern};
use policyc::model::Visibility;
use policyc::project::{self, Compilation, Options};
use policyc::rule::Action;
use policyc::runtimes::{Environment, Runtime, pi};
use policyc::targets::{Built, js, pi as target};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

fn compiled(text: &str) -> (Files, Compilation) {
    let mut files = Files::default();
    let path = Utf8Path::new("test.policy");
    files.given(path, text);
    let compilation = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    (files, compilation)
}

fn built(text: &str) -> Result<Built, String> {
    let (files, compilation) = compiled(text);
    target::extension(&compilation, &files.sources, &mut Budget::default())
}

#[test]
fn the_plan_mode_is_written_whole() {
    let mut files = Files::default();
    let path = Utf8Path::new("policies/examples/pi/pi.policy");
    let compilation = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    let built = target::extension(&compilation, &files.sources, &mut Budget::default()).unwrap();
    insta::assert_snapshot!("pi_index.ts", built.files[0].text);
    insta::assert_snapshot!("pi_package.json", target::PACKAGE);
}

/// What would break the prompt's cache is not in the text at all.
#[test]
fn the_cache_is_kept_by_construction() {
    for policy in ["runtime pi", "agent a { mode primary; deny edit }\ndefault agent a"] {
        let text = built(policy).unwrap().files.remove(0).text;
        for word in ["setActiveTools", "systemPrompt", "\"context\"", "promptSnippet", "promptGuidelines"] {
            assert!(!text.contains(word), "{word}");
        }
        assert!(!text.lines().any(|line| line.starts_with("import") || line.contains("require(")));
    }
}

#[test]
fn a_policy_without_a_plan_is_a_gate_alone() {
    let built = built("agent a { mode primary; deny *; allow read glob \"src/**\" }\ndefault agent a").unwrap();
    assert!(built.files[0].text.contains("const AGENT = \"a\";") && !built.files[0].text.contains("PLAN"));
    assert!(built.files[0].text.contains("function glob(") && !built.files[0].text.contains("function regex("));
    let exact = |row: &policyc::targets::Row| row.fidelity == Fidelity::Exact;
    assert!(built.rows.len() == 1 && built.rows.iter().all(exact));
}

/// What pi cannot hold to is refused, with the reason.
#[test]
fn what_pi_cannot_hold_to_is_refused() {
    let plan = "agent a { mode primary }\nagent b { mode primary }\ndefault agent a\n";
    let switch = |name: &str, more: &str| format!("switch {name} {{ from b; to a; requires path \"*.md\"; {more} }}\n");
    let cases = [
        ("runtime opencode".to_owned(), "speaks of other tools"),
        ("deny edit".to_owned(), "there is none"),
        (format!("{plan}{}{}", switch("x", ""), switch("y", "")), "two ways out"),
        (format!("{plan}{}", switch("x", "answers approve, later")), "`later`"),
        (
            format!("{plan}{}", switch("x", "answers reject, revise, approve")),
            "write `answers approve, revise, reject`",
        ),
        (format!("{plan}{}", switch("x", "answers approve, reject")), "write `answers approve, revise, reject`"),
        (format!("{plan}{}", switch("write", "")), "pi's own tools"),
        (format!("{plan}agent c {{ mode primary }}\ndefault agent c\n{}", switch("x", "")), "starts as"),
        (format!("{plan}permission p {{ tools grep2; asked-by write }}"), "as well"),
        (format!("{plan}permission p {{ tools ls }}"), "permission of its own"),
    ];
    for (policy, reason) in cases {
        let policy = policy.replace("deny edit", "layer l { deny edit }");
        let policy = if policy.contains("agent c") { policy.replacen("default agent a\n", "", 1) } else { policy };
        match built(&policy) {
            Err(message) => assert!(message.contains(reason), "{message}: not {reason}"),
            Ok(_) => panic!("{policy} was written"),
        }
    }
}

#[test]
fn what_is_tightened_is_told() {
    let policy = "agent a { mode primary }\nagent b { mode primary }\nagent c { mode subagent }\ndefault agent b\n\
                  switch go { from b; to a; requires path \"*.md\"; unattended switch }\nswitch back { from a; to b }";
    insta::assert_snapshot!(built(policy).unwrap().notes.join("\n"));
}

/// The policies of the page hold what they promise.
#[test]
fn the_page_is_true() {
    let page = std::fs::read_to_string("docs/runtimes/pi.md").unwrap();
    let blocks: Vec<&str> = page.split("```policy\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 1);
    for block in blocks {
        let (files, compilation) = compiled(block);
        let today = policyc::checks::Date { year: 2026, month: 12, day: 1 };
        let found = project::check(&compilation, &files.sources, today, false, &mut Budget::default());
        assert!(found.is_empty(), "{found:#?}");
        assert!(built(block).is_ok());
    }
}

fn asked(tool: &str, input: Value) -> Vec<(String, String)> {
    let cwd = "/home/me/p".to_owned();
    let environment = Environment { home: "/home/me".into(), worktree: cwd.clone(), cwd, ..Environment::default() };
    let asks = pi::Pi.asks(tool, &input, pi::Pi.default_version(), Some(&environment)).unwrap();
    asks.requests.into_iter().map(|request| (request.permission, request.resource)).collect()
}

#[test]
fn each_tool_asks_what_its_extension_asks() {
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(permission, resource)| ((*permission).to_owned(), (*resource).to_owned())).collect()
    };
    assert_eq!(asked("write", json!({ "path": "@docs/../a.md" })), pairs(&[("edit", "a.md")]));
    let outside = [("external_directory", "/home/me/*"), ("edit", "/home/me/a.md")];
    assert_eq!(asked("edit", json!({ "path": "~/a.md" })), pairs(&outside));
    assert_eq!(asked("grep", json!({ "pattern": "x" })), pairs(&[("grep", ".")]));
    assert_eq!(asked("ls", json!({ "path": "/etc" })), pairs(&[("external_directory", "/etc/*"), ("list", "/etc")]));
    assert_eq!(
        asked("bash", json!({ "command": "a && b $(c)" })),
        pairs(&[("bash", "a"), ("bash", "c"), ("bash", "b $(c)")])
    );
    let chain = json!({ "tasks": [{ "agent": "x" }], "chain": [{ "agent": "y" }] });
    assert_eq!(asked("subagent", chain), pairs(&[("task", "x"), ("task", "y")]));
    assert_eq!(asked("mcp__a__b", json!({})), pairs(&[("mcp__a__b", "*")]));
    assert_eq!(asked("submit_plan", json!({ "filePath": "./PLAN.md" })), pairs(&[("submit_plan", "PLAN.md")]));
}

fn runner() -> TestRunner {
    TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Lines of shell, and what is nearly one.
fn line() -> impl Strategy<Value = String> {
    let words = vec![
        "rm",
        "git status",
        " ",
        " ",
        "\n",
        ";",
        "&&",
        "|",
        "&",
        "(",
        ")",
        "$(",
        "`",
        "'",
        "\"",
        "\\",
        "#",
        "<",
        ">",
        "2>&1",
        "&>",
        "<<",
        "<<<",
        "${x}",
        "${x:-y}",
        "$'",
        "if",
        "then",
        "fi",
        "for f in a",
        "do",
        "done",
        "case",
        "in",
        "{ ",
        " }",
        "X=1",
        "a=(",
        "é",
        "\u{feff}",
        "\u{85}",
        "[[",
        "!",
        "time",
        "/bin/ls",
        "*",
        "=",
        "+=",
        "😀",
        ">|",
        "<(",
        "\t",
        "\\ ",
        "\\\t",
        "\\\n",
        "\u{a0}",
        "\u{b}",
        "\r",
        " #",
        "-p",
        "a[0]=1",
        "/bin/r[m]",
        "/bin/r?",
        "[ ",
        "]",
        "for x do ",
        "((",
    ];
    prop::collection::vec(prop::sample::select(words), 0..9).prop_map(|parts| parts.concat())
}

#[test]
fn lines_are_taken_apart_in_node_as_here() {
    let (mut runner, lines) = (runner(), line());
    let mut lines: Vec<String> = (0..20_000).map(|_| lines.new_tree(&mut runner).unwrap().current()).collect();
    lines.push(format!("{}a{}", "$(".repeat(62), ")".repeat(62)));
    lines.push("(".repeat(50_000));
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::write(path.join("lines.json"), serde_json::to_string(&lines).unwrap()).unwrap();
    let code = include_str!("../../src/targets/pi/commands.js");
    let ask = "import { readFileSync } from 'node:fs';\n\
               const lines = JSON.parse(readFileSync('lines.json', 'utf8'));\n\
               console.log(JSON.stringify(lines.map(commands)));\n";
    let Some(answer) = node::run(path, "ask.mjs", &format!("{code}{ask}")) else { return };
    let answers: Vec<Option<Vec<String>>> = serde_json::from_str(&answer).unwrap();
    let mut known = 0;
    for (line, answer) in lines.iter().zip(answers) {
        known += usize::from(answer.is_some());
        assert_eq!(answer, pi::commands(line), "{line:?}");
    }
    assert!(known > 1_000, "{known} lines were taken apart");
}

/// The real shell runs no program that the line was not taken apart to.
#[cfg(unix)]
#[test]
fn the_shell_runs_nothing_else() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let stubs = folder.path().join("bin");
    std::fs::create_dir(&stubs).unwrap();
    for name in ["rm", "git", "ls", "wc"] {
        let stub = stubs.join(name);
        std::fs::write(&stub, format!("#!/bin/sh\necho {name} >>\"$RAN\"\n")).unwrap();
        std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let ran = |line: &str| -> Option<String> {
        let work = tempfile::tempdir_in(folder.path()).unwrap();
        // What is still at work when its line is done must not count for another one.
        let told = work.path().with_extension("ran");
        let mut bash = std::process::Command::new("/bin/bash");
        let null = std::process::Stdio::null;
        bash.args(["-c", line]).env_clear().env("PATH", &stubs).env("RAN", &told).current_dir(&work);
        bash.stdin(null()).stdout(null()).stderr(null()).status().ok()?;
        Some(std::fs::read_to_string(told).unwrap_or_default())
    };
    let Some(first) = ran("rm x") else { return };
    assert_eq!(first, "rm\n");
    let words = vec![
        "rm x",
        "git y",
        " ",
        "\t",
        "\n",
        ";",
        "&&",
        "|",
        "#",
        "'",
        "\"",
        "\\",
        "\\ ",
        "\\\t",
        "\\\n",
        "(",
        ")",
        "$(",
        "`",
        "$",
        "<",
        ">f",
        "{ ",
        "; }",
        "echo ",
        "\u{a0}",
        "\u{b}",
        "\r",
        "time ",
        "-p ",
        "a[0]=1 ",
        "X=1 ",
        "! ",
        "for x do ",
        "; done",
        "if ",
        "; then ",
        "; fi",
        "((",
        "))",
        "true || ",
    ];
    let lines = prop::collection::vec(prop::sample::select(words), 1..8).prop_map(|parts| parts.concat());
    let mut runner = runner();
    let mut seen = 0;
    while seen < 400 {
        let line = lines.new_tree(&mut runner).unwrap().current();
        let Some(parts) = pi::commands(&line).filter(|_| line.contains("rm x") || line.contains("git y")) else {
            continue;
        };
        seen += 1;
        let ran = ran(&line).unwrap();
        for name in ran.lines() {
            assert!(parts.iter().any(|part| part.starts_with(name)), "{line:?} runs {name}, and is {parts:?}");
        }
    }
}

/// Names that only look as if they were elsewhere are names in the working folder.
#[cfg(unix)]
#[test]
fn only_absolute_names_are_outside() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let code = include_str!("../../src/targets/pi/strictest.js");
    let names = ["/etc/x", "/", "c:notes.md", "a:b/x", "C:/x", "~x", "~/x", "..x", ".", "x"];
    let ask = format!("console.log(JSON.stringify({}.map(isOutside)));\n", json!(names));
    let Some(answer) = node::run(path, "ask.mjs", &format!("{code}{ask}")) else { return };
    let answers: Vec<bool> = serde_json::from_str(&answer).unwrap();
    for (name, outside) in names.iter().zip(answers) {
        let guarded = asked("read", json!({ "path": format!("./{name}") })).len() == 2;
        assert_eq!(outside, name.starts_with('/'), "{name}");
        assert!(!guarded, "{name}: a name in the working folder");
    }
}

/// A search is decided by what lies below its folder: never looser than any name there.
#[test]
fn a_search_is_never_looser_than_what_it_finds() {
    let texts = vec![
        "*", "src/*", "src/a*", "*.env", "c:*", "a:b/*", "~x", "..x", "/etc/*", "src", "s*", "?*", "src/**", "../x",
        "src/a", "*a", "", "src/ *",
    ];
    let regexes = vec!["(?s).*", "src/[ab]+", "[^/]+", "(src/)?a.*", "/.*"];
    let globs = vec!["src/**", "**/a", "*", "{src,lib}/*"];
    let pattern = prop_oneof![
        4 => prop::sample::select(texts).prop_map(|text| (Dialect::Wildcard, text)),
        1 => prop::sample::select(regexes).prop_map(|text| (Dialect::Regex, text)),
        1 => prop::sample::select(globs).prop_map(|text| (Dialect::Glob, text)),
    ];
    let pattern = pattern.prop_map(|(dialect, text)| Pattern::new(dialect, text).unwrap());
    let rule = (pattern, prop::sample::select(Action::ALL.to_vec()));
    let (mut runner, rules) = (runner(), prop::collection::vec(rule, 0..6));
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let mut sets = Vec::new();
    let mut sources = Default::default();
    for round in 0..300 {
        let rules = rules.new_tree(&mut runner).unwrap().current();
        let everything = Pattern::wildcard("*");
        let rules = rules.into_iter().map(|(pattern, action)| (everything.clone(), pattern, action, false)).collect();
        let (mut set, its) = super::javascript::ruleset(Case::Sensitive, rules);
        set.agent = format!("a{round}");
        (sources, _) = (its, sets.push(set));
    }
    let policy = js::Policy { rulesets: &sets, visibility: Visibility::Fixed, default_agent: None, keys: &[] };
    let module = js::module(&policy, &sources).unwrap();
    let code = include_str!("../../src/targets/pi/strictest.js");
    let ask = "console.log(JSON.stringify(agents.map((agent) =>\n\
               \t['', 'src/'].map((root) => strictest(agent, 'grep', root, true).action))));\n";
    let Some(answer) = node::run(path, "ask.mjs", &format!("{module}{code}{ask}")) else { return };
    let answers: Vec<[String; 2]> = serde_json::from_str(&answer).unwrap();
    let names = [
        "a",
        "b",
        "x.env",
        "src",
        "src/a",
        "src/b",
        "src/x.env",
        "src/ab/c",
        "src/sub/a",
        "lib/x",
        "ß",
        "c:notes.md",
        "a:b/x",
        "~x",
        "..x",
    ];
    let mut loosest = 0;
    for (set, answers) in sets.iter().zip(answers) {
        for (root, answer) in ["", "src/"].iter().zip(answers) {
            let answer = Action::from_word(&answer).unwrap();
            loosest += usize::from(answer == Action::Allow);
            for name in names.iter().filter(|name| name.starts_with(root) && name.len() > root.len()) {
                let found = decide(set, "grep", name).action;
                assert!(answer >= found, "{name} below {root}: {answer}, but {found}\n{:?}", set.rules);
            }
        }
    }
    assert!(loosest > 20, "{loosest} searches were allowed");
}
