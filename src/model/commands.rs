//! Command lines that give capabilities: what `commands` says.

use super::rules::{Expander, refused};
use super::{CONFLICTING_DEFINITION, Capability};
use crate::diagnostic::{Finding, Sink};
use crate::language::{Case, Pattern, Template};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{CommandClause, CommandLines, Name, Term, Text};
use std::fmt;
use std::sync::Arc;

words!(
    /// In what kind of way a command gives its capabilities.
    Family {
        /// Its output goes into a file.
        Redirect = "redirect",
        /// A tool whose business it is: `sed -i`, `tee`, `cp`, `mv`, `rm`.
        FilterTool = "filter-tool",
        /// It runs code that it is given, in the call or as a script: `python -c`, `node build.js`.
        Interpreter = "interpreter",
        /// It runs code that the project holds: `make`, `npm run`, `cargo test`.
        Project = "project",
        /// It runs another command: `env`, `xargs`, `timeout`, `docker exec`.
        Runner = "runner",
        /// An option of a command that otherwise only reads: `sort -o`, `find -delete`, `tar --to-command`.
        Option = "option",
        /// An option before the subcommand that makes all of them run something: `git -c`.
        GlobalOption = "global-option",
        /// It starts another agent: `claude -p`, `codex exec`.
        Agent = "agent",
        /// It sends or receives: `curl`, `ssh`, `git push`.
        Network = "network",
        /// It shows what a file or the environment holds: `cat`, `grep`, `env`.
        Secret = "secret",
        /// It acts as another user: `sudo`.
        Privilege = "privilege",
        /// It runs a command line: `sh -c`, `eval`.
        Shell = "shell",
        /// A command of Windows or PowerShell; some of their names mean other things elsewhere.
        Windows = "windows",
    }
);

/// `commands CAPABILITY[, CAPABILITY...] [by FAMILY] ...`
#[derive(Debug, Clone)]
pub struct Commands {
    /// The statement.
    pub span: Span,
    /// What each of its command lines gives.
    pub capabilities: Vec<Capability>,
    /// In what kind of way.
    pub family: Option<Family>,
    /// The command lines in order.
    pub entries: Vec<Command>,
    /// Whether a prelude or the shipped catalogue says it.
    pub prelude: bool,
}

/// A command line that gives the capabilities.
#[derive(Debug, Clone)]
pub struct Command {
    /// Where it is written.
    pub span: Span,
    /// The set of lines it stands for.
    pub line: Line,
    /// Why it gives them.
    pub reason: Option<Arc<str>>,
    /// A line of the set that shows it.
    pub example: Option<Name>,
}

/// A set of command lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A plain string: words with holes, of which some may be paths.
    Template(Template),
    /// One with its dialect before it, which says nothing of paths.
    Pattern(Pattern),
}

impl Line {
    /// Its text as written, without the dialect.
    pub fn text(&self) -> &str {
        match self {
            Line::Template(template) => template.text(),
            Line::Pattern(pattern) => pattern.text(),
        }
    }

    /// Whether a whole command line is in the set.
    pub fn matches(&self, command: &str) -> bool {
        match self {
            Line::Template(template) => template.matches(command),
            Line::Pattern(pattern) => pattern.matches(command, Case::Sensitive),
        }
    }

    /// The set for the exact engine.
    pub fn pattern(&self) -> Pattern {
        match self {
            Line::Template(template) => template.pattern(),
            Line::Pattern(pattern) => pattern.clone(),
        }
    }

    /// The template, if it is one.
    pub fn template(&self) -> Option<&Template> {
        match self {
            Line::Template(template) => Some(template),
            Line::Pattern(_) => None,
        }
    }
}

/// The command lines of a statement; those that are none are reported and left out.
pub(super) fn entries(lines: &CommandLines, prelude: bool, expander: &mut Expander, sink: &mut Sink) -> Vec<Command> {
    let mut entries = Vec::new();
    match lines {
        CommandLines::Block(block) => {
            entries.extend(block.stmts.iter().filter_map(|stmt| entry(&stmt.node, prelude, expander, sink)))
        }
        CommandLines::Patterns(patterns) => {
            for term in patterns.terms() {
                match term {
                    Term::Text(text) => entries.extend(line(text, expander, sink).map(bare)),
                    Term::Ref(name) => {
                        let named = expander.named_patterns(name, sink);
                        let plain = expander.plain;
                        let line = |pattern: Spanned<Pattern>| match pattern.node.dialect() == plain {
                            true => template(pattern.node.text(), pattern.span, sink),
                            false => Some(pattern.map(Line::Pattern)),
                        };
                        entries.extend(named.into_iter().filter_map(line).map(bare));
                    }
                }
            }
        }
    }
    entries
}

fn bare(line: Spanned<Line>) -> Command {
    Command { span: line.span, line: line.node, reason: None, example: None }
}

fn entry(clause: &CommandClause, prelude: bool, expander: &Expander, sink: &mut Sink) -> Option<Command> {
    let line = line(&clause.text, expander, sink)?;
    // A test holds the shipped catalogue to this; asking it of every entry at every start takes as long as reading them.
    let example = clause.example.as_ref().filter(|_| !prelude);
    if let Some(example) = example.filter(|example| !line.node.matches(&example.node)) {
        let text = format!("`{}` is no example of `{}`", example.node, line.node.text());
        let finding =
            Finding::new(CONFLICTING_DEFINITION, example.span, text).related(line.span, "the line it is to show");
        sink.push(
            finding.help("holes stand for plain characters only; write an example that the line matches as a whole"),
        );
    }
    let reason = clause.because.as_ref().map(|reason| reason.node.as_str().into());
    Some(Command { reason, example: clause.example.clone(), ..bare(line) })
}

fn line(text: &Text, expander: &Expander, sink: &mut Sink) -> Option<Spanned<Line>> {
    match text.dialect {
        None => template(&text.text.node, text.text.span, sink),
        Some(_) => expander.text(text, sink).map(|pattern| pattern.map(Line::Pattern)),
    }
}

fn template(text: &str, span: Span, sink: &mut Sink) -> Option<Spanned<Line>> {
    match Template::new(text) {
        Ok(template) => Some(Spanned::new(Line::Template(template), span)),
        Err(error) => {
            sink.push(refused(&error, text, span));
            None
        }
    }
}
