//! `policyc import`: an existing config as a policy that decides the same.

use super::input::Input;
use super::{Exit, Failure, Terminal};
use crate::diagnostic::{Finding, Severity};
use crate::import;
use crate::output;
use crate::project;
use crate::report::{Report, human};
use crate::runtimes::{RUNTIMES, Runtime, Source};
use camino::{Utf8Path, Utf8PathBuf};

/// Prints an existing config as a policy
///
/// Several files are merged as the runtime merges them, the strongest last; a folder stands for all its configs. Comments
/// and order are kept. The policy is compiled again first, and gives every agent the same rules in the same order.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Configs of one runtime, or a project folder
    #[arg(required = true, value_name = "CONFIG")]
    configs: Vec<Utf8PathBuf>,
    /// The file to write; standard output without it
    #[arg(long, short, value_name = "FILE")]
    out: Option<Utf8PathBuf>,
    /// The version of the runtime, where the files do not show it
    #[arg(long, value_name = "VERSION")]
    runtime_version: Option<String>,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::default();
    let mut runtime: Option<&'static dyn Runtime> = None;
    let mut found = Vec::new();
    for path in &args.configs {
        if path.extension() == Some("policy") {
            return Err(Failure::new(format!("`{path}` is a policy already"), "name a runtime's config"));
        }
        let Some(one) = runtime_of(&input, path) else { continue };
        if runtime.is_some_and(|known| known.name() != one.name()) {
            let text = format!("`{path}` is a config of another runtime than the one before it");
            return Err(Failure::new(text, "import the configs of one runtime at a time"));
        }
        runtime = Some(one);
        found.extend(of(&mut input, one, path)?);
    }
    let Some(runtime) = runtime.filter(|_| !found.is_empty()) else {
        let help = "name a file, such as `opencode.json` or `.claude/settings.json`";
        return Err(Failure::new("there is no config of a known runtime here", help));
    };
    input.options.asked.version = args.runtime_version.as_deref();
    let compilation = project::compile_config(&mut input.files, runtime, &found, &input.options);
    let findings: Vec<Finding> = compilation.findings.clone();
    let refused = findings.iter().any(|finding| finding.severity == Severity::Error);
    if !findings.is_empty() {
        let path = args.configs.first().map_or(Utf8Path::new("."), Utf8PathBuf::as_path);
        let report = Report { sections: vec![input.section(path, Some(&compilation), findings)] };
        terminal.tell(&human::findings(&report, &input.files.sources, terminal.style()));
    }
    if refused {
        // What the runtime does not take has no meaning that a policy could keep.
        terminal.tell("nothing was imported: correct the config first\n");
        return Ok(Exit::Unusable);
    }
    let text = import::policy(&compilation, &input.files.sources).map_err(|why| {
        Failure::new(
            format!("the config cannot be said as a policy: {why}"),
            "please report it as a bug, with the config",
        )
    })?;
    match &args.out {
        None => terminal.print(&text),
        Some(path) => {
            output::create(path, &text).map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => {
                    Failure::new(format!("`{path}` exists, and is not written over"), "name a file that does not exist")
                }
                _ => Failure::unwritable(path, &error),
            })?;
            terminal.tell(&format!("wrote {path}\n"));
        }
    }
    Ok(Exit::Clean)
}

/// The runtime whose config a path is; of a folder the first that has one there.
fn runtime_of(input: &Input<'_>, path: &Utf8Path) -> Option<&'static dyn Runtime> {
    match path.is_dir() {
        true => RUNTIMES.into_iter().find(|runtime| !runtime.sources(path, false).is_empty()),
        false => input.reader(path),
    }
}

/// The sources that a path stands for, lowest precedence first.
fn of(input: &mut Input<'_>, runtime: &dyn Runtime, path: &Utf8Path) -> Result<Vec<Source>, Failure> {
    let named = match path.is_dir() {
        true => runtime.sources(path, false).into_iter().map(|source| (source.kind, source.path)).collect(),
        false => vec![("project", path.to_owned())],
    };
    let mut out = Vec::new();
    for (kind, path) in named {
        let file = input.files.read(&path)?;
        out.push(Source { kind, path, file });
    }
    Ok(out)
}
