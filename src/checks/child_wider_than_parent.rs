//! PC0506: an agent may start another that does silently what it may not do itself.

use super::delegation;
use super::{Cx, loopholes, witness, written};
use crate::capabilities::edges::Edge;
use crate::decide::{FALLBACK, decide};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Colours, Dialect, Pattern};
use crate::model::Capability;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use std::rc::Rc;

pub(crate) const CODE: Code = Code::new("PC0506", "child-wider-than-parent", Severity::Warning);

/// What the child may and the parent may not.
struct Wider<'a> {
    permission: &'a str,
    resource: String,
    denied_by: &'a Rule,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let edges: Vec<(Edge<'_>, &Rule)> = delegation::edges(cx)
        .into_iter()
        .filter(|edge| edge.action == Action::Allow && edge.unbounded() && edge.parent.name != edge.child.name)
        .filter_map(|edge| Some((edge, edge.user_rule()?)))
        .collect();
    // That a child writes where its parent may not edit is a story of its own, PC0305.
    let loopholes = if edges.is_empty() { Rc::default() } else { loopholes::of(cx, sink) };
    let mut told: Vec<(u32, &str)> = Vec::new();
    for (edge, rule) in &edges {
        if loopholes.iter().any(|loophole| loophole.delegates(&edge.parent.name)) {
            continue;
        }
        let key = (rule.id, edge.parent.name.as_str());
        if told.contains(&key) {
            continue;
        }
        let Some((parent, child)) = cx.set_of(&edge.parent.name).zip(cx.set_of(&edge.child.name)) else { continue };
        let Some(wider) = wider(cx, parent, child) else { continue };
        let Some(witness) = witness::chain(
            &[(parent, edge.permission, &edge.child.name), (child, wider.permission, &wider.resource)],
            Action::Allow,
        ) else {
            continue;
        };
        told.push(key);
        let (parent, child) = (&edge.parent.name, &edge.child.name);
        let same = edges.iter().filter(|(other, by)| by.id == rule.id && other.parent.name == *parent).count();
        let text = format!(
            "`{parent}` is denied {} `{}`, but may start `{child}`, which is allowed it",
            wider.permission, wider.resource
        );
        let mut finding = Finding::new(CODE, rule.origin.span, text)
            .label(format!("lets `{parent}` start `{child}` without asking"))
            .related(wider.denied_by.origin.span, format!("stops `{parent}` itself"))
            .agent(parent)
            .witness(witness)
            .note("a child acts by its own rules, not by those of the agent that started it");
        if same > 1 {
            finding = finding.note(format!("the same rule lets it start {} more", same - 1));
        }
        sink.push(
            finding.help(format!("if that is not meant: make `{}` ask, or take it from `{child}`", edge.permission)),
        );
    }
}

/// A call with an effect that the parent's rules deny and the child's allow.
fn wider<'a>(cx: &mut Cx<'a>, parent: &'a Ruleset, child: &'a Ruleset) -> Option<Wider<'a>> {
    for (permission, declared) in &cx.model.permissions {
        let effect = matches!(
            declared.capability,
            Some(Capability::Read | Capability::Write | Capability::Exec | Capability::Network)
        );
        if !effect || permission.contains(['*', '?']) {
            continue;
        }
        if let Some((resource, denied_by)) = about(cx, parent, child, permission) {
            return Some(Wider { permission, resource, denied_by });
        }
    }
    None
}

fn about<'a>(cx: &mut Cx<'a>, parent: &'a Ruleset, child: &'a Ruleset, permission: &str) -> Option<(String, &'a Rule)> {
    let speaking: Vec<&Rule> =
        parent.rules.iter().filter(|rule| written::matches(&rule.permission, permission, parent.case)).collect();
    if !speaking.iter().any(|rule| rule.action == Action::Deny) {
        return None;
    }
    let of_child = written::about(child, permission);
    // The same rules decide the same: the common case, where only shared layers speak.
    if speaking.iter().map(|rule| rule.id).eq(of_child.rules.iter().map(|rule| rule.id)) {
        return None;
    }
    let of_parent = written::about(parent, permission);
    // A call that a person might make is worth more than a shortest one.
    let plausible = cx.runtime.hints(permission).into_iter().find_map(|resource| {
        let (_, rule) =
            decide(&of_parent, permission, &resource).rule.filter(|(_, rule)| rule.action == Action::Deny)?;
        let widened = decide(&of_child, permission, &resource).action == Action::Allow;
        widened.then(|| (speaking.iter().find(|speaking| speaking.id == rule.id).copied(), resource))
    });
    if let Some((Some(rule), resource)) = plausible {
        return Some((resource, rule));
    }
    let key = Pattern::new(Dialect::Exact, permission).ok()?;
    let never = reach::impossible(cx.model, cx.runtime);
    let mut table = reach::table(of_child.rules.iter(), FALLBACK.colour(), child, &never).ok()?;
    for (place, rule) in speaking.iter().enumerate().rev().filter(|(_, rule)| rule.action == Action::Deny) {
        let include = [(key.clone(), rule.pattern.clone())];
        let later = speaking.iter().skip(place + 1).filter(|rule| rule.action != Action::Deny);
        let exclude: Vec<(Pattern, Pattern)> = later.map(|rule| (key.clone(), rule.pattern.clone())).collect();
        let allowed = Colours::of(&[Action::Allow.colour()]);
        match table.find(&include, &exclude, allowed, cx.budget) {
            Answer::Yes((call, _)) => return Some((call.value, rule)),
            Answer::No => {}
            Answer::Undecided { .. } => {
                cx.doubt(rule.origin.span, "whether an agent that may be started does more than this allows");
            }
        }
    }
    None
}
