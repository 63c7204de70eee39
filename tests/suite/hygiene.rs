//! Group 09 and stalling patterns: slips of names, characters and dialects; and what looks like one and is none.

use crate::support::compile::config;
use crate::support::found::{each, none};

fn agents(rules: &[&str]) -> Vec<String> {
    rules.iter().map(|rule| format!("agent a {{ {rule} }}")).collect()
}

fn texts(policies: &[String]) -> Vec<&str> {
    policies.iter().map(String::as_str).collect()
}

#[test]
fn names_of_servers_are_told_from_those_of_their_tools() {
    let found = |word: &str| {
        let servers =
            r#""github": { "type": "local", "command": ["x"] }, "db1": { "type": "local", "command": ["x"] }"#;
        let text = format!(r#"{{ "permission": {{ "{word}": "deny" }}, "mcp": {{ {servers} }} }}"#);
        config(&[("opencode.json", &text)])
    };
    for (word, meant) in [("github", "github_*"), ("gihtub_*", "github_*"), ("githb_*", "github_*"), ("db1", "db1_*")] {
        let shown = found(word);
        assert!(shown.contains("PC0901") && shown.contains(&format!("did you mean `{meant}`?")), "{word}: {shown}");
    }
    // Other servers may be declared elsewhere.
    for word in ["github_*", "github*", "gith*", "github_issues", "gitlab_*", "db2_*", "github2_*", "jira", "g?thub_*"]
    {
        assert!(!found(word).contains("PC0901"), "{word}");
    }
}

#[test]
fn permissions_that_nothing_asks() {
    let found = agents(&[
        "deny edti",
        "allow Edit",
        "deny write \"*.env\"",
        "deny shell",
        "deny run_shell_command \"rm *\"",
        "deny web_fetch",
        "cannot call bahs",
    ]);
    insta::assert_snapshot!(each("PC0901", &texts(&found)));
    let fine = agents(&[
        "deny \"github_*\"",
        "deny github_create_issue",
        "deny lint",
        "deny context7",
        "deny mcp",
        "deny todowrite",
        "deny * \"x\"",
        "deny \"Bash*\"",
    ]);
    none("PC0901", &texts(&fine));
    none("PC0901", &["agent a { deny edit, write }", "agent a { allow *; allow write }"]);
    none("PC0901", &["permission Bash { resource command }\nagent a { deny Bash }"]);
}

#[test]
fn definitions_that_nothing_uses() {
    insta::assert_snapshot!(each(
        "PC0902",
        &[
            "let a = [\"x\"]\nlet b = [a]\nagent z { }",
            "layer one { deny edit }\nlayer two { deny bash }\nmerge one, own\nagent z { }",
            "layer usr { deny edit }\nlayer team { deny bash }\nmerge team, own, user\nlayer user { }\nagent z { }",
        ]
    ));
    none("PC0902", &["layer one { deny edit }\nmerge own\nagent z { merge one, own }"]);
}

#[test]
fn characters_that_are_not_what_they_seem() {
    let found = agents(&[
        "deny read \"*.e\u{200B}nv\"",
        "deny b\u{0430}sh",
        "deny bash \"rm \u{2013}rf *\"",
        "deny edit \"src\u{2215}*\"",
        "deny edit \"\u{202E}gpj.exe\"",
        "cannot call edit \"a\u{00A0}b\"",
    ]);
    insta::assert_snapshot!(each("PC0904", &texts(&found)));
    let fine = agents(&[
        "deny edit \"документы/*\"",
        "deny edit \"Notes \u{2013} 2026.md\"",
        "deny edit \"日本語/*\"",
        "deny edit \"emoji-👩\u{200D}💻/*\"",
        "deny edit \"café/*\"",
    ]);
    none("PC0904", &texts(&fine));
}

#[test]
fn patterns_of_another_dialect() {
    let found = agents(&[
        "deny edit; allow edit \"src/**/*.ts\"",
        "allow read; deny read \"*.{pem,key}\"",
        "allow read; deny read \"id_[rd]sa\"",
        "deny edit; allow edit \"!secret/*\"",
        "allow bash; deny bash \"^rm .*$\"",
        "allow bash; deny bash \"git (push|reset)\"",
        "deny edit \"**/.env\"",
    ]);
    insta::assert_snapshot!(each("PC0905", &texts(&found)));
    let fine = agents(&[
        "allow read; deny read [\"**/.env\", \".env\"]",
        "allow read; deny read \"**/.env\"; deny read \"*.env\"",
        "deny edit \"src/**\"",
        "allow edit; deny edit \"app/[id]/page.tsx\"",
        "allow edit; deny edit glob \"**/*.{a,b}\"",
        "allow edit \"**/.env\"; allow edit",
        "allow bash; deny bash \"find . -name **/x\"",
        "allow bash; deny bash \"awk '{print $1, $2}' *\"",
        "allow bash; deny bash \"[ -f * ]\"",
        "deny edit \"**/x\"; deny edit",
    ]);
    none("PC0905", &texts(&fine));
}

#[test]
fn homes_that_stay_as_they_are() {
    let found =
        agents(&["deny read \"$HOME/.ssh/*\"", "deny external_directory \"/home/${USER}/*\"", "deny read \"~root/*\""]);
    insta::assert_snapshot!(each("PC0906", &texts(&found)));
    let fine = agents(&[
        "deny external_directory \"~/.ssh/*\"",
        "deny edit \"routes/$id.tsx\"",
        "deny bash \"rm -rf $HOME*\"",
        "deny bash \"cat ~/.ssh/*\"",
        "deny edit \"*~\"",
    ]);
    none("PC0906", &texts(&fine));
}

#[test]
fn blanks_at_the_ends() {
    let found = agents(&["deny bash \" rm *\"", "deny bash \"rm \"", "deny read \" \"", "deny edit \"a\\t\""]);
    insta::assert_snapshot!(each("PC0910", &texts(&found)));
    none(
        "PC0910",
        &texts(&agents(&["deny bash \"rm *\"", "deny websearch \" x\"", "deny bash \"a b\"", "deny \"x_*\" \" a\""])),
    );
}

#[test]
fn names_that_javascript_keeps() {
    let found = agents(&["deny __proto__ \"*\"", "deny edit \"__proto__\""]);
    insta::assert_snapshot!(each("PC0909", &texts(&found)));
    none("PC0909", &texts(&agents(&["deny edit \"constructor\"", "deny edit \"src/constructor/*\""])));
}

#[test]
fn patterns_that_stall() {
    none(
        "PC1010",
        &texts(&agents(&["deny edit \"**/a/**/b/**/c/*.x\"", "deny bash \"*a*b*c*\"", "deny * \"*a*b*c\""])),
    );
}
