//! `policyc hook --selftest`: a protocol tried, and what is known of it.

use super::{Args, table};
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::Input;
use crate::cli::terminal::Terminal;
use crate::files::Files;
use crate::hook::{self, Place, Policy, selftest};
use crate::rule::Action;
use crate::runtimes::protocol::{Event, Protocol};
use std::fmt::Write as _;

/// The folder that samples are written for.
const FOLDER: &str = "/policyc-selftest";

pub(super) fn run(protocol: &dyn Protocol, args: &Args, terminal: Terminal) -> Result<Exit, Failure> {
    let broken = |why: String| Failure { message: why, help: None };
    let Some(path) = &args.policy else {
        let mut files = Files::default();
        let compilation = selftest::policy(&mut files).map_err(broken)?;
        let policy = Policy::of(&compilation, &files.sources, None);
        return Ok(tell(protocol, args, &policy, true, terminal));
    };
    let place = place(protocol).map_err(broken)?;
    if let Some(table) = table::read(path, &place).map_err(broken)? {
        // A table for one repository is tried as it would be used there.
        let folder = table.machine.as_ref().map_or(FOLDER, |(_, worktree)| worktree);
        let input = Input::session(folder, folder);
        let machine = table.machine.is_some().then(|| table::machine(&table, &input)).transpose().map_err(broken)?;
        let policy = Policy::of_table(&table, machine.as_ref()).map_err(broken)?;
        return Ok(tell(protocol, args, &policy, false, terminal));
    }
    let mut input = Input::session(FOLDER, FOLDER);
    let compilation = input.whole(path)?;
    let policy = Policy::of(&compilation, &input.files.sources, input.options.environment.as_ref());
    Ok(tell(protocol, args, &policy, false, terminal))
}

/// Where samples are played.
fn place(protocol: &dyn Protocol) -> Result<Place, String> {
    let event = Event { cwd: Some(FOLDER.to_owned()), ..Event::default() };
    Place::of(&event, protocol, Some(FOLDER), &|_| None)
}

fn tell(protocol: &dyn Protocol, args: &Args, policy: &Policy<'_>, own: bool, terminal: Terminal) -> Exit {
    let tried = selftest::run(protocol, policy, args.agent.as_deref(), own);
    let mut out = String::new();
    let failed = tried.iter().filter(|one| one.wrong.is_some()).count();
    let _ = writeln!(out, "{}: {} events, {failed} answered wrongly", protocol.name(), tried.len());
    for one in &tried {
        let mark = if one.wrong.is_some() { "WRONG" } else { "ok" };
        let _ = writeln!(out, "  {mark:5}  {:5}  {}", one.understood.map_or("none", Action::word), one.title);
        if let Some(wrong) = &one.wrong {
            let _ = writeln!(out, "         {}", hook::clipped(wrong));
        }
    }
    out.push_str("what is known of the protocol:\n");
    for fact in protocol.facts() {
        let word = if fact.verified { "verified" } else { "unverified" };
        let _ = writeln!(out, "  {word:10}  {} ({})", fact.about, fact.how);
    }
    terminal.print(&out);
    if failed == 0 { Exit::Clean } else { Exit::Found }
}
