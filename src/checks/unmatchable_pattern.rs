//! PC0103: no call that can be made matches a rule.

use super::{Cx, dead, plausible, said};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Case, Pattern};
use crate::reach::Kind;
use crate::rule::Rule;

pub(crate) const CODE: Code = Code::new("PC0103", "unmatchable-pattern", Severity::Error);

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let reach = cx.reach();
    for case in reach.of_kind(Kind::Unmatchable) {
        let rules = said::rules(case.rules.iter().map(|fault| fault.at), cx.rulesets);
        let mut places = said::places(&rules).into_iter();
        let (Some(rule), Some(primary)) = (rules.first(), places.next()) else { continue };
        let match_ = if rules.len() == 1 { "matches" } else { "match" };
        let text = format!("{} {match_} no call that can be made", said::subject(&rules));
        let note = format!("`{}` is never asked for such a resource", rule.permission.text());
        let mut finding = Finding::new(CODE, primary, text).label("matches nothing").note(note);
        if let Some(help) = help(rule, cx) {
            finding = finding.help(help);
        }
        sink.push(dead::list(finding, places.collect(), "matches nothing either"));
    }
}

/// What was probably meant; only what can be asked is suggested.
fn help(rule: &Rule, cx: &Cx<'_>) -> Option<String> {
    let text = rule.pattern.text();
    let bare = text.trim_start_matches("./");
    let (inside, folder) = (text.trim_start_matches('/'), format!("{}/*", text.trim_end_matches('/')));
    let outside = format!("*/{}", text.trim_start_matches(['~', '/']));
    let possible =
        |text: &str| !plausible::calls(cx, &rule.permission, &Pattern::wildcard(text), Case::Sensitive).is_empty();
    let text = match () {
        () if bare.len() < text.len() => format!("paths are asked without `./`: write `\"{bare}\"`"),
        () if text.contains("..") => "paths are asked without `..`: write where it leads to".to_owned(),
        () if text.contains("//") => "paths are asked with single slashes".to_owned(),
        () if inside.len() < text.len() && possible(inside) => {
            format!("paths inside the workspace are asked relative to it: write `\"{inside}\"`")
        }
        () if possible(&folder) => format!("a folder is asked with what is in it: write `\"{folder}\"`"),
        () if text.starts_with(['~', '/']) && possible(&outside) => {
            format!("files outside the workspace are asked as `../` and the way to them: write `\"{outside}\"`")
        }
        () => return None,
    };
    Some(text)
}
