//! A policy as the config of a runtime that has one: emitted, read back as the runtime reads it, and compared.

use super::Built;
use super::proof::Proof;
use crate::files::Files;
use crate::language::{Budget, Pattern};
use crate::load::{self, Asked};
use crate::project::{self, Compilation, Options};
use crate::reach;
use crate::ruleset::Ruleset;
use crate::runtimes::{Runtime, Side, Source, Version, Wanted, Written};
use camino::Utf8Path;

/// As [`config`](super::config).
pub(super) fn build(
    files: &mut Files,
    compilation: &Compilation,
    runtime: &'static dyn Runtime,
    (version, agents): (Option<&str>, &[String]),
    budget: &mut Budget,
) -> Result<Built, String> {
    let core = compilation.runtime.name() == "core";
    let version = version_for(compilation, runtime, version)?;
    let empty = read(files, runtime, version, &[]);
    let held = |set: &&Ruleset| agents.is_empty() || agents.contains(&set.agent);
    let rulesets: Vec<Ruleset> = compilation.rulesets.iter().filter(held).cloned().collect();
    let wanted = Wanted {
        policy: Side { model: &compilation.model, rulesets: &rulesets },
        base: Side { model: &empty.model, rulesets: &empty.rulesets },
        core,
        version,
    };
    let name = runtime.title();
    let emitted = runtime.emit(&wanted, budget).ok_or_else(|| format!("no config of {name} is written"))??;
    let back = read(files, runtime, version, &emitted.files);
    let ours = settled(rulesets, runtime, version, core);
    let mut proof = Proof::new(name, compilation, &ours, &back)?;
    emitted.refused.iter().for_each(|loss| proof.refused(&loss.rule, &loss.why));
    emitted.stricter.iter().for_each(|loss| proof.stricter(&loss.rule, &loss.why));
    proof.all(&reach_of(&empty, runtime), budget);
    Ok(Built { files: emitted.files, rows: proof.rows, findings: proof.findings, notes: emitted.notes })
}

fn version_for(
    compilation: &Compilation,
    runtime: &'static dyn Runtime,
    asked: Option<&str>,
) -> Result<&'static Version, String> {
    match compilation.runtime.name() {
        own if own == runtime.name() => Ok(compilation.version),
        "core" => Ok(asked.and_then(|text| load::find_version(runtime, text)).unwrap_or(runtime.default_version())),
        other => Err(format!("a policy for {other} speaks of other tools than {} has", runtime.title())),
    }
}

/// A config of some project files.
fn read(
    files: &mut Files,
    runtime: &'static dyn Runtime,
    version: &'static Version,
    written: &[Written],
) -> Compilation {
    let mut source = |one: &Written| {
        let file = files.sources.add(&one.path, one.text.as_str());
        Source { kind: one.kind, path: Utf8Path::new(&one.path).to_owned(), file }
    };
    let sources: Vec<Source> = written.iter().map(&mut source).collect();
    let asked = Asked { runtime: Some(runtime), version: Some(version.id) };
    project::compile_config(files, runtime, &sources, &Options { asked, ..Options::default() })
}

/// The policy's rulesets as the runtime would run them: what its program adds to every ruleset is added to these too.
fn settled(mut sets: Vec<Ruleset>, runtime: &dyn Runtime, version: &Version, core: bool) -> Vec<Ruleset> {
    if core {
        sets.iter_mut().for_each(|set| runtime.settle(set, version, None));
    }
    sets
}

/// Calls that the runtime never makes: resources that no tool asks for, and permissions with a blank in their name.
fn reach_of(empty: &Compilation, runtime: &dyn Runtime) -> Vec<(Pattern, Pattern)> {
    let mut impossible = reach::impossible(&empty.model, runtime);
    impossible.push((Pattern::wildcard("* **"), Pattern::wildcard("*")));
    impossible
}
