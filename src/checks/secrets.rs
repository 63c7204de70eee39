//! Where reading a file is denied and it can be read all the same: one analysis for three checks.

use super::{Cx, plausible, proof, said, ways, written};
use crate::capabilities::{Act, Closure, Goal, Step, Way};
use crate::decide::decide;
use crate::diagnostic::{Code, Confidence, Finding, Sink};
use crate::language::{Answer, Call, Dialect, Pattern};
use crate::model::{Capability, Family, Model, ResourceKind};
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::Request;
use crate::source::Span;
use std::rc::Rc;
use std::sync::Arc;

/// So many denials of an agent are looked at: for each the commands of the catalogue are gone through.
const LOOKED_AT: usize = 8;

/// What can be done with a denied file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Commands show it, or send it away as well.
    Shown,
    /// Tools search it.
    Searched,
    /// Commands send it away, and none shows it.
    Sent,
}

/// A denied file, and how agents read it.
#[derive(Debug)]
pub(crate) struct Leak {
    /// What the ways do with it.
    pub(crate) kind: Kind,
    /// The agent whose ways these are.
    pub(crate) agent: String,
    /// Others that the denial holds for.
    others: Vec<String>,
    /// The rule that denies.
    pub(crate) deny: u32,
    /// The layer it stands in; `None`: it is an agent's own.
    pub(crate) layer: Option<Arc<str>>,
    /// Its place.
    pub(crate) span: Span,
    /// The file.
    pub(crate) path: String,
    /// The ways of the first agent.
    pub(crate) ways: Vec<Way>,
}

impl Leak {
    /// The ways by commands of one family.
    pub(crate) fn commands(&self, family: Family) -> Vec<&Way> {
        self.ways.iter().filter(|way| ways::family(way) == Some(family)).collect()
    }

    /// The agents that a way is open to as it is: the one whose it is, and those others that are denied the file too and may
    /// make the same call.
    pub(crate) fn agents(&self, way: &Way, cx: &Cx<'_>) -> Vec<String> {
        let open = |agent: &&String| {
            let set = cx.set_of(agent).zip(way.last());
            set.is_some_and(|(set, call)| decide(set, &call.permission, &call.resource).action == Action::Allow)
        };
        std::iter::once(&self.agent).chain(self.others.iter().filter(open)).cloned().collect()
    }
}

/// A leak as a finding: what a call `does` with the file, and what to do about it.
pub(crate) fn told(
    code: Code,
    leak: &Leak,
    ways: &[&Way],
    (does, help): (impl Fn(&Step) -> String, impl Fn(&Step) -> String),
    cx: &Cx<'_>,
) -> Option<Finding> {
    let way = ways.first()?;
    let call = way.last()?;
    let open = leak.agents(way, cx);
    let agents = written::listed(open.iter().map(String::as_str), 6);
    let text = format!("reading `{}` is denied, and {}: {agents}", leak.path, does(call));
    let finding =
        Finding::new(code, leak.span, text).label("denies reading").confidence(Confidence::Catalogue).help(help(call));
    Some(ways::told(ways::about(finding, &open), ways, cx))
}

/// The leaks, found once.
pub(crate) fn of(cx: &mut Cx<'_>, sink: &mut Sink) -> Rc<Vec<Leak>> {
    let known = cx.leaks.take();
    let all = known.unwrap_or_else(|| Rc::new(find(cx, sink)));
    cx.leaks = Some(Rc::clone(&all));
    all
}

fn find(cx: &mut Cx<'_>, sink: &mut Sink) -> Vec<Leak> {
    let (model, rulesets) = (cx.model, cx.rulesets);
    let world = cx.world;
    let mut out: Vec<Leak> = Vec::new();
    for set in reach::judged(model, rulesets).into_iter().filter_map(|at| rulesets.get(at)) {
        for (permission, rule) in denied(cx, set).into_iter().take(LOOKED_AT) {
            // One layer's rules are one denial, whichever of them shows it for an agent.
            let shared = &*rule.origin.slot != "own";
            let same = |leak: &Leak| leak.deny == rule.id || (shared && leak.layer.as_ref() == Some(&rule.origin.slot));
            if out.iter().any(|leak| same(leak) && leak.kind == Kind::Shown) {
                out.iter_mut().filter(|leak| same(leak)).for_each(|leak| leak.others.push(set.agent.clone()));
                break;
            }
            let Some(path) = example(cx, set, permission, rule) else { continue };
            let Ok(exactly) = Pattern::new(Dialect::Exact, &path) else { continue };
            let goal = Goal { include: vec![exactly], silently: true, ..Goal::of(Capability::Read) };
            let found = Closure::new(world, goal).own_ways(&set.agent, shows_or_sends, cx.budget);
            proof::push_wrong(sink, proof::CODE, said::span(rule), &found.wrong, cx.rulesets);
            if !found.doubts.is_empty() {
                cx.doubt(said::span(rule), "whether a file can be read although reading it is denied");
            }
            let open = found.ways.into_iter().filter(|way| !is_stopped(cx, set, way)).collect();
            let kinds = by_kind(open, &path, model);
            if kinds.is_empty() {
                continue;
            }
            for (kind, ways) in kinds {
                let agent = set.agent.clone();
                match out.iter_mut().find(|known| same(known) && known.kind == kind) {
                    Some(known) => known.others.push(agent),
                    None => out.push(Leak {
                        kind,
                        agent,
                        others: Vec::new(),
                        deny: rule.id,
                        layer: shared.then(|| Arc::clone(&rule.origin.slot)),
                        span: said::span(rule),
                        path: path.clone(),
                        ways,
                    }),
                }
            }
            // One denied file tells the story of them all.
            break;
        }
    }
    out
}

/// Whether the runtime asks more for a command line than the command itself, and that is denied: some hold `cat FILE` to what
/// is said of reading the file.
fn is_stopped(cx: &Cx<'_>, set: &Ruleset, way: &Way) -> bool {
    let line = way.last().filter(|_| matches!(way.act, Act::Command { .. })).map(|step| step.resource.as_str());
    let call = line.and_then(|line| cx.runtime.command_call(line, cx.version));
    let asks = call.and_then(|(tool, input)| cx.runtime.asks(tool, &input, cx.version, None).ok());
    let denied = |request: &Request| decide(set, &request.permission, &request.resource).action == Action::Deny;
    asks.is_some_and(|asks| asks.requests.iter().any(denied))
}

fn shows_or_sends(family: Option<Family>, line: &str) -> bool {
    matches!(family, Some(Family::Secret | Family::Network)) && ways::is_about_files(family, line)
}

/// The ways that are told, by what they do with the file.
fn by_kind(all: Vec<Way>, path: &str, model: &Model) -> Vec<(Kind, Vec<Way>)> {
    let (commands, others): (Vec<Way>, Vec<Way>) =
        all.into_iter().partition(|way| matches!(way.act, Act::Command { .. }));
    let commands: Vec<Way> = commands.into_iter().filter(|way| ways::names(way, path)).collect();
    let searches: Vec<Way> = others.into_iter().filter(|way| is_search(way, model)).collect();
    let shows = commands.iter().any(|way| ways::family(way) == Some(Family::Secret));
    let by_command = if shows { Kind::Shown } else { Kind::Sent };
    [(by_command, commands), (Kind::Searched, searches)].into_iter().filter(|(_, ways)| !ways.is_empty()).collect()
}

/// Whether a way is a tool that looks into files.
fn is_search(way: &Way, model: &Model) -> bool {
    let permission = way.last().map(|step| step.permission.as_str()).unwrap_or_default();
    let kind = model.permissions.get(permission).map(|declared| declared.resource);
    let looks = matches!(kind, Some(ResourceKind::Query | ResourceKind::Path));
    way.act == Act::Permission && looks
}

/// The user's rules that deny reading some paths, not all.
fn denied<'a>(cx: &Cx<'a>, set: &'a Ruleset) -> Vec<(&'a str, &'a Rule)> {
    let mut out = Vec::new();
    for name in written::giving(cx.model, Capability::Read) {
        let rules = set.rules.iter().filter(|rule| {
            rule.action == Action::Deny
                && !rule.origin.prelude
                && !rule.pattern.is_everything()
                && rule.permission.text() == name
        });
        out.extend(rules.map(|rule| (name, rule)));
    }
    out
}

/// A path that the rule denies.
fn example<'a>(cx: &mut Cx<'a>, set: &'a Ruleset, permission: &str, rule: &Rule) -> Option<String> {
    let key = Pattern::wildcard(permission);
    let speaking = cx.world.tables.speaking(set, permission);
    let denies = |call: &Call| speaking.decider(&call.value).is_some_and(|by| by.id == rule.id);
    if let Some(call) = plausible::calls(cx, &key, &rule.pattern, set.case).into_iter().find(denies) {
        return Some(call.value);
    }
    let include = [(key, rule.pattern.clone())];
    match speaking.find(&include, &[], &[Action::Deny], cx.budget).ok()? {
        Answer::Yes(call) => Some(call.value),
        Answer::No => None,
        Answer::Undecided { .. } => {
            cx.doubt(said::span(rule), "whether a file can be read although reading it is denied");
            None
        }
    }
}
