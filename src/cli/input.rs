//! A policy or config that a command line names, compiled.

use super::exit::Failure;
use super::names;
use super::terminal::Terminal;
use crate::diagnostic::{Finding, Severity};
use crate::files::{self, Files};
use crate::load::{self, Asked as Wanted};
use crate::project::{self, Compilation, Options};
use crate::report::{Report, Section, human, shown};
use crate::runtimes::Runtime;
use camino::Utf8Path;
use rustc_hash::FxHashSet;

/// Options of every verb that compiles.
#[derive(Debug, clap::Args)]
pub(super) struct Asked {
    /// Read the file as this runtime's, whatever it says
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Semantics of this version of the runtime
    #[arg(long, value_name = "VERSION")]
    runtime_version: Option<String>,
}

/// The files of a run, and how they are to be compiled.
#[derive(Default)]
pub(super) struct Input<'a> {
    pub(super) files: Files,
    pub(super) options: Options<'a>,
}

impl<'a> Input<'a> {
    pub(super) fn new(asked: &'a Asked) -> Result<Input<'a>, Failure> {
        let runtime = asked.runtime.as_deref().map(names::runtime).transpose()?;
        let version = asked.runtime_version.as_deref();
        let asked = Wanted { runtime, version };
        Ok(Input { files: Files::default(), options: Options { asked, environment: None } })
    }

    /// Compiles what a path names.
    ///
    /// # Errors
    /// The outer one if the version asked for is none of the runtime's, the inner one if the file cannot be read.
    pub(super) fn compile(&mut self, path: &Utf8Path) -> Result<Result<Compilation, Box<Finding>>, Failure> {
        let compilation = project::compile_policy(&mut self.files, path, &self.options);
        if let Ok(compilation) = &compilation {
            self.has_version(compilation.runtime)?;
        }
        Ok(compilation)
    }

    fn has_version(&self, runtime: &'static dyn Runtime) -> Result<(), Failure> {
        match self.options.asked.version {
            Some(text) if load::find_version(runtime, text).is_none() => {
                let known: Vec<&str> = runtime.versions().iter().map(|version| version.id).collect();
                let message = format!("policyc knows no version `{text}` of {}", runtime.name());
                Err(Failure::new(message, format!("known are {}", known.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// The arguments that name this input again.
    pub(super) fn target(&self, path: &Utf8Path) -> String {
        let mut text = shown::argument(files::clean(path).as_str());
        let Wanted { runtime, version } = self.options.asked;
        if let Some(runtime) = runtime {
            text.push_str(&format!(" --runtime {}", runtime.name()));
        }
        if let Some(version) = version {
            text.push_str(&format!(" --runtime-version {}", shown::argument(version)));
        }
        text
    }

    /// What was found about a path, with how much there was.
    pub(super) fn section(
        &self,
        path: &Utf8Path,
        compilation: Option<&Compilation>,
        findings: Vec<Finding>,
    ) -> Section {
        let rules = compilation.map(|compilation| {
            let rules = compilation.rulesets.iter().flat_map(|set| &set.rules);
            rules.map(|rule| rule.id).collect::<FxHashSet<u32>>().len()
        });
        Section {
            target: self.target(path),
            findings,
            agents: compilation.map_or(0, |compilation| compilation.rulesets.len()),
            rules: rules.unwrap_or(0),
            sources: vec![files::clean(path).to_string()],
        }
    }
}

/// Compiles what a path names, for a verb that answers by it. What is wrong with it is told; if that could make an answer
/// wrong, there is none (`None`).
pub(super) fn usable(
    input: &mut Input<'_>,
    path: &Utf8Path,
    terminal: Terminal,
) -> Result<Option<Compilation>, Failure> {
    let (compilation, findings) = match input.compile(path)? {
        Ok(compilation) => {
            let errors = compilation.findings.iter().filter(|finding| finding.severity == Severity::Error);
            let errors = errors.cloned().collect();
            (Some(compilation), errors)
        }
        Err(finding) => (None, vec![*finding]),
    };
    let unusable = findings.iter().any(spoils);
    if !findings.is_empty() {
        let report = Report { sections: vec![input.section(path, compilation.as_ref(), findings)] };
        terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
    }
    Ok(compilation.filter(|_| !unusable))
}

/// Whether what was found leaves rules out that its author meant. A runtime that refuses the file (PC1003, PC1004) does
/// not: then the answer is what the file says, and the finding stands beside it.
fn spoils(finding: &Finding) -> bool {
    finding.severity == Severity::Error && !matches!(finding.code.id, "PC1003" | "PC1004")
}

/// Whether a text cannot be read or parsed: exit code 2 where the command line names it.
pub(super) fn unreadable(finding: &Finding) -> bool {
    matches!(finding.code.id, "PC1001" | "PC1002")
}
