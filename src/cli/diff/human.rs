//! A difference for a person at a screen.

use super::Shown;
use crate::change::{Direction, Fact, RuleChange};
use crate::cli::decision;
use crate::language::List;
use crate::report::shown::{argument, line};
use crate::rule::Rule;
use std::fmt::Write;

/// So many rules are shown each way; JSON has all.
const MOST: usize = 50;

pub(super) fn text(shown: &Shown<'_>) -> String {
    let mut out = String::new();
    for note in shown.notes() {
        let _ = writeln!(out, "note: {note}");
    }
    for (direction, colour) in [(Direction::Looser, "31"), (Direction::Tighter, "32")] {
        let changes: Vec<&RuleChange> = shown.change.rules_that_go(direction).collect();
        if changes.is_empty() {
            continue;
        }
        let _ = writeln!(out, "\x1b[1;{colour}m{}\x1b[0m", direction.word());
        let groups: Vec<&[&RuleChange]> = changes.chunk_by(|a, b| is_one_statement(a, b)).collect();
        groups.iter().take(MOST).for_each(|group| rule(&mut out, group, shown));
        if groups.len() > MOST {
            let _ = writeln!(out, "  and {} more rules; `--format json` has all", groups.len() - MOST);
        }
        out.push('\n');
    }
    facts(&mut out, &shown.change.facts);
    left(&mut out, shown);
    let _ = writeln!(out, "{}", shown.summary());
    out
}

/// Whether two changes are of one written statement, for the same agents and in the same way.
pub(super) fn is_one_statement(a: &RuleChange, b: &RuleChange) -> bool {
    (a.list, a.before, a.after) == (b.list, b.before, b.after)
        && a.agents == b.agents
        && a.rule.origin.statement == b.rule.origin.statement
}

fn rule(out: &mut String, group: &[&RuleChange], shown: &Shown<'_>) {
    let [first, rest @ ..] = group else { return };
    let call = format!("{} {}", line(&first.call.key), argument(&crate::secret::redact(&first.call.value)));
    let agents = line(&shown.agents(&first.agents));
    let _ = writeln!(out, "  {} -> {}  {call}  ({agents})", first.before, first.after);
    let more = match rest.len() {
        0 => String::new(),
        1 => ", and 1 more pattern of this rule".to_owned(),
        n => format!(", and {n} more patterns of this rule"),
    };
    let named = |rule: &Rule| {
        let permission = line(rule.permission.text());
        let place = decision::origin(rule, shown.sources);
        format!("{} {permission} {}  \x1b[2m{place}\x1b[0m", rule.action, decision::pattern(rule))
    };
    let (ours, other) = match first.list {
        List::New => ("by", "before by"),
        List::Old => ("without", "now by"),
    };
    let _ = writeln!(out, "    {ours} {}{more}", named(&first.rule));
    match &first.instead {
        Some(rule) => drop(writeln!(out, "    {other} {}", named(rule))),
        None => drop(writeln!(out, "    {other} no rule: ask")),
    }
    if let Some(text) = reach(first) {
        let _ = writeln!(out, "    {text}");
    }
}

/// Of which permissions there are such calls, where it is not just the one of the call shown.
pub(super) fn reach(change: &RuleChange) -> Option<String> {
    let mut others: Vec<&str> =
        change.permissions.iter().map(String::as_str).filter(|name| *name != change.call.key).collect();
    let undeclared = "undeclared ones (tools of MCP servers)";
    if change.undeclared && change.permissions.contains(&change.call.key) {
        others.push(undeclared);
    }
    (!others.is_empty()).then(|| format!("likewise for {}", others.join(", ")))
}

fn facts(out: &mut String, facts: &[Fact]) {
    if facts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\x1b[1mbesides\x1b[0m");
    for fact in facts {
        let way = fact.direction.map(|direction| format!("{}: ", direction.word())).unwrap_or_default();
        let _ = writeln!(out, "  {way}{}", line(&fact.message()));
        let calls = fact.witness.iter().flat_map(|witness| witness.calls.iter().map(move |call| (call, witness)));
        for (call, witness) in calls {
            let command = format!("{} {}", line(&call.permission), argument(&crate::secret::redact(&call.resource)));
            let _ = writeln!(out, "    {command} => {} ({})", witness.decision, line(&call.agent));
        }
    }
    out.push('\n');
}

/// What is not known.
fn left(out: &mut String, shown: &Shown<'_>) {
    for open in &shown.change.open {
        let agent = line(&open.agent);
        let _ = match &open.rule {
            Some((_, rule)) => {
                let place = shown.sources.place(rule.origin.span);
                writeln!(out, "not settled within the budget: {} at {place}, by {agent}", line(&rule.to_string()))
            }
            None => writeln!(out, "not settled: {} changed rules of {agent}", open.left),
        };
    }
    for wrong in &shown.change.wrong {
        let call = format!("{} {}", line(&wrong.call.key), argument(&wrong.call.value));
        let _ = writeln!(
            out,
            "PC0999: a proof does not hold, which is a mistake of policyc: {call} by {} and {}; please report it",
            line(&wrong.agent),
            line(&wrong.rule.to_string())
        );
    }
}
