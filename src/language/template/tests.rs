use super::*;
use crate::language::pattern::{Case, Dialect};
use proptest::prelude::*;

fn template(text: &str) -> Template {
    Template::new(text).unwrap()
}

#[track_caller]
fn check(text: &str, yes: &[&str], no: &[&str]) {
    let template = template(text);
    for (commands, wanted) in [(yes, true), (no, false)] {
        for command in commands {
            assert_eq!(template.matches(command), wanted, "{text:?} and {command:?}");
            assert_eq!(template.pattern().matches(command, Case::Sensitive), wanted, "{text:?} and {command:?}");
        }
    }
}

#[test]
fn holes_hold_plain_characters() {
    check(
        "sed -i {word} {path}",
        &["sed -i s/a/b/ src/main.rs", "sed -i x ~/é"],
        &["sed -i s/a/b/ -x", "sed -i -x y", "sed -i  x"],
    );
    check("tee {path} *", &["tee x", "tee x ", "tee x -a y"], &["tee", "tee ", "tee xy>", "tee x;rm y", "teex"]);
    check("rm * {path}", &["rm x", "rm -r -f x"], &["rm", "rm -f", "rm x\ny", "rm -rx "]);
    check("* > {path}", &["a > x", "git log --oneline > x/y"], &["> x", " > x", "-x > y", "a>x", "a > x > y"]);
    check("curl * {url}", &["curl https://x.y/z", "curl -s x"], &["curl", "curl -s", "curl https://x/?a=b"]);
    check("sed -i* {word} {path}", &["sed -i a b", "sed -i.bak a b", "sed -i -e a b"], &["sed -ia b", "sed -i a -b"]);
    check("sort --output={path} *", &["sort --output=x y"], &["sort --output= y", "sort --output=-x"]);
    check("python -c '{word}'", &["python -c 'x.y'"], &["python -c 'x y'", "python -c x"]);
    check("find * -exec {word} {} +", &["find . -exec rm {} +"], &["find . -exec rm x +"]);
    check("git commit *", &["git commit", "git commit -m x"], &["git commitx"]);
}

#[test]
fn what_is_no_template_is_refused() {
    let told = |text: &str| {
        let error = Template::new(text).unwrap_err();
        (error.message().to_owned(), error.help().unwrap_or_default().to_owned(), error.range())
    };
    let (message, help, range) = told("rm {paht}");
    assert_eq!((&*message, &*help, range), ("`{paht}` is no hole", "did you mean `{path}`?", Some(3..9)));
    assert_eq!(told("* {path}").0, "`* {path}` names no command");
    for text in ["", " ", "rm ", " rm", "*", "{path}", &"x".repeat(513), &format!("x{}", " {word}".repeat(17))] {
        assert!(Template::new(text).is_err(), "{text:?}");
    }
}

#[test]
fn the_limits_keep_expressions_small_enough() {
    for hole in ["{path}", "{word}", "{url}", "*x", " * x"] {
        let text = format!("{}{}", "é.".repeat(200), hole.repeat(16));
        let template = template(&text);
        assert!(Pattern::new(Dialect::Regex, template.pattern().text()).is_ok(), "{text}");
    }
}

#[test]
fn paths_are_held_in_some_reading() {
    let exactly = |word: &str| Pattern::new(Dialect::Exact, word).unwrap();
    let holds = |text: &str, command: &str, path: &str| template(text).matches_where(command, &[exactly(path)]);
    assert!(holds("sed -i {word} {path}", "sed -i s/a/b/ x", "x") && !holds("sed -i {word} {path}", "sed -i x y", "x"));
    assert!(["a", "b"].into_iter().all(|path| holds("rm * {path} *", "rm -rf a b", path)));
    assert!(holds("mv {path} {path}", "mv a a", "a") && !holds("mv {path} {path}", "mv a b", "a"));
    assert!(!holds("tee {path}", "tee", "") && holds("tee -a{path}", "tee -ax/y", "x/y"));
    assert!(!holds("tee notes", "tee notes", "notes"), "no path");
}

#[test]
fn an_example_is_one() {
    for text in ["rm * {path} *", "* > {path}", "curl -o {path} {url}", "sed -i* {word} {path}"] {
        let template = template(text);
        assert!(template.matches(&template.example()), "{} {}", text, template.example());
    }
    assert_eq!(template("* > {path}").example(), "git status > src/main.rs");
}

proptest! {
    #[test]
    fn the_pattern_is_what_the_template_means(
        parts in prop::collection::vec(prop::sample::select(PARTS.to_vec()), 1..6),
        command in "[a> -]{0,10}",
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..6),
    ) {
        let Ok(template) = Template::new(parts.concat().trim()) else { return Ok(()) };
        for command in [command, pieces.concat(), template.example()] {
            let matches = template.matches(&command);
            prop_assert_eq!(template.pattern().matches(&command, Case::Sensitive), matches, "{:?} {:?}", template, command);
            prop_assert_eq!(template.matches_where(&command, &[Pattern::wildcard("*")]), matches && template.has_path());
        }
    }

    #[test]
    fn paths_are_held_to_patterns(
        dialect in prop::sample::select(vec![Dialect::Wildcard, Dialect::Glob, Dialect::Exact, Dialect::Prefix]),
        pattern in r"[a*?/\\ é.-]{0,6}",
        word in "[a/é.-]{0,5}",
    ) {
        let Ok(path) = Pattern::new(dialect, &pattern) else { return Ok(()) };
        for template in ["tee {path}", "cp {word} {path}", "rm * {path} *", "mv {path} {path}"].map(template) {
            let patterns = template.pattern_where(std::slice::from_ref(&path));
            prop_assert!(patterns.len() <= 1);
            let lines = ["tee W", "cp W W", "tee W a", "rm -f W", "rm a W b", "mv W W", "mv a W"];
            for command in lines.map(|line| line.replace('W', &word)) {
                let found = patterns.iter().any(|pattern| pattern.matches(&command, Case::Sensitive));
                let meant = template.matches_where(&command, std::slice::from_ref(&path));
                prop_assert_eq!(found, meant, "{:?} {:?} {:?}", template, path, command);
            }
        }
    }
}

const PARTS: [&str; 10] = ["a", " ", "-", "*", " * ", "{path}", "{word}", "{url}", " > ", "é"];
const PIECES: [&str; 8] = ["a", "-", " ", "é", ">", "{path}", "git status", "src/main.rs"];
