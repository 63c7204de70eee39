//! What an agent can bring about through command lines.

use super::direct::{Direct, Extent, Requests};
use super::{Act, Goal};
use crate::catalogue;
use crate::decide::FALLBACK;
use crate::language::{Call, Case, Dialect, Paths, Pattern, PatternError, Template};
use crate::model::{Capability, Command, Family, Line, ResourceKind};
use crate::reach::Speaking;
use crate::rule::Rule;
use std::borrow::Cow;

/// A set of command lines, as a goal is about it. What the goal leaves of it is worked out when it is asked for.
pub(super) struct Commanding<'a> {
    line: Cow<'a, Line>,
    example: Option<&'a str>,
    goal: &'a Goal,
    paths: &'a Paths,
}

/// What [`Template::example`] puts in place of a path.
const EXAMPLE_PATH: &str = "src/main.rs";
/// What it puts in place of a command.
const EXAMPLE_COMMAND: &str = "git status";
/// So many rules are tried for what they name.
const LEADERS: usize = 8;

impl<'a> Commanding<'a> {
    /// Of a line of the runtime's own, which is a template.
    pub(super) fn of(text: &'static str, goal: &'a Goal, paths: &'a Paths) -> Commanding<'a> {
        let line = match Template::new(text) {
            Ok(template) => Line::Template(template),
            Err(_) => Line::Pattern(Pattern::wildcard(text)),
        };
        Commanding { line: Cow::Owned(line), example: None, goal, paths }
    }

    fn entry(command: &'a Command, goal: &'a Goal, paths: &'a Paths) -> Commanding<'a> {
        let example = command.example.as_ref().map(|example| example.node.as_str());
        Commanding { line: Cow::Borrowed(&command.line), example, goal, paths }
    }

    /// The template, if the goal is about paths and it has one. What names no path counts as being about every path.
    fn about_paths(&self) -> Option<&Template> {
        self.line.template().filter(|template| template.has_path() && self.goal.about_paths())
    }

    /// Where a goal leaves paths out: lines of rules for such paths, with one more path at the end.
    fn beyond(&self, rules: &[&Rule], case: Case) -> impl Iterator<Item = String> {
        let rules = if self.goal.except.is_empty() { &[] } else { rules };
        let meets = rules.iter().filter(move |rule| can_meet(rule, self.line.text(), case));
        let open =
            meets.filter_map(|rule| rule.pattern.text().strip_suffix('*').filter(|head| !head.contains(['*', '?'])));
        open.take(LEADERS).map(|head| match head.ends_with(' ') {
            true => format!("{head}{EXAMPLE_PATH}"),
            false => format!("{head}notes {EXAMPLE_PATH}"),
        })
    }

    /// Every line of the set that may be asked about, and more of them where the goal leaves some out.
    fn wide(&self) -> Result<Vec<Pattern>, PatternError> {
        if self.paths.is_bounded() { self.exactly() } else { Ok(vec![self.line.pattern()]) }
    }

    /// The lines of the set that the goal is about.
    fn exactly(&self) -> Result<Vec<Pattern>, PatternError> {
        match self.about_paths() {
            Some(template) => template.pattern_about(self.paths),
            None => Ok(vec![self.line.pattern()]),
        }
    }

    /// The one path that the goal is about.
    fn path(&self) -> Option<&'a str> {
        match self.goal.include.as_slice() {
            [one] if one.dialect() == Dialect::Exact => Some(one.text()),
            _ => None,
        }
    }

    /// Lines that a person would write, about a path that the goal names if it names one.
    pub(super) fn candidates(&self) -> impl Iterator<Item = String> {
        let example = self.example.map(str::to_owned);
        let filled = self.line.template().map(Template::example);
        let path = self.path();
        let about = path.filter(|_| self.about_paths().is_some());
        let apt = example.clone().filter(|line| about.is_some_and(|path| line.contains(path)));
        let named = path.zip(filled.as_ref()).map(|(path, line)| line.replace(EXAMPLE_PATH, path));
        // A line that does not hold the one path that is asked about is not about it.
        let any = about.is_none().then(|| example.into_iter().chain(filled));
        apt.into_iter().chain(named).chain(any.into_iter().flatten())
    }

    /// Where a line begins with any command: the commands that rules name.
    fn led_by(&self, rules: &[&Rule]) -> impl Iterator<Item = String> {
        let template = self.line.template().filter(|template| template.text().starts_with('*'));
        let path = self.path().unwrap_or(EXAMPLE_PATH);
        let rest = template
            .and_then(|template| Some(template.example().strip_prefix(EXAMPLE_COMMAND)?.replace(EXAMPLE_PATH, path)));
        let heads: Vec<String> = rules.iter().take(LEADERS).map(|rule| fixed(rule.pattern.text()).to_owned()).collect();
        rest.into_iter().flat_map(move |rest| heads.clone().into_iter().map(move |head| format!("{head}{rest}")))
    }

    /// Whether the goal is about a line of the set.
    pub(super) fn is_asked(&self, command: &str) -> bool {
        match self.about_paths() {
            Some(template) => template.matches_about(command, self.paths),
            None => self.line.matches(command),
        }
    }
}

/// Files that hold nothing, whatever is written to them.
fn nowhere() -> Vec<Pattern> {
    let list = catalogue::shipped().lists.get("no_files");
    list.into_iter().flat_map(|list| &list.patterns).map(|pattern| pattern.node.clone()).collect()
}

impl Goal {
    /// The paths of command lines that it is about. What is written to `/dev/null` is written nowhere.
    pub(super) fn paths(&self, case: Case) -> Paths {
        let nowhere = if self.capability == Capability::Write { nowhere() } else { Vec::new() };
        Paths::new(self.include.clone(), [self.except.as_slice(), &nowhere].concat(), case)
    }

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
        let case = self.set.case;
        let speaking = self.world.tables.speaking(self.set, permission);
        // What stands before a rule for everything never decides.
        let covering = speaking.rules.iter().rposition(|rule| rule.pattern.is_everything());
        let open = covering.is_none() && self.goal.counts(FALLBACK);
        let deciding = speaking.rules.get(covering.unwrap_or(0)..).unwrap_or_default();
        let letting: Vec<&Rule> = deciding.iter().copied().filter(|rule| self.goal.counts(rule.action)).collect();
        if letting.is_empty() && !open {
            return;
        }
        let entries = self.world.commands(self.goal.capability);
        for (family, command) in
            entries.flat_map(|commands| commands.entries.iter().map(|entry| (commands.family, entry)))
        {
            if self.done() {
                return;
            }
            if let Extent::Written(wanted) = self.extent
                && !wanted(family, command.line.text())
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
            let line = Commanding::entry(command, self.goal, self.paths);
            if let Some(call) = self.line(&line, &speaking, &letting) {
                let act = Act::Command { family, line: command.line.text().into(), reason: command.reason.clone() };
                self.push(&call, act, None);
            }
        }
    }

    /// A command line that the goal is about and that passes: one that a person would write, else a shortest one.
    fn line(&mut self, line: &Commanding<'_>, speaking: &Speaking<'_>, letting: &[&Rule]) -> Option<Call> {
        let permission = &*speaking.permission;
        let (runtime, version) = (self.world.runtime, self.world.version);
        let whole = |command: &str| runtime.asks_whole(version, permission, command);
        // The dearest question comes last.
        let passes = |command: &String| {
            self.goal.counts(speaking.decide(command).action) && line.is_asked(command) && whole(command)
        };
        let usual = line.candidates().chain(line.led_by(letting)).chain(line.beyond(letting, self.set.case));
        if let Some(value) = usual.into_iter().find(passes) {
            return self.replayed(Call { key: permission.to_owned(), value });
        }
        if matches!(self.extent, Extent::Written(_)) {
            return None;
        }
        // What is left out is asked about only if it is found.
        let any = self.among(speaking, line.wide())?;
        let found = if line.is_asked(&any.value) { any } else { self.among(speaking, line.exactly())? };
        whole(&found.value).then_some(found)
    }

    /// A shortest command line of a set that passes.
    fn among(&mut self, speaking: &Speaking<'_>, lines: Result<Vec<Pattern>, PatternError>) -> Option<Call> {
        let Ok(lines) = lines else {
            self.found.doubts.push(0);
            return None;
        };
        let key = Pattern::wildcard(&speaking.permission);
        let include: Vec<Requests> = lines.into_iter().map(|line| (key.clone(), line)).collect();
        self.seek(speaking, (&include, &[]), std::iter::empty())
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
