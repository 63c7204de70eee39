//! What is asked with and answered: budgets, colours, calls, and the three-valued answer.

/// What the engine says to a question. `Undecided` is never to be read as `No`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// No such call exists: a theorem.
    No,
    /// One exists, or the thing asked for: also a theorem.
    Yes(T),
    /// The budget ended first, after this many states.
    Undecided {
        /// The states that this question spent.
        states: usize,
    },
}

impl<T> Answer<T> {
    /// The same answer about something else.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::No => Answer::No,
            Answer::Yes(found) => Answer::Yes(change(found)),
            Answer::Undecided { states } => Answer::Undecided { states },
        }
    }

    /// What was found, if anything was.
    pub fn yes(self) -> Option<T> {
        match self {
            Answer::Yes(found) => Some(found),
            Answer::No | Answer::Undecided { .. } => None,
        }
    }

    /// Whether the answer is a proved no.
    pub fn is_no(&self) -> bool {
        matches!(self, Answer::No)
    }
}

/// A concrete call: the witness of an answer. Well-formed text, printable where the patterns allow it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// What the key patterns are matched with.
    pub key: String,
    /// What the value patterns are matched with.
    pub value: String,
}

/// A set of colours, each in `0..4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colours(u8);

impl Colours {
    /// All four.
    pub const ALL: Colours = Colours(0b1111);

    /// These colours; what is not in `0..4` is left out.
    pub fn of(colours: &[u8]) -> Colours {
        Colours(colours.iter().filter(|&&colour| colour < 4).fold(0, |set, &colour| set | 1 << colour))
    }

    /// All but this one.
    pub fn except(colour: u8) -> Colours {
        Colours(Self::ALL.0 & !Self::of(&[colour]).0)
    }

    /// Whether some colour is in both sets.
    pub(crate) fn meets(self, other: Colours) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether `colour` is in the set.
    pub fn has(self, colour: u8) -> bool {
        colour < 4 && self.0 & (1 << colour) != 0
    }
}

/// How much searching is allowed, in states of the search, so that results do not depend on the machine.
///
/// One budget goes through all questions of a run. When the run's part is spent, questions that need a search are
/// undecided; those that a decision settles are still answered.
#[derive(Clone, Debug)]
pub struct Budget {
    question: usize,
    run: usize,
    spent: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { question: 100_000, run: 5_000_000, spent: 0 }
    }
}

impl Budget {
    /// A budget of so many states a question, and the default of five million a run.
    pub fn new(question: usize) -> Budget {
        Budget { question, ..Budget::default() }
    }

    /// The same with another limit for the whole run.
    #[must_use]
    pub fn with_run(self, run: usize) -> Budget {
        Budget { run, ..self }
    }

    /// The states a single question may take.
    pub fn question(&self) -> usize {
        self.question
    }

    /// The states spent so far, by all questions.
    pub fn spent(&self) -> usize {
        self.spent
    }
}

/// What one question may still spend.
#[derive(Debug)]
pub(crate) struct Meter {
    limit: usize,
    spent: usize,
}

impl Meter {
    /// Takes one state; false when there is none left.
    pub(crate) fn spend(&mut self) -> bool {
        self.spent += 1;
        self.spent <= self.limit
    }

    pub(crate) fn undecided<T>(&self) -> Answer<T> {
        Answer::Undecided { states: self.limit.min(self.spent) }
    }
}

impl Budget {
    /// Lets one question spend what it may, and books it.
    pub(crate) fn ask<T>(&mut self, question: impl FnOnce(&mut Meter) -> Answer<T>) -> Answer<T> {
        let mut meter = Meter { limit: self.question.min(self.run.saturating_sub(self.spent)), spent: 0 };
        let answer = question(&mut meter);
        self.spent += meter.spent.min(meter.limit);
        answer
    }
}

/// Why no table can be built: one of the engine's limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TooLarge {
    message: String,
    entry: Option<usize>,
}

impl TooLarge {
    pub(crate) fn new(message: impl Into<String>, entry: Option<usize>) -> TooLarge {
        TooLarge { message: message.into(), entry }
    }

    pub(crate) fn at(self, entry: usize) -> TooLarge {
        TooLarge { entry: Some(entry), ..self }
    }

    /// The entry that goes over the limit, where one does.
    pub fn entry(&self) -> Option<usize> {
        self.entry
    }
}
