//! A policy as an extension for pi: one TypeScript file, from readable parts and the policy's own table.

use super::js::{self, quoted};
use super::{Built, Row};
use crate::fidelity::{self, Side};
use crate::language::{Budget, Case};
use crate::model::{Model, Switch, Unattended, Visibility};
use crate::project::Compilation;
use crate::ruleset::Ruleset;
use crate::runtimes::Written;
use crate::source::SourceMap;

/// The file of the extension.
pub const EXTENSION_FILE: &str = "index.ts";
/// The file that makes a package of its folder.
pub const PACKAGE_FILE: &str = "package.json";
/// Its text.
pub const PACKAGE: &str = include_str!("pi/package.json");

const HEAD: &str = include_str!("pi/head.ts");
const PLAN: &str = include_str!("pi/plan.ts");
const GATE_MAIN: &str = include_str!("pi/gate_main.ts");
const GATE: &str = include_str!("pi/gate.ts");
const PATHS: &str = include_str!("pi/paths.ts");
const STRICTEST: &str = include_str!("pi/strictest.js");
const COMMANDS: &str = include_str!("pi/commands.js");
const API: &str = include_str!("pi/api.ts");
const DECISION: &str = "// ---------------------------------------------------------------------------\n";

/// What pi calls its own tools: no plan is handed in by one of these.
const TOOLS: [&str; 11] =
    ["read", "write", "edit", "bash", "powershell", "ls", "grep", "find", "subagent", "codemode", "tool_search"];

/// Answers of a review. Of a switch the first approves and the last rejects.
const ANSWERS: [&str; 3] = ["approve", "revise", "reject"];

/// Builds the extension from a policy.
///
/// # Errors
/// The policy is another runtime's, or says what no extension of pi can hold to.
pub fn extension(compilation: &Compilation, sources: &SourceMap, budget: &mut Budget) -> Result<Built, String> {
    let name = compilation.runtime.name();
    if !matches!(name, "pi" | "core") {
        return Err(format!("a policy for {name} speaks of other tools than pi has"));
    }
    let modes = modes(&compilation.model)?;
    askable(&compilation.model)?;
    let keys = keys(&compilation.model);
    let rulesets: Vec<Ruleset> =
        compilation.rulesets.iter().filter(|set| modes.names().contains(&set.agent.as_str())).cloned().collect();
    let default_agent = js::default_agent(&compilation.model);
    let policy = js::Policy { rulesets: &rulesets, visibility: Visibility::Fixed, default_agent, keys: &keys };
    let too_large = |error: crate::language::PatternError| error.to_string();
    let case = rulesets.first().map_or(Case::default(), |set| set.case);
    let (constants, main) = match &modes {
        Modes::One(agent) => (format!("const AGENT = {};\n", quoted(agent)), GATE_MAIN.to_owned()),
        Modes::Plan { name, switch, from, to } => {
            let starts = default_agent == Some(from);
            (
                plan_constants((name, compilation.model.key_of(name)), switch, (from, to), starts, case)
                    .map_err(too_large)?,
                PLAN.to_owned(),
            )
        }
    };
    let (decide, table) = js::typed(&policy, sources, &constants).map_err(too_large)?;
    let decide = format!("{DECISION}{decide}");
    let parts = [
        constants,
        main,
        GATE.into(),
        js::as_types(STRICTEST),
        PATHS.into(),
        js::as_types(COMMANDS),
        API.into(),
        decide,
        table,
    ];
    let back = js::read_back(&parts.concat(), case)?;
    let rows = rows(compilation, &rulesets, &back, budget);
    Ok(Built {
        files: vec![
            Written::new(EXTENSION_FILE, format!("{HEAD}{}", parts.join("\n"))),
            Written::new(PACKAGE_FILE, PACKAGE),
        ],
        rows,
        findings: Vec::new(),
        notes: notes(compilation, &modes),
    })
}

/// Refuses permissions that the extension would ask otherwise than they are declared.
fn askable(model: &Model) -> Result<(), String> {
    for (name, permission) in model.permissions.iter().filter(|(_, permission)| !permission.prelude) {
        if let Some(tool) = permission.tools.iter().find(|tool| TOOLS.contains(&tool.node.as_str())) {
            return Err(format!("pi's tool `{}` asks a permission of its own, not `{name}`", tool.node));
        }
        if let Some(tool) = permission.asked_by.first() {
            return Err(format!("in pi a tool asks one permission, and `{}` is to ask `{name}` as well", tool.node));
        }
    }
    Ok(())
}

/// Tools that are not pi's own, whose permission has another name.
fn keys(model: &Model) -> Vec<(String, String)> {
    let mut keys = js::keys(model);
    keys.retain(|(tool, _)| !TOOLS.contains(&tool.as_str()));
    keys
}

/// The agents that a session of pi can be.
enum Modes<'a> {
    /// One for good.
    One(&'a str),
    /// Two, and a plan that leads from one to the other.
    Plan { name: &'a str, switch: &'a Switch, from: &'a str, to: &'a str },
}

impl Modes<'_> {
    fn names(&self) -> Vec<&str> {
        match self {
            Modes::One(agent) => vec![agent],
            Modes::Plan { from, to, .. } => vec![to, from],
        }
    }
}

fn modes(model: &Model) -> Result<Modes<'_>, String> {
    let start = js::default_agent(model).ok_or("a session of pi starts with the default agent, and there is none")?;
    let mut plans = model.switches.iter().filter(|(_, switch)| is_plan(switch));
    let Some((name, switch)) = plans.next() else { return Ok(Modes::One(start)) };
    if let Some((other, _)) = plans.next() {
        return Err(format!("pi has one plan mode, and the policy has two ways out of one: `{name}` and `{other}`"));
    }
    let end = |end: &'_ Option<crate::syntax::ast::Name>| end.as_ref().map(|name| name.node.clone());
    let live = |name: Option<String>| model.live_agents().find(|agent| Some(&agent.name) == name.as_ref());
    let (Some(from), Some(to)) = (live(end(&switch.from)), live(end(&switch.to))) else {
        return Err(format!("the switch `{name}` leads from or to an agent that does not exist"));
    };
    let (from, to) = (from.name.as_str(), to.name.as_str());
    if start != from && start != to {
        return Err(format!(
            "a session of pi starts as `{from}` or `{to}`, which `{name}` leads between, and the default agent is `{start}`"
        ));
    }
    for word in [name, from] {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        if word.is_empty() || word.len() > 64 || !word.chars().all(plain) {
            return Err(format!("`{word}` becomes a name in pi, which takes letters, digits, `_` and `-`"));
        }
    }
    if TOOLS.contains(&name.as_str()) {
        return Err(format!("the switch `{name}` has the name of one of pi's own tools"));
    }
    let answers: Vec<&str> = switch.answers.iter().map(|answer| answer.node.as_str()).collect();
    if !answers.is_empty() && answers != ANSWERS {
        return Err(format!(
            "a review in pi is answered by approve, revise or reject, which mean that, and `{name}` is answered by `{}`: \
             write `answers {}`, or no answers",
            answers.join("`, `"),
            ANSWERS.join(", ")
        ));
    }
    Ok(Modes::Plan { name, switch, from, to })
}

/// Whether a switch is the way out of a plan mode: a file is handed in.
fn is_plan(switch: &Switch) -> bool {
    switch.from.is_some() && switch.to.is_some() && !switch.requires.is_empty()
}

fn plan_constants(
    (name, permission): (&str, &str),
    switch: &Switch,
    (from, to): (&str, &str),
    starts: bool,
    case: Case,
) -> Result<String, crate::language::PatternError> {
    let or = |text: &Option<String>, default: String| quoted(text.as_ref().unwrap_or(&default));
    let requires = switch.requires.iter().map(|pattern| js::pattern(&pattern.node, case));
    let requires = requires.collect::<Result<Vec<String>, _>>()?.join(", ");
    let enter = format!("[PLAN MODE] Explore, write the plan to a file, then call {name} with its path.");
    let fields = [
        ("tool", quoted(name)),
        ("permission", quoted(permission)),
        ("from", quoted(from)),
        ("to", quoted(to)),
        ("starts", starts.to_string()),
        ("confirm", or(&switch.confirm, "Carry out this plan?".to_owned())),
        ("enter", or(&switch.enter, enter)),
        ("leave", or(&switch.leave, "[PLAN MODE OFF] What was said about plan mode no longer holds.".to_owned())),
        ("note", or(&switch.note, "The plan is approved. Carry it out now.".to_owned())),
        ("requires", format!("[ {requires} ]")),
    ];
    let lines: Vec<String> = fields.iter().map(|(field, value)| format!("\t{field}: {value},\n")).collect();
    Ok(format!(
        "/** The plan mode of the policy: from which agent to which, and in which words. */\n\
         // biome-ignore format: one word a line\nconst PLAN = {{\n{}}};\n",
        lines.concat()
    ))
}

fn rows(compilation: &Compilation, ours: &[Ruleset], back: &[Ruleset], budget: &mut Budget) -> Vec<Row> {
    let impossible = crate::reach::impossible(&compilation.model, compilation.runtime);
    let pairs = ours.iter().map(|set| (set, back.iter().find(|back| back.agent == set.agent)));
    pairs
        .map(|(set, back)| {
            // The list of tools stays as it is, and what is denied is refused: nothing is hidden on either side.
            let side = |set| Side { set, visibility: Visibility::Fixed };
            let fidelity = match back {
                Some(back) => fidelity::compare(side(set), side(back), &impossible, budget),
                None => fidelity::Fidelity::Undecided,
            };
            Row::new(&set.agent, fidelity)
        })
        .collect()
}

fn notes(compilation: &Compilation, modes: &Modes<'_>) -> Vec<String> {
    let model = &compilation.model;
    let mut notes = Vec::new();
    let agents: Vec<&str> = model.live_agents().map(|agent| agent.name.as_str()).collect();
    let others: Vec<&str> = agents.into_iter().filter(|agent| !modes.names().contains(agent)).collect();
    if !others.is_empty() {
        notes.push(format!(
            "a session of pi cannot become these agents, so they are not written: {}",
            others.join(", ")
        ));
    }
    let plan = if let Modes::Plan { name, .. } = modes { Some(*name) } else { None };
    let switches: Vec<&str> = model.switches.keys().map(String::as_str).filter(|name| Some(*name) != plan).collect();
    if !switches.is_empty() {
        notes.push(format!("these switches hand in no file, so they are not written: {}", switches.join(", ")));
    }
    if let Modes::Plan { name, switch, .. } = modes {
        if switch.unattended == Unattended::Switch {
            notes
                .push(format!("tighter: without a person `{name}` approves nothing, though the policy lets it switch"));
        }
        if switch.confirm.is_none() {
            notes.push(format!("tighter: a person is asked at `{name}`, though the policy asks nobody"));
        }
    }
    if model.visibility != Visibility::Fixed {
        notes.push(
            "the list of tools stays constant in pi: tools that the policy hides are shown, and refused".to_owned(),
        );
    }
    notes.push("tighter: where pi has nobody to ask (`pi -p`, JSON mode), what the policy asks is refused".to_owned());
    notes
}
