//! PC0208: a layer changes no agent's decisions.

use super::{Cx, dead, said};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::reach::{Kind, statements};

pub(crate) const CODE: Code = Code::new("PC0208", "dead-layer", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    for case in reach.of_kind(Kind::DeadLayer) {
        let rules = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
        let Some(first) = rules.first() else { continue };
        let Some(layer) = cx.model.layers.get(&*first.origin.slot) else { continue };
        let number = match statements(rules.iter().copied()) {
            1 => "its one rule decides".to_owned(),
            number => format!("its {number} rules decide"),
        };
        let text = format!("layer `{}` changes nothing: {number} as other rules do without it", first.origin.slot);
        let finding = Finding::new(CODE, layer.span, text).label("no agent decides otherwise without it");
        sink.push(dead::list(finding, said::places(&rules), "needless").help("delete it"));
    }
}
