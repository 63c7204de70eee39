//! PC0409: a deny names one spelling of a command, and another one passes silently.

use super::proof::{self, Shown};
use super::spellings::{self, Way};
use super::{Cx, dead, lines, said, written};
use crate::catalogue;
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::language::{Call, Dialect};
use crate::reach::Speaking;
use crate::rule::{Action, Rule};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

pub(crate) const CODE: Code = Code::new("PC0409", "deny-by-spelling", Severity::Warning);

/// So many spellings are shown.
const SHOWN: usize = 3;

/// A deny and what gets around it.
struct Evaded<'a> {
    deny: &'a Rule,
    /// The rule that lets the first line pass.
    by: &'a Rule,
    /// The denied command's program and subcommand.
    name: String,
    denied: String,
    lines: Vec<(Way, String)>,
}

impl Evaded<'_> {
    /// Denies of one command that are got around in the same ways have one cause; where nothing but an option before the
    /// subcommand helps, so have all denies of the program.
    fn cause(&self) -> (&str, Vec<Way>) {
        let mut ways: Vec<Way> = self.lines.iter().map(|(way, _)| *way).collect();
        ways.sort_unstable();
        ways.dedup();
        let program = self.name.split(' ').next().unwrap_or_default();
        (if ways == [Way::Global] { program } else { &self.name }, ways)
    }
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let denies = |rule: &Rule| {
        let plain = matches!(rule.pattern.dialect(), Dialect::Wildcard | Dialect::Prefix | Dialect::Exact);
        rule.action == Action::Deny && plain
    };
    let mut told: FxHashSet<u32> = FxHashSet::default();
    for speaking in lines::all(cx, denies) {
        let open = speaking.users().into_iter().filter(|rule| denies(rule) && !told.contains(&rule.id));
        let found: Vec<Evaded<'_>> = open.filter_map(|deny| evaded(deny, &speaking, cx)).collect();
        told.extend(found.iter().map(|one| one.deny.id));
        let mut groups: IndexMap<(&str, Vec<Way>), Vec<&Evaded<'_>>> = IndexMap::new();
        for one in &found {
            groups.entry(one.cause()).or_default().push(one);
        }
        let shown = groups.values().filter_map(|group| report(group, &speaking)).collect();
        proof::push_shown(sink, speaking.set, shown);
    }
}

fn evaded<'a>(deny: &'a Rule, speaking: &Speaking<'a>, cx: &Cx<'_>) -> Option<Evaded<'a>> {
    let text = match deny.pattern.dialect() {
        Dialect::Prefix => Cow::Owned(format!("{} *", deny.pattern.text())),
        _ => Cow::Borrowed(deny.pattern.text()),
    };
    let spelled = spellings::of(&text)?;
    let told = spelled.others.iter().any(|(way, _)| *way == Way::Operands);
    let more = if told { None } else { with_operands(&text) }.map(|line| (Way::Operands, line));
    if spelled.others.is_empty() && more.is_none() {
        return None;
    }
    // What it does not decide itself is none of its business.
    speaking.decider(&spelled.denied).filter(|decider| decider.id == deny.id)?;
    let passing: Vec<(Way, String, &Rule)> = spelled
        .others
        .into_iter()
        .chain(more)
        .filter_map(|(way, line)| {
            let decider = speaking.decider(&line).filter(|decider| decider.action == Action::Allow)?;
            let whole = cx.runtime.asks_whole(cx.version, &speaking.permission, &line);
            // Where all is allowed that is not denied, this way is open for every deny of such a program.
            (whole && (way != Way::Global || !decider.pattern.is_everything())).then_some((way, line, decider))
        })
        .collect();
    let (_, _, by) = passing.first()?;
    let lines = passing.iter().map(|(way, line, _)| (*way, line.clone())).collect();
    Some(Evaded { deny, by, name: spelled.name, denied: spelled.denied, lines })
}

/// A line of the catalogue that goes on after a text without a star, if the text alone is not a command of another meaning.
fn with_operands(text: &str) -> Option<String> {
    if text.contains(['*', '?']) {
        return None;
    }
    let entries = || catalogue::shipped().commands.iter().flat_map(|commands| &commands.entries);
    let goes_on = |line: &str| line.strip_prefix(text).is_some_and(|rest| rest.starts_with(' '));
    let longer = entries().filter_map(|entry| Some((entry, entry.example.as_ref()?.node.as_str())));
    let mut longer = longer.filter(|(_, line)| goes_on(line) && !line.contains(['|', '<', '>'])).peekable();
    longer.peek()?;
    let meaning = entries().any(|entry| entry.line.matches(text));
    longer.find(|(entry, _)| !meaning || entry.line.matches(text)).map(|(_, line)| line.to_owned())
}

fn report(group: &[&Evaded<'_>], speaking: &Speaking<'_>) -> Option<Shown> {
    let [first, others @ ..] = group else { return None };
    let (way, line) = first.lines.first()?;
    let denies: Vec<&Rule> = group.iter().map(|one| one.deny).collect();
    let verb = if denies.len() == 1 { "stops" } else { "stop" };
    let shown = written::listed(first.lines.iter().map(|(_, line)| line.as_str()), SHOWN);
    let are = if first.lines.len() == 1 { "is" } else { "are" };
    let text = format!("{} {verb} one spelling only: {shown} {are} allowed", said::subject(&denies));
    let finding = Finding::new(CODE, said::span(first.deny), text)
        .confidence(Confidence::Catalogue)
        .label(format!("stops `{}`", first.denied))
        .agent(&speaking.set.agent)
        .help(help(*way, first));
    let finding = match first.by.origin.prelude {
        true => finding.note("what no rule speaks of the runtime itself allows"),
        false => finding.related(said::span(first.by), format!("allows `{line}`")),
    };
    let finding = dead::list(finding, others.iter().map(|one| said::span(one.deny)).collect(), "so does this one");
    let call = Call { key: speaking.permission.to_string(), value: line.clone() };
    Some(Shown { finding, call, action: Action::Allow, by: None })
}

fn help(way: Way, one: &Evaded<'_>) -> String {
    let (name, text) = (&one.name, one.deny.pattern.text());
    match way {
        Way::Options => format!("deny `{name} *` or ask for it, and allow what is needed of it after that"),
        Way::Name => "deny the command by each of its names, or allow only a list of commands".to_owned(),
        Way::Path => format!("write a star before the file's name, or deny all of `{name} *`"),
        Way::Operands => format!("write `{text} *`, which matches `{text}` too"),
        Way::Global => "allow the subcommands that are needed, not the whole program".to_owned(),
    }
}
