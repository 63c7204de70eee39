//! PC0902: a named list that nothing names, or a layer that no merge order has a slot for.

use super::Cx;
use crate::diagnostic::{Code, Finding, Severity, Sink, near_name};

pub(crate) const CODE: Code = Code::new("PC0902", "unused-definition", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    for (name, list) in model.lists.iter().filter(|(_, list)| !list.used && !list.prelude) {
        let text = format!("nothing uses the list `{name}`");
        sink.push(Finding::new(CODE, list.span, text).help("name it in a rule, or delete it"));
    }
    let merges = || std::iter::once(&model.merge).chain(model.agents.values().filter_map(|agent| agent.merge.as_ref()));
    for (name, layer) in model.layers.iter().filter(|(_, layer)| !layer.prelude) {
        if merges().any(|merge| merge.slots.iter().any(|slot| **slot == **name)) {
            continue;
        }
        let text = format!("no merge order has a slot for the layer `{name}`, so its rules decide nothing");
        let mut finding = Finding::new(CODE, layer.span, text);
        if let Some(span) = model.merge.span {
            let whose = if model.merge.prelude { "the runtime's merge order" } else { "the merge order" };
            finding = finding.related(span, whose);
        }
        // A slot whose layer nobody declares is empty: the name may have been meant for one of those.
        let empty = model.merge.slots.iter().map(|slot| &**slot).filter(|slot| !model.layers.contains_key(*slot));
        sink.push(match near_name(name, empty) {
            Some(near) => finding.help(format!("did you mean `{near}`? there is a slot of that name")),
            None => finding.help(format!("write a `merge` that holds `{name}`, or delete the layer")),
        });
    }
}
