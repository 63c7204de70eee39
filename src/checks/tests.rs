//! Runs the `test` blocks of a policy: what each expectation asks, what came out, and which rules decided.

use super::{vocabulary, written};
use crate::decide::{self, Decision};
use crate::model::{Expectation, Model, Test};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::runtimes::{Asks, Environment, Request, Runtime, Version};
use crate::source::Spanned;

/// How an expectation came out. All but `Passed` count as failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As expected.
    Passed,
    /// Otherwise.
    Failed,
    /// What the call asks cannot be told, so nothing was decided.
    Undecided,
    /// It names an agent, a permission or a tool that nothing knows.
    Unknown,
}

/// One request that an expectation asked, and its decision.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The request.
    pub request: Request,
    /// What became of it.
    pub decision: Decision<'a>,
}

/// One expectation and what came out.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The expectation and its place.
    pub expectation: &'a Spanned<Expectation>,
    /// What came out of it.
    pub verdict: Verdict,
    /// What was asked, in order; nothing for a tool's visibility.
    pub asked: Vec<Asked<'a>>,
    /// The rule that a tool's visibility hangs on: the last that speaks of its permission.
    pub speaker: Option<&'a Rule>,
    /// Why nothing could be decided.
    pub why: Option<String>,
}

/// A test block and its outcomes.
#[derive(Clone, Debug)]
pub struct Block<'a> {
    /// The block.
    pub test: &'a Test,
    /// The ruleset of its agent, if that exists.
    pub set: Option<&'a Ruleset>,
    /// One outcome an expectation, in order.
    pub outcomes: Vec<Outcome<'a>>,
}

/// All test blocks, in reading order.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// The blocks.
    pub blocks: Vec<Block<'a>>,
}

impl<'a> Run<'a> {
    /// Every outcome with its block.
    pub fn outcomes(&self) -> impl Iterator<Item = (&Block<'a>, &Outcome<'a>)> {
        self.blocks.iter().flat_map(|block| block.outcomes.iter().map(move |outcome| (block, outcome)))
    }

    /// How many expectations came out as expected.
    pub fn passed(&self) -> usize {
        self.outcomes().filter(|(_, outcome)| outcome.verdict == Verdict::Passed).count()
    }

    /// How many did not.
    pub fn failed(&self) -> usize {
        self.outcomes().count() - self.passed()
    }
}

impl<'a> Outcome<'a> {
    /// The rules it hangs on.
    pub fn rules(&self) -> impl Iterator<Item = &'a Rule> {
        self.asked.iter().filter_map(|asked| asked.decision.rule).map(|(_, rule)| rule).chain(self.speaker)
    }

    /// What became of the whole call; of a request, its decision.
    pub fn action(&self) -> Action {
        decide::strictest(self.asked.iter().map(|asked| asked.decision.action))
    }

    /// The expectation as a person would write it, its action left out.
    pub fn text(&self) -> String {
        match &self.expectation.node {
            Expectation::Request { permission, resource, .. } => format!("{} `{}`", permission.node, resource.node),
            Expectation::Visible(tool) | Expectation::Hidden(tool) => tool.node.clone(),
            Expectation::Call { tool, input, .. } => format!("`{} {}`", tool.node, input.node),
        }
    }
}

/// Runs every test block.
pub fn run<'a>(
    model: &'a Model,
    rulesets: &'a [Ruleset],
    (runtime, version): (&dyn Runtime, &Version),
    environment: Option<&Environment>,
) -> Run<'a> {
    let block = |test: &'a Test| {
        let set = rulesets.iter().find(|set| set.agent == test.agent.node);
        let outcomes = test.expectations.iter().map(|expectation| {
            let mut outcome =
                Outcome { expectation, verdict: Verdict::Unknown, asked: Vec::new(), speaker: None, why: None };
            if let Some(set) = set.filter(|_| vocabulary::unknown_in_test(model, rulesets, &expectation.node).is_none())
            {
                judge(&mut outcome, model, set, |tool, input| runtime.asks(tool, input, version, environment));
            }
            outcome
        });
        Block { test, set, outcomes: outcomes.collect() }
    };
    Run { blocks: model.tests.iter().map(block).collect() }
}

fn judge<'a>(
    outcome: &mut Outcome<'a>,
    model: &Model,
    set: &'a Ruleset,
    asks: impl Fn(&str, &serde_json::Value) -> Result<Asks, String>,
) {
    let ask =
        |request: Request| Asked { decision: decide::decide(set, &request.permission, &request.resource), request };
    let verdict = |good: bool| if good { Verdict::Passed } else { Verdict::Failed };
    match &outcome.expectation.node {
        Expectation::Request { permission, resource, action } => {
            outcome.asked = vec![ask(Request { permission: permission.node.clone(), resource: resource.node.clone() })];
            outcome.verdict = verdict(outcome.action() == *action);
        }
        Expectation::Call { tool, input, action } => match asks(&tool.node, &input.node) {
            Ok(asks) => {
                outcome.asked = asks.requests.into_iter().map(ask).collect();
                // A tool that the model does not see cannot be called.
                let seen = sees(model, set, &tool.node);
                let came = if seen { outcome.action() } else { Action::Deny };
                outcome.verdict = verdict(came == *action);
                // What may be asked beside it makes a call stricter, never looser.
                if let Some(why) = asks.open.filter(|_| came != Action::Deny && came <= *action) {
                    (outcome.verdict, outcome.why) = (Verdict::Undecided, Some(why));
                }
            }
            Err(why) => (outcome.verdict, outcome.why) = (Verdict::Undecided, Some(why)),
        },
        Expectation::Visible(tool) => {
            outcome.speaker = speaker(model, set, &tool.node);
            outcome.verdict = verdict(sees(model, set, &tool.node));
        }
        Expectation::Hidden(tool) => {
            outcome.speaker = speaker(model, set, &tool.node);
            outcome.verdict = verdict(!sees(model, set, &tool.node));
        }
    }
}

/// Whether the agent of `set` sees a tool.
fn sees(model: &Model, set: &Ruleset, tool: &str) -> bool {
    decide::visible(set, model.key_of(tool), model.visibility)
}

/// The last rule that speaks of a tool's permission.
fn speaker<'a>(model: &Model, set: &'a Ruleset, tool: &str) -> Option<&'a Rule> {
    let key = model.key_of(tool);
    set.rules.iter().rfind(|rule| rule.permission.matches(key, set.case))
}

/// Whether an expectation would still come out so if the rule `id` had another action, or (`None`) were not there.
pub(crate) fn holds_if(
    model: &Model,
    set: &Ruleset,
    outcome: &Outcome<'_>,
    (id, action): (u32, Option<Action>),
) -> bool {
    let changed = |rule: &Rule| match (rule.id == id, action) {
        (false, _) => Some(rule.clone()),
        (true, Some(action)) => Some(Rule { action, ..rule.clone() }),
        (true, None) => None,
    };
    let about = |permission: &str| {
        let speaking = set.rules.iter().filter(|rule| written::matches(&rule.permission, permission, set.case));
        Ruleset { agent: set.agent.clone(), rules: speaking.filter_map(changed).collect(), case: set.case }
    };
    let sees = |tool: &str| decide::visible(&about(model.key_of(tool)), model.key_of(tool), model.visibility);
    match &outcome.expectation.node {
        Expectation::Visible(tool) => sees(&tool.node),
        Expectation::Hidden(tool) => !sees(&tool.node),
        Expectation::Request { action, .. } | Expectation::Call { action, .. } => {
            let requests = outcome.asked.iter().map(|asked| &asked.request);
            let decide = |request: &Request| {
                decide::decide(&about(&request.permission), &request.permission, &request.resource).action
            };
            decide::strictest(requests.map(decide)) == *action
        }
    }
}
