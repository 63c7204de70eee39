//! Judging a call: every question is put, and the strictest answer counts.

use super::place::Place;
use super::policy::{Policy, Rule, Verdict};
use super::questions::{self, About, Counts, Question};
use super::told::verb;
use super::{Part, clipped};
use crate::rule::Action;
use crate::runtimes::protocol::Event;

/// What becomes of a call, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// What becomes of it.
    pub action: Action,
    /// Why, for a person and for the model.
    pub reason: String,
    /// The agent.
    pub agent: String,
    /// The permission that was decisive.
    pub permission: String,
    /// What was asked for it; `None`: it is not known.
    pub resource: Option<String>,
    /// The rule that decided.
    pub rule: Option<Rule>,
}

/// Judges a call.
///
/// # Errors
/// If the agent is not known, or something in the call cannot be judged; then it must not run.
pub fn judge(policy: &Policy<'_>, event: &Event, place: &Place, agent: Option<&str>) -> Result<Ruling, String> {
    let agent = policy.agent(event.agent.as_deref().or(agent))?;
    let questions = questions::of(policy, event, place)?;
    if let Some(hidden) = questions.keys.iter().find(|key| !policy.visible(agent, key)) {
        return Ok(unseen(policy, agent, &event.tool, hidden));
    }
    let mut strictest: Option<(&Question, Verdict)> = None;
    for question in &questions.all {
        let Some(verdict) = answer(policy, agent, question) else { continue };
        if strictest.as_ref().is_none_or(|(_, other)| verdict.action > other.action) {
            let last = verdict.action == Action::Deny;
            strictest = Some((question, verdict));
            if last {
                break;
            }
        }
    }
    let (question, verdict) = strictest.ok_or("nothing in the call can be asked about")?;
    let rule = verdict.rule.and_then(|decider| policy.rule(agent, decider));
    Ok(Ruling {
        action: verdict.action,
        reason: reason(agent, question, verdict.action, rule.as_ref()),
        agent: agent.to_owned(),
        permission: question.permission.clone(),
        resource: match &question.about {
            About::Text(text) => Some(text.clone()),
            About::Open(_) | About::Unreadable(_) => None,
        },
        rule,
    })
}

/// A call of a tool that the agent's model does not see.
fn unseen(policy: &Policy<'_>, agent: &str, tool: &str, key: &str) -> Ruling {
    let decider = policy.decide(agent, key, "*").rule.filter(|rule| !rule.narrow);
    let rule = decider.and_then(|decider| policy.rule(agent, decider));
    let why = rule.as_ref().map(|rule| format!(" {}", by(rule))).unwrap_or_default();
    let (tool, shown) = (clipped(tool), clipped(key));
    Ruling {
        action: Action::Deny,
        reason: format!("`{tool}` is denied, for `{shown}` is hidden from the agent `{}`{why}", clipped(agent)),
        agent: agent.to_owned(),
        permission: key.to_owned(),
        resource: None,
        rule,
    }
}

/// The answer to a question; `None`: it does not count.
fn answer(policy: &Policy<'_>, agent: &str, question: &Question) -> Option<Verdict> {
    let permission = &question.permission;
    let verdict = match &question.about {
        About::Text(text) => policy.decide(agent, permission, text),
        About::Unreadable(_) => policy.strictest(agent, permission, &Part::default()),
        About::Open(part) => {
            let verdict = policy.strictest(agent, permission, part);
            Verdict { action: verdict.action.min(Action::Ask), ..verdict }
        }
    };
    let rule = verdict.rule;
    let counts = match question.counts {
        Counts::Always => true,
        Counts::IfNarrow => rule.is_some_and(|rule| rule.narrow),
        Counts::IfNamed => rule.is_some_and(|rule| rule.named),
        Counts::Distrusted if verdict.action == Action::Allow && !rule.is_some_and(|rule| rule.named) => {
            return Some(Verdict { action: Action::Ask, rule: None });
        }
        Counts::Distrusted => true,
    };
    counts.then_some(verdict)
}

/// What is asked, what becomes of it for whom, and why.
fn reason(agent: &str, question: &Question, action: Action, rule: Option<&Rule>) -> String {
    let permission = clipped(&question.permission);
    let what = match &question.about {
        About::Text(text) => format!("{permission} `{}`", clipped(text)),
        About::Open(part) if part.begins.is_empty() => format!("{permission} of what is known only when it runs"),
        About::Open(part) => {
            format!("{permission} of `{}` and what follows, which is known only when it runs,", clipped(&part.begins))
        }
        About::Unreadable(why) => format!("{permission} of what cannot be read ({})", clipped(why)),
    };
    let done = verb(action);
    let why = match rule {
        Some(rule) if matches!(question.about, About::Open(_)) && action == Action::Ask => {
            format!("as it may fall under {}", told(rule))
        }
        Some(rule) => by(rule),
        None if question.counts == Counts::Distrusted => "as no rule speaks of this tool".to_owned(),
        None => "as no rule matches".to_owned(),
    };
    format!("{what} is {done} for the agent `{}` {why}", clipped(agent))
}

fn by(rule: &Rule) -> String {
    format!("by {}", told(rule))
}

fn told(rule: &Rule) -> String {
    let because = rule.because.as_ref().map(|because| format!(", because {because}")).unwrap_or_default();
    format!("{} ({}){because}", rule.text, rule.place)
}
