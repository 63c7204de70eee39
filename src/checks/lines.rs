//! Command lines and the rules that decide them: what the checks of command patterns share.

use super::{Cx, plausible, written};
use crate::catalogue;
use crate::language::Pattern;
use crate::model::{Capability, Command, Commands, Model, ResourceKind};
use crate::reach::{self, Speaking};
use crate::rule::{Action, Rule};
use std::rc::Rc;

/// What each different ruleset says of each permission of commands, if one of the rules that a user wrote is of interest.
pub(super) fn all<'a>(cx: &Cx<'a>, matters: impl Fn(&Rule) -> bool) -> Vec<Rc<Speaking<'a>>> {
    let judged = reach::judged(cx.model, cx.rulesets);
    let groups = reach::alike(cx.rulesets, &judged);
    let mut out = Vec::new();
    for set in groups.iter().filter_map(|group| cx.rulesets.get(*group.first()?)) {
        for (permission, _) in written::of_kind(cx.model, ResourceKind::Command).filter(|(name, _)| plain(name)) {
            let speaking = cx.world.tables.speaking(set, permission);
            if speaking.rules.iter().any(|rule| !rule.origin.prelude && matters(rule)) {
                out.push(speaking);
            }
        }
    }
    out
}

/// Whether a command line passes silently by this rule, and is asked or denied without it: by a rule that a user wrote, or
/// because no rule is left.
pub(super) fn only_by(speaking: &Speaking<'_>, rule: &Rule, line: &str) -> bool {
    let mine = |decider: &Rule| decider.id == rule.id && decider.action == Action::Allow;
    let next = || speaking.decider_without(rule.id, line);
    let held = || next().is_none_or(|next| next.action != Action::Allow && !next.origin.prelude);
    speaking.decider(line).is_some_and(mine) && held()
}

/// A command line that a rule denies.
pub(super) fn denied(deny: &Rule, speaking: &Speaking<'_>, cx: &Cx<'_>) -> Option<String> {
    let permission = Pattern::wildcard(&speaking.permission);
    let calls = plausible::calls(cx, &permission, &deny.pattern, speaking.set.case).into_iter();
    let mut values = calls.map(|call| call.value);
    values.find(|value| speaking.decider(value).is_some_and(|decider| decider.id == deny.id))
}

fn plain(name: &str) -> bool {
    !name.contains(['*', '?'])
}

/// Command lines of the shipped catalogue and of the user's own that write, run what they are given, reach the network or
/// start an agent, each with a line that shows it; none with a redirection or a second command in it.
pub(super) fn harmful(model: &Model) -> Vec<(&Commands, &Command, &str)> {
    let all = catalogue::shipped().commands.iter().chain(model.commands.iter().filter(|commands| !commands.prelude));
    let harmful = all.filter(|commands| commands.capabilities.iter().any(|one| is_harmful(*one)));
    harmful
        .flat_map(|commands| commands.entries.iter().map(move |entry| (commands, entry)))
        .filter_map(|(commands, entry)| Some((commands, entry, entry.example.as_ref()?.node.as_str())))
        .filter(|(_, _, example)| !example.contains(['|', ';', '&', '<', '>']))
        .collect()
}

/// Whether a capability changes something or lets something out.
pub(super) fn is_harmful(capability: Capability) -> bool {
    matches!(capability, Capability::Write | Capability::Exec | Capability::Network | Capability::Delegate)
}

/// `writes`, `runs what it is given`, `reaches the network`: what capabilities are, for a sentence.
pub(super) fn does(capabilities: &[Capability]) -> &'static str {
    let gives = |wanted| capabilities.contains(&wanted);
    match () {
        () if gives(Capability::Delegate) => "starts another agent",
        () if gives(Capability::Exec) => "runs what it is given",
        () if gives(Capability::Write) => "writes",
        () => "reaches the network",
    }
}
