//! PC0905: a pattern written in another dialect than the one it is read in, where that changes a decision.

use super::other_reading::{Reading, reading};
use super::{Cx, witness, written};
use crate::decide::{self, FALLBACK};
use crate::diagnostic::{Code, Finding, Severity, Sink, Witness};
use crate::language::{Answer, Colours, Dialect, Pattern, Table};
use crate::model::ResourceKind;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use rustc_hash::FxHashSet;

pub(crate) const CODE: Code = Code::new("PC0905", "glob-dialect-mismatch", Severity::Warning);

/// So many exact questions are asked in a run; a table with more such patterns than this has one cause.
const ASKED: usize = 64;
/// How many further patterns are shown.
const SHOWN: usize = 8;

/// A rule with another reading, and the permission to look at.
struct Suspect<'a> {
    rule: &'a Rule,
    reading: Reading,
    permission: &'a str,
}

/// A request that the other reading covers and the rule does not.
struct Missed<'s, 'a> {
    suspect: &'s Suspect<'a>,
    set: &'a Ruleset,
    witness: Witness,
    resource: String,
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let suspects: Vec<Suspect<'_>> = written::rules(cx.model).filter_map(|rule| suspect(cx, rule)).collect();
    if suspects.is_empty() {
        return;
    }
    let mut missed = missed(cx, &suspects);
    missed.sort_by_key(|missed| missed.suspect.rule.id);
    let mut signs: Vec<&str> = Vec::new();
    for one in &missed {
        if !signs.contains(&one.suspect.reading.sign) {
            signs.push(one.suspect.reading.sign);
            let alike = missed.iter().filter(|other| other.suspect.reading.sign == one.suspect.reading.sign);
            sink.push(finding(one, &alike.skip(1).map(|other| other.suspect.rule).collect::<Vec<_>>()));
        }
    }
}

fn suspect<'a>(cx: &Cx<'a>, rule: &'a Rule) -> Option<Suspect<'a>> {
    if rule.pattern.dialect() != Dialect::Wildcard {
        return None;
    }
    let text = rule.pattern.text();
    let of = |wanted: ResourceKind| {
        written::spoken(cx.model, rule).find(|(_, permission)| permission.resource == wanted).map(|(name, _)| name)
    };
    let read = |kind| Some((reading(text, kind)?, of(kind)?));
    let (reading, permission) = read(ResourceKind::Path).or_else(|| read(ResourceKind::Command))?;
    Some(Suspect { rule, reading, permission })
}

/// Every suspect with a request that shows it, looked for in each distinct ruleset that the rule flows into.
fn missed<'s, 'a>(cx: &mut Cx<'a>, suspects: &'s [Suspect<'a>]) -> Vec<Missed<'s, 'a>> {
    let mut out: Vec<Missed<'s, 'a>> = Vec::new();
    let mut asked = 0;
    let never = reach::impossible(cx.model, cx.runtime);
    let permissions: FxHashSet<&str> = suspects.iter().map(|suspect| suspect.permission).collect();
    let mut seen: FxHashSet<(&str, Vec<u32>)> = FxHashSet::default();
    for set in reach::judged(cx.model, cx.rulesets).into_iter().filter_map(|at| cx.rulesets.get(at)) {
        for permission in cx.model.permissions.keys().map(String::as_str).filter(|name| permissions.contains(name)) {
            let about = written::about(set, permission);
            if !seen.insert((permission, about.rules.iter().map(|rule| rule.id).collect())) {
                continue;
            }
            let Ok(mut table) = reach::table(about.rules.iter(), FALLBACK.colour(), set, &never) else { continue };
            for suspect in suspects.iter().filter(|suspect| suspect.permission == permission) {
                if asked >= ASKED || out.iter().any(|known| known.suspect.rule.id == suspect.rule.id) {
                    continue;
                }
                let Some(at) = about.rules.iter().position(|rule| rule.id == suspect.rule.id) else { continue };
                asked += 1;
                let found = plausible(cx, suspect, &about, at).or_else(|| exact(cx, suspect, (&about, at), &mut table));
                let Some((resource, action)) = found else { continue };
                if let Some(witness) = witness::request(set, permission, &resource, action) {
                    out.push(Missed { suspect, set, witness, resource });
                }
            }
        }
    }
    out
}

/// One of the resources that the runtime's tools plausibly ask for, if it shows the case.
fn plausible(cx: &Cx<'_>, suspect: &Suspect<'_>, about: &Ruleset, at: usize) -> Option<(String, Action)> {
    let guess = suspect.reading.guess.iter().cloned();
    let mut hints = guess.chain(cx.runtime.hints(suspect.permission));
    hints.find_map(|resource| {
        let covered = suspect.reading.pattern.matches(&resource, about.case) != suspect.reading.negated;
        let decision = decide::decide(about, suspect.permission, &resource);
        let earlier = decision.rule.is_none_or(|(place, _)| place < at);
        let other = covered && earlier && decision.action != suspect.rule.action;
        (other && !suspect.rule.pattern.matches(&resource, about.case)).then_some((resource, decision.action))
    })
}

/// A request that the other reading covers, that this rule does not match, that no later rule decides, and that comes out
/// otherwise than the rule says.
fn exact(
    cx: &mut Cx<'_>,
    suspect: &Suspect<'_>,
    (about, at): (&Ruleset, usize),
    table: &mut Table,
) -> Option<(String, Action)> {
    let key = Pattern::new(Dialect::Exact, suspect.permission).ok()?;
    let from = about.rules.iter().skip(at).map(|rule| (key.clone(), rule.pattern.clone()));
    let mut exclude: Vec<(Pattern, Pattern)> = from.collect();
    exclude.push((key.clone(), Pattern::wildcard("")));
    let mut include = (key.clone(), suspect.reading.pattern.clone());
    if suspect.reading.negated {
        exclude.push(include.clone());
        include = (key, Pattern::wildcard("*"));
    }
    let other = Colours::except(suspect.rule.action.colour());
    match table.find(&[include], &exclude, other, cx.budget) {
        Answer::Yes((call, _)) => {
            let action = decide::decide(about, suspect.permission, &call.value).action;
            (action != suspect.rule.action).then_some((call.value, action))
        }
        Answer::No => None,
        Answer::Undecided { .. } => {
            cx.doubt(suspect.rule.origin.span, "whether another reading of this pattern would decide otherwise");
            None
        }
    }
}

fn finding(missed: &Missed<'_, '_>, alike: &[&Rule]) -> Finding {
    let Missed { suspect, set, witness, resource } = missed;
    let Suspect { rule, reading, permission } = suspect;
    let text = format!(
        "`{}` is no {} here: {}, so {permission} `{resource}` is not {} by this rule",
        rule.pattern.text(),
        reading.what,
        reading.here,
        past(rule.action)
    );
    let decided = decide::decide(set, permission, resource);
    let mut finding = Finding::new(CODE, rule.origin.span, text).agent(&set.agent).witness(witness.clone());
    finding = match decided.rule {
        Some((_, other)) => {
            finding.related(other.origin.span, format!("decides `{resource}` instead: {}", decided.action))
        }
        None => finding.note(format!("no rule matches `{resource}`, so a person is asked")),
    };
    for rule in alike.iter().take(SHOWN) {
        finding = finding.related(rule.origin.span, "so is this");
    }
    if alike.len() > SHOWN {
        finding = finding.note(format!("and {} more patterns like it", alike.len() - SHOWN));
    }
    finding.help(reading.help)
}

fn past(action: Action) -> &'static str {
    match action {
        Action::Allow => "allowed",
        Action::Ask => "asked about",
        Action::Deny => "denied",
    }
}
