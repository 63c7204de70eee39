//! A policy and all it uses, in reading order, with the prelude of its runtime in front.

use crate::diagnostic::{Code, Finding, Severity, Sink, near_name};
use crate::files::Files;
use crate::model::{CONFLICTING_DEFINITION, UNRESOLVED_NAME};
use crate::runtimes::{RUNTIMES, Runtime, Version};
use crate::source::{FileId, Span};
use crate::syntax::ast::{Item, Name, Policy, Stmt};
use crate::syntax::parse;
use camino::{Utf8Path, Utf8PathBuf};

/// Files that use each other in a circle.
pub const USE_CYCLE: Code = Code::new("PC1016", "use-cycle", Severity::Error);

/// How deep files may use each other.
const DEPTH: usize = 64;

/// Policies and the order their statements are read in.
#[derive(Debug, Default)]
pub struct Program {
    /// Every file once, the prelude first.
    pub policies: Vec<Policy>,
    /// Place in `policies`, place in its statements, and the `use` that brought it.
    pub order: Vec<(usize, usize, Option<Span>)>,
}

impl Program {
    /// A program of one policy that uses no files: a prelude, an imported config.
    pub fn of(policy: Policy) -> Program {
        Program { order: (0..policy.stmts.len()).map(|at| (0, at, None)).collect(), policies: vec![policy] }
    }

    /// Puts another program behind this one.
    pub fn append(&mut self, other: Program) {
        let before = self.policies.len();
        self.order.extend(other.order.into_iter().map(|(policy, at, used)| (policy + before, at, used)));
        self.policies.extend(other.policies);
    }

    /// The statements in reading order.
    pub fn statements(&self) -> impl Iterator<Item = (usize, &Stmt<Item>, Option<Span>)> {
        self.order.iter().filter_map(|(policy, at, used)| {
            let stmt = self.policies.get(*policy)?.stmts.get(*at)?;
            Some((*policy, stmt, *used))
        })
    }
}

/// Loads a policy file and the files it uses.
pub fn load(files: &mut Files, path: &Utf8Path, file: FileId, program: &mut Program, sink: &mut Sink) {
    let mut loader = Loader { files, program, sink, stack: Vec::new(), done: Vec::new() };
    loader.file(path, file, None);
}

struct Loader<'a> {
    files: &'a mut Files,
    program: &'a mut Program,
    sink: &'a mut Sink,
    /// Files being read, outermost first, each with the `use` that led on from it.
    stack: Vec<(FileId, Option<Span>)>,
    done: Vec<FileId>,
}

impl Loader<'_> {
    fn file(&mut self, path: &Utf8Path, file: FileId, used: Option<Span>) {
        let text = self.files.sources.file(file).map(|file| file.text().to_owned()).unwrap_or_default();
        let policy = parse(file, &text, self.sink);
        let index = self.program.policies.len();
        let uses: Vec<(usize, Name)> = policy
            .stmts
            .iter()
            .enumerate()
            .filter_map(|(at, stmt)| match &stmt.node {
                Item::Use { path } => Some((at, path.clone())),
                _ => None,
            })
            .collect();
        let count = policy.stmts.len();
        self.program.policies.push(policy);
        self.stack.push((file, None));
        let mut next = 0;
        for (at, target) in uses {
            self.program.order.extend((next..at).map(|at| (index, at, used)));
            self.used(path, &target);
            next = at + 1;
        }
        self.program.order.extend((next..count).map(|at| (index, at, used)));
        self.stack.pop();
        self.done.push(file);
    }

    fn used(&mut self, from: &Utf8Path, target: &Name) {
        let path = beside(from, &target.node);
        let file = match self.files.read_or_report(&path, Some(target.span)) {
            Ok(file) => file,
            Err(finding) => return self.sink.push(*finding),
        };
        if let Some(last) = self.stack.last_mut() {
            last.1 = Some(target.span);
        }
        if let Some(at) = self.stack.iter().position(|(open, _)| *open == file) {
            return self.cycle(at, target.span);
        }
        if self.stack.len() >= DEPTH {
            let text = format!("files use each other more than {DEPTH} deep");
            return self.sink.push(Finding::new(USE_CYCLE, target.span, text).help("flatten the chain of `use`"));
        }
        if !self.done.contains(&file) {
            self.file(&path, file, Some(target.span));
        }
    }

    fn cycle(&mut self, from: usize, span: Span) {
        let open = self.stack.iter().skip(from);
        let names: Vec<&str> = open.clone().map(|(file, _)| self.files.sources.name(*file)).collect();
        let first = names.first().copied().unwrap_or_default();
        let text = format!("files use each other in a circle: {} -> {first}", names.join(" -> "));
        let mut finding =
            Finding::new(USE_CYCLE, span, text).help("move what both need into a third file that both use");
        for step in open.filter_map(|(_, step)| *step).filter(|step| *step != span) {
            finding = finding.related(step, "by way of this");
        }
        self.sink.push(finding);
    }
}

/// A path written in a file, seen from the folder of that file.
pub fn beside(file: &Utf8Path, written: &str) -> Utf8PathBuf {
    match file.parent() {
        Some(folder) if file != "-" => folder.join(written),
        _ => written.into(),
    }
}

/// The runtime and version a program names; `core` if it names none. More than one, or one that comes late, is said.
pub fn runtime_of(program: &Program, asked: Asked<'_>, sink: &mut Sink) -> (&'static dyn Runtime, &'static Version) {
    let mut chosen: Option<(&Name, Option<&Name>)> = None;
    for (policy, stmt, _) in program.statements() {
        let Item::Runtime { name, version } = &stmt.node else { continue };
        let first = program.policies.get(policy).and_then(|policy| policy.stmts.first());
        if !first.is_some_and(|first| matches!(first.node, Item::Runtime { .. })) {
            let finding = Finding::new(CONFLICTING_DEFINITION, stmt.span, "`runtime` comes after other statements");
            sink.push(finding.help("make it the first statement of the file: it decides what the others mean"));
        }
        match chosen {
            Some((old, said)) if old != name || said.is_some() && version.is_some() && said != version.as_ref() => {
                let finding = Finding::new(CONFLICTING_DEFINITION, stmt.span, "a policy has one runtime");
                sink.push(finding.related(old.span, "first here").help("keep one of them"));
            }
            Some(_) => {}
            None => chosen = Some((name, version.as_ref())),
        }
    }
    let runtime = match (asked.runtime, chosen) {
        (Some(runtime), _) => runtime,
        (None, Some((name, _))) => named(name, sink),
        (None, None) => core(),
    };
    let written = chosen.and_then(|(_, version)| version);
    (runtime, version_of(runtime, asked.version, written, sink))
}

/// What the command line asks for, before what a file says.
#[derive(Clone, Copy, Default)]
pub struct Asked<'a> {
    /// `--runtime`
    pub runtime: Option<&'static dyn Runtime>,
    /// `--runtime-version`
    pub version: Option<&'a str>,
}

fn core() -> &'static dyn Runtime {
    let [core, ..] = RUNTIMES;
    core
}

fn named(name: &Name, sink: &mut Sink) -> &'static dyn Runtime {
    if let Some(runtime) = RUNTIMES.into_iter().find(|runtime| runtime.name() == name.node) {
        return runtime;
    }
    let known: Vec<&str> = RUNTIMES.iter().map(|runtime| runtime.name()).collect();
    let help = match near_name(&name.node, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("policyc knows {}", known.join(", ")),
    };
    sink.push(Finding::new(UNRESOLVED_NAME, name.span, format!("no runtime is called `{}`", name.node)).help(help));
    core()
}

/// A version of a runtime: the one asked for, else the one written, else the runtime's default.
fn version_of(
    runtime: &'static dyn Runtime,
    asked: Option<&str>,
    written: Option<&Name>,
    sink: &mut Sink,
) -> &'static Version {
    let default = runtime.default_version();
    if let Some(version) = asked.and_then(|text| find_version(runtime, text)) {
        return version;
    }
    let Some(written) = written else { return default };
    find_version(runtime, &written.node).unwrap_or_else(|| {
        let known: Vec<&str> = runtime.versions().iter().map(|version| version.id).collect();
        let text = format!("version `{}` of {} is not known", written.node, runtime.name());
        let help = format!("known are {}; without a version it is {}", known.join(", "), default.id);
        sink.push(Finding::new(UNRESOLVED_NAME, written.span, text).help(help));
        default
    })
}

/// The known version that a text names: `1.18.33`, `1.18` and `1` all name 1.18 where that is the only 1.x known.
pub fn find_version(runtime: &'static dyn Runtime, text: &str) -> Option<&'static Version> {
    let parts = |id: &str, of: &str| id == of || id.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'));
    runtime.versions().iter().find(|version| parts(text, version.id) || parts(version.id, text))
}
