//! `policyc simulate`: sessions by a policy, played from a script or typed.

mod looks;
mod told;
mod typed;

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Terminal};
use crate::project::Compilation;
use crate::session::{Act, Log, MAIN, Refusal, Session, World};
use camino::{Utf8Path, Utf8PathBuf};
use clap::ValueEnum;
use std::io::{self, BufRead, IsTerminal, Read};
use told::Teller;
use typed::Typed;

/// Plays sessions by a policy: agents, calls, answers, switches
///
/// A script has an act a line, a JSON object: `{"do":"prompt","text":"@plan look around"}`,
/// `{"do":"call","tool":"bash","input":{"command":"git push"}}`, `{"do":"answer","answer":"once"}`; `docs/sessions.md`
/// lists them all. Without a script, commands are read from standard input: `help` lists them. What happens is told event
/// by event. With `--format json` the output is the log of the session, and `--resume` goes on from such a log: what is
/// printed then is what comes new, to be appended to it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 all was done; 2 an act that cannot be done, wrong usage, or an input that cannot be \
                        used."
)]
pub(super) struct Args {
    /// A policy, a runtime's config, a folder, or `-`
    file: Utf8PathBuf,
    /// Plays the acts of this file, one a line; `-` is standard input
    #[arg(long, value_name = "EVENTS.jsonl")]
    script: Option<Utf8PathBuf>,
    /// Nobody is there to answer: what asks is recorded as unanswered, and does not run
    #[arg(long)]
    non_interactive: bool,
    /// Goes on from a log that `--format json` printed; only new events are told
    #[arg(long, value_name = "LOG.jsonl")]
    resume: Option<Utf8PathBuf>,
    /// How events are written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    asked: Asked,
}

/// How events are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a person
    #[default]
    Human,
    /// For a program: the log, a JSON object a line
    Json,
}

/// The longest line that is typed, in bytes.
const LONGEST: u64 = crate::files::LIMIT;

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    let from_stdin = [Some(&args.file), args.script.as_ref(), args.resume.as_ref()];
    let stdin = from_stdin.iter().flatten().filter(|path| **path == "-").count();
    if stdin > 1 || stdin == 1 && args.script.is_none() {
        return Err(Failure::new(
            "standard input cannot be two things at once",
            "put the policy, the script or the log in a file; without `--script` the commands are read there",
        ));
    }
    let script = args.script.as_deref().map(|path| text(&mut input, path)).transpose()?;
    let log = args.resume.as_deref().map(|path| log(&mut input, path)).transpose()?;
    let Some(compilation) = input::usable(&mut input, &args.file, terminal)? else { return Ok(Exit::Unusable) };
    let refused = input::refused(&compilation);
    let before = log.as_ref().map_or(0, |log| log.entries().len());
    let session = start(world(&compilation, &input), log, !args.non_interactive, args.resume.as_deref())?;
    let teller = Teller { compilation: &compilation, sources: &input.files.sources, format: args.format };
    let mut play = Play { session, teller, terminal };
    play.tell_from(before);
    let exit = match (script, &args.script) {
        (Some(script), Some(path)) => play.script(&script, path)?,
        _ => play.typed()?,
    };
    Ok(exit.max(refused))
}

fn world<'a>(compilation: &'a Compilation, input: &'a Input<'_>) -> World<'a> {
    World {
        model: &compilation.model,
        rulesets: &compilation.rulesets,
        runtime: compilation.runtime,
        version: compilation.version,
        environment: input.options.environment.as_ref(),
        servers: compilation.servers.iter().map(|server| server.node.as_str()).collect(),
    }
}

fn text(input: &mut Input<'_>, path: &Utf8Path) -> Result<String, Failure> {
    let id = input.files.read(path)?;
    Ok(input.files.sources.file(id).map(|file| file.text().to_owned()).unwrap_or_default())
}

fn log(input: &mut Input<'_>, path: &Utf8Path) -> Result<Log, Failure> {
    Log::parse(&text(input, path)?).map_err(|(line, why)| at_line(path.as_str(), line, why))
}

fn start<'a>(
    world: World<'a>,
    log: Option<Log>,
    person: bool,
    path: Option<&Utf8Path>,
) -> Result<Session<'a>, Failure> {
    match log {
        None => Session::new(world, person).map_err(failure),
        Some(log) => {
            let name = path.map_or("", Utf8Path::as_str);
            Session::resume(world, log, person).map_err(|(line, why)| at_line(name, line, why))
        }
    }
}

fn failure(why: Refusal) -> Failure {
    Failure { message: why.message, help: why.help }
}

fn at_line(name: &str, line: usize, why: Refusal) -> Failure {
    Failure { message: format!("{name}:{line}: {}", why.message), help: why.help }
}

/// A session that is being played.
struct Play<'a> {
    session: Session<'a>,
    teller: Teller<'a>,
    terminal: Terminal,
}

impl Play<'_> {
    /// Plays a script up to the first line that cannot be done.
    fn script(&mut self, text: &str, path: &Utf8Path) -> Result<Exit, Failure> {
        let name = if path == "-" { "<stdin>" } else { path.as_str() };
        for (at, line) in text.lines().enumerate() {
            // Blank lines and comments keep a script readable.
            if line.trim().is_empty() || line.trim_start().starts_with('#') {
                continue;
            }
            let here = |why| at_line(name, at + 1, why);
            let act: Act = serde_json::from_str(line).map_err(|error| here(typed::no_act(&error)))?;
            self.act(act).map_err(here)?;
        }
        Ok(Exit::Clean)
    }

    fn act(&mut self, act: Act) -> Result<(), Refusal> {
        let before = self.session.log().entries().len();
        self.session.act(act)?;
        self.tell_from(before);
        Ok(())
    }

    /// Tells the events from a place in the log on.
    fn tell_from(&self, before: usize) {
        let new = self.session.log().entries().get(before..).unwrap_or_default();
        let text: String = new.iter().map(|entry| self.teller.event(entry)).collect();
        self.terminal.print(&text);
    }

    /// Reads commands until they end. At a terminal a mistake is told and forgotten; elsewhere it counts in the end.
    fn typed(&mut self) -> Result<Exit, Failure> {
        let stdin = io::stdin();
        let person = stdin.is_terminal();
        if person {
            self.terminal.tell("`help` lists the commands; end with `quit`\n");
        }
        let mut current = MAIN.to_owned();
        let mut exit = Exit::Clean;
        let mut reader = stdin.lock();
        for number in 1_usize.. {
            if person {
                self.terminal.tell(&format!("{}> ", crate::report::shown::line(&current)));
            }
            let done = match next(&mut reader) {
                Ok(None) => break,
                Ok(Some(line)) => self.command(&line, &mut current),
                Err(why) => Err(why),
            };
            match done {
                Ok(true) => {}
                Ok(false) => break,
                Err(Refusal { message, help }) => {
                    let place = if person { String::new() } else { format!("line {number}: ") };
                    let shown = crate::report::shown::line;
                    let help = help.map(|help| format!("  help: {}\n", shown(&help))).unwrap_or_default();
                    self.terminal.tell(&format!("\x1b[1;31merror\x1b[0m: {place}{}\n{help}", shown(&message)));
                    exit = if person { Exit::Clean } else { Exit::Unusable };
                }
            }
        }
        Ok(exit)
    }

    /// A session that has not begun where the history goes on now is left for the one that does.
    fn stay(&self, current: &mut String) {
        if !self.session.state().sessions.contains_key(current) {
            let last = self.session.log().entries().last();
            *current = last.map_or(MAIN, |entry| &entry.session).to_owned();
        }
    }

    /// Does what a line says; `false`: it was the last one.
    fn command(&mut self, line: &str, current: &mut String) -> Result<bool, Refusal> {
        match typed::read(line, current, &self.session)? {
            Typed::Nothing => {}
            Typed::Quit => return Ok(false),
            Typed::Help => self.terminal.tell(typed::HELP),
            Typed::Look(look) => {
                let seen = looks::at(look, current, &self.session)?;
                // It is no event, and a log holds nothing else.
                match self.teller.format {
                    Format::Human => self.terminal.print(&seen),
                    Format::Json => self.terminal.tell(&seen),
                }
            }
            Typed::In(session) => *current = session,
            Typed::Act(act) => {
                self.act(*act)?;
                self.stay(current);
            }
        }
        Ok(true)
    }
}

/// The next line; `None`: there is none.
fn next(reader: &mut impl BufRead) -> Result<Option<String>, Refusal> {
    let mut bytes = Vec::new();
    let read = reader.by_ref().take(LONGEST).read_until(b'\n', &mut bytes);
    match read {
        Err(error) => Err(Refusal::new(format!("standard input cannot be read: {error}"))),
        Ok(0) => Ok(None),
        Ok(_) => match String::from_utf8(bytes) {
            Ok(line) => Ok(Some(line)),
            Err(_) => Err(Refusal::new("the line is not UTF-8")),
        },
    }
}
