//! What is to be compiled: a target, the folder it goes to, and the agents it holds.

use super::super::input::Input;
use super::super::{Failure, Terminal, names};
use crate::files;
use crate::project::Compilation;
use crate::report::{Report, human};
use crate::runtimes::{RUNTIMES, Runtime};
use crate::settings::{FILE, Settings};
use camino::{Utf8Path, Utf8PathBuf};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Something that a policy compiles to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// What `policyc.toml` names.
    All,
    /// The config of a runtime.
    Config(&'static dyn Runtime),
    /// An extension for pi.
    Pi,
    /// The flattened rulesets.
    Json,
    /// A module that decides.
    Js,
    /// Compiled decisions for hooks.
    Table,
}

impl Target {
    /// All there are, each with what it writes.
    fn known() -> Vec<(Target, String)> {
        let config = |runtime: &&'static dyn Runtime| match runtime.name() {
            "core" => None,
            "pi" => Some((Target::Pi, "an extension for pi: `index.ts`, `package.json`".to_owned())),
            _ => Some((Target::Config(*runtime), format!("the config of {}", runtime.title()))),
        };
        let others = [
            (Target::Json, "the flattened rulesets of any runtime: `policy.json`"),
            (
                Target::Js,
                "an ES module that decides, without dependencies, and its types: `policy.mjs`, `policy.d.mts`",
            ),
            (Target::Table, "compiled decisions for hooks, read in microseconds: `policy.table`"),
            (Target::All, "every target that `policyc.toml` names, each to its folder"),
        ];
        let others = others.map(|(target, help)| (target, help.to_owned()));
        RUNTIMES.iter().filter_map(config).chain(others).collect()
    }

    /// Its word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Target::All => "all",
            Target::Config(runtime) => runtime.name(),
            Target::Pi => "pi",
            Target::Json => "json",
            Target::Js => "js",
            Target::Table => "table",
        }
    }

    fn of(name: &str) -> Option<Target> {
        Target::known().into_iter().map(|(target, _)| target).find(|target| target.name() == name)
    }

    /// Reads one from a command line.
    pub(super) fn parser() -> impl TypedValueParser<Value = Target> {
        let values = Target::known().into_iter().map(|(target, help)| PossibleValue::new(target.name()).help(help));
        PossibleValuesParser::new(values).try_map(|name| Target::of(&name).ok_or("no target"))
    }
}

impl PartialEq for Target {
    fn eq(&self, other: &Target) -> bool {
        self.name() == other.name()
    }
}

/// A target and where it goes.
pub(super) struct Order {
    /// What is written.
    pub(super) target: Target,
    /// The folder.
    pub(super) folder: Utf8PathBuf,
    /// The agents; none: all.
    pub(super) agents: Vec<String>,
}

impl Order {
    /// Refuses names that no agent has, and targets that hold all agents or none.
    pub(super) fn check_agents(&self, compilation: &Compilation) -> Result<(), Failure> {
        for agent in &self.agents {
            names::agent(compilation, Some(agent))?;
        }
        match self.target {
            Target::Config(_) => Ok(()),
            _ if self.agents.is_empty() => Ok(()),
            target => Err(Failure::new(
                format!("the target `{}` holds all agents", target.name()),
                format!("leave out its `agents` in `{FILE}`"),
            )),
        }
    }
}

/// What the settings of a policy's folder name.
pub(super) fn of_settings(policy: &Utf8Path, input: &mut Input<'_>, terminal: Terminal) -> Result<Vec<Order>, Failure> {
    let beside = if policy == "-" { Utf8Path::new(".") } else { policy.parent().unwrap_or(Utf8Path::new(".")) };
    let (settings, findings) = Settings::nearest(beside, &mut input.files);
    let wrong = !findings.is_empty();
    if wrong {
        let report = Report { sections: vec![input.section(Utf8Path::new(FILE), None, findings)] };
        terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
    }
    let help = || format!("name them there: `targets = [{{ runtime = \"opencode\", out = \".\" }}]` in `{FILE}`");
    match settings.folder {
        Some(_) if wrong => {
            Err(Failure::new(format!("`{FILE}` has mistakes, so nothing is written"), "correct them first"))
        }
        Some(folder) if !settings.targets.is_empty() => settings
            .targets
            .into_iter()
            .map(|one| {
                let target = Target::of(&one.runtime).filter(|target| *target != Target::All).ok_or_else(|| {
                    let known: Vec<&str> = Target::known().iter().map(|(target, _)| target.name()).collect();
                    Failure::new(
                        format!("`{FILE}` names a target `{}`, which there is not", one.runtime),
                        names::help(&one.runtime, &known, "`policyc compile --help` shows all targets"),
                    )
                })?;
                Ok(Order { target, folder: files::clean(&folder.join(one.out)), agents: one.agents })
            })
            .collect(),
        Some(_) => Err(Failure::new(format!("`{FILE}` names no targets"), help())),
        None => Err(Failure::new(format!("there is no `{FILE}` at or above the policy's folder"), help())),
    }
}
