//! Named lists, in any order of declaration: each after the lists it names, a circle of them refused.

use super::rules::Expander;
use super::{CONFLICTING_DEFINITION, List, Statement};
use crate::diagnostic::{Finding, Sink};
use crate::syntax::ast::{Item, Name, Patterns, Term};
use rustc_hash::FxHashMap;

/// A declared list before its patterns are known.
struct Declared<'a> {
    name: &'a Name,
    patterns: &'a Patterns,
    prelude: bool,
    /// Named lists that are not resolved yet.
    waiting: usize,
}

/// Declares all lists of the statements.
pub(super) fn declare(statements: &[Statement<'_>], expander: &mut Expander, sink: &mut Sink) {
    let mut lists = collect(statements, sink);
    let places: FxHashMap<&str, usize> =
        lists.iter().enumerate().map(|(at, list)| (list.name.node.as_str(), at)).collect();
    let mut dependents = vec![Vec::new(); lists.len()];
    for (at, list) in lists.iter_mut().enumerate() {
        for target in names(list.patterns).filter_map(|name| places.get(name.node.as_str())) {
            list.waiting += 1;
            if let Some(list) = dependents.get_mut(*target) {
                list.push(at);
            }
        }
    }
    let mut ready: Vec<usize> =
        (0..lists.len()).rev().filter(|at| lists.get(*at).is_some_and(|l| l.waiting == 0)).collect();
    while let Some(at) = ready.pop() {
        let Some(list) = lists.get(at) else { continue };
        let patterns = expander.plain_patterns(Some(list.patterns), sink);
        let resolved = List { span: list.name.span, used: false, prelude: list.prelude, patterns };
        expander.lists.insert(list.name.node.clone(), resolved);
        for dependent in dependents.get(at).into_iter().flatten() {
            if let Some(list) = lists.get_mut(*dependent) {
                list.waiting -= 1;
                ready.extend((list.waiting == 0).then_some(*dependent));
            }
        }
    }
    for list in lists.iter().filter(|list| list.waiting > 0) {
        let text = format!("the list `{}` is part of a circle of lists that name each other", list.name.node);
        sink.push(Finding::new(CONFLICTING_DEFINITION, list.name.span, text).help("break the circle"));
        // Empty rather than unknown: one circle is one mistake.
        let empty = List { span: list.name.span, used: true, prelude: list.prelude, patterns: Vec::new() };
        expander.lists.insert(list.name.node.clone(), empty);
    }
}

fn collect<'a>(statements: &[Statement<'a>], sink: &mut Sink) -> Vec<Declared<'a>> {
    let mut first: FxHashMap<&str, crate::source::Span> = FxHashMap::default();
    let mut lists = Vec::new();
    for statement in statements {
        let Item::Let { name, patterns } = &statement.stmt.node else { continue };
        if let Some(old) = first.get(name.node.as_str()) {
            let text = format!("the list `{}` is declared twice", name.node);
            let finding = Finding::new(CONFLICTING_DEFINITION, name.span, text).related(*old, "first here");
            sink.push(finding.help("keep one of them"));
            continue;
        }
        first.insert(&name.node, name.span);
        lists.push(Declared { name, patterns, prelude: statement.prelude, waiting: 0 });
    }
    lists
}

fn names(patterns: &Patterns) -> impl Iterator<Item = &Name> {
    patterns.terms().filter_map(|term| match term {
        Term::Ref(name) => Some(name),
        Term::Text(_) => None,
    })
}
