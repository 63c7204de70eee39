//! The answers that are kept. There may be many thousands, so those that say a resource itself are found without a search.

use super::event::Kept;
use crate::language::Case;
use crate::runtimes::Approval;
use indexmap::IndexSet;

/// Answers that are kept, each once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers {
    exact: IndexSet<Kept>,
    wide: IndexSet<Kept>,
}

impl Answers {
    /// All of them: those for one resource first, and each kind in the order they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Kept> {
        self.exact.iter().chain(&self.wide)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.exact.len() + self.wide.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether one covers a request in a session.
    pub(super) fn cover(&self, session: &str, permission: &str, resource: &str, case: Case) -> bool {
        let exact = |session: Option<&str>| {
            let approval = Approval::exact(permission, resource);
            self.exact.contains(&Kept { approval, session: session.map(str::to_owned) })
        };
        let here = |kept: &Kept| kept.session.as_deref().is_none_or(|place| place == session);
        !self.exact.is_empty() && (exact(Some(session)) || exact(None))
            || self.wide.iter().any(|kept| here(kept) && kept.approval.covers(permission, resource, case))
    }
}

impl Extend<Kept> for Answers {
    fn extend<I: IntoIterator<Item = Kept>>(&mut self, answers: I) {
        for kept in answers {
            let kind = if kept.approval.exact { &mut self.exact } else { &mut self.wide };
            kind.insert(kept);
        }
    }
}
