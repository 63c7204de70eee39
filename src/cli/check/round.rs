//! One round of `check`: everything compiled and checked, with texts that stand in for files.

use super::{Args, chosen, ignored, named};
use crate::baseline::Baseline;
use crate::change::disagree;
use crate::checks::{CHECKS, Date};
use crate::cli::against::Against;
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::{self, Input};
use crate::cli::inputs::{self, Found};
use crate::diagnostic::{Code, Finding, Severity};
use crate::files::clean;
use crate::language::Budget;
use crate::project::{self, Compilation};
use crate::report::Report;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};

/// Texts that stand in for files, by the paths that are shown.
pub(super) type Texts = BTreeMap<Utf8PathBuf, String>;

/// Everything compiled.
pub(super) struct Compiled<'a> {
    pub(super) input: Input<'a>,
    pub(super) found: Found,
    /// One for each path that was found, in their order.
    pub(super) compilations: Vec<Result<Compilation, Box<Finding>>>,
}

/// Compiles all that the command line names.
pub(super) fn compile<'a>(args: &'a Args, texts: &Texts) -> Result<Compiled<'a>, Failure> {
    let mut input = Input::new(&args.asked)?;
    for (path, text) in texts {
        input.files.given(path, text);
    }
    let found = inputs::find(&mut input, &args.paths)?;
    let compilations: Result<Vec<_>, Failure> = found.inputs.iter().map(|(path, _)| input.compile(path)).collect();
    let mut compiled = Compiled { compilations: compilations?, input, found };
    let wrong = ignored::annotate(&mut compiled);
    compiled.found.about_settings.extend(wrong);
    Ok(compiled)
}

/// What came of the checks.
#[derive(Default)]
pub(super) struct Checked {
    pub(super) report: Report,
    /// How the run ends, the findings themselves left out.
    pub(super) exit: Exit,
    /// What is to be said of runtimes.
    pub(super) unverified: BTreeSet<String>,
    /// What could not be compared.
    pub(super) notes: BTreeSet<String>,
    /// Codes and files of what the baseline holds and this run did not find.
    pub(super) gone: Vec<(String, String, usize)>,
}

/// Checks what was compiled.
pub(super) fn check(
    compiled: &mut Compiled<'_>,
    args: &Args,
    (today, baseline): (Date, Option<&Baseline>),
    budget: &mut Budget,
) -> Result<Checked, Failure> {
    let mut checked = Checked::default();
    checked.about_folders(compiled);
    let Compiled { input, found, compilations } = compiled;
    // Checks of severity info run where something asks for one of them.
    let raised = |code: Code| found.settings.level(code).flatten() > Some(Severity::Info);
    let mut infos = CHECKS.iter().filter(|check| check.code.severity == Severity::Info);
    let pedantic = args.pedantic || infos.any(|check| named(args, check.code) || raised(check.code));
    let against = Against::new(&args.against, &found.settings, input)?;
    let mut disagreements = disagreements(found, compilations, budget);
    for (at, ((path, named), compiled)) in found.inputs.iter().zip(compilations).enumerate() {
        let (compilation, findings) = match compiled {
            Ok(compilation) => {
                let compared = against.compare(input, path, compilation, budget)?;
                checked.notes.extend(compared.note.map(|note| format!("note: {note}\n")));
                let sources = &input.files.sources;
                let more = [compared.base, disagreements.remove(&at).unwrap_or_default()].concat();
                let mut findings = project::check_all(compilation, more, sources, today, pedantic, budget);
                findings.extend(compared.baseline);
                (Some(&*compilation), findings)
            }
            Err(finding) => (None, vec![(**finding).clone()]),
        };
        checked.unverified.extend(compilation.and_then(unverified));
        if *named && findings.iter().any(input::unreadable) {
            checked.exit = Exit::Unusable;
        }
        let findings = chosen(findings, args, &found.settings);
        checked.report.sections.push(input.section(path, compilation, findings));
    }
    if let Some(baseline) = baseline {
        checked.gone = baseline.take(&mut checked.report, &input.files.sources);
    }
    Ok(checked)
}

/// Where the configs of several runtimes in one project disagree, by the place of the input that denies.
fn disagreements(
    found: &Found,
    compilations: &[Result<Compilation, Box<Finding>>],
    budget: &mut Budget,
) -> BTreeMap<usize, Vec<Finding>> {
    let inputs = || found.inputs.iter().zip(compilations).enumerate();
    let configs = inputs().filter_map(|(at, ((path, named), compiled))| match compiled {
        Ok(compilation) if !named && path.extension() != Some("policy") => Some((at, project(path), compilation)),
        _ => None,
    });
    let configs: Vec<(usize, Utf8PathBuf, &Compilation)> = configs.collect();
    let mut out: BTreeMap<usize, Vec<Finding>> = BTreeMap::new();
    for (at, folder, ours) in &configs {
        for (_, _, theirs) in configs.iter().filter(|(other, beside, _)| other != at && beside == folder) {
            out.entry(*at).or_default().extend(disagree::disagreements(ours, theirs, budget));
        }
    }
    out
}

/// The project that a config found in a folder is of: many runtimes keep theirs in a hidden folder of it.
fn project(path: &Utf8Path) -> Utf8PathBuf {
    let hidden = path.file_name().is_some_and(|name| name.starts_with('.'));
    clean(path.parent().filter(|_| hidden).unwrap_or(path))
}

impl Checked {
    /// What is wrong with the settings, and what is there and cannot be read.
    fn about_folders(&mut self, compiled: &mut Compiled<'_>) {
        let Compiled { input, found, .. } = compiled;
        if !found.about_settings.is_empty() {
            let path = found.settings.folder.clone().unwrap_or_default().join(crate::settings::FILE);
            if found.about_settings.iter().any(input::unreadable) {
                self.exit = Exit::Unusable;
            }
            self.report.sections.push(input.section(&path, None, found.about_settings.clone()));
        }
        if !found.skipped.is_empty() {
            self.report.sections.push(input.section("".into(), None, found.skipped.clone()));
        }
    }
}

fn unverified(compilation: &Compilation) -> Option<String> {
    let (name, version) = (compilation.runtime.name(), compilation.version);
    (!version.verified).then(|| {
        format!("note: read as {name} {}, whose semantics are not verified: the program was not run\n", version.id)
    })
}
