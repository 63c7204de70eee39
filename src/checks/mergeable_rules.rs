//! PC0108: `x` beside `x *`, which matches `x` too.

use super::{Cx, dead, edits, said};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::reach::Kind;

pub(crate) const CODE: Code = Code::new("PC0108", "mergeable-rules", Severity::Info);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    for case in reach.of_kind(Kind::Mergeable) {
        let rules = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
        let mut places = said::places(&rules).into_iter();
        let (Some(rule), Some(primary)) = (rules.first(), places.next()) else { continue };
        let (is, its) = if rules.len() == 1 { ("is", "its") } else { ("are", "their") };
        let text = format!("{} {is} part of {its} other form with ` *`", said::subject(&rules));
        let mut finding = Finding::new(CODE, primary, text)
            .label("needless")
            .note(format!("`\"{0} *\"` matches `{0}` alone too, and has the same action", rule.pattern.text()))
            .help("keep the form with ` *`");
        finding.fix = edits::delete_one(case, cx);
        sink.push(dead::list(finding, places.collect(), "needless too"));
    }
}
