//! PC0315: a file that may not be read can be searched.

use super::{Cx, secrets, ways, written};
use crate::capabilities::{Act, Way};
use crate::diagnostic::{Code, Confidence, Finding, Severity, Sink};
use crate::model::ResourceKind;

pub(crate) const CODE: Code = Code::new("PC0315", "secret-by-search-tool", Severity::Warning);

/// Permissions of tools that show which files there are, and nothing of what is in them.
const NAMES_ONLY: [&str; 2] = ["glob", "list"];

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    for leak in secrets::of(cx, sink).iter() {
        let searches = |way: &&Way| {
            let permission = way.last().map(|step| step.permission.as_str()).unwrap_or_default();
            let kind = model.permissions.get(permission).map(|declared| declared.resource);
            let looks = matches!(kind, Some(ResourceKind::Query | ResourceKind::Path));
            way.act == Act::Permission && looks && !NAMES_ONLY.contains(&permission)
        };
        let tools: Vec<&Way> = leak.ways.iter().filter(searches).collect();
        let Some((way, call)) = tools.first().and_then(|way| Some((way, way.last()?))) else { continue };
        let open = leak.agents(way, cx);
        let agents = written::listed(open.iter().map(String::as_str), 6);
        let text = format!("reading `{}` is denied, and `{}` searches it: {agents}", leak.path, call.permission);
        let finding = Finding::new(CODE, leak.span, text)
            .label("denies reading")
            .confidence(Confidence::Catalogue)
            .help(format!("deny `{}` too, or let a person be asked", call.permission));
        sink.push(ways::told(ways::about(finding, &open), &tools, cx));
    }
}
