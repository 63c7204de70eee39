//! Findings as data: what was found, where, how sure we are, and the call that shows it.

use crate::source::Span;
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; shown only with `--pedantic`.
    Info,
    /// Most likely a mistake.
    Warning,
    /// A mistake, or a promise that does not hold.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// How a finding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// Decided exactly; a finding is a theorem and its witness was decided again by the naive meaning.
    Proved,
    /// A real call that the policy allows; what the shipped catalogue does not list is not claimed to be safe.
    Catalogue,
    /// A guess from text that no rule binds.
    Heuristic,
    /// The budget ran out first.
    Undecided,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::Proved => "proved",
            Confidence::Catalogue => "catalogue",
            Confidence::Heuristic => "heuristic",
            Confidence::Undecided => "undecided",
        })
    }
}

/// The kind of a finding: a code that is never reused, a name, and the severity it has by default.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// `PCnnnn`; the first two digits are the group.
    pub id: &'static str,
    /// The kebab-case name, accepted wherever the code is.
    pub name: &'static str,
    /// Severity unless the finding or the project's settings say otherwise.
    pub severity: Severity,
}

impl Code {
    /// A code. Each is declared once, beside what finds it.
    pub const fn new(id: &'static str, name: &'static str, severity: Severity) -> Code {
        Code { id, name, severity }
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

/// A place and what it did there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What this place did, said shortly; may be empty for a primary place whose message says it all.
    pub text: String,
}

impl Label {
    /// A label.
    pub fn new(span: Span, text: impl Into<String>) -> Label {
        Label { span, text: text.into() }
    }
}

/// One concrete request: pasted into `policyc decide` it gives what the finding says.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WitnessCall {
    /// The agent that makes it.
    pub agent: String,
    /// The permission it asks.
    pub permission: String,
    /// The resource it asks it for.
    pub resource: String,
}

/// The call, or the chain of calls, that shows a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Witness {
    /// The calls in the order they are made; one for all but loopholes.
    pub calls: Vec<WitnessCall>,
    /// What becomes of the last one: `allow`, `ask` or `deny`.
    pub decision: String,
}

/// Replace the text of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced; an empty span inserts.
    pub span: Span,
    /// By what.
    pub text: String,
}

/// A change that was itself proved to do what its title says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does.
    pub title: String,
    /// The edits, apart from each other, in the order of their places.
    pub edits: Vec<Edit>,
    /// Patterns of rules: only calls that these rules match may come out otherwise. None: every call is decided as before.
    pub changes: Vec<Span>,
}

impl Fix {
    /// A fix after which every call is decided as before.
    pub fn new(title: impl Into<String>, mut edits: Vec<Edit>) -> Fix {
        edits.sort_by_key(|edit| edit.span);
        Fix { title: title.into(), edits, changes: Vec::new() }
    }
}

/// Something a person should know, with its place and its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Its kind.
    pub code: Code,
    /// How bad it is here.
    pub severity: Severity,
    /// How it is known.
    pub confidence: Confidence,
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub primary: Label,
    /// Other places that matter, in the order they should be read; may be in other files.
    pub related: Vec<Label>,
    /// Facts that belong to it: why it matters, what was left out of a list.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// The agent it is about, if it is about one.
    pub agent: Option<String>,
    /// The call that shows it.
    pub witness: Option<Witness>,
    /// A proved change.
    pub fix: Option<Fix>,
    /// Why it is ignored, if it is: the reason of the annotation that covers it. Formats that know ignored results show it.
    pub ignored: Option<String>,
}

impl Finding {
    /// A proved finding of this kind at a place, with the kind's own severity.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: code.severity,
            confidence: Confidence::Proved,
            message: message.into(),
            primary: Label::new(span, ""),
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            agent: None,
            witness: None,
            fix: None,
            ignored: None,
        }
    }

    /// Says what the primary place did.
    pub fn label(mut self, text: impl Into<String>) -> Finding {
        self.primary.text = text.into();
        self
    }

    /// Another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Finding {
        self.related.push(Label::new(span, text));
        self
    }

    /// A fact.
    pub fn note(mut self, text: impl Into<String>) -> Finding {
        self.notes.push(text.into());
        self
    }

    /// What to do.
    pub fn help(mut self, text: impl Into<String>) -> Finding {
        self.help = Some(text.into());
        self
    }

    /// The agent it is about.
    pub fn agent(mut self, name: impl Into<String>) -> Finding {
        self.agent = Some(name.into());
        self
    }

    /// Another severity than the kind's own.
    pub fn severity(mut self, severity: Severity) -> Finding {
        self.severity = severity;
        self
    }

    /// Another confidence than `proved`.
    pub fn confidence(mut self, confidence: Confidence) -> Finding {
        self.confidence = confidence;
        self
    }

    /// The call that shows it.
    pub fn witness(mut self, witness: Witness) -> Finding {
        self.witness = Some(witness);
        self
    }

    /// A proved change.
    pub fn fix(mut self, fix: Fix) -> Finding {
        self.fix = Some(fix);
        self
    }
}

/// Collects findings; every stage gets one and none stops at its first.
#[derive(Debug, Default)]
pub struct Sink {
    findings: Vec<Finding>,
}

impl Sink {
    /// Adds a finding.
    pub fn push(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// What was collected so far.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was collected.
    pub fn into_findings(self) -> Vec<Finding> {
        self.findings
    }
}

/// `, did you mean X?` material: the nearest of `known` to `name`, if one is near enough to be a slip of the keys.
pub fn near_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    known
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.chars().count().min(name.chars().count()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::near_name;

    #[test]
    fn near_names_are_slips_not_strangers() {
        let known = ["bash", "edit", "webfetch", "external_directory"];
        assert_eq!(near_name("edti", known), Some("edit"));
        assert_eq!(near_name("Bash", known), Some("bash"));
        assert_eq!(near_name("web_fetch", known), Some("webfetch"));
        assert_eq!(near_name("mcp", known), None);
    }
}
