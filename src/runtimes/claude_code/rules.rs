//! One rule of `allow`, `ask` or `deny`: to statements of the language, or to what is said of one that does nothing.

use super::spec::{self, Section, Spec};
use super::{commands, names, paths};
use crate::diagnostic::{Finding, Severity, Sink, near_name};
use crate::language::{Case, Dialect, Pattern};
use crate::rule::Action;
use crate::runtimes::codes::{INERT_KEY, UNKNOWN_KEY};
use crate::secret::redact;
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Block, Patterns, RuleStmt, Stmt, Term, Text};

/// Tools whose path rules the program takes and never consults, and the tool whose rules it does.
const NEVER: [(&str, &str); 6] = [
    ("Write", "Edit"),
    ("MultiEdit", "Edit"),
    ("NotebookEdit", "Edit"),
    ("Glob", "Read"),
    ("Grep", "Read"),
    ("NotebookRead", "Read"),
];

/// Top folders of machines that no project has: a path that starts with one was meant to be absolute.
pub(super) const MACHINE: [&str; 11] =
    ["etc", "home", "Users", "root", "usr", "proc", "sys", "mnt", "Volumes", "private", "Library"];

/// Where a rule stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// The list.
    pub(super) section: Section,
    /// The place of its text.
    pub(super) span: Span,
    /// Whether its settings lie in the home folder.
    pub(super) home: bool,
}

impl At {
    fn action(self) -> Action {
        match self.section {
            Section::Allow => Action::Allow,
            Section::Ask => Action::Ask,
            Section::Deny => Action::Deny,
        }
    }

    /// A rule without effect: an error where it was to hold something back.
    fn inert(self, text: String) -> Finding {
        let lost = matches!(self.section, Section::Deny);
        let severity = if lost { Severity::Error } else { Severity::Warning };
        Finding::new(INERT_KEY, self.span, text).severity(severity)
    }
}

type Written = (Option<Dialect>, String);

/// The statements that a rule stands for.
pub(super) fn lower(text: &str, at: At, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    let spec = match spec::parse(text, at.section) {
        Ok(spec) => spec,
        Err((why, help)) => {
            let text = format!("Claude Code skips the rule `{}`: {why}", redact(text));
            sink.push(at.inert(text).help(help));
            return Vec::new();
        }
    };
    if spec.tool.starts_with("mcp__") {
        let server = spec.tool.trim_start_matches("mcp__");
        let whole = !server.contains("__") && !server.ends_with('*');
        let name = if whole { format!("{}__*", spec.tool) } else { spec.tool };
        return vec![rule(at, &[&name], Vec::new())];
    }
    if spec.tool.contains('*') {
        return globbed(&spec, at, sink);
    }
    if !names::is_known(&spec.tool) {
        unknown(&spec, at, sink);
    }
    match &spec.content {
        None => vec![whole(&spec.tool, at)],
        Some(content) => scoped(&spec, content, at, sink),
    }
}

/// A rule for a whole tool.
fn whole(tool: &str, at: At) -> Stmt<RuleStmt> {
    rule(at, &[names::permission(tool).unwrap_or(tool)], Vec::new())
}

/// A wildcard over names of tools, in a deny or ask rule.
fn globbed(spec: &Spec, at: At, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    if spec.content.is_some() {
        let text = format!("whether `{}` with parentheses matches anything is not documented", redact(&spec.tool));
        sink.push(at.inert(text).severity(Severity::Warning).help("write a rule for each tool"));
        return Vec::new();
    }
    if spec.tool.chars().all(|letter| letter == '*') {
        return vec![rule(at, &["*"], Vec::new())];
    }
    let glob = Pattern::wildcard(&spec.tool);
    let mut permissions: Vec<&str> = Vec::new();
    for (tool, permission) in names::TOOLS.iter().filter(|(tool, _)| glob.matches(tool, Case::Sensitive)) {
        let permission = if *tool == "Monitor" { *tool } else { *permission };
        if !permissions.contains(&permission) {
            permissions.push(permission);
        }
    }
    permissions.push(&spec.tool);
    vec![rule(at, &permissions, Vec::new())]
}

fn unknown(spec: &Spec, at: At, sink: &mut Sink) {
    let tool = redact(&spec.tool).into_owned();
    if NEVER.iter().any(|(name, _)| *name == spec.tool) && spec.content.is_some() {
        return;
    }
    let known = names::TOOLS.iter().map(|(name, _)| *name);
    let help = match names::replacement(&spec.tool).or_else(|| near_name(&spec.tool, known)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "check its spelling; tools of servers are called `mcp__SERVER__TOOL`".to_owned(),
    };
    sink.push(Finding::new(UNKNOWN_KEY, at.span, format!("Claude Code has no tool `{tool}`")).help(help));
}

/// A rule with content.
fn scoped(spec: &Spec, content: &str, at: At, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    if let Some((_, instead)) = NEVER.iter().find(|(name, _)| *name == spec.tool) {
        let text = format!("path rules of `{}` are taken and never consulted", spec.tool);
        let help = format!("write `{instead}({})`: it holds for every tool of the kind", redact(content));
        sink.push(at.inert(text).help(help));
        return Vec::new();
    }
    match spec.tool.as_str() {
        "Read" | "Edit" => path(spec, content, at, sink),
        "Bash" | "PowerShell" | "Monitor" => command(spec, content, at, sink),
        "WebFetch" => vec![rule(at, &["webfetch"], domain(content))],
        "Agent" | "Task" | "Skill" => named(spec, content, at),
        _ => {
            let text = format!("what a rule for `{}` with parentheses matches is not documented", redact(&spec.tool));
            sink.push(at.inert(text).severity(Severity::Warning).help(format!("write `{}` alone", redact(&spec.tool))));
            Vec::new()
        }
    }
}

fn path(spec: &Spec, content: &str, at: At, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    if content.starts_with("file_path:") {
        let text = "a rule never matches `file_path`: its content is the path itself".to_owned();
        sink.push(at.inert(text).help(format!("write `{}(PATH)`", spec.tool)));
        return Vec::new();
    }
    let single = content.strip_prefix('/').filter(|rest| !rest.starts_with('/'));
    if let Some(first) = single.and_then(|rest| rest.split('/').next()).filter(|first| MACHINE.contains(first)) {
        let place = if at.home { "~/.claude" } else { "the project" };
        let text = format!("`/{first}` is a folder of {place} here: one `/` starts at the folder of the settings");
        let help = format!("write `{}(/{})` for the file system's `/{first}`", spec.tool, redact(content));
        sink.push(at.inert(text).help(help));
    }
    let Some(patterns) = paths::lower(content, at.section, at.home) else {
        let text = format!("`{}` matches nothing: `!` and `#` start no path here", redact(content));
        sink.push(at.inert(text).help("deny rules have no exceptions; name what is meant"));
        return Vec::new();
    };
    let permission = if spec.tool == "Read" { "read" } else { "edit" };
    vec![rule(at, &[permission], patterns)]
}

fn command(spec: &Spec, content: &str, at: At, sink: &mut Sink) -> Vec<Stmt<RuleStmt>> {
    match commands::parameter(content) {
        Some("command") => {
            let text = "a rule never matches `command`: its content is the command itself".to_owned();
            sink.push(at.inert(text).help(format!("write `{}(COMMAND)`", spec.tool)));
            Vec::new()
        }
        // About the call and not about the command: an allow rule opens nothing by it, others hold some calls back.
        Some(_) => Vec::new(),
        None => {
            let permission = names::permission(&spec.tool).unwrap_or("bash");
            vec![rule(at, &[permission], vec![commands::pattern(content)])]
        }
    }
}

fn named(spec: &Spec, content: &str, at: At) -> Vec<Stmt<RuleStmt>> {
    let permission = names::permission(&spec.tool).unwrap_or("task");
    let content = content.trim();
    if permission == "task" && content.contains(':') && !content.ends_with(":*") && content.starts_with("model:") {
        return Vec::new();
    }
    let stem = content.strip_suffix(":*").or_else(|| content.strip_suffix(" *"));
    let text = match (stem, at.section) {
        (Some(stem), Section::Allow) => format!("{stem}*"),
        (Some(stem), _) => stem.to_owned(),
        (None, _) => content.to_owned(),
    };
    let special = text.contains(['?', '\\']);
    vec![rule(at, &[permission], vec![(special.then_some(Dialect::Exact), text)])]
}

/// The URLs of a host.
fn domain(content: &str) -> Vec<Written> {
    let host = content.trim_start_matches("domain:").trim();
    if host == "*" {
        return Vec::new();
    }
    if host.contains(['*', '?', '\\']) {
        let letters = host.chars().map(|letter| match letter {
            '*' => "[^/?#:]*".to_owned(),
            letter => regex_syntax::escape(&letter.to_string()),
        });
        let text = format!("(?s)https://{}/.*", letters.collect::<String>());
        return vec![(Some(Dialect::Regex), text)];
    }
    vec![(None, format!("https://{host}/*"))]
}

/// A statement; without patterns it speaks of everything.
fn rule(at: At, permissions: &[&str], patterns: Vec<Written>) -> Stmt<RuleStmt> {
    let term = |(dialect, text): Written| Term::Text(Text { dialect, text: Spanned::new(text, at.span) });
    let mut terms: Vec<Term> = patterns.into_iter().map(term).collect();
    let patterns = match terms.len() {
        0 => None,
        1 => terms.pop().map(Patterns::One),
        _ => Some(Patterns::List(Block::of(terms, at.span).on_one_line())),
    };
    let node = RuleStmt {
        action: Spanned::new(at.action(), at.span),
        permissions: permissions.iter().map(|name| Spanned::new((*name).to_owned(), at.span)).collect(),
        patterns,
        because: None,
    };
    Stmt::bare(node, at.span)
}

/// A rule that opens a folder outside the working folder.
pub(super) fn directory(path: &str, at: At) -> Option<Stmt<RuleStmt>> {
    let path = path.trim_end_matches('/');
    let rest = path.trim_start_matches("../").trim_start_matches("./");
    let text = match () {
        () if path.starts_with('/') || path == "~" || path.starts_with("~/") => format!("{path}/*"),
        // Which folder it is depends on where the project lies.
        () if path.starts_with("../") => format!("*/{rest}/*"),
        () if path == ".." => "*".to_owned(),
        () => return None,
    };
    Some(rule(at, &["external_directory"], vec![(None, text)]))
}
