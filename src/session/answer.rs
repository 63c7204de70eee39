//! What a person's answer does: to the request, to others that wait, and to what comes later.

use super::event::Event;
use super::state::{Question, Waiting};
use super::switch::CANCEL;
use super::{Refusal, Session};
use crate::rule::Action;
use crate::runtimes::{Approval, Memory};

/// The answers to a request.
const ANSWERS: [&str; 3] = ["once", "always", "reject"];

impl Session<'_> {
    pub(super) fn answer(&mut self, request: Option<u64>, word: &str, text: Option<String>) -> Result<(), Refusal> {
        let (request, waiting) = self.waiting(request)?;
        let Waiting { call, session, question } = waiting.clone();
        match question {
            Question::Switch { answers, to } => {
                check(word, answers.iter().map(String::as_str).chain([CANCEL]))?;
                self.confirm(request, call, (&to, &answers), (word, text))
            }
            Question::Permission { stage, always, .. } => {
                check(word, ANSWERS)?;
                self.emit(&session, Event::Answered { request, answer: word.to_owned(), text: text.clone() })?;
                match word {
                    "once" => self.go_on(call, stage + 1),
                    "always" => self.keep(&session, (call, stage), always),
                    _ => self.reject(&session, request, call, text),
                }
            }
        }
    }

    /// The request that is meant.
    fn waiting(&self, request: Option<u64>) -> Result<(u64, &Waiting), Refusal> {
        let oldest = || self.state.waiting.first_key_value().map(|(request, waiting)| (*request, waiting));
        let found = match request {
            Some(request) => self.state.waiting.get(&request).map(|waiting| (request, waiting)),
            None => oldest(),
        };
        found.ok_or_else(|| {
            let why = match request.map(|request| (request, self.log.get(request))) {
                None => "no request waits for an answer".to_owned(),
                Some((request, Some(entry))) => match entry.event {
                    Event::Asked { .. } | Event::Confirm { .. } => {
                        format!("request {request} waits no longer: it was answered, released or left behind")
                    }
                    _ => format!("event {request} asks nothing"),
                },
                Some((request, None)) => format!("there is no event {request}"),
            };
            let open: Vec<String> = self.state.waiting.keys().map(u64::to_string).collect();
            let help =
                if open.is_empty() { "nothing waits".to_owned() } else { format!("waiting: {}", open.join(", ")) };
            Refusal::new(why).help(help)
        })
    }

    /// "Always": the answer is kept, and what waits in the session and is covered now goes on.
    fn keep(&mut self, session: &str, (call, stage): (u64, usize), approvals: Vec<Approval>) -> Result<(), Refusal> {
        let everywhere = self.world.facts().memory != Memory::Session;
        self.emit(session, Event::Approved { approvals, everywhere })?;
        self.go_on(call, stage + 1)?;
        let others: Vec<u64> = self.waiting_in(session);
        for request in others {
            let Some(Waiting { call, question: Question::Permission { stage, .. }, .. }) =
                self.state.waiting.get(&request)
            else {
                continue;
            };
            let (call, stage) = (*call, *stage);
            if self.is_satisfied(request)? {
                self.emit(session, Event::Released { request })?;
                self.go_on(call, stage + 1)?;
            }
        }
        Ok(())
    }

    fn waiting_in(&self, session: &str) -> Vec<u64> {
        let here = self.state.waiting.iter().filter(|(_, waiting)| waiting.session == session);
        here.map(|(request, _)| *request).collect()
    }

    /// Whether a waiting request needs no answer any more.
    fn is_satisfied(&self, request: u64) -> Result<bool, Refusal> {
        let Some(Waiting { call, session, question: Question::Permission { permission, resources, .. } }) =
            self.state.waiting.get(&request)
        else {
            return Ok(false);
        };
        let agent = &self.state.open_call(*call).map_err(Refusal::new)?.agent;
        for resource in resources {
            // Where answers count after all rules, they alone are looked at here.
            let passes = if self.world.facts().kept_beats_deny {
                self.is_kept(session, agent, permission, resource)?
            } else {
                self.decide(session, agent, permission, resource)?.action == Action::Allow
            };
            if !passes {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// "Reject": the call fails; in some runtimes so does all that waits in the session, and the turn ends.
    fn reject(&mut self, session: &str, request: u64, call: u64, text: Option<String>) -> Result<(), Refusal> {
        let ends = self.world.facts().reject_ends_turn;
        let others = if ends { self.waiting_in(session) } else { Vec::new() };
        let silent = text.is_none();
        self.emit(session, Event::Rejected { call, request, text })?;
        let mut plain = silent;
        for other in others {
            let Some(Waiting { call, question: Question::Permission { .. }, .. }) = self.state.waiting.get(&other)
            else {
                continue;
            };
            let call = *call;
            self.emit(session, Event::Rejected { call, request: other, text: None })?;
            plain = true;
        }
        if ends && plain {
            self.emit(session, Event::Stopped {})?;
        }
        Ok(())
    }
}

fn check<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Result<(), Refusal> {
    let known: Vec<&str> = known.into_iter().collect();
    if known.contains(&word) {
        return Ok(());
    }
    Err(Refusal::new(format!("`{word}` is no answer to this")).help(format!("it takes {}", known.join(", "))))
}
