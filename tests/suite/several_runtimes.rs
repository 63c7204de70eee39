//! A project with configs of several runtimes: each is checked as its own, and what one denies and another allows is told.

use std::path::Path;
use std::process::{Command, Output};

fn policyc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_policyc")).current_dir(folder).args(arguments).output().unwrap()
}

fn project(opencode: &str, claude: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".claude")).unwrap();
    std::fs::write(folder.path().join("opencode.json"), opencode).unwrap();
    std::fs::write(folder.path().join(".claude/settings.json"), claude).unwrap();
    folder
}

fn told(folder: &Path, arguments: &[&str]) -> Vec<(String, String, String)> {
    let output = policyc(folder, arguments);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let findings = report["findings"].as_array().unwrap().iter();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    findings
        .map(|one| (text(&one["code"]), text(&one["message"]), text(&one["locations"][0]["file"])))
        .filter(|(code, ..)| code == "PC0608")
        .collect()
}

#[test]
fn what_one_denies_and_another_allows_is_told() {
    let folder = project(
        "{ \"permission\": { \"bash\": { \"*\": \"ask\", \"git push *\": \"deny\" } } }\n",
        "{ \"permissions\": { \"allow\": [\"Bash(git push *)\"] } }\n",
    );
    let found = told(folder.path(), &["check", "--format", "json"]);
    assert_eq!(found.len(), 1, "{found:?}");
    let (_, message, file) = &found[0];
    assert!(message.starts_with("Claude Code allows what OpenCode denies here: bash `git push"), "{message}");
    assert_eq!(file, "opencode.json");
}

#[test]
fn the_calls_that_are_shown_can_be_run() {
    let folder = project(
        "{ \"permission\": { \"bash\": { \"*\": \"ask\", \"git push *\": \"deny\" } } }\n",
        "{ \"permissions\": { \"allow\": [\"Bash(git push *)\"], \"deny\": [\"Bash(rm *)\"] } }\n",
    );
    let report = String::from_utf8(policyc(folder.path(), &["check"]).stderr).unwrap();
    let calls: Vec<&str> = report.lines().filter_map(|line| line.trim().strip_prefix("call: policyc ")).collect();
    assert!(calls.iter().any(|call| call.contains("--runtime opencode")), "{report}");
    for call in calls {
        let (arguments, _) = call.split_once("  => ").unwrap();
        let script = format!("{} {arguments}", env!("CARGO_BIN_EXE_policyc"));
        let ran = Command::new("sh").current_dir(folder.path()).args(["-c", &script]).status().unwrap();
        assert_eq!(ran.code(), Some(0), "{call}");
    }
}

#[test]
fn what_the_budget_does_not_suffice_for_is_told() {
    let folder = project(
        "{ \"permission\": { \"bash\": { \"git push *\": \"deny\" } } }\n",
        "{ \"permissions\": { \"allow\": [\"Bash(*push)\"] } }\n",
    );
    let output = policyc(folder.path(), &["check", "--format", "json", "--budget", "0"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("whether Claude Code allows what OpenCode denies of `bash` is undecided"), "{text}");
}

#[test]
fn configs_that_agree_are_silent() {
    let folder = project(
        "{ \"permission\": { \"bash\": { \"*\": \"ask\", \"git push *\": \"deny\" } } }\n",
        "{ \"permissions\": { \"deny\": [\"Bash(git push *)\"], \"allow\": [\"Bash(cargo test *)\"] } }\n",
    );
    assert_eq!(told(folder.path(), &["check", "--format", "json"]), []);
}

#[test]
fn a_folder_of_several_is_not_guessed_at() {
    let folder = project("{}\n", "{}\n");
    let refused = policyc(folder.path(), &["decide", ".", "bash", "ls"]);
    assert_eq!(refused.status.code(), Some(2));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("there are configs of OpenCode and of Claude Code in `.`"), "{text}");
    for arguments in
        [["decide", ".claude", "bash", "ls"].as_slice(), &["decide", ".", "bash", "ls", "--runtime", "opencode"]]
    {
        assert_eq!(policyc(folder.path(), arguments).status.code(), Some(0), "{arguments:?}");
    }
    let differs = policyc(folder.path(), &["diff", "opencode.json", ".claude/settings.json", "--exit-code"]);
    assert_eq!(differs.status.code(), Some(1), "{}", String::from_utf8_lossy(&differs.stderr));
}
