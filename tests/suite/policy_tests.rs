//! Group 08: test blocks, what they find, what they cover, and what they would not notice.

use crate::support::compile::policy;
use crate::support::found::{each, none};
use policyc::checks::{assertion_failed, rule_never_decides_a_test, tests};

#[test]
fn expectations_that_fail() {
    insta::assert_snapshot!(each(
        "PC08",
        &[
            "agent a { deny edit because \"read only\"; allow edit \"docs/*\"; deny edit \"*.lock\" }\ntest a \"locks\" { edit \"docs/a.lock\" => allow; edit \"src/a\" => allow }",
            "agent a { }\ntest a { bash \"ls\" => allow }",
            "agent a { deny bash; allow bash \"ls\" }\ntest a { hidden bash; visible edit }",
            "agent a { deny bash }\ntest a { visible bash }",
            "agent a { deny edit }\ntest a { write { filePath: \"x\" } => deny }",
        ]
    ));
}

#[test]
fn tests_of_names_that_nothing_has() {
    insta::assert_snapshot!(each(
        "PC0805",
        &[
            "agent plan { }\ntest plam { edit \"x\" => ask }",
            "agent plan { disabled }\nagent build { }\ntest plan { edit \"x\" => ask }",
            "agent a { }\ntest a { edti \"x\" => ask; write \"x\" => ask; frobnicate \"x\" => ask; visible Bash }",
        ]
    ));
    none(
        "PC0805",
        &[
            "agent a { }\ntest a { github_create_issue \"*\" => ask; visible write; hidden github_create_issue }",
            "agent a { deny lint }\ntest a { lint \"*\" => deny }",
            "permission lint { tools lint }\nagent a { }\ntest a { lint \"*\" => ask; visible lint }",
        ],
    );
}

#[test]
fn changes_that_no_test_notices() {
    insta::assert_snapshot!(each(
        "PC0806",
        &[
            "agent a { deny edit; allow edit \"docs/*\"; deny edit \"docs/secret/*\" }\ntest a { edit \"docs/x\" => allow }",
            "agent a { ask bash \"ls\"; deny edit }\ntest a { bash \"ls\" => ask; hidden edit }",
        ]
    ));
    none("PC0806", &["agent a { deny edit }", "agent a { deny edit }\ntest a { edit \"x\" => deny }"]);
}

#[test]
fn runs_count_and_cover() {
    let text = "agent a { deny read, edit [\"*.env\", \"*.pem\"]; allow bash }\n\
                test a { read \".env\" => deny; edit \"x.pem\" => allow; hidden bash; nothing_near \"x\" => ask }";
    let (_, compiled) = policy(text);
    let run = tests::run(&compiled.model, &compiled.rulesets, (compiled.runtime, compiled.version), None);
    assert_eq!((run.passed(), run.failed()), (2, 2));
    assert_eq!(rule_never_decides_a_test::covered(&compiled.model, &run), (3, 5));
    let uncovered = rule_never_decides_a_test::findings(&compiled.model, &run);
    let lines: Vec<String> =
        uncovered.iter().map(|finding| format!("{}; {}", finding.message, finding.notes.join(";"))).collect();
    assert_eq!(lines, ["2 of the 4 parts of this rule decide no test; untested: `read *.pem`, `edit *.env`"]);
    assert_eq!(assertion_failed::findings(&run, compiled.model.visibility).len(), 2);
}
