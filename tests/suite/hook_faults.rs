//! Hooks as processes: faults of the policy, the event, the log and the command line are refusals, and nothing is lost.

use crate::support::hook::protocol;
use policyc::rule::Action::{self, Allow, Deny};
use policyc::runtimes::PROTOCOLS;
use policyc::runtimes::protocol::{Answer, Protocol};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const POLICY: &str = "agent a { mode primary; allow *; deny bash \"rm *\"; deny read \".env\" }\n";

fn start(folder: &Path, runtime: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    command.args(["hook", runtime]).args(arguments).current_dir(folder).env("AGENT_TOOL_NAME", "Bash");
    for variable in ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "CURSOR_PROJECT_DIR"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn end(mut child: Child, event: &[u8]) -> Answer {
    let mut pipe = child.stdin.take().unwrap();
    let event = event.to_owned();
    // A hook that refuses before it has read all closes the pipe.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&event)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Answer {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap().try_into().unwrap(),
    }
}

fn run(folder: &Path, runtime: &str, arguments: &[&str], event: &[u8]) -> Answer {
    end(start(folder, runtime, arguments), event)
}

fn taken(protocol: &dyn Protocol, answer: &Answer) -> Option<Action> {
    assert!(!answer.stderr.contains("panicked"), "{}", answer.stderr);
    protocol.understood(None, answer)
}

/// A call of a shell in Claude Code's words.
fn bash(folder: &Path, command: &str) -> Vec<u8> {
    let event = json!({
        "hook_event_name": "PreToolUse", "session_id": "s", "cwd": folder.to_str().unwrap(),
        "tool_name": "Bash", "tool_input": { "command": command },
    });
    event.to_string().into_bytes()
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.policy"), POLICY).unwrap();
    folder
}

#[test]
fn whatever_fails_is_refused_in_the_runtimes_own_way() {
    let folder = folder();
    let at = folder.path();
    std::fs::write(at.join("wrong.policy"), "agent a { mode primary; allow }\n").unwrap();
    std::fs::write(at.join("binary.policy"), [0xff, 0xfe, 0, 1]).unwrap();
    std::fs::write(at.join("nobody.policy"), "agent a { mode subagent; allow * }\n").unwrap();
    std::fs::create_dir(at.join("empty")).unwrap();
    let faults: [(&[&str], Option<&str>); 12] = [
        (&["--policy", "no-such.policy"], None),
        (&["--policy", "wrong.policy"], None),
        (&["--policy", "binary.policy"], None),
        (&["--policy", "nobody.policy"], None),
        (&["--policy", "empty"], None),
        (&["--policy", "-"], None),
        (&[], None),
        (&["--policy", "a.policy", "--agent", "ghost"], None),
        (&["--policy", "a.policy", "--no-such-option"], None),
        (&["--policy", "a.policy"], Some("{\"tool_name\":")),
        (&["--policy", "a.policy"], Some("")),
        (&["--policy", "a.policy"], Some("\u{feff}nonsense")),
    ];
    for protocol in PROTOCOLS {
        let sample = protocol.samples().iter().find(|sample| sample.gives == Allow).unwrap();
        for (arguments, event) in faults {
            let answer = run(at, protocol.name(), arguments, event.unwrap_or(sample.event).as_bytes());
            assert_eq!(taken(protocol, &answer), Some(Deny), "{} {arguments:?} {event:?}: {answer:?}", protocol.name());
            assert!(answer.stderr.contains("policyc: refused"), "{answer:?}");
        }
        let unread = run(at, protocol.name(), &["--policy", "a.policy"], &[b'"', 0xff, b'"']);
        assert_eq!(taken(protocol, &unread), Some(Deny));
        let deep = "[".repeat(100_000);
        assert_eq!(taken(protocol, &run(at, protocol.name(), &["--policy", "a.policy"], deep.as_bytes())), Some(Deny));
    }
    let unknown = run(at, "nonesuch", &["--policy", "a.policy"], b"{}");
    assert!(unknown.code == 2 && unknown.stderr.contains("no hook of a runtime `nonesuch` is known"), "{unknown:?}");
}

#[test]
fn commands_of_ten_megabytes_and_lines_of_thousands_are_judged_at_once() {
    let folder = folder();
    let claude = protocol("claude-code");
    let started = Instant::now();
    let many: Vec<String> = (0..4_000).map(|n| format!("a{n} x")).collect();
    let many = format!("{}; rm x", many.join(";").chars().take(32_000).collect::<String>());
    for command in ["git ".to_owned() + &"x".repeat(10_000_000), "a;".repeat(5_000_000), "(".repeat(10_000_000), many] {
        let answer = run(folder.path(), "claude-code", &["--policy", "a.policy"], &bash(folder.path(), &command));
        assert_eq!(claude.understood(None, &answer), Some(Deny));
        assert!(answer.stdout.len() < 2_000, "the command is not said again");
    }
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[test]
fn an_event_without_end_is_refused() {
    let folder = folder();
    let event = bash(folder.path(), &"x".repeat(65 * 1024 * 1024));
    let answer = run(folder.path(), "claude-code", &["--policy", "a.policy"], &event);
    assert_eq!((answer.code, answer.stderr.as_str()), (2, "policyc: refused, the event is larger than 64 MiB\n"));
}

#[test]
fn a_log_that_cannot_be_written_changes_no_decision() {
    let folder = folder();
    let at = folder.path();
    let claude = protocol("claude-code");
    let logs = if cfg!(target_os = "linux") { vec![".", "no/such/log", "/dev/full"] } else { vec![".", "no/such/log"] };
    for log in logs {
        for (command, action) in [("ls", Allow), ("rm x", Deny)] {
            let answer = run(at, "claude-code", &["--policy", "a.policy", "--log", log], &bash(at, command));
            assert_eq!((answer.code, claude.understood(None, &answer)), (0, Some(action)), "{log}");
            assert!(answer.stderr.starts_with("warning: the log `"), "{answer:?}");
        }
    }
}

#[test]
fn the_log_tells_decisions_and_refusals_without_secrets() {
    let folder = folder();
    let at = folder.path();
    let log = ["--policy", "a.policy", "--log", "log"];
    run(at, "claude-code", &log, &bash(at, "curl -H 'Authorization: Bearer 0123456789abcdef0123456789abcdef' x"));
    run(at, "claude-code", &log, &bash(at, "rm x\nrm y"));
    run(at, "claude-code", &log, b"{");
    let text = std::fs::read_to_string(at.join("log")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schema: Value = serde_json::from_str(include_str!("../../docs/schema/hook-log.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in &lines {
        assert!(schema.is_valid(line), "{line}");
    }
    let short = |line: &Value| {
        [&line["action"], &line["answer"], &line["agent"], &line["resource"], &line["error"]]
            .map(Value::to_string)
            .join(" ")
    };
    assert_eq!(
        lines.iter().map(short).collect::<Vec<_>>(),
        [
            "\"allow\" \"allow\" \"a\" \"curl -H 'Authorization: Bearer 0123***' x\" null",
            "\"deny\" \"deny\" \"a\" \"rm x\" null",
            "\"deny\" \"deny\" null null \"the event is no JSON: EOF while parsing an object at line 1 column 1\"",
        ]
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(at.join("log")).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn two_hundred_at_once_write_whole_lines() {
    let folder = folder();
    let at = folder.path();
    let all: Vec<(u32, Child)> =
        (0..200).map(|n| (n, start(at, "claude-code", &["--policy", "a.policy", "--log", "log"]))).collect();
    for (n, child) in all {
        let command = if n % 2 == 0 { format!("ls {n}") } else { format!("rm {n}") };
        let answer = end(child, &bash(at, &command));
        let action = protocol("claude-code").understood(None, &answer);
        assert_eq!(action, Some(if n % 2 == 0 { Allow } else { Deny }), "{answer:?}");
    }
    let text = std::fs::read_to_string(at.join("log")).unwrap();
    let mut seen: Vec<String> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["resource"].as_str().unwrap().to_owned())
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 200);
}

#[test]
fn the_self_test_fails_where_a_policy_cannot_be_judged_by() {
    let folder = folder();
    let own = run(folder.path(), "gemini", &["--selftest"], b"");
    assert_eq!(own.code, 0, "{}", own.stdout);
    let given = run(folder.path(), "gemini", &["--selftest", "--policy", "a.policy"], b"");
    assert_eq!(given.code, 0, "{}", given.stdout);
    let missing = run(folder.path(), "gemini", &["--selftest", "--policy", "no-such.policy"], b"");
    assert_eq!(missing.code, 2);
}

/// Arguments need not be texts, and a command line is a hook's only if its verb is.
#[cfg(unix)]
#[test]
fn only_a_hook_that_is_called_wrongly_refuses() {
    use std::os::unix::ffi::OsStrExt;
    let run = |arguments: &[&[u8]]| {
        let arguments = arguments.iter().map(|argument| std::ffi::OsStr::from_bytes(argument));
        let output = Command::new(env!("CARGO_BIN_EXE_policyc")).args(arguments).stdin(Stdio::null()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for refused in [
        &[&b"hook"[..], b"codex", b"--policy", b"a\xff", b"--bogus"][..],
        &[b"hook", b"codex", b"--agent", b"\xff"],
        &[b"\xff", b"hook", b"codex"],
        &[b"--color", b"never", b"hook", b"codex", b"--bogus"],
        &[b"--color=never", b"hook", b"codex", b"--bogus"],
    ] {
        let (code, told) = run(refused);
        assert_eq!(code, Some(2), "{told}");
        assert_eq!(told.contains("policyc: refused, the hook is called wrongly"), refused[0] != b"\xff", "{told}");
    }
    for wrong in [
        &[&b"check"[..], b"hook", b"--bogus", b"codex"][..],
        &[b"hook", b"codex", b"--selftest", b"--log", b"x"],
        &[b"hook", b"codex", b"--selftest", b"--event", b"x"],
    ] {
        let (code, told) = run(wrong);
        assert!(code == Some(2) && told.starts_with("error: ") && !told.contains("refused"), "{told}");
    }
}

/// An answer that nobody can read is none.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_standard_output_is_a_refusal() {
    let folder = folder();
    std::fs::write(folder.path().join("event.json"), bash(folder.path(), "ls")).unwrap();
    let program = env!("CARGO_BIN_EXE_policyc");
    let line = format!("'{program}' hook claude-code --policy a.policy --event - <event.json");
    let run = |line: &str| Command::new("sh").args(["-c", line]).current_dir(folder.path()).output().unwrap();
    assert_eq!(run(&line).status.code(), Some(0));
    let closed = run(&format!("{line} >&-"));
    let told = String::from_utf8_lossy(&closed.stderr);
    assert!(closed.status.code() == Some(2) && told.contains("standard output is closed"), "{told}");
}
