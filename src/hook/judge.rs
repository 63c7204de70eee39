//! Judging a call: every question is put, and the strictest answer counts.

use super::clipped;
use super::place::Place;
use super::policy::{Policy, Rule, Verdict};
use super::questions::{self, About, Counts, Question};
use super::told::verb;
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
        let (tool, key) = (clipped(&event.tool), clipped(hidden));
        return Ok(Ruling {
            action: Action::Deny,
            reason: format!("`{tool}` is denied: `{key}` is hidden from the agent `{}`", clipped(agent)),
            agent: agent.to_owned(),
            permission: hidden.clone(),
            resource: None,
            rule: None,
        });
    }
    let mut strictest: Option<(&Question, Verdict)> = None;
    for question in &questions.all {
        let Some(verdict) = answer(policy, agent, question) else { continue };
        if strictest.as_ref().is_none_or(|(_, other)| verdict.action > other.action) {
            strictest = Some((question, verdict));
        }
    }
    let (question, verdict) = strictest.ok_or("nothing in the call can be asked about")?;
    Ok(Ruling {
        action: verdict.action,
        reason: reason(agent, question, &verdict),
        agent: agent.to_owned(),
        permission: question.permission.clone(),
        resource: match &question.about {
            About::Text(text) => Some(text.clone()),
            About::Open | About::Unreadable(_) => None,
        },
        rule: verdict.rule,
    })
}

/// The answer to a question; `None`: it does not count.
fn answer(policy: &Policy<'_>, agent: &str, question: &Question) -> Option<Verdict> {
    let permission = &question.permission;
    let text = match &question.about {
        About::Text(text) => text,
        About::Unreadable(_) => return Some(policy.strictest(agent, permission)),
        About::Open => {
            let verdict = policy.strictest(agent, permission);
            return Some(Verdict { action: verdict.action.min(Action::Ask), ..verdict });
        }
    };
    let verdict = policy.decide(agent, permission, text);
    let rule = verdict.rule.as_ref();
    match question.counts {
        Counts::Always => Some(verdict),
        Counts::IfNarrow => rule.is_some_and(|rule| rule.narrow).then_some(verdict),
        Counts::IfNamed => rule.is_some_and(|rule| rule.named).then_some(verdict),
        Counts::Distrusted if verdict.action == Action::Allow && !rule.is_some_and(|rule| rule.named) => {
            Some(Verdict { action: Action::Ask, rule: None })
        }
        Counts::Distrusted => Some(verdict),
    }
}

/// `bash "rm -rf build" is denied for the agent "build" by deny bash "rm *" (team.policy:3:13), because ...`
fn reason(agent: &str, question: &Question, verdict: &Verdict) -> String {
    let permission = clipped(&question.permission);
    let what = match &question.about {
        About::Text(text) => format!("{permission} \"{}\"", clipped(text)),
        About::Open => format!("{permission} of what is known only when it runs"),
        About::Unreadable(why) => format!("{permission} of what cannot be read ({})", clipped(why)),
    };
    let done = verb(verdict.action);
    let why = match &verdict.rule {
        Some(Rule { text, place, because, .. }) => {
            let because = because.as_ref().map(|because| format!(", because {because}")).unwrap_or_default();
            format!("by {text} ({place}){because}")
        }
        None if question.counts == Counts::Distrusted => "as no rule speaks of this tool".to_owned(),
        None => "as no rule matches".to_owned(),
    };
    format!("{what} is {done} for the agent `{}` {why}", clipped(agent))
}
