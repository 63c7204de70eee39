//! Lowered rules as the text of a policy file.

use super::lower::{Line, Step};
use super::rule::{Mode, word};
use std::fmt::Write;

/// The priorities of a file: 0 to 999.
pub const PRIORITIES: usize = 1_000;

/// The rules of an agent, and for whom they hold.
#[derive(Debug)]
pub struct Section {
    /// What they are, for a reader of the file.
    pub title: String,
    /// The modes they hold in.
    pub modes: Vec<Mode>,
    /// The subagent whose calls they are for; `None`: all that no such section is for.
    pub subagent: Option<String>,
    /// Steps, weakest first, each with what it stands for.
    pub steps: Vec<(Step, Option<String>)>,
}

/// The text, or how many priorities it would need.
///
/// Sections whose calls cannot meet share priorities: those of different modes, and those of different subagents. A
/// subagent's stand above the others, for a rule without `subagent` holds for its calls too.
///
/// # Errors
/// The number of priorities that the rules need, where there are fewer.
pub fn print(sections: &[Section], head: &str) -> Result<String, usize> {
    let needed = |short: bool| {
        let length = |section: &&Section| runs(&section.steps, short).len();
        let of = |subagent: bool| sections.iter().filter(move |section| section.subagent.is_some() == subagent);
        let main = of(false).map(|section| length(&section)).max().unwrap_or(0);
        (main, main + of(true).map(|section| length(&section)).max().unwrap_or(0))
    };
    let short = needed(false).1 > PRIORITIES;
    let (main, all) = needed(short);
    if all > PRIORITIES {
        return Err(all);
    }
    let mut out = head.to_owned();
    for section in sections {
        let first = if section.subagent.is_some() { main } else { 0 };
        let _ = write!(out, "\n# {}\n", comment(&section.title));
        for (at, run) in runs(&section.steps, short).into_iter().enumerate() {
            // Of equal priorities the first in the file decides: the last of the policy.
            for (step, note) in run.iter().rev() {
                if let Some(note) = note {
                    let _ = write!(out, "\n# {}", comment(note));
                }
                step.lines.iter().for_each(|line| rule(&mut out, section, line, first + at));
            }
        }
    }
    Ok(out)
}

type Noted = (Step, Option<String>);

/// The steps that share a priority: each alone, or neighbours that decide the same.
fn runs(steps: &[Noted], short: bool) -> Vec<&[Noted]> {
    let same = |one: &Noted, other: &Noted| {
        let kind = |step: &Noted| {
            let first = step.0.lines.first().map(|line| (line.action, line.redirection));
            first.filter(|kind| step.0.lines.iter().all(|line| (line.action, line.redirection) == *kind))
        };
        short && kind(one).is_some() && kind(one) == kind(other)
    };
    steps.chunk_by(same).collect()
}

fn rule(out: &mut String, section: &Section, line: &Line, priority: usize) {
    let _ = write!(out, "\n[[rule]]\ntoolName = ");
    let tools: Vec<String> = line.tools.iter().map(|tool| quoted(tool)).collect();
    let _ = match tools.as_slice() {
        [tool] => writeln!(out, "{tool}"),
        tools => writeln!(out, "[{}]", tools.join(", ")),
    };
    if let Some(args) = &line.args {
        let _ = writeln!(out, "argsPattern = {}", quoted(args));
    }
    let _ = writeln!(out, "decision = \"{}\"\npriority = {priority}", word(line.action));
    let modes: Vec<String> = section.modes.iter().map(|mode| quoted(mode.word())).collect();
    let _ = writeln!(out, "modes = [{}]", modes.join(", "));
    if let Some(subagent) = &section.subagent {
        let _ = writeln!(out, "subagent = {}", quoted(subagent));
    }
    if line.redirection {
        out.push_str("allowRedirection = true\n");
    }
    if let Some(message) = &line.message {
        let _ = writeln!(out, "denyMessage = {}", quoted(message));
    }
}

/// A text as TOML: as written where that can be, else with JSON's escapes, which are TOML's too.
fn quoted(text: &str) -> String {
    let plain = text.chars().all(|letter| letter != '\'' && !letter.is_control());
    match plain && text.contains(['"', '\\']) {
        true => format!("'{text}'"),
        false => serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f"),
    }
}

/// A text on one line of a comment.
fn comment(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
