//! `policyc fmt`: the canonical form, comments kept.

use super::input::Input;
use super::{Exit, Failure, Terminal, inputs};
use crate::diagnostic::Finding;
use crate::files;
use crate::output;
use crate::report::{Report, human};
use crate::syntax;
use camino::{Utf8Path, Utf8PathBuf};
use similar::TextDiff;

/// Formats policies in place
///
/// Comments and blank lines are kept. What is written is parsed again first and says the same. A file with a syntax error
/// is left as it is.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Policies or folders; `-` formats standard input to standard output
    #[arg(default_value = ".", hide_default_value = true)]
    paths: Vec<Utf8PathBuf>,
    /// Change nothing; exit with 1 if a file is not formatted
    #[arg(long)]
    check: bool,
    /// Change nothing; show what would change
    #[arg(long)]
    diff: bool,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::default();
    let paths = inputs::policies(&mut input, &args.paths)?;
    let mut exit = Exit::Clean;
    let (mut changed, mut same) = (0, 0);
    let reading_only = args.check || args.diff;
    for (path, named) in &paths {
        let (before, after) = match format(&mut input, path) {
            Ok(texts) => texts,
            Err(findings) => {
                tell(&input, path, findings, terminal);
                exit = exit.max(if *named { Exit::Unusable } else { Exit::Found });
                continue;
            }
        };
        let name = files::clean(path);
        match before == after {
            true => same += 1,
            false => changed += 1,
        }
        if args.diff {
            terminal.print(&diff(&before, &after, name.as_str()));
        } else if args.check && before != after {
            terminal.tell(&format!("{name} is not formatted\n"));
        } else if path == "-" && !args.check {
            terminal.print(&after);
        } else if before != after && !args.check {
            write(path, &after)?;
        }
        if reading_only && before != after {
            exit = exit.max(Exit::Found);
        }
    }
    if paths.iter().all(|(path, _)| path != "-") {
        let verb = if reading_only { "would change" } else { "formatted" };
        terminal.tell(&format!("{changed} {verb}, {same} left as they are\n"));
    }
    Ok(exit)
}

/// A file's text and its canonical form.
fn format(input: &mut Input<'_>, path: &Utf8Path) -> Result<(String, String), Vec<Finding>> {
    let id = input.files.read_or_report(path, None).map_err(|finding| vec![*finding])?;
    let before = input.files.sources.file(id).map(|file| file.text().to_owned()).unwrap_or_default();
    let after = syntax::format(id, &before)?;
    Ok((before, after))
}

fn write(path: &Utf8Path, text: &str) -> Result<(), Failure> {
    output::replace(path, text).map_err(|error| Failure::unwritable(path, &error))
}

fn diff(before: &str, after: &str, name: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().header(name, &format!("{name} (formatted)")).to_string()
}

fn tell(input: &Input<'_>, path: &Utf8Path, findings: Vec<Finding>, terminal: Terminal) {
    let report = Report { sections: vec![input.section(path, None, findings)] };
    terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
}
