//! Bad input, through the program: a clear error, a place, the exit code, and never a panic.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs policyc in a folder with these files.
fn run(files: &[(&str, &[u8])], args: &[&str], stdin: Option<&[u8]>) -> Output {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    run_in(folder.path(), args, stdin)
}

fn run_in(folder: &Path, args: &[&str], stdin: Option<&[u8]>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    command.args(args).current_dir(folder).env("NO_COLOR", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let text = stdin.unwrap_or_default().to_owned();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&text)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// What was said, and the exit code.
fn said(output: &Output) -> (String, Option<i32>) {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!text.contains("panicked"), "{text}");
    (text, output.status.code())
}

#[track_caller]
fn expect(files: &[(&str, &[u8])], args: &[&str], code: i32, words: &[&str]) {
    let (text, exit) = said(&run(files, args, None));
    assert_eq!(exit, Some(code), "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is missing:\n{text}");
    }
}

#[test]
fn what_cannot_be_read() {
    expect(&[], &["check", "no.policy"], 2, &["PC1002", "`no.policy` does not exist"]);
    expect(&[("a/b.policy", b"")], &["check", "a/b.policy/c"], 2, &["PC1002"]);
    expect(&[("a.policy", b"agent \xff\xfe {}\n")], &["check", "a.policy"], 2, &["not UTF-8", "offset 6", "line 1"]);
    expect(&[("a.policy", b"agent a\0b {}\n")], &["check", "a.policy"], 2, &["PC1001", "a.policy:1:"]);
    expect(
        &[("opencode.json", b"{ \"permission\": ")],
        &["check", "opencode.json"],
        2,
        &["PC1001", "opencode.json:1:"],
    );
    expect(&[("x.md", b"---\npermission: [\n---\n")], &["check", "x.md"], 1, &["PC1004", "x.md:2:"]);
}

#[test]
fn what_is_found_in_a_folder_and_cannot_be_read_is_a_finding() {
    let files: &[(&str, &[u8])] =
        &[("bad.policy", b"agent {"), ("good.policy", b"agent a { mode primary; allow edit }\n")];
    expect(files, &["check"], 1, &["PC1001", "bad.policy:1:", "sources read: bad.policy, good.policy"]);
    expect(files, &["check", "bad.policy"], 2, &["PC1001"]);
}

#[test]
fn verbs_that_answer_by_a_broken_policy_refuse() {
    let files: &[(&str, &[u8])] = &[("bad.policy", b"agent a { mode primary\n  deny edit secrets\n}\n")];
    for verb in ["flatten", "decide"] {
        let mut args = vec![verb, "bad.policy"];
        args.extend(["edit", "x"].iter().filter(|_| verb == "decide"));
        let output = run(files, &args, None);
        let (text, code) = said(&output);
        assert_eq!(code, Some(2), "{text}");
        assert!(output.stdout.is_empty() && text.contains("PC1013"), "{text}");
    }
}

#[test]
fn nothing_at_all() {
    expect(&[], &["check"], 2, &["there is no `*.policy`", "`.`"]);
    expect(&[("empty.policy", b"")], &["check", "empty.policy"], 0, &["nothing found"]);
    expect(&[("a/.keep", b"")], &["decide", "a", "edit", "x"], 2, &["no policy and no config"]);
    expect(&[("a.policy", b""), ("b.policy", b"")], &["decide", ".", "edit", "x"], 2, &["2 policies"]);
}

#[test]
fn depth_and_length() {
    let deep = format!("{}{}", "{ \"a\": ".repeat(200_000), "}".repeat(200_000));
    expect(&[("opencode.json", deep.as_bytes())], &["check", "opencode.json"], 2, &["opencode.json:1:"]);
    let brackets = format!("let a = {}", "[".repeat(200_000));
    expect(&[("a.policy", brackets.as_bytes())], &["check", "a.policy"], 2, &["PC1001"]);
    let long = format!("agent a {{ mode primary; allow bash \"{}\" }}\n", "x".repeat(50_000));
    let (text, code) = said(&run(&[("a.policy", long.as_bytes())], &["check", "a.policy"], None));
    assert!(code.is_some_and(|code| code < 3), "{text}");
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!(widest < 400, "a line of {widest} characters reached the screen");
}

#[test]
fn too_large() {
    let folder = tempfile::tempdir().unwrap();
    let file = std::fs::File::create(folder.path().join("large.policy")).unwrap();
    file.set_len(40 * 1024 * 1024).unwrap();
    let (text, code) = said(&run_in(folder.path(), &["check", "large.policy"], None));
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("larger than 32 MiB"), "{text}");
}

#[test]
fn circles_of_files_and_folders() {
    let files: &[(&str, &[u8])] = &[("a.policy", b"use \"b.policy\"\n"), ("b.policy", b"use \"a.policy\"\n")];
    expect(files, &["check"], 1, &["PC1016", "a.policy -> b.policy -> a.policy"]);
    expect(&[("a.policy", b"use \"a.policy\"\n")], &["check", "a.policy"], 1, &["PC1016"]);
}

#[cfg(unix)]
#[test]
fn links_in_circles_and_pipes() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(".", folder.path().join("again")).unwrap();
    std::fs::write(folder.path().join("a.policy"), "agent a { mode primary; allow edit }\n").unwrap();
    let (text, code) = said(&run_in(folder.path(), &["check"], None));
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("sources read: a.policy"), "{text}");
    let (text, code) = said(&run_in(folder.path(), &["check", "/dev/zero"], None));
    assert_eq!(code, Some(2), "{text}");
}

#[test]
fn standard_input() {
    let (text, code) = said(&run(&[], &["check", "-"], Some(b"agent a { mode primary\n dney edit }\n")));
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("<stdin>:2:2") && text.contains("did you mean `deny`?"), "{text}");
    let output = run(&[], &["fmt", "-"], Some(b"agent a{mode primary}"));
    assert_eq!(output.stdout, b"agent a { mode primary }\n", "{output:?}");
    let output = run(
        &[("a.policy", b"agent a { mode primary; allow edit }\n")],
        &["decide", "a.policy", "--calls", "-", "--format", "json"],
        Some(b"{\"permission\":\"edit\",\"resource\":\"x\"}\nnonsense\n\n{\"tool\":\"edit\"}\n"),
    );
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<serde_json::Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // An answer a line: an empty one is answered too.
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["action"], "allow");
    assert!(lines[1..].iter().all(|line| line["error"].is_string()));
    assert!(lines[1..].iter().zip(2..).all(|(line, number)| line["line"] == number));
}

#[test]
fn settings_that_are_wrong() {
    let policy: (&str, &[u8]) = ("a.policy", b"agent a { mode primary; allow edit }\n");
    expect(
        &[policy, ("policyc.toml", b"polices = [\"x\"]\n")],
        &["check"],
        0,
        &["PC1005", "policyc.toml:1:1", "`policies`"],
    );
    expect(&[policy, ("policyc.toml", b"policies = [\n")], &["check"], 2, &["PC1001", "policyc.toml:1:"]);
    expect(&[policy, ("policyc.toml", b"exclude = [\"[\"]\n")], &["check"], 2, &["`[` is no glob"]);
    expect(&[policy, ("policyc.toml", b"exclude = [\"*.policy\"]\n")], &["check"], 2, &["there is no"]);
    expect(&[policy, ("policyc.toml", b"[lint]\nPC9999 = \"off\"\n")], &["check"], 0, &["PC1005", "policyc.toml:2:1"]);
}

#[test]
fn a_reader_that_goes_away() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_policyc"))
        .args(["explain", "--list"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn the_same_bytes_again() {
    let policy: &[u8] = b"layer user { deny bash \"rm *\"; allow bash; allow edit; allow edit \"x\" }\nagent b { mode primary }\nagent a\n";
    let once = || run(&[("a.policy", policy), ("b.policy", policy)], &["check", "--format", "json"], None).stdout;
    assert_eq!(once(), once());
    assert!(!once().is_empty());
}

#[test]
fn a_page_by_code_or_by_name() {
    let page = |name: &str| String::from_utf8(run(&[], &["explain", name], None).stdout).unwrap();
    assert!(page("PC0501").starts_with("# PC0501 unknown-agent\n"));
    assert_eq!(page("pc0501"), page("unknown-agent"));
}
