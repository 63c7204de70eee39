//! Trying a protocol: its sample events and a few faults through the judge, and the answers as the runtime takes them.

use super::{Place, Policy, judge, read};
use crate::diagnostic::Severity;
use crate::files::Files;
use crate::project::{self, Compilation, Options};
use crate::rule::Action;
use crate::runtimes::protocol::{Event, Protocol, Sample};
use camino::Utf8Path;

/// The folder that samples are written for.
const FOLDER: &str = "/policyc-selftest";

/// Inputs that are no event of any protocol.
const FAULTS: [(&str, &str); 6] = [
    ("nothing at all", ""),
    ("half an event", "{\"tool_input\":"),
    ("a list", "[]"),
    ("an event of another kind", "{\"hook_event_name\":\"SomethingElse\",\"tool_name\":\"x\",\"tool_input\":{}}"),
    ("an event without a tool", "{\"hook_event_name\":\"PreToolUse\",\"tool_input\":{}}"),
    (
        "an input that is none",
        "{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":7,\"toolName\":\"x\",\"toolArgs\":7}",
    ),
];

/// What became of one try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// What was tried.
    pub title: String,
    /// What the runtime makes of the answer; `None`: it lets the call go its way.
    pub understood: Option<Action>,
    /// What is wrong with that.
    pub wrong: Option<String>,
}

/// The policy of the self-test.
///
/// # Errors
/// If it does not compile, which is a mistake in policyc.
pub fn policy(files: &mut Files) -> Result<Compilation, String> {
    let path = Utf8Path::new("selftest.policy");
    files.given(path, include_str!("selftest.policy"));
    let compiled = project::compile_policy(files, path, &Options::default()).map_err(|finding| finding.message)?;
    match compiled.findings.iter().find(|finding| finding.severity == Severity::Error) {
        Some(error) => Err(error.message.clone()),
        None => Ok(compiled),
    }
}

/// Tries a protocol. With `own` the policy is the self-test's, and each sample must come out as it says; with another one
/// the answers must be no looser than what was judged.
pub fn run(protocol: &dyn Protocol, policy: &Policy<'_>, agent: Option<&str>, own: bool) -> Vec<Tried> {
    let samples = protocol.samples().iter().map(|sample| play(protocol, policy, agent, sample, own));
    let faults = FAULTS.iter().map(|(title, text)| fault(protocol, title, text));
    samples.chain(faults).collect()
}

fn play(protocol: &dyn Protocol, policy: &Policy<'_>, agent: Option<&str>, sample: &Sample, own: bool) -> Tried {
    let variables =
        |name: &str| sample.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
    let judged = || -> Result<(Event, Action, String), String> {
        let event = read(protocol, sample.event.as_bytes(), &variables)?;
        let place = Place::of(&event, protocol, Some(FOLDER), &variables)?;
        let ruling = judge(policy, &event, &place, agent)?;
        Ok((event, ruling.action, ruling.reason))
    };
    let (understood, wrong) = match judged() {
        Ok((event, action, reason)) => {
            let understood = protocol.understood(Some(&event), &protocol.answer(&event, action, &reason));
            let wrong = match understood {
                None => Some(format!("the answer to {} is none, and the call goes its way", action.word())),
                Some(taken) if taken < action => Some(format!("{} is taken for {}", action.word(), taken.word())),
                Some(taken) if own && taken != sample.gives => {
                    Some(format!("it must be {}, and is {}: {reason}", sample.gives.word(), taken.word()))
                }
                Some(_) => None,
            };
            (understood, wrong)
        }
        Err(why) => {
            let understood = protocol.understood(None, &protocol.refuse(&why));
            let refused = understood == Some(Action::Deny);
            (understood, (own || !refused).then(|| format!("it cannot be judged: {why}")))
        }
    };
    Tried { title: sample.title.to_owned(), understood, wrong }
}

fn fault(protocol: &dyn Protocol, title: &str, text: &str) -> Tried {
    let title = format!("sends {title}");
    match read(protocol, text.as_bytes(), &|_| None) {
        Ok(_) => Tried { title, understood: None, wrong: Some("it is taken for an event".to_owned()) },
        Err(why) => {
            let understood = protocol.understood(None, &protocol.refuse(&why));
            let wrong = (understood != Some(Action::Deny)).then(|| "the refusal is not taken for one".to_owned());
            Tried { title, understood, wrong }
        }
    }
}
