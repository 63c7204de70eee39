//! `policyc flatten`: what an agent's rules come to, in deciding order, each with its origin.

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Format, Terminal, decision, flattened, names};
use crate::model::Agent;
use crate::project::Compilation;
use crate::report::shown;
use crate::ruleset::{self, Ruleset};
use crate::source::SourceMap;
use camino::Utf8PathBuf;
use std::fmt::Write;

/// Shows the ordered rules of every agent, with where each was written
///
/// The last rule that matches a request decides it; a request that no rule matches is asked.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A policy, a runtime's config, a folder, or `-`
    file: Utf8PathBuf,
    /// This agent only
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// How the result is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    asked: Asked,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    let compilation = match input::usable(&mut input, &args.file, terminal)? {
        Some(compilation) => compilation,
        None => return Ok(Exit::Unusable),
    };
    let sets: Vec<&Ruleset> = match &args.agent {
        Some(name) => vec![names::agent(&compilation, Some(name))?],
        None => compilation.rulesets.iter().collect(),
    };
    let sources = &input.files.sources;
    terminal.print(&match args.format {
        Format::Human => sets.iter().map(|set| human(&compilation, set, sources)).collect::<Vec<_>>().join("\n"),
        Format::Json => format!("{:#}\n", flattened::json(&compilation, &sets, sources)),
    });
    Ok(input::refused(&compilation))
}

fn human(compilation: &Compilation, set: &Ruleset, sources: &SourceMap) -> String {
    let agent = compilation.model.agents.get(&set.agent);
    let mut out = format!("\x1b[1m{}\x1b[0m{}\n", shown::line(&set.agent), kind(compilation, agent));
    let rows: Vec<[String; 4]> = set
        .rules
        .iter()
        .map(|rule| {
            let permission = shown::line(rule.permission.text());
            [rule.action.to_string(), permission, decision::pattern(rule), decision::origin(rule, sources)]
        })
        .collect();
    // A column takes no more than this, so that one long pattern does not push all origins off the screen.
    let width = |column: usize| {
        let widths = rows.iter().filter_map(|row| row.get(column)).map(|text| text.chars().count());
        widths.filter(|width| *width <= 40).max().unwrap_or(0)
    };
    let (first, second) = (width(1), width(2));
    for [action, permission, pattern, origin] in &rows {
        let _ = writeln!(out, "  {action:5}  {permission:first$}  {pattern:second$}  \x1b[2m{origin}\x1b[0m");
    }
    out
}

fn kind(compilation: &Compilation, agent: Option<&Agent>) -> String {
    let Some(agent) = agent else { return String::new() };
    let default = ruleset::default_agent(&compilation.model).is_ok_and(|default| default.name == agent.name);
    let hidden = if agent.hidden { ", hidden" } else { "" };
    let default = if default { ", default" } else { "" };
    format!(" ({}{hidden}{default})", agent.mode)
}
