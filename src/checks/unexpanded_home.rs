//! PC0906: a `~` or a variable in a pattern that nothing expands, or that is expanded where the request keeps it.

use super::{Cx, witness, written};
use crate::decide;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Case, Dialect};
use crate::model::ResourceKind;
use crate::rule::Rule;
use crate::ruleset::Ruleset;
use crate::runtimes::Environment;

pub(crate) const CODE: Code = Code::new("PC0906", "unexpanded-home", Severity::Warning);

/// Roots that stay symbolic at the start of a path pattern.
const ROOTS: [&str; 3] = ["$DATA", "$TMP", "$SKILLS"];

/// How a reader writes a home folder that stands written out in the text of a command.
const HOME: &str = "<home>";

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for rule in written::rules(cx.model).filter(|rule| rule.pattern.text().contains(['~', '$', '<'])) {
        let kinds = || written::spoken(cx.model, rule).map(|(_, permission)| permission.resource);
        if matches!(rule.pattern.dialect(), Dialect::Regex) || kinds().next().is_none() {
            continue;
        }
        if kinds().all(|kind| kind == ResourceKind::Path) {
            if let Some(sign) = in_path(rule.pattern.text()) {
                sink.push(literal(cx, rule, sign));
            }
        } else if kinds().all(|kind| kind == ResourceKind::Command)
            && let Some(finding) = typed(cx, rule)
        {
            sink.push(finding);
        }
    }
}

/// The part of a path pattern that looks as if it were expanded and is not.
fn in_path(text: &str) -> Option<&str> {
    let rest = ROOTS.iter().find_map(|root| text.strip_prefix(root)).unwrap_or(text);
    if let Some(user) = text.strip_prefix('~').and_then(|rest| rest.split_once('/')).map(|(user, _)| user) {
        let named = !user.is_empty() && user.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if named {
            return text.get(..=user.len());
        }
    }
    if rest.contains("/~/") {
        return Some("~");
    }
    variable(rest)
}

/// `$NAME` or `${NAME}`, in capitals: `routes/$id.tsx` is how web frameworks name files.
fn variable(text: &str) -> Option<&str> {
    for (at, _) in text.match_indices('$') {
        let rest = text.get(at + 1..)?;
        let braced = rest.starts_with('{');
        let name = rest.strip_prefix('{').unwrap_or(rest);
        let length =
            name.find(|c: char| !(c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())).unwrap_or(name.len());
        let next = name.get(length..).and_then(|rest| rest.chars().next());
        let whole = if braced { next == Some('}') } else { next.is_none_or(|c| !c.is_ascii_lowercase()) };
        if length >= 2 && whole {
            return text.get(at..at + 1 + length + if braced { 2 } else { 0 });
        }
    }
    None
}

/// Whether the runtime puts the home folder in the place of the `~` of a rule.
fn expands(cx: &Cx<'_>, rule: &Rule) -> bool {
    let environment = Environment { home: "/home/me".to_owned(), ..Environment::default() };
    let mut alone = Ruleset { agent: String::new(), rules: vec![rule.clone()], case: Case::Sensitive };
    cx.runtime.settle(&mut alone, cx.version, Some(&environment));
    alone.rules.iter().any(|settled| settled.id == rule.id && settled.pattern.text() != rule.pattern.text())
}

fn literal(cx: &Cx<'_>, rule: &Rule, sign: &str) -> Finding {
    let never = |name: &str| cx.runtime.impossible(name).iter().any(|one| one.matches("~/x", Case::Sensitive));
    let homes = written::spoken(cx.model, rule).any(|(name, _)| !never(name));
    let text =
        format!("nothing expands `{sign}` here, so `{}` matches only paths that hold it as text", rule.pattern.text());
    Finding::new(CODE, rule.origin.span, text)
        .note("only `~` at the very start of a pattern stands for the home folder")
        .help(match homes {
            true => "start the pattern with `~/`, or write `*/` for whatever comes before",
            false => "write `*/` for whatever comes before",
        })
}

/// A command pattern whose `~` the runtime expands, while a command is compared as it was typed.
fn typed(cx: &Cx<'_>, rule: &Rule) -> Option<Finding> {
    let text = rule.pattern.text();
    let rest = match text.strip_prefix(HOME) {
        Some(rest) => rest,
        None => text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'))?,
    };
    if !text.starts_with(HOME) && !expands(cx, rule) {
        return None;
    }
    let text = &format!("~{rest}");
    let command = text.strip_suffix(" *").unwrap_or(text).replace(['*', '?'], "x");
    let (permission, _) = written::spoken(cx.model, rule).next()?;
    cx.rulesets.iter().find_map(|set| {
        // What stands symbolic in a proof is what the runtime would have put in its place.
        let mut rules = set.rules.clone();
        rules.retain(|other| other.id != rule.id);
        let without = Ruleset { agent: set.agent.clone(), rules, case: set.case };
        let flows = without.rules.len() < set.rules.len();
        let decision = decide::decide(&without, permission, &command).action;
        if !flows || decision == rule.action {
            return None;
        }
        let message = format!(
            "`~` becomes the home folder in this pattern, but a command is compared as it was typed: `{command}` does not match"
        );
        let finding = Finding::new(CODE, rule.origin.span, message)
            .agent(&set.agent)
            .note(format!("`{command}` comes out as {decision}"))
            .help("start the pattern with `*/`, or add the spellings that are typed");
        Some(match witness::request(set, permission, &command, decision) {
            Some(witness) => finding.witness(witness),
            None => finding,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::in_path;

    #[test]
    fn only_what_looks_expanded_is_found() {
        for text in ["~/x", "~", "$TMP/*", "routes/$id.tsx", "a~", "~$doc.docx", "src/~tmp/x", "x$", "US$5"] {
            assert_eq!(in_path(text), None, "{text}");
        }
        for (text, sign) in [
            ("${HOME}/x", "${HOME}"),
            ("/home/$USER/*", "$USER"),
            ("~bob/x", "~bob"),
            ("a/~/b", "~"),
            ("$PWD/src", "$PWD"),
            ("$HOME/x", "$HOME"),
            ("$DATA/$USER", "$USER"),
        ] {
            assert_eq!(in_path(text), Some(sign), "{text}");
        }
    }
}
