//! A difference as Markdown, for a comment on a pull request.

use super::{Shown, human};
use crate::change::{Direction, RuleChange};
use crate::language::List;
use crate::report::markdown::{prose, span};
use crate::report::shown::line;
use crate::rule::Rule;
use std::fmt::Write;

/// So many rows stand in the open; the rest is folded away.
const OPEN: usize = 20;
/// So many rows at most, because a comment has an end.
const MOST: usize = 200;

pub(super) fn text(shown: &Shown<'_>) -> String {
    let change = shown.change;
    let mut out = String::new();
    let _ = writeln!(out, "### policyc: {}\n", verdict(shown));
    let (old, new) = (code(shown.old.name.as_str()), code(shown.new.name.as_str()));
    let _ = writeln!(out, "{old} → {new}: {}.", shown.summary());
    for note in shown.notes() {
        let _ = writeln!(out, "\n> {note}");
    }
    rows(&mut out, shown);
    if !change.facts.is_empty() {
        out.push('\n');
    }
    for fact in &change.facts {
        let way = fact.direction.map(|direction| format!("**{}**: ", direction.word())).unwrap_or_default();
        let calls = fact.witness.iter().flat_map(|witness| &witness.calls);
        let calls: Vec<String> = calls.map(|call| code(&format!("{} {}", call.permission, call.resource))).collect();
        let shows = if calls.is_empty() { String::new() } else { format!(": {}", calls.join(", then ")) };
        let _ = writeln!(out, "- {way}{}{shows}", prose(&line(&fact.message())));
    }
    if !change.open.is_empty() {
        let left: usize = change.open.iter().map(|open| open.left).sum();
        let _ = writeln!(out, "\n**Not proved:** {left} changed rules were not settled within the budget.");
    }
    if !change.wrong.is_empty() {
        let _ = writeln!(out, "\n**PC0999:** a proof does not hold; this is a mistake of policyc, please report it.");
    }
    out
}

fn verdict(shown: &Shown<'_>) -> &'static str {
    let change = shown.change;
    if change.is_equivalent() {
        return "equivalent";
    }
    match (change.goes(Direction::Looser), change.is_undecided(), change.goes(Direction::Tighter)) {
        (true, _, _) => "looser",
        (false, true, _) => "not proved",
        (false, false, true) => "tighter, nothing looser",
        (false, false, false) => "changed, nothing looser",
    }
}

fn rows(out: &mut String, shown: &Shown<'_>) {
    let groups: Vec<&[RuleChange]> = shown.change.rules.chunk_by(human::is_one_statement).collect();
    if groups.is_empty() {
        return;
    }
    let head = "\n| | agents | permission | decision | for example | rule |\n|---|---|---|---|---|---|";
    let _ = writeln!(out, "{head}");
    groups.iter().take(OPEN).for_each(|group| row(out, group, shown));
    if groups.len() > OPEN {
        let rest = groups.len() - OPEN;
        let _ = writeln!(out, "\n<details><summary>{rest} more</summary>\n{head}");
        groups.iter().skip(OPEN).take(MOST).for_each(|group| row(out, group, shown));
        if rest > MOST {
            let _ = writeln!(out, "\nand {} more, in `--format json`", rest - MOST);
        }
        let _ = writeln!(out, "\n</details>");
    }
}

fn row(out: &mut String, group: &[RuleChange], shown: &Shown<'_>) {
    let [first, rest @ ..] = group else { return };
    let direction = match first.direction() {
        Direction::Looser => "**looser**",
        Direction::Tighter => "tighter",
    };
    let mut permissions: Vec<String> = first.permissions.iter().map(|name| cell(name)).collect();
    if first.undeclared {
        permissions.push("undeclared".to_owned());
    }
    let agents = shown.agents(&first.agents);
    let agents = if agents == "every agent" { agents } else { codes(&first.agents) };
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    let gone = if first.list == List::Old { "without " } else { "" };
    let _ = writeln!(
        out,
        "| {direction} | {agents} | {} | {} → {} | {} | {gone}{}{more} |",
        permissions.join(", "),
        first.before,
        first.after,
        cell(&first.call.value),
        rule(&first.rule, shown),
    );
}

fn rule(rule: &Rule, shown: &Shown<'_>) -> String {
    let file = shown.sources.file(rule.origin.span.file);
    let place = file.map(|file| format!("{}:{}", file.name(), file.line_column(rule.origin.span.start).line));
    let said = cell(&format!("{} {} {}", rule.action, rule.permission.text(), crate::cli::decision::pattern(rule)));
    format!("{said} ({})", prose(&line(&place.unwrap_or_default())))
}

fn codes(names: &[String]) -> String {
    names.iter().map(|name| cell(name)).collect::<Vec<_>>().join(", ")
}

/// A code span.
fn code(text: &str) -> String {
    span(&line(text))
}

/// A code span in a cell of a table, where a bar would end the cell.
fn cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}
