//! What the checks of rules, layers and promises say of whole policies: source and report together.

use crate::support::compile::{config, report};

#[track_caller]
fn snapshot(name: &str, text: &str) {
    insta::assert_snapshot!(name, format!("{text}\n{}\n{}", "=".repeat(80), report(text, false)));
}

#[test]
fn one_broad_rule_swallows_many() {
    snapshot(
        "swallows_many",
        r#"
let secrets = ["*.env", "*.env.*", "*.pem"]
agent build {
  mode primary
  deny read secrets
  ask read "*.md"
  deny read, edit ["keys/*", "vault/*"]
  allow read, edit
}
"#,
    );
}

#[test]
fn a_list_is_reported_by_pattern_where_only_some_are_dead() {
    snapshot(
        "some_patterns",
        r#"
agent build {
  mode primary
  ask read
  deny read ["docs/private/*", "*.pem"]
  allow read "docs/*"
}
"#,
    );
}

#[test]
fn needless_rules_are_one_line_a_block() {
    snapshot(
        "needless",
        r#"
layer team {
  ask bash
  allow bash "git *"
  allow bash "git log *"
  allow bash "git status"
  ask bash "curl *"
}
agent build { mode primary; deny bash "rm *"; ask bash "wget *" }
agent docs { mode subagent; deny bash "git push *" }
"#,
    );
}

#[test]
fn a_rule_that_one_agent_needs_is_not_reported() {
    let text = r#"
layer team { allow read "docs/*"; deny read "*.env" }
agent build { mode primary; allow read }
agent docs { mode subagent; deny edit }
"#;
    assert_eq!(report(text, false), "");
}

#[test]
fn the_exception_after_the_rule_is_the_normal_idiom() {
    let text = r#"
agent build {
  mode primary
  ask *
  allow bash "gh *"
  ask bash "gh pr *"
  deny bash "gh pr merge *"
  deny read "*.env"
  allow read "*.env.example"
}
"#;
    assert_eq!(report(text, false), "");
    assert_eq!(report(text, true), "");
}

#[test]
fn an_agent_with_an_open_end_kills_shared_rules_for_itself_only() {
    let text = r#"
layer team { ask *; deny bash "rm *"; deny edit "infra/*" }
agent build { mode primary }
agent free { mode primary; allow bash }
"#;
    assert_eq!(report(text, false), "", "`free` overrides the layer, which others keep; assert what must hold");
}

#[test]
fn an_agent_that_voids_many_shared_denies_is_told() {
    let layer = "layer team { ask *; deny bash \"rm *\"; deny bash \"dd *\"; deny bash \"git push *\" }\n";
    let with = |rules: &str| format!("{layer}agent build {{ mode primary }}\nagent free {{ mode primary; {rules} }}\n");
    snapshot("voids_for_itself", &with("allow bash"));
    for rules in ["deny *", "ask bash", "allow bash \"git *\"", "allow bash; deny bash \"rm *\"", "allow read"] {
        assert_eq!(report(&with(rules), false), "", "{rules}");
    }
}

#[test]
fn opencode_numbers_as_keys_are_told_once() {
    let text = r#"{
  "agent": {
    "lead": { "mode": "primary", "permission": { "task": { "*": "deny", "7": "ask" } } },
    "7": { "mode": "subagent" }
  }
}
"#;
    let shown = config(&[("opencode.json", text)]);
    assert!(shown.contains("PC0203") && !shown.contains("PC0104"), "{shown}");
}

#[test]
fn opencode_folders_without_a_star_are_told_what_is_asked() {
    let shown = config(&[("opencode.json", r#"{ "permission": { "external_directory": { "/etc": "deny" } } }"#)]);
    assert!(shown.contains("PC0103") && shown.contains(r#"write `"/etc/*"`"#), "{shown}");
    let shown = config(&[("opencode.json", r#"{ "permission": { "edit": { "/srv/a.md": "deny" } } }"#)]);
    assert!(shown.contains("PC0103") && shown.contains(r#"write `"srv/a.md"`"#), "{shown}");
    let shown = config(&[("opencode.json", r#"{ "permission": { "read": { "~/.ssh/*": "deny" } } }"#)]);
    assert!(shown.contains("PC0103") && shown.contains(r#"write `"*/.ssh/*"`"#), "{shown}");
}

#[test]
fn a_promise_of_nobody_is_told_once() {
    let shown = report("agent planner { mode primary; deny * }\nassert plannr cannot delegate\n", false);
    assert_eq!(shown.matches("[PC").count(), 1, "{shown}");
}

#[test]
fn a_later_layer_wipes_an_earlier_one() {
    snapshot(
        "wipes",
        r#"
merge org, team, own
layer org {
  deny bash "rm *"
  deny bash "git push *"
  ask bash "curl *"
  deny edit "infra/*"
  allow read "docs/*"
}
layer team { allow bash; allow edit; allow read "docs/*" }
agent build { mode primary }
"#,
    );
}

#[test]
fn a_dead_deny_whose_calls_are_denied_all_the_same_is_no_error() {
    snapshot(
        "denied_all_the_same",
        r#"
agent build {
  mode primary
  deny bash "rm *"
  allow bash "rm *"
  deny bash
}
"#,
    );
}

#[test]
fn promises_are_proved_or_refuted() {
    snapshot(
        "promises",
        r#"
layer org { deny *; allow read; deny read "*.env"; ask bash "git *" }
agent build { mode primary; allow bash "git status *"; must ask bash "git *"; cannot call edit }
agent docs { mode subagent; allow edit "docs/*"; cannot call edit except "docs/*.md"; cannot write }
assert every agent must allow read "src/*"
assert every agent cannot call read "*.env*" except "*.env.example"
assert no layer loosens org
assert docs cannot call edit "/../*"
"#,
    );
}

#[test]
fn an_ignored_rule_is_told_by_itself() {
    snapshot(
        "ignored",
        r#"
agent build {
  mode primary
  allow read
  allow read "a/*"
  @ignore(PC0106, "kept for the next version")
  allow read "b/*"
  allow read "c/*"
}
"#,
    );
}

#[test]
fn what_is_undecided_is_said() {
    let text = r#"
agent build {
  mode primary
  ask bash "a*b*c*d*e*f"
  deny bash "a?*b*c*d*e*f"
  deny bash "ab?*c*d*e*f"
  deny bash "*bc?*d*e*f"
  deny bash "*cd?*e*f"
  deny bash "*de?*f"
  deny bash "*ef"
}
"#;
    let (files, compiled) = crate::support::compile::policy(text);
    let today = policyc::checks::Date::parse("2026-12-01").unwrap();
    let mut budget = policyc::language::Budget::new(3);
    let found = policyc::project::check(&compiled, &files.sources, today, false, &mut budget);
    let undecided: Vec<&str> =
        found.iter().filter(|one| one.code.id == "PC0908").map(|one| one.message.as_str()).collect();
    assert_eq!(undecided, ["whether `ask bash \"a*b*c*d*e*f\"` ever decides was not settled within the budget"]);
}

#[test]
fn a_hopeless_file_stays_readable() {
    let mut text = String::from("agent build {\n  mode primary\n");
    for number in 0..300 {
        text.push_str(&format!("  deny bash \"tool{number} x*\"\n  allow bash \"tool{number} *\"\n"));
    }
    text.push_str("}\n");
    let shown = report(&text, false);
    let lines = shown.lines().filter(|line| line.starts_with("error[PC0104]")).count();
    assert!(lines <= 100, "{lines}");
    assert!(shown.contains("201 rules never decide: later rules decide instead"), "{shown}");
}

#[track_caller]
fn opencode(name: &str, text: &str) {
    let shown = config(&[("opencode.json", text)]);
    insta::assert_snapshot!(format!("opencode_{name}"), format!("{text}\n{}\n{shown}", "=".repeat(80)));
}

#[test]
fn opencode_a_catch_all_that_stands_last() {
    opencode(
        "catch_all_last",
        r#"{
  "permission": {
    "bash": { "rm *": "deny", "git push *": "ask", "*": "allow" },
    "read": { "*.env": "deny", "*": "allow" }
  }
}
"#,
    );
}

#[test]
fn opencode_a_shared_rule_that_opens_read_only_agents() {
    opencode("opens_plan", "{ \"permission\": { \"edit\": \"allow\", \"bash\": \"ask\" } }\n");
    opencode("asks_in_plan", "{ \"permission\": { \"edit\": \"ask\" } }\n");
    opencode("everything", "{ \"permission\": \"allow\" }\n");
}

#[test]
fn opencode_a_table_of_the_usual_kind() {
    opencode(
        "usual",
        r#"{
  "permission": {
    "bash": {
      "*": "ask",
      "git status": "allow",
      "git status *": "allow",
      "git log *": "allow",
      "git log --oneline *": "allow",
      "ls": "allow",
      "ls *": "allow",
      "rm *": "deny",
      "curl *": "ask"
    },
    "webfetch": "ask"
  },
  "agent": {
    "review": {
      "mode": "subagent",
      "description": "Reviews changes.",
      "permission": { "edit": "deny", "bash": { "git *": "allow", "*": "deny" } }
    }
  }
}
"#,
    );
}

#[test]
fn opencode_clean_configs_stay_clean() {
    let clean = [
        r#"{ "$schema": "https://opencode.ai/config.json" }"#,
        r#"{ "permission": { "bash": { "*": "ask", "git *": "allow", "git push *": "ask" }, "webfetch": "ask" } }"#,
        r#"{ "permission": { "bash": "ask", "webfetch": "allow", "external_directory": "deny" } }"#,
        r#"{ "agent": { "docs": { "mode": "subagent", "description": "Writes docs.", "permission": { "edit": { "*": "deny", "docs/*": "allow" }, "bash": "deny" } } } }"#,
        r#"{ "agent": { "plan": { "permission": { "edit": "allow" } } } }"#,
    ];
    for text in clean {
        assert_eq!(config(&[("opencode.json", text)]), "", "{text}");
    }
}
