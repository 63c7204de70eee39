//! A compiled policy as an OpenCode config: which rules stand in the shared section, which in which agent's.

use super::arrange::{Block, Line, arrange, is_everything, is_wild};
use super::semantics::{TOOL_OUTPUT, TOOL_OUTPUT_HOME};
use super::writable::{self, Context};
use crate::decide::{FALLBACK, decide};
use crate::language::Budget;
use crate::model::{Agent, Mode, Model};
use crate::rule::{Action, Rule};
use crate::ruleset::{self, Ruleset};
use crate::runtimes::{Loss, Side, Wanted};
use serde_json::{Map, Value};

/// Where the schema of a config is.
const SCHEMA: &str = "https://opencode.ai/config.json";

/// Permissions that a config can give an action only, never patterns.
const ACTION_ONLY: [&str; 5] = ["todowrite", "question", "webfetch", "websearch", "doom_loop"];

/// A config, and the rules that it says stricter or not at all.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The config.
    pub config: Map<String, Value>,
    /// Rules that became stricter, each once.
    pub stricter: Vec<Loss>,
    /// Rules that no config can say.
    pub refused: Vec<Loss>,
}

/// Lowers a policy.
pub fn lower(wanted: &Wanted<'_>, budget: &mut Budget) -> Lowered {
    let Wanted { policy, base, core: core_paths, .. } = *wanted;
    let mut lowering = Lowering { base, core_paths, budget, out: Lowered::default() };
    let plans: Vec<Plan<'_>> = policy
        .rulesets
        .iter()
        .filter_map(|set| Some(lowering.plan(policy.model.agents.get(&set.agent)?, set)))
        .collect();
    let shared = shared_length(&plans);
    let config = &mut Map::new();
    config.insert("$schema".to_owned(), SCHEMA.into());
    if let Some(name) = default_agent(policy.model, core_paths) {
        config.insert("default_agent".to_owned(), name.into());
    }
    if let Some(depth) = depth(policy.model).filter(|depth| Some(*depth) != self::depth(base.model)) {
        config.insert("subagent_depth".to_owned(), depth.into());
    }
    let section = lowering.shared(&plans, shared);
    if !section.is_empty() {
        config.insert("permission".to_owned(), Value::Object(section));
    }
    let agents = lowering.agents(policy.model, &plans, shared);
    if !agents.is_empty() {
        config.insert("agent".to_owned(), Value::Object(agents));
    }
    lowering.out.config = std::mem::take(config);
    lowering.out
}

/// What an agent's rules are beyond what OpenCode itself says of it.
struct Plan<'a> {
    agent: &'a Agent,
    /// What OpenCode says first: the defaults and the agent's built-in rules.
    prelude: Vec<Rule>,
    /// The rest.
    rest: Vec<&'a Rule>,
    /// Whether the rest is the whole ruleset, to stand over the prelude.
    complete: bool,
    /// Whether the policy does not allow the folder that OpenCode itself allows after all rules.
    closes: bool,
}

/// How many rules all agents' rests begin with: those that the shared section can hold. A config that must say whole
/// rulesets shares none, so that no agent of the runtime's own is changed.
fn shared_length(plans: &[Plan<'_>]) -> usize {
    let [first, others @ ..] = plans else { return 0 };
    if plans.iter().any(|plan| plan.complete) {
        return 0;
    }
    let same =
        |at: usize, rule: &Rule| others.iter().all(|plan| plan.rest.get(at).is_some_and(|other| other.id == rule.id));
    first.rest.iter().enumerate().take_while(|(at, rule)| same(*at, rule)).count()
}

/// The default agent where the policy names one, or where the runtime would choose among other agents than the policy's.
fn default_agent(model: &Model, always: bool) -> Option<String> {
    let named = model.default_agent.as_ref().map(|name| name.node.clone());
    named.or_else(|| ruleset::default_agent(model).ok().filter(|_| always).map(|agent| agent.name.clone()))
}

/// How deep subagents may start others.
fn depth(model: &Model) -> Option<u32> {
    model.permissions.get("task")?.depth
}

struct Lowering<'a, 'b> {
    base: Side<'a>,
    core_paths: bool,
    budget: &'b mut Budget,
    out: Lowered,
}

impl Lowering<'_, '_> {
    fn plan<'p>(&self, agent: &'p Agent, set: &'p Ruleset) -> Plan<'p> {
        let prelude = self.prelude(&agent.name, set);
        let rules: Vec<&Rule> = set.rules.iter().filter(|rule| &*rule.origin.slot != "runtime").collect();
        let says = |rule: &Rule| (rule.permission.clone(), rule.pattern.clone(), rule.action);
        let starts_so = rules.len() >= prelude.len() && prelude.iter().zip(&rules).all(|(a, b)| says(a) == says(b));
        let closes = decide(set, "external_directory", TOOL_OUTPUT).action != Action::Allow;
        match starts_so {
            true => {
                Plan { agent, rest: rules.into_iter().skip(prelude.len()).collect(), prelude, complete: false, closes }
            }
            false => Plan { agent, rest: rules, prelude, complete: true, closes },
        }
    }

    /// What an empty config says of an agent: of a new one, the defaults.
    fn prelude(&self, name: &str, set: &Ruleset) -> Vec<Rule> {
        let base = self.base.model;
        let agent = base.agents.get(name).or_else(|| base.agents.values().next());
        let Some(mut agent) = agent.cloned() else { return Vec::new() };
        if !base.agents.contains_key(name) {
            agent.builtin.clear();
        }
        ruleset::flatten(base, &agent, set.case).rules
    }

    fn shared(&mut self, plans: &[Plan<'_>], shared: usize) -> Map<String, Value> {
        let before: Vec<Rule> = plans.iter().flat_map(|plan| plan.prelude.clone()).collect();
        let rules: Vec<&Rule> =
            plans.first().into_iter().flat_map(|plan| plan.rest.iter().copied().take(shared)).collect();
        let lines = self.lines(before, &rules);
        self.section(lines, &rules)
    }

    fn agents(&mut self, model: &Model, plans: &[Plan<'_>], shared: usize) -> Map<String, Value> {
        let mut agents = Map::new();
        for plan in plans {
            let native = self.base.model.agents.get(&plan.agent.name).filter(|agent| !agent.disabled);
            let mut entry = attributes(plan.agent, native);
            let section = self.own(plan, shared);
            if !section.is_empty() {
                entry.insert("permission".to_owned(), Value::Object(section));
            }
            if native.is_none() || !entry.is_empty() {
                agents.insert(plan.agent.name.clone(), Value::Object(entry));
            }
        }
        for native in self.base.model.live_agents() {
            let disabled = match model.agents.get(&native.name) {
                Some(agent) => agent.disabled,
                // The runtime's own helpers may do nothing, and it needs them.
                None => !native.hidden,
            };
            if disabled {
                agents.insert(native.name.clone(), serde_json::json!({ "disable": true }));
            }
        }
        for agent in
            model.agents.values().filter(|agent| agent.disabled && !self.base.model.agents.contains_key(&agent.name))
        {
            agents.insert(agent.name.clone(), serde_json::json!({ "disable": true }));
        }
        agents
    }

    fn own(&mut self, plan: &Plan<'_>, shared: usize) -> Map<String, Value> {
        let (before, own) = plan.rest.split_at(shared.min(plan.rest.len()));
        let first = plan.prelude.iter().filter(|_| !plan.complete);
        let before = first.chain(before.iter().copied()).cloned().collect();
        let mut lines = self.lines(before, own);
        if plan.complete {
            cover(&mut lines);
            lines.extend(plan.closes.then(deny_of_tool_output));
        }
        self.section(lines, own)
    }

    /// The lines of rules in order; `before` are rules that come earlier without being written here.
    fn lines(&mut self, mut before: Vec<Rule>, rules: &[&Rule]) -> Vec<Line> {
        let mut lines = Vec::new();
        for rule in rules {
            let cx = Context { before: &before, core_paths: self.core_paths };
            match writable::lower(rule, cx, self.budget) {
                Ok(lowered) => {
                    lines.extend(lowered.lines);
                    note(&mut self.out.stricter, rule, lowered.stricter);
                }
                Err(why) => note(&mut self.out.refused, rule, Some(why)),
            }
            before.push((*rule).clone());
        }
        lines
    }

    fn section(&mut self, lines: Vec<Line>, rules: &[&Rule]) -> Map<String, Value> {
        match arrange(lines) {
            Ok(blocks) => object(blocks),
            Err(line) => {
                let said = |rule: &&&Rule| rule.permission.text() == line.permission;
                if let Some(rule) = rules.iter().rfind(said) {
                    let why =
                        format!("a config has the key `{}` once, and its rules would need it twice", line.permission);
                    note(&mut self.out.refused, rule, Some(why));
                }
                Map::new()
            }
        }
    }
}

fn note(losses: &mut Vec<Loss>, rule: &Rule, why: Option<String>) {
    let Some(why) = why else { return };
    if losses.iter().all(|loss| loss.rule.id != rule.id) {
        losses.push(Loss { rule: rule.clone(), why });
    }
}

/// OpenCode itself allows the folder of long tool output after all rules, unless one with exactly this pattern denies.
fn deny_of_tool_output() -> Line {
    let (permission, pattern) = ("external_directory".to_owned(), TOOL_OUTPUT_HOME.to_owned());
    Line { permission, pattern, action: Action::Deny }
}

/// Makes a ruleset complete: it starts with a rule for everything, so that nothing under it shows. Lines before the last
/// such rule are dead.
fn cover(lines: &mut Vec<Line>) {
    let whole = |line: &Line| is_everything(&line.permission) && is_everything(&line.pattern);
    match lines.iter().rposition(whole) {
        Some(last) => drop(lines.drain(..last)),
        None => {
            let all = "*".to_owned();
            lines.insert(0, Line { permission: all.clone(), pattern: all, action: FALLBACK });
        }
    }
}

/// Blocks as a `permission` object.
fn object(blocks: Vec<Block>) -> Map<String, Value> {
    let mut section = Map::new();
    for block in blocks {
        let action = |action: Action| Value::from(action.word());
        match block.lines.as_slice() {
            [line] if line.pattern == "*" => {
                section.insert(block.key, action(line.action));
            }
            lines => {
                let patterns = lines.iter().map(|line| (line.pattern.clone(), action(line.action))).collect();
                section.insert(with_patterns(block.key), Value::Object(patterns));
            }
        }
    }
    section
}

/// A key that can hold patterns. The final ` *` of a wildcard also matches nothing, so `webfetch *` is the permission
/// `webfetch` (and names with a blank, which no tool has) without being the key that takes an action only.
fn with_patterns(key: String) -> String {
    if ACTION_ONLY.contains(&key.as_str()) && !is_wild(&key) { format!("{key} *") } else { key }
}

/// What an agent's entry says besides its rules: what is not so anyway.
fn attributes(agent: &Agent, native: Option<&Agent>) -> Map<String, Value> {
    let mut entry = Map::new();
    for (name, value) in agent.attributes.iter().chain(&agent.options) {
        let before = native.and_then(|native| native.attributes.get(name).or_else(|| native.options.get(name)));
        if name != "disabled" && before.is_none_or(|before| before.node != value.node) {
            entry.insert(name.clone(), value.node.clone());
        }
    }
    if agent.mode != native.map_or(Mode::All, |native| native.mode) {
        entry.insert("mode".to_owned(), agent.mode.word().into());
    }
    if agent.hidden != native.is_some_and(|native| native.hidden) {
        entry.insert("hidden".to_owned(), agent.hidden.into());
    }
    entry
}
