//! `check --baseline`: which file, what it holds, and what it holds in vain.

use super::Args;
use super::round::{Checked, Compiled};
use crate::baseline::Baseline;
use crate::checks::CHECKS;
use crate::cli::exit::{Exit, Failure};
use crate::cli::terminal::Terminal;
use crate::diagnostic::Severity;
use crate::files::{Files, clean};
use crate::output;
use crate::report::{Report, human};
use crate::settings::Settings;
use camino::{Utf8Path, Utf8PathBuf};

/// The baseline's file: the command line's, else the settings'.
fn path(args: &Args) -> Option<Utf8PathBuf> {
    args.baseline.clone().or_else(|| {
        let (settings, _) = Settings::nearest(Utf8Path::new("."), &mut Files::default());
        Some(clean(&settings.folder.unwrap_or_default().join(settings.baseline?)))
    })
}

/// The baseline to hold findings against; none where it is only written.
pub(super) fn read(args: &Args) -> Result<Option<Baseline>, Failure> {
    let Some(path) = path(args).filter(|_| !args.write_baseline) else { return Ok(None) };
    let mut files = Files::default();
    let file = files.read(&path).map_err(|(message, _)| {
        Failure::new(format!("the baseline {message}"), "write it first: `policyc check --write-baseline`")
    })?;
    let text = files.sources.file(file).map(|file| file.text()).unwrap_or_default();
    let baseline = Baseline::parse(&path, text).map_err(|why| {
        let help = "write it anew with `policyc check --write-baseline`, and look at what changes";
        Failure::new(format!("`{path}` is no baseline: {why}"), help)
    })?;
    Ok(Some(baseline))
}

/// Writes the baseline of what was found. What could not be read at all is reported all the same.
pub(super) fn write(
    args: &Args,
    compiled: &Compiled<'_>,
    mut checked: Checked,
    terminal: Terminal,
) -> Result<Exit, Failure> {
    let Some(path) = path(args) else {
        let help = "name one with `--baseline FILE`, or as `baseline` in policyc.toml";
        return Err(Failure::new("there is no baseline to write", help));
    };
    let sources = &compiled.input.files.sources;
    let baseline = Baseline::of(&path, &checked.report, sources);
    output::replace(&path, &baseline.text()).map_err(|error| Failure::unwritable(&path, &error))?;
    terminal.tell(&format!("wrote {path}: {}\n", counted(baseline.len(), "finding", "findings")));
    baseline.take(&mut checked.report, sources);
    if checked.report.counted().next().is_some() {
        let Report { sections } = checked.report;
        terminal.tell(&human::findings(&Report { sections }, sources, terminal.style()));
    }
    Ok(checked.exit)
}

/// Says which entries no longer occur, of files and checks that this run looked at.
pub(super) fn tell(baseline: &Baseline, checked: &Checked, args: &Args, terminal: Terminal) {
    if !args.select.is_empty() || !args.ignore.is_empty() {
        return;
    }
    let read: Vec<String> = checked.report.sections.iter().flat_map(|section| &section.sources).cloned().collect();
    let read: Vec<String> = read.iter().map(|name| baseline.name(name)).collect();
    let looked_for = |code: &str| {
        let check = CHECKS.iter().find(|check| check.code.id == code);
        args.pedantic || check.is_none_or(|check| check.code.severity > Severity::Info)
    };
    let gone = checked.gone.iter().filter(|(code, file, _)| looked_for(code) && read.contains(file));
    let gone = gone.fold(0_usize, |sum, (_, _, count)| sum.saturating_add(*count));
    if gone > 0 {
        let (entries, are) = (counted(gone, "entry", "entries"), if gone == 1 { "is" } else { "are" });
        terminal.tell(&format!("note: {entries} of the baseline {are} fixed: write it anew with `--write-baseline`\n"));
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
