//! PC0201: a later layer makes a deny of an earlier one void: a user's deny altogether, or what the runtime itself denies
//! to one of its agents.

use super::dead::{Story, list, tell};
use super::{Cx, plausible, proof, said, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Call, Case, Colours, Pattern, Table};
use crate::model::{Agent, Capability};
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

/// The runtime's deny: where it stands, and whether it names the permission rather than denying everything.
#[derive(Clone, Copy)]
struct Deny {
    span: Span,
    named: bool,
}

/// What the runtime denies to an agent of its own: calls of one permission that gives a capability.
struct Region<'a> {
    /// The agent's ruleset.
    at: usize,
    denied: Deny,
    permission: &'a str,
    capability: Capability,
    pattern: Pattern,
    /// What later rules of the runtime say of the agent decides otherwise.
    exclude: Vec<(Pattern, Pattern)>,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    tell(&STORY, cx, sink);
    for one in opened(cx) {
        report(&one, cx, sink);
    }
}

/// Shared rules of the user, of one permission and action, that open what the runtime denies to its own agents.
struct Opened {
    rules: Vec<Place>,
    denied: Deny,
    agents: Vec<String>,
    call: Call,
}

fn opened(cx: &mut Cx<'_>) -> Vec<Opened> {
    let native: Vec<usize> = (0..cx.rulesets.len()).filter(|&at| agent(cx, at).is_some()).collect();
    let mut found: Vec<Opened> = Vec::new();
    for group in reach::alike(cx.rulesets, &native) {
        let mut regions: Vec<Region<'_>> = group.iter().flat_map(|&at| denied(cx, at)).collect();
        // The most telling first: its call is shown.
        regions.sort_by_key(|region| (region.capability != Capability::Write, region.capability != Capability::Exec));
        if let Some(set) = group.first().and_then(|&at| cx.rulesets.get(at)) {
            seek(set, &regions, cx, &mut found);
        }
    }
    found
}

/// Looks for shared rules that decide calls of the regions; `set` has the same rules of the user as all their agents.
fn seek(set: &Ruleset, regions: &[Region<'_>], cx: &mut Cx<'_>, found: &mut Vec<Opened>) {
    let asked =
        |rule: &Rule| regions.iter().any(|region| written::matches(&rule.permission, region.permission, set.case));
    let users = set.rules.iter().enumerate().skip_while(|(_, rule)| rule.origin.prelude);
    let kept: Vec<(usize, &Rule)> = users.filter(|(_, rule)| asked(rule)).collect();
    if !kept.iter().any(|(_, rule)| shared(rule) && rule.action < Action::Deny) {
        return;
    }
    let never = reach::impossible(cx.model, cx.runtime);
    let Ok(mut table) = reach::users_table(kept.iter().map(|(_, rule)| *rule), set, &never) else { return };
    for region in regions {
        let Some(own) = cx.rulesets.get(region.at) else { continue };
        for (entry, call) in openings(region, &kept, &mut table, cx) {
            if let Some((index, _)) = kept.get(entry) {
                // The user's rules stand as far from the end in each of the rulesets.
                let index = (index + own.rules.len()).saturating_sub(set.rules.len());
                note(Place { set: region.at, index }, region.denied, call, cx.rulesets, found);
            }
        }
    }
}

/// Shared rules that open a region, each with a call: those that a plausible call or the rule's own plainest call shows,
/// and if there is none of these, what a search for any call finds.
fn openings(region: &Region<'_>, kept: &[(usize, &Rule)], table: &mut Table, cx: &mut Cx<'_>) -> Vec<(usize, Call)> {
    let opens = |entry: usize| kept.get(entry).is_some_and(|(_, rule)| shared(rule) && rule.action < Action::Deny);
    let speaks = |rule: &Rule| written::matches(&rule.permission, region.permission, Case::Sensitive);
    let never = cx.runtime.impossible(region.permission);
    let possible = |value: &str| !never.iter().any(|never| never.matches(value, Case::Sensitive));
    let mut values = cx.runtime.hints(region.permission);
    let mut out: Vec<(usize, Call)> = Vec::new();
    for (entry, _) in kept.iter().enumerate().filter(|(entry, (_, rule))| opens(*entry) && speaks(rule)) {
        values.extend(table.decides(entry, cx.budget).yes().map(|call| call.value));
        for value in values.drain(..).filter(|value| region.holds(value) && possible(value)) {
            match table.last(region.permission, &value) {
                Some(last) if opens(last) && out.iter().all(|(known, _)| *known != last) => {
                    out.push((last, Call { key: region.permission.to_owned(), value }));
                }
                _ => {}
            }
        }
        if out.len() >= CAUSES {
            return out;
        }
    }
    let loose = Colours::of(&[Action::Allow.colour(), Action::Ask.colour()]);
    let include = [(Pattern::wildcard(region.permission), region.pattern.clone())];
    let mut exclude = region.exclude.clone();
    while out.is_empty() && exclude.len() < region.exclude.len() + CAUSES {
        let answer = table.find(&include, &exclude, loose, cx.budget);
        if let (Answer::Undecided { .. }, Some((_, rule))) = (&answer, kept.last()) {
            cx.doubt(rule.origin.span, "whether shared rules open what the runtime denies to one of its agents");
        }
        let Answer::Yes((call, Some(entry))) = answer else { break };
        let Some((_, rule)) = kept.get(entry) else { break };
        exclude.push((rule.permission.clone(), rule.pattern.clone()));
        if opens(entry) {
            out.push((entry, call));
        }
    }
    out
}

impl Region<'_> {
    /// Whether a resource is in it.
    fn holds(&self, value: &str) -> bool {
        let open = || self.exclude.iter().any(|(_, pattern)| pattern.matches(value, Case::Sensitive));
        self.pattern.matches(value, Case::Sensitive) && !open()
    }
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

/// What the runtime denies to the agent of a ruleset.
fn denied<'a>(cx: &Cx<'a>, at: usize) -> Vec<Region<'a>> {
    let builtin = agent(cx, at).map(|agent| agent.builtin.as_slice()).unwrap_or_default();
    let mut out = Vec::new();
    for (place, deny) in builtin.iter().enumerate().filter(|(_, rule)| rule.action == Action::Deny) {
        let later = || builtin.iter().skip(place + 1);
        for (permission, declared) in written::spoken(cx.model, deny) {
            let Some(capability) = declared.capability else { continue };
            // What falls under a deny of everything was not thought of one by one: only what does harm counts.
            if deny.permission.is_everything() && !harmful(capability) {
                continue;
            }
            let speaks = |rule: &&Rule| written::matches(&rule.permission, permission, Case::Sensitive);
            if !later().filter(speaks).any(|rule| rule.pattern.is_everything()) {
                let exclude =
                    later().filter(speaks).map(|rule| (rule.permission.clone(), rule.pattern.clone())).collect();
                let denied = Deny { span: deny.origin.span, named: !deny.permission.is_everything() };
                let pattern = deny.pattern.clone();
                out.push(Region { at, denied, permission, capability, pattern, exclude });
            }
        }
    }
    out
}

fn harmful(capability: Capability) -> bool {
    matches!(capability, Capability::Write | Capability::Exec | Capability::Network)
}

/// Puts a cause to what is known already of the same permission and action.
fn note(place: Place, denied: Deny, call: Call, sets: &[Ruleset], found: &mut Vec<Opened>) {
    let (Some(rule), Some(set)) = (place.rule(sets), sets.get(place.set)) else { return };
    let alike = |one: &&mut Opened| {
        let first = one.rules.first().and_then(|place| place.rule(sets));
        first.is_some_and(|first| (&first.permission, first.action) == (&rule.permission, rule.action))
    };
    match found.iter_mut().find(alike) {
        Some(one) => {
            one.denied.named |= denied.named;
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
        Action::Allow if one.denied.named => ("allows", Severity::Error),
        Action::Allow => ("allows", Severity::Warning),
        Action::Ask | Action::Deny => ("only asks for", Severity::Info),
    };
    let text = format!("{} {does} what the runtime itself denies to {agents}", said::rule(rule));
    let mut places = said::places(&rules).into_iter();
    let Some(primary) = places.next() else { return };
    let finding = Finding::new(CODE, primary, text)
        .severity(severity)
        .label("comes after the runtime's own rules")
        .related(one.denied.span, format!("denied to `{}` here", set.agent))
        .note("shared rules are merged after the rules that make an agent of the runtime read-only")
        .help(format!("deny it again for {agents} in the agent's own rules, or narrow this rule"));
    let finding = list(finding, places.collect(), "so does this");
    let (id, action) = (rule.id, rule.action);
    let denied = |call: &Call| {
        let before = set.rules.iter().take_while(|rule| rule.origin.prelude);
        let speaking = before
            .filter(|rule| rule.permission.matches(&call.key, set.case) && rule.pattern.matches(&call.value, set.case));
        speaking.last().is_some_and(|rule| rule.action == Action::Deny)
    };
    let plausible = plausible::calls(cx, &Pattern::wildcard(&one.call.key), &Pattern::wildcard("*"), set.case);
    proof::push(sink, finding, set, (&one.call, &plausible), |call, decision| {
        denied(call) && decision.action == action && decision.rule.is_some_and(|(_, rule)| rule.id == id)
    });
}
