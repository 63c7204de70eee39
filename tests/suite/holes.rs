//! Group 03, the runtime's own holes: links, moves in patches, answers that are kept, and rules about what nothing asks. The
//! situations of the first three were played against the real OpenCode 1.18.33, with the outcomes that are said here.

use crate::support::compile::config;
use crate::support::found;

/// One subagent of OpenCode with these rules.
fn agent(rules: &str) -> String {
    format!("runtime opencode\n\nagent worker {{\n  mode subagent\n  {}\n}}\n", rules.replace("; ", "\n  "))
}

/// The shared rules of an OpenCode config.
fn shared(rules: &str) -> String {
    format!("runtime opencode\n\nlayer user {{\n  {}\n}}\n", rules.replace("; ", "\n  "))
}

#[track_caller]
fn silent(code: &str, all: &[String]) {
    for text in all {
        assert_eq!(found::of(code, text), "", "{text}");
    }
}

#[track_caller]
fn snapshot(name: &str, code: &str, all: &[String]) {
    let texts: Vec<&str> = all.iter().map(String::as_str).collect();
    insta::assert_snapshot!(name, found::each(code, &texts));
}

#[test]
fn links() {
    snapshot(
        "holes_links",
        "PC0330",
        &[
            // Seen: a write to `docs/link.md`, a link to `../prod.env`, is not denied.
            shared("deny edit; allow edit \"docs/*\""),
            shared("deny read \"*.env\"; deny edit [\"*.env\", \".git/*\"]"),
            agent("deny *; allow read \"src/*\"; ask edit \"docs/*\""),
        ],
    );
}

#[test]
fn links_lead_nowhere_else() {
    silent(
        "PC0330",
        &[
            // Nothing passes, nothing is denied, or nothing of the user's.
            agent("deny *"),
            agent("deny *; allow read"),
            agent("deny edit; ask read"),
            agent("allow edit \"docs/*\""),
            shared("allow bash; deny bash \"rm *\""),
            shared("ask external_directory; deny external_directory \"/etc/*\""),
            // The deny is dead: everything passes.
            agent("deny read \"*.env\"; allow read"),
            // Another version, another runtime.
            shared("deny edit; allow edit \"docs/*\"").replace("opencode", "opencode \"2\""),
            shared("deny edit; allow edit \"docs/*\"").replace("opencode", "core"),
        ],
    );
}

#[test]
fn moves() {
    snapshot(
        "holes_moves",
        "PC0331",
        &[
            // Seen: the update of `src/x.ts` is denied, the move of `docs/a.md` there runs.
            shared("deny edit; allow edit \"docs/*\""),
            agent("ask edit; deny edit \"secret/*\"; deny edit \"*.lock\""),
        ],
    );
}

#[test]
fn moves_that_are_asked() {
    silent(
        "PC0331",
        &[
            agent("deny edit"),
            agent("deny *; allow read \"docs/*\""),
            agent("ask edit; ask edit \"secret/*\""),
            agent("deny edit \"docs/*\"; allow edit"),
            // Where a target lies outside is known only on a machine.
            agent("allow edit; deny edit \"../*\""),
            shared("deny edit; allow edit \"docs/*\"").replace("opencode", "opencode \"2\""),
        ],
    );
}

#[test]
fn approvals() {
    snapshot(
        "holes_approvals",
        "PC0332",
        &[
            // Seen: after "always" to `docs/b.md` the write of `secret/k` runs, for every agent.
            shared("ask edit; deny edit \"secret/*\""),
            // Seen: "always" to `rm x` is kept as `rm *`.
            shared("ask bash; deny bash \"rm -rf *\""),
            shared("ask bash; deny bash \"git push --force*\"; deny bash \"git reset --hard *\""),
            shared("ask task; deny task \"general\""),
            agent("deny *; ask edit \"docs/*\""),
        ],
    );
}

#[test]
fn approvals_that_cover_no_denial() {
    silent(
        "PC0332",
        &[
            // Seen: "always" to `git status -s` is kept as `git status *`, which is no push.
            shared("ask bash; deny bash \"git push *\""),
            // How much of these is approved is not known.
            shared("ask bash; deny bash \"gh pr merge *\"; deny bash \"git stash drop*\""),
            agent("deny bash; ask bash \"git status *\"; deny bash \"git push *\""),
            agent("deny *; ask bash \"git status*\"; ask bash \"npm test\""),
            // Nothing is asked, nothing is denied, or the deny is dead.
            agent("allow edit; deny edit \"secret/*\""),
            agent("allow bash; deny bash \"rm *\"; ask edit"),
            agent("deny edit \"secret/*\"; ask edit"),
            // A skill's approval is for that skill.
            agent("ask skill; deny skill \"release-*\""),
            // Only the runtime asks.
            shared("deny read \"config/*\""),
            shared("ask edit; deny edit \"secret/*\"").replace("opencode", "opencode \"2\""),
        ],
    );
}

#[test]
fn asked_by_nobody() {
    snapshot(
        "holes_unasked",
        "PC0333",
        &[
            // Seen: `plan_exit` with `ask` is offered, and asks nobody.
            agent("ask plan_exit; ask question"),
            agent("deny question \"x\""),
            agent("deny list; ask plan_enter"),
        ],
    );
}

#[test]
fn asked_or_hidden() {
    silent(
        "PC0333",
        &[
            agent("deny question; deny plan_exit"),
            agent("allow list, plan_enter, question"),
            agent("ask *; deny *"),
            agent("ask todowrite, lsp, doom_loop; deny skill \"x\""),
            agent("ask my_tool"),
            // The policy's own permission.
            format!("{}permission list {{ tools lister; resource name }}\n", agent("ask list"))
                .replace("runtime opencode", "runtime core"),
            agent("ask question").replace("opencode", "opencode \"2\""),
        ],
    );
}

#[test]
fn the_reader_speaks_first() {
    let report = config(&[("opencode.json", r#"{ "permission": { "question": "ask", "list": "deny" } }"#)]);
    assert!(report.contains("PC1006") && !report.contains("PC0333"), "{report}");
    let report = config(&[("opencode.json", r#"{ "permission": { "plan_enter": "ask" } }"#)]);
    assert!(report.contains("PC0333"), "{report}");
}

#[test]
fn commands_without_a_request() {
    snapshot(
        "holes_commands",
        "PC0334",
        &[
            // Seen: under `deny bash; allow bash "echo *"` the lines `cd src` and `cd src > docs/a.md` run.
            agent("deny bash; allow bash \"echo *\"; allow bash \"cd *\""),
            agent("allow bash; deny bash \"cd *\"; deny bash [\"export *\", \"unset *\"]; ask bash \"pushd\""),
            agent("allow bash; deny bash exact \"cd ..\"; deny bash prefix \"declare\""),
            agent("ask bash; allow bash \"cd $(git rev-parse --show-toplevel)\""),
        ],
    );
}

#[test]
fn commands_with_a_request() {
    silent(
        "PC0334",
        &[
            // These match other commands too, or what stands in front of one.
            agent("allow bash; deny bash \"cd*\"; deny bash \"export*\"; deny bash \"FOO=*\"; deny bash \"> *\""),
            agent("allow bash; deny bash \"*cd *\"; deny bash \"test *\"; deny bash \"source *\"; deny bash \"CD *\""),
            agent("allow bash; deny bash \"set *\"; deny bash \"alias *\"; deny bash \"eval *\"; deny bash \"env *\""),
            // Of the whole line PC0401 tells.
            agent("ask bash; allow bash \"cd * && npm test\""),
            // The rule is dead by another: group 01 tells.
            agent("deny bash \"cd *\"; allow bash"),
            // Nothing runs at all.
            agent("allow bash \"cd *\"; deny bash"),
            // It speaks of other permissions too.
            agent("allow bash; deny * \"cd *\""),
            agent("allow shell; deny shell \"cd *\"").replace("opencode", "opencode \"2\""),
            agent("allow bash; deny bash \"cd *\"").replace("opencode", "core"),
        ],
    );
}
