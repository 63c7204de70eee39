//! `policyc check`: the main job.

mod held;
mod ignored;
mod repair;
mod round;

use super::against;
use super::input::{self, Asked};
use super::{Exit, Failure, Terminal, names, today};
use crate::checks::compared::OUTSIDE_BASELINE;
use crate::checks::{self, CHECKS, Date};
use crate::diagnostic::{Code, Confidence, Finding, Severity};
use crate::language::Budget;
use crate::report::{Report, github, human, json, junit, markdown, sarif};
use crate::settings::Settings;
use crate::source::SourceMap;
use camino::Utf8PathBuf;
use clap::ValueEnum;
use repair::Repair;
use round::Checked;

/// Finds rules that never decide, denies that never bind and promises that do not hold
///
/// A path is a policy, a runtime's config, or a folder, in which every policy and every known runtime's config is found
/// (`.gitignore` is honoured). What is found is proved: a finding comes with a call that shows it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Policies, configs or folders; `-` is a policy on standard input
    #[arg(default_value = ".", hide_default_value = true)]
    paths: Vec<Utf8PathBuf>,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    format: Written,
    /// Report these only: codes, names, or beginnings of codes like PC01
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    select: Vec<String>,
    /// Do not report these
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Report only what is not in this file; `baseline` of policyc.toml names it too
    #[arg(long, value_name = "FILE")]
    baseline: Option<Utf8PathBuf>,
    /// Write what is found to the baseline instead of reporting it
    #[arg(long)]
    write_baseline: bool,
    /// Make the fixes that are proved
    #[arg(long)]
    fix: bool,
    /// Show what `--fix` would change, and change nothing; exit with 1 if that is something
    #[arg(long, conflicts_with = "write_baseline")]
    diff: bool,
    /// The least severity that makes the exit code 1
    #[arg(long, value_enum, value_name = "SEVERITY", default_value_t)]
    fail_on: FailOn,
    /// Exit with 3 if a check stays undecided within its budget
    #[arg(long)]
    strict: bool,
    /// Report also what is only worth knowing, and guesses
    #[arg(long)]
    pedantic: bool,
    /// States that one question may search; the answer does not depend on the machine
    #[arg(long, value_name = "STATES", default_value_t = Budget::default().question())]
    budget: usize,
    /// The day that expiries of `@ignore` are held against, instead of the clock's
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = today::parse)]
    today: Option<Date>,
    #[command(flatten)]
    against: against::Others,
    #[command(flatten)]
    asked: Asked,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Written {
    /// For a person
    #[default]
    Human,
    /// For a program: one JSON document with a `schema`
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// JUnit XML, for CI servers
    Junit,
    /// Workflow commands of GitHub Actions, shown beside the lines
    Github,
    /// Markdown, for a job's summary or a comment
    Markdown,
}

/// From which severity on a run fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Errors
    #[default]
    Error,
    /// Warnings and errors
    Warning,
    /// Whatever is found
    Info,
    /// Nothing
    Never,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    for name in args.select.iter().chain(&args.ignore) {
        names::selector(name)?;
    }
    let today = today::or_clock(args.today);
    let fixing = args.fix || args.diff;
    let baseline = held::read(&args)?;
    let repair = if fixing { repair::run(&args, today, baseline.as_ref())? } else { Repair::default() };
    let changes = fixing && repair.deliver(args.diff, terminal)?;
    let mut compiled = round::compile(&args, &repair.texts)?;
    let checked = round::check(&mut compiled, &args, (today, baseline.as_ref()), &mut Budget::new(args.budget))?;
    if args.write_baseline {
        return held::write(&args, &compiled, checked, terminal);
    }
    if let Some(baseline) = &baseline {
        held::tell(baseline, &checked, &args, terminal);
    }
    let Checked { report, exit, unverified, notes, .. } = checked;
    write(&report, &compiled.input.files.sources, args.format, terminal)?;
    if args.format == Written::Human {
        unverified.iter().for_each(|note| terminal.tell(note));
    }
    notes.iter().for_each(|note| terminal.tell(note));
    let exit = if changes && args.diff { exit.max(Exit::Found) } else { exit };
    let findings = report.sections.iter().flat_map(|section| &section.findings);
    let findings = findings.filter(|finding| finding.ignored.is_none());
    Ok(findings.fold(exit, |exit, finding| exit.max(outcome(finding, &args))))
}

/// Writes a report: for a person to standard error, for a machine to standard output.
fn write(report: &Report, sources: &SourceMap, format: Written, terminal: Terminal) -> Result<(), Failure> {
    match format {
        Written::Human => terminal.tell(&human::report(report, sources, terminal.style())),
        Written::Json => terminal.print(&format!("{:#}\n", json::report(report, sources))),
        Written::Github => terminal.print(&github::report(report, sources)),
        Written::Markdown => terminal.print(&markdown::report(report, sources)),
        Written::Junit => {
            let text = junit::report(report, sources);
            terminal.print(&text.map_err(|error| Failure { message: error.to_string(), help: None })?);
        }
        Written::Sarif => {
            let pages: Vec<_> = CHECKS.iter().map(|check| (check.code, check.page)).collect();
            let sarif = sarif::report(report, sources, &pages);
            terminal.print(&format!("{:#}\n", sarif.log));
            sarif.notes.iter().for_each(|note| terminal.tell(&format!("note: {note}\n")));
        }
    }
    Ok(())
}

/// The findings that are reported, with the severities that the project gives them.
fn chosen(findings: Vec<Finding>, args: &Args, settings: &Settings) -> Vec<Finding> {
    let is = |finding: &Finding, name: &String| checks::selects(name, finding.code);
    let mut out = Vec::new();
    for mut finding in findings {
        // Why nothing could be checked is always said.
        let always = input::unreadable(&finding);
        // A project does not decide what others hold it to.
        let held = args.against.within.is_some() && finding.code == OUTSIDE_BASELINE;
        let level = settings.level(finding.code).filter(|_| !held);
        let asked = args.select.is_empty() || args.select.iter().any(|name| is(&finding, name));
        let ignored =
            args.ignore.iter().any(|name| is(&finding, name)) || level == Some(None) && args.select.is_empty();
        if let Some(Some(severity)) = level {
            finding.severity = severity;
        }
        if args.strict && is_undecided(&finding) {
            finding.severity = Severity::Error;
        }
        let quiet = !args.pedantic && finding.severity == Severity::Info && !named(args, finding.code);
        if always || asked && !ignored && !quiet {
            out.push(finding);
        }
    }
    out
}

/// Whether `--select` names this very check, and not only its group.
fn named(args: &Args, code: Code) -> bool {
    args.select.iter().any(|name| name == code.name || name.eq_ignore_ascii_case(code.id))
}

fn outcome(finding: &Finding, args: &Args) -> Exit {
    if args.strict && is_undecided(finding) {
        return Exit::Undecided;
    }
    let fails = match args.fail_on {
        FailOn::Error => finding.severity == Severity::Error,
        FailOn::Warning => finding.severity >= Severity::Warning,
        FailOn::Info => true,
        FailOn::Never => false,
    };
    if fails { Exit::Found } else { Exit::Clean }
}

/// A check that stayed undecided; a promise or test that did has failed, and is no such finding.
fn is_undecided(finding: &Finding) -> bool {
    finding.confidence == Confidence::Undecided && finding.code.id == "PC0908"
}
