//! `policyc completions`: generated from the same structs as the help.

use super::{Exit, Failure, Terminal, command};
use clap_complete::Shell;

/// Prints a shell's completions
///
/// For bash: `policyc completions bash > ~/.local/share/bash-completion/completions/policyc`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "policyc", &mut text);
    terminal.print(&String::from_utf8_lossy(&text));
    Ok(Exit::Clean)
}
