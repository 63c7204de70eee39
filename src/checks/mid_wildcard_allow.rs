//! PC0406: a star in the place of a subcommand lets every subcommand pass, the harmful ones too.

use super::lines::{self, does, harmful};
use super::proof::{self, Shown};
use super::{Cx, said, spellings};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Call, Dialect};
use crate::model::{Command, Commands, Family};
use crate::reach::Speaking;
use crate::rule::{Action, Rule};
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0406", "mid-wildcard-allow", Severity::Warning);

/// Options before which a command only tells of itself, whatever else it is given.
const TELLING: [&str; 4] = ["--help", "--version", "-h", "-V"];

/// So many rules of a ruleset are looked at, and so many lines are tried for each.
const LOOKED_AT: usize = 200;
const TRIED: usize = 24;

/// A pattern taken apart at its first star.
struct Parts<'a> {
    /// Before it: nothing, a command, or a command and options.
    head: &'a str,
    /// After it.
    tail: &'a str,
}

/// A command line that does harm: of these commands, this one, and how it is written.
type Known<'k> = (&'k Commands, &'k Command, &'k str);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let open = |rule: &Rule| rule.action == Action::Allow && parts(rule).is_some();
    let mut told: FxHashSet<u32> = FxHashSet::default();
    for speaking in lines::all(cx, open) {
        let known = harmful(cx.model);
        // What anyone would write first comes first.
        let hints = cx.runtime.hints(&speaking.permission);
        let hinted = hints.iter().filter_map(|hint| {
            let (commands, entry, _) = known.iter().find(|(_, entry, _)| entry.line.matches(hint))?;
            Some((*commands, *entry, hint.as_str()))
        });
        let known: Vec<Known<'_>> = hinted.chain(known.iter().copied()).collect();
        let untold: Vec<&Rule> = speaking
            .users()
            .into_iter()
            .filter(|rule| open(rule) && !told.contains(&rule.id))
            .take(LOOKED_AT)
            .collect();
        let mut all = Vec::new();
        for rule in untold {
            let Some(parts) = parts(rule) else { continue };
            let mut calls = candidates(&parts, &known);
            if let Some((commands, line)) = calls.find(|(_, line)| {
                lines::only_by(&speaking, rule, line) && cx.runtime.asks_whole(cx.version, &speaking.permission, line)
            }) {
                told.insert(rule.id);
                all.push(report(rule, (commands, &line), &speaking));
            }
        }
        proof::push_shown(sink, speaking.set, all);
    }
}

fn parts(rule: &Rule) -> Option<Parts<'_>> {
    let text = rule.pattern.text();
    if rule.pattern.dialect() != Dialect::Wildcard || text.contains(['\\', '?', '|', ';', '&', '<', '>']) {
        return None;
    }
    let (head, rest) = text.split_once('*')?;
    let tail = rest.strip_prefix(' ')?.trim_end_matches('*').trim_end();
    let words = head.split(' ').filter(|word| !word.is_empty() && !word.starts_with('-'));
    let varies = (head.is_empty() || head.ends_with(' ')) && words.count() <= 1;
    (varies && !tail.is_empty()).then_some(Parts { head, tail })
}

/// Harmful command lines that begin and end as the pattern does.
fn candidates<'k>(parts: &Parts<'_>, known: &[Known<'k>]) -> impl Iterator<Item = (&'k Commands, String)> {
    let (program, tail) = (parts.head.split(' ').next().unwrap_or_default(), parts.tail.replace('*', "x"));
    let option = parts.head.trim_end().rsplit(' ').next().filter(|word| word.starts_with('-'));
    let value = option.and_then(|option| spellings::value_of(program, option));
    // After an option that takes no value, as far as it is known, the star is the subcommand.
    let head = match value {
        Some(value) => format!("{}{value} ", parts.head),
        None => parts.head.to_owned(),
    };
    let telling = TELLING.contains(&tail.split(' ').next().unwrap_or_default());
    let ending = format!(" {tail}");
    let found: Vec<(&Commands, String)> = known
        .iter()
        .filter(|(commands, _, line)| !telling || runs_anyway(commands, line))
        .filter_map(|(commands, entry, line)| {
            let body = program_body(line, program)?;
            let body = body.strip_suffix(&ending).unwrap_or(body);
            let plain = if program.is_empty() { format!("{body} {tail}") } else { format!("{program} {body} {tail}") };
            entry.line.matches(&plain).then(|| (*commands, format!("{head}{body} {tail}")))
        })
        .take(TRIED)
        .collect();
    found.into_iter()
}

/// What stands after the program's name; everything, where any program will do.
fn program_body<'l>(line: &'l str, program: &str) -> Option<&'l str> {
    if program.is_empty() { Some(line) } else { line.strip_prefix(program)?.strip_prefix(' ') }
}

/// Whether a line runs the code it is given also with an option that asks for help after it.
fn runs_anyway(commands: &Commands, line: &str) -> bool {
    matches!(commands.family, Some(Family::Interpreter | Family::Shell))
        && (line.contains(" -c ") || line.contains(" -e "))
}

fn report(rule: &Rule, (commands, line): (&Commands, &str), speaking: &Speaking<'_>) -> Shown {
    let text = format!("{} allows `{line}` too, which {}", said::rule(rule), does(&commands.capabilities));
    let finding = Finding::new(CODE, said::span(rule), text)
        .confidence(Confidence::Catalogue)
        .label("the first star stands for any number of words")
        .agent(&speaking.set.agent)
        .note("without this rule the call would not pass silently")
        .help("write the subcommands that are meant, a rule for each, and leave a star at the end only");
    let call = Call { key: speaking.permission.to_string(), value: line.to_owned() };
    Shown { finding, call, action: Action::Allow, by: Some(rule.id) }
}
