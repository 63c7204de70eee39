//! PC1010: a pattern that a backtracking matcher can take seconds to compare with one command.

use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::language::Dialect;
use crate::model::ResourceKind;

pub(crate) const CODE: Code = Code::new("PC1010", "stalling-pattern", Severity::Warning);

/// Stars before text that must follow. The time grows with the text to this power: with four, an ordinary script of 9 KB that
/// does not match took 2.3 s in OpenCode, one of 5 KB 0.14 s; with three no text of a plausible size took a tenth of that.
const DEGREE: usize = 4;

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    for rule in written::rules(cx.model).filter(|rule| rule.pattern.dialect() == Dialect::Wildcard) {
        let degree = degree(rule.pattern.text());
        // Paths and names are short; a command may hold a whole script.
        let mut kinds = written::spoken(cx.model, rule).map(|(_, permission)| permission.resource);
        if degree < DEGREE || !kinds.any(|kind| kind == ResourceKind::Command) {
            continue;
        }
        let text = format!(
            "`{}` can stall the runtime: {degree} stars stand before text that must follow",
            rule.pattern.text()
        );
        sink.push(
            Finding::new(CODE, rule.origin.span, text)
                .note("OpenCode tries every way to divide a command among the stars; with four a script of 9 KB takes seconds")
                .help("use fewer stars, or several rules with fewer each"),
        );
    }
}

/// How many stars a matcher may move: all but those at the end.
fn degree(text: &str) -> usize {
    text.trim_end_matches(['*', '?']).matches('*').count()
}

#[cfg(test)]
mod tests {
    use super::degree;

    #[test]
    fn stars_at_the_end_cost_nothing() {
        assert_eq!(degree("*do*echo*build*deploy*"), 4);
        assert_eq!(degree("git * main *"), 1);
        assert_eq!(degree("git *"), 0);
        assert_eq!(degree("**a"), 2);
    }
}
