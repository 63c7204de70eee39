//! An ordered list of rules as an object: every key once, and still the same decisions.
//!
//! A config's objects cannot say `bash`, then `*`, then `bash` again. Where a rule's permission already has a block, the rule
//! joins it if the two may move together; else a wildcard permission is spelled anew (`*` and `**` are the same set), and
//! a plain name takes what stood between into a block of its own at the end. Each way decides exactly as the list does.

use crate::language::{Case, Pattern};
use crate::rule::Action;

/// A rule as a config can write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// The permission's key.
    pub(super) permission: String,
    /// The pattern's key.
    pub(super) pattern: String,
    /// What becomes of the requests.
    pub(super) action: Action,
}

/// One key of a `permission` object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// As it is written.
    pub(super) key: String,
    /// Its patterns in order, each once.
    pub(super) lines: Vec<Line>,
}

/// The lines as blocks in order; the error is a line that no object can hold where it stands.
pub(super) fn arrange(lines: Vec<Line>) -> Result<Vec<Block>, Line> {
    let mut blocks: Vec<Block> = Vec::new();
    for line in last_of_each(lines) {
        place(&mut blocks, line)?;
    }
    Ok(blocks)
}

/// Drops what an identical permission and pattern repeats later: it can never decide.
fn last_of_each(lines: Vec<Line>) -> Vec<Line> {
    let mut seen = std::collections::HashSet::new();
    let mut kept: Vec<Line> =
        lines.into_iter().rev().filter(|line| seen.insert((line.permission.clone(), line.pattern.clone()))).collect();
    kept.reverse();
    kept
}

fn place(blocks: &mut Vec<Block>, line: Line) -> Result<(), Line> {
    let Some(at) = blocks.iter().rposition(|block| block.means(&line.permission)) else {
        blocks.push(Block { key: line.permission.clone(), lines: vec![line] });
        return Ok(());
    };
    let mut later = blocks.split_off(at + 1);
    let Some(mut block) = blocks.pop() else { return Err(line) };
    let passes = |line: &Line| !later.iter().flat_map(|block| &block.lines).any(|other| conflict(line, other));
    if passes(&line) {
        block.lines.push(line);
        blocks.push(block);
        blocks.append(&mut later);
    } else if block.lines.iter().all(passes) {
        block.lines.push(line);
        blocks.append(&mut later);
        blocks.push(block);
    } else if !is_wild(&line.permission) {
        let block = gather(block, &later, line);
        blocks.append(&mut later);
        blocks.push(block);
    } else {
        blocks.push(block);
        blocks.append(&mut later);
        let key = respelled(blocks, &line.permission).ok_or_else(|| line.clone())?;
        blocks.push(Block { key, lines: vec![line] });
    }
    Ok(())
}

impl Block {
    fn means(&self, permission: &str) -> bool {
        self.lines.first().is_some_and(|line| line.permission == permission)
    }
}

/// All that is said of a plain name, in one block that may stand last: its own lines, those of later wildcard permissions
/// that match it, and the new one. Lines before a pattern that matches everything are dead.
fn gather(block: Block, later: &[Block], line: Line) -> Block {
    let name = line.permission.clone();
    let speaks = |line: &&Line| Pattern::wildcard(&line.permission).matches(&name, Case::Sensitive);
    let copied = later.iter().flat_map(|block| &block.lines).filter(speaks).cloned();
    let all = block.lines.into_iter().chain(copied).chain([line]);
    let mut lines = last_of_each(all.map(|line| Line { permission: name.clone(), ..line }).collect());
    let dead = lines.iter().rposition(|line| is_everything(&line.pattern)).unwrap_or(0);
    lines.drain(..dead);
    Block { key: name, lines }
}

/// Another text for the same set of names, not yet a key.
fn respelled(blocks: &[Block], permission: &str) -> Option<String> {
    let star = permission.find('*')?;
    let (head, tail) = permission.split_at(star);
    (1..=blocks.len()).map(|more| format!("{head}{}{tail}", "*".repeat(more))).find(|key| {
        // A final ` *` is optional, ` **` is not: only a star that is not such a tail may be doubled.
        !permission.ends_with(" *") && blocks.iter().all(|block| block.key != *key)
    })
}

/// Whether the order of two lines counts: for what they decide, or for whether a tool is hidden.
fn conflict(one: &Line, other: &Line) -> bool {
    let bare_deny = |line: &Line| line.action == Action::Deny && line.pattern == "*";
    let matters =
        bare_deny(one) != bare_deny(other) || one.action != other.action && !surely_apart(&one.pattern, &other.pattern);
    matters && may_share_a_name(&one.permission, &other.permission)
}

fn may_share_a_name(one: &str, other: &str) -> bool {
    match (is_wild(one), is_wild(other)) {
        (true, true) => true,
        (true, false) => Pattern::wildcard(one).matches(other, Case::Sensitive),
        (false, _) => Pattern::wildcard(other).matches(one, Case::Sensitive),
    }
}

pub(super) fn is_wild(text: &str) -> bool {
    text.contains(['*', '?'])
}

pub(super) fn is_everything(pattern: &str) -> bool {
    Pattern::wildcard(pattern).is_everything()
}

/// Whether no text matches both, seen from what they begin and end with; `false` where that does not tell.
fn surely_apart(one: &str, other: &str) -> bool {
    let head = |text: &str| -> Vec<char> {
        let text = text.strip_suffix(" *").unwrap_or(text);
        text.chars().take_while(|letter| !matches!(letter, '*' | '?')).collect()
    };
    let tail = |text: &str| -> Vec<char> {
        let letters = text.chars().rev();
        letters.take_while(|letter| !matches!(letter, '*' | '?')).collect()
    };
    differ(&head(one), &head(other)) || differ(&tail(one), &tail(other))
}

/// Letters that differ however case and slashes are read.
fn differ(one: &[char], other: &[char]) -> bool {
    let plain = |letter: char| letter.is_ascii() && !matches!(letter, '/' | '\\');
    one.iter().zip(other).any(|(a, b)| plain(*a) && plain(*b) && !a.eq_ignore_ascii_case(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(text: &[(&str, &str, Action)]) -> Vec<Line> {
        let line = |(permission, pattern, action): &(&str, &str, Action)| Line {
            permission: (*permission).to_owned(),
            pattern: (*pattern).to_owned(),
            action: *action,
        };
        text.iter().map(line).collect()
    }

    fn keys(blocks: &[Block]) -> Vec<&str> {
        blocks.iter().map(|block| block.key.as_str()).collect()
    }

    #[test]
    fn joins_spells_anew_or_gathers() {
        use Action::{Allow, Ask, Deny};
        let joined = lines(&[("bash", "git *", Allow), ("edit", "*", Deny), ("bash", "rm *", Deny)]);
        assert_eq!(keys(&arrange(joined).unwrap()), ["bash", "edit"]);
        let anew = lines(&[("*", "*", Allow), ("bash", "*", Ask), ("*", "*secret*", Deny)]);
        assert_eq!(keys(&arrange(anew).unwrap()), ["*", "bash", "**"]);
        let gathered = lines(&[("bash", "git *", Allow), ("*", "*secret*", Deny), ("bash", "git log*", Allow)]);
        let blocks = arrange(gathered).unwrap();
        assert_eq!(keys(&blocks), ["*", "bash"]);
        assert_eq!(blocks[1].lines.len(), 3, "the wildcard's line is said again for bash");
        let stuck = lines(&[("b?sh", "x", Allow), ("*", "*", Deny), ("b?sh", "y", Allow)]);
        assert!(arrange(stuck).is_err());
    }

    fn decide(lines: &[Line], permission: &str, resource: &str) -> Option<Action> {
        let matches = |text: &str, value: &str| Pattern::wildcard(text).matches(value, Case::Sensitive);
        let last = lines.iter().rfind(|line| matches(&line.permission, permission) && matches(&line.pattern, resource));
        last.map(|line| line.action)
    }

    fn hidden(lines: &[Line], key: &str) -> bool {
        let last = lines.iter().rfind(|line| Pattern::wildcard(&line.permission).matches(key, Case::Sensitive));
        last.is_some_and(|line| line.pattern == "*" && line.action == Action::Deny)
    }

    proptest! {
        #[test]
        fn decides_as_the_list(
            rules in prop::collection::vec((
                prop::sample::select(vec!["*", "a", "b", "a*", "*b", "?"]),
                prop::sample::select(vec!["*", "x", "x*", "*y", "x *", "xy", "y", "**"]),
                prop::sample::select(Action::ALL.to_vec()),
            ), 0..9)
        ) {
            let list = lines(&rules);
            let Ok(blocks) = arrange(list.clone()) else { return Ok(()) };
            let mut seen = std::collections::HashSet::new();
            prop_assert!(blocks.iter().all(|block| seen.insert(block.key.clone())));
            let flat: Vec<Line> = blocks
                .iter()
                .flat_map(|block| block.lines.iter().map(|line| Line { permission: block.key.clone(), ..line.clone() }))
                .collect();
            for permission in ["a", "b", "c", "ab", "aab"] {
                for resource in ["", "x", "y", "xy", "x y", "z"] {
                    prop_assert_eq!(decide(&list, permission, resource), decide(&flat, permission, resource));
                }
                prop_assert_eq!(hidden(&list, permission), hidden(&flat, permission), "{}", permission);
            }
        }
    }
}
