//! What a runtime says to a hook before a tool call, and what it makes of the answer.

mod deed;
mod fields;
mod patch;
mod shape;

pub use deed::{Deed, Kind};
pub use fields::{Fields, first_line, json};
pub use patch::edits;
pub use shape::{Claude, exit_two};

use crate::rule::Action;
use serde_json::Value;

/// Looks up a variable of the process that the runtime started.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A tool call that a runtime asks about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The runtime's own word for this kind of event.
    pub name: String,
    /// The tool, as the runtime calls it.
    pub tool: String,
    /// What the call does; never empty.
    pub deeds: Vec<Deed>,
    /// The agent that makes the call, where the runtime says it.
    pub agent: Option<String>,
    /// The folder the call is made in, absolute.
    pub cwd: Option<String>,
    /// The workspace, where the runtime says it.
    pub root: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
}

/// What a hook says, as the process says it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub code: u8,
}

/// Something known of a protocol, or not.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// What.
    pub about: &'static str,
    /// Whether the program itself was seen to do so.
    pub verified: bool,
    /// How it is known, or why it is not.
    pub how: &'static str,
}

impl Fact {
    /// Seen with the program itself.
    pub const fn seen(about: &'static str, how: &'static str) -> Fact {
        Fact { about, verified: true, how }
    }

    /// Read somewhere, and not seen.
    pub const fn read(about: &'static str, how: &'static str) -> Fact {
        Fact { about, verified: false, how }
    }
}

/// An event to try a protocol with. It is written for the folder `/policyc-selftest`.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// What the call does.
    pub title: &'static str,
    /// The event as the runtime writes it.
    pub event: &'static str,
    /// Variables that the runtime sets beside it.
    pub variables: &'static [(&'static str, &'static str)],
    /// What must become of it under the policy of the self-test, as the runtime understands the answer.
    pub gives: Action,
}

impl Sample {
    /// An event without variables beside it.
    pub const fn new(title: &'static str, event: &'static str, gives: Action) -> Sample {
        Sample { title, event, variables: &[], gives }
    }
}

/// How a runtime asks a hook.
///
/// A protocol only translates. What is decided is not its business, and it never makes a decision looser: where the
/// runtime has no answer that means `ask`, the answer means `deny`.
pub trait Protocol: Sync {
    /// Its word on the command line.
    fn name(&self) -> &'static str;
    /// The call that an event asks about; an error says what of it is not as it should be.
    fn event(&self, value: &Value, variables: Variables<'_>) -> Result<Event, String>;
    /// The answer to an event.
    fn answer(&self, event: &Event, action: Action, reason: &str) -> Answer;
    /// The answer to whatever could not be decided: the call must not run.
    fn refuse(&self, reason: &str) -> Answer;
    /// What the runtime makes of an answer, as far as it is known; `None`: it has no opinion, and the call goes its way.
    fn understood(&self, event: Option<&Event>, answer: &Answer) -> Option<Action>;
    /// The variable that holds the workspace, where the event does not.
    fn root_variable(&self) -> Option<&'static str> {
        None
    }
    /// What is known of the protocol.
    fn facts(&self) -> &'static [Fact];
    /// Events to try it with.
    fn samples(&self) -> &'static [Sample];
}

impl std::fmt::Debug for dyn Protocol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
