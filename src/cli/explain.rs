//! `policyc explain`: the page of a check, offline.

use super::{Exit, Failure, Terminal, names};
use crate::checks::CHECKS;
use std::fmt::Write;

/// Shows the page of a check: what it finds, why it matters, how it is decided
///
/// Checks have a code (`PC0101`) and a name (`unreachable-rule`); both are accepted everywhere.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(super) struct Args {
    /// A code or a name
    #[arg(required_unless_present = "list")]
    code: Option<String>,
    /// Lists all checks with their severities
    #[arg(long, conflicts_with = "code")]
    list: bool,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let Some(name) = args.code else {
        terminal.print(&list());
        return Ok(Exit::Clean);
    };
    let page = names::check(&name)?.page;
    terminal.print(&format!("{}\n", page.trim_end()));
    Ok(Exit::Clean)
}

fn list() -> String {
    let mut checks: Vec<_> = CHECKS.iter().map(|check| check.code).collect();
    checks.sort_by_key(|code| code.id);
    let widest = checks.iter().map(|code| code.name.len()).max().unwrap_or(0);
    checks.iter().fold(String::new(), |mut out, code| {
        let _ = writeln!(out, "{}  {:widest$}  {}", code.id, code.name, code.severity);
        out
    })
}
