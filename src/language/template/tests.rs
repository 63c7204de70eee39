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

fn about(include: &[&str], except: &[&str]) -> Paths {
    let patterns = |texts: &[&str]| texts.iter().map(|text| Pattern::wildcard(text)).collect();
    Paths::new(patterns(include), patterns(except), Case::Sensitive)
}

#[test]
fn any_word_that_can_be_a_path_counts() {
    let holds = |text: &str, command: &str, paths: &Paths| template(text).matches_about(command, paths);
    let x = about(&["x"], &[]);
    assert!(holds("sed -i {word} {path}", "sed -i s/a/b/ x", &x) && !holds("sed -i {word} {path}", "sed -i x y", &x));
    assert!(holds("rm * {path} *", "rm -rf x b", &x) && holds("rm * {path} *", "rm -rf a x", &x));
    assert!(holds("mv {path} {path}", "mv x a", &x) && holds("mv {path} {path}", "mv a x", &x));
    assert!(!holds("tee {path}", "tee", &about(&[""], &[])) && holds("tee -a{path}", "tee -ax", &x));
    assert!(!holds("tee x", "tee x", &x), "no path");
    let but_docs = about(&[], &["docs/*"]);
    assert!(
        holds("rm * {path} *", "rm docs/a src/b", &but_docs)
            && !holds("rm * {path} *", "rm -r docs/a docs/b", &but_docs)
    );
    assert!(
        holds("mv {path} {path}", "mv docs/a b", &but_docs)
            && !holds("mv {path} {path}", "mv docs/a docs/b", &but_docs)
    );
    assert!(!holds("sort * -o {path} *", "sort -o docs/a src/b", &but_docs), "what follows is read");
    let md_in_docs = about(&["*.md"], &["docs/*"]);
    assert!(holds("tee {path}", "tee a.md", &md_in_docs) && !holds("tee {path}", "tee docs/a.md", &md_in_docs));
}

#[test]
fn too_many_paths_are_said_to_be() {
    let hard: Vec<Pattern> = (0..14).map(|n| Pattern::wildcard(&format!("*a{}b*", "?".repeat(n)))).collect();
    let paths = Paths::new(Vec::new(), hard, Case::Sensitive);
    let error = template("rm {path}").pattern_about(&paths).unwrap_err();
    assert_eq!(error.message(), "the paths of the question are too many patterns to be analysed at once");
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
            prop_assert_eq!(template.matches_about(&command, &about(&[], &[])), matches && template.has_path());
        }
    }

    #[test]
    fn the_patterns_about_paths_are_what_is_meant(
        patterns in prop::collection::vec((0..5_usize, r"[a*?/\\ éA.-]{0,6}"), 0..4),
        included in 0..3_usize,
        folded: bool,
        words in prop::collection::vec("[aAéÉ/.-]{0,4}", 3),
    ) {
        const DIALECTS: [Dialect; 5] =
            [Dialect::Wildcard, Dialect::Glob, Dialect::Exact, Dialect::Prefix, Dialect::Regex];
        let read = |(dialect, text): &(usize, String)| Pattern::new(DIALECTS[*dialect], text).ok();
        let mut include: Vec<Pattern> = patterns.iter().filter_map(read).collect();
        let except = include.split_off(included.min(include.len()));
        let case = if folded { Case::Folded } else { Case::Sensitive };
        let paths = Paths::new(include, except, case);
        for template in ["tee {path}", "cp {word} {path}", "rm * {path} *", "mv {path} {path}"].map(template) {
            let patterns = template.pattern_about(&paths).unwrap();
            let lines = ["tee 0", "cp 0 1", "rm -f 0", "rm 0 1 2", "mv 0 1", "mv 0 0", "rm  0"];
            let fill = |line: &str| words.iter().enumerate().fold(line.to_owned(), |line, (at, word)| {
                line.replace(&at.to_string(), word)
            });
            for command in lines.map(fill) {
                let found = patterns.iter().any(|pattern| pattern.matches(&command, case));
                prop_assert_eq!(found, template.matches_about(&command, &paths), "{:?} {:?}", template, command);
            }
        }
    }
}

const PARTS: [&str; 10] = ["a", " ", "-", "*", " * ", "{path}", "{word}", "{url}", " > ", "é"];
const PIECES: [&str; 8] = ["a", "-", " ", "é", ">", "{path}", "git status", "src/main.rs"];
