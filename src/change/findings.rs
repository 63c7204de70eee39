//! A comparison as findings at the rules of the new side: against a base, and within a baseline.

use super::{Asking, Change, Direction, Fact, FactKind, Open, RuleChange, Wrong, fold};
use crate::checks::compared::{NARROWED_VS_BASE, OUTSIDE_BASELINE, WIDENED_VS_BASE};
use crate::checks::{proof, said};
use crate::diagnostic::{Code, Confidence, Finding, Witness, WitnessCall};
use crate::language::{Budget, List};
use crate::project::Compilation;
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::{self, Ruleset};
use crate::source::Span;

/// What changed against a base, as findings about the new side; `base` is what a person calls it.
pub fn against_base(old: &Compilation, new: &Compilation, base: &str, budget: &mut Budget) -> Vec<Finding> {
    let mut change = super::compare(old, new, budget);
    meet(&mut change, new);
    let Some(teller) = Teller::new(new, base) else { return Vec::new() };
    let mut out = teller.rules(&change, |direction| match direction {
        Direction::Looser => WIDENED_VS_BASE,
        Direction::Tighter => NARROWED_VS_BASE,
    });
    out.extend(change.facts.iter().filter_map(|fact| teller.fact(fact)));
    out.extend(teller.open(WIDENED_VS_BASE, &change.open));
    out.extend(change.wrong.iter().map(|wrong| teller.wrong(wrong)));
    out
}

/// Where agents may more than a baseline lets them, as findings; `name` is what a person calls the baseline.
///
/// An agent is held to the baseline's agent of the same name; one that the baseline does not have to its default agent; and
/// where it has none, to the rules of its layers alone.
pub fn outside_baseline(baseline: &Compilation, ours: &Compilation, name: &str, budget: &mut Budget) -> Vec<Finding> {
    let asking = Asking::new(baseline, ours, true);
    let default = ruleset::default_agent(&baseline.model).ok().map(|agent| agent.name.as_str());
    let find = |name: &str| baseline.rulesets.iter().find(|set| set.agent == name);
    let case = ours.rulesets.first().map(|set| set.case).unwrap_or_default();
    let mut layers = ruleset::of_layers(&baseline.model, case);
    baseline.runtime.settle(&mut layers, baseline.version, None);
    let judged = reach::judged(&ours.model, &ours.rulesets).into_iter().filter_map(|at| ours.rulesets.get(at));
    let pairs: Vec<(&Ruleset, &Ruleset)> =
        judged.map(|set| (find(&set.agent).or_else(|| find(default?)).unwrap_or(&layers), set)).collect();
    let change = fold::pairs(&asking, &pairs, budget);
    let Some(teller) = Teller::new(ours, name) else { return Vec::new() };
    let mut out = teller.rules(&change, |_| OUTSIDE_BASELINE);
    out.extend(teller.open(OUTSIDE_BASELINE, &change.open));
    out.extend(change.wrong.iter().map(|wrong| teller.wrong(wrong)));
    out
}

/// Leaves out the runtime's hidden agents, which nobody meets.
fn meet(change: &mut Change, new: &Compilation) {
    let judged = reach::judged(&new.model, &new.rulesets);
    let met: Vec<&str> =
        judged.into_iter().filter_map(|at| new.rulesets.get(at)).map(|set| set.agent.as_str()).collect();
    for change in &mut change.rules {
        change.agents.retain(|agent| met.contains(&agent.as_str()));
    }
    change.rules.retain(|change| !change.agents.is_empty());
}

/// Tells changes as findings about the new side.
struct Teller<'a> {
    new: &'a Compilation,
    /// What the old side is called.
    base: &'a str,
    /// The place of what no rule of the user is the cause of.
    start: Span,
}

impl<'a> Teller<'a> {
    fn new(new: &'a Compilation, base: &'a str) -> Option<Teller<'a>> {
        Some(Teller { new, base, start: new.start()? })
    }

    /// One finding for the rules of one cause.
    fn rules(&self, change: &Change, code: impl Fn(Direction) -> Code) -> Vec<Finding> {
        let mut groups: Vec<Vec<&RuleChange>> = Vec::new();
        for change in &change.rules {
            match groups.iter_mut().find(|group| group.first().is_some_and(|first| is_one_cause(first, change))) {
                Some(group) => group.push(change),
                None => groups.push(vec![change]),
            }
        }
        groups.iter().filter_map(|group| self.group(group, &code)).collect()
    }

    fn group(&self, group: &[&RuleChange], code: impl Fn(Direction) -> Code) -> Option<Finding> {
        let first = group.first()?;
        let ours = first.decides_now().filter(|rule| !rule.origin.prelude);
        let span = ours.map_or(self.start, said::span);
        let mut finding = Finding::new(code(first.direction()), span, self.message(first, group.len()));
        if let Some(rule) = ours {
            finding = finding.label(format!("decides now: {}", rule.action));
        } else if let Some(rule) = first.decides_now() {
            finding = finding.related(said::span(rule), format!("decides now: {}", rule.action));
        }
        let mut before: Vec<Span> = Vec::new();
        for change in group {
            let Some(rule) = change.decided_before() else { continue };
            if !before.contains(&said::span(rule)) {
                before.push(said::span(rule));
                finding = finding.related(said::span(rule), format!("{}: {}", self.base, rule.action));
            }
        }
        let agent = first.agents.first()?;
        let call = WitnessCall {
            agent: agent.clone(),
            permission: first.call.key.clone(),
            resource: first.call.value.clone(),
        };
        let witness = Witness { calls: vec![call], decision: first.after.to_string() };
        if first.agents.len() > 1 {
            finding = finding.note(format!("so it is for {}", super::told::names(&first.agents)));
        }
        if first.direction() == Direction::Looser {
            finding = finding.help(self.help(first));
        }
        Some(finding.agent(agent).witness(witness))
    }

    /// `RULE allows calls that BASE denied`.
    fn message(&self, change: &RuleChange, count: usize) -> String {
        let base = self.base;
        let now = match change.after {
            Action::Allow => "allowed",
            Action::Ask => "asked for",
            Action::Deny => "denied",
        };
        let more = |what: &str| match count {
            1 => String::new(),
            n => format!(" and {} more {what}", n - 1),
        };
        match change.list {
            List::New => {
                let (rule, more) = (said::rule(&change.rule), more("of this rule"));
                let does = if count == 1 { says(change.after) } else { plural(change.after) };
                format!("{rule}{more} {does} calls that {base} {}", says(change.before))
            }
            List::Old => {
                let (rule, more) = (said::rule(&change.rule), more(if count == 2 { "rule" } else { "rules" }));
                let does = if count == 1 { says(change.before) } else { plural(change.before) };
                format!("calls that {rule}{more} of {base} {does} are {now} here")
            }
        }
    }

    fn help(&self, change: &RuleChange) -> String {
        match change.list {
            List::New if change.decided_before().is_none() => {
                format!("no rule of {} speaks of these calls, so they are asked for there", self.base)
            }
            List::New => "narrow the rule, or let someone decide that these calls are to pass".to_owned(),
            List::Old => {
                format!(
                    "repeat {} where it still decides, or let someone decide that it goes",
                    said::rule(&change.rule)
                )
            }
        }
    }

    fn fact(&self, fact: &Fact) -> Option<Finding> {
        let code = match fact.direction? {
            Direction::Looser => WIDENED_VS_BASE,
            Direction::Tighter => NARROWED_VS_BASE,
        };
        let model = &self.new.model;
        let place = match &fact.kind {
            FactKind::DefaultAgent { .. } => model.default_agent.as_ref().map(|named| named.span),
            FactKind::Switch { name, .. } => model.switches.get(name).filter(|switch| !switch.prelude).map(|s| s.span),
            _ => fact.agents.first().and_then(|name| model.agents.get(name)?.touched.first().copied()),
        };
        let mut finding =
            Finding::new(code, place.unwrap_or(self.start), format!("against {}: {}", self.base, fact.message()));
        finding.witness.clone_from(&fact.witness);
        // What commands do is known from the catalogue.
        if matches!(fact.kind, FactKind::Ability { .. }) {
            finding.confidence = Confidence::Catalogue;
        }
        finding.agent = fact.agents.first().cloned();
        Some(finding)
    }

    /// One finding for all that stayed open.
    fn open(&self, code: Code, open: &[Open]) -> Option<Finding> {
        let questions: usize = open.iter().map(|open| open.left).sum();
        let mut places: Vec<Span> = Vec::new();
        for open in open {
            match &open.rule {
                Some((List::New, rule)) if !rule.origin.prelude && !places.contains(&said::span(rule)) => {
                    places.push(said::span(rule));
                }
                _ => {}
            }
        }
        let (first, others) = places.split_first().map_or((self.start, &[][..]), |(first, others)| (*first, others));
        let text = format!(
            "whether calls pass here that do not pass by {} was not settled for {questions} {}",
            self.base,
            if questions == 1 { "rule" } else { "rules" }
        );
        let mut finding = Finding::new(code, first, text)
            .confidence(Confidence::Undecided)
            .note("what is not settled counts as looser")
            .help("give it more states with `--budget`");
        for place in others {
            finding = finding.related(*place, "not settled either");
        }
        (!open.is_empty()).then_some(finding)
    }

    fn wrong(&self, wrong: &Wrong) -> Finding {
        let text = format!("a proof about {} does not hold: this is a mistake of policyc", said::rule(&wrong.rule));
        Finding::new(proof::CODE, self.start, text)
            .confidence(Confidence::Undecided)
            .agent(&wrong.agent)
            .note(format!("the call was `{}` `{}`", wrong.call.key, wrong.call.value))
            .help("please report it with both policies; what it says of this rule is not to be relied on")
    }
}

fn says(action: Action) -> &'static str {
    match action {
        Action::Allow => "allows",
        Action::Ask => "asks for",
        Action::Deny => "denies",
    }
}

fn plural(action: Action) -> &'static str {
    match action {
        Action::Allow => "allow",
        Action::Ask => "ask for",
        Action::Deny => "deny",
    }
}

/// Whether two changes have one cause: one statement of the new side, or what is missing there and decided by one rule.
fn is_one_cause(a: &RuleChange, b: &RuleChange) -> bool {
    let statement = |rule: Option<&Rule>| rule.map(|rule| rule.origin.statement);
    (a.list, a.before, a.after) == (b.list, b.before, b.after)
        && a.agents == b.agents
        && statement(a.decides_now()) == statement(b.decides_now())
}
