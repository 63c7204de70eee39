//! Facts in words, the same in every output.

use super::{Direction, Fact, FactKind, SwitchChange};

/// So many names are listed; of more the number is said.
const LISTED: usize = 8;

impl Fact {
    /// What changed, as a sentence about the agents.
    pub fn message(&self) -> String {
        let agents = names(&self.agents);
        let (are, see) = if self.agents.len() == 1 { ("is", "sees") } else { ("are", "see") };
        match &self.kind {
            FactKind::AgentAdded { mode, held_to } => {
                let held = match (held_to, self.direction) {
                    (None, _) => "there was no default agent to hold it to".to_owned(),
                    (Some(name), Some(Direction::Looser)) => format!("some calls pass that did not for `{name}`"),
                    (Some(name), _) => format!("nothing passes that did not for `{name}`"),
                };
                format!("{agents} {are} new ({mode}): {held}")
            }
            FactKind::AgentRemoved { disabled: true } => format!("{agents} {are} disabled"),
            FactKind::AgentRemoved { disabled: false } => format!("{agents} {are} gone"),
            FactKind::DefaultAgent { before, after } => match (before, after) {
                (Some(before), Some(after)) => format!("sessions start with `{after}`, no longer with `{before}`"),
                (None, Some(after)) => format!("sessions start with `{after}`; there was no default agent"),
                (Some(before), None) => format!("there is no default agent; it was `{before}`"),
                (None, None) => "there is no default agent".to_owned(),
            },
            FactKind::Mode { before, after } => format!("{agents} {are} of mode {after}, no longer of mode {before}"),
            FactKind::Hidden { now: true } => format!("{agents} {are} hidden in menus"),
            FactKind::Hidden { now: false } => format!("{agents} {are} no longer hidden in menus"),
            FactKind::Tools { names: tools, shown } => {
                let now = if *shown { "now" } else { "no longer" };
                let what = if tools.len() == 1 { "tool" } else { "tools" };
                format!("{agents} {now} {see} the {what} {}", names(tools))
            }
            FactKind::Declared { names: permissions } => {
                format!("something else is declared of {}", names(permissions))
            }
            FactKind::Ability { capability, through, now: true } => {
                format!("{agents} can {capability} now, through `{through}`")
            }
            FactKind::Ability { capability, through, now: false } => {
                format!("{agents} can no longer {capability}; it was through `{through}`")
            }
            FactKind::Switch { name, what } => format!("the switch `{name}` {}", what.message()),
        }
    }
}

impl FactKind {
    /// Its word in machine formats.
    pub fn word(&self) -> &'static str {
        match self {
            FactKind::AgentAdded { .. } => "agent-added",
            FactKind::AgentRemoved { .. } => "agent-removed",
            FactKind::DefaultAgent { .. } => "default-agent",
            FactKind::Mode { .. } => "mode",
            FactKind::Hidden { .. } => "hidden",
            FactKind::Tools { shown: true, .. } => "tools-shown",
            FactKind::Tools { shown: false, .. } => "tools-hidden",
            FactKind::Declared { .. } => "declared",
            FactKind::Ability { now: true, .. } => "can-now",
            FactKind::Ability { now: false, .. } => "can-no-longer",
            FactKind::Switch { .. } => "switch",
        }
    }
}

impl SwitchChange {
    fn message(self) -> &'static str {
        match self {
            SwitchChange::Added => "is new",
            SwitchChange::Removed => "is gone",
            SwitchChange::Unconfirmed => "no longer asks a person first",
            SwitchChange::Confirmed => "asks a person first",
            SwitchChange::Other => "leads elsewhere, or asks for something else",
            SwitchChange::UnattendedSwitches => "now switches where no person is there",
            SwitchChange::UnattendedStays => "no longer switches where no person is there",
        }
    }
}

/// Names in backticks; of many only the first.
pub(crate) fn names(all: &[String]) -> String {
    let mut text = all.iter().take(LISTED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if all.len() > LISTED {
        text.push_str(&format!(" and {} more", all.len() - LISTED));
    }
    text
}
