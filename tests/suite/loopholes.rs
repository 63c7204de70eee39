//! Group 03: ways around a denial that no command line alone is.

use crate::support::found::{each, none};

/// Another permission that writes.
const NOTEBOOK: &str = "permission notebook { tools notebook_edit; resource path; capability write }\n";

fn all(head: &str, texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| format!("{head}{text}")).collect()
}

fn found(group: &str, head: &str, texts: &[&str]) -> String {
    let texts = all(head, texts);
    each(group, &texts.iter().map(String::as_str).collect::<Vec<_>>())
}

fn silent(group: &str, head: &str, texts: &[&str]) {
    let texts = all(head, texts);
    none(group, &texts.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn other_permissions_that_write() {
    insta::assert_snapshot!(found(
        "PC0301",
        NOTEBOOK,
        &[
            "agent a { mode primary; allow *; deny edit, bash, task }",
            "agent a { mode primary; deny *; allow edit \"docs/*\"; allow notebook }",
            // Some paths are meant, the others are not.
            "agent a { mode primary; allow *; deny edit, bash, task; allow notebook \"books/*\" }",
            "permission \"files_write*\" { capability write }\n\
             agent a { mode primary; allow *; deny edit, notebook, bash, task }",
            // Agents alike are one finding, others are not.
            "permission memory { tools remember; resource none; capability write }\n\
             layer team { deny * }\nmerge team, own\n\
             agent a { mode primary; allow notebook }\n\
             agent b { mode primary; allow notebook }\n\
             agent c { mode primary; allow memory }",
        ]
    ));
}

#[test]
fn other_permissions_that_may_write() {
    silent(
        "PC0301",
        NOTEBOOK,
        &[
            "agent a { mode primary; allow *; deny edit, notebook }",
            "agent a { mode primary; allow *; deny edit; ask notebook }",
            "agent a { mode primary; deny *; allow notebook \"books/*\" }",
            "agent a { mode primary; deny *; allow edit \"books/*\"; allow notebook \"books/*\" }",
            // The promise says it.
            "agent a { mode primary; allow *; deny edit, bash, task; cannot write }",
            // It is meant to edit.
            "agent a { mode primary; ask *; allow notebook }",
        ],
    );
}

const OPENCODE: &str = "runtime opencode \"1.18\"\n";

#[test]
fn commands_outside() {
    insta::assert_snapshot!(found(
        "PC0312",
        OPENCODE,
        &[
            "layer user { deny external_directory; ask bash; allow bash \"head *\"; deny bash \"*>*\" }",
            "layer user { deny external_directory; ask bash; allow bash \"echo *\" }",
            // Git's options name any file, and it compares any two.
            "layer user { deny external_directory; ask bash; allow bash \"git diff *\"; deny bash \"*>*\" }",
            // Arguments are looked at, but not what begins with a dash.
            "extend build { deny external_directory; ask bash; allow bash \"cp *\"; deny bash \"*>*\" }",
            "extend build { deny external_directory }",
            "extend build { deny external_directory; ask bash; allow bash [\"rg *\", \"wc *\"] }",
            "layer user { deny external_directory }\nextend plan { ask bash; allow bash \"head *\" }\nextend general { ask bash }",
        ]
    ));
    insta::assert_snapshot!(
        "commands_outside_of_version_2",
        found(
            "PC0312",
            "runtime opencode \"2\"\n",
            &["extend build { deny external_directory; ask shell; allow shell \"cat *\"; deny shell \"*>*\" }"]
        )
    );
}

#[test]
fn commands_that_stay_inside() {
    silent(
        "PC0312",
        OPENCODE,
        &[
            // It is asked for these.
            "layer user { deny external_directory; ask bash; allow bash [\"cat *\", \"rm *\", \"mkdir *\"]; deny bash \"*>*\" }",
            "layer user { deny external_directory; ask bash; allow bash \"git status\" }",
            "layer user { deny external_directory, bash }",
            "layer user { ask external_directory }",
            // Where the folders of the examples are open, nothing is known to be denied.
            "layer user { deny external_directory; allow external_directory [\"/etc/*\", \"/tmp/*\"] }",
            // A later rule about all of them decides.
            "layer user { deny external_directory; ask external_directory }",
            // Nothing is said of folders outside.
            "agent lead { mode primary; deny *; allow read; allow bash \"head *\" }",
            // What else git does, it does in its own folder.
            "layer user { deny external_directory; ask bash; allow bash [\"git checkout *\", \"git show *\"]; deny bash [\"*>*\", \"*--output*\"] }",
        ],
    );
    silent("PC0312", "", &["agent a { mode primary; deny external_directory; allow bash }"]);
}

#[test]
fn guards_switched_off() {
    insta::assert_snapshot!(found(
        "PC0313",
        OPENCODE,
        &[
            "layer user { allow read }",
            "layer user { allow read [\"config/*\", \"deploy/*\"] }",
            "extend build { allow *; deny bash }",
            "layer user { allow read; deny read \"*.pem\" }",
        ]
    ));
}

#[test]
fn guards_that_stand() {
    silent(
        "PC0313",
        OPENCODE,
        &[
            "layer user { allow read; ask read \"*.env*\" }",
            // These were written for such files.
            "layer user { allow read \"*.env\" }",
            "layer user { allow read [\".env.test\", \"*.env.example\"] }",
            "layer user { allow read \"docs/*.md\" }",
            // Told as PC0907.
            "layer user { allow * }",
            "layer user { ask read }",
        ],
    );
    silent("PC0313", "", &["agent a { mode primary; allow read }"]);
}

#[test]
fn files_that_commands_obey() {
    insta::assert_snapshot!(found(
        "PC0317",
        "",
        &[
            "agent a { mode primary; deny *; allow edit [\"docs/*\", \"Makefile\"]; allow bash \"make\" }",
            // Not the example of the catalogue.
            "agent a { mode primary; deny *; allow edit \"*.json\"; allow bash \"npm run lint\" }",
            // A redirection and an option are told too, and closing them does not close this.
            "agent a { mode primary; deny *; allow edit \"tests/*\"; allow bash [\"pytest *\", \"cargo test *\"] }",
            "layer team { deny *; allow edit \"Cargo.toml\"; allow bash \"cargo build\" }\nmerge team, own\n\
             agent a { mode primary }\nagent b { mode primary }\nagent c { mode primary; deny bash }",
        ]
    ));
}

#[test]
fn files_that_nothing_obeys() {
    silent(
        "PC0317",
        "",
        &[
            "agent a { mode primary; deny *; allow edit \"src/*\"; allow bash \"cargo test\" }",
            "agent a { mode primary; deny *; allow edit \"docs/*\"; allow bash [\"npm test\", \"make\"] }",
            "agent a { mode primary; deny *; allow edit \"Makefile\"; allow bash \"npm test\" }",
            "agent a { mode primary; deny *; ask edit \"Makefile\"; allow bash \"make\" }",
            "agent a { mode primary; deny *; allow edit \"Makefile\"; ask bash \"make\" }",
            // It is meant to edit.
            "agent a { mode primary; ask *; allow edit; allow bash \"make\" }",
            // It needs no file for that.
            "agent a { mode primary; deny *; allow edit \"Makefile\"; allow bash }",
            // The promise says it.
            "agent a { mode primary; deny *; allow edit \"Makefile\"; allow bash \"make\"; cannot write except \"Makefile\" }",
        ],
    );
}

#[test]
fn denied_files_sent_away() {
    let rules = "layer team { ask *; allow read; deny read \"*.env\" }\nmerge team, own\n";
    insta::assert_snapshot!(found(
        "PC031",
        rules,
        &[
            "agent a { mode primary; allow bash \"wget *\" }\nagent b { mode primary; allow bash \"wget *\" }",
            // Who shows it, is told of that.
            "agent a { mode primary; allow bash \"scp *\" }\nagent b { mode primary; allow bash \"head *\"; allow webfetch }",
            "agent a { mode primary; allow bash [\"cat *\", \"scp *\"] }",
            // Who only searches does not stand for who shows it.
            "agent a { mode primary; allow grep }\nagent b { mode primary; allow grep; allow bash \"head *\" }",
        ]
    ));
    silent(
        "PC0318",
        rules,
        &[
            "agent a { mode primary; ask bash \"wget *\" }",
            "agent a { mode primary; allow bash \"wget --version\" }",
            "agent a { mode primary; allow bash \"wget *\"; deny bash \"*.env*\" }",
            "agent a { mode primary; allow read; allow bash \"wget *\" }",
            "agent a { mode primary; allow webfetch }",
            // It publishes files too, beside all else that it does.
            "agent a { mode primary; allow bash \"gh *\" }",
        ],
    );
}
