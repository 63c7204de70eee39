//! Events as a person reads them, and as lines of the log.

use super::Format;
use crate::cli::decision;
use crate::project::Compilation;
use crate::report::shown;
use crate::rule::Rule;
use crate::runtimes::Approval;
use crate::session::{Chosen, Entry, Event, Ruling};
use crate::source::SourceMap;

/// How much of a text is shown, in characters.
const SHOWN: usize = 200;

/// Where lists of tools are wrapped, in columns.
const WIDTH: usize = 100;

/// Tells events.
pub(super) struct Teller<'a> {
    pub(super) compilation: &'a Compilation,
    pub(super) sources: &'a SourceMap,
    pub(super) format: Format,
}

impl Teller<'_> {
    /// An event on a line, or a few.
    pub(super) fn event(&self, entry: &Entry) -> String {
        if self.format == Format::Json {
            let value = serde_json::from_str(&entry.line()).unwrap_or_default();
            return format!("{}\n", decision::redacted(&value));
        }
        let mut lines = self.lines(&entry.event).into_iter();
        let mut out =
            format!("{:>4}  {}  {}\n", entry.id, shown::line(&entry.session), lines.next().unwrap_or_default());
        lines.for_each(|line| out.push_str(&format!("        {line}\n")));
        out
    }

    fn lines(&self, event: &Event) -> Vec<String> {
        match event {
            Event::Started { runtime, version, person, .. } => {
                let alone = if *person { "" } else { ", with nobody there to answer" };
                vec![format!("sessions of {runtime} {version}{alone}")]
            }
            Event::Opened { agent, by, rules, bounded, .. } => {
                let agent = agent.as_ref().map(|agent| format!(" of {}", cut(agent))).unwrap_or_default();
                let by = by.map(|call| format!(", started by call {call}")).unwrap_or_default();
                let bounded = if *bounded { ", bounded by who started it" } else { "" };
                let rules = rules.iter().map(|rule| {
                    format!("it has the rule {} {} \"{}\"", rule.action, cut(&rule.permission), cut(&rule.pattern))
                });
                [format!("a session{agent} begins{by}{bounded}")].into_iter().chain(rules).collect()
            }
            Event::Offered { tools, silent, without } => {
                let part = |word: &str, tools: &[String]| {
                    (!tools.is_empty()).then(|| format!("{word} {}", cut(&tools.join(", "))))
                };
                let parts = [part("has", tools), part("has, asking nobody,", silent), part("has no", without)];
                vec![format!("the session {}", parts.into_iter().flatten().collect::<Vec<_>>().join("; "))]
            }
            Event::Selected { agent, by } => vec![format!("agent {}, {}", cut(agent), chosen(*by))],
            Event::Ruled { rules } => {
                let rules = rules
                    .iter()
                    .map(|rule| format!("{} {} \"{}\"", rule.action, cut(&rule.permission), cut(&rule.pattern)));
                vec![format!("the session's own rules are now: {}", rules.collect::<Vec<_>>().join("; "))]
            }
            Event::Prompted { agent, text, synthetic, mentions, tools } => {
                let who = if *synthetic { "told to" } else { "to" };
                let mut out = vec![format!("{who} {}: \"{}\"", cut(agent), cut(text))];
                if !mentions.is_empty() {
                    out.push(format!("it mentions {}", cut(&mentions.join(", "))));
                }
                let tools = format!("tools: {}", shown::line(&tools.join(", ")));
                out.extend(textwrap::wrap(&tools, WIDTH).into_iter().map(|line| line.into_owned()));
                out
            }
            Event::Called { .. } => called(event),
            other => self.outcome(other),
        }
    }

    fn outcome(&self, event: &Event) -> Vec<String> {
        match event {
            Event::Ran { call } => vec![format!("call {call} runs")],
            Event::Denied { call, permission, resource, rule } => {
                let mut out = vec![format!("call {call} is denied: {} \"{}\"", cut(permission), cut(resource))];
                out.extend(self.ruling(rule));
                out
            }
            Event::Hidden { call, why } | Event::Refused { call, why } => {
                vec![format!("call {call} fails: {}", cut(why))]
            }
            Event::Asked { permission, resources, always, .. } => vec![
                format!("asks {} {}: once, always, reject", cut(permission), quoted(resources)),
                format!("\"always\" lets pass {}", kept(always)),
            ],
            Event::Confirm { question, answers, .. } => {
                vec![format!("asks \"{}\": {}", cut(question), cut(&answers.join(", ")))]
            }
            Event::Answered { request, answer, text } => {
                vec![format!("request {request} is answered: {}{}", cut(answer), said(text.as_ref()))]
            }
            Event::Approved { approvals, everywhere } => {
                let place = if *everywhere { "in every session" } else { "in this session" };
                vec![format!("kept {place}: {}", kept(approvals))]
            }
            Event::Released { request } => vec![format!("request {request} is released: what is kept covers it")],
            Event::Rejected { call, text, .. } => vec![format!("call {call} is rejected{}", said(text.as_ref()))],
            Event::Unanswered { call, permission, resources } => {
                vec![format!(
                    "call {call} does not run: {} {} asks, and nobody is there",
                    cut(permission),
                    quoted(resources)
                )]
            }
            Event::Recorded { call, file } => {
                let file = file.as_ref().map(|file| format!(" `{}` is recorded,", cut(file))).unwrap_or_default();
                vec![format!("call {call}:{file} neither approved nor rejected, for nobody is there")]
            }
            Event::Stopped {} => vec!["the turn ends".to_owned()],
            Event::Returned { approvals } => vec![format!("the history goes on from here{}", held(approvals.len()))],
            Event::Forked { approvals } => vec![format!("a branch begins here{}", held(approvals.len()))],
            Event::Resumed { approvals, .. } => vec![format!("started again{}", held(approvals.len()))],
            _ => Vec::new(),
        }
    }

    /// The rule that denied, where it stands, and why it is there.
    fn ruling(&self, ruling: &Ruling) -> Vec<String> {
        let is = |rule: &&Rule| {
            rule.permission.text() == ruling.permission
                && rule.pattern.text() == ruling.pattern
                && rule.action == ruling.action
                && *rule.origin.slot == *ruling.slot
        };
        let sets = self.compilation.rulesets.iter().filter(|set| set.agent == ruling.agent);
        let rule = sets.flat_map(|set| &set.rules).rfind(is);
        let written = format!("by {} {}", ruling.action, cut(&ruling.permission));
        let mut out = vec![match rule {
            Some(rule) => format!("{written} {}  {}", decision::pattern(rule), decision::origin(rule, self.sources)),
            None => format!("{written} \"{}\"  ({})", cut(&ruling.pattern), cut(&ruling.slot)),
        }];
        out.extend(ruling.reason.as_ref().map(|reason| format!("because {}", cut(reason))));
        out
    }
}

fn called(event: &Event) -> Vec<String> {
    let Event::Called { agent, tool, input, requests, unasked, parallel, file, .. } = event else { return Vec::new() };
    let input = input.as_ref().map(|input| format!(" {}", cut(&input.to_string()))).unwrap_or_default();
    let what = match tool {
        Some(tool) => format!("calls {}{input}", cut(tool)),
        None => {
            let asked =
                requests.iter().map(|request| format!("{} \"{}\"", cut(&request.permission), cut(&request.resource)));
            format!("asks for {}", asked.collect::<Vec<_>>().join(", "))
        }
    };
    let also = if *parallel { " in the same message" } else { "" };
    let file = file.as_ref().map(|file| format!(" with `{}`", cut(file))).unwrap_or_default();
    let unasked = unasked.iter().map(|part| format!("`{}` is asked by nobody", cut(part)));
    [format!("{} {what}{file}{also}", cut(agent))].into_iter().chain(unasked).collect()
}

fn chosen(by: Chosen) -> &'static str {
    match by {
        Chosen::Person => "chosen by the person",
        Chosen::Default => "the default",
        Chosen::Switch => "by the switch",
        Chosen::Agent => "chosen by another agent",
    }
}

fn said(text: Option<&String>) -> String {
    text.map(|text| format!(", \"{}\"", cut(text))).unwrap_or_default()
}

fn held(kept: usize) -> String {
    match kept {
        0 => String::new(),
        1 => ", with 1 answer kept".to_owned(),
        many => format!(", with {many} answers kept"),
    }
}

fn kept(approvals: &[Approval]) -> String {
    let one = |approval: &Approval| format!("{} \"{}\"", cut(&approval.permission), cut(&approval.pattern));
    approvals.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn quoted(texts: &[String]) -> String {
    texts.iter().map(|text| format!("\"{}\"", cut(text))).collect::<Vec<_>>().join(", ")
}

/// A text on one line, its end left out if it is long.
fn cut(text: &str) -> String {
    // What is looked at for secrets reaches further than what is shown, so that none is cut in the middle.
    let near: String = text.chars().take(20 * SHOWN).collect();
    let line = shown::line(&near);
    let shown: String = line.chars().take(SHOWN).collect();
    let end = if shown.len() < line.len() || near.len() < text.len() { "..." } else { "" };
    format!("{shown}{end}")
}
