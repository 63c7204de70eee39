//! What a verb works on: the paths that are named, and what is found in folders.

use super::exit::Failure;
use super::input::Input;
use crate::diagnostic::Finding;
use crate::discover::{self, Scope};
use crate::files::clean;
use crate::runtimes::{RUNTIMES, Runtime};
use crate::settings::Settings;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;

/// Paths to work on.
pub(super) struct Found {
    /// Each path once, and whether the command line names it (else it was found in a folder).
    pub(super) inputs: Vec<(Utf8PathBuf, bool)>,
    /// The project's settings.
    pub(super) settings: Settings,
    /// What is wrong with them.
    pub(super) about_settings: Vec<Finding>,
    /// What has the name of a policy or config, and cannot be read.
    pub(super) skipped: Vec<Finding>,
}

/// The inputs that these paths stand for.
///
/// # Errors
/// If there is nothing at all, or the settings' globs are none.
pub(super) fn find(input: &mut Input<'_>, paths: &[Utf8PathBuf]) -> Result<Found, Failure> {
    let (settings, about_settings, scope) = scope(input)?;
    let mut inputs = Vec::new();
    let mut about = Vec::new();
    for path in paths {
        if is_folder(path) {
            let (files, skipped) = discover::files(path, &scope);
            about.extend(skipped.iter().map(|skipped| skipped.finding(&mut input.files)));
            let policies = discover::policies(&files, &scope, &mut input.files);
            let before = inputs.len();
            let configs = discover::configs(&files);
            inputs.extend(configs.iter().map(|(path, _)| (path.clone(), false)));
            input.belongs.extend(configs);
            inputs.extend(policies.into_iter().map(|path| (path, false)));
            // A folder without config of its own may stand under one, or on a machine that has some.
            let sources = |runtime: &&dyn Runtime| !runtime.sources(path, input.machine()).is_empty();
            if inputs.len() == before && RUNTIMES.iter().any(sources) {
                inputs.push((path.clone(), false));
            }
        } else {
            inputs.push((path.clone(), true));
        }
    }
    let what = "no `*.policy` and no config of a known runtime";
    // A folder in which only something unreadable was found is not empty.
    let inputs = if inputs.is_empty() && !about.is_empty() { inputs } else { each_once(inputs, paths, what)? };
    Ok(Found { inputs, settings, about_settings, skipped: about })
}

/// The policies that these paths stand for, each with whether it was named; also those that others use.
///
/// # Errors
/// As [`find`].
pub(super) fn policies(input: &mut Input<'_>, paths: &[Utf8PathBuf]) -> Result<Vec<(Utf8PathBuf, bool)>, Failure> {
    let (_, _, scope) = scope(input)?;
    let mut inputs = Vec::new();
    for path in paths {
        if is_folder(path) {
            let (files, _) = discover::files(path, &scope);
            inputs.extend(files.into_iter().filter(|path| scope.is_policy(path)).map(|path| (clean(&path), false)));
        } else {
            inputs.push((path.clone(), true));
        }
    }
    each_once(inputs, paths, "no `*.policy`")
}

fn scope(input: &mut Input<'_>) -> Result<(Settings, Vec<Finding>, Scope), Failure> {
    let (settings, about_settings) = Settings::nearest(Utf8Path::new("."), &mut input.files);
    let scope = Scope::new(settings.folder.as_deref(), &settings.policies, &settings.exclude)
        .map_err(|message| Failure::new(message, "correct it in policyc.toml"))?;
    Ok((settings, about_settings, scope))
}

fn is_folder(path: &Utf8Path) -> bool {
    path != "-" && path.is_dir()
}

fn each_once(
    mut inputs: Vec<(Utf8PathBuf, bool)>,
    paths: &[Utf8PathBuf],
    what: &str,
) -> Result<Vec<(Utf8PathBuf, bool)>, Failure> {
    if inputs.is_empty() {
        let folders = paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ");
        let help = "name a file, or write a first policy with `policyc init`";
        return Err(Failure::new(format!("there is {what} in {folders}"), help));
    }
    let mut seen = FxHashSet::default();
    inputs.retain(|(path, _)| seen.insert(clean(path)));
    Ok(inputs)
}
