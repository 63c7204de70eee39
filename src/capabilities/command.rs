//! What an agent can bring about through command lines.

use super::direct::{Direct, Extent};
use super::{Act, Goal, World};
use crate::catalogue;
use crate::decide::FALLBACK;
use crate::language::{Call, Case, Dialect, Pattern, Template};
use crate::model::{Capability, Command, Family, Line, ResourceKind};
use crate::rule::Rule;
use std::borrow::Cow;

/// A set of command lines and what of it a goal is about.
pub(super) struct Commanding<'a> {
    line: Cow<'a, Line>,
    example: Option<&'a str>,
    include: Vec<Pattern>,
    exclude: Vec<Pattern>,
    /// The one path that the goal is about.
    path: Option<String>,
}

/// What [`Template::example`] puts in place of a path.
const EXAMPLE_PATH: &str = "src/main.rs";
/// What it puts in place of a command.
const EXAMPLE_COMMAND: &str = "git status";
/// So many rules are tried for what they name.
const LEADERS: usize = 8;

impl<'a> Commanding<'a> {
    /// Of a line of the runtime's own, which is a template.
    pub(super) fn of(text: &'static str, goal: &Goal) -> Commanding<'a> {
        let line = match Template::new(text) {
            Ok(template) => Line::Template(template),
            Err(_) => Line::Pattern(Pattern::wildcard(text)),
        };
        Commanding::new(Cow::Owned(line), None, goal)
    }

    fn entry(command: &'a Command, goal: &Goal) -> Commanding<'a> {
        let example = command.example.as_ref().map(|example| example.node.as_str());
        Commanding::new(Cow::Borrowed(&command.line), example, goal)
    }

    /// What names no path counts as being about every path.
    fn new(line: Cow<'a, Line>, example: Option<&'a str>, goal: &Goal) -> Commanding<'a> {
        let about_paths = goal.about_paths().then(|| line.template().filter(|template| template.has_path())).flatten();
        let include = match about_paths {
            Some(template) if !goal.include.is_empty() => template.pattern_where(&goal.include),
            _ => vec![line.pattern()],
        };
        let mut exclude = about_paths.map(|template| template.pattern_where(&goal.except)).unwrap_or_default();
        if let Some(template) = about_paths.filter(|_| goal.capability == Capability::Write) {
            // What is written to `/dev/null` is written nowhere.
            exclude.extend(template.pattern_where(&nowhere()));
        }
        let path = match goal.include.as_slice() {
            [one] if one.dialect() == Dialect::Exact => Some(one.text().to_owned()),
            _ => None,
        };
        Commanding { line, example, include, exclude, path }
    }

    /// Lines that a person would write, about a path that the goal names if it names one.
    pub(super) fn candidates(&self) -> impl Iterator<Item = String> {
        let example = self.example.map(str::to_owned);
        let filled = self.line.template().map(Template::example);
        let named = self.path.as_ref().zip(filled.as_ref()).map(|(path, line)| line.replace(EXAMPLE_PATH, path));
        named.into_iter().chain(example).chain(filled)
    }

    /// Where a line begins with any command: the commands that rules name.
    fn led_by(&self, rules: &[&Rule]) -> impl Iterator<Item = String> {
        let template = self.line.template().filter(|template| template.text().starts_with('*'));
        let rest = template.and_then(|template| Some(template.example().strip_prefix(EXAMPLE_COMMAND)?.to_owned()));
        let heads: Vec<String> = rules.iter().take(LEADERS).map(|rule| fixed(rule.pattern.text()).to_owned()).collect();
        rest.into_iter().flat_map(move |rest| heads.clone().into_iter().map(move |head| format!("{head}{rest}")))
    }

    /// Whether the goal is about a line of the set.
    pub(super) fn is_asked(&self, command: &str) -> bool {
        let among = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(command, Case::Sensitive));
        among(&self.include) && !among(&self.exclude)
    }
}

/// Files that hold nothing, whatever is written to them.
fn nowhere() -> Vec<Pattern> {
    let list = catalogue::shipped().lists.get("no_files");
    list.into_iter().flat_map(|list| &list.patterns).map(|pattern| pattern.node.clone()).collect()
}

impl Goal {
    /// Whether its patterns are about paths.
    fn about_paths(&self) -> bool {
        matches!(self.capability, Capability::Read | Capability::Write)
    }
}

impl Direct<'_, '_> {
    /// Command lines of the catalogue, one way for each entry, through every permission that runs commands.
    pub(super) fn commands(&mut self) {
        let model = self.world.model;
        let runs = model.permissions.iter().filter(|(_, declared)| declared.resource == ResourceKind::Command);
        let names: Vec<&String> = runs.map(|(name, _)| name).collect();
        for name in names {
            self.through(name);
        }
    }

    fn through(&mut self, permission: &str) {
        let set = self.set;
        let case = set.case;
        let speaking: Vec<&Rule> = set.rules.iter().filter(|rule| rule.permission.matches(permission, case)).collect();
        // What stands before a rule for everything never decides.
        let covering = speaking.iter().rposition(|rule| rule.pattern.is_everything());
        let open = covering.is_none() && self.goal.counts(FALLBACK);
        let deciding = speaking.get(covering.unwrap_or(0)..).unwrap_or_default();
        let letting: Vec<&Rule> = deciding.iter().copied().filter(|rule| self.goal.counts(rule.action)).collect();
        if letting.is_empty() && !open {
            return;
        }
        let mut table = None;
        let entries = self.world.commands(self.goal.capability);
        for (family, command) in
            entries.flat_map(|commands| commands.entries.iter().map(|entry| (commands.family, entry)))
        {
            if self.done() {
                return;
            }
            if let Extent::Written(families) = self.extent
                && !family.is_some_and(|family| families.contains(&family))
            {
                continue;
            }
            // On other systems `copy` or `start` are other commands, if any.
            if family == Some(Family::Windows) && case == Case::Sensitive {
                continue;
            }
            if !open && !letting.iter().any(|rule| can_meet(rule, command.line.text(), case)) {
                continue;
            }
            let line = Commanding::entry(command, self.goal);
            let key = Pattern::wildcard(permission);
            let pairs = |patterns: &[Pattern]| -> Vec<(Pattern, Pattern)> {
                patterns.iter().map(|pattern| (key.clone(), pattern.clone())).collect()
            };
            let values = line.candidates().chain(line.led_by(&letting));
            let calls = values.map(|value| Call { key: permission.to_owned(), value });
            let plausible: Vec<Call> =
                calls.filter(|call| self.goal.counts(self.decide(call)) && self.world.is_one_request(call)).collect();
            let sets = (pairs(&line.include), pairs(&line.exclude));
            let found = match self.extent {
                Extent::Written(_) => plausible.into_iter().find(|call| line.is_asked(&call.value)),
                Extent::All | Extent::First => {
                    self.seek(&mut table, permission, (&sets.0, &sets.1), plausible.into_iter())
                }
            };
            if let Some(call) = found.filter(|call| self.world.is_one_request(call)) {
                let act = Act::Command { family, line: command.line.text().into(), reason: command.reason.clone() };
                self.push(&call, act, None);
            }
        }
    }
}

impl World<'_> {
    fn is_one_request(&self, call: &Call) -> bool {
        self.runtime.asks_whole(self.version, &call.key, &call.value)
    }
}

/// Whether a rule can match a command line of an entry, by the text before the first gap of both. Only a quick no counts.
fn can_meet(rule: &Rule, line: &str, case: Case) -> bool {
    if case == Case::Folded {
        return true;
    }
    let head = match rule.pattern.dialect() {
        Dialect::Wildcard | Dialect::Exact | Dialect::Prefix => fixed(rule.pattern.text()),
        Dialect::Glob | Dialect::Regex => return true,
    };
    let of_line = fixed(line);
    head.starts_with(of_line) || of_line.starts_with(head)
}

/// The text before the first gap or hole, and before a blank that an optional tail may take along.
fn fixed(text: &str) -> &str {
    let end = text.find(['*', '?', '{', '\\', '/']).unwrap_or(text.len());
    text.get(..end).unwrap_or(text).trim_end()
}
