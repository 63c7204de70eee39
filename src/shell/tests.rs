use super::*;

fn commands(text: &str) -> Vec<String> {
    let line = parse(text).unwrap();
    line.commands
        .iter()
        .map(|command| line.slice(command.wrapped.as_ref().unwrap_or(&command.span)).to_owned())
        .collect()
}

#[test]
fn simple_commands_however_deep() {
    assert_eq!(commands("a; b && c | d &"), ["a", "b", "c", "d"]);
    assert_eq!(commands("for i in $(a); do b \"$i\"; done"), ["a", "b \"$i\""]);
    assert_eq!(commands("f() { x; }; cat <(y `z`)"), ["x", "cat <(y `z`)", "y `z`", "z"]);
    assert_eq!(commands("cat <<E > f\n$(rm x)\nE"), ["cat <<E > f\n$(rm x)\nE", "rm x"]);
    assert_eq!(commands("cat <<'E'\n$(rm x)\nE"), ["cat <<'E'\n$(rm x)\nE"]);
    assert_eq!(commands("X=1 rm y; [[ -f z ]]; export A=1; > w; # v"), ["X=1 rm y"]);
    assert_eq!(commands(""), [""; 0]);
}

#[test]
fn a_redirection_of_a_list_belongs_to_no_command() {
    let line = parse("a && b > f; c 2>&1 >> g < h").unwrap();
    let kinds: Vec<_> = line.redirections.iter().map(|one| (one.kind, one.target.as_deref(), one.command)).collect();
    assert_eq!(
        kinds,
        [
            (RedirectionKind::Write, Some("f"), None),
            (RedirectionKind::Duplicate, None, Some(2)),
            (RedirectionKind::Append, Some("g"), Some(2)),
            (RedirectionKind::Read, Some("h"), Some(2)),
        ]
    );
}

#[test]
fn targets_where_they_are_in_the_text() {
    let target = |text: &str| parse(text).unwrap().redirections.remove(0).target;
    assert_eq!(target("> 'a b'"), Some("a b".into()));
    assert_eq!(target("> \"a\\\"b\""), Some("a\"b".into()));
    assert_eq!(target(">a\\ b"), Some("a b".into()));
    assert_eq!(target(">'a'b\"c\""), Some("abc".into()));
    assert_eq!(target("> $x"), None);
    assert_eq!(target("> a$(b)"), None);
    assert_eq!(target("a <<< b"), Some("b".into()));
    assert_eq!(target("a &>> b"), Some("b".into()));
}

#[test]
fn heredocs_quoted_or_not() {
    let kind = |text: &str| parse(text).unwrap().redirections.remove(0).kind;
    assert_eq!(kind("a <<E\nE"), RedirectionKind::Heredoc { quoted: false });
    assert_eq!(kind("a <<-'E'\nE"), RedirectionKind::Heredoc { quoted: true });
    assert_eq!(kind("a <<\\E\nE"), RedirectionKind::Heredoc { quoted: true });
}

#[test]
fn pieces_that_are_no_commands() {
    let line = parse("A=1; (b | c); export D=$(e); [ -f g ]; h() { :; }").unwrap();
    let kinds: Vec<_> = line.pieces.iter().map(|piece| (piece.kind, line.slice(&piece.span))).collect();
    assert_eq!(
        kinds,
        [
            (PieceKind::Assignment, "A=1"),
            (PieceKind::Subshell, "(b | c)"),
            (PieceKind::Pipeline, "b | c"),
            (PieceKind::Declaration, "export D=$(e)"),
            (PieceKind::Assignment, "D=$(e)"),
            (PieceKind::Substitution, "$(e)"),
            (PieceKind::Test, "[ -f g ]"),
            (PieceKind::Function, "h() { :; }"),
        ]
    );
}

#[test]
fn scripts_handed_to_shells() {
    let inner = |text: &str| {
        let line = parse(text).unwrap();
        line.scripts.first().map(|script| script.line.as_ref().map(|line| line.text.clone()))
    };
    assert_eq!(inner("bash -c 'rm x'"), Some(Some("rm x".into())));
    assert_eq!(inner("/bin/sh -euxo pipefail -c \"rm x\" y"), Some(Some("rm x".into())));
    assert_eq!(inner("bash --norc -lc rm"), Some(Some("rm".into())));
    assert_eq!(inner("busybox sh -c rm"), Some(Some("rm".into())));
    assert_eq!(inner("eval rm \"x y\""), Some(Some("rm x y".into())));
    assert_eq!(inner("bash -c \"$x\""), Some(None));
    assert_eq!(inner("eval rm $x"), Some(None));
    assert_eq!(inner("bash x.sh -c y"), None);
    assert_eq!(inner("echo bash -c y"), None);
}

#[test]
fn scripts_in_scripts_are_read_so_deep_and_no_deeper() {
    let text = (0..DEEPEST + 2).fold("rm x".to_owned(), |text, _| format!("eval {}", text.replace(' ', "\\ ")));
    assert!(parse(&text).is_ok());
    let mut line = parse("eval eval eval eval eval eval eval eval eval eval rm").unwrap();
    let mut depth = 0;
    while let Some(inside) = line.scripts.first_mut().and_then(|script| script.line.take()) {
        (line, depth) = (inside, depth + 1);
    }
    assert_eq!(depth, DEEPEST);
}

#[test]
fn files_written() {
    let files =
        |text: &str| -> Vec<_> { writes(text).unwrap().into_iter().map(|one| (one.target, one.append)).collect() };
    assert_eq!(files("a > x 2>/dev/null; (b; c) >> y; d 2>&1"), [(Some("x".into()), false), (Some("y".into()), true)]);
    assert_eq!(files("bash -c 'echo a > x' > $y"), [(Some("x".into()), false), (None, false)]);
    assert_eq!(files("echo '> x' \"> y\" # > z"), []);
}

#[test]
fn what_the_grammar_cannot_read_has_a_place() {
    let line = parse("cat <<'M' 2>&1 | rm x\nmsg\nM").unwrap();
    assert_eq!(line.error.as_ref().map(|span| line.slice(span)), Some("|"));
    assert_eq!(parse("a && b").unwrap().error, None);
}

#[test]
fn what_no_shell_is_started_with_is_refused() {
    assert_eq!(parse("a\0b"), Err(Refused::Nul(1)));
    assert_eq!(parse(&"a ".repeat(LONGEST)), Err(Refused::TooLong(2 * LONGEST)));
}
