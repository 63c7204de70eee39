//! PC0201: a later layer makes a deny of an earlier one void: a user's deny altogether, or what the runtime itself denies
//! to one of its agents.

use super::dead::{Story, list, tell};
use super::{Cx, proof, said, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Call, Case, Colours, Pattern};
use crate::model::Agent;
use crate::reach::{self, Kind, Place};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::Span;

pub(crate) const CODE: Code = Code::new("PC0201", "layer-overrides-deny", Severity::Error);

const STORY: Story = Story {
    code: CODE,
    kind: Kind::OverridesDeny,
    because: |cover, many| {
        let its = if many { "their" } else { "its" };
        format!("{} of a later layer {} all {its} calls", said::subject(cover), said::matches(cover))
    },
    help: |_, _| "narrow the later rule, or repeat the deny after it; `assert no layer loosens` keeps it so".to_owned(),
    fix: |_, _| None,
};

/// So many rules of the user that open the same deny are looked for.
const CAUSES: usize = 12;

/// Calls that a deny of the runtime is about, and those of them that it leaves to later rules of its own.
type Region = (Vec<(Pattern, Pattern)>, Vec<(Pattern, Pattern)>);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
    for one in opened(cx) {
        report(&one, cx, sink);
    }
}

/// Shared rules of the user, of one permission and action, that open what the runtime denies to its own agents.
struct Opened {
    rules: Vec<Place>,
    denied: Span,
    agents: Vec<String>,
    call: Call,
}

fn opened(cx: &mut Cx<'_>) -> Vec<Opened> {
    let never = reach::impossible(cx.model, cx.runtime);
    let native: Vec<usize> = (0..cx.rulesets.len()).filter(|&at| agent(cx, at).is_some()).collect();
    let mut found: Vec<Opened> = Vec::new();
    for group in reach::alike(cx.rulesets, &native) {
        let regions: Vec<(usize, Span, Region)> = group
            .iter()
            .filter_map(|&at| Some((at, agent(cx, at)?)))
            .flat_map(|(at, agent)| denied(cx, agent).map(move |(span, region)| (at, span, region)))
            .collect();
        let Some(set) = group.first().and_then(|&at| cx.rulesets.get(at)).filter(|_| !regions.is_empty()) else {
            continue;
        };
        let asked = |rule: &Rule| {
            regions
                .iter()
                .flat_map(|(_, _, (include, _))| include)
                .any(|(name, _)| written::matches(&rule.permission, name.text(), set.case))
        };
        let users = set.rules.iter().enumerate().skip_while(|(_, rule)| rule.origin.prelude);
        let kept: Vec<(usize, &Rule)> = users.filter(|(_, rule)| asked(rule)).collect();
        if !kept.iter().any(|(_, rule)| shared(rule) && rule.action < Action::Deny) {
            continue;
        }
        let rules = kept.iter().map(|(_, rule)| *rule);
        let Ok(mut table) = reach::users_table(rules, set, &never) else { continue };
        for (at, span, (include, mut exclude)) in regions {
            // The rules of this agent, which stand as far from the end as those of the group's first.
            let Some(offset) = cx.rulesets.get(at).map(|own| own.rules.len() as isize - set.rules.len() as isize)
            else {
                continue;
            };
            for _ in 0..CAUSES {
                let loose = Colours::of(&[Action::Allow.colour(), Action::Ask.colour()]);
                let Answer::Yes((call, Some(decider))) = table.find(&include, &exclude, loose, cx.budget) else {
                    break;
                };
                let Some((index, rule)) = kept.get(decider) else { break };
                exclude.push((rule.permission.clone(), rule.pattern.clone()));
                if shared(rule) {
                    let place = Place { set: at, index: index.saturating_add_signed(offset) };
                    note(place, span, call, cx.rulesets, &mut found);
                }
            }
        }
    }
    found
}

/// A native agent that a person can meet.
fn agent<'a>(cx: &Cx<'a>, at: usize) -> Option<&'a Agent> {
    let agent = cx.model.agents.get(&cx.rulesets.get(at)?.agent)?;
    (agent.prelude && !(agent.hidden && agent.touched.is_empty())).then_some(agent)
}

/// Whether a rule is the user's and speaks to all agents. What the user says of one agent is meant.
fn shared(rule: &Rule) -> bool {
    !rule.origin.prelude && &*rule.origin.slot != "own"
}

/// What the runtime denies to an agent of its own, of what gives a capability.
fn denied<'a>(cx: &Cx<'a>, agent: &'a Agent) -> impl Iterator<Item = (Span, Region)> + use<'a> {
    let model = cx.model;
    let denies = agent.builtin.iter().enumerate().filter(|(_, rule)| rule.action == Action::Deny);
    denies.filter_map(move |(at, deny)| {
        let later = || agent.builtin.iter().skip(at + 1);
        let given = written::spoken(model, deny).filter(|(_, permission)| permission.capability.is_some());
        let open = given.filter(|(name, _)| {
            !later()
                .any(|rule| rule.pattern.is_everything() && written::matches(&rule.permission, name, Case::Sensitive))
        });
        let include: Vec<(Pattern, Pattern)> =
            open.map(|(name, _)| (Pattern::wildcard(name), deny.pattern.clone())).collect();
        let exclude = later().map(|rule| (rule.permission.clone(), rule.pattern.clone())).collect();
        (!include.is_empty()).then_some((deny.origin.span, (include, exclude)))
    })
}

/// Puts a cause to what is known already of the same permission and action.
fn note(place: Place, denied: Span, call: Call, sets: &[Ruleset], found: &mut Vec<Opened>) {
    let (Some(rule), Some(set)) = (place.rule(sets), sets.get(place.set)) else { return };
    let alike = |one: &&mut Opened| {
        let first = one.rules.first().and_then(|place| place.rule(sets));
        first.is_some_and(|first| (&first.permission, first.action) == (&rule.permission, rule.action))
    };
    match found.iter_mut().find(alike) {
        Some(one) => {
            if !one.agents.contains(&set.agent) {
                one.agents.push(set.agent.clone());
            }
            let known = |place: &Place| place.rule(sets).is_some_and(|known| known.id == rule.id);
            if !one.rules.iter().any(known) {
                one.rules.push(place);
            }
        }
        None => found.push(Opened { rules: vec![place], denied, agents: vec![set.agent.clone()], call }),
    }
}

fn report(one: &Opened, cx: &Cx<'_>, sink: &mut Sink) {
    let rules = said::rules(one.rules.iter().copied(), cx.rulesets);
    let (Some(rule), Some(place)) = (rules.first(), one.rules.first()) else { return };
    let Some(set) = cx.rulesets.get(place.set) else { return };
    let agents = written::listed(one.agents.iter().map(String::as_str), 6);
    let (does, severity) = match rule.action {
        Action::Allow => ("allows", Severity::Error),
        Action::Ask | Action::Deny => ("only asks for", Severity::Warning),
    };
    let text = format!("{} {does} what the runtime itself denies to {agents}", said::rule(rule));
    let mut places = said::places(&rules).into_iter();
    let Some(primary) = places.next() else { return };
    let finding = Finding::new(CODE, primary, text)
        .severity(severity)
        .label("comes after the runtime's own rules")
        .related(one.denied, format!("denied to `{}` here", set.agent))
        .note("shared rules are merged after the rules that make an agent of the runtime read-only")
        .help(format!("deny it again for {agents} in the agent's own rules, or narrow this rule"));
    let finding = list(finding, places.collect(), "so does this");
    let (id, action) = (rule.id, rule.action);
    proof::push(sink, finding, set, (&one.call, &[]), |_, decision| {
        decision.action == action && decision.rule.is_some_and(|(_, rule)| rule.id == id)
    });
}
