//! What there is to check in a folder: policies that no other one uses, and runtimes' configs.

use crate::diagnostic::{Finding, Sink};
use crate::files::{Files, UNREADABLE, clean};
use crate::load::beside;
use crate::runtimes::{Belongs, RUNTIMES, Runtime};
use crate::source::Span;
use crate::syntax::{ast::Item, parse};
use camino::{Utf8Path, Utf8PathBuf};
use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::WalkBuilder;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where to look, and at what.
#[derive(Clone, Debug)]
pub struct Scope {
    /// The folder that the globs start from.
    base: Utf8PathBuf,
    policies: Option<GlobSet>,
    exclude: GlobSet,
}

impl Scope {
    /// Everything below `folder` but `exclude`; with `policies`, of the policies only those.
    ///
    /// # Errors
    /// A glob that is none, as a message.
    pub fn new(folder: Option<&Utf8Path>, policies: &[String], exclude: &[String]) -> Result<Scope, String> {
        let base = folder.unwrap_or(Utf8Path::new("."));
        let base = base.canonicalize_utf8().unwrap_or_else(|_| base.to_owned());
        let policies = if policies.is_empty() { None } else { Some(globs(policies)?) };
        Ok(Scope { base, policies, exclude: globs(exclude)? })
    }

    fn relative<'a>(&self, path: &'a Utf8Path) -> &'a Utf8Path {
        path.strip_prefix(&self.base).unwrap_or(path)
    }

    /// Whether a file is a policy that discovery is to find.
    pub fn is_policy(&self, path: &Utf8Path) -> bool {
        path.extension() == Some("policy")
            && self.policies.as_ref().is_none_or(|globs| globs.is_match(self.relative(path)))
    }
}

fn globs(texts: &[String]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for text in texts {
        set.add(
            Glob::new(text.trim_end_matches('/')).map_err(|error| format!("`{text}` is no glob: {}", error.kind()))?,
        );
    }
    set.build().map_err(|error| error.to_string())
}

/// The files below a folder, in the order of their paths. What `.gitignore` names is left out, and so are `.git` and
/// `node_modules`; links are not followed, so there is an end.
///
/// What has the name of a policy or config and is no file that can be read comes second, with what it is.
pub fn files(folder: &Utf8Path, scope: &Scope) -> (Vec<Utf8PathBuf>, Vec<Skipped>) {
    let start = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned());
    let (exclude, base) = (scope.exclude.clone(), scope.base.clone());
    let walk = WalkBuilder::new(&start)
        .hidden(false)
        .require_git(false)
        .follow_links(false)
        .sort_by_file_path(Path::cmp)
        .filter_entry(move |entry| {
            let name = entry.file_name();
            let path = entry.path();
            name != ".git" && name != "node_modules" && !exclude.is_match(path.strip_prefix(&base).unwrap_or(path))
        })
        .build();
    let (mut files, mut skipped) = (Vec::new(), Vec::new());
    for entry in walk {
        let entry = match entry {
            Ok(entry) if entry.depth() > 0 => entry,
            Ok(_) => continue,
            Err(error) => {
                skipped.extend(unread(&error).map(|path| Skipped { path, why: "cannot be read" }));
                continue;
            }
        };
        let kind = entry.file_type();
        let is_file = kind.is_some_and(|kind| kind.is_file());
        match Utf8PathBuf::from_path_buf(entry.into_path()) {
            Ok(path) if is_file => files.push(path),
            Ok(path) => skipped.extend(kind.filter(|_| has_a_name(&path, scope)).and_then(|kind| odd(&path, kind))),
            Err(path) => {
                let shown = Utf8PathBuf::from(path.to_string_lossy().into_owned());
                if has_a_name(&shown, scope) {
                    skipped.push(Skipped { path: shown, why: "has a name that is not UTF-8" });
                }
            }
        }
    }
    (files, skipped)
}

/// What an error of the walk is about, as far as it is about a path.
fn unread(error: &ignore::Error) -> Option<Utf8PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(Utf8PathBuf::from(path.to_string_lossy().into_owned())),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => unread(err),
        _ => None,
    }
}

/// Something with the name of a policy or config that is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its path, as far as it can be shown.
    pub path: Utf8PathBuf,
    /// What is wrong with it, after its name.
    pub why: &'static str,
}

impl Skipped {
    /// As a finding, at the (empty) file itself.
    pub fn finding(&self, files: &mut Files) -> Finding {
        let path = clean(&self.path);
        let file = files.sources.add(path.as_str(), "");
        let text = format!("`{path}` {}, so it is not read", self.why);
        Finding::new(UNREADABLE, Span::new(file, 0..0), text)
            .help("rename it, or leave it out in policyc.toml: `exclude`")
    }
}

fn has_a_name(path: &Utf8Path, scope: &Scope) -> bool {
    scope.is_policy(path) || RUNTIMES.iter().any(|runtime| runtime.belongs(path).is_some())
}

/// Links are not followed, and a link to a file elsewhere is no mistake.
fn odd(path: &Utf8Path, kind: std::fs::FileType) -> Option<Skipped> {
    let why = match (kind.is_symlink(), kind.is_dir()) {
        (true, _) => return None,
        // A folder of policies may well be called `x.policy`.
        (_, true) if path.extension() == Some("policy") => return None,
        (_, true) => "is a folder",
        _ => "is a pipe, a socket or a device",
    };
    Some(Skipped { path: path.to_owned(), why })
}

/// The configs among `found`, each with its runtime: folders whose own config there is, and files that look like one and
/// belong to none.
pub fn configs(found: &[Utf8PathBuf]) -> Vec<(Utf8PathBuf, &'static dyn Runtime)> {
    let mut places: BTreeMap<Utf8PathBuf, &'static dyn Runtime> = BTreeMap::new();
    for path in found {
        let belongs = RUNTIMES.into_iter().find_map(|runtime| Some((runtime, runtime.belongs(path)?)));
        let Some((runtime, belongs)) = belongs else { continue };
        let place = match belongs {
            Belongs::To(folder) => clean(&folder),
            Belongs::Nowhere => clean(path),
        };
        places.entry(place).or_insert(runtime);
    }
    places.into_iter().collect()
}

/// The policies among `found` that a run starts from: those that no other one uses, and one of each circle.
pub fn policies(found: &[Utf8PathBuf], scope: &Scope, files: &mut Files) -> Vec<Utf8PathBuf> {
    let all = found.iter().filter(|path| scope.is_policy(path)).map(|path| clean(path));
    let names: BTreeSet<Utf8PathBuf> = all.filter(|path| !only_tests(path, files)).collect();
    let uses: BTreeMap<&Utf8PathBuf, Vec<Utf8PathBuf>> = names.iter().map(|path| (path, used(path, files))).collect();
    let targets: BTreeSet<&Utf8PathBuf> = uses.values().flatten().collect();
    let (tops, rest): (Vec<&Utf8PathBuf>, Vec<&Utf8PathBuf>) = names.iter().partition(|path| !targets.contains(path));
    let mut reached = BTreeSet::new();
    let mut starts = Vec::new();
    for path in tops.into_iter().chain(rest) {
        if reached.contains(path) {
            continue;
        }
        starts.push(path.clone());
        let mut open = vec![path];
        while let Some(path) = open.pop() {
            if reached.insert(path) {
                open.extend(uses.get(path).into_iter().flatten());
            }
        }
    }
    starts.sort();
    starts
}

/// Whether a file tests something else and says nothing itself, as those do that `policyc test --record` writes.
fn only_tests(path: &Utf8Path, files: &mut Files) -> bool {
    let Ok(id) = files.read(path) else { return false };
    let text = files.sources.file(id).map(|file| file.text()).unwrap_or_default();
    // What holds an agent, or no test, is known without parsing it.
    let starts = |word: &str| text.lines().any(|line| line.starts_with(word));
    if !starts("test ") || starts("agent ") {
        return false;
    }
    let mut sink = Sink::default();
    let policy = parse(id, text, &mut sink);
    let tests = |item: &Item| matches!(item, Item::Test { .. } | Item::Runtime { .. });
    sink.into_findings().is_empty() && policy.stmts.iter().all(|stmt| tests(&stmt.node))
}

/// The files that a policy uses; none if it cannot be read, which is found again when it is compiled.
fn used(path: &Utf8Path, files: &mut Files) -> Vec<Utf8PathBuf> {
    let Ok(id) = files.read(path) else { return Vec::new() };
    let text = files.sources.file(id).map(|file| file.text()).unwrap_or_default();
    // Most policies use none, and parsing is what takes the time.
    if !text.contains("use") {
        return Vec::new();
    }
    let policy = parse(id, text, &mut Sink::default());
    let used = policy.stmts.iter().filter_map(|stmt| match &stmt.node {
        Item::Use { path: target } => Some(clean(&beside(path, &target.node))),
        _ => None,
    });
    used.collect()
}
