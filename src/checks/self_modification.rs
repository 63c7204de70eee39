//! PC0316: an agent that may edit named paths only may edit what binds it, or what is run for it later.

use super::{Cx, loopholes, proof};
use crate::catalogue;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Call, Pattern};
use crate::reach;
use crate::rule::Action;
use crate::source::Spanned;

pub(crate) const CODE: Code = Code::new("PC0316", "self-modification", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let rulesets = cx.rulesets;
    let all: Vec<_> = reach::judged(cx.model, rulesets).into_iter().filter_map(|at| rulesets.get(at)).collect();
    for set in all {
        let Some(standing) =
            loopholes::standing(cx, set).filter(|standing| !standing.native() && standing.is_narrowed())
        else {
            continue;
        };
        let Some(list) = catalogue::shipped().lists.get("self_modification") else { return };
        let permission = standing.permission();
        // Such a file in some folder below, `a/b/.git/config`, binds nothing here.
        let here = |pattern: &&Spanned<Pattern>| !pattern.node.text().starts_with('*');
        let include: Vec<(Pattern, Pattern)> = list
            .patterns
            .iter()
            .filter(here)
            .map(|pattern| (Pattern::wildcard(permission), pattern.node.clone()))
            .collect();
        match cx.world.tables.speaking(set, permission).find(&include, &[], &[Action::Allow], cx.budget) {
            Ok(Answer::No) => {}
            Ok(Answer::Undecided { .. }) | Err(_) => {
                cx.doubt(standing.span(), "whether an agent may edit what binds it")
            }
            Ok(Answer::Yes(call)) => {
                let plausible: Vec<Call> = list
                    .patterns
                    .iter()
                    .filter(|pattern| !pattern.node.text().contains(['*', '?']))
                    .map(|pattern| Call { key: permission.to_owned(), value: pattern.node.text().to_owned() })
                    .collect();
                let text =
                    format!("`{}` may edit named paths only, and one of them can loosen its own rules", set.agent);
                let finding = Finding::new(CODE, standing.span(), text)
                    .agent(&set.agent)
                    .label("denies editing everything else")
                    .note("such a file says what agents may do, or is run by another program later")
                    .help("deny these files after the paths that are allowed");
                proof::push(sink, finding, set, (&call, &plausible), |_, decision| decision.action == Action::Allow);
            }
        }
    }
}
