//! The pipeline: files in, [`Compilation`] out, findings on the way. Alone in calling the stages in order.

use crate::capabilities::World;
use crate::checks::{self, Cx, Date};
use crate::diagnostic::{Finding, Sink};
use crate::files::Files;
use crate::language::{Budget, Case};
use crate::load::{self, Asked, Program};
use crate::model::{self, Given, Model, Statement};
use crate::rewrite::Layouts;
use crate::ruleset::{self, Ruleset};
use crate::runtimes::{Environment, Reading, Runtime, Source, Version};
use crate::source::{SourceMap, Span, Spanned};
use crate::syntax::ast::{self, Item, LayerClause, Name, Policy, Stmt};
use crate::syntax::parse;
use camino::Utf8Path;
use rustc_hash::FxHashMap;

/// What the pipeline is asked for.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// Runtime and version before what files say.
    pub asked: Asked<'a>,
    /// The machine's facts, with `--environment`.
    pub environment: Option<Environment>,
    /// Whether letters are compared as the runtimes do on Windows.
    pub windows: bool,
    /// Rules for slots of the merge order; a slot that there is not is passed over.
    pub layers: Vec<Given>,
}

/// A policy, or a runtime's config, compiled.
#[derive(Debug)]
pub struct Compilation {
    /// The runtime.
    pub runtime: &'static dyn Runtime,
    /// Its version.
    pub version: &'static Version,
    /// What was read, as a policy: the prelude first, then the files or the imported config.
    pub program: Program,
    /// Names resolved.
    pub model: Model,
    /// One ruleset an agent that exists.
    pub rulesets: Vec<Ruleset>,
    /// The same as written, where the runtime reads another order.
    pub as_written: Option<Vec<Ruleset>>,
    /// Servers that bring tools of their own, by the names their tools' permissions begin with.
    pub servers: Vec<Name>,
    /// What the stages found.
    pub findings: Vec<Finding>,
}

impl Compilation {
    /// Where what the user wrote starts: the place of what no single statement is the cause of.
    pub fn start(&self) -> Option<Span> {
        let user = self.program.statements().find(|(policy, ..)| *policy > 0);
        user.or_else(|| self.program.statements().next()).map(|(_, stmt, _)| stmt.span)
    }
}

/// Compiles a policy file and what it uses.
pub fn compile_policy(files: &mut Files, path: &Utf8Path, options: &Options<'_>) -> Result<Compilation, Box<Finding>> {
    let file = files.read_or_report(path, None)?;
    let mut sink = Sink::default();
    let mut user = Program::default();
    load::load(files, path, file, &mut user, &mut sink);
    let (runtime, version) = load::runtime_of(&user, options.asked, &mut sink);
    let froms = layers_from(files, path, &user, (runtime, version), &mut sink);
    let (program, model, rulesets) = flatten(files, user, &froms, (runtime, version), options, &mut sink);
    Ok(Compilation {
        runtime,
        version,
        program,
        model,
        rulesets,
        as_written: None,
        servers: Vec::new(),
        findings: sink.into_findings(),
    })
}

/// Compiles a runtime's config from its sources, lowest precedence first.
pub fn compile_config(
    files: &mut Files,
    runtime: &'static dyn Runtime,
    sources: &[Source],
    options: &Options<'_>,
) -> Compilation {
    let mut sink = Sink::default();
    let asked = options.asked.version.and_then(|text| load::find_version(runtime, text));
    let (version, reading) = runtime.read(sources, &files.sources, asked, &mut sink);
    let Reading { policy, as_written, ignores, servers } = reading;
    let as_written = as_written.map(|policy| {
        let quiet = &mut Sink::default();
        flatten(files, Program::of(policy), &FxHashMap::default(), (runtime, version), options, quiet).2
    });
    let froms = FxHashMap::default();
    let (program, mut model, rulesets) =
        flatten(files, Program::of(policy), &froms, (runtime, version), options, &mut sink);
    annotate(&mut model, ignores);
    Compilation { runtime, version, program, model, rulesets, as_written, servers, findings: sink.into_findings() }
}

/// Adds the annotations of a config that stand at no statement of it.
fn annotate(model: &mut Model, ignores: Vec<(Spanned<ast::Ignore>, Span)>) {
    for (ignore, scope) in ignores {
        let known = |other: &model::Ignore| other.span.contains(ignore.span) || ignore.span.contains(other.span);
        if !model.ignores.iter().any(known) {
            model.ignores.push(model::Ignore {
                span: ignore.span,
                scope,
                code: ignore.node.code,
                reason: ignore.node.reason.map(|reason| reason.node),
                until: ignore.node.until,
            });
        }
    }
}

type Froms = FxHashMap<Span, Vec<Stmt<LayerClause>>>;

/// The prelude in front, then model, then one settled ruleset an agent.
fn flatten(
    files: &mut Files,
    user: Program,
    froms: &Froms,
    (runtime, version): (&'static dyn Runtime, &'static Version),
    options: &Options<'_>,
    sink: &mut Sink,
) -> (Program, Model, Vec<Ruleset>) {
    let mut program = Program::of(prelude(files, version, sink));
    let first_user = program.policies.len();
    program.append(user);
    let statements: Vec<Statement<'_>> = program
        .statements()
        .map(|(policy, stmt, used)| {
            let from = froms.get(&stmt.span).map_or(&[][..], Vec::as_slice);
            Statement { stmt, prelude: policy < first_user, used, from }
        })
        .collect();
    let mut model = model::build(&statements, runtime.plain(), sink);
    model.supply(&options.layers);
    let mut rulesets = ruleset::flatten_all(&model, if options.windows { Case::Folded } else { Case::Sensitive });
    for set in &mut rulesets {
        runtime.settle(set, version, options.environment.as_ref());
    }
    (program, model, rulesets)
}

fn prelude(files: &mut Files, version: &Version, sink: &mut Sink) -> Policy {
    let file = files.embedded(version.prelude_name, version.prelude);
    parse(file, version.prelude, sink)
}

/// The shared rules of configs that layers take `from` runtime files.
fn layers_from(
    files: &mut Files,
    path: &Utf8Path,
    user: &Program,
    (runtime, version): (&'static dyn Runtime, &'static Version),
    sink: &mut Sink,
) -> Froms {
    let mut froms = Froms::default();
    for (_, stmt, _) in user.statements() {
        let Item::Layer { from, .. } = &stmt.node else { continue };
        let mut sources = Vec::new();
        for name in from {
            let target = load::beside(path, &name.node);
            match files.read_or_report(&target, Some(name.span)) {
                Ok(file) => sources.push(Source { kind: "project", path: target, file }),
                Err(finding) => sink.push(*finding),
            }
        }
        if sources.is_empty() {
            continue;
        }
        let (_, reading) = runtime.read(&sources, &files.sources, Some(version), sink);
        let rules = reading.policy.stmts.into_iter().filter_map(|stmt| match stmt.node {
            Item::Layer { body, .. } => body.map(|body| body.stmts),
            _ => None,
        });
        froms.insert(stmt.span, rules.flatten().collect());
    }
    froms
}

/// Runs every check on a compilation; what they find follows what the stages found. What an `@ignore` covers is left out.
pub fn check(
    compilation: &Compilation,
    sources: &SourceMap,
    today: Date,
    pedantic: bool,
    budget: &mut Budget,
) -> Vec<Finding> {
    let mut findings = check_all(compilation, Vec::new(), sources, today, pedantic, budget);
    findings.retain(|finding| finding.ignored.is_none());
    findings
}

/// The same, and `more` that was found by comparing, with what an `@ignore` covers marked as ignored.
pub fn check_all(
    compilation: &Compilation,
    more: Vec<Finding>,
    sources: &SourceMap,
    today: Date,
    pedantic: bool,
    budget: &mut Budget,
) -> Vec<Finding> {
    let mut sink = Sink::default();
    let world = World::new(&compilation.model, &compilation.rulesets, compilation.runtime, compilation.version);
    let mut cx = Cx {
        world: &world,
        model: &compilation.model,
        rulesets: &compilation.rulesets,
        as_written: compilation.as_written.as_deref(),
        servers: &compilation.servers,
        runtime: compilation.runtime,
        version: compilation.version,
        today,
        pedantic,
        budget,
        sources,
        found: &compilation.findings,
        reach: None,
        loopholes: None,
        leaks: None,
        doubts: Vec::new(),
        layouts: Layouts::default(),
    };
    checks::run(&mut cx, &mut sink);
    let findings = compilation.findings.iter().cloned().chain(sink.into_findings()).chain(more).collect();
    checks::fold(checks::suppress(findings, &compilation.model.ignores, today, pedantic), sources)
}
