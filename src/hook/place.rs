//! Where a call is made: the workspace, the folder, and every way in which rules may see a path.

use super::links::{self, Steps};
use super::{Part, clipped};
use crate::runtimes::paths::{absolute, normal, relative, within};
use crate::runtimes::protocol::{Event, Protocol, Variables};

/// The longest path that is judged, in bytes; no system opens a longer one.
const LONGEST: usize = 4 * 1024;

/// Where a call is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The workspace, which rules' paths are relative to.
    pub root: String,
    /// The same, its links followed.
    real_root: String,
    /// The folder of the call.
    pub cwd: String,
    /// The person's home.
    home: Option<String>,
    /// Repositories around the workspace, where nobody named the workspace: whoever makes a `.git` moves it.
    around: Vec<String>,
    /// What may still be looked up on the disk.
    steps: Steps,
}

/// A path as rules see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Inside the workspace relative to it, outside as the policy's runtime tells it.
    pub(super) text: String,
    /// The folder it is in, if that is outside the workspace; for a folder itself.
    pub(super) outside: Option<String>,
    /// Whether it is told as seen from a repository around the workspace.
    pub(super) aside: bool,
}

impl Seen {
    /// What lies below it.
    pub(super) fn below(&self) -> Part {
        let begins = if self.text == "." { String::new() } else { format!("{}/", self.text.trim_end_matches('/')) };
        Part { begins, inside: self.outside.is_none() }
    }
}

impl Place {
    /// The place of an event. The workspace is the one named, else what the event or the runtime's variable says, else the
    /// nearest folder upwards that is a repository, else the folder of the call.
    ///
    /// # Errors
    /// If a folder is not absolute, or its links cannot be followed.
    pub fn of(
        event: &Event,
        protocol: &dyn Protocol,
        named: Option<&str>,
        variables: Variables<'_>,
    ) -> Result<Place, String> {
        let here = || std::env::current_dir().ok().and_then(|here| here.into_os_string().into_string().ok());
        let cwd = event.cwd.clone().or_else(|| event.root.clone()).or_else(here);
        let cwd = cwd.ok_or("the folder of the call is not known")?;
        let variable = || protocol.root_variable().and_then(variables).filter(|root| !root.is_empty());
        let said = match named {
            Some(named) => Some(absolute(&here().unwrap_or_default(), named)),
            None => event.root.clone().or_else(variable),
        };
        let mut around: Vec<String> = match &said {
            Some(_) => Vec::new(),
            None => repositories(&cwd).map(str::to_owned).collect(),
        };
        let root = said.unwrap_or_else(|| if around.is_empty() { cwd.clone() } else { around.remove(0) });
        for folder in [&cwd, &root] {
            if !folder.starts_with('/') {
                return Err(format!("the folder `{}` is not absolute", clipped(folder)));
            }
        }
        let home = variables("HOME").filter(|home| home.starts_with('/'));
        let steps = Steps::default();
        let real_root = links::real(&root, &steps)?;
        let real_root =
            real_root.ok_or_else(|| format!("the workspace `{}` is no folder of its own", clipped(&root)))?;
        Ok(Place { real_root, root: normal(&root), cwd, home, around, steps })
    }

    /// The same place, in another folder.
    pub(super) fn within(&self, folder: &str) -> Place {
        Place { cwd: self.join(folder), ..self.clone() }
    }

    /// Every way in which rules may see a path that a tool is given: by its text, and where its links lead. `None`: it
    /// stands for something else at the time it is used.
    ///
    /// # Errors
    /// If no file can have that name, or its links cannot be followed.
    pub(super) fn seen(&self, path: &str, outside_relative: bool, folder: bool) -> Result<Option<Vec<Seen>>, String> {
        if path.len() > LONGEST {
            return Err(format!("the path `{}` is too long for any file", clipped(path)));
        }
        if path.contains('\0') {
            return Err(format!("the path `{}` holds a NUL character", clipped(path)));
        }
        let mut spelled = vec![self.join(path)];
        if let Some(rest) = path.strip_prefix('~') {
            match (&self.home, rest.is_empty() || rest.starts_with('/')) {
                (Some(home), true) => spelled.push(format!("{home}{rest}")),
                // Another person's home.
                _ => return Ok(None),
            }
        }
        let mut seen: Vec<Seen> = Vec::new();
        for path in spelled {
            let lexical = normal(&path);
            let real = (links::real(&lexical, &self.steps)?, links::real(&path, &self.steps)?);
            let (Some(real), Some(typed)) = real else { return Ok(None) };
            for path in [&real, &typed, &lexical] {
                let one = self.see(path, outside_relative, folder);
                for one in self.asides(path).chain([one]) {
                    if !seen.contains(&one) {
                        seen.push(one);
                    }
                }
            }
        }
        // By its own text first: that is the one people know.
        seen.reverse();
        Ok(Some(seen))
    }

    /// An absolute path, its `..` left as they are: where they lead hangs on links.
    fn join(&self, path: &str) -> String {
        if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.cwd) }
    }

    /// Whether there is a file at a path.
    pub(super) fn is_file(&self, path: &str) -> bool {
        std::fs::metadata(self.join(path)).is_ok_and(|meta| meta.is_file())
    }

    /// Whether there is a folder at a path.
    pub(super) fn is_folder(&self, path: &str) -> bool {
        std::fs::metadata(self.join(path)).is_ok_and(|meta| meta.is_dir())
    }

    /// A path as seen from the repositories around the workspace.
    fn asides(&self, path: &str) -> impl Iterator<Item = Seen> {
        let around = self.around.iter().filter(move |root| within(root, path));
        around.map(move |root| Seen { text: relative(root, path), outside: None, aside: true })
    }

    fn see(&self, path: &str, outside_relative: bool, folder: bool) -> Seen {
        let root = [&self.root, &self.real_root].into_iter().find(|root| within(root, path));
        if let Some(root) = root {
            let inside = relative(root, path);
            return Seen { text: if inside.is_empty() { ".".to_owned() } else { inside }, outside: None, aside: false };
        }
        let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
        let outside = if folder { path } else { parent };
        let text = if outside_relative { relative(&self.root, path) } else { path.to_owned() };
        Seen { text, outside: Some(format!("{}/*", outside.trim_end_matches('/'))), aside: false }
    }
}

/// The folders upwards that hold `.git`, the nearest first.
fn repositories(folder: &str) -> impl Iterator<Item = &str> {
    let folders = camino::Utf8Path::new(folder).ancestors().map(camino::Utf8Path::as_str);
    folders.filter(|folder| !folder.is_empty() && camino::Utf8Path::new(folder).join(".git").exists())
}
