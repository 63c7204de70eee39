//! Switches: tools by which the model asks to hand the session to another agent.

use super::act::Call;
use super::event::{Chosen, Event};
use super::state::OpenCall;
use super::{Refusal, Session};
use crate::language::Case;
use crate::model::{Switch, Unattended};
use crate::rule::Action;
use camino::{Utf8Component, Utf8Path};

/// The answer that puts a question aside; every question takes it.
pub(super) const CANCEL: &str = "cancel";

impl Session<'_> {
    fn switch_of(&self, tool: Option<&str>) -> Option<(&str, &Switch)> {
        let (name, switch) = self.world.model.switches.get_key_value(tool?)?;
        Some((name, switch))
    }

    /// Why a switch fails before anybody is asked.
    pub(super) fn no_switch(&self, call: &Call, agent: &str) -> Option<String> {
        let (name, switch) = self.switch_of(call.tool.as_deref())?;
        let from = switch.from.as_ref().map(|from| from.node.as_str());
        if !self.world.facts().switches_from_anywhere
            && let Some(from) = from.filter(|from| *from != agent)
        {
            return Some(format!("`{name}` leaves agent `{from}`, and the session is with agent `{agent}`"));
        }
        let Some(to) = &switch.to else { return Some(format!("`{name}` leads to no agent")) };
        if let Err(why) = self.get(&to.node) {
            return Some(format!("`{name}` leads nowhere: {why}"));
        }
        self.no_file(switch, call)
    }

    /// What is wrong with the file that is handed in.
    fn no_file(&self, switch: &Switch, call: &Call) -> Option<String> {
        if switch.requires.is_empty() {
            return None;
        }
        let Some(file) = &call.file else { return Some("a file must be handed in, and none is".to_owned()) };
        let Some(path) = inside(&file.path) else {
            return Some(format!("`{}` lies outside the working folder", file.path));
        };
        if !switch.requires.iter().any(|pattern| pattern.node.matches(&path, Case::Sensitive)) {
            let wanted: Vec<&str> = switch.requires.iter().map(|pattern| pattern.node.text()).collect();
            return Some(format!("`{path}` is no such file as must be handed in: {}", wanted.join(", ")));
        }
        file.text.trim().is_empty().then(|| format!("`{path}` is empty"))
    }

    /// Whether the question of a switch stands for asking this permission.
    pub(super) fn is_question(&self, call: &OpenCall, permission: &str) -> bool {
        let Some((name, _)) = self.switch_of(call.tool.as_deref()) else { return false };
        self.world.model.key_of(name) == permission
    }

    /// Whether rules want a person to be asked for a switch.
    fn rules_ask(&self, call: &OpenCall) -> Result<bool, Refusal> {
        for request in &call.requests {
            let verdict = self.decide(&call.session, &call.agent, &request.permission, &request.resource)?;
            if verdict.action == Action::Ask {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A switch that no rule stops: confirmed by a person, or by what the policy says of runs without one.
    pub(super) fn switch(&mut self, id: u64, call: &OpenCall) -> Result<(), Refusal> {
        let asks = self.rules_ask(call)?;
        let Some((_, switch)) = self.switch_of(call.tool.as_deref()) else {
            return Err(Refusal::new("the switch is no longer declared"));
        };
        let to = switch.to.as_ref().map(|to| to.node.clone()).unwrap_or_default();
        let question = asks || switch.confirm.is_some() || !switch.answers.is_empty();
        let (unattended, note) = (switch.unattended, switch.note.clone());
        if question && self.state.person {
            let question = switch.confirm.clone().unwrap_or_else(|| format!("Switch to agent `{to}`?"));
            let answers = answers(switch);
            return self.emit(&call.session, Event::Confirm { call: id, question, answers, to }).map(drop);
        }
        if question && (asks || unattended == Unattended::Stay) {
            let file = call.file.clone();
            return self.emit(&call.session, Event::Recorded { call: id, file }).map(drop);
        }
        self.hand_over(id, &call.session, &to, note)
    }

    /// The session goes to another agent, and the model is told.
    fn hand_over(&mut self, call: u64, session: &str, to: &str, note: Option<String>) -> Result<(), Refusal> {
        self.emit(session, Event::Ran { call })?;
        self.change(session, to, Chosen::Switch)?;
        let note = note.unwrap_or_else(|| format!("Approved. Agent `{to}` goes on from here."));
        self.tell(session, to, note)
    }

    /// A person's answer to a switch: the first word approves, the last rejects, those between want changes.
    pub(super) fn confirm(
        &mut self,
        request: u64,
        call: u64,
        (to, answers): (&str, &[String]),
        (word, text): (&str, Option<String>),
    ) -> Result<(), Refusal> {
        let open = self.state.open_call(call).map_err(Refusal::new)?.clone();
        let answer = Event::Answered { request, answer: word.to_owned(), text: text.clone() };
        let session = open.session.as_str();
        self.emit(session, answer)?;
        if answers.first().is_some_and(|first| first == word) {
            if let Some((denied, verdict)) = self.denial_now(&open)?
                && !self.world.facts().kept_beats_deny
            {
                let denied = denied.clone();
                return self.deny(call, session, &denied, verdict);
            }
            let note = self.switch_of(open.tool.as_deref()).and_then(|(_, switch)| switch.note.clone());
            return self.hand_over(call, session, to, note);
        }
        self.emit(session, Event::Rejected { call, request, text })?;
        if word == CANCEL || answers.last().is_some_and(|last| last == word) {
            self.emit(session, Event::Stopped {})?;
        }
        Ok(())
    }
}

/// The answers of a switch: those it declares, else yes and no.
fn answers(switch: &Switch) -> Vec<String> {
    let declared: Vec<String> = switch.answers.iter().map(|answer| answer.node.clone()).collect();
    if declared.is_empty() { vec!["yes".to_owned(), "no".to_owned()] } else { declared }
}

/// A path in the working folder, by its text alone; `None`: it lies elsewhere.
fn inside(path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in Utf8Path::new(path).components() {
        match part {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir => drop(parts.pop()?),
            Utf8Component::Normal("~") if parts.is_empty() => return None,
            Utf8Component::Normal(part) => parts.push(part),
            Utf8Component::RootDir | Utf8Component::Prefix(_) => return None,
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}
