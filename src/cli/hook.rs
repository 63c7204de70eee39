//! `policyc hook`: one event of a runtime in, one answer out.

mod table;
mod tried;

use super::exit::{Exit, Failure};
use super::input::Input;
use super::names;
use super::terminal::Terminal;
use crate::hook::{self, Place, Policy, Ruling, log};
use crate::rule::Action;
use crate::runtimes::PROTOCOLS;
use crate::runtimes::protocol::{Answer, Event, Protocol};
use camino::{Utf8Path, Utf8PathBuf};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Decide a runtime's tool calls: one event of its hook in, one answer in its protocol out
///
/// Whatever goes wrong is refused in the runtime's own way: an event that cannot be read, a policy that is missing or has
/// errors, an agent that it does not know.
#[derive(Debug, clap::Args)]
#[command(after_help = "The exit code is the runtime's: what it means is in its protocol.")]
pub(super) struct Args {
    /// The runtime that asks: claude-code, codex, gemini, copilot, cursor, amp or qwen
    #[arg(value_name = "RUNTIME")]
    runtime: String,
    /// The policy, or a runtime's config, that decides
    #[arg(long, value_name = "FILE")]
    policy: Option<Utf8PathBuf>,
    /// The agent, where the event names none [default: the policy's default agent]
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The folder that the policy's paths are relative to [default: the runtime's, else the repository, else the event's folder]
    #[arg(long, value_name = "DIR")]
    workspace: Option<Utf8PathBuf>,
    /// Read the event from this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    event: Option<Utf8PathBuf>,
    /// Append each decision to this file, as a line of JSON
    #[arg(long, value_name = "FILE")]
    log: Option<Utf8PathBuf>,
    /// Play the protocol's sample events instead, and say what is known of it
    #[arg(long, conflicts_with_all = ["event", "log"])]
    selftest: bool,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let protocol = protocol(&args.runtime)?;
    if args.selftest {
        return tried::run(protocol, &args, terminal);
    }
    refuse_panics(protocol);
    let (event, ruled) = decide(protocol, &args);
    let answer = match (&event, &ruled) {
        (Some(event), Ok(ruling)) => protocol.answer(event, ruling.action, &format!("policyc: {}", ruling.reason)),
        (_, Err(why)) => protocol.refuse(&refusal(why)),
        (None, Ok(_)) => protocol.refuse(&refusal("the event is not known")),
    };
    if let Some(path) = &args.log {
        let given = protocol.understood(event.as_ref(), &answer).map(Action::word);
        let entry = log::entry(protocol.name(), event.as_ref(), ruled.as_ref().map_err(String::as_str), given);
        if let Err(error) = log::append(path, log::LIMIT, &entry) {
            terminal.tell(&format!("warning: the log `{}` cannot be written: {error}\n", hook::clipped(path.as_str())));
        }
    }
    Ok(say(&answer))
}

/// The answer to a wrong command line, if it is one of a hook.
pub(super) fn misused(error: &clap::Error) -> Option<ExitCode> {
    // Arguments need not be texts.
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let named = called(&arguments).filter(|_| error.use_stderr())?;
    // Some runtimes wait until what they write was read.
    if !io::stdin().is_terminal() {
        drop(io::copy(&mut io::stdin().lock().take(hook::LARGEST), &mut io::sink()));
    }
    let why = error.to_string();
    let why = why.lines().next().unwrap_or_default().trim_start_matches("error: ");
    Some(say(&named.refuse(&refusal(&format!("the hook is called wrongly: {}", hook::clipped(why))))).into())
}

/// The protocol of a command line whose verb is `hook`. A person tries a protocol, and no runtime does.
fn called(arguments: &[OsString]) -> Option<&'static dyn Protocol> {
    let mut rest = arguments.iter();
    let mut verb = rest.next()?;
    while verb.as_encoded_bytes().starts_with(b"-") {
        if verb == "--color" {
            rest.next()?;
        }
        verb = rest.next()?;
    }
    if verb != "hook" || rest.clone().any(|argument| argument == "--selftest") {
        return None;
    }
    rest.find_map(|name| PROTOCOLS.into_iter().find(|protocol| name == protocol.name()))
}

fn protocol(name: &str) -> Result<&'static dyn Protocol, Failure> {
    PROTOCOLS.into_iter().find(|protocol| protocol.name() == name).ok_or_else(|| {
        let known: Vec<&str> = PROTOCOLS.iter().map(|protocol| protocol.name()).collect();
        Failure::new(format!("no hook of a runtime `{name}` is known"), names::help(name, &known, ""))
    })
}

fn refusal(why: &str) -> String {
    format!("policyc: refused, {}", hook::clipped(why))
}

/// Says a refusal where the program itself fails: a hook that is stopped would let the call go.
fn refuse_panics(protocol: &'static dyn Protocol) {
    std::panic::set_hook(Box::new(move |_| {
        let answer = protocol.refuse(&refusal("policyc itself failed; please report this call"));
        say(&answer);
        std::process::exit(i32::from(answer.code));
    }));
}

/// What is decided of the event, as far as one came.
fn decide(protocol: &dyn Protocol, args: &Args) -> (Option<Event>, Result<Ruling, String>) {
    let event = match args.event.as_deref().filter(|path| *path != "-") {
        None => hook::read(protocol, io::stdin().lock(), &variable),
        Some(path) => File::open(path)
            .map_err(|error| format!("the event `{path}` cannot be read: {error}"))
            .and_then(|file| hook::read(protocol, file, &variable)),
    };
    match event {
        Ok(event) => {
            let ruling = ruling(protocol, args, &event);
            (Some(event), ruling)
        }
        Err(why) => (None, Err(why)),
    }
}

fn ruling(protocol: &dyn Protocol, args: &Args, event: &Event) -> Result<Ruling, String> {
    let path = args.policy.as_deref().ok_or("no policy is named: use `--policy FILE`")?;
    if path == "-" && args.event.as_deref().is_none_or(|event| event == "-") {
        return Err("the policy cannot be standard input, where the event comes".to_owned());
    }
    let place = Place::of(event, protocol, args.workspace.as_deref().map(Utf8Path::as_str), &variable)?;
    if let Some(table) = table::read(path, &place)? {
        let input = Input::session(&place.root, &place.cwd);
        let machine = table.machine.is_some().then(|| table::machine(&table, &input)).transpose()?;
        let policy = Policy::of_table(&table, machine.as_ref())?;
        return hook::judge(&policy, event, &place, args.agent.as_deref());
    }
    let mut input = Input::session(&place.root, &place.cwd);
    let compilation = input.whole(path).map_err(|failure| failure.message)?;
    let policy = Policy::of(&compilation, &input.files.sources, input.options.environment.as_ref());
    hook::judge(&policy, event, &place, args.agent.as_deref())
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Says an answer. One that cannot be said is a refusal by the exit code that most runtimes take for one.
fn say(answer: &Answer) -> Exit {
    let mut stdout = io::stdout().lock();
    let said = if !answer.stdout.is_empty() && is_closed() {
        Err(io::Error::other("standard output is closed"))
    } else {
        stdout.write_all(answer.stdout.as_bytes()).and_then(|()| stdout.flush())
    };
    let text = match &said {
        Ok(()) => answer.stderr.clone(),
        Err(error) => format!("{}\n", refusal(&format!("the answer cannot be written: {error}"))),
    };
    let told = io::stderr().lock().write_all(text.as_bytes());
    match (said.and(told), answer.code) {
        (Ok(()), 0) => Exit::Clean,
        (Ok(()), 1) => Exit::Found,
        _ => Exit::Unusable,
    }
}

/// Whether standard output leads nowhere: where it was closed the program finds it on the device that swallows all.
fn is_closed() -> bool {
    std::fs::read_link("/proc/self/fd/1").is_ok_and(|target| target == Path::new("/dev/null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Not a test: what the test below runs in a process of its own.
    #[test]
    #[ignore = "ends the process"]
    fn fails_within() {
        refuse_panics(protocol("claude-code").unwrap());
        let nothing: Vec<u8> = Vec::new();
        nothing.first().unwrap();
    }

    #[test]
    fn a_failure_of_the_program_itself_is_a_refusal() {
        let program = std::env::current_exe().unwrap();
        let within = ["--exact", "cli::hook::tests::fails_within", "--ignored", "--nocapture"];
        let out = std::process::Command::new(program).args(within).output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        assert!(String::from_utf8(out.stderr).unwrap().contains("policyc: refused"));
    }
}
