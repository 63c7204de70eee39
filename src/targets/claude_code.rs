//! A policy as settings of Claude Code and files of its agents, read back and compared before anyone writes them.

use super::{Built, Row};
use crate::checks::targets::{LOSSY_BUT_NARROWER, LOSSY_WIDER, NOT_EXPRESSIBLE, ROUND_TRIP_MISMATCH};
use crate::checks::undecided;
use crate::decide;
use crate::diagnostic::{Confidence, Finding, Severity, Witness, WitnessCall};
use crate::fidelity::{self, Difference, Fidelity};
use crate::files::Files;
use crate::language::{Budget, Dialect, Pattern};
use crate::load::Asked;
use crate::model::{Agent, Visibility};
use crate::project::{self, Compilation, Options};
use crate::reach;
use crate::ruleset::{self, Ruleset};
use crate::runtimes::claude_code::{ClaudeCode, emit, lower};
use crate::runtimes::{Runtime, Source};
use crate::source::Span;
use camino::Utf8Path;

/// The file of the settings.
pub const SETTINGS_FILE: &str = ".claude/settings.json";

/// Subagents that Claude Code brings along, and the session in plan mode: they act by the settings alone.
const NATIVE: [&str; 4] = ["plan-mode", "general-purpose", "Explore", "Plan"];

/// What is written beside the settings: of each agent the file's name and its text.
pub type Agents = Vec<(String, String)>;

/// Builds settings and agents' files from a policy.
///
/// # Errors
/// The policy is another runtime's, or says nothing.
pub fn build(files: &mut Files, compilation: &Compilation, budget: &mut Budget) -> Result<(Built, Agents), String> {
    let name = compilation.runtime.name();
    if !matches!(name, "claude-code" | "core") {
        return Err(format!("a policy for {name} speaks of other tools than Claude Code has"));
    }
    let start = compilation.start().ok_or("the policy says nothing")?;
    let main = ruleset::default_agent(&compilation.model).map_err(|_| "the policy has no agent to start with")?;
    let set_of = |agent: &str| compilation.rulesets.iter().find(|set| set.agent == agent);
    let ours = renamed(set_of(&main.name).ok_or("the agent to start with has no rules")?);
    let empty = [read(files, "{}", &Vec::new()), read(files, DONT_ASK, &Vec::new())];
    let [base, dont_ask] = &empty;
    let impossible = impossible(base, name == "core");
    let bases = lower::Bases { default: session(base)?, dont_ask: session(dont_ask)? };
    let lowered = lower::lower(&ours, bases, &impossible, start, budget);
    let text = emit::settings(&lowered);
    let alone = read(files, &text, &Vec::new());
    let mut agents = Vec::new();
    let mut notes = notes(compilation);
    let mut proof = Proof { compilation, start, impossible, findings: Vec::new(), rows: Vec::new() };
    for agent in compilation.model.live_agents().filter(|agent| agent.name != main.name) {
        if name == "claude-code" && agent.prelude {
            continue;
        }
        let Some(own) = set_of(&agent.name) else { continue };
        let own = renamed(own);
        let open = lower::open_permissions(&own, session(&alone)?, &proof.impossible, budget);
        agents.push(written(agent, &open)?);
    }
    proof.losses(&lowered);
    let back = read(files, &text, &agents);
    proof.refused_by_program(&back);
    proof.compare(&main.name, "main", &ours, &back, budget);
    let free = lowered.mode == "dontAsk";
    if free {
        notes.push("in another mode, to which a person can switch, what `dontAsk` denies is asked".to_owned());
    }
    let untouched = |name: &str| back.model.agents.get(name).is_some_and(|agent| agent.touched.is_empty());
    for agent in NATIVE.iter().filter(|name| untouched(name) && !(free && **name == "plan-mode")) {
        proof.compare(agent, agent, &ours, &back, budget);
    }
    for agent in compilation.model.live_agents().filter(|agent| agent.name != main.name) {
        let own = set_of(&agent.name).filter(|_| !(name == "claude-code" && agent.prelude));
        if let Some(own) = own.map(renamed) {
            proof.compare(&agent.name, &agent.name, &own, &back, budget);
        }
    }
    let tighter = proof.rows.iter().any(|row| matches!(row.fidelity, Fidelity::Tighter(_)));
    if tighter {
        notes.push(
            "`policyc hook claude-code` beside these settings asks about and denies what rules cannot say".into(),
        );
    }
    Ok((Built { text, rows: proof.rows, findings: proof.findings, notes }, agents))
}

const DONT_ASK: &str = r#"{"permissions":{"defaultMode":"dontAsk"}}"#;

/// A project with these settings and agents.
fn read(files: &mut Files, text: &str, agents: &Agents) -> Compilation {
    let mut sources = Vec::new();
    for (path, text) in agents {
        let file = files.sources.add(path, text);
        sources.push(Source { kind: "agent-file", path: path.into(), file });
    }
    let file = files.sources.add(SETTINGS_FILE, text);
    sources.push(Source { kind: "project", path: Utf8Path::new(SETTINGS_FILE).to_owned(), file });
    let asked = Asked { runtime: Some(&ClaudeCode), version: Some(ClaudeCode.default_version().id) };
    project::compile_config(files, &ClaudeCode, &sources, &Options { asked, ..Options::default() })
}

fn session(compilation: &Compilation) -> Result<&Ruleset, String> {
    compilation.rulesets.iter().find(|set| set.agent == "main").ok_or_else(|| "there is no session".to_owned())
}

/// The rules with tools of servers by the names that Claude Code gives them: `SERVER_TOOL` is `mcp__SERVER__TOOL`.
fn renamed(set: &Ruleset) -> Ruleset {
    let mut rules = Vec::new();
    for rule in &set.rules {
        let name = rule.permission.text();
        let known = lower::is_word(name) || name.starts_with("mcp__");
        let parts = name.split_once('_').filter(|(server, _)| !known && !server.is_empty() && !server.contains('*'));
        rules.push(rule.clone());
        if let Some((server, tool)) = parts {
            let permission = Pattern::wildcard(&format!("mcp__{server}__{}", tool.trim_start_matches('_')));
            rules.push(crate::rule::Rule { permission, ..rule.clone() });
        }
    }
    Ruleset { rules, ..set.clone() }
}

/// Calls that Claude Code never makes, and tools that the common vocabulary leaves to it.
fn impossible(empty: &Compilation, core: bool) -> Vec<(Pattern, Pattern)> {
    let mut impossible = reach::impossible(&empty.model, &ClaudeCode);
    let everything = Pattern::wildcard("*");
    impossible.extend(ClaudeCode::strangers().map(|names| (names, everything.clone())));
    // A tool of a server is asked about as a whole.
    let no_star = Pattern::new(Dialect::Regex, r"(?s)|[^*]|..+").ok();
    impossible.extend(no_star.map(|value| (Pattern::wildcard("mcp__*"), value)));
    if core {
        let left = ClaudeCode::session_tools().iter();
        impossible.extend(left.map(|name| (Pattern::wildcard(name), everything.clone())));
    }
    impossible
}

/// An agent's file.
fn written(agent: &Agent, open: &[&str]) -> Result<(String, String), String> {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if agent.name == "main" || !agent.name.chars().all(fits) {
        return Err(format!("`{}` is no name for an agent of Claude Code: letters, digits and `-` are", agent.name));
    }
    let text = |name: &str| agent.attributes.get(name).and_then(|value| value.node.as_str());
    let text = emit::agent(
        emit::Agent {
            name: &agent.name,
            description: text("description").unwrap_or("An agent of the policy."),
            model: text("model"),
            prompt: text("prompt").unwrap_or_default(),
        },
        open,
    );
    Ok((format!(".claude/agents/{}.md", agent.name), text))
}

struct Proof<'a> {
    compilation: &'a Compilation,
    /// Where the policy starts: the place of what no single rule is the cause of.
    start: Span,
    impossible: Vec<(Pattern, Pattern)>,
    findings: Vec<Finding>,
    rows: Vec<Row>,
}

impl Proof<'_> {
    fn losses(&mut self, lowered: &lower::Lowered) {
        if let Some(why) = &lowered.refused {
            let text = format!("the policy cannot be said in settings of Claude Code: {why}");
            self.findings.push(Finding::new(NOT_EXPRESSIBLE, self.start, text).help("use `policyc hook claude-code`"));
        }
        for loss in &lowered.stricter {
            let text = format!("the rule {} is stricter in Claude Code: {}", loss.rule, loss.why);
            self.findings.push(Finding::new(LOSSY_BUT_NARROWER, loss.rule.origin.span, text));
        }
    }

    /// What the program would say of the text; nothing, unless this module is wrong.
    fn refused_by_program(&mut self, back: &Compilation) {
        for fault in back.findings.iter().filter(|finding| finding.severity > Severity::Info) {
            let text = format!("Claude Code would not take what was to be written: {}", fault.message);
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
        }
    }

    fn compare(&mut self, name: &str, theirs: &str, ours: &Ruleset, back: &Compilation, budget: &mut Budget) {
        let Some(set) = back.rulesets.iter().find(|set| set.agent == theirs) else {
            let text = format!("the agent `{name}` would not exist in Claude Code");
            self.findings.push(Finding::new(ROUND_TRIP_MISMATCH, self.start, text));
            return;
        };
        // Which denied tools the model is shown is not compared: a mode that denies hides none.
        let side = |set| fidelity::Side { set, visibility: Visibility::Fixed };
        let fidelity = fidelity::compare(side(ours), side(set), &self.impossible, budget);
        self.looser(name, ours, &fidelity);
        let told = !NATIVE.contains(&name) || !matches!(fidelity, Fidelity::Exact | Fidelity::Tighter(_));
        if told {
            self.rows.push(Row { agent: name.to_owned(), fidelity });
        }
    }

    fn looser(&mut self, agent: &str, ours: &Ruleset, fidelity: &Fidelity) {
        if self.findings.iter().any(|finding| finding.code == NOT_EXPRESSIBLE) {
            return;
        }
        let finding = match fidelity {
            Fidelity::Looser(Difference::Decision { call, ours: before, theirs: after }) => {
                let decision = decide::decide(ours, &call.key, &call.value);
                let span = decision.rule.map_or(self.start, |(_, rule)| rule.origin.span);
                let text = format!(
                    "Claude Code would {after} what the policy says to {before}: {} `{}`",
                    call.key, call.value
                );
                let call =
                    WitnessCall { agent: agent.to_owned(), permission: call.key.clone(), resource: call.value.clone() };
                let witness = Witness { calls: vec![call], decision: before.to_string() };
                Finding::new(LOSSY_WIDER, span, text).witness(witness)
            }
            Fidelity::Undecided => {
                let text = "whether Claude Code would allow more than the policy is undecided within the budget";
                Finding::new(undecided::CODE, self.start, text)
                    .severity(Severity::Error)
                    .confidence(Confidence::Undecided)
                    .help("give it more states with `--budget`")
            }
            _ => return,
        };
        let known = self.compilation.model.agents.contains_key(agent);
        self.findings.push(if known { finding.agent(agent) } else { finding });
    }
}

fn notes(compilation: &Compilation) -> Vec<String> {
    let mut notes = vec![
        "how Claude Code decides is documented and not verified: its program takes rules and cannot be asked"
            .to_owned(),
    ];
    let user = |rule: &&crate::rule::Rule| !rule.origin.prelude && rule.reason.is_some();
    let mut reasons: Vec<u32> =
        compilation.rulesets.iter().flat_map(|set| set.rules.iter().filter(user).map(|rule| rule.id)).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if !reasons.is_empty() {
        let are = if reasons.len() == 1 { "is" } else { "are" };
        notes.push(format!("settings have no place for the reason of a rule, so {} {are} not written", reasons.len()));
    }
    notes.push("allow rules count only where a person has trusted the folder".to_owned());
    notes
}
