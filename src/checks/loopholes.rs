//! Where editing is denied and files can be written all the same: one analysis that the checks of group 03 report from, so
//! that each agent is asked about once.
//!
//! A promise stands where a user's rule denies editing altogether, or all but named paths. What a person is asked about is no
//! loophole here: the person sees it.

use super::{Cx, proof, said, ways};
use crate::capabilities::{Act, Closure, Goal, Way};
use crate::diagnostic::Sink;
use crate::language::Pattern;
use crate::model::{Capability, Family, PromiseKind, ResourceKind};
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::Span;
use std::rc::Rc;

/// An agent that may not edit, and how it writes nevertheless.
#[derive(Debug)]
pub(crate) struct Loophole {
    /// The agents, of which the first is told; the others have the same rules.
    pub(crate) agents: Vec<String>,
    /// The rule that denies editing.
    rule: u32,
    /// Its place.
    pub(crate) deny: Span,
    /// Whether some paths are left open to it.
    pub(crate) narrowed: bool,
    /// Its ways.
    pub(crate) ways: Vec<Way>,
    /// Whether only the runtime speaks of the agent.
    pub(crate) native: bool,
}

impl Loophole {
    /// Whether another check tells that this agent has others write.
    pub(crate) fn delegates(&self, agent: &str) -> bool {
        !self.native && self.agents.iter().any(|name| name == agent) && self.ways.iter().any(Way::delegates)
    }

    /// Whether another check tells that this agent writes through the shell.
    pub(crate) fn writes_by_command(&self, agent: &str) -> bool {
        !self.native && self.agents.iter().any(|name| name == agent) && self.ways.iter().any(is_command)
    }

    /// Whether other ways are told by the same codes.
    fn has_same_kinds(&self, ways: &[Way]) -> bool {
        let commands: Vec<&Way> = ways.iter().filter(|way| is_command(way)).collect();
        let longest = |ways: &[Way]| ways.iter().map(|way| way.steps.len()).min();
        ways::kind(&commands) == ways::kind(&self::commands(self))
            && longest(ways) == longest(&self.ways)
            && permissions(ways) == permissions(&self.ways)
    }
}

/// The denial that stands in a ruleset: the last rule about all of a writing permission, if it denies and a user wrote it.
pub(crate) struct Standing<'a> {
    set: &'a Ruleset,
    permission: &'a str,
    deny: &'a Rule,
    except: Vec<Pattern>,
}

impl<'a> Standing<'a> {
    /// Whether only the runtime says so, of an agent of its own.
    pub(crate) fn native(&self) -> bool {
        self.deny.origin.prelude
    }

    /// Whether some paths are left open.
    pub(crate) fn is_narrowed(&self) -> bool {
        !self.except.is_empty()
    }

    /// The permission that is denied.
    pub(crate) fn permission(&self) -> &'a str {
        self.permission
    }

    /// The place of the rule that denies.
    pub(crate) fn span(&self) -> Span {
        said::span(self.deny)
    }
}

/// Whether the agent's own promise says what it cannot do, which PC0801 tells of.
fn is_promised(cx: &Cx<'_>, agent: &str) -> bool {
    cx.model.promises.iter().any(|promise| match &promise.kind {
        PromiseKind::Cannot { who, capability, .. } => {
            *capability == Capability::Write && who.iter().any(|name| name == agent)
        }
        PromiseKind::Requests { .. } | PromiseKind::NoLayerLoosens { .. } => false,
    })
}

/// What stands in a ruleset, if anything does.
pub(crate) fn standing<'a>(cx: &Cx<'a>, set: &'a Ruleset) -> Option<Standing<'a>> {
    if is_promised(cx, &set.agent) {
        return None;
    }
    let writing = cx.model.permissions.iter().filter(|(_, declared)| {
        declared.capability == Some(Capability::Write) && declared.resource == ResourceKind::Path
    });
    let mut writing = writing.map(|(name, _)| name.as_str());
    let permission = writing.next()?;
    let speaking: Vec<&Rule> = set.rules.iter().filter(|rule| rule.permission.matches(permission, set.case)).collect();
    let at = speaking.iter().rposition(|rule| rule.pattern.is_everything())?;
    let deny = speaking.get(at).filter(|rule| rule.action == Action::Deny)?;
    // Exceptions before it, in the same block, show that it was not meant to deny all: PC0104 tells of that.
    let exception =
        |rule: &&Rule| rule.action != Action::Deny && !rule.pattern.is_everything() && reach::same_block(rule, deny);
    if !deny.origin.prelude && speaking.get(..at)?.iter().any(exception) {
        return None;
    }
    let later = speaking.get(at + 1..)?.iter().copied().filter(|rule| rule.action != Action::Deny);
    let except = later.chain(writing.flat_map(|name| given(set, name))).map(|rule| rule.pattern.clone()).collect();
    Some(Standing { set, permission, deny, except })
}

/// The rules by which a user leaves some paths to an agent through another permission that writes: who names the
/// permission and the paths means them, as with the paths that are left open to editing.
fn given<'a>(set: &'a Ruleset, permission: &str) -> Vec<&'a Rule> {
    let speaking: Vec<&Rule> = set.rules.iter().filter(|rule| rule.permission.matches(permission, set.case)).collect();
    let base = speaking.iter().rposition(|rule| rule.pattern.is_everything()).map_or(0, |at| at + 1);
    let named = |rule: &Rule| rule.permission.text() == permission && !rule.origin.prelude;
    speaking.into_iter().skip(base).filter(|rule| rule.action != Action::Deny && named(rule)).collect()
}

/// The loopholes of all agents that a person can meet, one for agents alike.
pub(crate) fn find(cx: &mut Cx<'_>, sink: &mut Sink) -> Vec<Loophole> {
    let (model, rulesets) = (cx.model, cx.rulesets);
    let judged = reach::judged(model, rulesets);
    let standing: Vec<Standing<'_>> = judged.into_iter().filter_map(|at| standing(cx, rulesets.get(at)?)).collect();
    if standing.is_empty() {
        return Vec::new();
    }
    let world = cx.world;
    let mut out: Vec<Loophole> = Vec::new();
    let mut closure: Option<(Vec<Pattern>, Closure<'_, '_>)> = None;
    let bound: Vec<&str> =
        standing.iter().filter(|standing| !standing.native()).map(|standing| standing.set.agent.as_str()).collect();
    for Standing { set, deny, except, .. } in &standing {
        if closure.as_ref().is_none_or(|(known, _)| known != except) {
            let goal = Goal { except: except.clone(), silently: true, ..Goal::of(Capability::Write) };
            closure = Some((except.clone(), Closure::new(world, goal)));
        }
        let Some((_, closure)) = &mut closure else { continue };
        let found = closure.ways(&set.agent, cx.budget);
        proof::push_wrong(sink, proof::CODE, said::span(deny), &found.wrong, rulesets);
        if !found.doubts.is_empty() {
            cx.doubt(said::span(deny), "whether files can be written although editing is denied");
        }
        // What an agent that is bound like this one does beside its denial is told of that agent.
        let by_bound =
            |way: &Way| way.steps.len() > 1 && way.last().is_some_and(|last| bound.contains(&last.agent.as_str()));
        let ways: Vec<Way> = found.ways.into_iter().filter(|way| counts(way) && !by_bound(way)).collect();
        if ways.is_empty() {
            continue;
        }
        let native = deny.origin.prelude;
        let shared = |other: &&mut Loophole| other.rule == deny.id && !native && other.has_same_kinds(&ways);
        if let Some(known) = out.iter_mut().find(shared) {
            known.agents.push(set.agent.clone());
            continue;
        }
        out.push(Loophole {
            agents: vec![set.agent.clone()],
            rule: deny.id,
            deny: said::span(deny),
            narrowed: !except.is_empty(),
            ways,
            native,
        });
    }
    out
}

/// Whether a way breaks the promise that denied editing is. Nothing in a config says that a server with tools is there, or
/// that one writes; what the runtime asks nobody about, no rule can close but hiding the shell; and what `make test` does, is
/// in files that the agent cannot edit.
pub(crate) fn counts(way: &Way) -> bool {
    !matches!(way.act, Act::Undeclared | Act::Unasked(_)) && ways::family(way) != Some(Family::Project)
}

/// The permissions, beside the one that is denied, by which an agent itself writes.
pub(crate) fn permissions(ways: &[Way]) -> Vec<&str> {
    let own = ways.iter().filter(|way| is_permission(way)).filter_map(Way::last);
    own.map(|step| step.permission.as_str()).collect()
}

/// Whether a way is a call of the agent's own, whose permission is declared to write.
pub(crate) fn is_permission(way: &Way) -> bool {
    way.steps.len() == 1 && way.act == Act::Permission
}

/// The loopholes, found once.
pub(crate) fn of(cx: &mut Cx<'_>, sink: &mut Sink) -> Rc<Vec<Loophole>> {
    let known = cx.loopholes.take();
    let all = known.unwrap_or_else(|| Rc::new(find(cx, sink)));
    cx.loopholes = Some(Rc::clone(&all));
    all
}

fn is_command(way: &Way) -> bool {
    way.steps.len() == 1 && matches!(way.act, Act::Command { .. })
}

/// An agent's own command lines.
pub(crate) fn commands(loophole: &Loophole) -> Vec<&Way> {
    loophole.ways.iter().filter(|way| is_command(way)).collect()
}
