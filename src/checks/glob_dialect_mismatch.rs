//! PC0905: a pattern written in another dialect than the one it is read in, where that changes a decision.

use super::{Cx, witness, written};
use crate::decide::{self, FALLBACK};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::{Answer, Colours, Dialect, Pattern};
use crate::model::ResourceKind;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

pub(crate) const CODE: Code = Code::new("PC0905", "glob-dialect-mismatch", Severity::Warning);

/// How a pattern may have been meant.
struct Reading {
    /// What in it is read literally.
    sign: &'static str,
    /// How it is read here.
    here: &'static str,
    /// It, read so.
    pattern: Pattern,
    /// Whether the rule is then about what the pattern does not match.
    negated: bool,
}

/// What the other reading would cover and this one does not.
struct Missed<'a> {
    permission: &'a str,
    resource: String,
    now: Action,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let model = cx.model;
    for rule in written::rules(model).filter(|rule| rule.pattern.dialect() == Dialect::Wildcard) {
        let kinds: Vec<(&str, ResourceKind)> =
            written::spoken(model, rule).map(|(name, permission)| (name, permission.resource)).collect();
        let paths = kinds.iter().any(|(_, kind)| *kind == ResourceKind::Path);
        let commands = kinds.iter().any(|(_, kind)| *kind == ResourceKind::Command);
        let Some(reading) = reading(rule.pattern.text(), paths, commands) else { continue };
        let about = |kind| matches!(kind, ResourceKind::Path) && paths || matches!(kind, ResourceKind::Command);
        for (permission, _) in kinds.iter().filter(|(_, kind)| about(*kind)) {
            let found = cx.rulesets.iter().find_map(|set| {
                let missed = missed(cx.model, cx.runtime, cx.budget, (set, rule, &reading), permission)?;
                let witness = witness::request(set, permission, &missed.resource, missed.now)?;
                Some((set, missed, witness))
            });
            if let Some((set, missed, witness)) = found {
                sink.push(finding(rule, &reading, set, &missed).witness(witness));
                break;
            }
        }
    }
}

fn finding(rule: &Rule, reading: &Reading, set: &Ruleset, missed: &Missed<'_>) -> Finding {
    let Missed { permission, resource, now } = missed;
    let text = format!(
        "`{}` is no glob here: {}, so {permission} `{resource}` is not {} by this rule",
        rule.pattern.text(),
        reading.here,
        past(rule.action)
    );
    let decided = decide::decide(set, permission, resource);
    let mut finding = Finding::new(CODE, rule.origin.span, text).agent(&set.agent);
    finding = match decided.rule {
        Some((_, other)) => finding.related(other.origin.span, format!("decides `{resource}` instead: {now}")),
        None => finding.note(format!("no rule matches `{resource}`, so a person is asked")),
    };
    finding.help(match reading.sign {
        "!" => "say what the rule is about, and put its exception after it as a rule of its own",
        "**" => "a `*` crosses `/` here: write a second rule for the file at the top, or `glob \"...\"` in a policy",
        "^$(|)" => "write one rule for each alternative, or `regex \"...\"` in a policy",
        _ => "write one rule for each alternative, or `glob \"...\"` in a policy",
    })
}

fn past(action: Action) -> &'static str {
    match action {
        Action::Allow => "allowed",
        Action::Ask => "asked about",
        Action::Deny => "denied",
    }
}

/// How else a pattern may have been meant, if it has the signs of it.
fn reading(text: &str, paths: bool, commands: bool) -> Option<Reading> {
    let read = |dialect, text: &str, sign, here| {
        let pattern = Pattern::new(dialect, text).ok()?;
        Some(Reading { sign, here, pattern, negated: false })
    };
    if paths {
        if let Some(rest) = text.strip_prefix('!').filter(|rest| !rest.is_empty()) {
            let here = "`!` is an ordinary character";
            return read(Dialect::Glob, rest, "!", here).map(|reading| Reading { negated: true, ..reading });
        }
        if has_alternatives(text) {
            return read(Dialect::Glob, text, "{,}", "braces and commas are ordinary characters");
        }
        if has_class(text) {
            return read(Dialect::Glob, text, "[]", "brackets are ordinary characters");
        }
        if text.starts_with("**/") || text.contains("/**/") {
            return read(Dialect::Glob, text, "**", "the `/` beside `**` must be there");
        }
    }
    if (paths || commands) && is_expression(text) {
        return read(Dialect::Regex, text, "^$(|)", "`^`, `$`, `(` and `|` are ordinary characters");
    }
    None
}

/// `{a,b}`
fn has_alternatives(text: &str) -> bool {
    let inside = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    inside.into_iter().any(|(inside, _)| inside.contains(','))
}

/// `[a-z]` or `[Mm]akefile`, but not a whole part of a path: `app/[id]/page.tsx` is how web frameworks name folders.
fn has_class(text: &str) -> bool {
    let part = |part: &str| {
        let whole = part.starts_with('[') && part.trim_end_matches(['*', '.']).ends_with(']');
        !whole && part.split('[').skip(1).any(|rest| rest.find(']').is_some_and(|at| at > 0))
    };
    text.split('/').any(part)
}

/// `^git (status|log)$`
fn is_expression(text: &str) -> bool {
    let group = text.split('(').skip(1).filter_map(|rest| rest.split_once(')'));
    let anchored = text.starts_with('^') || text.len() > 1 && text.ends_with('$');
    anchored || group.into_iter().any(|(inside, _)| inside.contains('|') && !inside.contains(' '))
}

/// A request that the other reading covers, that this rule does not match, that no later rule decides, and that comes out
/// otherwise than the rule says.
fn missed<'a>(
    model: &crate::model::Model,
    runtime: &dyn crate::runtimes::Runtime,
    budget: &mut crate::language::Budget,
    (set, rule, reading): (&Ruleset, &Rule, &Reading),
    permission: &'a str,
) -> Option<Missed<'a>> {
    let about = written::about(set, permission);
    let at = about.rules.iter().position(|other| other.id == rule.id)?;
    let key = Pattern::new(Dialect::Exact, permission).ok()?;
    let never = reach::impossible(model, runtime);
    let mut table = reach::table(about.rules.iter(), FALLBACK.colour(), set, &never).ok()?;
    let later = about.rules.iter().skip(at).map(|rule| (key.clone(), rule.pattern.clone()));
    let mut exclude: Vec<(Pattern, Pattern)> = later.collect();
    let mut include = (key.clone(), reading.pattern.clone());
    if reading.negated {
        exclude.push(include.clone());
        include = (key, Pattern::wildcard("*"));
    }
    let other = Colours::except(rule.action.colour());
    match table.find(&[include], &exclude, other, budget) {
        Answer::Yes((call, _)) => {
            let now = decide::decide(set, permission, &call.value).action;
            (now != rule.action).then_some(Missed { permission, resource: call.value, now })
        }
        Answer::No | Answer::Undecided { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::reading;

    #[test]
    fn only_signs_of_another_dialect_count() {
        let path = |text| reading(text, true, false).map(|reading| reading.sign);
        for text in [
            "src/*",
            "src/**",
            "**",
            "app/[id]/page.tsx",
            "app/[...slug]/*",
            "app/[[...x]]/a",
            "a{b}c",
            "${x}",
            "a(b)c",
        ] {
            assert_eq!(path(text), None, "{text}");
        }
        for (text, sign) in [
            ("**/.env", "**"),
            ("a/**/b", "**"),
            ("*.{ts,js}", "{,}"),
            ("*.py[co]", "[]"),
            ("!src/*", "!"),
            ("^a$", "^$(|)"),
        ] {
            assert_eq!(path(text), Some(sign), "{text}");
        }
        let command = |text| reading(text, false, true).map(|reading| reading.sign);
        for text in ["[ -f * ]", "awk '{print $1, $2}' *", "! grep *", "echo (a | b)", "ls **/*", "npm run test.*"] {
            assert_eq!(command(text), None, "{text}");
        }
        assert_eq!(command("git (status|log)"), Some("^$(|)"));
        assert_eq!(command("^git status$"), Some("^$(|)"));
    }
}
