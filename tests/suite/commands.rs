//! `commands`: what its lines become, and what is said of those that are none.

use crate::support::{compile, plain};
use policyc::language::{Case, Paths, Pattern};
use policyc::model::{Capability, Commands, Family, Line};

fn commands(text: &str) -> Vec<Commands> {
    compile::clean(text).model.commands
}

fn told(text: &str) -> String {
    let (files, compiled) = compile::policy(text);
    plain::render(&files.sources, &compiled.findings)
}

#[test]
fn the_list_and_the_block_say_the_same() {
    let list = commands("commands write, exec by runner [\"env {word} *\", exact \"{word}\"]\n");
    let block = commands("commands write, exec by runner {\n  \"env {word} *\"\n  exact \"{word}\" because \"x\"\n}\n");
    for commands in [&list, &block] {
        let [group] = commands.as_slice() else { panic!() };
        assert_eq!(group.capabilities, [Capability::Write, Capability::Exec]);
        assert_eq!((group.family, group.prelude), (Some(Family::Runner), false));
        let [first, second] = group.entries.as_slice() else { panic!() };
        assert!(first.line.matches("env A=b ls -l") && !first.line.matches("env"));
        assert!(matches!(second.line, Line::Pattern(_)), "with its dialect it has no holes");
        assert!(second.line.matches("{word}") && !second.line.matches("x"));
    }
    assert_eq!(block[0].entries[1].reason.as_deref(), Some("x"));
}

#[test]
fn a_list_of_patterns_is_one_of_templates_here() {
    let groups = commands("let deploy = [\"deploy {path}\", prefix \"ship\"]\ncommands write deploy\n");
    let [first, second] = groups[0].entries.as_slice() else { panic!() };
    let site = Paths::new(vec![Pattern::wildcard("site")], Vec::new(), Case::Sensitive);
    assert!(first.line.template().unwrap().matches_about("deploy site", &site));
    assert!(second.line.template().is_none() && second.line.matches("ship it"));
}

#[test]
fn lines_that_are_none_are_told_with_their_place() {
    insta::assert_snapshot!(told(
        r#"commands write by filter-toll {
  "tee {paht} *"
  "sponge {file}"
  "* {path}"
  "rm "
  "cp {word} {path}" example "mv a b"
  regex "rm ["
}
commands wirte ["rm {paht}"]
commands write missing
"#
    ));
}
