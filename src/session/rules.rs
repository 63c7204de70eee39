//! What becomes of a request in a session: the agent's rules, the session's own, and the answers that are kept.

use super::event::Ruling;
use super::{Conversation, Refusal, Session};
use crate::decide::{self, Decision};
use crate::language::Case;
use crate::model::Visibility;
use crate::rule::Action;
use crate::ruleset::Ruleset;
use crate::runtimes::SessionRule;

/// What becomes of a request, and by which rule.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Verdict {
    pub(super) action: Action,
    /// `None`: no rule speaks of it.
    pub(super) rule: Option<Ruling>,
}

impl Session<'_> {
    /// Decides a request of an agent in a session.
    pub(super) fn decide(
        &self,
        session: &str,
        agent: &str,
        permission: &str,
        resource: &str,
    ) -> Result<Verdict, Refusal> {
        let mut verdict = self.by_rules(session, agent, permission, resource)?;
        let denied = verdict.action == Action::Deny && !self.world.facts().kept_beats_deny;
        if !denied && !self.outranked(agent, &verdict) && self.is_kept(session, agent, permission, resource)? {
            verdict.action = Action::Allow;
        }
        Ok(verdict)
    }

    /// The same without the answers that are kept.
    fn by_rules(&self, session: &str, agent: &str, permission: &str, resource: &str) -> Result<Verdict, Refusal> {
        let facts = self.world.facts();
        let set = self.world.set(agent)?;
        let conversation = self.conversation(session)?;
        let mut verdict = ruled(set, &decide::decide(set, permission, resource));
        // Repetitions are the agent's affair alone.
        let whole = facts.repeats.is_some_and(|repeats| repeats.permission == permission);
        let own = conversation.rules.iter().rfind(|rule| rule.matches(permission, resource, set.case));
        if let Some(rule) =
            own.filter(|rule| if facts.session_rules_win { !whole } else { rule.action > verdict.action })
        {
            verdict = Verdict { action: rule.action, rule: Some(of_session(agent, rule)) };
        }
        if let Some((above, agent)) = self.bound(conversation) {
            let theirs = self.by_rules(above, agent, permission, resource)?;
            if theirs.action > verdict.action {
                return Ok(theirs);
            }
        }
        Ok(verdict)
    }

    /// The session and the agent that a conversation may do no more than.
    fn bound<'b>(&'b self, conversation: &'b Conversation) -> Option<(&'b str, &'b str)> {
        let above = conversation.from.as_deref().filter(|_| conversation.bounded)?;
        Some((above, self.state.sessions.get(above)?.agent.as_deref()?))
    }

    /// Whether an answer that is kept covers a request.
    pub(super) fn is_kept(
        &self,
        session: &str,
        agent: &str,
        permission: &str,
        resource: &str,
    ) -> Result<bool, Refusal> {
        let case = self.world.set(agent)?.case;
        Ok(self.state.kept.cover(session, permission, resource, case))
    }

    /// Whether the rule stands behind the answers that are kept, where a merge order gives them a place.
    fn outranked(&self, agent: &str, verdict: &Verdict) -> bool {
        let Some(agent) = self.world.model.agents.get(agent) else { return false };
        let slots = &self.world.model.merge_of(agent).slots;
        let place = |name: &str| slots.iter().position(|slot| &**slot == name);
        let rule = verdict.rule.as_ref().and_then(|rule| place(&rule.slot));
        place("approvals").is_some_and(|answers| rule.is_some_and(|rule| rule > answers))
    }

    /// The tools that the model of a session sees, in the order they are declared.
    ///
    /// # Errors
    /// If there is no such session, or it has no agent.
    pub fn tools(&self, session: &str) -> Result<Vec<String>, Refusal> {
        let conversation = self.conversation(session)?;
        let agent = match &conversation.agent {
            Some(agent) => agent.as_str(),
            None => self.default_agent()?,
        };
        let declared = self.world.model.tools().map(str::to_owned);
        let mut all: Vec<String> = declared.chain(conversation.tools.keys().cloned()).collect();
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|tool| seen.insert(tool.clone()) && self.has(conversation, tool));
        let mut out = Vec::new();
        for tool in all {
            if self.sees(session, agent, &tool)? {
                out.push(tool);
            }
        }
        Ok(out)
    }

    /// Whether a session has a tool, seen or not.
    pub(super) fn has(&self, conversation: &Conversation, tool: &str) -> bool {
        let declared = || self.world.model.tools().any(|one| one == tool);
        let there = || declared() && !self.world.facts().switched_off.contains(&tool);
        let brings = |server: &&str| tool.strip_prefix(server).is_some_and(|rest| rest.starts_with('_'));
        let served = || self.world.servers.iter().any(brings);
        !conversation.without.contains(tool) && (conversation.tools.contains_key(tool) || there() || served())
    }

    /// Whether rules let the model see a tool.
    pub(super) fn sees(&self, session: &str, agent: &str, tool: &str) -> Result<bool, Refusal> {
        let (model, set) = (self.world.model, self.world.set(agent)?);
        let conversation = self.conversation(session)?;
        let key = model.key_of(tool);
        let agents = decide::visible(set, key, model.visibility);
        let mut seen = match shown(&conversation.rules, key, model.visibility, set.case) {
            None => agents,
            Some(own) if self.world.facts().session_rules_win && model.visibility == Visibility::LastDeny => own,
            Some(own) => own && agents,
        };
        if let Some((above, agent)) = self.bound(conversation) {
            seen = seen && self.sees(above, agent, tool)?;
        }
        Ok(seen)
    }
}

/// Whether a session's own rules show a tool; `None`: they do not speak of it.
fn shown(rules: &[SessionRule], key: &str, visibility: Visibility, case: Case) -> Option<bool> {
    let bare = |rule: &SessionRule| rule.action == Action::Deny && rule.pattern == "*";
    let mut speaking = rules.iter().filter(|rule| rule.speaks_of(key, case)).peekable();
    speaking.peek()?;
    match visibility {
        Visibility::LastDeny => speaking.next_back().map(|rule| !bare(rule)),
        Visibility::BareDeny => Some(!speaking.any(bare)),
        Visibility::Fixed => None,
    }
}

fn ruled(set: &Ruleset, decision: &Decision<'_>) -> Verdict {
    let rule = decision.rule.map(|(_, rule)| Ruling {
        agent: set.agent.clone(),
        slot: rule.origin.slot.to_string(),
        action: rule.action,
        permission: rule.permission.text().to_owned(),
        pattern: rule.pattern.text().to_owned(),
        reason: rule.reason.as_deref().map(str::to_owned),
    });
    Verdict { action: decision.action, rule }
}

fn of_session(agent: &str, rule: &SessionRule) -> Ruling {
    Ruling {
        agent: agent.to_owned(),
        slot: "session".to_owned(),
        action: rule.action,
        permission: rule.permission.clone(),
        pattern: rule.pattern.clone(),
        reason: None,
    }
}
