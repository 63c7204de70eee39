//! `policyc compile`: a policy as the config of a runtime, proved before it is written.

mod deliver;

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal, flattened};
use crate::diagnostic::Severity;
use crate::engine::Table;
use crate::fidelity::{Difference, Fidelity};
use crate::language::Budget;
use crate::project::Compilation;
use crate::report::{Report, human, shown};
use crate::runtimes::gemini::Gemini;
use crate::source::SourceMap;
use crate::targets::{self, Built, Row, gemini, js, pi};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use deliver::File;
use std::fmt::Write;

/// Writes a policy as the config of a runtime
///
/// What is to be written is read back first, and compared with the policy for every call there is: the table says of each
/// agent whether it is exact, or stricter and by which call. A config that would allow more is never written.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A policy, or `-`
    file: Utf8PathBuf,
    /// What to write
    #[arg(long, short, value_enum, value_delimiter = ',', required = true, value_name = "TARGET")]
    target: Vec<Target>,
    /// The folder to write to
    #[arg(long, short, value_name = "DIR", required_unless_present = "dry_run")]
    out: Option<Utf8PathBuf>,
    /// Write nothing; exit with 1 if what is there differs
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Write nothing; print the files
    #[arg(long)]
    dry_run: bool,
    /// States that one exact question may take
    #[arg(long, value_name = "STATES")]
    budget: Option<usize>,
    #[command(flatten)]
    asked: Asked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// `opencode.json`
    Opencode,
    /// The flattened rulesets of any runtime: `policy.json`
    Json,
    /// An ES module that decides, without dependencies, and its types: `policy.mjs`, `policy.d.mts`
    Js,
    /// An extension for pi: `index.ts`, `package.json`
    Pi,
    /// Gemini CLI's rules for `~/.gemini`: `policies/policyc.toml`
    Gemini,
    /// Compiled decisions for hooks, read in microseconds: `policy.table`
    Table,
}

/// The file that a table is written to.
const TABLE_FILE: &str = "policy.table";

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    let Some(compilation) = input::usable(&mut input, &args.file, terminal)? else { return Ok(Exit::Unusable) };
    if compilation.findings.iter().any(|finding| finding.severity == Severity::Error) {
        // The runtime reads nothing of it, or not what its author meant.
        return Ok(Exit::Unusable);
    }
    let mut budget = args.budget.map_or_else(Budget::default, Budget::new);
    let mut targets = args.target.clone();
    targets.dedup();
    let mut files = Vec::new();
    for target in targets {
        match target {
            Target::Json => {
                let sets: Vec<_> = compilation.rulesets.iter().collect();
                let text = format!("{:#}\n", flattened::json(&compilation, &sets, &input.files.sources));
                files.push(File::text("policy.json", text));
            }
            Target::Table => files.push(table_of(&compilation, &input)?),
            Target::Js => files.extend(javascript(&compilation, &input.files.sources)?),
            Target::Opencode => {
                let version = args.asked.version();
                let built = targets::opencode(&mut input.files, &compilation, version, &mut budget);
                let text = proved(built, &input, &args.file, &compilation, terminal)?;
                let Some(text) = text else { return Ok(Exit::Found) };
                files.push(File::text(targets::OPENCODE_FILE, text));
            }
            Target::Gemini => {
                let built = gemini::build(&mut input.files, &compilation, Gemini::version(), &mut budget);
                let text = proved(built, &input, &args.file, &compilation, terminal)?;
                let Some(text) = text else { return Ok(Exit::Found) };
                files.push(File::text(gemini::GEMINI_FILE, text));
            }
            Target::Pi => {
                let built = pi::extension(&compilation, &input.files.sources, &mut budget);
                let text = proved(built, &input, &args.file, &compilation, terminal)?;
                let Some(text) = text else { return Ok(Exit::Found) };
                files.push(File::text(pi::EXTENSION_FILE, text));
                files.push(File::text(pi::PACKAGE_FILE, pi::PACKAGE.to_owned()));
            }
        }
    }
    deliver::all(&args, &files, terminal)
}

/// The text, if it keeps to the policy; tells what was proved of it.
fn proved(
    built: Result<Built, String>,
    input: &Input<'_>,
    path: &Utf8Path,
    compilation: &Compilation,
    terminal: Terminal,
) -> Result<Option<String>, Failure> {
    let built = built.map_err(|message| Failure { message, help: None })?;
    terminal.tell(&table(&built.rows));
    let sound = built.is_sound();
    tell(input, path, compilation, &built, terminal);
    if !sound {
        terminal.tell("nothing was written: the config would not keep to the policy\n");
        return Ok(None);
    }
    Ok(Some(built.text))
}

/// The compiled table. Rules that hold a folder of this machine are compiled only where that was asked for, and the table
/// says for which machine it is.
fn table_of(compilation: &Compilation, input: &Input<'_>) -> Result<File, Failure> {
    let (runtime, version) = (compilation.runtime, compilation.version);
    let environment = input.options.environment.as_ref();
    if environment.is_none() && depends_on_machine(compilation) {
        return Err(Failure::new(
            format!(
                "rules of `{}` depend on folders of the machine, so a table is for one machine only",
                runtime.name()
            ),
            "add `--environment`, and compile it in the repository that it is for",
        ));
    }
    let sources = &input.files.sources;
    let mut table = Table::new(&compilation.model, &compilation.rulesets, sources, (runtime.name(), version.id));
    table.machine = environment.map(|machine| (machine.home.clone(), machine.worktree.clone()));
    let bytes = table.to_bytes().map_err(|error| Failure { message: error.to_string(), help: None })?;
    Ok(File::table(TABLE_FILE, bytes))
}

/// Whether the runtime adds or changes rules where it knows the machine.
fn depends_on_machine(compilation: &Compilation) -> bool {
    let (runtime, version) = (compilation.runtime, compilation.version);
    let machine = runtime.environment(Utf8Path::new("."));
    compilation.rulesets.iter().any(|set| {
        let mut settled = set.clone();
        runtime.settle(&mut settled, version, Some(&machine));
        settled.rules != set.rules
    })
}

fn javascript(compilation: &Compilation, sources: &SourceMap) -> Result<[File; 2], Failure> {
    let keys = js::keys(&compilation.model);
    let policy = js::Policy {
        rulesets: &compilation.rulesets,
        visibility: compilation.model.visibility,
        default_agent: js::default_agent(&compilation.model),
        keys: &keys,
    };
    let module = js::module(&policy, sources).map_err(|error| Failure { message: error.to_string(), help: None })?;
    Ok([File::text(js::MODULE_FILE, module), File::text(js::TYPES_FILE, js::types(&policy))])
}

fn tell(input: &Input<'_>, path: &Utf8Path, compilation: &Compilation, built: &Built, terminal: Terminal) {
    let section = input.section(path, Some(compilation), built.findings.clone());
    let report = Report { sections: vec![section] };
    terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
    for note in &built.notes {
        terminal.tell(&format!("note: {note}\n"));
    }
}

/// One line an agent.
fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|row| shown::line(&row.agent).chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let _ = writeln!(out, "  {:width$}  {}", shown::line(&row.agent), verdict(&row.fidelity));
    }
    out
}

fn verdict(fidelity: &Fidelity) -> String {
    match fidelity {
        Fidelity::Exact => "exact".to_owned(),
        Fidelity::Tighter(difference) => format!("tighter: {}", told(difference)),
        Fidelity::Looser(difference) => format!("looser, refused: {}", told(difference)),
        Fidelity::Undecided => "undecided, refused".to_owned(),
    }
}

fn told(difference: &Difference) -> String {
    match difference {
        Difference::Decision { call, ours, theirs } => {
            format!("{} {} is {theirs}, not {ours}", call.key, shown::argument(&call.value))
        }
        Difference::Hidden { permission, theirs: true } => format!("the tools of {permission} are hidden"),
        Difference::Hidden { permission, theirs: false } => format!("the tools of {permission} are shown"),
    }
}
