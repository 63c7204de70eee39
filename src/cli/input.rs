//! A policy or config that a command line names, compiled.

use super::exit::{Exit, Failure};
use super::git::{self, Repository, Tree};
use super::names;
use super::terminal::Terminal;
use crate::diagnostic::{Finding, Severity};
use crate::engine::Table;
use crate::files::{Files, clean};
use crate::load::{self, Asked as Wanted};
use crate::model::Given;
use crate::project::{self, Compilation, Options};
use crate::report::{Report, Section, human, shown};
use crate::runtimes::{Environment, RUNTIMES, Runtime, Source, SourceRef};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io::Read;
use std::rc::Rc;
use tempfile::TempDir;

/// Options of every verb that compiles.
#[derive(Debug, clap::Args)]
pub(super) struct Asked {
    /// Read the file as this runtime's, whatever it says
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Semantics of this version of the runtime
    #[arg(long, value_name = "VERSION")]
    runtime_version: Option<String>,
    /// Also read this machine's sources: global and managed config, variables, folders
    #[arg(long)]
    environment: bool,
    /// Fill a slot of the merge order: from a policy's layer of that name, or from a runtime's config
    #[arg(long = "layer", value_name = "NAME=FILE", value_parser = slot)]
    layers: Vec<(String, Utf8PathBuf)>,
    /// Decide as on Windows, where letters are compared without regard to case
    #[arg(long)]
    windows: bool,
}

fn slot(text: &str) -> Result<(String, Utf8PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.to_owned(), file.into())),
        _ => Err("write it as NAME=FILE, like user=org.policy".to_owned()),
    }
}

impl Asked {
    /// The version asked for.
    pub(super) fn version(&self) -> Option<&str> {
        self.runtime_version.as_deref()
    }
}

/// The files of a run, and how they are to be compiled.
#[derive(Default)]
pub(super) struct Input<'a> {
    pub(super) files: Files,
    pub(super) options: Options<'a>,
    machine: bool,
    /// The workspace and the folder of a session, whatever file the policy stands in.
    session: Option<(String, String)>,
    /// The runtimes whose configs were found in folders.
    pub(super) belongs: FxHashMap<Utf8PathBuf, &'static dyn Runtime>,
    /// The names of the files that a path was read from.
    read: FxHashMap<Utf8PathBuf, Vec<String>>,
    /// The names of files that every input was read with, and the arguments that name them.
    beside: Vec<String>,
    slots: String,
    /// Folders with what files were at revisions, deleted when the run ends.
    snapshots: Vec<TempDir>,
    /// What repositories held at revisions.
    trees: FxHashMap<(Utf8PathBuf, String), Rc<Tree>>,
}

/// The outer error: the command line asks for what there is not. The inner one: the file cannot be read.
type Compiled = Result<Result<Compilation, Box<Finding>>, Failure>;

impl<'a> Input<'a> {
    pub(super) fn new(asked: &'a Asked) -> Result<Input<'a>, Failure> {
        let runtime = asked.runtime.as_deref().map(names::runtime).transpose()?;
        let version = asked.runtime_version.as_deref();
        let options = Options {
            asked: Wanted { runtime, version },
            environment: None,
            windows: asked.windows,
            layers: Vec::new(),
        };
        let mut input = Input { options, machine: asked.environment, ..Input::default() };
        let mut layers = Vec::new();
        for (name, path) in &asked.layers {
            layers.push(input.given(name, path)?);
            input.slots.push_str(&format!(" --layer {}={}", shown::argument(name), shown::argument(path.as_str())));
        }
        input.options.layers = layers;
        Ok(input)
    }

    /// The files of a session in a workspace and a folder of it: this machine's facts count.
    pub(super) fn session(root: &str, cwd: &str) -> Input<'static> {
        Input { machine: true, session: Some((root.to_owned(), cwd.to_owned())), ..Input::default() }
    }

    /// The facts of the machine for a policy or a config at a path.
    pub(super) fn environment(&self, runtime: &dyn Runtime, path: &Utf8Path) -> Environment {
        match &self.session {
            Some((root, cwd)) => {
                let found = runtime.environment(Utf8Path::new(root));
                Environment { worktree: root.clone(), cwd: cwd.clone(), ..found }
            }
            None => runtime.environment(&project_of(path)),
        }
    }

    /// What a slot is given: a policy's layer of that name, or what a runtime's config says to all agents.
    fn given(&mut self, name: &str, path: &Utf8Path) -> Result<Given, Failure> {
        let compilation = self.whole(path)?;
        if path.is_dir() || self.reader(path).is_some() {
            return Ok(Given::config(&compilation.model, name));
        }
        Given::layer(&compilation.model, name).ok_or_else(|| {
            let known: Vec<&str> = compilation.model.layers.keys().map(String::as_str).collect();
            let message = format!("`{path}` has no layer `{name}`");
            Failure::new(message, names::help(name, &known, "declare it there with `layer NAME { ... }`"))
        })
    }

    /// Compiles a file that others depend on, by itself: nothing may be wrong with it. It counts as read by every input.
    pub(super) fn whole(&mut self, path: &Utf8Path) -> Result<Compilation, Failure> {
        let layers = std::mem::take(&mut self.options.layers);
        let compiled = self.compile(path);
        self.options.layers = layers;
        let compilation =
            compiled?.map_err(|finding| Failure { message: finding.message.clone(), help: finding.help.clone() })?;
        if let Some(error) = compilation.findings.iter().find(|finding| finding.severity == Severity::Error) {
            let place = self.files.sources.place(error.primary.span);
            let message = format!("`{path}` cannot be relied on: {} ({place})", error.message);
            return Err(Failure::new(message, format!("`policyc check {path}` shows all that is wrong with it")));
        }
        self.beside.extend(self.read.get(path).cloned().unwrap_or_default());
        Ok(compilation)
    }

    /// Whether this machine's own sources count.
    pub(super) fn machine(&self) -> bool {
        self.machine
    }

    /// Compiles what an argument names: a policy, a runtime's config, or the config that holds in a folder; with
    /// `git:REV:PATH` as they were at that revision.
    pub(super) fn compile(&mut self, argument: &Utf8Path) -> Compiled {
        let Some(spec) = git::spec(argument) else { return self.compile_at(argument) };
        let (revision, path) = spec?;
        let repository = Repository::of(Utf8Path::new("."))?;
        let path = git::in_tree(path, &repository.prefix)?;
        let Some(place) = self.version(&repository, revision, &path)? else {
            return Err(Failure::new(
                format!("`{path}` is not in `{revision}`"),
                "write the path that it had there, from the root of the repository (or from here with `./`)",
            ));
        };
        let compiled = self.compile_at(&place)?;
        let names = self.read.remove(&place).unwrap_or_default();
        self.read.insert(argument.to_owned(), names);
        Ok(compiled)
    }

    /// A place where what a path of a repository was at a revision can be compiled; `None`: it was not there.
    fn version(
        &mut self,
        repository: &Repository,
        revision: &str,
        path: &Utf8Path,
    ) -> Result<Option<Utf8PathBuf>, Failure> {
        let key = (repository.top.clone(), revision.to_owned());
        let tree = match self.trees.get(&key) {
            Some(tree) => tree.clone(),
            None => {
                let tree = Rc::new(repository.at(revision)?);
                self.trees.insert(key, tree.clone());
                tree
            }
        };
        if !tree.has(path) {
            return Ok(None);
        }
        let (folder, place) = tree.write(path, &mut self.files)?;
        self.snapshots.push(folder);
        Ok(Some(place))
    }

    /// What an input of this run was at a revision, compiled; or why it cannot be compared with that.
    pub(super) fn base(&mut self, path: &Utf8Path, revision: &str) -> Result<Result<Compilation, String>, Failure> {
        if path == "-" || git::spec(path).is_some() {
            return Ok(Err(format!("`{path}` has no other version at `{revision}`")));
        }
        let repository = Repository::of(&git::folder_of(path))?;
        let name = path.file_name().filter(|_| !path.is_dir()).unwrap_or_default();
        let inside = repository.prefix.join(name);
        let inside = if name.is_empty() { repository.prefix.clone() } else { inside };
        let shown = self.files.shown(path);
        let Some(place) = self.version(&repository, revision, &inside)? else {
            return Ok(Err(format!("`{shown}` is not in `{revision}`, so it is compared with nothing")));
        };
        let why = match self.compile_at(&place) {
            Ok(Ok(compilation)) => match compilation.findings.iter().find(|finding| spoils(finding)) {
                None => return Ok(Ok(compilation)),
                // Without the rules that cannot be read there, any answer could be wrong.
                Some(finding) => finding.message.clone(),
            },
            Ok(Err(finding)) => finding.message,
            Err(failure) => failure.message,
        };
        Ok(Err(format!("`{shown}` cannot be compared with `{revision}`: {why}")))
    }

    fn compile_at(&mut self, path: &Utf8Path) -> Compiled {
        if is_table(path) {
            let message = format!("`{}` is a compiled table, for hooks", self.files.shown(path));
            return Err(Failure::new(message, "name the policy that it was compiled from"));
        }
        let compiled = if path != "-" && path.is_dir() {
            self.folder(path)?
        } else {
            match self.reader(path) {
                Some(runtime) => self.config(path, runtime, vec![named(path)]),
                None => self.policy(path),
            }
        };
        if let Ok(compilation) = &compiled {
            self.has_version(compilation.runtime)?;
            for given in &self.options.layers {
                names::slot(compilation, &given.name)?;
            }
        }
        Ok(compiled)
    }

    /// The runtime whose config a file is; `None`: it is a policy.
    pub(super) fn reader(&self, path: &Utf8Path) -> Option<&'static dyn Runtime> {
        let asked = self.options.asked.runtime.filter(|runtime| runtime.reads(path));
        // A name that is a runtime's own says more than an ending that several read.
        let own = || RUNTIMES.into_iter().find(|runtime| runtime.belongs(path).is_some());
        asked.or_else(own).or_else(|| RUNTIMES.into_iter().find(|runtime| runtime.reads(path)))
    }

    fn folder(&mut self, path: &Utf8Path) -> Compiled {
        let asked = self.options.asked.runtime.or_else(|| self.belongs.get(path).copied());
        let runtimes = RUNTIMES.into_iter().filter(|runtime| asked.is_none_or(|asked| asked.name() == runtime.name()));
        let found = runtimes.map(|runtime| (runtime, runtime.sources(path, self.machine)));
        let mut found: Vec<_> = found.filter(|(_, sources)| !sources.is_empty()).collect();
        // A folder of one runtime's own stands under configs of others.
        let here = clean(path);
        let own = |sources: &[SourceRef]| sources.iter().any(|source| clean(&source.path).starts_with(&here));
        if here != "." && found.iter().any(|(_, sources)| own(sources)) {
            found.retain(|(_, sources)| own(sources));
        }
        let mut found = found.into_iter();
        match (found.next(), found.next()) {
            (Some((runtime, sources)), None) => return Ok(self.config(path, runtime, sources)),
            (Some((one, _)), Some((other, _))) => {
                let text = format!("there are configs of {} and of {} in `{path}`", one.title(), other.title());
                return Err(Failure::new(text, "name the one that is meant, by `--runtime NAME` or by its file"));
            }
            _ => {}
        }
        let entries = path.read_dir_utf8().into_iter().flatten().flatten().map(|entry| entry.into_path());
        let policies: Vec<Utf8PathBuf> = entries.filter(|path| path.extension() == Some("policy")).collect();
        let shown = self.files.shown(path);
        match policies.as_slice() {
            [policy] => self.compile_at(policy),
            [] => Err(Failure::new(
                format!("there is no policy and no config of a known runtime in `{shown}`"),
                "name a file, or write a first policy with `policyc init`",
            )),
            many => Err(Failure::new(
                format!("there are {} policies in `{shown}`", many.len()),
                "name the one that is meant",
            )),
        }
    }

    fn policy(&mut self, path: &Utf8Path) -> Result<Compilation, Box<Finding>> {
        self.options.environment = None;
        let mut compilation = project::compile_policy(&mut self.files, path, &self.options)?;
        if self.machine {
            // Which facts of the machine count depends on the runtime, which the policy names.
            self.options.environment = Some(self.environment(compilation.runtime, path));
            compilation = project::compile_policy(&mut self.files, path, &self.options)?;
        }
        let own = compilation.program.statements().map(|(_, stmt, _)| self.files.sources.name(stmt.span.file));
        let prelude = compilation.version.prelude_name;
        let mut names = vec![self.files.shown(path)];
        for name in own.filter(|name| *name != prelude) {
            if names.last().is_none_or(|last| last != name) && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        if path == "-" {
            names.retain(|name| name != "-");
        }
        self.read.insert(path.to_owned(), names);
        Ok(compilation)
    }

    fn config(
        &mut self,
        path: &Utf8Path,
        runtime: &'static dyn Runtime,
        sources: Vec<SourceRef>,
    ) -> Result<Compilation, Box<Finding>> {
        self.options.environment = self.machine.then(|| self.environment(runtime, path));
        let mut read = Vec::new();
        let mut names = Vec::new();
        for SourceRef { kind, path, text } in sources {
            let file = match text {
                Some(text) => self.files.embedded(path.as_str(), &text),
                None => self.files.read_or_report(&path, None)?,
            };
            names.push(self.files.sources.name(file).to_owned());
            read.push(Source { kind, path, file });
        }
        self.read.insert(path.to_owned(), names);
        Ok(project::compile_config(&mut self.files, runtime, &read, &self.options))
    }

    fn has_version(&self, runtime: &'static dyn Runtime) -> Result<(), Failure> {
        match self.options.asked.version {
            Some(text) if load::find_version(runtime, text).is_none() => {
                let known: Vec<&str> = runtime.versions().iter().map(|version| version.id).collect();
                let message = format!("policyc knows no version `{text}` of {}", runtime.name());
                Err(Failure::new(message, format!("known are {}", known.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// The names of the files that a path was read from.
    pub(super) fn names(&self, path: &Utf8Path) -> &[String] {
        self.read.get(path).map_or(&[], Vec::as_slice)
    }

    /// The arguments that name this input again.
    pub(super) fn target(&self, path: &Utf8Path) -> String {
        let mut text = shown::argument(clean(path).as_str());
        let Wanted { runtime, version } = self.options.asked;
        let several =
            |path| RUNTIMES.iter().filter(|runtime| !runtime.sources(path, self.machine).is_empty()).count() > 1;
        let runtime = runtime.or_else(|| self.belongs.get(path).copied().filter(|_| several(path)));
        if let Some(runtime) = runtime {
            text.push_str(&format!(" --runtime {}", runtime.name()));
        }
        if let Some(version) = version {
            text.push_str(&format!(" --runtime-version {}", shown::argument(version)));
        }
        if self.machine {
            text.push_str(" --environment");
        }
        if self.options.windows {
            text.push_str(" --windows");
        }
        text.push_str(&self.slots);
        text
    }

    /// What was found about a path, with how much there was.
    pub(super) fn section(
        &self,
        path: &Utf8Path,
        compilation: Option<&Compilation>,
        findings: Vec<Finding>,
    ) -> Section {
        let rules = compilation.map(|compilation| {
            let rules = compilation.rulesets.iter().flat_map(|set| &set.rules);
            rules.map(|rule| rule.id).collect::<FxHashSet<u32>>().len()
        });
        Section {
            target: self.target(path),
            findings,
            agents: compilation.map_or(0, |compilation| compilation.rulesets.len()),
            rules: rules.unwrap_or(0),
            sources: self.read.get(path).into_iter().flatten().chain(&self.beside).cloned().collect(),
        }
    }
}

/// Whether a file is a compiled table, by its beginning. A pipe is not read: what was read would be lost.
fn is_table(path: &Utf8Path) -> bool {
    let mut head = [0; 8];
    path != "-"
        && path.is_file()
        && std::fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut head).is_ok())
        && Table::is_table(&head)
}

/// The folder whose project a path belongs to: a folder itself, else that of the file, outside hidden folders.
fn project_of(path: &Utf8Path) -> Utf8PathBuf {
    if path == "-" {
        return ".".into();
    }
    let hidden =
        |folder: &&Utf8Path| folder.components().any(|part| part.as_str().starts_with(".") && part.as_str().len() > 2);
    let folder = if path.is_dir() { Some(path) } else { path.ancestors().skip(1).find(|folder| !hidden(folder)) };
    match folder {
        Some(folder) if !folder.as_str().is_empty() => folder.to_owned(),
        _ => ".".into(),
    }
}

/// A config that is named by itself.
fn named(path: &Utf8Path) -> SourceRef {
    SourceRef { kind: "project", path: path.to_owned(), text: None }
}

/// Compiles what a path names, for a verb that answers by it. What is wrong with it is told; if that could make an answer
/// wrong, there is none (`None`).
pub(super) fn usable(
    input: &mut Input<'_>,
    path: &Utf8Path,
    terminal: Terminal,
) -> Result<Option<Compilation>, Failure> {
    let (compilation, findings) = match input.compile(path)? {
        Ok(compilation) => {
            let errors = compilation.findings.iter().filter(|finding| finding.severity == Severity::Error);
            let errors = errors.cloned().collect();
            (Some(compilation), errors)
        }
        Err(finding) => (None, vec![*finding]),
    };
    let unusable = findings.iter().any(spoils);
    if !findings.is_empty() {
        let report = Report { sections: vec![input.section(path, compilation.as_ref(), findings)] };
        terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
    }
    Ok(compilation.filter(|_| !unusable))
}

/// Whether what was found leaves rules out that its author meant. A runtime that refuses the file (PC1003, PC1004) does
/// not: then the answer is what the file says, and the finding stands beside it.
fn spoils(finding: &Finding) -> bool {
    finding.severity == Severity::Error && !matches!(finding.code.id, "PC1003" | "PC1004" | "PC1012")
}

/// How a verb ends that answered by a config: 2 where the runtime refuses that config, so that no such session exists.
pub(super) fn refused(compilation: &Compilation) -> Exit {
    let refuses = |finding: &Finding| finding.severity == Severity::Error && finding.code.id == "PC1003";
    if compilation.findings.iter().any(refuses) { Exit::Unusable } else { Exit::Clean }
}

/// Whether a text cannot be read or parsed: exit code 2 where the command line names it.
pub(super) fn unreadable(finding: &Finding) -> bool {
    matches!(finding.code.id, "PC1001" | "PC1002")
}
