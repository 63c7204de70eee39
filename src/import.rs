//! A runtime's config as a policy that decides the same.

use crate::diagnostic::{Finding, Severity};
use crate::files::Files;
use crate::project::{self, Compilation, Options};
use crate::ruleset::{self, Ruleset};
use crate::source::{FileId, SourceMap, Span, Spanned};
use crate::syntax::ast::{AgentClause, Block, Item, LayerClause, Policy, Stmt, Trivia};
use crate::syntax::print;
use camino::Utf8Path;

/// The text of a policy that says what a compiled config says. It was compiled again, and gives every agent the same
/// rules in the same order.
///
/// # Errors
/// Why the text would not say the same: something in the config has no words in the language, or policyc has a bug.
pub fn policy(config: &Compilation, sources: &SourceMap) -> Result<String, String> {
    let read = config.program.policies.last().cloned().unwrap_or_default();
    let text = print(&told(config, read, sources));
    let mut files = Files::default();
    let path = Utf8Path::new("imported.policy");
    files.given(path, &text);
    let again = project::compile_policy(&mut files, path, &Options::default()).map_err(|finding| finding.message)?;
    let error = |finding: &&Finding| finding.severity == Severity::Error;
    if let Some(finding) = again.findings.iter().find(error) {
        return Err(format!("{}: {}", files.sources.place(finding.primary.span), finding.message));
    }
    same(config, &again).map(|()| text)
}

/// The tree as it is printed: the runtime first, a blank line between blocks, and where several files were merged the file
/// that each part came from.
fn told(config: &Compilation, read: Policy, sources: &SourceMap) -> Policy {
    let mut stmts: Vec<Stmt<Item>> =
        read.stmts.into_iter().filter(|stmt| !matches!(stmt.node, Item::Runtime { .. })).collect();
    let mut names = Names { sources, last: None, several: several(&stmts) };
    for stmt in &mut stmts {
        match &mut stmt.node {
            Item::Layer { body: Some(body), .. } => names.clauses(body),
            Item::Agent { body, .. } | Item::Extend { body, .. } => names.clauses(body),
            _ => {}
        }
        stmt.lead.insert(0, Trivia::Blank);
    }
    let start = Span::new(stmts.first().map_or(first_file(sources), |stmt| stmt.span.file), 0..0);
    let word = |text: &str| Spanned::new(text.to_owned(), start);
    let runtime = Item::Runtime { name: word(config.runtime.name()), version: Some(word(config.version.id)) };
    stmts.insert(0, Stmt::bare(runtime, start));
    Policy { stmts, ..read_rest(read.head, read.tail) }
}

fn read_rest(head: Option<String>, tail: Vec<Trivia>) -> Policy {
    Policy { head, tail, ..Policy::default() }
}

fn first_file(sources: &SourceMap) -> FileId {
    sources.iter().next().map_or_else(|| SourceMap::default().add("", ""), |(id, _)| id)
}

/// Says which file rules came from, whenever that changes.
struct Names<'a> {
    sources: &'a SourceMap,
    last: Option<FileId>,
    several: bool,
}

/// A clause that may be a rule.
trait Clause {
    fn is_rule(&self) -> bool;
}

impl Clause for LayerClause {
    fn is_rule(&self) -> bool {
        matches!(self, LayerClause::Rule(_))
    }
}

impl Clause for AgentClause {
    fn is_rule(&self) -> bool {
        matches!(self, AgentClause::Rule(_))
    }
}

impl Names<'_> {
    fn clauses<T: Clause>(&mut self, body: &mut Block<T>) {
        self.last = None;
        for stmt in &mut body.stmts {
            if self.several && stmt.node.is_rule() && self.last != Some(stmt.span.file) {
                self.last = Some(stmt.span.file);
                stmt.lead.insert(0, Trivia::Comment(format!("from {}", self.sources.name(stmt.span.file))));
                body.one_line = false;
            }
        }
    }
}

fn several(stmts: &[Stmt<Item>]) -> bool {
    fn files<T>(body: &Block<T>) -> Vec<FileId> {
        body.stmts.iter().map(|stmt| stmt.span.file).collect()
    }
    let mut all: Vec<FileId> = stmts
        .iter()
        .flat_map(|stmt| match &stmt.node {
            Item::Layer { body: Some(body), .. } => files(body),
            Item::Agent { body, .. } | Item::Extend { body, .. } => files(body),
            _ => Vec::new(),
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all.len() > 1
}

/// Whether two compilations give the same agents the same rules in the same order: then every decision, and every tool
/// that is hidden, is the same too.
fn same(config: &Compilation, policy: &Compilation) -> Result<(), String> {
    let default =
        |compilation: &Compilation| ruleset::default_agent(&compilation.model).map(|agent| agent.name.clone());
    if default(config) != default(policy) {
        return Err("another agent would be the default".to_owned());
    }
    if config.rulesets.len() != policy.rulesets.len() {
        return Err("other agents would exist".to_owned());
    }
    for set in &config.rulesets {
        let other = policy.rulesets.iter().find(|other| other.agent == set.agent);
        if !other.is_some_and(|other| says(other).eq(says(set))) {
            return Err(format!("the agent `{}` would have other rules", set.agent));
        }
    }
    Ok(())
}

fn says(set: &Ruleset) -> impl Iterator<Item = (&str, &str, crate::language::Dialect, crate::rule::Action)> {
    set.rules.iter().map(|rule| (rule.permission.text(), rule.pattern.text(), rule.pattern.dialect(), rule.action))
}
