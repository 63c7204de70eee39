//! A policy as a policy file of Gemini CLI, read back and proved.

use super::{Built, Row};
use crate::checks::targets::{LOSSY_BUT_NARROWER, LOSSY_WIDER, NOT_EXPRESSIBLE, ROUND_TRIP_MISMATCH};
use crate::checks::undecided;
use crate::decide;
use crate::diagnostic::{Confidence, Finding, Severity, Witness, WitnessCall};
use crate::fidelity::{self, Difference, Fidelity};
use crate::files::Files;
use crate::language::{Budget, Case, Pattern};
use crate::model::{Mode as AgentMode, Visibility};
use crate::project::{self, Compilation, Options};
use crate::rule::{Action, Origin, Rule};
use crate::ruleset::{self, Ruleset};
use crate::runtimes::gemini::emit::{self, PRIORITIES, Section};
use crate::runtimes::gemini::lower::{self, Lowered};
use crate::runtimes::gemini::rule::Mode;
use crate::runtimes::gemini::{Gemini, tools};
use crate::runtimes::{RUNTIMES, Source, Written};
use crate::source::{SourceMap, Span};
use camino::Utf8Path;
use std::sync::Arc;

/// The file that a policy is written to, below `~/.gemini`.
const GEMINI_FILE: &str = "policies/policyc.toml";

/// As [`config`](super::config), for the one version there is. Rules that need more priorities than there are are refused.
pub(super) fn build(
    files: &mut Files,
    compilation: &Compilation,
    agents: &[String],
    budget: &mut Budget,
) -> Result<Built, String> {
    let core = match compilation.runtime.name() {
        "core" => true,
        "gemini" => false,
        other => return Err(format!("a policy for {other} speaks of other tools than Gemini CLI has")),
    };
    let start = compilation.start().ok_or("the policy says nothing")?;
    let (speakers, notes) = speakers(compilation, agents, core)?;
    let mut out = Out { compilation, core, start, findings: Vec::new(), rows: Vec::new() };
    let sections = out.sections(&speakers, &files.sources);
    let text = emit::print(&sections, HEAD).map_err(|needed| {
        format!(
            "the rules need {needed} priorities, and Gemini CLI has {PRIORITIES}: a subagent's rules stand above those of the \
             main agent, and neighbours share one only where they decide the same"
        )
    })?;
    let back = read(files, &text);
    out.refused_by_program(&back);
    for speaker in &speakers {
        for name in &speaker.names {
            out.compare(name, speaker, &back, budget);
        }
    }
    let file = Written { kind: "user", ..Written::new(GEMINI_FILE, text) };
    Ok(Built { files: vec![file], rows: out.rows, findings: out.findings, notes })
}

const HEAD: &str = "# Written by policyc from a policy; change that, and write this again.
#
# It belongs into `~/.gemini/policies/`. Of the rules that match, the one of the highest priority decides.
";

/// An agent of the policy, and whose calls in Gemini are to keep to it.
struct Speaker<'a> {
    set: &'a Ruleset,
    modes: Vec<Mode>,
    subagent: bool,
    /// The agents of the file that is read back.
    names: Vec<String>,
    /// Whether it speaks for the mode `plan` although the policy has no agent of this name.
    plan: bool,
}

fn speakers<'a>(
    compilation: &'a Compilation,
    agents: &[String],
    core: bool,
) -> Result<(Vec<Speaker<'a>>, Vec<String>), String> {
    let sets = &compilation.rulesets;
    let named = |name: &str| sets.iter().find(|set| set.agent == name);
    let default = ruleset::default_agent(&compilation.model).ok().map(|agent| agent.name.as_str());
    let main = default.and_then(named).ok_or("the policy has no agent that a session could start with")?;
    let main = if core { main } else { named("default").unwrap_or(main) };
    let own: Vec<Mode> =
        Mode::ALL.into_iter().filter(|mode| named(mode.word()).is_some_and(|set| set.agent != main.agent)).collect();
    let rest: Vec<Mode> = Mode::ALL.into_iter().filter(|mode| !own.contains(mode)).collect();
    let names = |modes: &[Mode]| modes.iter().map(|mode| mode.word().to_owned()).collect();
    let mut out = Vec::new();
    let mut add = |set, modes: Vec<Mode>, plan| {
        let names = names(&modes);
        out.push(Speaker { set, modes, subagent: false, names, plan });
    };
    let (plan, acting): (Vec<Mode>, Vec<Mode>) = rest.into_iter().partition(|mode| *mode == Mode::Plan);
    if !acting.is_empty() {
        add(main, acting, false);
    }
    if !plan.is_empty() {
        add(main, plan, true);
    }
    for mode in own {
        if let Some(set) = named(mode.word()) {
            add(set, vec![mode], false);
        }
    }
    let mut left = Vec::new();
    for set in sets.iter().filter(|set| agents.is_empty() || agents.contains(&set.agent)) {
        let agent = compilation.model.agents.get(&set.agent);
        let is_mode = set.agent == main.agent || Mode::from_word(&set.agent).is_some();
        match agent.map(|agent| agent.mode) {
            _ if is_mode => {}
            Some(AgentMode::Primary) | None => left.push(format!("`{}`", set.agent)),
            Some(AgentMode::Subagent | AgentMode::All) => {
                let names = vec![set.agent.clone()];
                out.push(Speaker { set, modes: Mode::ALL.to_vec(), subagent: true, names, plan: false });
            }
        }
    }
    let mut notes = Vec::new();
    if !left.is_empty() {
        notes.push(format!(
            "a session of Gemini CLI has one main agent, `{}`, so these are not written: {}",
            main.agent,
            left.join(", ")
        ));
    }
    if core {
        notes.push("a command with redirections is asked about, whatever the rules allow".to_owned());
        notes.push(
            "Gemini CLI asks before files are edited that say how a project is built; no rule changes that".to_owned(),
        );
        let outside = |rule: &Rule| rule.permission.text() == "external_directory";
        if sets.iter().any(|set| set.rules.iter().any(outside)) {
            let text = "rules on `external_directory` are not written: the file tools refuse what lies outside the \
                        project by themselves, and a command is judged by the rules on `bash` alone";
            notes.push(text.to_owned());
        }
    }
    Ok((out, notes))
}

fn read(files: &mut Files, text: &str) -> Compilation {
    let file = files.sources.add(GEMINI_FILE, text);
    let source = Source { kind: "user", path: Utf8Path::new(GEMINI_FILE).to_owned(), file };
    project::compile_config(files, &Gemini, &[source], &Options::default())
}

/// What the mode `plan` does not do, where the policy has no agent of that name: change anything.
const CHANGES: [&str; 5] = ["edit", "replace", "bash", "task", "mcp_*"];

struct Out<'a> {
    compilation: &'a Compilation,
    core: bool,
    start: Span,
    findings: Vec<Finding>,
    rows: Vec<Row>,
}

impl Out<'_> {
    fn sections(&mut self, speakers: &[Speaker<'_>], sources: &SourceMap) -> Vec<Section> {
        let mut sections = Vec::new();
        for speaker in speakers {
            let mut set = speaker.set.clone();
            if speaker.plan {
                still(&mut set);
            }
            let lowered = lower::lower(&set, self.core);
            self.losses(&lowered);
            let noted = |step: lower::Step| {
                let note = step.rule.as_ref().filter(|rule| !rule.origin.prelude);
                let note = note.map(|rule| format!("{rule} ({})", sources.place(rule.origin.span)));
                (step, note)
            };
            let title = match (speaker.subagent, speaker.plan) {
                (true, _) => format!("The subagent `{}`.", set.agent),
                (_, true) => format!("The agent `{}` in the mode `plan`: it changes nothing.", set.agent),
                _ => format!("The agent `{}`.", set.agent),
            };
            let subagent = speaker.subagent.then(|| set.agent.clone());
            let steps = lowered.steps.into_iter().map(noted).collect();
            sections.push(Section { title, modes: speaker.modes.clone(), subagent, steps });
        }
        sections
    }

    fn losses(&mut self, lowered: &Lowered) {
        for loss in &lowered.refused {
            let text = format!("the rule {} cannot be said in a policy file of Gemini CLI: {}", loss.rule, loss.why);
            let finding = Finding::new(NOT_EXPRESSIBLE, loss.rule.origin.span, text);
            self.find(finding.help("name the tools, or leave it to a rule for all tools"));
        }
        for loss in &lowered.stricter {
            let text = format!("the rule {} is stricter in Gemini CLI: {}", loss.rule, loss.why);
            self.find(Finding::new(LOSSY_BUT_NARROWER, loss.rule.origin.span, text));
        }
    }

    fn find(&mut self, finding: Finding) {
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }

    /// What Gemini would say of the text; nothing, unless this module is wrong.
    fn refused_by_program(&mut self, back: &Compilation) {
        for error in back.findings.iter().filter(|finding| finding.severity > Severity::Info) {
            let text = format!("Gemini CLI would not take what was to be written: {}", error.message);
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }

    fn compare(&mut self, name: &str, speaker: &Speaker<'_>, back: &Compilation, budget: &mut Budget) {
        let Some(theirs) = back.rulesets.iter().find(|set| set.agent == name) else {
            let text = format!("the agent `{name}` would not exist in Gemini CLI");
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
            return;
        };
        let ours = expanded(speaker.set, self.core);
        // A mode says itself what becomes of these, and `core` does not know them.
        let trusting = matches!(Mode::from_word(name), Some(Mode::AutoEdit | Mode::Yolo));
        let mut impossible = if self.core || trusting { beside() } else { Vec::new() };
        if self.core {
            impossible.extend(unasked());
        }
        let side = fidelity::Side { set: &ours, visibility: self.compilation.model.visibility };
        // Tools are shown to a mode or subagent as its own rules say; only calls are decided here for the mode `plan`.
        let side = if speaker.plan { fidelity::Side { visibility: Visibility::Fixed, ..side } } else { side };
        let back = fidelity::Side { set: theirs, visibility: back.model.visibility };
        let fidelity = fidelity::compare(side, back, &impossible, budget);
        self.looser(&ours, &fidelity);
        let agent = if speaker.subagent { name.to_owned() } else { format!("{} ({name})", ours.agent) };
        self.rows.push(Row::new(&agent, fidelity));
    }

    fn looser(&mut self, ours: &Ruleset, fidelity: &Fidelity) {
        if self.findings.iter().any(|finding| finding.code == NOT_EXPRESSIBLE) {
            return;
        }
        let finding = match fidelity {
            Fidelity::Looser(Difference::Decision { call, ours: before, theirs: after }) => {
                let decision = decide::decide(ours, &call.key, &call.value);
                let span = decision.rule.map_or(self.start, |(_, rule)| rule.origin.span);
                let text =
                    format!("Gemini CLI would {after} what the policy says to {before}: {} `{}`", call.key, call.value);
                let call = WitnessCall {
                    agent: ours.agent.clone(),
                    permission: call.key.clone(),
                    resource: call.value.clone(),
                };
                Finding::new(LOSSY_WIDER, span, text)
                    .witness(Witness { calls: vec![call], decision: before.to_string() })
            }
            Fidelity::Looser(Difference::Hidden { permission, .. }) => {
                let text = format!("Gemini CLI would show the tools of `{permission}`, which the policy hides");
                Finding::new(LOSSY_WIDER, self.start, text)
            }
            Fidelity::Undecided => {
                let text = "whether Gemini CLI would allow more than the policy is undecided within the budget";
                Finding::new(undecided::CODE, self.start, text)
                    .severity(Severity::Error)
                    .confidence(Confidence::Undecided)
                    .help("give it more states with `--budget`")
            }
            Fidelity::Exact | Fidelity::Tighter(_) => return,
        };
        self.findings.push(finding.agent(&ours.agent));
    }
}

/// The rules of the mode `plan`: nothing is changed, and plans only as far as the policy lets files be edited at all.
fn still(set: &mut Ruleset) {
    let Some(last) = set.rules.last().cloned() else { return };
    let origin = Arc::new(Origin { prelude: true, via: Vec::new(), ..(*last.origin).clone() });
    let mut add = |permission: &str, action| {
        set.rules.push(Rule {
            id: u32::MAX,
            permission: Pattern::wildcard(permission),
            pattern: Pattern::wildcard("*"),
            action,
            reason: None,
            origin: Arc::clone(&origin),
        });
    };
    CHANGES.iter().for_each(|permission| add(permission, Action::Deny));
}

/// A list as Gemini's tools ask it: in `core`'s words both editing tools have the same rules. A rule for some resources is
/// one for the permissions that have resources: all others are asked about `*`.
fn expanded(set: &Ruleset, core: bool) -> Ruleset {
    let each = |rule: &Rule| {
        let beside = tools::BESIDE.contains(&rule.permission.text());
        let partial = !beside && !rule.pattern.is_everything() && !rule.pattern.matches("*", Case::Sensitive);
        let named = |tool: &tools::Tool| {
            let edits = core && tool.permission == "replace";
            let name = if edits { "edit" } else { tool.permission };
            rule.permission.matches(name, Case::Sensitive)
        };
        let names: Vec<&str> = match partial {
            true => tools::TOOLS.iter().filter(|tool| named(tool)).map(|tool| tool.permission).collect(),
            false if core && rule.permission.text() == "edit" => vec!["edit", "replace"],
            false => return vec![rule.clone()],
        };
        let one = |name: &str| Rule { permission: Pattern::wildcard(name), ..rule.clone() };
        names.into_iter().map(one).collect::<Vec<_>>()
    };
    Ruleset { rules: set.rules.iter().flat_map(each).collect(), ..set.clone() }
}

fn beside() -> Vec<(Pattern, Pattern)> {
    tools::BESIDE.iter().map(|name| (Pattern::wildcard(name), Pattern::wildcard("*"))).collect()
}

/// Calls of which a policy in `core`'s words does not speak: paths in a roundabout way, and permissions without a tool.
fn unasked() -> Vec<(Pattern, Pattern)> {
    let [core, ..] = RUNTIMES;
    let mut out = vec![(Pattern::wildcard("external_directory"), Pattern::wildcard("*"))];
    let tools = tools::TOOLS.iter().filter(|tool| matches!(tool.field, Some("file_path" | "dir_path")));
    out.extend(tools.map(|tool| (Pattern::wildcard(tool.permission), Pattern::wildcard(".."))));
    for permission in ["read", "edit", "list", "glob", "grep"] {
        for pattern in core.impossible(permission) {
            out.push((Pattern::wildcard(permission), pattern.clone()));
            if permission == "edit" {
                out.push((Pattern::wildcard("replace"), pattern));
            }
        }
    }
    out
}
