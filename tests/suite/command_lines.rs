//! Command lines: whatever the text, they are taken apart or refused, and never more is claimed than is in the text.

use policyc::runtimes::opencode::OpenCode;
use policyc::runtimes::{Asks, Runtime, UnaskedKind};
use policyc::shell::{self, LONGEST, Line, Refused};
use proptest::prelude::*;
use serde_json::json;

fn asks(command: &str) -> Result<Asks, String> {
    OpenCode.asks("bash", &json!({ "command": command }), OpenCode::one(), None)
}

fn asked(command: &str) -> Vec<String> {
    asks(command).unwrap().requests.into_iter().map(|request| request.resource).collect()
}

fn unasked(command: &str) -> Vec<(String, &'static str)> {
    asks(command).unwrap().unasked.into_iter().map(|part| (part.text, part.what.word())).collect()
}

/// Every span of a line, also in its scripts, lies in its text and on the borders of characters.
fn spans_hold(line: &Line) {
    let words = line.commands.iter().flat_map(|command| command.words.iter().map(|word| &word.span));
    let commands = line.commands.iter().flat_map(|command| command.wrapped.iter().chain([&command.span]));
    let redirections = line.redirections.iter().map(|one| &one.span);
    let pieces = line.pieces.iter().map(|piece| &piece.span);
    for span in words.chain(commands).chain(redirections).chain(pieces).chain(&line.error) {
        assert!(line.text.get(span.clone()).is_some(), "{span:?} of {:?}", line.text);
    }
    for one in &line.redirections {
        assert!(one.command.is_none_or(|command| command < line.commands.len()));
    }
    line.scripts.iter().filter_map(|script| script.line.as_ref()).for_each(spans_hold);
}

fn pieces() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "rm", "cd", "x", "'q'", "\"$y\"", "$(", ")", "`", "<<E", "\nE\n", "> f", ">&2", "<(", "{", "}", ";", "&&", "|",
        "\n", "if", "then", "fi", "((", "))", "[[", "]]", "case", "in", "esac", "bash -c", "eval", "A=1", "é", "😀",
        "\\", "#", "<<<", "export", "\t", "${", "$'", "&>", "!", "function", "for", "do", "done", "'", "\"",
    ]);
    prop::collection::vec(words, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn any_text_is_taken_apart_or_refused(text in prop_oneof![pieces(), any::<String>()]) {
        if let Ok(line) = shell::parse(&text) {
            spans_hold(&line);
            let asks = asks(&text).unwrap();
            prop_assert!(asks.requests.iter().all(|request| text.contains(&request.resource)));
            prop_assert!(asks.unasked.iter().all(|part| text.contains(&part.text)));
        }
        let _ = shell::writes(&text);
    }
}

#[test]
fn deep_and_long_lines_end() {
    let deep = |open: &str, middle: &str, close: &str, times: usize| open.repeat(times) + middle + &close.repeat(times);
    let texts = [
        deep("$(", "rm x", ")", 10_000),
        "$(".repeat(10_000),
        "(".repeat(30_000),
        ")".repeat(5_000),
        deep("{ ", "rm x", "; }", 5_000),
        "`".repeat(20_001),
        "\"$(".repeat(10_000),
        "<<E ".repeat(2_000),
        "if ".repeat(10_000),
        "a | ".repeat(1_500),
        "rm x; ".repeat(5_000),
        "\\".repeat(30_000),
        "${x:-".repeat(6_000),
        "eval ".repeat(2_000),
        "é".repeat(10_000),
    ];
    for text in texts {
        match shell::parse(&text) {
            Ok(line) => spans_hold(&line),
            Err(refused) => assert!(matches!(refused, Refused::TooHard(_)), "{refused}"),
        }
    }
    let long = "rm x; ".repeat(200_000);
    assert_eq!(shell::parse(&long), Err(Refused::TooLong(long.len())));
    assert!(shell::parse(&"a".repeat(LONGEST)).is_ok());
    let error = asks(&long).unwrap_err();
    assert_eq!(error, "the command line has 1200000 bytes, and no more than 32768 are taken apart");
    assert_eq!(
        asks("a\0").unwrap_err(),
        "the command line holds a NUL character (byte 1), and no shell is started with one"
    );
}

#[test]
fn what_is_asked_is_the_text_as_typed_and_once() {
    assert_eq!(asked("  rm  -rf\tx ; rm -rf y; rm -rf y"), ["rm  -rf\tx", "rm -rf y"]);
    assert_eq!(asked("a > f 2>&1"), ["a > f 2>&1"]);
    assert_eq!(asked("a && b > f"), ["a", "b"]);
    assert_eq!(asked("cat <<E\n$(rm x)\nE\n"), ["cat <<E\n$(rm x)\nE", "rm x"]);
    assert_eq!(asked("X=1 cd src; CD src; \"cd\" src"), ["CD src", "\"cd\" src"]);
    assert_eq!(asked("a\u{a0}"), ["a"]);
    assert_eq!(asked(""), [""; 0]);
}

#[test]
fn what_is_asked_by_nobody() {
    assert_eq!(unasked("rm x > y; X=1 rm z"), []);
    assert_eq!(unasked("a && b > f"), [("> f".into(), "redirection")]);
    assert_eq!(
        unasked("cd src > f; A=1; export B=2; [ -f c ]; ((d++)); (e; g) <<E\nh\nE"),
        [
            ("cd src > f".into(), "command"),
            ("A=1".into(), "assignment"),
            ("export B=2".into(), "declaration"),
            ("[ -f c ]".into(), "test"),
            ("((d++))".into(), "test"),
            ("<<E\nh\nE".into(), "redirection"),
        ]
    );
    assert_eq!(unasked("cat <<'M' 2>&1 | rm x\nM"), [("|".into(), "unreadable")]);
    assert_eq!(asks("a 'b").unwrap().unasked.last().map(|part| part.what), Some(UnaskedKind::Unreadable));
}

#[test]
fn folders_that_cannot_be_told_are_said() {
    for command in ["cat /etc/x", "rm ../x", "cd ~", "cd \"/tmp\"", "cp a ~/b", "mkdir src/../../x"] {
        assert!(asks(command).unwrap().open.is_some(), "{command}");
    }
    for command in
        ["cat src/x", "ls /etc", "rm -rf ./x", "cat $HOME/x", "chmod 755 x", "rm 2>/dev/null", "cd a/../b", "cat *"]
    {
        assert_eq!(asks(command).unwrap().open, None, "{command}");
    }
    let second = OpenCode.asks("shell", &json!({ "command": "cat /etc/x" }), OpenCode::two(), None).unwrap();
    assert_eq!((second.open, second.requests.len()), (None, 1));
}
