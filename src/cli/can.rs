//! `policyc can`: every way to a capability, and what closes them.

use super::input::{self, Asked, Input};
use super::{Exit, Failure, Format, Terminal, decision, names};
use crate::capabilities::{Act, Change, Closure, Goal, Remedy, Step, Way, Ways, World};
use crate::decide;
use crate::language::{Budget, Pattern};
use crate::model::{Capability, Mode};
use crate::project::Compilation;
use crate::report::shown;
use crate::secret::redact;
use crate::source::SourceMap;
use camino::Utf8PathBuf;
use serde_json::{Value, json};
use std::fmt::Write;

/// Lists every way in which an agent can bring something about, and the fewest changes that close them
///
/// A way is a chain of calls that pass, silently or after asking: the permission itself, a command line, a tool that
/// nobody declared, another agent, a switch. What a command does is known from the catalogue and from `commands` in the
/// policy; that none is found is no proof for commands that neither knows.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A policy, a runtime's config, a folder, or `-`
    file: Utf8PathBuf,
    /// An agent, several with commas, `every agent`, `every primary` or `every subagent`
    who: String,
    /// read, write, exec, network, delegate or switch
    what: String,
    /// Only about paths (for network URLs, for exec commands) that one of these matches
    patterns: Vec<String>,
    /// But not about what this matches
    #[arg(long, value_name = "PATTERN")]
    except: Vec<String>,
    /// Leaves out what asks a person first
    #[arg(long)]
    silently: bool,
    /// How many states each exact question may take
    #[arg(long, value_name = "STATES", default_value_t = Budget::default().question())]
    budget: usize,
    /// How the answer is written
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    asked: Asked,
}

/// The ways of one agent, and what closes them.
struct Answer<'a> {
    agent: &'a str,
    ways: Ways,
    remedy: Option<Remedy>,
}

pub(super) fn run(args: Args, terminal: Terminal) -> Result<Exit, Failure> {
    let capability = Capability::from_word(&args.what).ok_or_else(|| {
        let known: Vec<&str> = Capability::ALL.iter().map(|capability| capability.word()).collect();
        Failure::new(format!("`{}` is no capability", args.what), names::help(&args.what, &known, ""))
    })?;
    let mut input = Input::new(&args.asked)?;
    let Some(compilation) = input::usable(&mut input, &args.file, terminal)? else { return Ok(Exit::Unusable) };
    let pattern = |text: &String| {
        let plain = compilation.runtime.plain();
        let word = text.split_once([' ', '"']).map_or("", |(word, _)| word);
        if text.is_empty() || (text.contains('"') && ["glob", "prefix", "regex", "exact"].contains(&word)) {
            let help = "write it as a plain string of a rule, with `*` for any run of characters";
            return Err(Failure::new(format!("`{text}` is no pattern that `can` takes"), help));
        }
        Pattern::new(plain, text).map_err(|error| {
            Failure::new(format!("`{text}` is no pattern: {}", error.message()), "write it as in a rule")
        })
    };
    let goal = Goal {
        capability,
        include: args.patterns.iter().map(pattern).collect::<Result<_, _>>()?,
        except: args.except.iter().map(pattern).collect::<Result<_, _>>()?,
        silently: args.silently,
        declared: false,
    };
    let who = who(&compilation, &args.who)?;
    let world = World::new(&compilation.model, &compilation.rulesets, compilation.runtime, compilation.version);
    let mut budget = Budget::new(args.budget);
    let mut closure = Closure::new(&world, goal.clone());
    let mut answers = Vec::new();
    for agent in who {
        let ways = closure.ways(agent, &mut budget);
        let remedy = (!ways.ways.is_empty()).then(|| world.remedy(agent, &goal, &mut budget)).flatten();
        answers.push(Answer { agent, ways, remedy });
    }
    let writer = Writer { compilation: &compilation, sources: &input.files.sources, goal: &goal };
    terminal.print(&match args.format {
        Format::Human => answers.iter().map(|answer| writer.human(answer)).collect::<Vec<_>>().join("\n"),
        Format::Json => format!("{:#}\n", writer.json(&answers)),
    });
    // A question that stayed open is no proof that there is no way.
    let open = answers.iter().any(|answer| !answer.ways.ways.is_empty() || !answer.ways.doubts.is_empty());
    Ok(if open { Exit::Found } else { Exit::Clean }.max(input::refused(&compilation)))
}

/// The agents that WHO names.
fn who<'a>(compilation: &'a Compilation, text: &str) -> Result<Vec<&'a str>, Failure> {
    let every = |wanted: &[Mode]| {
        let agents = compilation.model.live_agents().filter(|agent| wanted.contains(&agent.mode));
        agents.map(|agent| agent.name.as_str()).collect()
    };
    match text.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["every", "agent"] => Ok(every(Mode::ALL)),
        ["every", "primary"] => Ok(every(&[Mode::Primary, Mode::All])),
        ["every", "subagent"] => Ok(every(&[Mode::Subagent, Mode::All])),
        _ => text
            .split(',')
            .map(|name| names::agent(compilation, Some(name.trim())).map(|set| set.agent.as_str()))
            .collect(),
    }
}

struct Writer<'a> {
    compilation: &'a Compilation,
    sources: &'a SourceMap,
    goal: &'a Goal,
}

impl Writer<'_> {
    fn human(&self, answer: &Answer<'_>) -> String {
        let (agent, what) = (shown::line(answer.agent), self.goal.capability);
        let about = self.about();
        let mut out = match answer.ways.ways.len() {
            0 if answer.ways.doubts.is_empty() => {
                return format!("\x1b[1m{agent}\x1b[0m cannot {what}{about}: no way is known\n");
            }
            0 => format!("\x1b[1m{agent}\x1b[0m: whether it can {what}{about} was not settled; raise `--budget`\n"),
            1 => format!("\x1b[1m{agent}\x1b[0m can {what}{about}, in one way\n"),
            many => format!("\x1b[1m{agent}\x1b[0m can {what}{about}, in {many} ways\n"),
        };
        for (way, more) in folded(&answer.ways.ways) {
            out.push('\n');
            self.way(&mut out, way, more);
        }
        out.push('\n');
        match &answer.remedy {
            Some(remedy) => {
                out.push_str("  these changes close them all, and none can be left out:\n");
                for change in &remedy.changes {
                    let _ = writeln!(out, "    {}", self.change(change));
                }
            }
            None if !answer.ways.ways.is_empty() => {
                out.push_str("  no small change was found that is proved to close them all\n");
            }
            None => {}
        }
        out
    }

    fn about(&self) -> String {
        let listed = |patterns: &[Pattern]| {
            patterns.iter().map(|pattern| format!("\"{}\"", shown::line(pattern.text()))).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::new();
        if !self.goal.include.is_empty() {
            text.push_str(&format!(" {}", listed(&self.goal.include)));
        }
        if !self.goal.except.is_empty() {
            text.push_str(&format!(" except {}", listed(&self.goal.except)));
        }
        if self.goal.silently {
            text.push_str(" silently");
        }
        text
    }

    fn way(&self, out: &mut String, way: &Way, more: usize) {
        for (depth, step) in way.steps.iter().enumerate() {
            let indent = "  ".repeat(depth + 1);
            let to = step.to.as_ref().map_or(String::new(), |to| format!(" → {}", shown::line(to)));
            let (permission, resource) = (shown::line(&step.permission), shown::line(&step.resource));
            let _ = writeln!(
                out,
                "{indent}{:5}  {permission} \"{resource}\" ({}){to}",
                step.action.word(),
                shown::line(&step.agent)
            );
            let last = depth + 1 == way.steps.len();
            if let (true, Some(why)) = (last, why(&way.act)) {
                let _ = writeln!(out, "{indent}       {why}");
            }
            let _ = writeln!(out, "{indent}       {}", self.by(step, last && matches!(way.act, Act::Unasked(_))));
        }
        if more > 0 {
            let _ = writeln!(out, "         and {more} more command lines by this rule");
        }
    }

    fn by(&self, step: &Step, unasked: bool) -> String {
        let set = self.compilation.rulesets.iter().find(|set| set.agent == step.agent);
        let rule = set.and_then(|set| decide::decide(set, &step.permission, &step.resource).rule);
        match rule {
            _ if unasked => "nobody is asked".to_owned(),
            Some((_, rule)) => {
                let permission = shown::line(rule.permission.text());
                let (pattern, origin) = (decision::pattern(rule), decision::origin(rule, self.sources));
                format!("by {} {permission} {pattern}  {origin}", rule.action)
            }
            None => "no rule matches, so it is asked".to_owned(),
        }
    }

    fn change(&self, change: &Change) -> String {
        let behind = |agent: &str, place: Option<usize>| {
            let set = self.compilation.rulesets.iter().find(|set| set.agent == agent);
            let last = set.is_some_and(|set| place.is_some_and(|at| at + 1 == set.rules.len()));
            let rule = place.and_then(|at| set?.rules.get(at));
            if last {
                return "as the last rule of all".to_owned();
            }
            rule.map_or("before all rules".to_owned(), |rule| {
                let permission = shown::line(rule.permission.text());
                let (pattern, origin) = (decision::pattern(rule), decision::origin(rule, self.sources));
                format!("behind {} {permission} {pattern}  {origin}", rule.action)
            })
        };
        match change {
            Change::Deny { agent, permission, pattern, keep, after } => {
                let keep: String =
                    keep.iter().map(|pattern| format!(", but not \"{}\"", shown::line(pattern))).collect();
                let (name, pattern) = (shown::line(agent), shown::line(pattern));
                format!("{name}: deny {permission} \"{pattern}\"{keep}, {}", behind(agent, *after))
            }
            Change::DeclaredOnly { agent, at } => {
                format!("{}: deny every tool that no permission declares, {}", shown::line(agent), behind(agent, *at))
            }
            Change::Confirm { switch } => format!("let a person confirm the switch {}", shown::line(switch)),
        }
    }

    fn json(&self, answers: &[Answer<'_>]) -> Value {
        let texts = |patterns: &[Pattern]| -> Vec<String> {
            patterns.iter().map(|pattern| redact(pattern.text()).into_owned()).collect()
        };
        let answers: Vec<Value> = answers.iter().map(|answer| self.answer_json(answer)).collect();
        json!({
            "schema": "policyc/can/1",
            "capability": self.goal.capability.word(),
            "patterns": texts(&self.goal.include),
            "except": texts(&self.goal.except),
            "silently": self.goal.silently,
            "agents": answers,
        })
    }

    fn answer_json(&self, answer: &Answer<'_>) -> Value {
        let ways: Vec<Value> = answer.ways.ways.iter().map(|way| self.way_json(way)).collect();
        let changes = answer.remedy.as_ref().map(|remedy| {
            remedy.changes.iter().map(|change| redact(&self.change(change)).into_owned()).collect::<Vec<_>>()
        });
        json!({
            "agent": redact(answer.agent),
            "ways": ways,
            "undecided": answer.ways.doubts.len(),
            "changes": changes,
        })
    }

    fn way_json(&self, way: &Way) -> Value {
        let calls = way.steps.iter().map(|step| {
            let set = self.compilation.rulesets.iter().find(|set| set.agent == step.agent);
            let rule = step.rule.and_then(|at| set?.rules.get(at));
            json!({
                "agent": redact(&step.agent),
                "permission": redact(&step.permission),
                "resource": redact(&step.resource),
                "action": step.action.word(),
                "to": step.to.as_deref().map(redact),
                "rule": rule.map(|rule| decision::rule_json(rule, self.sources)),
            })
        });
        let calls: Vec<Value> = calls.collect();
        let (kind, family) = match &way.act {
            Act::Permission => ("permission", None),
            Act::Command { family, .. } => ("command", family.map(|family| family.word())),
            Act::Undeclared => ("undeclared", None),
            Act::Unasked(_) => ("unasked", None),
            Act::Chain => ("delegation", None),
        };
        json!({ "kind": kind, "family": family, "why": why(&way.act), "calls": calls })
    }
}

fn why(act: &Act) -> Option<String> {
    match act {
        Act::Command { reason, line, .. } => Some(match reason {
            Some(reason) => shown::line(reason),
            None => format!("one of `{}`", shown::line(line)),
        }),
        Act::Undeclared => Some("no permission declares this tool, so it may do anything".to_owned()),
        Act::Unasked(why) => Some((*why).to_owned()),
        Act::Permission | Act::Chain => None,
    }
}

/// Of the command lines that one rule lets pass only the first, with how many more there are.
fn folded(ways: &[Way]) -> Vec<(&Way, usize)> {
    let mut out: Vec<(&Way, usize)> = Vec::new();
    for way in ways {
        let key = |way: &Way| match (&way.act, way.steps.as_slice()) {
            (Act::Command { .. }, [step]) => Some((step.permission.clone(), step.rule)),
            _ => None,
        };
        match out.iter_mut().find(|(first, _)| key(way).is_some() && key(first) == key(way)) {
            Some((_, more)) => *more += 1,
            None => out.push((way, 0)),
        }
    }
    out
}
