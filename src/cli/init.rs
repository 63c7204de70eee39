//! `policyc init`: a first policy to start from.

use super::{Exit, Failure, Terminal};
use crate::output;
use camino::Utf8PathBuf;
use std::io::ErrorKind;

/// Writes a first policy
///
/// It never overwrites a file.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file to write
    #[arg(default_value = "team.policy")]
    file: Utf8PathBuf,
}

const EXAMPLE: &str = include_str!("../../policies/examples/first.policy");

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let path = args.file;
    output::create(&path, EXAMPLE).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(format!("`{path}` exists, and is left as it is"), "name another file"),
        _ => Failure::unwritable(&path, &error),
    })?;
    terminal.tell(&format!("wrote {path}; check it with `policyc check {path}`\n"));
    Ok(Exit::Clean)
}
