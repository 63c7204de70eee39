//! PC0804: a promise that is about nothing, and so holds whatever the rules say.

use super::Cx;
use super::promises::Domain;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Case, Colours, Table};
use crate::model::{Model, Promise, PromiseKind, UNRESOLVED_NAME};
use crate::reach;
use crate::rule::Action;
use crate::ruleset::Ruleset;

pub(crate) const CODE: Code = Code::new("PC0804", "vacuous-assert", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    for promise in model.promises.iter().filter(|promise| !promise.prelude) {
        // Of a name that means nothing it was said already.
        if cx.said(&[UNRESOLVED_NAME.id], promise.span) {
            continue;
        }
        if let Some(why) = vacuous(promise, cx) {
            let finding = Finding::new(CODE, promise.span, format!("this holds whatever the rules say: {why}"));
            sink.push(finding.label("about nothing").help("check its names and patterns"));
        }
    }
}

fn vacuous(promise: &Promise, cx: &mut Cx<'_>) -> Option<String> {
    match &promise.kind {
        PromiseKind::Requests { who, permission, patterns, except, .. } => {
            if no_agent(who, cx.model) {
                return Some("it is about no agent that exists".to_owned());
            }
            let domain = Domain::new(&permission.node, patterns, except);
            let never = reach::impossible(cx.model, cx.runtime);
            let case = cx.rulesets.first().map_or(Case::default(), |set| set.case);
            let mut table = Table::new(&[], &never, 0, case).ok()?;
            let any = table.find(&domain.include, &domain.exclude, Colours::ALL, cx.budget);
            matches!(any, Answer::No).then(|| "there is no request that it is about".to_owned())
        }
        PromiseKind::Cannot { who, .. } => {
            no_agent(who, cx.model).then(|| "it is about no agent that exists".to_owned())
        }
        PromiseKind::NoLayerLoosens { layer } => {
            let strict = |set: &Ruleset| {
                set.rules.iter().any(|rule| *rule.origin.slot == *layer.node && rule.action > Action::Allow)
            };
            (!cx.rulesets.iter().any(strict))
                .then(|| format!("no agent has a rule of `{}` that asks or denies", layer.node))
        }
    }
}

/// Whether none of the agents exists that a promise is about.
pub(super) fn no_agent(who: &[String], model: &Model) -> bool {
    !who.iter().any(|name| model.agents.get(name).is_some_and(|agent| !agent.disabled))
}
