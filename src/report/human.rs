//! Findings for a person at a screen: short, in the order they should be read, each with its places and its proof.

use crate::diagnostic::{Confidence, Finding, Label, Severity};
use crate::report::excerpt::{Excerpt, Secrets};
use crate::report::{Report, order, shown, told};
use crate::source::{SourceMap, Span};
use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, SourceCode};
use std::fmt::{self, Write};

/// Other places of one finding that are shown; the rest is counted.
const MOST_RELATED: usize = 5;
/// Columns that frames and line numbers take.
const FRAME: usize = 12;

/// How the report is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Columns of the screen.
    pub width: usize,
    /// Whether to colour.
    pub colour: bool,
}

/// The whole report with its last line.
pub fn report(report: &Report, sources: &SourceMap, style: Style) -> String {
    let mut out = findings(report, sources, style);
    out.push_str(&summary(report));
    out.push('\n');
    out
}

/// The findings alone.
pub fn findings(report: &Report, sources: &SourceMap, style: Style) -> String {
    let mut all = report.findings();
    order::for_people(&mut all, sources);
    let mut secrets = Secrets::default();
    let mut out = String::new();
    for (target, finding, others) in folded(&all) {
        let others: Vec<String> = others.iter().filter_map(|other| line_of(sources, other.primary.span)).collect();
        out.push_str(&one(target, finding, &others, sources, &mut secrets, style));
        out.push('\n');
    }
    out
}

fn line_of(sources: &SourceMap, span: Span) -> Option<String> {
    Some(sources.file(span.file)?.line_column(span.start).line.to_string())
}

/// Redundancy of one table is one finding with a list.
fn folded<'a>(all: &[(&'a str, &'a Finding)]) -> Vec<(&'a str, &'a Finding, Vec<&'a Finding>)> {
    let mut out: Vec<(&str, &Finding, Vec<&Finding>)> = Vec::new();
    for (target, finding) in all {
        let same = |(_, other, _): &&mut (&str, &Finding, Vec<&Finding>)| {
            let file = |finding: &Finding| finding.primary.span.file;
            let key = |finding: &Finding| (finding.code.id, finding.severity, file(finding), finding.agent.clone());
            order::is_redundancy(finding.code.id) && key(other) == key(finding)
        };
        // The list is sorted, so the same table is the last one shown or one of its neighbours in the file.
        match out.iter_mut().rev().take_while(|(_, other, _)| order::is_redundancy(other.code.id)).find(same) {
            Some((_, _, others)) => others.push(finding),
            None => out.push((target, finding, Vec::new())),
        }
    }
    out
}

fn one(
    target: &str,
    finding: &Finding,
    others: &[String],
    sources: &SourceMap,
    secrets: &mut Secrets,
    style: Style,
) -> String {
    let mut out = String::new();
    let labels = std::iter::once(&finding.primary).chain(finding.related.iter().take(MOST_RELATED));
    // A file that is empty, or could not be read, has no line to show.
    let labels: Vec<&Label> = labels.filter(|label| !is_empty(sources, label.span)).collect();
    let excerpt = Excerpt::new(&labels, sources, secrets, style.width.saturating_sub(FRAME).max(20));
    let paint = Paint { colour: style.colour };
    out.push_str(&paint.severity(finding.severity, &title(finding)));
    out.push('\n');
    let shown = Shown { message: shown::line(&finding.message), severity: finding.severity, excerpt };
    let theme = if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(style.width).with_context_lines(0);
    if handler.render_report(&mut out, &shown).is_err() {
        // Only a frame can fail; the message must not be lost with it.
        let _ = writeln!(out, "  {} ({})", shown.message, sources.place(finding.primary.span));
    }
    let name = sources.name(finding.primary.span.file);
    if is_empty(sources, finding.primary.span) && !finding.message.contains(name) {
        footer_line(&mut out, &paint, style.width, "in", name);
    }
    for (key, text) in footer(target, finding, others) {
        footer_line(&mut out, &paint, style.width, key, &text);
    }
    out
}

fn is_empty(sources: &SourceMap, span: Span) -> bool {
    sources.file(span.file).is_none_or(|file| file.text().is_empty())
}

fn title(finding: &Finding) -> String {
    let sure = match finding.confidence {
        Confidence::Proved => String::new(),
        other => format!(" ({other})"),
    };
    format!("{}[{}] {}{sure}", finding.severity, finding.code.id, finding.code.name)
}

fn footer(target: &str, finding: &Finding, others: &[String]) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if let Some(witness) = &finding.witness {
        lines.extend(told::calls(target, witness).into_iter().map(|call| ("call", call)));
    }
    if let Some(hidden) = finding.related.len().checked_sub(MOST_RELATED).filter(|hidden| *hidden > 0) {
        lines.push(("note", format!("{hidden} more {} not shown", plural(hidden, "place is", "places are"))));
    }
    if !others.is_empty() {
        lines.push((
            "also",
            format!("{} more of the same: {} {}", others.len(), plural(others.len(), "line", "lines"), list(others)),
        ));
    }
    lines.extend(finding.notes.iter().map(|note| ("note", shown::lines(note))));
    lines.extend(finding.help.iter().map(|help| ("help", shown::lines(help))));
    lines.extend(finding.fix.iter().map(|fix| ("fix", shown::line(&fix.title))));
    lines
}

fn list(places: &[String]) -> String {
    const MOST: usize = 8;
    let mut text = places.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if let Some(hidden) = places.len().checked_sub(MOST).filter(|hidden| *hidden > 0) {
        let _ = write!(text, " and {hidden} more");
    }
    text
}

fn footer_line(out: &mut String, paint: &Paint, width: usize, key: &str, text: &str) {
    let head = format!("{key:>6}: ");
    if key == "call" {
        // Never wrapped, so that it can be copied.
        let _ = writeln!(out, "{}{text}", paint.key(&head));
        return;
    }
    let options = textwrap::Options::new(width.saturating_sub(2).max(40))
        .initial_indent(&head)
        .subsequent_indent("        ")
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let filled = textwrap::fill(text, options);
    let _ = writeln!(out, "{}{}", paint.key(&head), filled.strip_prefix(&head).unwrap_or(text));
}

/// The last line: how much was found, in how much.
pub fn summary(report: &Report) -> String {
    let counted = |severity, one, many| {
        let n = report.count(severity);
        (n > 0).then(|| format!("{n} {}", plural(n, one, many)))
    };
    let found: Vec<String> = [
        counted(Severity::Error, "error", "errors"),
        counted(Severity::Warning, "warning", "warnings"),
        counted(Severity::Info, "info", "infos"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let found = if found.is_empty() { "nothing found".to_owned() } else { found.join(", ") };
    let sources = report.sources();
    format!(
        "{found}; {} {}, {} {}; sources read: {}",
        report.agents(),
        plural(report.agents(), "agent", "agents"),
        report.rules(),
        plural(report.rules(), "rule", "rules"),
        if sources.is_empty() {
            "none".to_owned()
        } else {
            list(&sources.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>())
        },
    )
}

fn plural<'a>(n: usize, one: &'a str, many: &'a str) -> &'a str {
    if n == 1 { one } else { many }
}

/// What the renderer is handed.
#[derive(Debug)]
struct Shown {
    message: String,
    severity: Severity,
    excerpt: Excerpt,
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown {}

impl Diagnostic for Shown {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Info => miette::Severity::Advice,
        })
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.excerpt.labels().iter().cloned()))
    }
}

/// Colours, in the sixteen that every terminal's owner has chosen.
struct Paint {
    colour: bool,
}

impl Paint {
    fn severity(&self, severity: Severity, text: &str) -> String {
        let code = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "1;36",
        };
        self.with(code, text)
    }

    fn key(&self, text: &str) -> String {
        self.with("36", text)
    }

    fn with(&self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}
