//! `policyc compile`: a policy as the config of a runtime, proved before it is written.

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal, flattened};
use crate::diagnostic::Severity;
use crate::fidelity::{Difference, Fidelity};
use crate::files;
use crate::language::Budget;
use crate::output;
use crate::project::Compilation;
use crate::report::{Report, human, shown};
use crate::source::SourceMap;
use crate::targets::{self, Built, Row, js, pi};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use similar::TextDiff;
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
}

/// A file to write.
struct File {
    name: &'static str,
    text: String,
}

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
                files.push(File { name: "policy.json", text });
            }
            Target::Js => files.extend(javascript(&compilation, &input.files.sources)?),
            Target::Opencode => {
                let version = args.asked.version();
                let built = targets::opencode(&mut input.files, &compilation, version, &mut budget);
                let text = proved(built, &input, &args.file, &compilation, terminal)?;
                let Some(text) = text else { return Ok(Exit::Found) };
                files.push(File { name: targets::OPENCODE_FILE, text });
            }
            Target::Pi => {
                let built = pi::extension(&compilation, &input.files.sources, &mut budget);
                let text = proved(built, &input, &args.file, &compilation, terminal)?;
                let Some(text) = text else { return Ok(Exit::Found) };
                files.push(File { name: pi::EXTENSION_FILE, text });
                files.push(File { name: pi::PACKAGE_FILE, text: pi::PACKAGE.to_owned() });
            }
        }
    }
    deliver(&args, &files, terminal)
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

fn javascript(compilation: &Compilation, sources: &SourceMap) -> Result<[File; 2], Failure> {
    let keys = js::keys(&compilation.model);
    let policy = js::Policy {
        rulesets: &compilation.rulesets,
        visibility: compilation.model.visibility,
        default_agent: js::default_agent(&compilation.model),
        keys: &keys,
    };
    let module = js::module(&policy, sources).map_err(|error| Failure { message: error.to_string(), help: None })?;
    Ok([File { name: js::MODULE_FILE, text: module }, File { name: js::TYPES_FILE, text: js::types(&policy) }])
}

fn tell(input: &Input<'_>, path: &Utf8Path, compilation: &Compilation, built: &Built, terminal: Terminal) {
    let section = input.section(path, Some(compilation), built.findings.clone());
    let report = Report { sections: vec![section] };
    terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
    for note in &built.notes {
        terminal.tell(&format!("note: {note}\n"));
    }
}

/// Prints, compares or writes all files; nothing is written before every target is proved.
fn deliver(args: &Args, built: &[File], terminal: Terminal) -> Result<Exit, Failure> {
    let folder = args.out.as_deref().map(files::clean).unwrap_or_default();
    if args.dry_run {
        for file in built {
            let head = if built.len() > 1 { format!("==> {} <==\n", file.name) } else { String::new() };
            terminal.print(&format!("{head}{}", file.text));
        }
        return Ok(Exit::Clean);
    }
    let mut exit = Exit::Clean;
    if !args.check {
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
    }
    for file in built.iter().filter(|_| !args.check) {
        keeps_what_is_there(&folder.join(file.name), &file.text)?;
    }
    if !args.check {
        write(&folder, built, terminal)?;
        return Ok(exit);
    }
    for file in built {
        let path = files::clean(&folder.join(file.name));
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        if there != file.text {
            exit = Exit::Found;
            terminal.print(&difference(&path, &there, &file.text));
        }
    }
    Ok(exit)
}

/// Writes all files or none.
fn write(folder: &Utf8Path, built: &[File], terminal: Terminal) -> Result<(), Failure> {
    let paths: Vec<Utf8PathBuf> = built.iter().map(|file| files::clean(&folder.join(file.name))).collect();
    let files: Vec<(&Utf8Path, &str)> =
        paths.iter().zip(built).map(|(path, file)| (path.as_path(), file.text.as_str())).collect();
    output::replace_all(&files).map_err(|(path, error)| unwritable(&path, &error))?;
    paths.iter().for_each(|path| terminal.tell(&format!("wrote {path}\n")));
    Ok(())
}

/// Refuses to write over code that policyc has not written, which its first line says.
fn keeps_code(path: &Utf8Path, there: &str, ours: &str) -> Result<(), Failure> {
    if there.is_empty() || there.lines().next() == ours.lines().next() {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` is there and was not written by policyc, so it is not written over", files::clean(path)),
        "move it away, or name another folder with `--out`",
    ))
}

/// Refuses to write over a config that says more than permissions and agents: those keys would be lost.
fn keeps_what_is_there(path: &Utf8Path, ours: &str) -> Result<(), Failure> {
    let keys = |text: &str| -> Option<Vec<String>> {
        match jsonc_parser::parse_to_value(text, &jsonc_parser::ParseOptions::default()).ok()?? {
            jsonc_parser::JsonValue::Object(object) => {
                Some(object.into_iter().map(|(key, _)| key.to_string()).collect())
            }
            _ => None,
        }
    };
    let there = match std::fs::read_to_string(path) {
        Ok(there) => there,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(Failure::new(
                format!("`{}` is there and cannot be read, so it is not written over: {error}", files::clean(path)),
                "move it away, or name another folder with `--out`",
            ));
        }
    };
    if path.extension() != Some("json") {
        return keeps_code(path, &there, ours);
    }
    let known = ["$schema", "permission", "agent", "default_agent", "tools", "mode"];
    let ours = keys(ours).unwrap_or_default();
    let Some(keys) = keys(&there) else {
        return Err(Failure::new(
            format!("`{}` is there and cannot be read as a config, so it is not written over", files::clean(path)),
            "move it away, or name another folder with `--out`",
        ));
    };
    let lost: Vec<String> = keys
        .into_iter()
        .filter(|key| !known.contains(&key.as_str()) && !ours.contains(key))
        .map(|key| format!("`{key}`"))
        .collect();
    if lost.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` also says {}, which would be lost", files::clean(path), lost.join(", ")),
        "keep those in a config of their own that the runtime merges, or compile into another folder and merge by hand",
    ))
}

fn unwritable(path: &Utf8Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{path}` cannot be written: {error}"), "check the folder and its permissions")
}

fn difference(path: &Utf8Path, there: &str, ours: &str) -> String {
    if there.is_empty() {
        return format!("{path} is missing or empty\n");
    }
    let diff = TextDiff::from_lines(there, ours);
    diff.unified_diff().context_radius(1).header(path.as_str(), "compiled").to_string()
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
