//! What every config is proved of: read back, it allows nothing that the policy does not.

use super::Row;
use crate::checks::targets::{LOSSY_BUT_NARROWER, LOSSY_WIDER, NOT_EXPRESSIBLE, ROUND_TRIP_MISMATCH};
use crate::checks::undecided;
use crate::decide;
use crate::diagnostic::{Confidence, Finding, Severity, Witness, WitnessCall};
use crate::fidelity::{self, Difference, Fidelity, Side};
use crate::language::{Budget, Pattern};
use crate::model::Visibility;
use crate::project::Compilation;
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::{self, Ruleset};
use crate::source::Span;
use std::sync::Arc;

/// A proof in the making.
pub(super) struct Proof<'a> {
    /// The runtime, as people call it.
    name: &'static str,
    compilation: &'a Compilation,
    /// The policy's rulesets as the runtime would run them.
    ours: &'a [Ruleset],
    /// The config, read as the runtime reads it.
    back: &'a Compilation,
    /// Where the policy starts: the place of what no single rule is the cause of.
    start: Span,
    pub(super) findings: Vec<Finding>,
    pub(super) rows: Vec<Row>,
}

impl<'a> Proof<'a> {
    /// Begins a proof.
    ///
    /// # Errors
    /// The policy says nothing.
    pub(super) fn new(
        name: &'static str,
        compilation: &'a Compilation,
        ours: &'a [Ruleset],
        back: &'a Compilation,
    ) -> Result<Proof<'a>, String> {
        let start = compilation.start().ok_or("the policy says nothing")?;
        Ok(Proof { name, compilation, ours, back, start, findings: Vec::new(), rows: Vec::new() })
    }

    /// A rule that the runtime has no words for, so nothing is written.
    pub(super) fn refused(&mut self, rule: &Rule, why: &str) {
        let article = if self.name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
        let text = format!("the rule {rule} cannot be said in {article} {} config: {why}", self.name);
        let finding = Finding::new(NOT_EXPRESSIBLE, rule.origin.span, text);
        self.findings.push(finding.help("say it as a pattern with `*` and `?`, or leave it to another rule"));
    }

    /// Why no config can be written.
    pub(super) fn refused_whole(&mut self, why: &str, help: &str) {
        let text = format!("the policy cannot be said in a config of {}: {why}", self.name);
        self.findings.push(Finding::new(NOT_EXPRESSIBLE, self.start, text).help(help));
    }

    /// A rule that is stricter there.
    pub(super) fn stricter(&mut self, rule: &Rule, why: &str) {
        let text = format!("the rule {rule} is stricter in {}: {why}", self.name);
        self.findings.push(Finding::new(LOSSY_BUT_NARROWER, rule.origin.span, text));
    }

    /// Everything that is to hold of all agents; `impossible`: calls that the runtime never makes.
    pub(super) fn all(&mut self, impossible: &[(Pattern, Pattern)], budget: &mut Budget) {
        self.refused_by_program(Severity::Error);
        self.agents(impossible, budget);
        self.default_agent();
    }

    /// What the real program would say of the text, at least so grave; nothing, unless the emission is wrong.
    pub(super) fn refused_by_program(&mut self, least: Severity) {
        for fault in self.back.findings.iter().filter(|finding| finding.severity >= least) {
            let text = format!("{} would not take what was to be written: {}", self.name, fault.message);
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }

    fn agents(&mut self, impossible: &[(Pattern, Pattern)], budget: &mut Budget) {
        let (ours, back) = (self.ours, self.back);
        for theirs in &back.rulesets {
            let seen = |set| Side { set, visibility: back.model.visibility };
            match ours.iter().find(|set| set.agent == theirs.agent) {
                Some(set) => {
                    let side = Side { set, visibility: self.compilation.model.visibility };
                    self.sides(&theirs.agent, (side, seen(theirs)), true, impossible, budget);
                }
                None => {
                    let nothing = nothing_allowed(theirs);
                    let side = Side { set: &nothing, visibility: Visibility::Fixed };
                    self.sides(&theirs.agent, (side, seen(theirs)), false, impossible, budget);
                }
            }
        }
        for set in ours.iter().filter(|set| back.rulesets.iter().all(|back| back.agent != set.agent)) {
            self.missing(&set.agent);
        }
    }

    fn missing(&mut self, agent: &str) {
        let text = format!("the agent `{agent}` would not exist in {}", self.name);
        self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
    }

    /// Compares the decisions for an agent, whatever its tools are shown; `theirs`: its rules in the config, if it exists there.
    /// An agent that is not `told` of, as the policy does not name it, has a row only where it does not keep to the rules.
    pub(super) fn compare(
        &mut self,
        (agent, told): (&str, bool),
        ours: &Ruleset,
        theirs: Option<&Ruleset>,
        impossible: &[(Pattern, Pattern)],
        budget: &mut Budget,
    ) {
        match theirs {
            Some(theirs) => self.sides(agent, fixed(ours, theirs), told, impossible, budget),
            None => self.missing(agent),
        }
    }

    fn sides(
        &mut self,
        agent: &str,
        (ours, theirs): (Side<'_>, Side<'_>),
        told: bool,
        impossible: &[(Pattern, Pattern)],
        budget: &mut Budget,
    ) {
        let fidelity = fidelity::compare(ours, theirs, impossible, budget);
        self.looser(agent, ours.set, &fidelity);
        if told || !matches!(fidelity, Fidelity::Exact | Fidelity::Tighter(_)) {
            let tighter = self.tighter(ours, theirs, &fidelity, impossible, budget);
            self.rows.push(Row { agent: agent.to_owned(), fidelity, tighter });
        }
    }

    fn looser(&mut self, agent: &str, ours: &Ruleset, fidelity: &Fidelity) {
        if self.findings.iter().any(|finding| finding.code == NOT_EXPRESSIBLE) {
            // Without the rule that was just refused nothing else can be expected.
            return;
        }
        let finding = match fidelity {
            Fidelity::Looser(Difference::Decision { call, ours: before, theirs: after }) => {
                let decision = decide::decide(ours, &call.key, &call.value);
                let span = decision.rule.map_or(self.start, |(_, rule)| rule.origin.span);
                let text = format!(
                    "{} would {after} what the policy says to {before}: {} `{}`",
                    self.name, call.key, call.value
                );
                let call =
                    WitnessCall { agent: agent.to_owned(), permission: call.key.clone(), resource: call.value.clone() };
                let witness = Witness { calls: vec![call], decision: before.to_string() };
                Finding::new(LOSSY_WIDER, span, text).witness(witness)
            }
            Fidelity::Looser(Difference::Hidden { permission, .. }) => {
                let text = format!("{} would show the tools of `{permission}`, which the policy hides", self.name);
                Finding::new(LOSSY_WIDER, self.start, text)
            }
            Fidelity::Undecided => {
                let text =
                    format!("whether {} would allow more than the policy is undecided within the budget", self.name);
                Finding::new(undecided::CODE, self.start, text)
                    .severity(Severity::Error)
                    .confidence(Confidence::Undecided)
                    .help("give it more states with `--budget`")
            }
            Fidelity::Exact | Fidelity::Tighter(_) => return,
        };
        let known = self.compilation.model.agents.contains_key(agent);
        self.findings.push(if known { finding.agent(agent) } else { finding });
    }

    fn default_agent(&mut self) {
        let name =
            |compilation: &Compilation| ruleset::default_agent(&compilation.model).ok().map(|agent| agent.name.clone());
        let (ours, theirs) = (name(self.compilation), name(self.back));
        if ours != theirs {
            let told = |name: &Option<String>| name.as_ref().map_or("none".to_owned(), |name| format!("`{name}`"));
            let text = format!("the default agent is {}, and would be {} in {}", told(&ours), told(&theirs), self.name);
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }

    /// A shortest request of each permission that is stricter, but for the one that was found first.
    fn tighter(
        &self,
        ours: Side<'_>,
        theirs: Side<'_>,
        whole: &Fidelity,
        impossible: &[(Pattern, Pattern)],
        budget: &mut Budget,
    ) -> Vec<Difference> {
        let Fidelity::Tighter(first) = whole else { return Vec::new() };
        let known = match first {
            Difference::Decision { call, .. } => &call.key,
            Difference::Hidden { permission, .. } => permission,
        };
        let names = self.back.model.permissions.keys().filter(|name| *name != known);
        let difference = |name: &String| {
            let (ours_of, theirs_of) =
                (fidelity::of_permission(ours.set, name), fidelity::of_permission(theirs.set, name));
            let (one, other) = fixed(&ours_of, &theirs_of);
            match fidelity::compare(one, other, impossible, budget) {
                Fidelity::Tighter(difference) => Some(difference),
                _ => None,
            }
        };
        names.filter_map(difference).collect()
    }
}

/// Two rulesets whose decisions alone are compared.
fn fixed<'s>(ours: &'s Ruleset, theirs: &'s Ruleset) -> (Side<'s>, Side<'s>) {
    let side = |set| Side { set, visibility: Visibility::Fixed };
    (side(ours), side(theirs))
}

/// What an agent that no policy speaks of may do: nothing, but for what the program adds to every ruleset.
fn nothing_allowed(theirs: &Ruleset) -> Ruleset {
    let mut rules: Vec<Rule> = theirs.rules.iter().filter(|rule| &*rule.origin.slot == "runtime").cloned().collect();
    if let Some(first) = theirs.rules.first() {
        let everything = Pattern::wildcard("*");
        let origin = Arc::new(Origin { via: Vec::new(), ..(*first.origin).clone() });
        let (permission, pattern) = (everything.clone(), everything);
        rules.insert(0, Rule { id: u32::MAX, permission, pattern, action: Action::Deny, reason: None, origin });
    }
    Ruleset { rules, ..theirs.clone() }
}
