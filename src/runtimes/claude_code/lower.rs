//! A compiled policy as settings: what the mode gives is a start; every allowed rule is written; then whatever is looser than
//! the policy is held back, call by call, until no such call is left.
//!
//! A denial beats a question and a question an allowance in Claude Code, so an exception inside a stricter rule is lost
//! unless the mode already says what the stricter rule does. What is written is read again here with the reader of configs,
//! so it is never taken for more than it says.

use super::rules::{self, At};
use super::semantics::{companions, is_guard};
use super::spec::Section;
use super::write;
use crate::decide::{FALLBACK, decide};
use crate::diagnostic::Sink;
use crate::language::{Answer, Budget, Call, Colours, Diff, Entry, Pattern, Side};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use crate::source::Span;
use crate::syntax::ast::Term;
use rustc_hash::FxHashSet;

/// Permissions whose rules are written.
pub(super) const WRITTEN: [&str; 11] = [
    "read",
    "edit",
    "external_directory",
    "bash",
    "webfetch",
    "websearch",
    "task",
    "skill",
    "glob",
    "grep",
    "question",
];

/// Whether a permission is one of the common vocabulary, or a wildcard over all.
pub fn is_word(name: &str) -> bool {
    WRITTEN.contains(&name) || name == "list" || name.starts_with(['*', '?'])
}

/// How many questions one ruleset may take.
const MOST: usize = 4_096;

/// A rule that settings say stricter, and why.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The rule.
    pub rule: Rule,
    /// Why, and what is said instead.
    pub why: String,
}

/// Rules of settings, and what they lost.
#[derive(Debug, Default)]
pub struct Lowered {
    /// The mode that sessions start in.
    pub mode: &'static str,
    /// Rules of `allow`.
    pub allow: Vec<String>,
    /// Rules of `ask`.
    pub ask: Vec<String>,
    /// Rules of `deny`.
    pub deny: Vec<String>,
    /// Rules that became stricter, each once.
    pub stricter: Vec<Loss>,
    /// Why nothing can be written.
    pub refused: Option<String>,
}

/// What the runtime says without any settings: in the mode `default`, and in `dontAsk`.
#[derive(Clone, Copy, Debug)]
pub struct Bases<'a> {
    /// In `default`.
    pub default: &'a Ruleset,
    /// In `dontAsk`.
    pub dont_ask: &'a Ruleset,
}

/// A text that is to be written, and what it is read as.
#[derive(Clone)]
struct Text {
    action: Action,
    text: String,
    lines: Vec<(Pattern, Pattern)>,
    /// The rule of the policy that it stands for.
    of: Option<usize>,
}

/// Lowers one agent's rules. `at` is a place of the policy.
pub fn lower(
    ours: &Ruleset,
    bases: Bases<'_>,
    impossible: &[(Pattern, Pattern)],
    at: Span,
    budget: &mut Budget,
) -> Lowered {
    let anything = |permission: &str, resource: &str| decide(ours, permission, resource).action;
    let denies =
        anything("policyc", "*") == Action::Deny || anything("external_directory", "/policyc/*") == Action::Deny;
    let (mode, base) = if denies { ("dontAsk", bases.dont_ask) } else { ("default", bases.default) };
    let mut lowering = Lowering { ours, base, impossible, at, texts: Vec::new(), tried: FxHashSet::default() };
    lowering.open();
    let mut out = Lowered { mode, ..Lowered::default() };
    out.refused = lowering.hold(&mut out.stricter, budget).err();
    lowering.lost(&mut out.stricter, budget);
    if mode == "dontAsk" {
        // In another mode what this one denies is asked: the model is not to change it.
        out.deny.push("EnterPlanMode".to_owned());
    }
    for text in lowering.texts {
        let list = match text.action {
            Action::Allow => &mut out.allow,
            Action::Ask => &mut out.ask,
            Action::Deny => &mut out.deny,
        };
        if !list.contains(&text.text) {
            list.push(text.text);
        }
    }
    out
}

struct Lowering<'a> {
    ours: &'a Ruleset,
    base: &'a Ruleset,
    impossible: &'a [(Pattern, Pattern)],
    at: Span,
    texts: Vec<Text>,
    tried: FxHashSet<(Action, String)>,
}

impl Lowering<'_> {
    /// Every rule that allows, as far as it can be written.
    fn open(&mut self) {
        for (index, rule) in self.ours.rules.iter().enumerate().filter(|(_, rule)| rule.action == Action::Allow) {
            for permission in spoken(rule) {
                let given = matches!(permission, "glob" | "grep" | "question" | "task");
                let inside = permission == "read" && !rule.pattern.text().starts_with(['/', '~']);
                if given || inside || permission == "external_directory" && rule.pattern.is_everything() {
                    continue;
                }
                for text in write::texts(permission, &rule.pattern, Action::Allow) {
                    self.add(Action::Allow, text, Some(index));
                }
            }
            let name = rule.permission.text();
            if name.starts_with("mcp__") && rule.pattern.is_everything() {
                self.add(Action::Allow, name.to_owned(), Some(index));
            }
        }
    }

    /// Adds a text, if the program takes it; false if it is there already or does nothing.
    fn add(&mut self, action: Action, text: String, of: Option<usize>) -> bool {
        if !self.tried.insert((action, text.clone())) {
            return false;
        }
        let section = match action {
            Action::Allow => Section::Allow,
            Action::Ask => Section::Ask,
            Action::Deny => Section::Deny,
        };
        let mut sink = Sink::default();
        let read = rules::lower(&text, At { section, span: self.at, home: false }, &mut sink);
        if !sink.into_findings().is_empty() {
            return false;
        }
        let mut lines = Vec::new();
        for stmt in read {
            let terms: Vec<&Term> = stmt.node.patterns.iter().flat_map(|patterns| patterns.terms()).collect();
            let pattern = |term: &&Term| match term {
                Term::Text(text) => {
                    let dialect = text.dialect.unwrap_or(crate::language::Dialect::Wildcard);
                    Pattern::new(dialect, &text.text.node).ok()
                }
                Term::Ref(_) => None,
            };
            let mut patterns: Vec<Pattern> = terms.iter().filter_map(pattern).collect();
            if stmt.node.patterns.is_none() {
                patterns.push(Pattern::wildcard("*"));
            }
            for name in &stmt.node.permissions {
                for pattern in &patterns {
                    lines.push((Pattern::wildcard(&name.node), pattern.clone()));
                    let others = companions(&name.node, pattern, action);
                    lines.extend(others.into_iter().map(|(name, pattern)| (Pattern::wildcard(name), pattern)));
                }
            }
        }
        let added = !lines.is_empty();
        if added {
            self.texts.push(Text { action, text, lines, of });
        }
        added
    }

    /// What the settings say so far, in deciding order; each line with the text it comes from.
    fn lines(&self) -> Vec<(Pattern, Pattern, Action, Option<usize>)> {
        let base = self.base.rules.iter().filter(|rule| !is_guard(rule));
        let mut out: Vec<_> =
            base.map(|rule| (rule.permission.clone(), rule.pattern.clone(), rule.action, None)).collect();
        for action in Action::ALL {
            for (at, text) in self.texts.iter().enumerate().filter(|(_, text)| text.action == action) {
                out.extend(text.lines.iter().map(|(key, value)| (key.clone(), value.clone(), action, Some(at))));
            }
        }
        out
    }

    /// A call that the settings decide otherwise: `before` by the policy, `after` by them; within `include` if given.
    fn find(
        &self,
        (before, after): (&[Action], &[Action]),
        include: Option<&[(Pattern, Pattern)]>,
        budget: &mut Budget,
    ) -> Result<Option<Call>, String> {
        let lines = self.lines();
        let entry = |(key, value, action): (&'_ Pattern, &'_ Pattern, Action)| (key.clone(), value.clone(), action);
        let ours: Vec<_> =
            self.ours.rules.iter().map(|rule| entry((&rule.permission, &rule.pattern, rule.action))).collect();
        let ours: Vec<Entry<'_>> =
            ours.iter().map(|(key, value, action)| Entry { key, value, colour: action.colour() }).collect();
        let theirs: Vec<Entry<'_>> =
            lines.iter().map(|(key, value, action, _)| Entry { key, value, colour: action.colour() }).collect();
        let side = |entries| Side { entries, fallback: FALLBACK.colour() };
        let mut diff = Diff::new(side(&ours), side(&theirs), self.impossible, self.ours.case)
            .map_err(|error| error.to_string())?;
        let colours =
            |actions: &[Action]| Colours::of(&actions.iter().map(|action| action.colour()).collect::<Vec<_>>());
        match diff.find(colours(before), colours(after), include, &[], budget) {
            Answer::No => Ok(None),
            Answer::Yes(found) => Ok(Some(found.call)),
            Answer::Undecided { .. } => Err("whether more would be allowed is undecided within the budget".to_owned()),
        }
    }

    /// Holds back what is looser than the policy, until nothing is.
    fn hold(&mut self, stricter: &mut Vec<Loss>, budget: &mut Budget) -> Result<(), String> {
        const LOOSER: [(&[Action], &[Action]); 2] =
            [(&[Action::Deny], &[Action::Allow, Action::Ask]), (&[Action::Ask], &[Action::Allow])];
        self.guess(stricter)?;
        for wanted in LOOSER {
            for _ in 0..MOST {
                let Some(call) = self.find(wanted, None, budget)? else { break };
                self.close(&call, stricter)?;
            }
        }
        Ok(())
    }

    /// Takes care of plausible calls first: of each rule one, decided naively. The exact engine then has little to find.
    fn guess(&mut self, stricter: &mut Vec<Loss>) -> Result<(), String> {
        let written = self.ours.rules.iter().map(|rule| (&rule.permission, &rule.pattern));
        let given = self.base.rules.iter().map(|rule| (&rule.permission, &rule.pattern));
        let mut calls: Vec<Call> = Vec::new();
        for (key, value) in written.chain(given).filter(|(key, _)| !key.text().contains('?')) {
            let text = value.text();
            let value = text.strip_suffix(" *").unwrap_or(text).replace('*', "x");
            let keys: Vec<String> = match key.text().contains('*') {
                true => WRITTEN.into_iter().filter(|name| matches(key, name, self.ours)).map(str::to_owned).collect(),
                false => vec![key.text().to_owned()],
            };
            calls.extend(keys.into_iter().map(|key| Call { key, value: value.clone() }));
        }
        for call in calls {
            let possible = !self
                .impossible
                .iter()
                .any(|(key, value)| matches(key, &call.key, self.ours) && matches(value, &call.value, self.ours));
            // Closing a call may take a wider allowance away and leave another that opens it.
            for _ in 0..self.texts.len() + 1 {
                let before = decide(self.ours, &call.key, &call.value).action;
                if !possible || self.decided(&call) >= before {
                    break;
                }
                self.close(&call, stricter)?;
            }
        }
        Ok(())
    }

    /// What the settings say so far of a call.
    fn decided(&self, call: &Call) -> Action {
        let lines = self.lines();
        let last = lines
            .iter()
            .rfind(|(key, value, ..)| matches(key, &call.key, self.ours) && matches(value, &call.value, self.ours));
        last.map_or(FALLBACK, |(_, _, action, _)| *action)
    }

    /// Takes care of one call that the settings let through.
    fn close(&mut self, call: &Call, stricter: &mut Vec<Loss>) -> Result<(), String> {
        let decision = decide(self.ours, &call.key, &call.value);
        let action = decision.action;
        let rule = decision.rule.map(|(at, rule)| (at, rule.clone()));
        if let Some((at, rule)) = &rule {
            let named = rule.permission.text().starts_with("mcp__") && rule.pattern.is_everything();
            if named && self.add(action, rule.permission.text().to_owned(), Some(*at)) {
                return Ok(());
            }
            let texts = write::texts(&call.key, &rule.pattern, action);
            if !rule.pattern.is_everything() && self.all(action, texts, Some(*at)) {
                return Ok(());
            }
        }
        // What opens the call: a rule that was written for an allowance, or what the program allows by itself.
        let opens = self
            .lines()
            .into_iter()
            .rfind(|(key, value, ..)| matches(key, &call.key, self.ours) && matches(value, &call.value, self.ours));
        match opens {
            Some((.., Some(at))) => {
                let text = self.texts.remove(at);
                let of = text.of.and_then(|at| self.ours.rules.get(at));
                if let Some(of) = of {
                    let why = format!("`{}` would be wider than the rule, so it is not written", text.text);
                    stricter.push(Loss { rule: of.clone(), why });
                }
                return Ok(());
            }
            Some((_, value, ..)) if !value.is_everything() => {
                let texts = write::texts(&call.key, &value, action);
                if self.all(action, texts, None) {
                    return Ok(());
                }
            }
            _ => {}
        }
        // There are as many tools of servers as one likes: all that the rule speaks of are held back at once.
        let server = call.key.starts_with("mcp__");
        let spoken = rule.as_ref().map(|(_, rule)| rule.permission.text()).filter(|name| name.starts_with("mcp__"));
        let name = if server { spoken.unwrap_or("mcp__*") } else { call.key.as_str() };
        let texts = write::whole(name, action);
        if self.all(action, texts, None) {
            if let Some((_, rule)) = rule.filter(|(_, rule)| !rule.pattern.is_everything()) {
                let why = format!("no rule of Claude Code says it, so all of `{}` is held back", call.key);
                stricter.push(Loss { rule, why });
            }
            return Ok(());
        }
        Err(format!("nothing can be written that {} {} `{}`", verb(action), call.key, call.value))
    }

    /// Adds all texts, if there are any that are new.
    fn all(&mut self, action: Action, texts: Vec<String>, of: Option<usize>) -> bool {
        let added = texts.into_iter().filter(|text| self.add(action, text.clone(), of)).count();
        added > 0
    }

    /// Rules that allow, or ask, and are swallowed by stricter ones.
    fn lost(&self, stricter: &mut Vec<Loss>, budget: &mut Budget) {
        const TIGHTER: [(Action, &[Action]); 2] =
            [(Action::Allow, &[Action::Ask, Action::Deny]), (Action::Ask, &[Action::Deny])];
        for (before, after) in TIGHTER {
            for rule in self.ours.rules.iter().filter(|rule| rule.action == before && !rule.permission.is_everything())
            {
                let include = [(rule.permission.clone(), rule.pattern.clone())];
                let Ok(Some(call)) = self.find((&[before], after), Some(&include), budget) else { continue };
                let by = decide(self.ours, &call.key, &call.value);
                if by.rule.is_none_or(|(_, by)| by.id != rule.id) || stricter.iter().any(|loss| loss.rule.id == rule.id)
                {
                    continue;
                }
                let why = format!("{} `{}` is held back by a stricter rule or by the mode", call.key, call.value);
                stricter.push(Loss { rule: rule.clone(), why });
            }
        }
    }
}

fn matches(pattern: &Pattern, text: &str, set: &Ruleset) -> bool {
    pattern.matches(text, set.case)
}

fn verb(action: Action) -> &'static str {
    match action {
        Action::Allow => "allows",
        Action::Ask => "asks about",
        Action::Deny => "denies",
    }
}

/// The permissions that a rule speaks of and settings can say.
fn spoken(rule: &Rule) -> impl Iterator<Item = &'static str> + '_ {
    WRITTEN.into_iter().filter(|name| rule.permission.matches(name, crate::language::Case::Sensitive))
}

/// Permissions of which an agent may be given the tools: it is allowed or asked something, and settings hold it to no less
/// than its own rules do.
pub fn open_permissions(
    own: &Ruleset,
    settings: &Ruleset,
    impossible: &[(Pattern, Pattern)],
    budget: &mut Budget,
) -> Vec<&'static str> {
    let lowering = Lowering {
        ours: own,
        base: settings,
        impossible,
        at: own.rules.first().map_or_else(|| settings_span(settings), |rule| rule.origin.span),
        texts: Vec::new(),
        tried: FxHashSet::default(),
    };
    let everything = Pattern::wildcard("*");
    let open = |name: &&str| {
        let include = [(Pattern::wildcard(name), everything.clone())];
        let mut none =
            |wanted: (&[Action], &[Action])| matches!(lowering.find(wanted, Some(&include), budget), Ok(None));
        let all = &Action::ALL[..];
        let some = !none((&[Action::Allow, Action::Ask], all));
        some && none((&[Action::Deny], &[Action::Allow, Action::Ask])) && none((&[Action::Ask], &[Action::Allow]))
    };
    WRITTEN.into_iter().filter(|name| *name != "external_directory").filter(open).collect()
}

fn settings_span(settings: &Ruleset) -> Span {
    let file = crate::source::SourceMap::default().add("", "");
    settings.rules.first().map_or(Span::new(file, 0..0), |rule| rule.origin.span)
}
