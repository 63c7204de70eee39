//! Written rules to ordered ones: lists expanded, each split into one permission, one pattern, one action.

use super::{INVALID_PATTERN, List, MAX_PATTERNS, MAX_RULES, TOO_MANY, UNRESOLVED_NAME};
use crate::diagnostic::{Finding, Sink, near_name};
use crate::language::{Dialect, Pattern, PatternError};
use crate::rule::{Origin, Rule, Via};
use crate::source::{Span, Spanned};
use crate::syntax::ast::{Name, Patterns, RuleStmt, Term, Text};
use indexmap::IndexMap;
use std::sync::Arc;

/// A pattern and the named list it came through.
pub(super) struct Resolved {
    pub(super) pattern: Spanned<Pattern>,
    via: Option<(Arc<str>, Span)>,
}

/// Where the rules of a block stand.
pub(super) struct Place {
    pub(super) slot: Arc<str>,
    pub(super) prelude: bool,
    pub(super) via: Vec<Via>,
}

/// Resolves patterns against the lists and numbers the rules.
pub(super) struct Expander {
    pub(super) lists: IndexMap<String, List>,
    pub(super) plain: Dialect,
    next: u32,
    full: bool,
}

impl Expander {
    pub(super) fn new(plain: Dialect) -> Expander {
        Expander { lists: IndexMap::new(), plain, next: 0, full: false }
    }

    /// The ordered rules of one statement; unresolved parts are reported and left out.
    pub(super) fn rules(&mut self, rule: &RuleStmt, statement: Span, place: &Place, sink: &mut Sink) -> Vec<Rule> {
        let patterns = rule.patterns.as_ref().map(|patterns| self.patterns(patterns, sink));
        let reason: Option<Arc<str>> = rule.because.as_ref().map(|text| text.node.as_str().into());
        let mut out = Vec::new();
        if self.is_full(rule.permissions.len() * patterns.as_ref().map_or(1, Vec::len), statement, sink) {
            return out;
        }
        for permission in &rule.permissions {
            let name = Pattern::wildcard(&permission.node);
            let mut push = |pattern: Pattern, span: Span, via: Vec<Via>| {
                let origin = Origin { span, statement, slot: place.slot.clone(), prelude: place.prelude, via };
                let (permission, action, reason) = (name.clone(), rule.action.node, reason.clone());
                out.push(Rule { id: self.next, permission, pattern, action, reason, origin: Arc::new(origin) });
                self.next += 1;
            };
            match &patterns {
                None => push(Pattern::wildcard("*"), permission.span, place.via.clone()),
                Some(patterns) => {
                    for one in patterns {
                        let mut via = place.via.clone();
                        via.extend(one.via.clone().map(|(name, span)| Via::Let { name, span }));
                        push(one.pattern.node.clone(), one.pattern.span, via);
                    }
                }
            }
        }
        out
    }

    /// Whether so many more rules are too many; said once.
    fn is_full(&mut self, more: usize, statement: Span, sink: &mut Sink) -> bool {
        let full = u32::try_from(more).is_ok_and(|more| self.next.saturating_add(more) <= MAX_RULES);
        if !full && !self.full {
            let text = format!("the policy has more than {MAX_RULES} rules from here on, and they are not read");
            sink.push(Finding::new(TOO_MANY, statement, text).help("use wildcards for what the lists spell out"));
        }
        self.full |= !full;
        !full
    }

    /// The patterns of a list, named lists expanded.
    pub(super) fn patterns(&mut self, patterns: &Patterns, sink: &mut Sink) -> Vec<Resolved> {
        let mut out = Vec::new();
        for term in patterns.terms() {
            match term {
                Term::Text(text) => out.extend(self.text(text, sink).map(|pattern| Resolved { pattern, via: None })),
                Term::Ref(name) => self.named(name, &mut out, sink),
            }
        }
        out
    }

    /// The same without the way they came.
    pub(super) fn plain_patterns(&mut self, patterns: Option<&Patterns>, sink: &mut Sink) -> Vec<Spanned<Pattern>> {
        let resolved = patterns.map(|patterns| self.patterns(patterns, sink)).unwrap_or_default();
        resolved.into_iter().map(|one| one.pattern).collect()
    }

    /// The patterns of a named list.
    pub(super) fn named_patterns(&mut self, name: &Name, sink: &mut Sink) -> Vec<Spanned<Pattern>> {
        let mut out = Vec::new();
        self.named(name, &mut out, sink);
        out.into_iter().map(|one| one.pattern).collect()
    }

    fn named(&mut self, name: &Name, out: &mut Vec<Resolved>, sink: &mut Sink) {
        let Some(list) = self.lists.get_mut(&name.node) else {
            let mut finding = Finding::new(UNRESOLVED_NAME, name.span, format!("no list is called `{}`", name.node))
                .help(format!("declare it with `let {} = [...]`, or quote it if it is a pattern", name.node));
            if let Some(near) = near_name(&name.node, self.lists.keys().map(String::as_str)) {
                finding = finding.help(format!("did you mean `{near}`?"));
            }
            return sink.push(finding);
        };
        list.used = true;
        if out.len() + list.patterns.len() > MAX_PATTERNS {
            // Lists that name lists twice grow exponentially.
            let text = format!("`{}` brings this to more than {MAX_PATTERNS} patterns", name.node);
            return sink
                .push(Finding::new(TOO_MANY, name.span, text).help("use wildcards for what the lists spell out"));
        }
        let via: Arc<str> = name.node.as_str().into();
        out.extend(
            list.patterns
                .iter()
                .map(|pattern| Resolved { pattern: pattern.clone(), via: Some((via.clone(), name.span)) }),
        );
    }

    /// One written pattern, checked by its dialect.
    pub(super) fn text(&self, text: &Text, sink: &mut Sink) -> Option<Spanned<Pattern>> {
        match Pattern::new(text.dialect.unwrap_or(self.plain), &text.text.node) {
            Ok(pattern) => Some(Spanned::new(pattern, text.text.span)),
            Err(error) => {
                sink.push(refused(&error, &text.text.node, text.text.span));
                None
            }
        }
    }
}

/// What is said of a text that is no pattern: at the part that is wrong, where that is known and written without escapes.
pub(super) fn refused(error: &PatternError, text: &str, span: Span) -> Finding {
    let written = span.range();
    let part = error.range().filter(|_| written.len() == text.len() + 2);
    let place =
        part.map_or(span, |part| Span::new(span.file, written.start + 1 + part.start..written.start + 1 + part.end));
    let finding = Finding::new(INVALID_PATTERN, place, error.to_string());
    match error.help() {
        Some(help) => finding.help(help),
        None => finding,
    }
}
