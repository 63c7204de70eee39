//! What of this machine counts for OpenCode: asked for with `--environment` alone.

use super::sources::{Machine, up};
use crate::runtimes::Environment;
use camino::{Utf8Path, Utf8PathBuf};
use std::env;

/// How deep skills may lie in their folders.
const DEPTH: usize = 4;

/// This machine's own sources.
pub(super) fn here() -> Machine {
    Machine {
        home: home(),
        config: base("XDG_CONFIG_HOME", ".config").join("opencode"),
        managed: managed(),
        variables: env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("OPENCODE_"))
            .collect(),
    }
}

/// The facts of this machine, for a session in a folder.
pub(super) fn environment(folder: &Utf8Path) -> Environment {
    let folders = up(folder);
    let cwd = folders.first().cloned().unwrap_or_else(|| folder.to_owned());
    // Outside git paths are told from the root.
    let worktree = folders.last().filter(|top| top.join(".git").exists());
    let tmp = Utf8PathBuf::from_path_buf(env::temp_dir()).unwrap_or_else(|_| "/tmp".into());
    Environment {
        home: slashes(&home()),
        data: slashes(&base("XDG_DATA_HOME", ".local/share").join("opencode")),
        tmp: slashes(&tmp),
        worktree: worktree.map_or_else(|| "/".to_owned(), |top| slashes(top)),
        cwd: slashes(&cwd),
        skills: skills(&folders),
    }
}

fn home() -> Utf8PathBuf {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    env::var(name).map(Utf8PathBuf::from).unwrap_or_default()
}

/// A base folder of the XDG standard, which OpenCode follows on every system.
fn base(variable: &str, below_home: &str) -> Utf8PathBuf {
    let set = env::var(variable).ok().filter(|path| !path.is_empty());
    set.map_or_else(|| home().join(below_home), Utf8PathBuf::from)
}

fn managed() -> Utf8PathBuf {
    if cfg!(target_os = "macos") {
        "/Library/Application Support/opencode".into()
    } else if cfg!(windows) {
        Utf8PathBuf::from(env::var("ProgramData").unwrap_or_else(|_| r"C:\ProgramData".to_owned())).join("opencode")
    } else {
        "/etc/opencode".into()
    }
}

/// The folders that hold a `SKILL.md`.
fn skills(folders: &[Utf8PathBuf]) -> Vec<String> {
    let mut roots = Vec::new();
    for folder in folders.iter().chain([&home()]) {
        for below in [".opencode/skill", ".opencode/skills", ".claude/skills", ".agents/skills"] {
            roots.push(folder.join(below));
        }
    }
    for below in ["skill", "skills"] {
        roots.push(base("XDG_CONFIG_HOME", ".config").join("opencode").join(below));
    }
    let mut found = Vec::new();
    roots.iter().for_each(|root| collect(root, DEPTH, &mut found));
    found.sort();
    found.dedup();
    found
}

fn collect(folder: &Utf8Path, depth: usize, found: &mut Vec<String>) {
    if folder.join("SKILL.md").is_file() {
        found.push(slashes(folder));
    }
    let Ok(entries) = folder.read_dir_utf8() else { return };
    if depth > 0 {
        let folders = entries.flatten().filter(|entry| entry.path().is_dir());
        folders.for_each(|entry| collect(entry.path(), depth - 1, found));
    }
}

fn slashes(path: &Utf8Path) -> String {
    path.as_str().replace('\\', "/")
}
