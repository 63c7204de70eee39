//! Sources to a policy: files by their tier, settings, one list by priority, written down in the language.

use super::rule::{Mode, Rule, Tier};
use super::{Gemini, algebra, settings, toml};
use crate::diagnostic::{Finding, Sink};
use crate::rule::Action;
use crate::runtimes::codes::INERT_KEY;
use crate::runtimes::{Reading, Source, Version};
use crate::source::{SourceMap, Span, Spanned};
use crate::syntax::ast::{AgentClause, Block, Item, LayerClause, Name, Policy, RuleStmt, Stmt};
use algebra::Lowering;

/// Reads all sources.
pub(super) fn read(sources: &[Source], texts: &SourceMap, sink: &mut Sink) -> (&'static Version, Reading) {
    let mut rules = Vec::new();
    let mut after = Vec::new();
    let mut mode = None;
    // Of equal priorities the rule that is loaded first wins: the administrator's files, then the person's, then settings.
    for source in sources.iter().rev() {
        let text = texts.file(source.file).map_or("", |file| file.text());
        match source.kind {
            "workspace" => {
                let text = "Gemini CLI does not read policy files of a project";
                let help = "put the file into `~/.gemini/policies/`, or name it with `--policy`";
                sink.push(Finding::new(INERT_KEY, Span::new(source.file, 0..0), text).help(help));
            }
            _ if source.path.extension() == Some("json") => {
                let read = settings::read(source.file, text, sink);
                after.extend(read.rules);
                mode = mode.or(read.mode);
            }
            "admin" => rules.extend(toml::read(source.file, text, Tier::Admin, sink)),
            "extension" => {
                let mut read = toml::read(source.file, text, Tier::Extension, sink);
                read.retain_mut(|rule| extension(rule, sink));
                rules.extend(read);
            }
            _ => rules.extend(toml::read(source.file, text, Tier::User, sink)),
        }
    }
    rules.extend(after);
    let version = Gemini::version();
    let Some(first) = sources.first() else { return (version, Reading::default()) };
    let policy = policy(algebra::ordered(rules), mode, Span::new(first.file, 0..0), version);
    (version, Reading { policy, ..Reading::default() })
}

/// An extension may not let anything pass, nor speak of the mode `yolo`.
fn extension(rule: &mut Rule, sink: &mut Sink) -> bool {
    // A rule without modes names none, and holds in all of them.
    let names_yolo = rule.modes.contains(&Mode::Yolo) && rule.modes.len() < Mode::ALL.len();
    if rule.action.node != Action::Allow && !names_yolo {
        return true;
    }
    let text = "Gemini CLI drops this rule: an extension may not allow anything, nor speak of the mode `yolo`";
    sink.push(Finding::new(INERT_KEY, rule.span, text).help("put it into `~/.gemini/policies/`"));
    false
}

/// The policy. Rules that hold for every agent stand in the shared layer; from the first one on that does not, every agent
/// has all of them as its own, for their order is what decides.
fn policy(rules: Vec<Rule>, mode: Option<Spanned<Mode>>, at: Span, version: &Version) -> Policy {
    let word = |text: &str| Spanned::new(text.to_owned(), at);
    let mut stmts = vec![Stmt::bare(Item::Runtime { name: word("gemini"), version: Some(word(version.id)) }, at)];
    let shared = rules.iter().position(|rule| !rule.everywhere()).unwrap_or(rules.len());
    let (everywhere, own) = rules.split_at(shared);
    let user = lowered(everywhere.iter());
    if let (Some(first), Some(last)) = (user.first(), user.last()) {
        let span = first.span.to(last.span);
        let body = block(user, LayerClause::Rule);
        let name = Spanned::new("user".to_owned(), span);
        stmts.push(Stmt::bare(Item::Layer { name, from: Vec::new(), body: Some(body) }, span));
    }
    if let Some(mode) = mode {
        let name = mode.map(|mode| mode.word().to_owned());
        let span = name.span;
        stmts.push(Stmt::bare(Item::DefaultAgent(name), span));
    }
    let place = own.first().map_or(at, |rule| rule.span);
    let mut subagents: Vec<Name> = Vec::new();
    for name in rules.iter().filter_map(|rule| rule.subagent.clone()) {
        if Mode::from_word(&name.node).is_none() && !subagents.contains(&name) {
            subagents.push(name);
        }
    }
    for mode in Mode::ALL.iter().filter(|_| !own.is_empty()) {
        let body = block(lowered(own.iter().filter(|rule| rule.holds(mode.word()))), AgentClause::Rule);
        if !body.stmts.is_empty() {
            let name = Spanned::new(mode.word().to_owned(), place);
            stmts.push(Stmt::bare(Item::Extend { name, body }, place));
        }
    }
    for name in subagents {
        let mut body = block(lowered(own.iter().filter(|rule| rule.holds(&name.node))), AgentClause::Rule);
        let mode = AgentClause::Attribute {
            name: Spanned::new("mode".to_owned(), name.span),
            value: Some(Spanned::new("subagent".into(), name.span)),
        };
        let span = name.span;
        body.stmts.insert(0, Stmt::bare(mode, span));
        stmts.push(Stmt::bare(Item::Agent { name, body }, span));
    }
    Policy { stmts, ..Policy::default() }
}

fn lowered<'a>(rules: impl Iterator<Item = &'a Rule>) -> Vec<Stmt<RuleStmt>> {
    let mut lowering = Lowering::new();
    rules.flat_map(|rule| lowering.rule(rule)).collect()
}

fn block<T>(rules: Vec<Stmt<RuleStmt>>, wrap: fn(RuleStmt) -> T) -> Block<T> {
    let each = |stmt: Stmt<RuleStmt>| Stmt {
        lead: stmt.lead,
        ignores: stmt.ignores,
        node: wrap(stmt.node),
        span: stmt.span,
        trail: stmt.trail,
    };
    Block { stmts: rules.into_iter().map(each).collect(), ..Block::default() }
}
