//! Going back to an earlier event, branches, and the end of the program: what is kept over them.

use super::event::{Entry, Event, Kept};
use super::{Refusal, Session, State};
use crate::runtimes::Memory;

impl Session<'_> {
    /// The history goes on from an earlier event, as it was then.
    pub(super) fn back(&mut self, to: u64) -> Result<(), Refusal> {
        let (session, then) = self.at(to)?;
        let approvals = self.over(&then);
        self.jump(to, session, then, Event::Returned { approvals })
    }

    /// A branch goes on from an event. What waits there belongs to the branch it was asked in.
    pub(super) fn fork(&mut self, from: Option<u64>) -> Result<(), Refusal> {
        let from = from.unwrap_or(self.log.next().saturating_sub(1));
        let (session, then) = self.at(from)?;
        let approvals = self.over(&then);
        self.jump(from, session, then, Event::Forked { approvals })
    }

    /// The program was started again.
    pub(super) fn start_again(&mut self, person: Option<bool>) -> Result<(), Refusal> {
        let person = person.unwrap_or(self.state.person);
        let approvals = match self.world.facts().memory {
            Memory::Process => Vec::new(),
            Memory::Session | Memory::Project => self.state.kept.iter().cloned().collect(),
        };
        self.emit(super::MAIN, Event::Resumed { person, approvals }).map(drop)
    }

    /// The session of an event, and where things stood after it.
    fn at(&self, id: u64) -> Result<(String, State), Refusal> {
        let Some(entry) = self.log.get(id) else {
            let last = self.log.next().saturating_sub(1);
            return Err(Refusal::new(format!("there is no event {id}")).help(format!("the last one is {last}")));
        };
        let mut state = State::default();
        for entry in self.log.path_to(Some(id)) {
            state.apply(entry).map_err(Refusal::new)?;
        }
        Ok((entry.session.clone(), state))
    }

    /// The answers that hold after going to where things stood `then`.
    fn over(&self, then: &State) -> Vec<Kept> {
        match self.world.facts().memory {
            Memory::Session => then.kept.iter().cloned().collect(),
            // The program's memory knows nothing of histories.
            Memory::Process | Memory::Project => self.state.kept.iter().cloned().collect(),
        }
    }

    fn jump(&mut self, to: u64, session: String, then: State, event: Event) -> Result<(), Refusal> {
        let now = std::mem::replace(&mut self.state, then);
        let entry = Entry { id: self.log.next(), parent: Some(to), session, event };
        self.push(entry).map(drop).inspect_err(|_| self.state = now)
    }
}
