//! Which files and variables OpenCode 1.18 reads, lowest precedence first. The files themselves are read by the caller.

use crate::runtimes::SourceRef;
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::BTreeMap;

/// How deep folders of agents are searched: links may lead in circles.
const DEPTH: usize = 12;
/// How many agent files one folder may hold.
const FILES: usize = 10_000;

/// The machine's own sources: used with `--environment` alone, so that a project's report is the same everywhere.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The home folder.
    pub home: Utf8PathBuf,
    /// The global config folder, `~/.config/opencode`.
    pub config: Utf8PathBuf,
    /// The administrator's folder: `/etc/opencode`, `/Library/Application Support/opencode`, `%ProgramData%\opencode`.
    pub managed: Utf8PathBuf,
    /// Variables; those whose names start with `OPENCODE_` count.
    pub variables: BTreeMap<String, String>,
}

impl Machine {
    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn flag(&self, name: &str) -> bool {
        self.variable(name).is_some_and(|value| matches!(value.to_lowercase().as_str(), "true" | "1"))
    }
}

/// The sources that hold in a project folder: its own and those of the folders above it up to the root of its git
/// worktree (outside git its own alone), and with `machine` all others.
///
/// Not among them: a logged-in provider's remote config, an account's, and macOS's managed preferences.
pub fn sources(root: &Utf8Path, machine: Option<&Machine>) -> Vec<SourceRef> {
    let mut found = Found::default();
    let project = machine.is_none_or(|machine| !machine.flag("OPENCODE_DISABLE_PROJECT_CONFIG"));
    let folders = if project { up(root) } else { Vec::new() };
    if let Some(machine) = machine {
        for name in ["config.json", "opencode.json", "opencode.jsonc"] {
            found.file("global", machine.config.join(name));
        }
        if let Some(path) = machine.variable("OPENCODE_CONFIG") {
            found.file("config", root.join(path));
        }
    }
    // The nearest plain file wins, and the farthest `.opencode` folder.
    for folder in folders.iter().rev() {
        found.configs("project", folder);
    }
    if let Some(machine) = machine {
        found.agents(&machine.config);
    }
    for folder in folders.iter().map(|folder| folder.join(".opencode")) {
        found.configs("project-folder", &folder);
        found.agents(&folder);
    }
    if let Some(machine) = machine {
        found.machine(root, machine);
    }
    found.sources
}

/// A folder and those above it up to the root of the git worktree.
pub(super) fn up(root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let whole = std::path::absolute(root).ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
    let start = whole.unwrap_or_else(|| root.to_owned());
    let above: Vec<&Utf8Path> = start.ancestors().collect();
    let top = above.iter().position(|folder| folder.join(".git").exists()).unwrap_or(0);
    above.into_iter().take(top + 1).map(Utf8Path::to_owned).collect()
}

#[derive(Default)]
struct Found {
    sources: Vec<SourceRef>,
}

impl Found {
    fn file(&mut self, kind: &'static str, path: Utf8PathBuf) {
        // A folder that is reached twice is read once.
        if path.is_file() && !self.sources.iter().any(|known| known.path == path) {
            self.sources.push(SourceRef { kind, path, text: None });
        }
    }

    fn configs(&mut self, kind: &'static str, folder: &Utf8Path) {
        for name in ["opencode.json", "opencode.jsonc"] {
            self.file(kind, folder.join(name));
        }
    }

    fn agents(&mut self, folder: &Utf8Path) {
        for (kind, name, depth) in [
            ("agent-file", "agent", DEPTH),
            ("agent-file", "agents", DEPTH),
            ("mode-file", "mode", 1),
            ("mode-file", "modes", 1),
        ] {
            let mut files = Vec::new();
            markdown(&folder.join(name), depth, &mut files);
            files.into_iter().for_each(|path| self.file(kind, path));
        }
    }

    fn machine(&mut self, root: &Utf8Path, machine: &Machine) {
        let mut folders = vec![machine.home.join(".opencode")];
        folders.extend(machine.variable("OPENCODE_CONFIG_DIR").map(|path| root.join(path)));
        for folder in folders {
            self.configs("home-folder", &folder);
            self.agents(&folder);
        }
        self.variable("content", "OPENCODE_CONFIG_CONTENT", machine);
        self.configs("managed", &machine.managed);
        self.variable("permission", "OPENCODE_PERMISSION", machine);
    }

    fn variable(&mut self, kind: &'static str, name: &str, machine: &Machine) {
        if let Some(text) = machine.variable(name) {
            self.sources.push(SourceRef { kind, path: name.into(), text: Some(text.to_owned()) });
        }
    }
}

/// The `.md` files of a folder, in the order of their names.
fn markdown(folder: &Utf8Path, depth: usize, files: &mut Vec<Utf8PathBuf>) {
    let Ok(entries) = folder.read_dir_utf8() else { return };
    let mut paths: Vec<Utf8PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path().to_owned())).collect();
    paths.sort();
    for path in paths {
        if files.len() >= FILES {
            return;
        }
        if path.is_dir() {
            if depth > 1 {
                markdown(&path, depth - 1, files);
            }
        } else if path.extension() == Some("md") {
            files.push(path);
        }
    }
}
