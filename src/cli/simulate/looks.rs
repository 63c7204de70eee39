//! What there is in a session, for somebody who asks.

use crate::report::shown;
use crate::session::{Question, Refusal, Session};
use std::fmt::Write;

/// What is looked at.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Agents,
    Tools,
    Waiting,
    Sessions,
}

/// What is to be seen from a session.
pub(super) fn at(look: Look, current: &str, all: &Session<'_>) -> Result<String, Refusal> {
    let mut out = String::new();
    match look {
        Look::Agents => agents(&mut out, all),
        Look::Tools => {
            for tool in all.tools(current)? {
                let _ = writeln!(out, "  {}", shown::line(&tool));
            }
        }
        Look::Waiting => waiting(&mut out, all),
        Look::Sessions => {
            for (name, session) in &all.state().sessions {
                let agent = session.agent.as_deref().map_or_else(|| "no agent yet".to_owned(), shown::line);
                let ended = if session.stopped { ", its turn has ended" } else { "" };
                let _ = writeln!(out, "  {}  {agent}{ended}", shown::line(name));
            }
        }
    }
    Ok(out)
}

fn agents(out: &mut String, all: &Session<'_>) {
    let default = all.default_agent().ok();
    for agent in all.world().model.live_agents() {
        let hidden = if agent.hidden { ", hidden" } else { "" };
        let chosen = if default == Some(agent.name.as_str()) { ", the default" } else { "" };
        let _ = writeln!(out, "  {}  {}{hidden}{chosen}", shown::line(&agent.name), agent.mode);
    }
}

fn waiting(out: &mut String, all: &Session<'_>) {
    for (request, waiting) in &all.state().waiting {
        let what = match &waiting.question {
            Question::Permission { permission, resources, .. } => format!("{permission} {}", resources.join(", ")),
            Question::Switch { to, answers } => format!("switch to {to}: {}", answers.join(", ")),
        };
        let _ = writeln!(out, "  {request}  {}  {}", shown::line(&waiting.session), shown::line(&what));
    }
    if out.is_empty() {
        out.push_str("  nothing waits\n");
    }
}
