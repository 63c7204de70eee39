//! Which files are Claude Code's config, and of which folder; and the files of this machine.

use crate::runtimes::{Belongs, Environment, SourceRef};
use camino::{Utf8Path, Utf8PathBuf};
use std::env;

/// How deep folders of agents are searched: links may lead in circles.
const DEPTH: usize = 8;
/// How many agent files one folder may hold.
const FILES: usize = 10_000;

/// Where a file belongs, if its path is that of a config.
pub(super) fn belongs(path: &Utf8Path) -> Option<Belongs> {
    let folder = path.parent()?;
    match path.file_name()? {
        "settings.json" | "settings.local.json" if folder.file_name() == Some(".claude") => {
            Some(Belongs::To(folder.to_owned()))
        }
        name if name.ends_with(".md") => folder.ancestors().find_map(|agents| {
            let above = agents.parent().filter(|above| above.file_name() == Some(".claude"))?;
            (agents.file_name() == Some("agents")).then(|| Belongs::To(above.to_owned()))
        }),
        _ => None,
    }
}

/// The sources that hold in a folder, lowest precedence first; with `machine` also those of this machine.
pub(super) fn sources(folder: &Utf8Path, machine: bool) -> Vec<SourceRef> {
    let mut found = Vec::new();
    if machine {
        let user = user_folder();
        markdown("user-agent-file", &user.join("agents"), DEPTH, &mut found);
        file("user", user.join("settings.json"), &mut found);
    }
    let own = if folder.file_name() == Some(".claude") { folder.to_owned() } else { folder.join(".claude") };
    markdown("agent-file", &own.join("agents"), DEPTH, &mut found);
    file("project", own.join("settings.json"), &mut found);
    file("local", own.join("settings.local.json"), &mut found);
    if machine {
        let managed = managed_folder();
        file("managed", managed.join("managed-settings.json"), &mut found);
        let entries = managed.join("managed-settings.d").read_dir_utf8().into_iter().flatten().flatten();
        let mut more: Vec<Utf8PathBuf> = entries.map(|entry| entry.into_path()).collect();
        more.retain(|path| path.extension() == Some("json"));
        more.sort();
        more.into_iter().for_each(|path| file("managed", path, &mut found));
    }
    found
}

fn file(kind: &'static str, path: Utf8PathBuf, found: &mut Vec<SourceRef>) {
    if path.is_file() && !found.iter().any(|known| known.path == path) {
        found.push(SourceRef { kind, path, text: None });
    }
}

/// The `.md` files of a folder, in the order of their names.
fn markdown(kind: &'static str, folder: &Utf8Path, depth: usize, found: &mut Vec<SourceRef>) {
    let entries = folder.read_dir_utf8().into_iter().flatten().flatten();
    let mut paths: Vec<Utf8PathBuf> = entries.map(|entry| entry.into_path()).collect();
    paths.sort();
    for path in paths {
        if found.len() >= FILES {
            return;
        }
        if path.is_dir() && depth > 1 {
            markdown(kind, &path, depth - 1, found);
        } else if path.extension() == Some("md") {
            file(kind, path, found);
        }
    }
}

fn home() -> Utf8PathBuf {
    let name = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
    env::var(name).map(Utf8PathBuf::from).unwrap_or_default()
}

fn user_folder() -> Utf8PathBuf {
    let set = env::var("CLAUDE_CONFIG_DIR").ok().filter(|path| !path.is_empty());
    set.map_or_else(|| home().join(".claude"), Utf8PathBuf::from)
}

fn managed_folder() -> Utf8PathBuf {
    if cfg!(target_os = "macos") {
        "/Library/Application Support/ClaudeCode".into()
    } else if cfg!(windows) {
        r"C:\Program Files\ClaudeCode".into()
    } else {
        "/etc/claude-code".into()
    }
}

/// The facts of this machine, for a session in a folder.
pub(super) fn environment(folder: &Utf8Path) -> Environment {
    let cwd = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned());
    let cwd = cwd.as_str().replace('\\', "/");
    let home = home().as_str().replace('\\', "/");
    Environment { home, worktree: cwd.clone(), cwd, ..Environment::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_folder_of_the_project() {
        let to = |path: &str| match belongs(Utf8Path::new(path)) {
            Some(Belongs::To(folder)) => folder.into_string(),
            Some(Belongs::Nowhere) => "nowhere".to_owned(),
            None => "none".to_owned(),
        };
        assert_eq!(to("/p/.claude/settings.json"), "/p/.claude");
        assert_eq!(to(".claude/settings.local.json"), ".claude");
        assert_eq!(to("/p/.claude/agents/team/x.md"), "/p/.claude");
        assert_eq!(to("/p/agents/x.md"), "none");
        assert_eq!(to("/p/settings.json"), "none");
        assert_eq!(to("/p/.claude/commands/x.md"), "none");
    }
}
