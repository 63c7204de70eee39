//! Answers as a person reads them, and as JSON.

use super::Answer;
use crate::cli::Format;
use crate::cli::decision;
use crate::decide::{self, Decision};
use crate::report::shown;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::{Request, Unasked, UnaskedKind};
use crate::secret::redact;
use crate::source::SourceMap;
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, Value};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

/// The schema of every line of JSON.
const SCHEMA: &str = "policyc/decide/1";

/// What is told of each rule, by its place in memory: written once, however many calls it decides.
type Told<T> = RefCell<FxHashMap<*const Rule, Rc<T>>>;

/// Writes answers.
pub(super) struct Writer<'a> {
    format: Format,
    trace: bool,
    pub(super) sources: &'a SourceMap,
    text: Told<str>,
    json: Told<RawValue>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(format: Format, trace: bool, sources: &'a SourceMap) -> Writer<'a> {
        Writer { format, trace, sources, text: Told::default(), json: Told::default() }
    }

    /// The answer to the only call.
    pub(super) fn whole(&self, answer: &Answer<'_>) -> String {
        let mut out = String::new();
        match self.format {
            Format::Human => self.human(&mut out, answer),
            Format::Json => {
                let _ = writeln!(out, "{:#}", json!(self.json(answer)));
            }
        }
        out
    }

    /// The answer to one call of many.
    pub(super) fn line(&self, out: &mut String, answer: &Answer<'_>) {
        match self.format {
            Format::Human => self.human(out, answer),
            Format::Json => {
                out.push_str(&serde_json::to_string(&self.json(answer)).unwrap_or_default());
                out.push('\n');
            }
        }
    }

    /// The answer to a line that is no call.
    pub(super) fn error(&self, out: &mut String, number: usize, message: &str) {
        let _ = match self.format {
            Format::Human => writeln!(out, "error  line {number}: {}", shown::line(message)),
            Format::Json => writeln!(out, "{}", json!({ "schema": SCHEMA, "line": number, "error": redact(message) })),
        };
    }

    fn human(&self, out: &mut String, answer: &Answer<'_>) {
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
            self.rule(out, indent, decision);
            if self.trace {
                self.trace(out, indent, answer.set, request);
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
    }

    fn rule(&self, out: &mut String, indent: &str, decision: &Decision<'_>) {
        let Some((_, rule)) = decision.rule else {
            let _ = writeln!(out, "{indent}  no rule matches, so it is asked");
            return;
        };
        let told = told(&self.text, rule, || {
            let (permission, pattern) = (shown::line(rule.permission.text()), decision::pattern(rule));
            let mut told =
                format!("by {} {permission} {pattern}  {}", rule.action, decision::origin(rule, self.sources));
            if let Some(reason) = &rule.reason {
                let _ = write!(told, "\nbecause {}", shown::line(reason));
            }
            told.into()
        });
        for line in told.lines() {
            let _ = writeln!(out, "{indent}  {line}");
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

    fn json<'v>(&'v self, answer: &'v Answer<'_>) -> Line<'v> {
        let agent = &*answer.set.agent;
        let mut requests = answer.requests.iter().map(|one| self.decided(agent, answer.set, one));
        let Some((tool, input)) = &answer.tool else {
            return Line::Request { schema: SCHEMA, decided: requests.next() };
        };
        Line::Call {
            schema: SCHEMA,
            agent: redact(agent),
            tool: redact(tool),
            input: decision::redacted(input),
            action: answer.action().map(Action::word),
            requests: requests.collect(),
            unasked: answer.unasked.iter().map(unasked_json).collect(),
            open: answer.open.as_deref().map(redact),
        }
    }

    fn decided<'v>(
        &self,
        agent: &'v str,
        set: &Ruleset,
        (request, decision): &'v (Request, Decision<'_>),
    ) -> Decided<'v> {
        let trace = self.trace.then(|| decide::trace(set, &request.permission, &request.resource));
        let rules = trace.map(|rules| rules.iter().map(|(_, rule)| decision::rule_json(rule, self.sources)).collect());
        Decided {
            agent: redact(agent),
            permission: redact(&request.permission),
            resource: redact(&request.resource),
            action: decision.action.word(),
            rule: decision.rule.map(|(_, rule)| self.rule_json(rule)),
            trace: rules,
        }
    }

    fn rule_json(&self, rule: &Rule) -> Raw {
        let made = || serde_json::value::to_raw_value(&decision::rule_json(rule, self.sources));
        // A value can always be written; if not, `null` says that nothing is known of the rule.
        Raw(told(&self.json, rule, || made().unwrap_or_default().into()))
    }
}

/// What is told of a rule, made when it is first told.
fn told<T: ?Sized>(known: &Told<T>, rule: &Rule, make: impl FnOnce() -> Rc<T>) -> Rc<T> {
    Rc::clone(known.borrow_mut().entry(std::ptr::from_ref(rule)).or_insert_with(make))
}

/// A line of JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Request {
        schema: &'static str,
        #[serde(flatten)]
        decided: Option<Decided<'a>>,
    },
    Call {
        schema: &'static str,
        agent: Cow<'a, str>,
        tool: Cow<'a, str>,
        input: Value,
        /// `None`: what it may ask for beside the requests could make it stricter.
        action: Option<&'static str>,
        requests: Vec<Decided<'a>>,
        unasked: Vec<Value>,
        open: Option<Cow<'a, str>>,
    },
}

/// A decided request.
#[derive(Serialize)]
struct Decided<'a> {
    agent: Cow<'a, str>,
    permission: Cow<'a, str>,
    resource: Cow<'a, str>,
    action: &'static str,
    rule: Option<Raw>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<Value>>,
}

/// JSON that is written already.
struct Raw(Rc<RawValue>);

impl Serialize for Raw {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
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
