//! `policyc hook --selftest`: a protocol tried, and what is known of it.

use super::Args;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::Input;
use crate::cli::terminal::Terminal;
use crate::files::Files;
use crate::hook::{self, Policy, selftest};
use crate::project::Compilation;
use crate::rule::Action;
use crate::runtimes::Environment;
use crate::runtimes::protocol::Protocol;
use crate::source::SourceMap;
use std::fmt::Write as _;

pub(super) fn run(protocol: &dyn Protocol, args: &Args, terminal: Terminal) -> Result<Exit, Failure> {
    let broken = |why: String| Failure { message: why, help: None };
    match &args.policy {
        Some(path) => {
            let mut input = Input::session("/policyc-selftest", "/policyc-selftest");
            let compilation = input.whole(path)?;
            let environment = input.options.environment.as_ref();
            tell(protocol, args, (&compilation, &input.files.sources, environment), false, terminal)
        }
        None => {
            let mut files = Files::default();
            let compilation = selftest::policy(&mut files).map_err(broken)?;
            tell(protocol, args, (&compilation, &files.sources, None), true, terminal)
        }
    }
}

type Made<'a> = (&'a Compilation, &'a SourceMap, Option<&'a Environment>);

fn tell(protocol: &dyn Protocol, args: &Args, made: Made<'_>, own: bool, terminal: Terminal) -> Result<Exit, Failure> {
    let policy = Policy::of(made.0, made.1, made.2);
    let tried = selftest::run(protocol, &policy, args.agent.as_deref(), own);
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
    Ok(if failed == 0 { Exit::Clean } else { Exit::Found })
}
