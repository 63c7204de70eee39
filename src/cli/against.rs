//! What `check` compares its inputs with.

use super::exit::Failure;
use super::input::Input;
use crate::change::findings;
use crate::diagnostic::Finding;
use crate::files::Files;
use crate::language::Budget;
use crate::project::Compilation;
use crate::settings::Settings;
use crate::syntax::ast::Item;
use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

/// Options of `check` that bring in other files.
#[derive(Debug, clap::Args)]
pub(super) struct Others {
    /// Report what is looser (or with --pedantic, tighter) than the same files at this revision
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Report where an agent may more than this policy or config lets it
    #[arg(long, value_name = "FILE")]
    pub(super) within: Option<Utf8PathBuf>,
}

/// What the inputs of a run are compared with.
pub(super) struct Against<'a> {
    base: Option<&'a str>,
    baseline: Option<(String, Compilation)>,
}

/// What comparing an input gave.
#[derive(Default)]
pub(super) struct Compared {
    /// Findings that an `@ignore` may cover.
    pub(super) base: Vec<Finding>,
    /// Findings that none covers.
    pub(super) baseline: Vec<Finding>,
    /// Why there is nothing to compare with.
    pub(super) note: Option<String>,
}

impl<'a> Against<'a> {
    /// Reads the baseline.
    pub(super) fn new(asked: &'a Others, settings: &Settings, input: &mut Input<'_>) -> Result<Against<'a>, Failure> {
        let baseline = match (&asked.within, &settings.within) {
            (Some(path), _) => Some((path.to_string(), input.whole(path)?)),
            (None, Some(within)) => {
                let path = settings.folder.clone().unwrap_or_default().join(&within.file);
                let compilation = input.whole(&path)?;
                if let Some(hash) = &within.sha256 {
                    pinned(&compilation, &path, hash, &mut input.files)?;
                }
                Some((within.file.clone(), compilation))
            }
            (None, None) => None,
        };
        Ok(Against { base: asked.base.as_deref(), baseline })
    }

    /// Compares a compiled input.
    pub(super) fn compare(
        &self,
        input: &mut Input<'_>,
        path: &Utf8Path,
        compilation: &Compilation,
        budget: &mut Budget,
    ) -> Result<Compared, Failure> {
        let mut compared = Compared::default();
        if let Some(revision) = self.base {
            match input.base(path, revision)? {
                Ok(old) => {
                    let name = format!("`{revision}`");
                    compared.base = findings::against_base(&old, compilation, &name, budget);
                }
                Err(note) => compared.note = Some(note),
            }
        }
        if let Some((name, baseline)) = &self.baseline {
            let name = format!("the baseline `{name}`");
            compared.baseline = findings::outside_baseline(baseline, compilation, &name, budget);
        }
        Ok(compared)
    }
}

/// Whether a baseline is the one that the settings pin: its bytes, and nothing but them.
fn pinned(compilation: &Compilation, path: &Utf8Path, hash: &str, files: &mut Files) -> Result<(), Failure> {
    let shown = files.shown(path);
    let takes = |item: &Item| matches!(item, Item::Layer { from, .. } if !from.is_empty());
    let others = compilation.program.statements().any(|(_, stmt, _)| takes(&stmt.node));
    if path.is_dir() || compilation.program.policies.len() > 2 || others {
        let message = format!("`{shown}` is not one file, so its hash does not pin it");
        return Err(Failure::new(message, "put the baseline into one policy without `use` and `from`"));
    }
    let file = files.read(path)?;
    let text = files.sources.file(file).map(|file| file.text()).unwrap_or_default();
    let found: String = Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    if found.eq_ignore_ascii_case(hash) {
        return Ok(());
    }
    let message = format!("`{shown}` is not the baseline that policyc.toml pins: its sha256 is {found}");
    Err(Failure::new(
        message,
        "find out who changed it; where the change is meant, write the new hash into policyc.toml",
    ))
}
