//! Scripts of sessions, run: those under `policies/examples/sessions/`, and the examples of `docs/sessions.md`.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn simulate(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    command.arg("simulate").args(args).current_dir(folder).env("NO_COLOR", "1").output().unwrap()
}

fn shown(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("panicked"), "{error}");
    let code = output.status.code().unwrap();
    let code = if code == 0 { String::new() } else { format!("exit code {code}\n") };
    format!("{}{error}{code}", String::from_utf8_lossy(&output.stdout))
}

#[test]
fn the_flows_of_the_examples() {
    let folder = Path::new("policies/examples/sessions");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut scripts: Vec<String> = names.filter(|name| name.ends_with(".jsonl")).collect();
    scripts.sort();
    assert!(scripts.len() >= 8, "{scripts:?}");
    for script in scripts {
        let text = std::fs::read_to_string(folder.join(&script)).unwrap();
        let head = text.lines().next().unwrap().strip_prefix("# policyc simulate ").unwrap();
        let args: Vec<&str> = head.split(' ').collect();
        assert!(args.ends_with(&["--script", &script]), "{script} says how it is run");
        let output = simulate(folder, &args);
        assert!(output.status.success(), "{script}: {}", shown(&output));
        insta::assert_snapshot!(script.trim_end_matches(".jsonl"), shown(&output), head);
    }
}

#[test]
fn every_script_leaves_a_log_that_can_be_taken_up() {
    let folder = Path::new("policies/examples/sessions");
    let temporary = tempfile::tempdir().unwrap();
    for (policy, script) in [("asks.policy", "asks.jsonl"), ("switches.policy", "plan-switch.jsonl")] {
        let log = simulate(folder, &[policy, "--script", script, "--format", "json"]).stdout;
        let path = temporary.path().join(script);
        std::fs::write(&path, &log).unwrap();
        let more = temporary.path().join("more.jsonl");
        std::fs::write(&more, "{\"do\":\"prompt\",\"text\":\"go on\"}\n").unwrap();
        let args = [policy, "--resume", path.to_str().unwrap(), "--script", more.to_str().unwrap(), "--format", "json"];
        let output = simulate(folder, &args);
        let text = shown(&output);
        assert!(output.status.success(), "{text}");
        let first = format!("{{\"id\":{},", log.iter().filter(|byte| **byte == b'\n').count());
        assert!(text.starts_with(&first) && text.contains("\"resumed\""), "it goes on where the log ends: {text}");
    }
}

/// A page with blocks of `policy`, `jsonl` and `text`, each of the last what the two before it give.
#[test]
fn examples_of_the_page_are_true() {
    let path = Path::new("docs/sessions.md");
    let page = std::fs::read_to_string(path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (mut new, mut rest, mut tried) = (String::new(), page.as_str(), 0);
    while let Some((before, after)) = rest.split_once("\n```") {
        let (language, after) = after.split_once('\n').unwrap();
        let (block, after) = after.split_once("```\n").unwrap();
        let mut block = block.to_owned();
        match language {
            "policy" => std::fs::write(folder.path().join("team.policy"), &block).unwrap(),
            "jsonl" => std::fs::write(folder.path().join("script.jsonl"), &block).unwrap(),
            "text" => {
                block = shown(&simulate(folder.path(), &["team.policy", "--script", "script.jsonl"]));
                tried += 1;
            }
            _ => {}
        }
        new.push_str(&format!("{before}\n```{language}\n{block}```\n"));
        rest = after;
    }
    new.push_str(rest);
    assert!(tried > 2, "{tried} examples");
    if std::env::var("TRYCMD").is_ok_and(|value| value == "overwrite") {
        std::fs::write(path, &new).unwrap();
    }
    assert!(page == new || std::env::var_os("TRYCMD").is_some(), "run the tests with TRYCMD=overwrite");
}

/// Types lines, and gives what came of them.
fn typed(args: &[&str], lines: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    command.arg("simulate").args(args).current_dir("policies/examples/sessions").env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let lines = lines.to_owned();
    // Who reads no more has seen enough.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&lines)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

#[test]
fn commands_are_typed() {
    let lines = "agents\nselect build\ntools\nask bash make\nwaiting\nonce\nask bash make\nreject not now\nsessions\n\
                 call plan_enter {}\nyes\nask edit src/a.rs\nback 3\nfork\nopen b\nin b\n@plan hello\n\
                 {\"do\":\"resume\"}\nquit\nnever read\n";
    let output = typed(&["switches.policy"], lines.as_bytes());
    assert!(output.status.success(), "{}", shown(&output));
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn what_is_typed_wrong_is_told_with_its_line() {
    let lines = b"dance\nagnets\nselect plna\ncall edit {\nask bash\nback x\nback 99\nonce\nin nowhere\n{\"do\":\"dance\"}\nrun ls\n\
                  open a/b\nanswer 1 once\n\xff\xfe\nanswer\nbakc 3\noffer\nselect\nback\nopen\nin\ncall\nprompt\n\
                  ask edit a\nhelp\n";
    let output = typed(&["switches.policy"], lines);
    assert_eq!(output.status.code(), Some(2));
    insta::assert_snapshot!(shown(&output));
}

#[test]
fn bad_scripts_change_nothing_and_name_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let long =
        format!("{{\"do\":\"call\",\"tool\":\"bash\",\"input\":{{\"command\":\"{}\"}}}}\n", "x".repeat(10 << 20));
    let request = format!(
        "{{\"do\":\"call\",\"requests\":[{{\"permission\":\"edit\",\"resource\":\"{}\"}}]}}\n",
        "x".repeat(10 << 20)
    );
    let deep = format!("{{\"do\":\"call\",\"tool\":\"x\",\"input\":{}}}\n", "[".repeat(100_000));
    let two = "{\"do\":\"answer\",\"answer\":[\"once\",\"always\"]}\n";
    let asked = "{\"do\":\"call\",\"tool\":\"bash\",\"input\":{\"command\":\"ls\"}}\n";
    let once = "{\"do\":\"answer\",\"answer\":\"once\"}\n";
    for (script, code, words) in [
        (long.as_str(), 2, "script.jsonl:1: the command line has 10485760 bytes"),
        (&request, 0, "call 2 runs"),
        (&deep, 2, "script.jsonl:1: it is no act: recursion limit exceeded"),
        (&format!("\n{two}"), 2, "script.jsonl:2: it is no act"),
        (&format!("{asked}{once}{once}"), 2, "script.jsonl:3: no request waits for an answer"),
        ("{\"do\":\"call\"}\n", 2, "script.jsonl:1: a call has a `tool`, or `requests`"),
        (
            "{\"do\":\"call\",\"tool\":\"read\",\"input\":7}\n",
            2,
            "script.jsonl:1: a call of `read` has a text in `filePath`",
        ),
        ("{\"do\":\"call\",\"tool\":\"nothing\"}\n", 0, "the session has no tool `nothing`"),
        ("{\"do\":\"open\",\"session\":\"main\"}\n", 2, "script.jsonl:1: a session `main` began before"),
        ("{\"do\":\"select\",\"agent\":\"build\",\"session\":\"z\"}\n", 2, "script.jsonl:1: there is no session `z`"),
        ("not json\n", 2, "script.jsonl:1: it is no act"),
    ] {
        let path = folder.path().join("script.jsonl");
        std::fs::write(&path, script).unwrap();
        let output =
            simulate(Path::new("policies/examples/sessions"), &["asks.policy", "--script", path.to_str().unwrap()]);
        let text = shown(&output);
        assert!(
            output.status.code() == Some(code) && text.contains(words),
            "{words}: {}",
            &text[..text.len().min(3000)]
        );
        assert!(text.len() < 10_000, "{} bytes are told of {words}", text.len());
    }
    let both = simulate(Path::new("policies/examples/sessions"), &["-", "--script", "-"]);
    assert!(shown(&both).contains("standard input cannot be two things at once"));
}

/// What is looked at is no part of the log, and what comes new is appended to it.
#[test]
fn a_typed_session_leaves_a_log_that_can_be_taken_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let mut log = Vec::new();
    for round in 0..3 {
        std::fs::write(&path, &log).unwrap();
        let resume = ["--resume", path.to_str().unwrap()];
        let args =
            [&["switches.policy", "--format", "json"][..], if round == 0 { &[][..] } else { &resume[..] }].concat();
        let lines = b"select build\nask bash make\nwaiting\nonce\nagents\ntools\nsessions\nask edit a\n";
        let output = typed(&args, lines);
        assert!(output.status.success(), "{}", shown(&output));
        assert!(String::from_utf8_lossy(&output.stderr).contains("main  build"));
        log.extend(output.stdout);
    }
    let text = String::from_utf8(log).unwrap();
    for (number, line) in text.lines().enumerate() {
        assert!(line.starts_with(&format!("{{\"id\":{number},")), "{line}");
    }
    assert_eq!(text.matches("\"resumed\"").count(), 2);
}

/// A policy may call its answers whatever it likes.
#[test]
fn what_waits_is_answered_before_a_command_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.policy");
    let policy = "permission go { tools go; resource none }\n\
        switch go { from one; to two; confirm \"Go?\"; answers run, wait, quit }\n\
        agent one { mode primary; allow * }\nagent two { mode primary; allow * }\n";
    std::fs::write(&path, policy).unwrap();
    for (word, end) in
        [("run", "agent two, by the switch"), ("wait later", "is rejected, \"later\""), ("quit", "the turn ends")]
    {
        let output = typed(&[path.to_str().unwrap()], format!("call go\n{word}\n").as_bytes());
        assert!(output.status.success() && shown(&output).contains(end), "{word}: {}", shown(&output));
    }
}

#[test]
fn going_back_leaves_a_session_that_has_not_begun() {
    let output = typed(&["switches.policy"], b"select build\nopen two\nin two\nback 1\nask edit a\n");
    assert!(output.status.success() && shown(&output).contains("main  build asks for edit"), "{}", shown(&output));
}
