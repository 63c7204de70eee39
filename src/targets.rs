//! A compiled policy as the config of a runtime, read back and proved before anyone writes it.

pub mod gemini;
pub mod js;
pub mod pi;

use crate::checks::targets::{LOSSY_BUT_NARROWER, LOSSY_WIDER, NOT_EXPRESSIBLE, ROUND_TRIP_MISMATCH};
use crate::checks::undecided;
use crate::decide;
use crate::diagnostic::{Confidence, Finding, Severity, Witness, WitnessCall};
use crate::fidelity::{self, Difference, Fidelity};
use crate::files::Files;
use crate::language::{Budget, Pattern};
use crate::load::{self, Asked};
use crate::project::{self, Compilation, Options};
use crate::reach;
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::{self, Ruleset};
use crate::runtimes::opencode::{OpenCode, emit, lower};
use crate::runtimes::{Runtime, Source, Version};
use crate::source::Span;
use camino::Utf8Path;
use std::sync::Arc;

/// The file that an OpenCode config is written to.
pub const OPENCODE_FILE: &str = "opencode.json";

/// How an agent's written rules stand to its rules in the policy.
#[derive(Clone, Debug)]
pub struct Row {
    /// The agent.
    pub agent: String,
    /// The proof.
    pub fidelity: Fidelity,
}

/// A config and what was proved of it.
#[derive(Debug)]
pub struct Built {
    /// Its text.
    pub text: String,
    /// One row for each agent that the config makes exist.
    pub rows: Vec<Row>,
    /// What is stricter, and why nothing may be written.
    pub findings: Vec<Finding>,
    /// Facts a person should know.
    pub notes: Vec<String>,
}

impl Built {
    /// Whether it may be written: every rule is said, and no agent is looser or undecided.
    pub fn is_sound(&self) -> bool {
        let proved = |row: &Row| matches!(row.fidelity, Fidelity::Exact | Fidelity::Tighter(_));
        self.rows.iter().all(proved) && self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// Builds an OpenCode config from a policy, for the version asked for or the policy's own.
///
/// # Errors
/// The policy is another runtime's, or no config of that version can be written.
pub fn opencode(
    files: &mut Files,
    compilation: &Compilation,
    version: Option<&str>,
    budget: &mut Budget,
) -> Result<Built, String> {
    let core = compilation.runtime.name() == "core";
    let version = version_for(compilation, version)?;
    let empty = read(files, "{}", version);
    let ours = settled(compilation, version, core);
    let lowered = lower::lower(
        lower::Side { model: &compilation.model, rulesets: &compilation.rulesets },
        lower::Side { model: &empty.model, rulesets: &empty.rulesets },
        core,
        budget,
    );
    let text = emit::print(&lowered.config);
    let back = read(files, &text, version);
    let start = compilation.start().ok_or("the policy says nothing")?;
    let mut proof = Proof { compilation, ours: &ours, back: &back, start, findings: Vec::new(), rows: Vec::new() };
    proof.losses(&lowered);
    proof.refused_by_program();
    proof.agents(&reach_of(&empty), budget);
    proof.default_agent();
    let Proof { findings, rows, .. } = proof;
    Ok(Built { text, rows, findings, notes: notes(compilation, &ours, core) })
}

fn version_for(compilation: &Compilation, asked: Option<&str>) -> Result<&'static Version, String> {
    let runtime: &'static dyn Runtime = &OpenCode;
    let version = match compilation.runtime.name() {
        "opencode" => compilation.version,
        "core" => asked.and_then(|text| load::find_version(runtime, text)).unwrap_or(runtime.default_version()),
        other => return Err(format!("a policy for {other} speaks of other tools than OpenCode has")),
    };
    match version.verified {
        true => Ok(version),
        // Its config was never run: what is proved of a text would be proved of a guess.
        false => Err(format!("OpenCode {} was not run yet, so no config is written for it", version.id)),
    }
}

/// A config of one project file.
fn read(files: &mut Files, text: &str, version: &'static Version) -> Compilation {
    let file = files.sources.add(OPENCODE_FILE, text);
    let source = Source { kind: "project", path: Utf8Path::new(OPENCODE_FILE).to_owned(), file };
    let asked = Asked { runtime: Some(&OpenCode), version: Some(version.id) };
    project::compile_config(files, &OpenCode, &[source], &Options { asked, ..Options::default() })
}

/// The policy's rulesets as OpenCode would run them: what its program adds to every ruleset is added to these too.
fn settled(compilation: &Compilation, version: &Version, core: bool) -> Vec<Ruleset> {
    let mut sets = compilation.rulesets.clone();
    if core {
        sets.iter_mut().for_each(|set| OpenCode.settle(set, version, None));
    }
    sets
}

/// Calls that OpenCode never makes: resources that no tool asks for, and permissions with a blank in their name.
fn reach_of(empty: &Compilation) -> Vec<(Pattern, Pattern)> {
    let mut impossible = reach::impossible(&empty.model, &OpenCode);
    impossible.push((Pattern::wildcard("* **"), Pattern::wildcard("*")));
    impossible
}

struct Proof<'a> {
    compilation: &'a Compilation,
    ours: &'a [Ruleset],
    back: &'a Compilation,
    /// Where the policy starts: the place of what no single rule is the cause of.
    start: Span,
    findings: Vec<Finding>,
    rows: Vec<Row>,
}

impl Proof<'_> {
    fn losses(&mut self, lowered: &lower::Lowered) {
        for loss in &lowered.refused {
            let text = format!("the rule {} cannot be said in an OpenCode config: {}", loss.rule, loss.why);
            let finding = Finding::new(NOT_EXPRESSIBLE, loss.rule.origin.span, text);
            self.findings.push(finding.help("say it as a pattern with `*` and `?`, or leave it to another rule"));
        }
        for loss in &lowered.stricter {
            let text = format!("the rule {} is stricter in OpenCode: {}", loss.rule, loss.why);
            self.findings.push(Finding::new(LOSSY_BUT_NARROWER, loss.rule.origin.span, text));
        }
    }

    /// What the real program would say of the text; nothing, unless this module is wrong.
    fn refused_by_program(&mut self) {
        let errors = self.back.findings.iter().filter(|finding| finding.severity == Severity::Error);
        for error in errors {
            let text = format!("OpenCode would not take what was to be written: {}", error.message);
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }

    fn agents(&mut self, impossible: &[(Pattern, Pattern)], budget: &mut Budget) {
        for theirs in &self.back.rulesets {
            let ours = self.ours.iter().find(|set| set.agent == theirs.agent);
            let nothing;
            let set = match ours {
                Some(set) => set,
                None => {
                    nothing = nothing_allowed(theirs);
                    &nothing
                }
            };
            let visibility =
                if ours.is_some() { self.compilation.model.visibility } else { crate::model::Visibility::Fixed };
            let side = fidelity::Side { set, visibility };
            let back = fidelity::Side { set: theirs, visibility: self.back.model.visibility };
            let fidelity = fidelity::compare(side, back, impossible, budget);
            self.looser(theirs, set, &fidelity);
            if ours.is_some() || !matches!(fidelity, Fidelity::Exact | Fidelity::Tighter(_)) {
                self.rows.push(Row { agent: theirs.agent.clone(), fidelity });
            }
        }
        for set in self.ours.iter().filter(|set| self.back.rulesets.iter().all(|back| back.agent != set.agent)) {
            let text = format!("the agent `{}` would not exist in OpenCode", set.agent);
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }

    fn looser(&mut self, theirs: &Ruleset, ours: &Ruleset, fidelity: &Fidelity) {
        if self.findings.iter().any(|finding| finding.code == NOT_EXPRESSIBLE) {
            // Without the rule that was just refused nothing else can be expected.
            return;
        }
        let agent = &theirs.agent;
        let finding = match fidelity {
            Fidelity::Looser(Difference::Decision { call, ours: before, theirs: after }) => {
                let decision = decide::decide(ours, &call.key, &call.value);
                let span = decision.rule.map_or(self.start, |(_, rule)| rule.origin.span);
                let text =
                    format!("OpenCode would {after} what the policy says to {before}: {} `{}`", call.key, call.value);
                let call =
                    WitnessCall { agent: agent.clone(), permission: call.key.clone(), resource: call.value.clone() };
                let witness = Witness { calls: vec![call], decision: before.to_string() };
                Finding::new(LOSSY_WIDER, span, text).witness(witness)
            }
            Fidelity::Looser(Difference::Hidden { permission, .. }) => {
                let text = format!("OpenCode would show the tools of `{permission}`, which the policy hides");
                Finding::new(LOSSY_WIDER, self.start, text)
            }
            Fidelity::Undecided => {
                let text = "whether OpenCode would allow more than the policy is undecided within the budget";
                Finding::new(undecided::CODE, self.start, text)
                    .severity(Severity::Error)
                    .confidence(Confidence::Undecided)
                    .help("give it more states with `--budget`")
            }
            Fidelity::Exact | Fidelity::Tighter(_) => return,
        };
        self.findings.push(finding.agent(agent));
    }

    fn default_agent(&mut self) {
        let name =
            |compilation: &Compilation| ruleset::default_agent(&compilation.model).ok().map(|agent| agent.name.clone());
        let (ours, theirs) = (name(self.compilation), name(self.back));
        if ours != theirs {
            let told = |name: &Option<String>| name.as_ref().map_or("none".to_owned(), |name| format!("`{name}`"));
            let text = format!("the default agent is {}, and would be {} in OpenCode", told(&ours), told(&theirs));
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }
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

fn notes(compilation: &Compilation, ours: &[Ruleset], core: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let user = |rule: &&Rule| !rule.origin.prelude && rule.reason.is_some();
    let mut reasons: Vec<u32> =
        compilation.rulesets.iter().flat_map(|set| set.rules.iter().filter(user).map(|rule| rule.id)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if !reasons.is_empty() {
        notes.push(format!(
            "OpenCode has no place for the reason of a rule, so {} {} not written",
            reasons.len(),
            if reasons.len() == 1 { "is" } else { "are" }
        ));
    }
    let switches: Vec<&str> = compilation
        .model
        .switches
        .iter()
        .filter(|(_, switch)| !switch.prelude)
        .map(|(name, _)| name.as_str())
        .collect();
    if !switches.is_empty() {
        notes.push(format!("a config cannot hold switches, so these are not written: {}", switches.join(", ")));
    }
    let added = ours.iter().zip(&compilation.rulesets).any(|(settled, set)| settled.rules.len() > set.rules.len());
    if core && added {
        notes.push(
            "OpenCode lets every agent reach the folder of its own tool output; no config takes that back".to_owned(),
        );
    }
    notes
}
