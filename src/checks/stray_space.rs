//! PC0910: a blank at the start or the end of a pattern, where no request has one.

use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Dialect;
use crate::model::ResourceKind;

pub(crate) const CODE: Code = Code::new("PC0910", "stray-space", Severity::Warning);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for rule in written::rules(cx.model) {
        let text = rule.pattern.text();
        let blank = |c: Option<char>| c.is_some_and(|c| c == ' ' || c == '\t');
        let (first, last) = (blank(text.chars().next()), blank(text.chars().next_back()));
        if !(first || last) || rule.pattern.dialect() == Dialect::Regex {
            continue;
        }
        let mut kinds = written::spoken(cx.model, rule).map(|(_, permission)| permission.resource).peekable();
        // A name of an agent is looked up, so PC0501 speaks of it; a query may start with a blank.
        let asked_trimmed = |kind| matches!(kind, ResourceKind::Path | ResourceKind::Command | ResourceKind::Url);
        if kinds.peek().is_none() || !kinds.all(asked_trimmed) {
            continue;
        }
        let place = match (first, last) {
            (true, true) => "starts and ends with a blank",
            (true, false) => "starts with a blank",
            _ => "ends with a blank",
        };
        let message = format!("`{text}` {place}, and what is asked does not");
        let finding = Finding::new(CODE, rule.origin.span, message);
        let meant = text.trim_matches([' ', '\t']);
        sink.push(match meant {
            "" => finding.help("write `*` for everything"),
            meant if last && rule.pattern.dialect() == Dialect::Wildcard && !meant.ends_with('*') => {
                finding.help(format!("write `{meant}`, or `{meant} *` for it with any arguments"))
            }
            meant => finding.help(format!("write `{meant}`")),
        });
    }
}
