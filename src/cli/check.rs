//! `policyc check`: the main job.

use super::against::{self, Against, Compared};
use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal, inputs, names, today};
use crate::checks::compared::OUTSIDE_BASELINE;
use crate::checks::{self, CHECKS, Date};
use crate::diagnostic::{Code, Confidence, Finding, Severity};
use crate::language::Budget;
use crate::project::{self, Compilation};
use crate::report::{Report, github, human, json, junit, markdown, sarif};
use crate::settings::Settings;
use crate::source::SourceMap;
use camino::Utf8PathBuf;
use clap::ValueEnum;
use std::collections::BTreeSet;

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
    let mut input = Input::new(&args.asked)?;
    let found = inputs::find(&mut input, &args.paths)?;
    let mut exit = Exit::Clean;
    let mut budget = Budget::new(args.budget);
    let mut report = Report::default();
    let today = today::or_clock(args.today);
    if !found.about_settings.is_empty() {
        let path = found.settings.folder.clone().unwrap_or_default().join(crate::settings::FILE);
        if found.about_settings.iter().any(input::unreadable) {
            exit = Exit::Unusable;
        }
        report.sections.push(input.section(&path, None, found.about_settings));
    }
    if !found.skipped.is_empty() {
        report.sections.push(input.section("".into(), None, found.skipped));
    }
    // Checks of severity info run where something asks for one of them.
    let raised = |code: Code| found.settings.level(code).flatten() > Some(Severity::Info);
    let asked = |code: Code| named(&args, code) || raised(code);
    let mut infos = CHECKS.iter().filter(|check| check.code.severity == Severity::Info);
    let pedantic = args.pedantic || infos.any(|check| asked(check.code));
    let against = Against::new(&args.against, &found.settings, &mut input)?;
    let (mut notes, mut unverified) = (BTreeSet::new(), BTreeSet::new());
    for (path, named) in &found.inputs {
        let (compilation, findings) = match input.compile(path)? {
            Ok(compilation) => {
                let Compared { base, baseline, note } = against.compare(&mut input, path, &compilation, &mut budget)?;
                notes.extend(note.map(|note| format!("note: {note}\n")));
                let sources = &input.files.sources;
                let mut findings = project::check_all(&compilation, base, sources, today, pedantic, &mut budget);
                findings.extend(baseline);
                (Some(compilation), findings)
            }
            Err(finding) => (None, vec![*finding]),
        };
        if let Some(Compilation { runtime, version, .. }) = &compilation
            && !version.verified
        {
            let (name, version) = (runtime.name(), version.id);
            unverified.insert(format!(
                "note: read as {name} {version}, whose semantics are not verified: the program was not run\n"
            ));
        }
        if *named && findings.iter().any(input::unreadable) {
            exit = Exit::Unusable;
        }
        let findings = chosen(findings, &args, &found.settings);
        report.sections.push(input.section(path, compilation.as_ref(), findings));
    }
    write(&report, &input.files.sources, args.format, terminal)?;
    if args.format == Written::Human {
        unverified.iter().for_each(|note| terminal.tell(note));
    }
    notes.iter().for_each(|note| terminal.tell(note));
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
