//! PC0407: a star that is glued to a command's name also lets another command pass, which does more.

use super::lines::{self, does, harmful, is_harmful};
use super::proof::{self, Shown};
use super::{Cx, said, spellings};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Call, Dialect};
use crate::model::{Capability, Command, Commands};
use crate::reach::Speaking;
use crate::rule::{Action, Rule};
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0407", "no-word-boundary", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let glued = |rule: &Rule| rule.action == Action::Allow && name(rule).is_some();
    let mut told: FxHashSet<u32> = FxHashSet::default();
    for speaking in lines::all(cx, glued) {
        let mut known = harmful(cx.model);
        // The shortest line tells the most.
        known.sort_by_key(|(_, _, line)| line.len());
        let mut all = Vec::new();
        for rule in speaking.users().into_iter().filter(|rule| glued(rule)) {
            let Some(name) = name(rule).filter(|_| !told.contains(&rule.id)) else { continue };
            let own = capabilities(name, &known);
            let more =
                |commands: &Commands| commands.capabilities.iter().any(|one| is_harmful(*one) && !own.contains(one));
            let another = |line: &str| continues(name, line) && !spellings::are_one(name, command(name, line));
            let mut others = known.iter().filter(|(commands, _, line)| another(line) && more(commands));
            if let Some((commands, _, line)) = others.find(|(_, _, line)| {
                lines::only_by(&speaking, rule, line) && cx.runtime.asks_whole(cx.version, &speaking.permission, line)
            }) {
                told.insert(rule.id);
                all.push(report(rule, name, (commands, line), &speaking));
            }
        }
        proof::push_shown(sink, speaking.set, all);
    }
}

/// The text before the star, where it ends within a word that may go on.
fn name(rule: &Rule) -> Option<&str> {
    if rule.pattern.dialect() != Dialect::Wildcard {
        return None;
    }
    let name = rule.pattern.text().strip_suffix('*')?;
    let word = name.rsplit(' ').next()?;
    let plain = word.ends_with(|c: char| c.is_ascii_alphanumeric())
        && word.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !word.contains(['/', '.', ':', '=']);
    (plain && !name.contains(['*', '?', '\\'])).then_some(name)
}

/// Whether a line goes on with the last word of the name.
fn continues(name: &str, line: &str) -> bool {
    line.strip_prefix(name).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))
}

/// As many words of a line as the name has.
fn command<'l>(name: &str, line: &'l str) -> &'l str {
    let blanks = line.match_indices(' ').nth(name.matches(' ').count());
    blanks.and_then(|(end, _)| line.get(..end)).unwrap_or(line)
}

/// What the command of this very name gives.
fn capabilities(name: &str, known: &[(&Commands, &Command, &str)]) -> Vec<Capability> {
    let own = |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
    known.iter().filter(|(_, _, line)| own(line)).flat_map(|(commands, _, _)| commands.capabilities.clone()).collect()
}

fn report(rule: &Rule, name: &str, (commands, line): (&Commands, &str), speaking: &Speaking<'_>) -> Shown {
    let other = command(name, line);
    let text = format!("{} also allows `{other}`, which {}", said::rule(rule), does(&commands.capabilities));
    let finding = Finding::new(CODE, said::span(rule), text)
        .confidence(Confidence::Catalogue)
        .label("the star goes on with the word")
        .agent(&speaking.set.agent)
        .note("without this rule the call would not pass silently")
        .help(format!("write `{name} *`, which matches `{name}` too"));
    let call = Call { key: speaking.permission.to_string(), value: line.to_owned() };
    Shown { finding, call, action: Action::Allow, by: Some(rule.id) }
}
