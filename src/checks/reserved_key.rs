//! PC0909: a name that JavaScript objects keep for themselves.

use super::{Cx, written};
use crate::diagnostic::{Finding, Sink};
use crate::source::Span;

pub(crate) use crate::model::RESERVED_KEY as CODE;

/// Keys that a JavaScript object has or treats otherwise from the start.
const RESERVED: [&str; 3] = ["__proto__", "constructor", "prototype"];

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut push = |span, what, name: &str| {
        if !cx.said(&[CODE.id], span) {
            sink.push(finding(span, what, name));
        }
    };
    for agent in cx.model.agents.values().filter(|agent| !agent.prelude && RESERVED.contains(&&*agent.name)) {
        push(agent.span, "an agent", &agent.name);
    }
    let mut told: Vec<(Span, &str)> = Vec::new();
    for rule in written::rules(cx.model) {
        let permission = rule.permission.text();
        if RESERVED.contains(&permission) && !told.contains(&(rule.origin.statement, permission)) {
            told.push((rule.origin.statement, permission));
            push(rule.origin.statement, "a permission", permission);
        }
        // Merging copies a pattern like any other key, but for this one.
        if rule.pattern.text() == "__proto__" {
            push(rule.origin.span, "a pattern", "__proto__");
        }
    }
}

fn finding(span: Span, what: &str, name: &str) -> Finding {
    Finding::new(
        CODE,
        span,
        format!("{what} called `{name}` gets lost in runtimes that hold configs as JavaScript objects"),
    )
    .note("merging files drops such a key or changes the object itself, so the rule may be gone without a word")
    .help(match what {
        "a pattern" => "add a star: `__proto__*`",
        _ => "choose another name",
    })
}
