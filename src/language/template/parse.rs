//! The text of a template to its parts.

use super::{Kind, Part};
use crate::diagnostic::near_name;
use crate::language::pattern::PatternError;

/// The most characters of a template.
const MAX_TEXT: usize = 512;
/// The most holes of a template.
const MAX_HOLES: usize = 16;

const HOLES: [(&str, Kind); 3] = [("path", Kind::Path), ("word", Kind::Word), ("url", Kind::Url)];

pub(super) fn parse(text: &str) -> Result<Vec<Part>, PatternError> {
    if text.chars().count() > MAX_TEXT {
        return Err(PatternError::new(format!("a command line can have at most {MAX_TEXT} characters"))
            .with_help("write a shorter one that covers it, with `*` for its end"));
    }
    if text.starts_with(' ') || text.ends_with(' ') {
        return Err(PatternError::new("a command line has no blanks at its ends").with_help("remove them"));
    }
    let mut parts = Parts::default();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((name, length)) = hole_name(rest) {
            parts.hole(known(name).ok_or_else(|| unknown(name).at(at..at + length))?);
            at += length;
        } else if let Some(after) = rest.strip_prefix('*') {
            parts.star(after.is_empty() || after.starts_with(' '));
            at += 1;
        } else {
            let c = rest.chars().next().unwrap_or_default();
            parts.literal.push(c);
            at += c.len_utf8();
        }
    }
    parts.finish(text)
}

/// The name in braces at the beginning of a text, and the length with its braces. Other braces mean themselves.
fn hole_name(rest: &str) -> Option<(&str, usize)> {
    let (name, _) = rest.strip_prefix('{')?.split_once('}')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    is_name.then_some((name, name.len() + 2))
}

fn known(name: &str) -> Option<Kind> {
    HOLES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

fn unknown(name: &str) -> PatternError {
    let help = match near_name(name, HOLES.iter().map(|(known, _)| *known)) {
        Some(near) => format!("did you mean `{{{near}}}`?"),
        None => {
            "holes are `{path}`, `{word}`, `{url}` and `*`; for a line that holds such braces write `exact` or `regex` \
                 before it"
                .to_owned()
        }
    };
    PatternError::new(format!("`{{{name}}}` is no hole")).with_help(help)
}

#[derive(Default)]
struct Parts {
    done: Vec<Part>,
    literal: String,
}

impl Parts {
    fn hole(&mut self, kind: Kind) {
        if !self.literal.is_empty() {
            self.done.push(Part::Text(std::mem::take(&mut self.literal).into()));
        }
        self.done.push(Part::Hole(kind));
    }

    /// A `*`, which stands as a word of its own if blanks or ends are on both of its sides.
    fn star(&mut self, ends_word: bool) {
        if ends_word && self.done.is_empty() && self.literal.is_empty() {
            self.hole(Kind::Command);
        } else if ends_word && self.literal.ends_with(' ') {
            self.literal.pop();
            self.hole(Kind::Words);
        } else {
            self.hole(Kind::Run);
        }
    }

    fn finish(mut self, text: &str) -> Result<Vec<Part>, PatternError> {
        if !self.literal.is_empty() {
            self.done.push(Part::Text(self.literal.into()));
        }
        let says = |part: &Part| matches!(part, Part::Text(text) if !text.trim().is_empty());
        if !self.done.iter().any(says) {
            return Err(PatternError::new(format!("`{text}` names no command"))
                .with_help("begin with the command's name: `rm {path}`"));
        }
        if self.done.iter().filter(|part| matches!(part, Part::Hole(_))).count() > MAX_HOLES {
            return Err(PatternError::new(format!("a command line can have at most {MAX_HOLES} holes"))
                .with_help("write `*` for several words"));
        }
        Ok(self.done)
    }
}
