//! Ways around a hook that somebody found: each ends as strict as what it really does.

use crate::support::hook::{Hook, protocol};
use policyc::rule::Action::{self, Allow, Ask, Deny};
use serde_json::json;

const POLICY: &str = "default agent a
agent a { mode primary; allow *; deny bash \"rm *\"; deny bash \"git push *\"; deny edit \"secrets/*\"
  deny read [\".env\", \"*/.env\"]; deny webfetch \"https://evil.com/*\"; deny \"my__srv_*\" }
";

/// Only a few commands.
const LIST: &str = "default agent a
agent a { mode primary; deny *; allow bash [\"ls *\", \"git status *\", \"echo *\"]; allow read, edit }
";

#[track_caller]
fn all(policy: &str, lines: &[&str], least: Action) {
    let hook = Hook::new(policy);
    for line in lines {
        assert!(hook.bash(line) >= least, "{line:?} is {:?}", hook.bash(line));
    }
}

#[test]
fn what_a_shell_reads_otherwise_than_the_grammar() {
    let lines = [
        "ls\n\\rm -rf x",
        "ls\n\\\nrm x",
        "cd a\n\\rm x",
        "ls\n\n\\rm x",
        "r\\\nm x",
        "/bin/r\\\nm x",
        "echo \\ #; rm x",
        "echo \\\t#; rm x",
        "\\ #`rm x`",
        "echo x\u{c}#; rm -rf build",
        "echo x\r#; rm -rf build",
        "echo x\u{b}#; rm -rf build",
        "cat <<EOF\n`rm x`\nEOF",
        "cat <<E\n\"`rm x`\"\nE",
        "echo ${x:-`rm x`}",
        "echo \"${x:-`rm x`}\"",
        "echo `echo \\`rm x\\` `",
        "cat <<E\n $(rm x)\nE",
        "cat <<E\n\t$(rm x)\nE",
        "cat <<-E\n\t$(rm x)\n\tE",
        "cat <<E\n$(echo b)\n  $(rm x)\nE",
        "cat > a <<EOF\nbranch:\n  $(git push origin main)\nEOF",
        "exec -a x rm x",
        "exec -c rm x",
        "exec -- rm x",
        "time rm x",
        "! time rm x",
        "time -p rm x",
        "time -- rm x",
        "time { rm x; }",
        "coproc rm x",
        "coproc { rm x; }",
        "eval -- 'rm x'",
        "trap 'rm -rf build' EXIT",
        "command rm x",
        "builtin eval 'rm x'",
        "exec rm x",
    ];
    all(POLICY, &lines, Deny);
    all(LIST, &["ls a\n\\rm -rf build", "echo \\ #; rm x", "r\\\nm x"], Deny);
}

#[test]
fn what_is_known_only_when_it_runs() {
    let lines = [
        "/bin/r? -rf build",
        "/bin/r[m] -rf build",
        "r{m,m} x",
        "rm{,} x",
        "X=push; git $X origin",
        "git $'push'",
        "git p{ush,ush}",
        "git $(echo push)",
        "git pu\"$E\"sh x",
        "git pus[h]",
        "bash $E -c 'rm -rf build'",
        "bash \"$@\" -c 'rm -rf build'",
        "source /dev/stdin <<< 'rm -rf build'",
        "bash <<'A'\nrm -rf build\nA",
        "echo 'rm -rf build' | bash",
        "x='$(rm -rf build)'; echo ${x@P}",
        "hash -p /path/rm ls; ls -rf build",
        "shopt -s expand_aliases\nalias x='rm -rf'\nx build",
        "[ -v 'a[$(rm -rf build)]' ]",
        "ls; [[ 1 -eq 'a[$(rm -rf build)]' ]]",
        "ls; declare 'a[$(rm -rf build)]=1'",
        "x='a[$(rm -rf build)]'; ls $((x))",
        "echo x > /dev/fd/../cwd/secrets/key",
        "exec 3<secrets; echo x > /dev/fd/3/key",
        "cat < /dev/fd/../cwd/.env",
        "echo x > /proc/self/cwd/secrets/key",
        "command cd secrets && echo x > key",
        "builtin cd secrets && echo x > key",
        "CDPATH=secrets; cd sub && echo x > key",
    ];
    all(POLICY, &lines, Ask);
}

#[test]
fn what_changes_later_commands_is_asked() {
    let lines = [
        "ls a; PATH=/tmp/evil; git status",
        "ls; export GIT_EXTERNAL_DIFF='rm -rf build'",
        "git status; export GIT_PAGER=x",
        "ls; declare 'a[$(rm -rf build)]=1'",
        "x='a[$(rm -rf build)]'; ls $((x))",
    ];
    all(LIST, &lines, Deny);
}

#[test]
fn ordinary_lines_stay_as_they_are() {
    let hook = Hook::new(POLICY);
    let lines = [
        "git commit -m \"it's `done`\"".replace('`', "'"),
        "cargo test 2>&1 | tail -5".to_owned(),
        "BRANCH=$(git branch --show-current); echo \"$BRANCH\"".to_owned(),
        "cat > notes.md <<'EOF'\nrun `make` # it's easy\nEOF".to_owned(),
        "for f in *.rs; do wc -l \"$f\"; done # all".to_owned(),
        "npm run build \\\n  --silent".to_owned(),
        "time cargo build".to_owned(),
        "[ -f x ] && ls *.md".to_owned(),
        "trap - EXIT; command -v git; bash --version; bash build.sh".to_owned(),
        "grep -rn 'a|b' src/ | head".to_owned(),
    ];
    for line in lines {
        assert_eq!(hook.bash(&line), Allow, "{line}");
    }
}

/// What is known only at run time is no question where one rule speaks of all that it may become.
#[test]
fn a_rule_for_all_that_follows_decides_it() {
    let policy = "agent a { mode primary; ask *; allow bash [\"echo *\", \"git commit *\", \"ls *\", \"cat *\"]; deny bash \"git push *\" }\n";
    let hook = Hook::new(policy);
    let lines = ["echo $?", "echo \"$X\"", "ls a*", "git commit -m \"$(cat <<'EOF'\nit's\nEOF\n)\"", "echo `echo a`"];
    for line in lines {
        assert_eq!(hook.bash(line), Allow, "{line}");
    }
    for line in ["git $X", "$X", "make $X"] {
        assert_eq!(hook.bash(line), Ask, "{line}");
    }
}

#[test]
fn a_search_reads_what_lies_below() {
    let hook = Hook::new(POLICY);
    let grep = |input| hook.call("Grep", input).taken.unwrap();
    assert!(grep(json!({ "pattern": "x" })) >= Ask);
    assert!(grep(json!({ "pattern": "x", "path": "/nowhere/project", "glob": ".env" })) >= Ask);
    let below = Hook::new("agent a { mode primary; allow *; deny read \"src/secret/*\"; deny read \"~/.ssh/*\" }\n");
    let grep = |folder: &str| below.call("Grep", json!({ "pattern": "x", "path": folder })).taken.unwrap();
    assert!(grep("/nowhere/project") >= Ask && grep("/nowhere/project/src") >= Ask);
    assert_eq!(grep("/nowhere/project/docs"), Allow);
    assert_eq!(grep("/nowhere/project/src/main"), Allow);
}

#[test]
fn a_search_of_one_file_reads_that_file() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    std::fs::write(format!("{root}/a.rs"), "").unwrap();
    let hook = Hook::new(POLICY).at(&root);
    assert_eq!(hook.call("Grep", json!({ "pattern": "x", "path": format!("{root}/a.rs") })).taken, Some(Allow));
    assert!(hook.call("Grep", json!({ "pattern": "x", "path": root })).taken >= Some(Ask));
}

#[test]
fn an_address_is_judged_in_every_spelling() {
    let hook = Hook::new(POLICY);
    for url in [
        "https://evil.com/x",
        "https://EVIL.com/x",
        "https://evil.com:443/x",
        "https://a@evil.com/x",
        "https:/evil.com/x",
        " https://evil.com/x",
        "https://evil.com",
        "<https://evil.com/x>,",
    ] {
        assert_eq!(hook.call("WebFetch", json!({ "url": url, "prompt": "p" })).taken, Some(Deny), "{url}");
    }
    assert_eq!(hook.call("WebFetch", json!({ "url": "https://evil.community/x", "prompt": "p" })).taken, Some(Allow));
    let gemini = json!({ "cwd": "/nowhere/project", "hook_event_name": "BeforeTool", "tool_name": "web_fetch",
        "tool_input": { "url": "https://ok.com", "prompt": "see https://evil.com/x" } });
    assert_eq!(hook.send(protocol("gemini"), &gemini.to_string()).taken, Some(Deny));
}

#[test]
fn names_of_servers_may_hold_the_mark_that_parts_them() {
    assert_eq!(Hook::new(POLICY).call("mcp__my__srv__x", json!({})).taken, Some(Deny));
}

#[test]
fn two_fields_for_one_thing_must_agree() {
    let amp = |input: serde_json::Value| {
        let hook = Hook::new(POLICY).of(Some("shell_command"));
        hook.send(protocol("amp"), &input.to_string()).taken
    };
    assert_eq!(amp(json!({ "cmd": "git status", "command": "rm -rf build" })), Some(Deny));
    assert_eq!(amp(json!({ "cmd": "", "command": "rm -rf build" })), Some(Deny));
    assert_eq!(amp(json!({ "command": "git status" })), Some(Allow));
}

#[test]
fn a_patch_behind_a_move_is_for_any_folder() {
    let hook = Hook::new(POLICY);
    let bash = |command: &str| {
        let event = json!({ "cwd": "/nowhere/project", "hook_event_name": "PreToolUse", "tool_name": "Bash",
            "tool_input": { "command": command } });
        hook.send(protocol("codex"), &event.to_string()).taken
    };
    let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: key\n+x\n*** End Patch\nEOF";
    assert_eq!(bash(&format!("cd secrets && {patch}")), Some(Deny));
    assert_eq!(bash(patch), Some(Allow));
}

#[test]
fn a_repository_within_another_moves_no_rule() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("pkg/secrets")).unwrap();
    std::fs::create_dir(root.join(".git")).unwrap();
    let policy = "agent a { mode primary; allow *; deny edit \"pkg/secrets/*\" }\n";
    let event = json!({ "cwd": root.join("pkg"), "hook_event_name": "PreToolUse", "tool_name": "apply_patch",
        "tool_input": { "command": "*** Begin Patch\n*** Add File: secrets/key\n+x\n*** End Patch\n" } });
    let taken = || Hook::new(policy).nowhere().send(protocol("codex"), &event.to_string()).taken;
    assert_eq!(taken(), Some(Deny));
    std::fs::write(root.join("pkg/.git"), "").unwrap();
    assert_eq!(taken(), Some(Deny));
}

#[test]
fn a_call_that_takes_too_long_to_follow_is_refused() {
    let hook = Hook::new(POLICY);
    let deep = "a/".repeat(3_000);
    let writes: String = (0..400).map(|n| format!(">{n};")).collect();
    let line = format!("{}{writes}rm -rf build", format!("cd {deep}; ").repeat(4));
    assert_eq!(hook.call("Bash", json!({ "command": line })).taken, Some(Deny));
    let patch: String = (0..30).map(|n| format!("*** Add File: {deep}{n}\n+x\n")).collect();
    let event = json!({ "cwd": "/nowhere/project", "hook_event_name": "PreToolUse", "tool_name": "apply_patch",
        "tool_input": { "command": format!("*** Begin Patch\n{patch}*** End Patch\n") } });
    assert_eq!(hook.send(protocol("codex"), &event.to_string()).taken, Some(Deny));
}
