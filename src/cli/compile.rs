//! `policyc compile`: a policy as the config of a runtime, proved before it is written.

mod deliver;
mod order;

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal, flattened};
use crate::diagnostic::Severity;
use crate::engine::Table;
use crate::fidelity::{Difference, Fidelity};
use crate::language::Budget;
use crate::project::Compilation;
use crate::report::{Report, human, shown};
use crate::source::SourceMap;
use crate::targets::{self, Built, Row, js, pi};
use camino::{Utf8Path, Utf8PathBuf};
use deliver::File;
use order::{Order, Target};
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
    #[arg(long, short, value_parser = Target::parser(), value_delimiter = ',', required = true, value_name = "TARGET")]
    target: Vec<Target>,
    /// The folder to write to
    #[arg(long, short, value_name = "DIR")]
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

/// The file that a table is written to.
const TABLE_FILE: &str = "policy.table";

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    let orders = orders(&args, &mut input, terminal)?;
    let Some(compilation) = input::usable(&mut input, &args.file, terminal)? else { return Ok(Exit::Unusable) };
    if compilation.findings.iter().any(|finding| finding.severity == Severity::Error) {
        // The runtime reads nothing of it, or not what its author meant.
        return Ok(Exit::Unusable);
    }
    let mut compiler = Compiler {
        args: &args,
        compilation: &compilation,
        budget: args.budget.map_or_else(Budget::default, Budget::new),
        terminal,
        titles: orders.len() > 1,
    };
    let mut files = Vec::new();
    for order in &orders {
        match compiler.build(order, &mut input)? {
            Some(built) => files.extend(built.into_iter().map(|file| file.within(&order.folder))),
            None => return Ok(Exit::Found),
        }
    }
    deliver::all(&args, &files, terminal)
}

/// What is to be written where: the targets of the command line, or those of the settings for `all`.
fn orders(args: &Args, input: &mut Input<'_>, terminal: Terminal) -> Result<Vec<Order>, Failure> {
    let mut named: Vec<Target> = Vec::new();
    for target in &args.target {
        if !named.contains(target) {
            named.push(*target);
        }
    }
    if named.contains(&Target::All) {
        if named.len() > 1 || args.out.is_some() {
            return Err(Failure::new(
                "`all` writes what `policyc.toml` names, each to its own folder",
                "leave out `--out` and the other targets, or name targets without `all`",
            ));
        }
        return order::of_settings(&args.file, input, terminal);
    }
    if args.out.is_none() && !args.dry_run {
        return Err(Failure::new(
            "no folder to write to is named",
            "name one with `--out DIR`, or look first with `--dry-run`",
        ));
    }
    let folder = args.out.clone().unwrap_or_default();
    Ok(named.into_iter().map(|target| Order { target, folder: folder.clone(), agents: Vec::new() }).collect())
}

struct Compiler<'a> {
    args: &'a Args,
    compilation: &'a Compilation,
    budget: Budget,
    terminal: Terminal,
    /// Whether each proof says which target it is of.
    titles: bool,
}

impl Compiler<'_> {
    /// The files of a target; `None`: they would not keep to the policy.
    fn build(&mut self, order: &Order, input: &mut Input<'_>) -> Result<Option<Vec<File>>, Failure> {
        let compilation = self.compilation;
        order.check_agents(compilation)?;
        let built = match order.target {
            Target::Json => {
                let sets: Vec<_> = compilation.rulesets.iter().collect();
                let text = format!("{:#}\n", flattened::json(compilation, &sets, &input.files.sources));
                return Ok(Some(vec![File::text("policy.json", text)]));
            }
            Target::Table => return Ok(Some(vec![table_of(compilation, input)?])),
            Target::Js => return Ok(Some(javascript(compilation, &input.files.sources)?.into())),
            Target::All => return Ok(Some(Vec::new())),
            Target::Pi => pi::extension(compilation, &input.files.sources, &mut self.budget),
            Target::Config(runtime) => {
                let asked = (self.args.asked.version(), order.agents.as_slice());
                targets::config(&mut input.files, compilation, runtime, asked, &mut self.budget)
            }
        };
        self.proved(order, built, input)
    }

    /// The files, if they keep to the policy; tells what was proved of them.
    fn proved(
        &self,
        order: &Order,
        built: Result<Built, String>,
        input: &Input<'_>,
    ) -> Result<Option<Vec<File>>, Failure> {
        let built = built.map_err(|message| Failure { message, help: None })?;
        if self.titles {
            self.terminal.tell(&format!("{}:\n", order.target.name()));
        }
        self.terminal.tell(&table(&built.rows));
        tell(input, &self.args.file, self.compilation, &built, self.terminal);
        if !built.is_sound() {
            self.terminal.tell("nothing was written: the config would not keep to the policy\n");
            return Ok(None);
        }
        Ok(Some(built.files.into_iter().map(|file| File::text(&file.path, file.text)).collect()))
    }
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
        for difference in &row.tighter {
            let _ = writeln!(out, "  {:width$}  and:     {}", "", told(difference));
        }
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
