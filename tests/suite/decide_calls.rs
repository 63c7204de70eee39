//! `decide --calls`: however many lines there are, each has its answer, and it is the one that `decide` gives.

use crate::support::generate;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

fn policyc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_policyc")).current_dir(folder).args(arguments).output().unwrap()
}

fn lines(output: &Output) -> Vec<String> {
    String::from_utf8(output.stdout.clone()).unwrap().lines().map(str::to_owned).collect()
}

/// A policy of generated rules, and calls of it.
fn generated(folder: &Path, calls: usize) -> String {
    let rules = generate::realistic(120, 7);
    let actions = ["allow", "ask", "deny", "deny"];
    let mut policy = "agent worker {\n".to_owned();
    for rule in &rules {
        let (key, value) = (serde_json::json!(rule.key), serde_json::json!(rule.value));
        writeln!(policy, "  {} {key} {value}", actions[usize::from(rule.colour)]).unwrap();
    }
    std::fs::write(folder.join("a.policy"), policy + "}\n").unwrap();
    let calls = generate::calls(&rules, calls, 3).into_iter();
    calls
        .map(|(permission, resource)| {
            format!("{}\n", serde_json::json!({ "agent": "worker", "permission": permission, "resource": resource }))
        })
        .collect()
}

#[test]
fn many_calls_are_answered_as_few_are() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let calls = generated(folder, 1_000);
    for format in ["human", "json"] {
        std::fs::write(folder.join("all"), &calls).unwrap();
        let together = policyc(folder, &["decide", "a.policy", "--calls", "all", "--format", format]);
        assert_eq!(together.status.code(), Some(0), "{}", String::from_utf8_lossy(&together.stderr));
        let mut apart = Vec::new();
        for part in calls.lines().collect::<Vec<_>>().chunks(200) {
            std::fs::write(folder.join("part"), part.join("\n")).unwrap();
            apart.extend(lines(&policyc(folder, &["decide", "a.policy", "--calls", "part", "--format", format])));
        }
        assert!(apart.len() >= 1_000);
        assert!(apart == lines(&together), "{format}");
    }
}

#[test]
fn a_line_that_is_no_call_is_answered_beside_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let good = generated(folder, 1);
    let long = format!("{{\"agent\":\"worker\",\"permission\":\"bash\",\"resource\":\"{}\"}}\n", "x".repeat(40 << 20));
    let parts: [&[u8]; 5] =
        [b"\xff\xfe{}\n", long.as_bytes(), b"\r\n", b"{\"agent\":\"nobody\"}\n", good.trim_end().as_bytes()];
    std::fs::write(folder.join("calls"), [good.as_bytes(), &parts.concat()].concat()).unwrap();
    let output = policyc(folder, &["decide", "a.policy", "--calls", "calls", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    let answers: Vec<serde_json::Value> =
        lines(&output).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    let error = |at: usize| answers[at]["error"].as_str().unwrap_or_default().to_owned();
    assert_eq!(answers.len(), 6);
    assert_eq!(answers[0], answers[5]);
    assert_eq!(error(1), "the line is not UTF-8: its byte 1 fits no character");
    assert_eq!(error(2), "the line is longer than 32 MiB");
    assert_eq!(error(3), "the line is empty");
    assert!(error(4).contains("agent `nobody` does not exist"), "{}", error(4));
    assert_eq!(answers[4]["line"], 5);
}
