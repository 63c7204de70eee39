//! Group 05: agents that do not exist, that nothing can start, that start each other, or that may more than who starts them.

use crate::support::found::{each, none};

const PAIR: &str = "agent explore { mode subagent }\nagent general { mode subagent; disabled }\n";

#[test]
fn unknown_agents() {
    let with = |rule: &str| format!("{PAIR}agent lead {{ mode primary; {rule} }}");
    let texts = [
        with("deny task; allow task \"explorer\""),
        with("allow task \"explore # fast\""),
        with("deny task \"nobody-near-this\""),
        with("ask task \"general\""),
        format!("{PAIR}agent lead {{ mode primary }}\nswitch done {{ from plan; to lead }}"),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(each("PC0501", &texts));
    let fine = [
        with("allow task \"explore\""),
        with("deny task \"general\""),
        with("allow task \"ex*\""),
        with("deny * \"explorer\""),
        with("deny read \"explorer\""),
    ];
    none("PC0501", &fine.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn default_agents_that_cannot_be_it() {
    insta::assert_snapshot!(each(
        "PC050",
        &[
            "default agent biuld\nagent build { mode primary }",
            "default agent build\nagent build { mode primary; disabled }\nagent plan { mode primary }",
            "default agent build\nagent build { mode subagent }\nagent plan { mode primary }",
            "default agent build\nagent build { mode primary; hidden }\nagent plan { mode primary }",
            "default agent build\nagent build { hidden }",
            "agent a { mode subagent }\nagent b { hidden }\nagent c { disabled }",
        ]
    ));
    none("PC050", &["", "layer user { deny edit }", "agent a { }", "default agent a\nagent a { mode all }"]);
}

#[test]
fn agents_that_nothing_starts() {
    let hidden = "agent helper { mode subagent; hidden }\n";
    let with = |rest: &str| format!("{hidden}{rest}");
    let lost = [
        with("agent lead { mode primary; deny task }"),
        with(
            "agent lead { mode primary; deny task; allow task \"docs-*\" }\nagent docs-a { mode subagent; deny task }",
        ),
        with("agent lead { mode primary; deny task }\nagent other { mode subagent; hidden }"),
    ];
    insta::assert_snapshot!(each("PC0504", &lost.iter().map(String::as_str).collect::<Vec<_>>()));
    let fine = [
        with("agent lead { mode primary }"),
        with("agent lead { mode primary; deny task; ask task \"helper\" }"),
        with(
            "agent lead { mode primary; deny task; allow task \"docs\" }\nagent docs { mode subagent; allow task \"helper\" }",
        ),
        with("agent lead { mode primary; deny task }\nswitch over { from lead; to helper }"),
        "agent helper { mode subagent }\nagent lead { mode primary; deny task }".to_owned(),
        "agent helper { mode primary; hidden }\nagent lead { mode primary; deny task }".to_owned(),
    ];
    none("PC0504", &fine.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn circles_of_delegation() {
    insta::assert_snapshot!(each(
        "PC0505",
        &[
            "agent a { allow task \"a\" }",
            "agent a { deny task; allow task \"b\" }\nagent b { deny task; allow task \"c*\" }\nagent c { deny task; allow task \"a\" }",
            "permission task { depth 2 }\nagent a { deny task; allow task \"b\" }\nagent b { deny task; allow task \"a\" }",
        ]
    ));
    none(
        "PC0505",
        &[
            "agent a { allow task }\nagent b { allow task }",
            "agent a { allow * }",
            "agent a { deny task; ask task \"b\" }\nagent b { deny task; allow task \"a\" }",
            "permission task { depth 1 }\nagent a { deny task; allow task \"b\" }\nagent b { deny task; allow task \"a\" }",
            "agent a { deny task; allow task \"b\" }\nagent b { deny task }",
        ],
    );
}

#[test]
fn children_that_may_more() {
    insta::assert_snapshot!(each(
        "PC0506",
        &[
            "agent lead { mode primary; deny edit; allow task }\nagent a { mode subagent; allow edit \"docs/*\" }\nagent b { mode subagent; allow edit }",
            "agent lead { mode primary; allow bash; deny bash \"rm *\"; deny task; allow task \"w*\" }\nagent worker { mode subagent; allow bash }",
            "agent lead { mode primary; deny read \"*.env\"; allow task \"worker\" }\nagent worker { mode subagent; allow read; deny read \".env\" }",
        ]
    ));
    none(
        "PC0506",
        &[
            "layer shared { deny edit; allow task }\nagent lead { mode primary }\nagent worker { mode subagent }",
            "agent lead { mode primary; deny edit; allow task }\nagent worker { mode subagent; ask edit }",
            "agent lead { mode primary; deny edit; ask task }\nagent worker { mode subagent; allow edit }",
            "agent lead { mode primary; deny edit; allow * }\nagent worker { mode subagent; allow edit }",
            "permission task { delegate bounded }\nagent lead { mode primary; deny edit; allow task }\nagent worker { mode subagent; allow edit }",
            "agent lead { mode primary; deny edit; allow edit \"docs/*\"; allow task }\nagent worker { mode subagent; allow edit \"docs/*.md\" }",
            "agent lead { mode primary; deny question; allow task }\nagent worker { mode subagent; allow question }",
        ],
    );
}

#[test]
fn wildcards_over_no_agents() {
    insta::assert_snapshot!(each(
        "PC0508",
        &["agent lead { mode primary; deny task; allow task \"qa-*\" }\nagent q-a { mode subagent }"]
    ));
    none("PC0508", &["agent lead { mode primary; allow task \"l*\" }", "agent lead { mode primary; deny task \"*\" }"]);
}
