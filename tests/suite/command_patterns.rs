//! Group 04: what patterns of command rules let pass beside what they were written for.

use crate::support::compile::{config, report};

#[track_caller]
fn snapshot(name: &str, text: &str) {
    insta::assert_snapshot!(name, format!("{text}\n{}\n{}", "=".repeat(80), report(text, false)));
}

/// A policy whose one agent has these rules.
fn agent(rules: &str) -> String {
    format!("agent build {{\n  mode primary\n  {}\n}}\n", rules.trim().replace('\n', "\n  "))
}

#[track_caller]
fn silent(rules: &[&str]) {
    let loud: Vec<String> = rules
        .iter()
        .map(|rules| report(&agent(&rules.replace("; ", "\n")), false))
        .filter(|report| !report.is_empty())
        .collect();
    assert!(loud.is_empty(), "{}", loud.join("\n"));
}

#[test]
fn runners_around_denies() {
    snapshot(
        "runners",
        &agent(
            "ask bash\nallow bash \"timeout *\"\nallow bash \"sh -c *\"\ndeny bash \"rm *\"\ndeny bash \"scancel *\"",
        ),
    );
    snapshot("runners_denied_all", &agent("deny bash\nallow bash \"xargs*\""));
}

#[test]
fn runners_that_get_around_nothing() {
    silent(&[
        // Nothing is denied, only asked.
        "ask bash; allow bash \"timeout *\"",
        // What it runs is bounded.
        "deny bash; allow bash \"timeout 60 npm test\"",
        // The deny matches behind it too.
        "ask bash; allow bash \"timeout *\"; deny bash \"*rm *\"",
        // Everything is allowed: the list is what it is.
        "allow bash; deny bash \"rm *\"",
        // Not by its name: `npm exec` is one.
        "deny bash; allow bash \"npm *\"",
        // A command whose name only begins like one.
        "deny bash; allow bash \"environment *\"",
    ]);
}

#[test]
fn stars_that_let_more_pass() {
    snapshot(
        "stars",
        &agent(
            "deny bash\nallow bash \"ss*\"\nallow bash \"git diff*\"\nallow bash \"git * main\"\nallow bash \"* --version\"",
        ),
    );
}

#[test]
fn stars_that_do_no_harm() {
    silent(&[
        // `git show-ref` and their like only look.
        "deny bash; allow bash \"git show*\"; allow bash \"ls*\"; allow bash \"uptime*\"",
        // The command itself runs everything already.
        "deny bash; allow bash \"python*\"",
        // `npm install` is the same command.
        "deny bash; allow bash \"npm i*\"",
        // It would pass anyway.
        "allow bash; ask bash \"scp *\"; ask bash \"s*.env\"; allow bash \"ss*\"",
        // The star follows the subcommand.
        "deny bash; allow bash \"git log * --oneline\"",
        // A part of a name is meant.
        "deny bash; allow bash \"npm run test:*\"; allow bash \"./tools/*\"",
    ]);
}

#[test]
fn spellings_beside_denies() {
    snapshot(
        "spellings",
        &agent(
            "allow bash\ndeny bash \"rm -rf *\"\ndeny bash \"git push --force*\"\ndeny bash \"cat .env\"\ndeny bash \"sudo\"\n\
             deny bash \"npm install *\"\ndeny bash exact \"git push\"\ndeny bash prefix \"chmod 777\"",
        ),
    );
    snapshot(
        "spellings_by_one_option",
        &agent(
            "ask bash\nallow bash \"git *\"\ndeny bash \"git push *\"\ndeny bash \"git commit *\"\ndeny bash \"git reset *\"",
        ),
    );
}

#[test]
fn denies_of_one_command_are_one_finding() {
    let rules =
        ["allow bash", "deny bash \"rm -rf build *\"", "deny bash \"rm -rf dist *\"", "deny bash \"git push -f *\""];
    let report = report(&agent(&rules.join("\n")), false);
    assert_eq!(report.matches("PC0409").count(), 2, "{report}");
    assert!(report.contains("2 rules stop one spelling only"), "{report}");
}

#[test]
fn spellings_that_do_not_pass() {
    silent(&[
        // They are asked.
        "ask bash; deny bash \"rm -rf *\"; deny bash \"git push *\"",
        "allow bash; ask bash \"rm *\"; deny bash \"rm -rf *\"",
        // Every spelling is matched.
        "allow bash; deny bash \"rm *\"; deny bash \"*.env*\"; deny bash \"dd *\"",
        // By itself it is another command: `env` prints the environment.
        "allow bash; deny bash \"env\"",
    ]);
}

#[test]
fn denies_that_one_agent_lifts_are_looked_at_where_they_stand() {
    let text = "layer team { allow bash; deny bash \"rm -rf *\" }\nmerge team, own\n\
                agent build { mode primary }\nagent wild { mode primary; allow bash }\n";
    let report = report(text, false);
    assert_eq!(report.matches("PC0409").count(), 1, "{report}");
}

#[test]
fn lines_of_commands() {
    let read = |bash: &str| {
        config(&[("opencode.json", &format!("{{ \"permission\": {{ \"bash\": {{ \"*\": \"ask\", {bash} }} }} }}"))])
    };
    insta::assert_snapshot!(
        "lines_of_commands",
        read("\"curl * | sh\": \"deny\", \"* && *\": \"deny\", \"cd * && npm test\": \"allow\", \"ls;pwd\": \"allow\"")
    );
    assert_eq!(read("\"echo \\\"a && b\\\"\": \"allow\", \"find * -exec grep x {} \\\\;\": \"allow\""), "");
}

/// Whether a code is told at the pedantic level.
fn told(code: &str, text: &str) -> bool {
    report(text, true).contains(&format!("[{code}]"))
}

#[test]
fn a_bare_command_with_something_after_it() {
    let bare = |rules: &str| told("PC0408", &agent(rules));
    assert!(bare("ask bash\nallow bash \"git status\"\nallow bash \"ls -la\""));
    assert!(!bare("ask bash\nallow bash \"git status\"\nask bash \"git status *\""), "the author speaks of it");
    assert!(!bare("ask bash\nallow bash \"git status\"\nallow bash \"git *\""), "it passes");
    assert!(!bare("deny bash\nallow bash \"git status *\""), "with and without");
    assert!(!bare("allow bash\nallow bash \"git status\""), "the rest passes too");
}

#[test]
fn an_assignment_before_a_denied_command() {
    let prefixed = |rules: &str| told("PC0411", &agent(rules));
    assert!(prefixed("allow bash\ndeny bash \"git push *\""));
    assert!(prefixed("ask bash\nallow bash \"*=* *\"\ndeny bash \"rm *\""));
    assert!(!prefixed("ask bash\ndeny bash \"git push *\""), "it asks");
    assert!(!prefixed("allow bash\ndeny bash \"*git push *\""), "the star takes it");
    assert!(!prefixed("allow bash\ndeny bash"), "nothing passes");
}

#[test]
fn a_name_that_the_shell_puts_together() {
    let hidden = |rules: &str| told("PC0412", &format!("runtime opencode\nextend build {{ {rules} }}\n"));
    assert!(hidden("allow bash; deny bash \"*secrets/*\""));
    assert!(!hidden("ask bash; deny bash \"*.env*\""), "what shows it asks");
    assert!(!hidden("allow bash; deny bash \"*rm*\""), "no file");
    assert!(!hidden("deny bash \"*.env*\"; allow bash"), "a later rule decides");
}

#[test]
fn urls_in_command_lines() {
    let url = |rules: &str| told("PC0413", &agent(rules));
    assert!(url("ask bash\nallow bash \"curl https://docs.example.com/*\""));
    assert!(url("allow bash\ndeny bash \"curl https://pastes.example/*\""));
    assert!(!url("ask bash\nallow bash \"curl https://docs.example.com/index.html\""), "one page");
    assert!(!url("allow bash\ndeny bash \"*pastes.example*\""), "wherever it stands");
    assert!(!url("ask bash\nallow bash \"curl https://docs.example.com/*\"\nask bash \"* https://* https://*\""));
}
