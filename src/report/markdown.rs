//! Findings as Markdown, for the summary of a CI job or a comment: a table, and each finding folded.
//!
//! Nothing that comes from a file is written as it is: in text every mark is escaped, in code the fence is longer than any
//! run of backticks inside, and in HTML there are entities.

use crate::diagnostic::{Finding, Severity};
use crate::report::{Report, human, order, shown, told};
use crate::source::SourceMap;
use std::fmt::Write;

/// So many findings are told one by one: a job summary holds 1 MiB.
const MOST: usize = 200;
/// The longest text that is shown of one detail, in characters.
const LONGEST: usize = 2_000;

/// The whole report.
pub fn report(report: &Report, sources: &SourceMap) -> String {
    let mut all = report.findings();
    order::for_people(&mut all, sources);
    let mut out = String::from("## policyc\n\n");
    let counts =
        [Severity::Error, Severity::Warning, Severity::Info].map(|severity| (severity, report.count(severity)));
    if all.is_empty() {
        out.push_str("Nothing found.\n");
    } else {
        out.push_str("| severity | findings |\n|---|---:|\n");
        for (severity, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            let _ = writeln!(out, "| {severity} | {count} |");
        }
    }
    for (target, finding) in all.iter().take(MOST) {
        out.push('\n');
        out.push_str(&one(target, finding, sources));
    }
    if let Some(more) = all.len().checked_sub(MOST).filter(|more| *more > 0) {
        let _ = writeln!(out, "\n{more} more findings are not shown here.");
    }
    let ignored = report.ignored().len();
    if ignored > 0 {
        let _ = writeln!(out, "\n{ignored} ignored, with reasons.");
    }
    let _ = writeln!(out, "\n{}", escaped(&human::summary(report)));
    out
}

fn one(target: &str, finding: &Finding, sources: &SourceMap) -> String {
    let open = if finding.severity == Severity::Error { " open" } else { "" };
    let (code, place) = (finding.code, sources.place(finding.primary.span));
    let mut out = format!(
        "<details{open}>\n<summary>{} <b>{}</b> {} in <code>{}</code></summary>\n\n",
        finding.severity,
        code.id,
        code.name,
        entities(&shown::line(&place))
    );
    let _ = writeln!(out, "{}\n", prose(&told::message(finding)));
    let details = told::details(target, finding);
    let calls: Vec<&str> = details.iter().filter(|(key, _)| *key == "call").map(|(_, text)| text.as_str()).collect();
    if !calls.is_empty() {
        let _ = writeln!(out, "{}\n", block(&calls.join("\n")));
    }
    let places = finding.related.iter().take(5).map(|label| {
        let place = shown::line(&sources.place(label.span));
        format!("- {}: {}", span(&place), prose(&shown::line(&label.text)))
    });
    let rest = details.iter().filter(|(key, _)| *key != "call");
    let rest = rest.map(|(key, text)| format!("- {key}: {}", prose(&text.replace('\n', " "))));
    for line in places.chain(rest) {
        let _ = writeln!(out, "{line}");
    }
    out.push_str("\n</details>\n");
    out
}

/// A text of ours: what stands between backticks as code, the rest escaped.
pub(crate) fn prose(text: &str) -> String {
    let text = cut(text);
    let mut out = String::new();
    let pieces: Vec<&str> = text.split('`').collect();
    let last = pieces.len() - 1;
    for (at, piece) in pieces.iter().enumerate() {
        match (at % 2 == 1, at == last) {
            (true, false) if piece.is_empty() => {}
            (true, false) => out.push_str(&span(piece)),
            // A backtick without its pair.
            (true, true) => out.push_str(&format!("\\`{}", escaped(piece))),
            (false, _) => out.push_str(&escaped(piece)),
        }
    }
    out
}

/// Text in which no character has a meaning.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // Would name a person, or an issue.
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    // A bare address would become a link.
    out.replace("://", ":&#47;/")
}

/// Text for HTML.
fn entities(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Code on a line.
pub(crate) fn span(text: &str) -> String {
    let fence = "`".repeat(run(text) + 1);
    let blank = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{blank}{text}{blank}{fence}")
}

/// Code on its own lines.
fn block(text: &str) -> String {
    let fence = "`".repeat((run(text) + 1).max(3));
    format!("{fence}sh\n{}\n{fence}", cut(text))
}

/// The longest run of backticks.
fn run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_a_file_is_markup() {
        assert_eq!(prose("`a` <b> *x* [l](http://e)"), "`a` &lt;b&gt; \\*x\\* \\[l\\](http:&#47;/e)");
        assert_eq!(prose("one ` alone <i>"), "one \\` alone &lt;i&gt;");
        assert_eq!(span("a``b`"), "``` a``b` ```");
        assert_eq!(block("x\n```\n<h1>"), "````sh\nx\n```\n<h1>\n````");
        assert_eq!(entities("<a href=\"x\">&"), "&lt;a href=&quot;x&quot;&gt;&amp;");
        assert_eq!(prose("`` <b>"), " &lt;b&gt;");
    }
}
