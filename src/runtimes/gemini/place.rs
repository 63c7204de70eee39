//! Where Gemini's files lie.

use crate::runtimes::{Belongs, SourceRef};
use camino::{Utf8Path, Utf8PathBuf};
use std::env;

/// How many files one folder may hold.
const FILES: usize = 1_000;

/// Where a file belongs, if its path is that of a config.
pub(super) fn belongs(path: &Utf8Path) -> Option<Belongs> {
    let folder = path.parent()?;
    let project = |gemini: &Utf8Path| {
        let named = gemini.file_name() == Some(".gemini");
        named.then(|| Belongs::To(gemini.to_owned()))
    };
    match (path.file_name()?, folder.file_name()) {
        ("settings.json", _) => project(folder),
        (name, Some("policies")) if name.ends_with(".toml") => project(folder.parent()?),
        _ => None,
    }
}

/// Whether a file that a person names can be read as a config: a policy file, or Gemini's settings.
pub(super) fn reads(path: &Utf8Path) -> bool {
    let folder = path.parent().and_then(Utf8Path::file_name);
    match (path.extension(), path.file_name()) {
        // Other programs' files: policyc's own settings, and Codex's.
        (
            Some("toml"),
            Some("policyc.toml" | "config.toml" | "requirements.toml" | "Cargo.toml" | "pyproject.toml"),
        ) => folder == Some("policies"),
        (Some("toml"), _) => true,
        (Some("json"), Some("settings.json")) => folder == Some(".gemini"),
        _ => false,
    }
}

/// The sources that hold in a folder, weakest first.
pub(super) fn sources(folder: &Utf8Path, machine: bool) -> Vec<SourceRef> {
    let mut found = Vec::new();
    let home = home();
    if machine {
        settings(&mut found, &home.join(".gemini"));
    }
    let gemini = if folder.file_name() == Some(".gemini") { folder.to_owned() } else { folder.join(".gemini") };
    let at_home = same(folder, &home);
    if !(machine && at_home) {
        settings(&mut found, &gemini);
    }
    if machine {
        settings(&mut found, &managed());
    }
    if machine {
        let extensions = home.join(".gemini/extensions");
        let entries = extensions.read_dir_utf8().into_iter().flatten().flatten();
        let mut folders: Vec<Utf8PathBuf> = entries.map(|entry| entry.path().join("policies")).collect();
        folders.sort();
        folders.iter().for_each(|folder| policies(&mut found, "extension", folder));
    }
    if !at_home {
        policies(&mut found, "workspace", &gemini.join("policies"));
    }
    if machine || at_home {
        policies(&mut found, "user", &home.join(".gemini/policies"));
    }
    if machine {
        policies(&mut found, "admin", &managed().join("policies"));
    }
    found
}

fn settings(found: &mut Vec<SourceRef>, folder: &Utf8Path) {
    let path = folder.join("settings.json");
    if path.is_file() {
        found.push(SourceRef { kind: "settings", path, text: None });
    }
}

/// The `.toml` files of a folder: not of folders in it.
fn policies(found: &mut Vec<SourceRef>, kind: &'static str, folder: &Utf8Path) {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut paths: Vec<Utf8PathBuf> = entries.map(|entry| entry.path().to_owned()).collect();
    paths.retain(|path| path.extension() == Some("toml") && path.is_file());
    paths.sort();
    // Of equal priorities the rule of the file that is read first wins, so that one stands last here.
    paths.truncate(FILES);
    found.extend(paths.into_iter().rev().map(|path| SourceRef { kind, path, text: None }));
}

pub(super) fn home() -> Utf8PathBuf {
    let set = env::var("GEMINI_CLI_HOME").or_else(|_| env::var("HOME")).or_else(|_| env::var("USERPROFILE"));
    set.map(Utf8PathBuf::from).unwrap_or_default()
}

fn same(one: &Utf8Path, other: &Utf8Path) -> bool {
    let whole = |path: &Utf8Path| path.canonicalize_utf8().ok();
    !other.as_str().is_empty() && whole(one).is_some_and(|one| whole(other) == Some(one))
}

fn managed() -> Utf8PathBuf {
    if cfg!(target_os = "macos") {
        "/Library/Application Support/GeminiCli".into()
    } else if cfg!(windows) {
        r"C:\ProgramData\gemini-cli".into()
    } else {
        "/etc/gemini-cli".into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_places() {
        let to = |path: &str| match belongs(Utf8Path::new(path)) {
            Some(Belongs::To(folder)) => folder.into_string(),
            _ => "none".to_owned(),
        };
        assert_eq!(to("/p/.gemini/settings.json"), "/p/.gemini");
        assert_eq!(to(".gemini/policies/a.toml"), ".gemini");
        assert_eq!(to("/p/policies/a.toml"), "none");
        let reads = |path: &str| reads(Utf8Path::new(path));
        assert!(reads("rules.toml") && reads("policies/policyc.toml") && reads(".gemini/settings.json"));
        assert!(!reads("policyc.toml") && !reads("config.toml") && !reads("settings.json"));
    }
}
