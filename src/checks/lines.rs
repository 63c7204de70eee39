//! Command lines and the rules that decide them: what the checks of command patterns share.

use super::{Cx, written};
use crate::catalogue;
use crate::decide::FALLBACK;
use crate::language::{Table, TooLarge};
use crate::model::{Capability, Command, Commands, Model, ResourceKind};
use crate::reach;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

/// What an agent's rules say of one permission that runs commands.
pub(super) struct Lines<'a> {
    /// The rules.
    pub(super) set: &'a Ruleset,
    /// The permission.
    pub(super) permission: &'a str,
    rules: Vec<&'a Rule>,
    /// Made when it is first asked.
    table: Option<Result<Table, TooLarge>>,
}

impl<'a> Lines<'a> {
    /// One for each different ruleset and each permission of commands, if one of its rules that a user wrote is of interest.
    pub(super) fn all(cx: &Cx<'a>, matters: impl Fn(&Rule) -> bool) -> Vec<Lines<'a>> {
        let judged = reach::judged(cx.model, cx.rulesets);
        let groups = reach::alike(cx.rulesets, &judged);
        let sets = groups.iter().filter_map(|group| cx.rulesets.get(*group.first()?));
        let mut out = Vec::new();
        for set in sets {
            for (permission, _) in written::of_kind(cx.model, ResourceKind::Command).filter(|(name, _)| plain(name)) {
                let speaks = |rule: &&Rule| written::matches(&rule.permission, permission, set.case);
                let rules: Vec<&Rule> = set.rules.iter().filter(speaks).collect();
                if !rules.iter().any(|rule| !rule.origin.prelude && matters(rule)) {
                    continue;
                }
                out.push(Lines { set, permission, rules, table: None });
            }
        }
        out
    }

    /// The rules that a user wrote, in deciding order.
    pub(super) fn users(&self) -> Vec<&'a Rule> {
        self.rules.iter().copied().filter(|rule| !rule.origin.prelude).collect()
    }

    /// The rule that decides a command line.
    pub(super) fn decider(&mut self, line: &str) -> Option<&'a Rule> {
        let made = || reach::table(self.rules.iter().copied(), FALLBACK.colour(), self.set, &[]);
        let last = self.table.get_or_insert_with(made).as_mut().ok()?.last(self.permission, line)?;
        self.rules.get(last).copied()
    }

    /// Whether a command line passes silently by this rule, and is asked or denied without it: by a rule that a user wrote,
    /// or because no rule is left.
    pub(super) fn only_by(&mut self, rule: &Rule, line: &str) -> bool {
        let mine = |decider: &Rule| decider.id == rule.id && decider.action == Action::Allow;
        if !self.decider(line).is_some_and(mine) {
            return false;
        }
        let Some(Ok(table)) = &mut self.table else { return false };
        let (rules, id) = (&self.rules, rule.id);
        let next = table.last_where(self.permission, line, |at| rules.get(at).is_some_and(|other| other.id != id));
        let next = next.and_then(|at| self.rules.get(at));
        next.is_none_or(|next| next.action != Action::Allow && !next.origin.prelude)
    }
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
