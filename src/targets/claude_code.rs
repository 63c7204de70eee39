//! A policy as settings of Claude Code and files of its agents, read back and compared before anyone writes them.

use super::Built;
use super::proof::Proof;
use crate::diagnostic::Severity;
use crate::fidelity::Fidelity;
use crate::files::Files;
use crate::language::{Budget, Dialect, Pattern};
use crate::load::Asked;
use crate::model::Agent;
use crate::project::{self, Compilation, Options};
use crate::reach;
use crate::ruleset::{self, Ruleset};
use crate::runtimes::claude_code::{ClaudeCode, emit, lower};
use crate::runtimes::{Runtime, Source, Written};
use camino::Utf8Path;

/// The file of the settings.
const SETTINGS_FILE: &str = ".claude/settings.json";

/// Subagents that Claude Code brings along, and the session in plan mode: they act by the settings alone.
const NATIVE: [&str; 4] = ["plan-mode", "general-purpose", "Explore", "Plan"];

/// What is written beside the settings: of each agent the file's name and its text.
type Agents = Vec<(String, String)>;

/// As [`config`](super::config), for the one version there is.
pub(super) fn build(
    files: &mut Files,
    compilation: &Compilation,
    agents: &[String],
    budget: &mut Budget,
) -> Result<Built, String> {
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
    let held = |agent: &&Agent| {
        let wanted = agents.is_empty() || agents.contains(&agent.name);
        agent.name != main.name && wanted && !(name == "claude-code" && agent.prelude)
    };
    let others: Vec<(&Agent, Ruleset)> = compilation
        .model
        .live_agents()
        .filter(held)
        .filter_map(|agent| Some((agent, renamed(set_of(&agent.name)?))))
        .collect();
    let mut written_agents = Agents::new();
    for (agent, own) in &others {
        let open = lower::open_permissions(own, session(&alone)?, &impossible, budget);
        written_agents.push(written(agent, &open)?);
    }
    let back = read(files, &text, &written_agents);
    let mut proof = Proof::new("Claude Code", compilation, &[], &back)?;
    if let Some(why) = &lowered.refused {
        proof.refused_whole(why, "use `policyc hook claude-code`");
    }
    lowered.stricter.iter().for_each(|loss| proof.stricter(&loss.rule, &loss.why));
    proof.refused_by_program(Severity::Warning);
    let theirs = |agent: &str| back.rulesets.iter().find(|set| set.agent == agent);
    // Which denied tools the model is shown is not compared: a mode that denies hides none.
    proof.compare((&main.name, true), &ours, theirs("main"), &impossible, budget);
    for (agent, own) in &others {
        proof.compare((&agent.name, true), own, theirs(&agent.name), &impossible, budget);
    }
    let free = lowered.mode == "dontAsk";
    let native = |name: &&&str| {
        let untouched = back.model.agents.get(**name).is_some_and(|agent| agent.touched.is_empty());
        untouched && !(free && **name == "plan-mode")
    };
    for agent in NATIVE.iter().filter(native) {
        proof.compare((agent, false), &ours, theirs(agent), &impossible, budget);
    }
    let mut notes = notes(compilation);
    if free {
        notes.push("in another mode, to which a person can switch, what `dontAsk` denies is asked".to_owned());
    }
    let is_tighter = |fidelity: &Fidelity| matches!(fidelity, Fidelity::Tighter(_));
    if proof.rows.iter().any(|row| is_tighter(&row.fidelity)) {
        notes.push(
            "`policyc hook claude-code` beside these settings asks about and denies what rules cannot say".into(),
        );
    }
    let agents = written_agents.into_iter().map(|(path, text)| Written { path, text, kind: "agent-file" });
    let files = std::iter::once(Written::new(SETTINGS_FILE, text)).chain(agents).collect();
    Ok(Built { files, rows: proof.rows, findings: proof.findings, notes })
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
