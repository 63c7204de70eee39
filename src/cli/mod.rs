//! The command line: one file a verb. Verbs call the pipeline and a report, and never each other.

mod against;
mod can;
mod check;
mod compile;
mod completions;
mod decide;
mod decision;
mod diff;
mod exit;
mod explain;
mod flatten;
mod flattened;
mod fmt;
mod git;
mod hook;
mod import;
mod init;
mod input;
mod inputs;
mod names;
mod outcomes;
mod simulate;
mod terminal;
mod test;
mod today;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
use exit::{Exit, Failure};
use std::process::ExitCode;
use terminal::{Colour, Terminal};

/// Compiler and checker for the permissions of coding agents.
///
/// policyc reads a policy (`*.policy`) or the config of a coding agent as it is, decides every call exactly as that
/// runtime does, and reports rules that never decide, denies that never bind and promises that do not hold, each with a
/// call that shows it.
#[derive(Debug, Parser)]
#[command(name = "policyc", version, arg_required_else_help = true, subcommand_required = true)]
#[command(
    after_help = "Exit codes: 0 nothing found; 1 findings, a failed test or a difference; 2 wrong usage or an input \
                        that cannot be read or parsed; 3 undecided, under --strict.\n\n\
                        Start with `policyc check`, and `policyc explain CODE` for what it finds."
)]
pub struct Cli {
    /// When to colour what is shown; NO_COLOR is honoured
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t)]
    color: Colour,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Flatten(flatten::Args),
    Decide(decide::Args),
    Can(can::Args),
    Diff(diff::Args),
    Compile(compile::Args),
    Import(import::Args),
    Test(test::Args),
    Simulate(simulate::Args),
    Fmt(fmt::Args),
    Hook(hook::Args),
    Explain(explain::Args),
    Init(init::Args),
    Completions(completions::Args),
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    #[default]
    Human,
    /// For a program: one JSON document with a `schema`
    Json,
}

/// Runs the program on its arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // A hook that is called wrongly refuses, in the words of whoever called it.
        Err(error) => return hook::misused(&error).unwrap_or_else(|| error.exit()),
    };
    let terminal = Terminal::new(cli.color);
    let result = match cli.command {
        Command::Check(args) => check::run(args, terminal),
        Command::Flatten(args) => flatten::run(args, terminal),
        Command::Decide(args) => decide::run(args, terminal),
        Command::Can(args) => can::run(args, terminal),
        Command::Diff(args) => diff::run(args, terminal),
        Command::Compile(args) => compile::run(args, terminal),
        Command::Import(args) => import::run(args, terminal),
        Command::Test(args) => test::run(args, terminal),
        Command::Simulate(args) => simulate::run(args, terminal),
        Command::Fmt(args) => fmt::run(args, terminal),
        Command::Hook(args) => hook::run(args, terminal),
        Command::Explain(args) => explain::run(args, terminal),
        Command::Init(args) => init::run(args, terminal),
        Command::Completions(args) => completions::run(args, terminal),
    };
    let exit = result.unwrap_or_else(|Failure { message, help }| {
        // Names in it may come from files that nobody vouches for.
        let message = crate::report::shown::lines(&message);
        let help = help.map(|help| format!("  help: {}\n", crate::report::shown::lines(&help))).unwrap_or_default();
        terminal.tell(&format!("\x1b[1;31merror\x1b[0m: {message}\n{help}"));
        Exit::Unusable
    });
    exit.into()
}

fn command() -> clap::Command {
    Cli::command()
}
