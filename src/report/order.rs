//! In which order a person reads findings: what is not loaded; denies that never bind; promises broken; allows that never
//! bind; the rest; redundancy, of which there may be much, last.

use crate::diagnostic::{Finding, Severity};
use crate::source::SourceMap;
use std::cmp::Reverse;

/// Sorts for a person. Within one rank errors come first, then files and places.
pub(super) fn for_people(findings: &mut [(&str, &Finding)], sources: &SourceMap) {
    findings.sort_by_cached_key(|(_, finding)| {
        let span = finding.primary.span;
        let place = (sources.name(span.file).to_owned(), span.start, finding.code.id, finding.message.clone());
        (rank(finding), Reverse(finding.severity), place)
    });
}

fn rank(finding: &Finding) -> u8 {
    let decides = finding.witness.as_ref().map(|witness| witness.decision.as_str());
    match finding.code.id {
        _ if finding.severity == Severity::Info => 6,
        id if is_redundancy(id) => 5,
        id if id.starts_with("PC10") && finding.severity == Severity::Error => 0,
        "PC0101" | "PC0102" | "PC0103" | "PC0104" if decides == Some("deny") => 3,
        "PC0101" | "PC0102" | "PC0103" | "PC0104" => 1,
        "PC0201" if finding.severity == Severity::Error => 1,
        id if id.starts_with("PC08") || id.starts_with("PC03") || id == "PC0205" => 2,
        _ => 4,
    }
}

/// Whether findings of this code only say that something could be left out, or was left out of the tests: there may be
/// many, all alike.
pub(super) fn is_redundancy(code: &str) -> bool {
    matches!(code, "PC0106" | "PC0107" | "PC0108" | "PC0208" | "PC0802" | "PC0902")
}
