//! A list of rules in which the last match wins as Gemini's rules, each a step above the one before.
//!
//! Gemini compares the texts of arguments, and the same file has many: `src/a`, `./src/a`, `/home/me/src/a`. For a policy that
//! speaks of files by one name each, denials and questions are written for the absolute texts too, what it allows is not, and
//! texts with `.`, `..` or doubled slashes get the strictest answer that some file would get.

use super::spelling::{self, Side};
use super::tools::{self, PLAIN, TOOLS, Tool};
use crate::decide::FALLBACK;
use crate::language::{Case, Dialect, Pattern};
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;

/// A rule to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The tools.
    pub tools: Vec<String>,
    /// The expression over the arguments.
    pub args: Option<String>,
    /// The decision.
    pub action: Action,
    /// Whether a command with redirections passes too.
    pub redirection: bool,
    /// What the model is told where it denies.
    pub message: Option<String>,
}

/// Rules of one priority, which never disagree.
#[derive(Clone, Debug, Default)]
pub struct Step {
    /// The rules.
    pub lines: Vec<Line>,
    /// The rule of the policy that they stand for.
    pub rule: Option<Rule>,
}

/// A rule that is said otherwise, and how.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The rule.
    pub rule: Rule,
    /// Why, and what is said instead.
    pub why: &'static str,
}

/// One agent's rules.
#[derive(Debug, Default)]
pub struct Lowered {
    /// Steps, weakest first.
    pub steps: Vec<Step>,
    /// Rules that became stricter.
    pub stricter: Vec<Loss>,
    /// Rules that no file can say.
    pub refused: Vec<Loss>,
}

/// Texts of paths that name a file in a roundabout way.
const ROUNDABOUT: [&str; 8] = ["./*", "*/./*", "../*", "*/../*", "*//*", "*/..", "..", "*/."];
/// Why a wildcard over permissions is refused.
const NO_NAMES: &str = "tools are named one by one, or as all of a server (`mcp_SERVER_*`)";

/// Lowers an agent's rules. `core`: they speak of files as `core` does, and of tools by its names.
pub fn lower(set: &Ruleset, core: bool) -> Lowered {
    let tools = TOOLS.iter().map(|tool| State { tool, strictest: FALLBACK, unconditional: FALLBACK }).collect();
    let mut lowering = Lowering { core, set, tools, many: FALLBACK, out: Lowered::default() };
    lowering.out.steps.push(Step { lines: lowering.everything(FALLBACK, None, false), rule: None });
    for rule in set.rules.iter().filter(|rule| &*rule.origin.slot != "runtime") {
        let lines = lowering.rule(rule);
        if !lines.is_empty() {
            lowering.out.steps.push(Step { lines, rule: Some(rule.clone()) });
        }
    }
    if core {
        lowering.roundabout();
    }
    lowering.out
}

/// A tool, and what the rules so far say of it.
struct State {
    tool: &'static Tool,
    /// The strictest answer that some resource may get.
    strictest: Action,
    /// The answer of the last rule for all resources.
    unconditional: Action,
}

struct Lowering<'a> {
    core: bool,
    set: &'a Ruleset,
    tools: Vec<State>,
    /// The strictest answer for some file, where many are read at once.
    many: Action,
    out: Lowered,
}

impl Lowering<'_> {
    /// The permission of a tool in the policy's vocabulary.
    fn permission(&self, tool: &Tool) -> &'static str {
        if self.core && tool.permission == "replace" { "edit" } else { tool.permission }
    }

    fn rule(&mut self, rule: &Rule) -> Vec<Line> {
        let whole = rule.pattern.is_everything();
        let name = rule.permission.text();
        if whole && rule.permission.is_everything() {
            for state in &mut self.tools {
                (state.strictest, state.unconditional) = (rule.action, rule.action);
            }
            self.many = rule.action;
            return self.everything(rule.action, message(rule), self.redirects(&rule.pattern));
        }
        let matches = |permission: &str| rule.permission.matches(permission, Case::Sensitive);
        let mut lines = Vec::new();
        for index in 0..self.tools.len() {
            let tool = self.tools.get(index).map(|state| state.tool);
            if let Some(tool) = tool.filter(|tool| matches(self.permission(tool))) {
                self.tool(index, tool, rule, whole, &mut lines);
            }
        }
        if self.core && matches("read") {
            self.many(rule, &mut lines);
        }
        // These have no resource: `*` stands for it.
        if whole || rule.pattern.matches("*", Case::Sensitive) {
            for (tool, permission) in PLAIN.iter().filter(|(_, permission)| matches(permission)) {
                if !(self.core && *permission == "read_many_files") {
                    lines.push(line(tool, None, rule.action, message(rule)));
                }
            }
            self.other(rule, name, &mut lines);
        }
        join(lines)
    }

    /// Tools that this list does not know: of servers, of the project.
    fn other(&mut self, rule: &Rule, name: &str, lines: &mut Vec<Line>) {
        let known = tools::of_permission(name).is_some() || PLAIN.iter().any(|(_, permission)| *permission == name);
        let beside = tools::BESIDE.contains(&name) || name == "external_directory";
        let server = name.strip_prefix("mcp_").and_then(|rest| rest.strip_suffix('*'));
        let is_server =
            server.is_some_and(|inner| inner.is_empty() || inner.ends_with('_') && !inner.contains(['*', '?']));
        if known || beside {
            return;
        }
        match name.contains(['*', '?']) || name.is_empty() {
            true if is_server => lines.push(line(name, None, rule.action, message(rule))),
            true if rule.action == Action::Allow => {
                self.out.stricter.push(Loss { rule: rule.clone(), why: NO_NAMES });
            }
            true => self.out.refused.push(Loss { rule: rule.clone(), why: NO_NAMES }),
            false => lines.push(line(name, None, rule.action, message(rule))),
        }
    }

    fn tool(&mut self, index: usize, tool: &'static Tool, rule: &Rule, whole: bool, lines: &mut Vec<Line>) {
        let Some(field) = tool.field else { return };
        let Some(state) = self.tools.get_mut(index) else { return };
        let redirection = tool.permission == "bash" && rule.action == Action::Allow;
        if whole {
            (state.strictest, state.unconditional) = (rule.action, rule.action);
            let redirection = redirection && self.redirects(&rule.pattern);
            lines.push(Line { redirection, ..whole_tool(tool, rule.action, message(rule)) });
            return;
        }
        let before = state.strictest;
        let strictest = before.max(rule.action);
        state.strictest = strictest;
        let reach = spelling::body(&rule.pattern, Side::Narrow).filter(|(_, exact)| *exact);
        if self.core && tool.permission == "webfetch" {
            // The prompt holds the addresses among other text.
            let why = "Gemini CLI compares the whole prompt, in which addresses stand among other text";
            self.stricter(rule, why);
            if rule.action != Action::Allow {
                lines.push(line(tool.name, None, strictest, message(rule)));
            }
            return;
        }
        let path = self.core && matches!(field, "file_path" | "dir_path");
        let rooted = rule.pattern.text().starts_with(['~', '$']);
        match rule.action {
            Action::Allow => {
                if path && rooted {
                    self.stricter(rule, "where this folder lies is known only where it runs");
                    return;
                }
                let Some((body, exact)) = reach.or_else(|| spelling::body(&rule.pattern, Side::Narrow)) else {
                    self.stricter(rule, "no expression that Gemini CLI takes says it");
                    return;
                };
                if !exact {
                    self.stricter(rule, "Gemini CLI's expressions say it of fewer texts");
                }
                let redirection = redirection && self.redirects(&rule.pattern);
                let args = Some(spelling::field(field, &body));
                lines.push(Line { redirection, ..line(tool.name, args, rule.action, None) });
                if path && before > Action::Allow && !rule.pattern.text().starts_with('/') {
                    // What lies above the folder may have any name.
                    let args = spelling::body(&Pattern::wildcard("/*"), Side::Wide)
                        .map(|(body, _)| spelling::field(field, &body));
                    lines.push(line(tool.name, args, before, None));
                }
            }
            Action::Ask | Action::Deny => {
                let exact = reach.is_some();
                let Some((body, _)) = reach.or_else(|| spelling::body(&rule.pattern, Side::Wide)) else {
                    self.stricter(rule, "no expression that Gemini CLI takes says it, so it holds for the whole tool");
                    lines.push(line(tool.name, None, strictest, message(rule)));
                    return;
                };
                if !exact {
                    self.stricter(rule, "Gemini CLI's expressions say it of more texts");
                }
                let action = if exact { rule.action } else { strictest };
                lines.push(line(tool.name, Some(spelling::field(field, &body)), action, message(rule)));
                if path {
                    for body in absolute(&rule.pattern, &body) {
                        lines.push(line(tool.name, Some(spelling::field(field, &body)), strictest, message(rule)));
                    }
                    if field == "dir_path" && rule.pattern.matches(".", Case::Sensitive) {
                        // A call that names no folder means this one.
                        lines.push(line(tool.name, None, strictest, message(rule)));
                    }
                }
            }
        }
    }

    /// Reading many files at once: as strict as any file that is asked or denied, and allowed by rules for all tools alone.
    fn many(&mut self, rule: &Rule, lines: &mut Vec<Line>) {
        self.many = self.many.max(rule.action);
        if rule.action > Action::Allow {
            lines.push(line("read_many_files", None, self.many, message(rule)));
        }
    }

    /// Whether every command of a pattern passes with redirections too, by the rules from here on and before.
    fn redirects(&self, pattern: &Pattern) -> bool {
        if self.core {
            return false;
        }
        let speaks =
            |rule: &&Rule| rule.permission.matches("redirection", Case::Sensitive) && &*rule.origin.slot != "runtime";
        for rule in self.set.rules.iter().rev().filter(speaks) {
            match rule.action {
                Action::Allow if rule.pattern.is_everything() || rule.pattern == *pattern => return true,
                Action::Allow => {}
                Action::Ask | Action::Deny => return false,
            }
        }
        false
    }

    fn everything(&self, action: Action, message: Option<String>, redirection: bool) -> Vec<Line> {
        let shell = tools::of_permission("bash");
        let shell = shell.map(|tool| Line { redirection, ..whole_tool(tool, action, message.clone()) });
        shell.into_iter().chain([Line { redirection, ..line("*", None, action, message) }]).collect()
    }

    /// Texts that name a file in a roundabout way.
    fn roundabout(&mut self) {
        let mut lines = Vec::new();
        for state in &self.tools {
            let Some(field) = state.tool.field.filter(|field| matches!(*field, "file_path" | "dir_path")) else {
                continue;
            };
            if state.strictest == Action::Allow || state.strictest == state.unconditional && self.plain(state) {
                continue;
            }
            for text in ROUNDABOUT {
                let body = spelling::body(&Pattern::wildcard(text), Side::Wide).map(|(body, _)| body);
                let text = "write the path without `.` and `..`, as seen from the project's folder".to_owned();
                let message = (state.strictest == Action::Deny).then_some(text);
                let args = body.map(|body| spelling::field(field, &body));
                lines.push(line(state.tool.name, args, state.strictest, message));
            }
        }
        if !lines.is_empty() {
            self.out.steps.push(Step { lines: join(lines), rule: None });
        }
    }

    /// Whether the last rule that speaks of a tool is one for all resources.
    fn plain(&self, state: &State) -> bool {
        let permission = self.permission(state.tool);
        let last = self.set.rules.iter().rev().find(|rule| rule.permission.matches(permission, Case::Sensitive));
        last.is_none_or(|rule| rule.pattern.is_everything())
    }

    fn stricter(&mut self, rule: &Rule, why: &'static str) {
        if self.out.stricter.iter().all(|loss| loss.rule.id != rule.id) {
            self.out.stricter.push(Loss { rule: rule.clone(), why });
        }
    }
}

/// A rule for a whole tool. The command tool gets an expression that always matches, so that the built-in lists of commands
/// that are allowed or asked about whatever the rule says do not count; a denial hides the tool, and no list lifts it.
fn whole_tool(tool: &Tool, action: Action, message: Option<String>) -> Line {
    let pattern = tool.permission == "bash" && action != Action::Deny;
    line(tool.name, tool.field.filter(|_| pattern).map(spelling::any), action, message)
}

fn line(tool: &str, args: Option<String>, action: Action, message: Option<String>) -> Line {
    let message = message.filter(|_| action == Action::Deny);
    Line { tools: vec![tool.to_owned()], args, action, redirection: false, message }
}

fn message(rule: &Rule) -> Option<String> {
    rule.reason.as_ref().map(|reason| reason.to_string())
}

/// The same files by absolute texts, whatever the folder.
fn absolute(pattern: &Pattern, body: &str) -> Vec<String> {
    let text = pattern.text();
    let wildcard = pattern.dialect() == Dialect::Wildcard;
    if text.starts_with('/') || wildcard && text.starts_with('*') {
        return Vec::new();
    }
    let text = match text.strip_prefix('~').or_else(|| text.strip_prefix("$HOME")) {
        Some(rest) => rest.trim_start_matches('/'),
        None => text,
    };
    match wildcard {
        true => {
            let texts = [format!("/{text}"), format!("/*/{text}")];
            texts.iter().filter_map(|text| Some(spelling::body(&Pattern::wildcard(text), Side::Wide)?.0)).collect()
        }
        false => vec![format!("/{body}"), format!("/[^\\x00]*/{body}")],
    }
}

/// Rules that say the same of several tools become one.
fn join(lines: Vec<Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::new();
    for line in lines {
        let same = |known: &&mut Line| {
            known.args == line.args
                && known.action == line.action
                && known.redirection == line.redirection
                && known.message == line.message
                && !line.tools.iter().chain(&known.tools).any(|tool| tool == "*" || tool.starts_with("mcp_"))
        };
        match out.iter_mut().rev().find(same) {
            Some(known) => known
                .tools
                .extend(line.tools.into_iter().filter(|tool| !known.tools.contains(tool)).collect::<Vec<_>>()),
            None => out.push(line),
        }
    }
    out
}
