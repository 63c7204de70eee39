//! `policyc init`: a first policy to start from.

use super::input::{self, Input};
use super::{Exit, Failure, Terminal};
use crate::import;
use crate::output;
use crate::runtimes::{RUNTIMES, Runtime};
use camino::{Utf8Path, Utf8PathBuf};
use std::io::ErrorKind;

/// Writes a first policy: from the configs found here, else an example
///
/// A policy made from configs decides what they decide. It never overwrites a file.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file to write
    #[arg(default_value = "team.policy")]
    file: Utf8PathBuf,
}

const EXAMPLE: &str = include_str!("../../policies/examples/first.policy");

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let path = args.file;
    let exists = || Failure::new(format!("`{path}` exists, and is left as it is"), "name another file");
    if path.exists() {
        return Err(exists());
    }
    let here = Utf8Path::new(".");
    let config = |runtime: &&dyn Runtime| !runtime.sources(here, false).is_empty();
    let (text, from) = if RUNTIMES.iter().any(config) {
        let mut input = Input::default();
        let Some(compilation) = input::usable(&mut input, here, terminal)? else { return Ok(Exit::Unusable) };
        let text = import::policy(&compilation, &input.files.sources).map_err(|why| {
            Failure::new(format!("the config found here cannot be said as a policy: {why}"), "correct the config first")
        })?;
        (text, format!(" from the config of {} found here", compilation.runtime.name()))
    } else {
        (EXAMPLE.to_owned(), String::new())
    };
    output::create(&path, &text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => exists(),
        _ => Failure::unwritable(&path, &error),
    })?;
    terminal.tell(&format!("wrote {path}{from}; check it with `policyc check {path}`\n"));
    Ok(Exit::Clean)
}
