//! `policyc decide`: what becomes of a request, of a whole tool call, or of many.

mod judge;
mod many;
mod writer;

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Format, Terminal, names};
use crate::checks::vocabulary;
use crate::decide::{self, Decision};
use crate::model::ResourceKind;
use crate::project::Compilation;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::runtimes::{Asks, Environment, Request, Unasked};
use camino::Utf8PathBuf;
use judge::Judge;
use many::Lines;
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde_json::Value;
use std::cell::RefCell;
use std::rc::Rc;
use writer::Writer;

/// Decides a request, a whole tool call, or many, as the runtime does
///
/// A request is a PERMISSION and a RESOURCE, taken as they are: a command line is never split. `--command` takes a command
/// line apart as the runtime does, and says what of it is asked by nobody. `--tool` and `--input` decide any tool call:
/// every request it asks, and the strictest answer. `--calls` decides many, one JSON object a line:
/// `{"agent","permission","resource"}` or `{"agent","tool","input":{...}}`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A policy, a runtime's config, a folder, or `-`
    file: Utf8PathBuf,
    /// The permission that is asked
    #[arg(required_unless_present_any = ["tool", "command", "calls"], conflicts_with_all = ["tool", "command", "calls"])]
    permission: Option<String>,
    /// What it is asked for
    #[arg(requires = "permission", required_unless_present_any = ["tool", "command", "calls"])]
    resource: Option<String>,
    /// The agent; without it the default agent
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Decides a command line, each part that is asked by itself
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["tool", "calls"])]
    command: Option<String>,
    /// Decides a call of this tool
    #[arg(long, value_name = "NAME", requires = "input", conflicts_with = "calls")]
    tool: Option<String>,
    /// The call's input, a JSON object
    #[arg(long, value_name = "JSON", requires = "tool")]
    input: Option<String>,
    /// Decides every line of this file; `-` is standard input
    #[arg(long, value_name = "FILE")]
    calls: Option<Utf8PathBuf>,
    /// Shows every rule that matches; the last one decides
    #[arg(long)]
    trace: bool,
    /// Exits with 0 if all is allowed, else with 1
    #[arg(long)]
    exit_code: bool,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    asked: Asked,
}

/// What is to be decided.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    agent: Option<String>,
    permission: Option<String>,
    resource: Option<String>,
    tool: Option<String>,
    input: Option<Value>,
}

/// A decided call: its requests with their decisions, in the order they are asked.
struct Answer<'a> {
    set: &'a Ruleset,
    tool: Option<(String, Value)>,
    requests: Vec<(Request, Decision<'a>)>,
    /// The model does not see the tool: a call of it is an error.
    hidden: bool,
    /// The resource looks like a line of several commands, and was decided as one.
    compound: bool,
    /// What of a command line is asked by nobody.
    unasked: Vec<Unasked>,
    /// The permission is none that anybody declared.
    unknown: Option<Rc<str>>,
    /// Why the call may ask for more.
    open: Option<String>,
}

impl<'a> Answer<'a> {
    fn new(set: &'a Ruleset, requests: Vec<(Request, Decision<'a>)>) -> Answer<'a> {
        let (tool, unknown, open) = (None, None, None);
        Answer { set, tool, requests, hidden: false, compound: false, unasked: Vec::new(), unknown, open }
    }

    /// What becomes of the call; `None`: what it may ask beside the requests could make it stricter.
    fn action(&self) -> Option<Action> {
        let known = decide::strictest(self.requests.iter().map(|(_, decision)| decision.action));
        let action = if self.hidden { Action::Deny } else { known };
        (action == Action::Deny || self.open.is_none()).then_some(action)
    }

    fn exit(&self, strict: bool) -> Exit {
        match self.action() {
            None => Exit::Unusable,
            Some(Action::Ask | Action::Deny) if strict => Exit::Found,
            Some(_) => Exit::Clean,
        }
    }
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let mut input = Input::new(&args.asked)?;
    let lines = args.calls.as_ref().map(|path| Lines::open(path, &args.file)).transpose()?;
    let Some(compilation) = input::usable(&mut input, &args.file, terminal)? else { return Ok(Exit::Unusable) };
    let refused = input::refused(&compilation);
    let writer = Writer::new(args.format, args.trace, &input.files.sources);
    let maker =
        Maker { compilation: &compilation, environment: input.options.environment.as_ref(), meant: RefCell::default() };
    if let Some(mut lines) = lines {
        return Ok(many::run(&maker, &mut lines, &writer, terminal, args.exit_code)?.max(refused));
    }
    let (tool, value) = match &args.command {
        Some(line) => {
            let (tool, input) = command_call(&compilation, line)?;
            (Some(tool.to_owned()), Some(input))
        }
        None => (args.tool, args.input.as_deref().map(parse_input).transpose()?),
    };
    let call = Call { agent: args.agent, permission: args.permission, resource: args.resource, input: value, tool };
    let answer = maker.decide(&Judge::new(None), call)?;
    terminal.print(&writer.whole(&answer));
    Ok(answer.exit(args.exit_code).max(refused))
}

/// The call by which the runtime runs a command line.
fn command_call(compilation: &Compilation, line: &str) -> Result<(&'static str, Value), Failure> {
    compilation.runtime.command_call(line, compilation.version).ok_or_else(|| {
        let name = compilation.runtime.name();
        Failure::new(
            format!("`{name}` does not say how a command line is taken apart"),
            "name a runtime that runs commands, like `runtime opencode`, or decide one command by its permission",
        )
    })
}

fn parse_input(text: &str) -> Result<Value, Failure> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(Failure::new("`--input` is no JSON object", "write it like '{\"command\": \"git status\"}'")),
        Err(error) => Err(Failure::new(format!("`--input` is no JSON: {error}"), "quote it for your shell")),
    }
}

/// Takes calls apart and decides them.
struct Maker<'a> {
    compilation: &'a Compilation,
    environment: Option<&'a Environment>,
    /// What nothing asks, by permission, with what was probably meant.
    meant: RefCell<FxHashMap<String, Option<Rc<str>>>>,
}

impl<'a> Maker<'a> {
    fn decide(&self, judge: &Judge<'_>, call: Call) -> Result<Answer<'a>, Failure> {
        let set = names::agent(self.compilation, call.agent.as_deref())?;
        let decided = |request: Request| {
            let decision = judge.decide(set, &request.permission, &request.resource);
            (request, decision)
        };
        match (call.permission, call.resource, call.tool, call.input) {
            (Some(permission), Some(resource), None, None) => {
                let declared = self.compilation.model.permissions.get(&permission);
                let compound = declared.is_some_and(|declared| declared.resource == ResourceKind::Command)
                    && resource.contains(['&', '|', ';', '\n']);
                let unknown = self.unknown(&permission);
                let requests = vec![decided(Request { permission, resource })];
                Ok(Answer { unknown, compound, ..Answer::new(set, requests) })
            }
            (None, None, Some(tool), Some(value)) => {
                let Compilation { runtime, version, model, .. } = self.compilation;
                let Asks { requests, unasked, open } =
                    runtime.asks(&tool, &value, version, self.environment).map_err(|why| {
                        Failure::new(why, "decide the requests one by one: `policyc decide FILE PERMISSION RESOURCE`")
                    })?;
                let hidden = !decide::visible(set, model.key_of(&tool), model.visibility);
                let requests = requests.into_iter().map(decided).collect();
                Ok(Answer { tool: Some((tool, value)), hidden, unasked, open, ..Answer::new(set, requests) })
            }
            _ => Err(Failure::new(
                "a call has `permission` and `resource`, or `tool` and `input`",
                "write {\"agent\", \"permission\", \"resource\"} or {\"agent\", \"tool\", \"input\": {...}}",
            )),
        }
    }

    /// What is told of a permission that nothing asks, if it is a slip of one that something does.
    fn unknown(&self, permission: &str) -> Option<Rc<str>> {
        if let Some(known) = self.meant.borrow().get(permission) {
            return known.clone();
        }
        let meant = vocabulary::permission(&self.compilation.model, permission);
        let told = meant.meant().map(|ours| format!("nothing asks `{permission}`; was `{ours}` meant?").into());
        self.meant.borrow_mut().insert(permission.to_owned(), told.clone());
        told
    }
}
