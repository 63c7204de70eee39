//! PC0405: a command that runs other commands is allowed beside a deny, which it gets around.

use super::{Cx, dead, lines, loopholes, proof, said};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Call, Case, Dialect};
use crate::reach::Speaking;
use crate::rule::{Action, Rule};
use crate::source::Span;
use rustc_hash::FxHashSet;
use std::sync::LazyLock;

pub(crate) const CODE: Code = Code::new("PC0405", "command-runner", Severity::Error);

/// How a command is run by another; `{}` is its place. Programs that run it elsewhere (`docker exec`), that only run programs
/// of their own (`npx NAME`) or that need it as an option (`find -exec`) are not among them.
const RUNNERS: [&str; 44] = [
    "timeout 9 {}",
    "xargs {}",
    "parallel {}",
    "env {}",
    "nice {}",
    "ionice {}",
    "nohup {}",
    "setsid {}",
    "stdbuf -oL {}",
    "time {}",
    "watch {}",
    "command {}",
    "exec {}",
    "busybox {}",
    "flock /tmp/lock {}",
    "strace {}",
    "valgrind {}",
    "perf record {}",
    "hyperfine '{}'",
    "entr {}",
    "watchexec {}",
    "cross-env {}",
    "direnv exec . {}",
    "mise exec -- {}",
    "uv run {}",
    "poetry run {}",
    "pipenv run {}",
    "bundle exec {}",
    "npx -c '{}'",
    "npm exec -c '{}'",
    "nix-shell --run '{}'",
    "nix develop -c {}",
    "systemd-run {}",
    "script -c '{}'",
    "op run -- {}",
    "sudo {}",
    "doas {}",
    "pkexec {}",
    "su -c '{}'",
    "eval {}",
    "sh -c '{}'",
    "bash -c '{}'",
    "zsh -c '{}'",
    "fish -c '{}'",
];

/// An allowed runner, the denies it gets around, and a line that shows it for each.
struct Passed<'a> {
    runner: &'a Rule,
    denies: Vec<(&'a Rule, String)>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut told: FxHashSet<u32> = FxHashSet::default();
    // Where editing is denied, what runs everything is told with all other ways to write.
    let loopholes = loopholes::of(cx, sink);
    for speaking in lines::all(cx, |rule| rule.action == Action::Deny) {
        if loopholes.iter().any(|loophole| loophole.writes_by_command(&speaking.set.agent)) {
            continue;
        }
        let users = speaking.users();
        let runners: Vec<(&Rule, &str)> = users
            .iter()
            .filter(|rule| !told.contains(&rule.id))
            .filter_map(|&rule| Some((rule, form(rule)?)))
            .collect();
        if runners.is_empty() {
            continue;
        }
        let mut denies: Option<Vec<(&Rule, String)>> = None;
        let mut first: Option<Passed<'_>> = None;
        let mut others: Vec<&Rule> = Vec::new();
        for (runner, form) in runners {
            let all = denies.get_or_insert_with(|| {
                let denying = users.iter().filter(|rule| rule.action == Action::Deny);
                denying.filter_map(|&deny| Some((deny, lines::denied(deny, &speaking, cx)?))).collect()
            });
            let mut passing = all.iter().filter_map(|(deny, inner)| {
                let line = passed(runner, form, inner, &speaking, cx)?;
                Some((*deny, line))
            });
            // Of the first it is told what it gets around; of the others it is enough that there is something.
            match &first {
                Some(_) if passing.next().is_some() => others.push(runner),
                Some(_) => {}
                None => {
                    let denies: Vec<(&Rule, String)> = passing.collect();
                    first = (!denies.is_empty()).then_some(Passed { runner, denies });
                }
            }
        }
        let Some(first) = first else { continue };
        told.extend([first.runner].iter().chain(&others).map(|runner| runner.id));
        report(&first, &others, &speaking, sink);
    }
}

/// The command run by the runner, if that passes by the runner's rule.
fn passed(runner: &Rule, form: &str, inner: &str, speaking: &Speaking<'_>, cx: &Cx<'_>) -> Option<String> {
    let line = form.replace("{}", inner);
    let quotes = form.contains('\'') && inner.contains('\'');
    let allowed = !quotes && speaking.decider(&line).is_some_and(|decider| decider.id == runner.id);
    (allowed && cx.runtime.asks_whole(cx.version, &speaking.permission, &line)).then_some(line)
}

/// The way a rule lets commands be run by others: it allows a runner by its name.
fn form(rule: &Rule) -> Option<&'static str> {
    static NAMES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| RUNNERS.map(|form| (name(form), form)).to_vec());
    let text = rule.pattern.text();
    let named = |(name, _): &&(&str, &str)| match rule.pattern.dialect() {
        Dialect::Wildcard | Dialect::Prefix => text.strip_prefix(*name).is_some_and(|rest| !rest.starts_with(letter)),
        Dialect::Exact => false,
        Dialect::Glob | Dialect::Regex => text.contains(*name),
    };
    if rule.action != Action::Allow || rule.pattern.is_everything() {
        return None;
    }
    let mut fitting = NAMES.iter().filter(named).map(|(_, form)| *form);
    fitting.find(|form| rule.pattern.matches(&form.replace("{}", "x y"), Case::Sensitive))
}

/// The words of a form that name the runner.
fn name(form: &str) -> &str {
    let end = form.find(|c: char| !c.is_ascii_alphabetic() && c != ' ' && c != '-').unwrap_or(form.len());
    let name = form.get(..end).unwrap_or(form);
    name.split(" -").next().unwrap_or(name).trim_end()
}

fn letter(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

/// One finding for all runners of a ruleset: the cause is one, and so is the remedy.
fn report(first: &Passed<'_>, others: &[&Rule], speaking: &Speaking<'_>, sink: &mut Sink) {
    let Some((deny, line)) = first.denies.first() else { return };
    let runners: Vec<&Rule> = [first.runner].iter().chain(others).copied().collect();
    let around = match first.denies.len() {
        1 => said::rule(deny),
        many => format!("{} and {} more", said::rule(deny), many - 1),
    };
    let verb = if runners.len() == 1 { "gets" } else { "get" };
    let text = format!("{} {verb} around {around}: `{line}` is allowed", said::subject(&runners));
    let finding = Finding::new(CODE, said::span(first.runner), text)
        .confidence(Confidence::Catalogue)
        .label("runs whatever command it is given")
        .agent(&speaking.set.agent)
        .note("the runtime compares the runner with the rules, not the command that it runs")
        .help("make the runner ask, or allow it only with the commands it is needed for");
    let finding = dead::list(finding, places(runners.into_iter().skip(1)), "so does this");
    let denies = first.denies.iter().map(|(deny, _)| *deny);
    let finding = dead::list(finding, places(denies), "does not stop it");
    let call = Call { key: speaking.permission.to_string(), value: line.clone() };
    proof::push(sink, finding, speaking.set, (&call, &[]), |_, decision| decision.action == Action::Allow);
}

fn places<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<Span> {
    rules.map(said::span).collect()
}

#[cfg(test)]
mod tests {
    use super::{RUNNERS, name};
    use crate::catalogue::shipped;

    #[test]
    fn runners_are_known_by_the_words_before_their_options() {
        assert_eq!(
            ["timeout 9 {}", "npm exec -c '{}'", "nix-shell --run '{}'", "sh -c '{}'"].map(name),
            ["timeout", "npm exec", "nix-shell", "sh"]
        );
    }

    #[test]
    fn the_catalogue_knows_every_runner() {
        let known = |name: &str| {
            let entries = shipped().commands.iter().flat_map(|commands| &commands.entries);
            entries.map(|entry| entry.line.text()).any(|text| text.split(' ').next() == Some(name))
        };
        let unknown: Vec<_> = RUNNERS.iter().filter(|form| !known(form.split(' ').next().unwrap())).collect();
        assert_eq!(unknown, Vec::<&&str>::new());
        assert!(RUNNERS.iter().all(|form| form.matches("{}").count() == 1));
    }
}
