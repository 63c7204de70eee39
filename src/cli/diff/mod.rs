//! `policyc diff`: what changed between two policies or configs, for every call there is.

mod human;
mod json;
mod markdown;

use super::git;
use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal};
use crate::change::{self, Change, Direction};
use crate::language::Budget;
use crate::project::Compilation;
use crate::source::SourceMap;
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;

/// Shows which calls are decided otherwise than before, proved over all calls
///
/// OLD and NEW are policies, runtimes' configs or folders, or `git:REV:PATH` for what they were at a revision, the path
/// being seen from the root of the repository (with `./`, from here). Each change comes with the rule responsible and a
/// call that shows it. "Equivalent" is a proof that no call is decided otherwise.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What was
    old: Utf8PathBuf,
    /// What is
    new: Utf8PathBuf,
    /// How the difference is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 if there is any difference, or it is not proved that there is none
    #[arg(long)]
    exit_code: bool,
    /// Exit with 1 if anything became looser, or it is not proved that nothing did
    #[arg(long, value_enum, value_name = "DIRECTION")]
    fail_on: Option<FailOn>,
    /// States that one question may search
    #[arg(long, value_name = "STATES", default_value_t = Budget::default().question())]
    budget: usize,
    /// Semantics of this version of the runtime for OLD
    #[arg(long, value_name = "VERSION")]
    old_version: Option<String>,
    #[command(flatten)]
    asked: Asked,
}

/// How a difference is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    #[default]
    Human,
    /// For a program: one JSON document with a `schema`
    Json,
    /// For a comment on a pull request
    Markdown,
}

/// What fails a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// What became looser
    Looser,
}

/// One of the two, with the name it has on the command line.
struct Side<'a> {
    name: &'a Utf8Path,
    compilation: &'a Compilation,
}

/// What is written: the two sides, and what changed between them.
struct Shown<'a> {
    old: Side<'a>,
    new: Side<'a>,
    change: &'a Change,
    sources: &'a SourceMap,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    for path in [&args.old, &args.new] {
        is_there(path)?;
    }
    let asked = input.options.asked.version;
    input.options.asked.version = args.old_version.as_deref().or(asked);
    let old = input::usable(&mut input, &args.old, terminal)?;
    input.options.asked.version = asked;
    let new = input::usable(&mut input, &args.new, terminal)?;
    let (Some(old), Some(new)) = (old, new) else { return Ok(Exit::Unusable) };
    let change = change::compare(&old, &new, &mut Budget::new(args.budget));
    let shown = Shown {
        old: Side { name: &args.old, compilation: &old },
        new: Side { name: &args.new, compilation: &new },
        change: &change,
        sources: &input.files.sources,
    };
    terminal.print(&match args.format {
        Format::Human => human::text(&shown),
        Format::Json => format!("{:#}\n", json::value(&shown)),
        Format::Markdown => markdown::text(&shown),
    });
    let differs = args.exit_code && !change.is_equivalent();
    let looser = args.fail_on.is_some() && (change.goes(Direction::Looser) || change.is_undecided());
    let fails = differs || looser || !change.wrong.is_empty();
    let exit = if fails { Exit::Found } else { Exit::Clean };
    Ok(exit.max(input::refused(&old)).max(input::refused(&new)))
}

/// A file that is on one side only is no difference between two policies.
fn is_there(path: &Utf8Path) -> Result<(), Failure> {
    if path == "-" || path.exists() || git::spec(path).is_some() {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{path}` does not exist, so there is nothing to compare with"),
        "check the path; where a file is new, compare with a policy that has only its `runtime` line",
    ))
}

impl Shown<'_> {
    /// Agents for a list: all of them, or their names.
    fn agents(&self, agents: &[String]) -> String {
        if agents.len() > 1 && agents.len() == self.change.agents {
            "every agent".to_owned()
        } else {
            agents.join(", ")
        }
    }

    /// What a reader has to know of the sides before anything else.
    fn notes(&self) -> Vec<String> {
        let (old, new) = (self.old.compilation, self.new.compilation);
        let said = |side: &Compilation| format!("{} {}", side.runtime.name(), side.version.id);
        let mut notes = Vec::new();
        if said(old) != said(new) {
            notes.push(format!("the old side is read as {}, the new one as {}", said(old), said(new)));
        }
        for side in [old, new] {
            let note = format!("{} is read by semantics that are not verified: the program was not run", said(side));
            if !side.version.verified && !notes.contains(&note) {
                notes.push(note);
            }
        }
        notes
    }

    /// The last line: how much changed.
    fn summary(&self) -> String {
        let change = self.change;
        let agents = match change.agents {
            1 => "1 agent".to_owned(),
            n => format!("{n} agents"),
        };
        if change.is_equivalent() {
            return format!("equivalent: {agents}, every call decided as before (proved)");
        }
        let rules = |direction| change.rules_that_go(direction).count();
        let counted = [
            (rules(Direction::Looser), "looser"),
            (rules(Direction::Tighter), "tighter"),
            (change.facts.len(), if change.facts.len() == 1 { "other change" } else { "other changes" }),
            (change.open.iter().map(|open| open.left).sum(), "not settled"),
            (change.wrong.len(), "wrong"),
        ];
        let counted: Vec<String> =
            counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        format!("{}; {agents} compared", counted.join(", "))
    }
}
