//! What files were at a revision: read through the `git` program, into a folder of its own that is deleted at the end.

use super::exit::Failure;
use crate::diagnostic::Sink;
use crate::files::{Files, LIMIT, clean};
use crate::load::beside;
use crate::runtimes::{Belongs, RUNTIMES, Runtime};
use crate::source::SourceMap;
use crate::syntax::{ast::Item, parse};
use camino::{Utf8Path, Utf8PathBuf};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Seek, SeekFrom, Write};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// What an argument begins with that names a file at a revision.
const SCHEME: &str = "git:";

/// How often links may lead on.
const LINKS: usize = 16;

/// The revision and the path of `git:REV:PATH`; `None`: the argument is a plain path.
pub(super) fn spec(argument: &Utf8Path) -> Option<Result<(&str, &Utf8Path), Failure>> {
    let text = argument.as_str().strip_prefix(SCHEME).filter(|_| !argument.exists())?;
    let parts = text.split_once(':').filter(|(revision, _)| !revision.is_empty());
    Some(parts.map(|(revision, path)| (revision, Utf8Path::new(path))).ok_or_else(|| {
        Failure::new(
            format!("`{argument}` names no file at a revision"),
            "write `git:REV:PATH`, with the path from the root of the repository: `git:HEAD~1:team.policy`",
        )
    }))
}

/// A repository, and where in it a folder is.
pub(super) struct Repository {
    /// Its root.
    pub(super) top: Utf8PathBuf,
    /// The folder, seen from the root.
    pub(super) prefix: Utf8PathBuf,
}

impl Repository {
    /// The repository that a folder is in.
    pub(super) fn of(folder: &Utf8Path) -> Result<Repository, Failure> {
        let output = git(folder, &["rev-parse", "--show-toplevel", "--show-prefix"])?;
        if !output.status.success() {
            return Err(Failure::new(
                format!("`{folder}` is in no git repository that can be read{}", said(&output)),
                "run policyc inside the repository, or check the other version out and name its path",
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines();
        let (top, prefix) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        Ok(Repository { top: top.into(), prefix: prefix.trim_end_matches('/').into() })
    }

    /// What the repository held at a revision.
    pub(super) fn at(&self, revision: &str) -> Result<Tree, Failure> {
        let unknown = |output: &Output| {
            Failure::new(
                format!("git knows no revision `{revision}` here{}", said(output)),
                "check its spelling; a shallow clone has to fetch it first",
            )
        };
        let tree = format!("{revision}^{{tree}}");
        let output = git(&self.top, &["rev-parse", "--verify", "--quiet", "--end-of-options", &tree])?;
        if !output.status.success() {
            return Err(unknown(&output));
        }
        let tree = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        let output = git(&self.top, &["ls-tree", "-r", "-z", "-l", "--full-tree", &tree])?;
        if !output.status.success() {
            return Err(unknown(&output));
        }
        let entries = output.stdout.split(|byte| *byte == 0).filter_map(Entry::read);
        let mut tree = Tree { top: self.top.clone(), revision: revision.to_owned(), entries: entries.collect() };
        tree.follow_links()?;
        Ok(tree)
    }
}

/// A file at a revision.
#[derive(Clone)]
struct Entry {
    object: String,
    size: u64,
    is_link: bool,
}

impl Entry {
    /// `MODE blob OBJECT SIZE<tab>PATH`
    fn read(line: &[u8]) -> Option<(Utf8PathBuf, Entry)> {
        let (facts, path) = std::str::from_utf8(line).ok()?.split_once('\t')?;
        let mut facts = facts.split_whitespace();
        let (mode, _, object, size) = (facts.next()?, facts.next()?, facts.next()?, facts.next()?);
        // What is no blob is another repository, of which there is only a name.
        let size = size.parse().ok()?;
        Some((path.into(), Entry { object: object.to_owned(), size, is_link: mode == "120000" }))
    }
}

/// All files at a revision.
pub(super) struct Tree {
    top: Utf8PathBuf,
    revision: String,
    entries: BTreeMap<Utf8PathBuf, Entry>,
}

impl Tree {
    /// Whether there is such a file or folder; the root is always there.
    pub(super) fn has(&self, path: &Utf8Path) -> bool {
        path.as_str().is_empty() || self.entries.contains_key(path) || self.is_folder(path)
    }

    fn is_folder(&self, path: &Utf8Path) -> bool {
        self.entries.keys().any(|entry| entry != path && entry.starts_with(path))
    }

    /// Puts what a link leads to in its place, so that nothing outside the repository is ever read for it.
    fn follow_links(&mut self) -> Result<(), Failure> {
        for _ in 0..LINKS {
            let links: Vec<(Utf8PathBuf, Entry)> =
                self.entries.iter().filter(|(_, entry)| entry.is_link).map(|(p, e)| (p.clone(), e.clone())).collect();
            if links.is_empty() {
                return Ok(());
            }
            let objects: Vec<&Entry> = links.iter().map(|(_, entry)| entry).collect();
            let targets = self.texts(&objects)?;
            for ((path, _), target) in links.iter().zip(targets) {
                self.entries.remove(path);
                let target = String::from_utf8_lossy(&target).into_owned();
                let Some(target) = inside(&beside(path, &target)) else { continue };
                let there: Vec<(Utf8PathBuf, Entry)> = self
                    .entries
                    .iter()
                    .filter_map(|(other, entry)| Some((path.join(other.strip_prefix(&target).ok()?), entry.clone())))
                    // A link to a folder above itself has no end.
                    .filter(|(alias, _)| alias.components().count() < 64)
                    .collect();
                for (alias, entry) in there {
                    let alias = if self.entries.contains_key(&target) { path.clone() } else { alias };
                    self.entries.entry(alias).or_insert(entry);
                }
            }
        }
        self.entries.retain(|_, entry| !entry.is_link);
        Ok(())
    }

    /// Writes what compiling `path` may read into a folder, where it is shown as `git:REV:...`, and returns the folder and
    /// the path in it.
    pub(super) fn write(&self, path: &Utf8Path, files: &mut Files) -> Result<(TempDir, Utf8PathBuf), Failure> {
        let folder = TempDir::new().map_err(|error| temporary(&error))?;
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned())
            .map_err(|_| Failure::new("the temporary folder's path is not UTF-8", "set TMPDIR to another one"))?;
        // Where the search for a runtime's configs ends, as it does at the repository's own root.
        std::fs::create_dir_all(root.join(".git")).map_err(|error| temporary(&error))?;
        std::fs::create_dir_all(if self.is_folder(path) { root.join(path) } else { root.clone() })
            .map_err(|error| temporary(&error))?;
        let mut open: BTreeSet<&Utf8PathBuf> = self.entries.keys().filter(|entry| is_start(entry, path)).collect();
        let mut written: BTreeSet<&Utf8PathBuf> = BTreeSet::new();
        while !open.is_empty() {
            let batch: Vec<&Utf8PathBuf> = std::mem::take(&mut open).into_iter().collect();
            let entries: Vec<&Entry> = batch.iter().filter_map(|path| self.entries.get(*path)).collect();
            for (path, text) in batch.iter().zip(self.texts(&entries)?) {
                let place = root.join(path);
                let parent = place.parent().unwrap_or(&root);
                std::fs::create_dir_all(parent)
                    .and_then(|()| std::fs::write(&place, &text))
                    .map_err(|error| temporary(&error))?;
                written.insert(path);
                for used in self.uses(path, &text)? {
                    open.extend(self.entries.get_key_value(&used).map(|(path, _)| path));
                }
            }
            open.retain(|path| !written.contains(*path));
        }
        files.mount(&root, &format!("{SCHEME}{}:", self.revision));
        let place = root.join(path);
        Ok((folder, place))
    }

    /// The files that a policy uses or takes layers from.
    fn uses(&self, path: &Utf8Path, text: &[u8]) -> Result<Vec<Utf8PathBuf>, Failure> {
        let text = String::from_utf8_lossy(text);
        if RUNTIMES.iter().any(|runtime| runtime.reads(path)) || !text.contains("use") && !text.contains("from") {
            return Ok(Vec::new());
        }
        let file = SourceMap::default().add(path.as_str(), "");
        let policy = parse(file, &text, &mut Sink::default());
        let mut out = Vec::new();
        for stmt in &policy.stmts {
            let names = match &stmt.node {
                Item::Use { path } => std::slice::from_ref(path),
                Item::Layer { from, .. } => from,
                _ => continue,
            };
            for name in names {
                let outside = || {
                    let text = format!("`{path}` at `{}` uses `{}`", self.revision, name.node);
                    let text = format!("{text}, which is outside the repository and has no version there");
                    Failure::new(text, "move what is used into the repository")
                };
                out.push(inside(&beside(path, &name.node)).ok_or_else(outside)?);
            }
        }
        Ok(out)
    }

    /// The contents of files, in their order.
    fn texts(&self, entries: &[&Entry]) -> Result<Vec<Vec<u8>>, Failure> {
        let size: u64 = entries.iter().map(|entry| entry.size).sum();
        if size > LIMIT {
            let text = format!("what is to be read at `{}` is larger than {} MiB", self.revision, LIMIT >> 20);
            return Err(Failure::new(text, "name the policy or config that is meant, not its folder"));
        }
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        // A file, because a pipe that neither side empties would stop both.
        let mut wanted = tempfile::tempfile().map_err(|error| temporary(&error))?;
        let lines: String = entries.iter().map(|entry| format!("{}\n", entry.object)).collect();
        wanted
            .write_all(lines.as_bytes())
            .and_then(|()| wanted.seek(SeekFrom::Start(0)))
            .map_err(|error| temporary(&error))?;
        let output = run(command(&self.top, &["cat-file", "--batch"]).stdin(wanted))?;
        let missing = || {
            let text = format!("git does not hold all of `{}`{}", self.revision, said(&output));
            Failure::new(text, "a partial clone has to fetch it first")
        };
        blobs(&output.stdout).filter(|blobs| blobs.len() == entries.len()).ok_or_else(missing)
    }
}

/// What `git cat-file --batch` printed: `OBJECT blob SIZE`, a line, then the contents and a newline.
fn blobs(mut rest: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut out = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let size: usize = std::str::from_utf8(rest.get(..end)?).ok()?.rsplit(' ').next()?.parse().ok()?;
        out.push(rest.get(end + 1..end + 1 + size)?.to_vec());
        rest = rest.get(end + 2 + size..)?;
    }
    Some(out)
}

/// Whether compiling `path` starts from a file: from itself, from a config of the folder or one above, or from a policy in
/// the folder.
fn is_start(file: &Utf8Path, path: &Utf8Path) -> bool {
    let config = |runtime: &&dyn Runtime| match runtime.belongs(file) {
        Some(Belongs::To(folder)) => path.starts_with(folder),
        Some(Belongs::Nowhere) | None => false,
    };
    file == path || RUNTIMES.iter().any(config) || file.extension() == Some("policy") && file.parent() == Some(path)
}

/// A path inside the repository without `.` and `..`; `None`: it leads out.
fn inside(path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut out = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            camino::Utf8Component::CurDir => {}
            camino::Utf8Component::Normal(name) => out.push(name),
            camino::Utf8Component::ParentDir => {
                if !out.pop() {
                    return None;
                }
            }
            camino::Utf8Component::RootDir | camino::Utf8Component::Prefix(_) => return None,
        }
    }
    Some(out)
}

/// A path of `git:REV:PATH` as the tree has it: from the root, or with `./` from the working folder.
pub(super) fn in_tree(path: &Utf8Path, prefix: &Utf8Path) -> Result<Utf8PathBuf, Failure> {
    let from_here = path == "." || path.as_str().starts_with("./") || path.as_str().starts_with("..");
    let whole = if from_here { prefix.join(path) } else { path.to_owned() };
    inside(&whole).ok_or_else(|| {
        let text = format!("`{path}` leads out of the repository");
        Failure::new(text, "write the path from the root of the repository, or from here with `./`")
    })
}

fn git(folder: &Utf8Path, args: &[&str]) -> Result<Output, Failure> {
    run(command(folder, args).stdin(Stdio::null()))
}

fn command(folder: &Utf8Path, args: &[&str]) -> Command {
    let folder = if folder.as_str().is_empty() { Utf8Path::new(".") } else { folder };
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(args);
    // Only look, never fetch; and say what is wrong in words that do not depend on the machine.
    command.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
    command
}

fn run(command: &mut Command) -> Result<Output, Failure> {
    command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::new(
            "the program `git` is not there to read the other version with",
            "install git, or check the other version out and name its path",
        ),
        kind => Failure::new(format!("the program `git` cannot be run: {kind}"), "check its permissions"),
    })
}

/// What git itself says of its failure.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let line = line.trim().trim_start_matches("fatal: ");
    if line.is_empty() || line.starts_with("not a git repository") { String::new() } else { format!(" ({line})") }
}

fn temporary(error: &std::io::Error) -> Failure {
    Failure::new(format!("the temporary folder cannot be used: {}", error.kind()), "check TMPDIR and its permissions")
}

/// The folder of a path, to ask git about.
pub(super) fn folder_of(path: &Utf8Path) -> Utf8PathBuf {
    if path.is_dir() { path.to_owned() } else { path.parent().map(clean).unwrap_or_else(|| ".".into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_has_a_revision_and_a_path() {
        let read = |text: &'static str| spec(Utf8Path::new(text)).map(|spec| spec.is_ok());
        assert_eq!(read("team.policy"), None);
        assert_eq!(read("git:HEAD:team.policy"), Some(true));
        assert_eq!(read("git:HEAD:"), Some(true));
        assert_eq!(read("git:HEAD"), Some(false));
        assert_eq!(read("git::x"), Some(false));
    }

    #[test]
    fn paths_stay_inside() {
        let at = |path: &str| in_tree(Utf8Path::new(path), Utf8Path::new("a/b")).ok().map(Utf8PathBuf::into_string);
        assert_eq!(at("x.policy").as_deref(), Some("x.policy"));
        assert_eq!(at("./x.policy").as_deref(), Some("a/b/x.policy"));
        assert_eq!(at("../x.policy").as_deref(), Some("a/x.policy"));
        assert_eq!(at("../../../x"), None);
        assert_eq!(at("/x"), None);
        assert_eq!(at("").as_deref(), Some(""));
    }

    #[test]
    fn batches_are_taken_apart() {
        assert_eq!(blobs(b"aa blob 3\nx\ny\nbb blob 0\n\n"), Some(vec![b"x\ny".to_vec(), Vec::new()]));
        assert_eq!(blobs(b"aa missing\n"), None);
    }
}
