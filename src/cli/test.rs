//! `policyc test`: the `test` blocks alone, and which rules they try.

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal, inputs, outcomes};
use crate::checks::tests::{self, Block, Outcome, Run, Verdict};
use crate::checks::{assertion_failed, rule_never_decides_a_test as coverage};
use crate::diagnostic::Finding;
use crate::files::Files;
use crate::language::Budget;
use crate::output;
use crate::project::{self, Compilation, Options};
use crate::record;
use crate::report::{Report, human, json, shown};
use crate::secret::redact;
use crate::source::{SourceMap, Span};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use serde_json::{Value, json};
use std::fmt::Write;

/// Runs the `test` blocks of policies
///
/// A test says what becomes of example requests. `--coverage` also lists the rules that decide none of them: what no test
/// would notice if it were gone.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Policies or folders; `-` is a policy on standard input
    #[arg(default_value = ".", hide_default_value = true)]
    paths: Vec<Utf8PathBuf>,
    /// Report also the rules that decide no expectation
    #[arg(long)]
    coverage: bool,
    /// Run the tests against this config, not against the policy that they stand in
    #[arg(long, value_name = "CONFIG")]
    against: Option<Utf8PathBuf>,
    /// Write tests that pin what this config or policy decides now: a call for each rule that decides any
    #[arg(long, value_name = "CONFIG", conflicts_with_all = ["paths", "coverage", "format", "against"])]
    record: Option<Utf8PathBuf>,
    /// The file for these tests; standard output without it
    #[arg(long, short, value_name = "FILE", requires = "record")]
    out: Option<Utf8PathBuf>,
    /// How results are written
    #[arg(long, value_enum, default_value_t)]
    format: Written,
    #[command(flatten)]
    asked: Asked,
}

/// How results are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Written {
    /// For a person
    #[default]
    Human,
    /// For a program: one JSON document with a `schema`
    Json,
    /// JUnit XML, for CI servers
    Junit,
}

/// What came of all tests.
#[derive(Default)]
struct Total {
    blocks: Vec<Value>,
    text: String,
    suites: Vec<quick_junit::TestSuite>,
    passed: usize,
    failed: usize,
    covered: usize,
    rules: usize,
    report: Report,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    if let Some(config) = &args.record {
        return record(&mut input, config, args.out.as_deref(), terminal);
    }
    let mut against = match &args.against {
        Some(config) => match input::usable(&mut input, config, terminal)? {
            Some(compilation) => Some(compilation),
            None => return Ok(Exit::Unusable),
        },
        None => None,
    };
    let found = inputs::find(&mut input, &args.paths)?;
    let mut exit = Exit::Clean;
    let mut total = Total::default();
    for (path, named) in &found.inputs {
        let Some(mut compilation) = input::usable(&mut input, path, terminal)? else {
            exit = exit.max(if *named { Exit::Unusable } else { Exit::Found });
            continue;
        };
        let compilation = match &mut against {
            Some(other) => {
                other.model.tests = std::mem::take(&mut compilation.model.tests);
                &*other
            }
            None => &compilation,
        };
        let run = tests::run(
            &compilation.model,
            &compilation.rulesets,
            (compilation.runtime, compilation.version),
            input.options.environment.as_ref(),
        );
        let findings = total.add(compilation, &run, &input.files.sources, args.coverage);
        // The calls that are shown are decided by what was tested.
        let tested = args.against.as_deref().unwrap_or(path);
        total.report.sections.push(input.section(tested, Some(compilation), findings));
    }
    if total.blocks.is_empty() && exit == Exit::Clean {
        let help = "write one: `test AGENT \"name\" { edit \"src/main.rs\" => deny }`";
        return Err(Failure::new("there is no `test` block in what was named", help));
    }
    let sources = &input.files.sources;
    match args.format {
        Written::Human => {
            terminal.tell(&human::findings(&total.report, sources, terminal.style()));
            terminal.print(&format!("{}{}", total.text, total.summary(args.coverage)));
        }
        Written::Junit => {
            let text = outcomes::xml(&total.suites);
            terminal.print(&text.map_err(|error| Failure { message: error.to_string(), help: None })?);
        }
        Written::Json => terminal.print(&format!("{:#}\n", total.json(sources, args.coverage))),
    }
    Ok(if total.failed > 0 { exit.max(Exit::Found) } else { exit })
}

/// Writes the tests of a config, which are run once before: one that would not pass is a mistake of policyc.
fn record(
    input: &mut Input<'_>,
    config: &Utf8Path,
    out: Option<&Utf8Path>,
    terminal: Terminal,
) -> Result<Exit, Failure> {
    let Some(mut compilation) = input::usable(input, config, terminal)? else { return Ok(Exit::Unusable) };
    let file = out.map_or("TESTS.policy", Utf8Path::as_str);
    let again = format!("policyc test {} --against {}", shown::argument(file), input.target(config));
    let recorded = record::tests(&compilation, &again, &mut Budget::default());
    let mut files = Files::default();
    let name = Utf8Path::new("recorded.policy");
    files.given(name, &recorded.text);
    let tests = project::compile_policy(&mut files, name, &Options::default());
    let sound = tests.is_ok_and(|tests| {
        compilation.model.tests = tests.model.tests;
        let kind = (compilation.runtime, compilation.version);
        let run = tests::run(&compilation.model, &compilation.rulesets, kind, input.options.environment.as_ref());
        run.failed() == 0 && run.passed() == recorded.expectations
    });
    if !sound {
        let help = "please report it as a bug, with the config";
        return Err(Failure::new("the tests would not pass on the config they were made of", help));
    }
    match out {
        None => terminal.print(&recorded.text),
        Some(path) => {
            output::create(path, &recorded.text).map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    Failure::new(format!("`{path}` exists, and is not written over"), "name a file that does not exist")
                }
                _ => Failure::unwritable(path, &error),
            })?;
            terminal.tell(&format!("wrote {path}: {} expectations\n", recorded.expectations));
        }
    }
    for (n, why) in [
        (recorded.secrets, "calls hold what looks like a secret, and are left out"),
        (recorded.undecided, "rules were too hard to find a call for, and are left out"),
    ] {
        if n > 0 {
            terminal.tell(&format!("note: {n} {why}\n"));
        }
    }
    Ok(input::refused(&compilation))
}

impl Total {
    fn add(&mut self, compilation: &Compilation, run: &Run<'_>, sources: &SourceMap, covering: bool) -> Vec<Finding> {
        self.passed += run.passed();
        self.failed += run.failed();
        for block in &run.blocks {
            self.blocks.push(block_json(block, sources));
            self.text.push_str(&line(block, sources));
            self.suites.push(outcomes::suite(block, sources));
        }
        let mut findings = assertion_failed::findings(run, compilation.model.visibility);
        if covering {
            let (covered, rules) = coverage::covered(&compilation.model, run);
            self.covered += covered;
            self.rules += rules;
            findings.extend(coverage::findings(&compilation.model, run));
        }
        findings
    }

    fn summary(&self, covering: bool) -> String {
        let plural = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
        let mut out = format!(
            "{}, {}: {} passed, {} failed",
            plural(self.blocks.len(), "test"),
            plural(self.passed + self.failed, "expectation"),
            self.passed,
            self.failed
        );
        if covering {
            let _ = write!(out, "; {} of {} rules decide one", self.covered, self.rules);
        }
        out.push('\n');
        out
    }

    fn json(&self, sources: &SourceMap, covering: bool) -> Value {
        json!({
            "schema": "policyc/test/1",
            "tests": self.blocks,
            "findings": json::findings(&self.report, sources),
            "summary": { "tests": self.blocks.len(), "passed": self.passed, "failed": self.failed },
            "coverage": covering.then(|| json!({ "rules": self.rules, "covered": self.covered })),
        })
    }
}

fn line(block: &Block<'_>, sources: &SourceMap) -> String {
    let failed = block.outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Passed).count();
    let word = if failed == 0 { "\x1b[32mok\x1b[0m    " } else { "\x1b[1;31mfailed\x1b[0m" };
    let agent = shown::line(&block.test.agent.node);
    let name = block.test.name.as_ref().map(|name| format!(" \"{}\"", shown::line(name))).unwrap_or_default();
    let mut out = format!("{word}  {agent}{name}  {}\n", sources.place(block.test.span));
    for outcome in block.outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Passed) {
        let place = sources.place(outcome.expectation.span);
        let _ = writeln!(out, "        {} {}  {place}", shown::line(&outcome.text()), word_of(outcome.verdict));
    }
    out
}

fn block_json(block: &Block<'_>, sources: &SourceMap) -> Value {
    json!({
        "agent": redact(&block.test.agent.node),
        "name": block.test.name.as_deref().map(redact),
        "file": sources.name(block.test.span.file),
        "line": line_of(block.test.span, sources),
        "expectations": block.outcomes.iter().map(|outcome| outcome_json(outcome, sources)).collect::<Vec<_>>(),
    })
}

fn outcome_json(outcome: &Outcome<'_>, sources: &SourceMap) -> Value {
    let source = sources.slice(outcome.expectation.span);
    json!({
        "text": redact(source),
        "line": line_of(outcome.expectation.span, sources),
        "verdict": word_of(outcome.verdict),
        "why": outcome.why.as_deref().map(redact),
    })
}

fn word_of(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::Undecided => "undecided",
        Verdict::Unknown => "unknown",
    }
}

fn line_of(span: Span, sources: &SourceMap) -> Option<usize> {
    Some(sources.file(span.file)?.line_column(span.start).line)
}
