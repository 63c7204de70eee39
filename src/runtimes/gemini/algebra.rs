//! Gemini's algebra in the language: of all rules that match the one of the highest priority decides, of equal ones the one
//! that was loaded first. So the last match wins in a list by rising priority, equal ones turned around.

use super::rule::{Args, Rule};
use super::tools::{self, TOOLS, Tool};
use super::value::{self, Reach, Values};
use crate::language::Dialect;
use crate::rule::Action;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Patterns, RuleStmt, Stmt, Term, Text, Trivia};
use std::collections::BTreeSet;

/// Commands that read and, typed alone, are not asked about by a rule for the whole tool that asks. Gemini looks
/// at their options and paths too, so it allows fewer. The prelude has the same list.
pub(super) const READING: &str = r#"\s*["\x27\\]*(cat|cd|cut|echo|expr|false|grep|head|id|ls|nl|paste|pwd|rev|seq|stat|tail|tr|true|uname|uniq|wc|which|whoami|numfmt|tac|base64|find|/\S*/rg|sed|bash|zsh|__read|__write|git(\s+-\S+(\s+[^\s\-]\S*)?)*\s+(status|log|diff|show|branch))["\x27\\]*(\s(?s:.*))?"#;

/// The rules in the order in which the last match wins.
pub(super) fn ordered(mut rules: Vec<Rule>) -> Vec<Rule> {
    rules.reverse();
    rules.sort_by_key(|rule| rule.priority);
    rules
}

/// What rules say of one agent, weakest first.
pub(super) struct Lowering {
    /// Permissions that the rules so far deny, whatever the resource.
    denied: BTreeSet<&'static str>,
}

impl Lowering {
    pub(super) fn new() -> Lowering {
        Lowering { denied: BTreeSet::new() }
    }

    pub(super) fn rule(&mut self, rule: &Rule) -> Vec<Stmt<RuleStmt>> {
        let mut out = Vec::new();
        for args in &rule.args {
            for tool in &rule.tools {
                self.one(rule, args, tool, &mut out);
            }
        }
        join(&mut out);
        if let Some(first) = out.first_mut() {
            first.lead.extend(rule.comments.iter().map(|line| Trivia::Comment(line.clone())));
        }
        out
    }

    fn one(&mut self, rule: &Rule, args: &Spanned<Args>, tool: &Spanned<String>, out: &mut Vec<Stmt<RuleStmt>>) {
        let mut say = Say { rule, span: args.span, tool: tool.span, out };
        if rule.annotated && !matches!(rule.action.node, Action::Allow) {
            // Where it holds is not known, and without it no less is allowed.
            return;
        }
        match (&args.node, tool.node.as_str()) {
            (Args::Any, "*") => {
                self.whole(rule, TOOLS.iter().map(|tool| tool.permission));
                let everything = if rule.annotated { "mcp_*" } else { "*" };
                say.rule(rule.action.node, &[everything], Values::All);
                if !rule.annotated {
                    say.rule(Action::Ask, &["dangerous"], Values::All);
                    say.beside("redirection", rule.redirection, Values::All);
                    say.reading();
                }
            }
            (Args::Any, "run_shell_command") => {
                self.whole(rule, ["bash"]);
                say.rule(rule.action.node, &["bash"], Values::All);
                if rule.action.node == Action::Allow {
                    say.rule(Action::Ask, &["dangerous"], Values::All);
                    say.beside("redirection", rule.redirection, Values::All);
                }
                say.reading();
            }
            (args, "*") => {
                for tool in &TOOLS {
                    self.matching(&mut say, args, tool);
                }
                if rule.action.node == Action::Allow && matches!(args, Args::Matching(_)) {
                    // A server's tool may have any arguments.
                    say.rule(Action::Allow, &["mcp_*"], Values::All);
                }
            }
            (args, name) => match tools::named(name) {
                Some(tool) => self.matching(&mut say, args, tool),
                None => Self::unknown(&mut say, args, name),
            },
        }
    }

    fn whole(&mut self, rule: &Rule, permissions: impl IntoIterator<Item = &'static str>) {
        for permission in permissions.into_iter().filter(|_| !rule.annotated) {
            match rule.action.node {
                Action::Deny => self.denied.insert(permission),
                Action::Allow | Action::Ask => self.denied.remove(permission),
            };
        }
    }

    fn matching(&mut self, say: &mut Say<'_>, args: &Args, tool: &Tool) {
        let reach = match args {
            Args::Any => Reach { surely: Values::All, perhaps: Values::All },
            Args::Prefix(_) if tool.permission != "bash" => return,
            Args::Prefix(text) => {
                let values = value::prefix(text);
                Reach { surely: values.clone(), perhaps: values }
            }
            Args::Matching(text) => value::reach(text, tool),
        };
        let action = say.rule.action.node;
        if action == Action::Allow || reach.surely == Values::All {
            self.denied.remove(tool.permission);
        }
        if action == Action::Deny && reach.surely == Values::All {
            self.denied.insert(tool.permission);
        }
        let values = match action {
            Action::Allow => reach.perhaps,
            // Where it may match it lifts a denial, and where it surely matches it stops what is allowed.
            Action::Ask if self.denied.contains(tool.permission) => reach.perhaps,
            Action::Ask | Action::Deny => reach.surely,
        };
        if tool.permission == "bash" && action == Action::Allow {
            say.rule(action, &["bash", "dangerous"], values.clone());
            say.beside("redirection", say.rule.redirection, values);
        } else {
            say.rule(action, &[tool.permission], values);
        }
    }

    /// A tool of a server or of the project, or an agent: a rule with its name also holds for the tool that starts it.
    fn unknown(say: &mut Say<'_>, args: &Args, name: &str) {
        let action = say.rule.action.node;
        if *args != Args::Any && action != Action::Allow {
            return;
        }
        say.rule(action, &[tools::permission(name)], Values::All);
        if !name.starts_with("mcp_") && (!tools::is_known(name) || matches!(name, "codebase_investigator" | "cli_help"))
        {
            say.rule(action, &["task"], Values::Some(regex_syntax::escape(name)));
        }
    }
}

struct Say<'a> {
    rule: &'a Rule,
    span: Span,
    tool: Span,
    out: &'a mut Vec<Stmt<RuleStmt>>,
}

impl Say<'_> {
    fn rule(&mut self, action: Action, permissions: &[&str], values: Values) {
        let patterns = match values {
            Values::None => return,
            Values::All => None,
            Values::Some(text) => {
                let (dialect, text) = plain(text);
                Some((Some(dialect), text))
            }
            Values::Wildcard(text) => Some((None, text)),
        };
        let patterns = patterns
            .map(|(dialect, text)| Patterns::One(Term::Text(Text { dialect, text: Spanned::new(text, self.span) })));
        let node = RuleStmt {
            action: Spanned::new(action, self.rule.action.span),
            permissions: permissions.iter().map(|name| Spanned::new((*name).to_owned(), self.tool)).collect(),
            patterns,
            because: self.rule.message.clone().filter(|_| action == self.rule.action.node),
        };
        self.out.push(Stmt::bare(node, self.rule.span));
    }

    /// What is asked beside the command itself.
    fn beside(&mut self, permission: &str, passes: bool, values: Values) {
        let action = if passes { Action::Allow } else { Action::Ask };
        self.rule(action, &[permission], values);
    }

    /// The list of commands that read lifts a question for the whole tool.
    fn reading(&mut self) {
        if self.rule.action.node == Action::Ask {
            self.rule(Action::Allow, &["bash"], Values::Some(READING.to_owned()));
        }
    }
}

/// A text that stands for itself alone is said so.
fn plain(text: String) -> (Dialect, String) {
    let literal: String = text.chars().filter(|letter| *letter != '\\').collect();
    match regex_syntax::escape(&literal) == text {
        true => (Dialect::Exact, literal),
        false => (Dialect::Regex, text),
    }
}

/// Neighbours that say the same of different tools become one statement.
fn join(stmts: &mut Vec<Stmt<RuleStmt>>) {
    let mut out: Vec<Stmt<RuleStmt>> = Vec::new();
    for stmt in stmts.drain(..) {
        match out.last_mut() {
            Some(last)
                if last.node.action == stmt.node.action
                    && last.node.patterns == stmt.node.patterns
                    && last.node.because == stmt.node.because =>
            {
                last.node.permissions.extend(stmt.node.permissions);
            }
            _ => out.push(stmt),
        }
    }
    *stmts = out;
}
