//! `policyc decide`: what becomes of a request, of a whole tool call, or of many.

mod judge;

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Format, Terminal, decision, names};
use crate::checks::vocabulary;
use crate::decide::{self, Decision};
use crate::model::ResourceKind;
use crate::project::Compilation;
use crate::report::shown;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::runtimes::{Asks, Request, Unasked, UnaskedKind};
use crate::secret::redact;
use crate::source::SourceMap;
use camino::{Utf8Path, Utf8PathBuf};
use judge::Judge;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

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
    unknown: Option<String>,
    /// Why the call may ask for more.
    open: Option<String>,
}

impl Answer<'_> {
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
    let lines = match &args.calls {
        Some(path) => Some(read(&mut input, path, &args.file)?),
        None => None,
    };
    let Some(compilation) = input::usable(&mut input, &args.file, terminal)? else { return Ok(Exit::Unusable) };
    let refused = input::refused(&compilation);
    let writer = Writer { format: args.format, trace: args.trace, sources: &input.files.sources };
    if let Some(lines) = lines {
        return Ok(many(&compilation, &input, &lines, &writer, terminal, args.exit_code).max(refused));
    }
    let (tool, value) = match &args.command {
        Some(line) => {
            let (tool, input) = command_call(&compilation, line)?;
            (Some(tool.to_owned()), Some(input))
        }
        None => (args.tool, args.input.as_deref().map(parse_input).transpose()?),
    };
    let call = Call { agent: args.agent, permission: args.permission, resource: args.resource, input: value, tool };
    let answer = decide_one(&compilation, &input, &Judge::new(None), call)?;
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

fn read(input: &mut Input<'_>, calls: &Utf8Path, file: &Utf8Path) -> Result<String, Failure> {
    if calls == "-" && file == "-" {
        return Err(Failure::new(
            "standard input cannot be both the policy and the calls",
            "put one of them in a file",
        ));
    }
    let id = input.files.read(calls)?;
    Ok(input.files.sources.file(id).map(|file| file.text().to_owned()).unwrap_or_default())
}

fn parse_input(text: &str) -> Result<Value, Failure> {
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => Ok(value),
        Ok(_) => Err(Failure::new("`--input` is no JSON object", "write it like '{\"command\": \"git status\"}'")),
        Err(error) => Err(Failure::new(format!("`--input` is no JSON: {error}"), "quote it for your shell")),
    }
}

/// Every line is answered on a line, in order; one that cannot be is answered by an error.
fn many(
    compilation: &Compilation,
    input: &Input<'_>,
    lines: &str,
    writer: &Writer<'_>,
    terminal: Terminal,
    strict: bool,
) -> Exit {
    let table = judge::table(compilation, lines.lines().count(), &input.files.sources);
    let judge = Judge::new(table.as_ref());
    let mut worst = Exit::Clean;
    let mut out = String::new();
    for (number, line) in lines.lines().enumerate() {
        let (text, ended) = match call_of(line).and_then(|call| decide_one(compilation, input, &judge, call)) {
            Ok(answer) => (writer.line(&answer), answer.exit(strict)),
            Err(failure) => (writer.error(number + 1, &failure.message), Exit::Unusable),
        };
        out.push_str(&text);
        worst = worst.max(ended);
    }
    terminal.print(&out);
    worst
}

/// The call of a line. An empty line is none, and said to be: the answers must stay beside their lines.
fn call_of(line: &str) -> Result<Call, Failure> {
    if line.trim().is_empty() {
        return Err(Failure { message: "the line is empty".to_owned(), help: None });
    }
    serde_json::from_str(line).map_err(|error| Failure { message: error.to_string(), help: None })
}

fn decide_one<'a>(
    compilation: &'a Compilation,
    input: &Input<'_>,
    judge: &Judge<'_>,
    call: Call,
) -> Result<Answer<'a>, Failure> {
    let set = names::agent(compilation, call.agent.as_deref())?;
    let decided = |request: Request| {
        let decision = judge.decide(set, &request.permission, &request.resource);
        (request, decision)
    };
    match (call.permission, call.resource, call.tool, call.input) {
        (Some(permission), Some(resource), None, None) => {
            let declared = compilation.model.permissions.get(&permission);
            let compound = declared.is_some_and(|declared| declared.resource == ResourceKind::Command)
                && resource.contains(['&', '|', ';', '\n']);
            let meant = vocabulary::permission(&compilation.model, &permission);
            let unknown = meant.meant().map(|ours| format!("nothing asks `{permission}`; was `{ours}` meant?"));
            let requests = vec![decided(Request { permission, resource })];
            Ok(Answer { set, tool: None, requests, hidden: false, compound, unasked: Vec::new(), unknown, open: None })
        }
        (None, None, Some(tool), Some(value)) => {
            let environment = input.options.environment.as_ref();
            let asks = compilation.runtime.asks(&tool, &value, compilation.version, environment);
            let Asks { requests, unasked, open } = asks.map_err(|why| {
                Failure::new(why, "decide the requests one by one: `policyc decide FILE PERMISSION RESOURCE`")
            })?;
            let hidden = !decide::visible(set, compilation.model.key_of(&tool), compilation.model.visibility);
            let requests = requests.into_iter().map(decided).collect();
            Ok(Answer {
                set,
                tool: Some((tool, value)),
                requests,
                hidden,
                compound: false,
                unasked,
                unknown: None,
                open,
            })
        }
        _ => Err(Failure::new(
            "a call has `permission` and `resource`, or `tool` and `input`",
            "write {\"agent\", \"permission\", \"resource\"} or {\"agent\", \"tool\", \"input\": {...}}",
        )),
    }
}

/// Writes answers.
struct Writer<'a> {
    format: Format,
    trace: bool,
    sources: &'a SourceMap,
}

impl Writer<'_> {
    fn whole(&self, answer: &Answer<'_>) -> String {
        match self.format {
            Format::Human => self.human(answer),
            Format::Json => format!("{:#}\n", self.json(answer)),
        }
    }

    fn line(&self, answer: &Answer<'_>) -> String {
        match self.format {
            Format::Human => self.human(answer),
            Format::Json => format!("{}\n", self.json(answer)),
        }
    }

    fn error(&self, number: usize, message: &str) -> String {
        match self.format {
            Format::Human => format!("error  line {number}: {}\n", shown::line(message)),
            Format::Json => {
                format!("{}\n", json!({ "schema": "policyc/decide/1", "line": number, "error": redact(message) }))
            }
        }
    }

    fn human(&self, answer: &Answer<'_>) -> String {
        let mut out = String::new();
        let agent = shown::line(&answer.set.agent);
        if let Some((tool, _)) = &answer.tool {
            let action = answer.action().map_or_else(|| "?    ".to_owned(), painted);
            let asks = match answer.requests.len() {
                _ if answer.hidden => "hidden from the model, so a call of it is an error".to_owned(),
                0 if answer.open.is_none() => "asks nothing, so nothing stops it".to_owned(),
                0 => "asks nothing for certain".to_owned(),
                1 => "asks one request".to_owned(),
                many => format!("asks {many} requests; the strictest answer decides"),
            };
            let _ = writeln!(out, "{action}  {} ({agent}): {asks}", shown::line(tool));
        }
        for (request, decision) in &answer.requests {
            let (permission, resource) = (shown::line(&request.permission), shown::line(&request.resource));
            let action = painted(decision.action);
            let indent = if answer.tool.is_some() { "  " } else { "" };
            let _ = writeln!(out, "{indent}{action}  {permission} \"{resource}\" ({agent})");
            self.rule(&mut out, indent, decision);
            if self.trace {
                self.trace(&mut out, indent, answer.set, request);
            }
        }
        for part in &answer.unasked {
            let _ = writeln!(out, "  {}", unasked(part, answer.action() == Some(Action::Deny)));
        }
        if let (Some(why), None) = (&answer.open, answer.action()) {
            let _ = writeln!(out, "  it may ask for more: {}", shown::line(why));
        }
        if let Some(unknown) = &answer.unknown {
            let _ = writeln!(out, "  note: {}", shown::line(unknown));
        }
        if answer.compound {
            out.push_str("  note: decided as one text; `--command` decides each command of a line by itself\n");
        }
        out
    }

    fn rule(&self, out: &mut String, indent: &str, decision: &Decision<'_>) {
        let Some((_, rule)) = decision.rule else {
            let _ = writeln!(out, "{indent}  no rule matches, so it is asked");
            return;
        };
        let (permission, pattern) = (shown::line(rule.permission.text()), decision::pattern(rule));
        let origin = decision::origin(rule, self.sources);
        let _ = writeln!(out, "{indent}  by {} {permission} {pattern}  {origin}", rule.action);
        if let Some(reason) = &rule.reason {
            let _ = writeln!(out, "{indent}  because {}", shown::line(reason));
        }
    }

    fn trace(&self, out: &mut String, indent: &str, set: &Ruleset, request: &Request) {
        let matching = decide::trace(set, &request.permission, &request.resource);
        let _ = writeln!(out, "{indent}  rules that match, in order; the last one decides:");
        let rows = matching.iter().map(|(number, rule)| {
            let text = format!("{} {} {}", rule.action, shown::line(rule.permission.text()), decision::pattern(rule));
            (number + 1, text, decision::origin(rule, self.sources))
        });
        let rows: Vec<(usize, String, String)> = rows.collect();
        let width = rows.iter().map(|(_, text, _)| text.chars().count()).max().unwrap_or(0).min(60);
        for (number, text, origin) in rows {
            let _ = writeln!(out, "{indent}  {number:>4}  {text:width$}  {origin}");
        }
    }

    fn json(&self, answer: &Answer<'_>) -> Value {
        let agent = &answer.set.agent;
        let requests = answer.requests.iter().map(|(request, decision)| {
            let mut value = decision::json(agent, (&request.permission, &request.resource), decision, self.sources);
            if let (true, Some(object)) = (self.trace, value.as_object_mut()) {
                let matching = decide::trace(answer.set, &request.permission, &request.resource);
                let rules = matching.iter().map(|(_, rule)| decision::rule_json(rule, self.sources));
                object.insert("trace".to_owned(), rules.collect());
            }
            value
        });
        let requests: Vec<Value> = requests.collect();
        let whole = match &answer.tool {
            Some((tool, input)) => json!({
                "agent": redact(agent),
                "tool": redact(tool),
                "input": decision::redacted(input),
                "action": answer.action().map(Action::word),
                "requests": requests,
                "unasked": answer.unasked.iter().map(unasked_json).collect::<Vec<_>>(),
                "open": answer.open.as_deref().map(redact),
            }),
            None => requests.into_iter().next().unwrap_or_default(),
        };
        let mut out = json!({ "schema": "policyc/decide/1" });
        if let (Some(out), Value::Object(whole)) = (out.as_object_mut(), whole) {
            out.extend(whole);
        }
        out
    }
}

/// What a part of a line that no request speaks of means. `stopped`: the whole line is denied.
fn unasked(part: &Unasked, stopped: bool) -> String {
    let text = shown::line(&part.text);
    let runs = if stopped { "" } else { " and runs" };
    match part.what {
        UnaskedKind::Unreadable if text.is_empty() => {
            format!(
                "the line ends where the grammar waits for more: what the shell makes of it may be asked by nobody{runs}"
            )
        }
        UnaskedKind::Unreadable => {
            format!(
                "`{text}` is not understood by the grammar: what the shell makes of it may be asked by nobody{runs}"
            )
        }
        _ => format!("`{text}` is asked by nobody{runs}"),
    }
}

fn unasked_json(part: &Unasked) -> Value {
    json!({ "text": redact(&part.text), "what": part.what.word() })
}

/// The word of an action, as wide as the longest.
fn painted(action: Action) -> String {
    let code = match action {
        Action::Allow => 32,
        Action::Ask => 33,
        Action::Deny => 31,
    };
    format!("\x1b[1;{code}m{:5}\x1b[0m", action.word())
}
