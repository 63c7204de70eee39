//! How findings reach people and machines: one file a format, and every format shows the same list.

pub mod excerpt;
pub mod fingerprint;
pub mod github;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
mod order;
pub mod sarif;
pub mod shown;
mod told;

use crate::diagnostic::{Finding, Severity};
use std::collections::HashSet;

/// What was found about one policy or config.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its arguments on a command line, so that a witness can be pasted after `policyc decide`.
    pub target: String,
    /// What was found.
    pub findings: Vec<Finding>,
    /// Agents that exist in it.
    pub agents: usize,
    /// Rules of all its agents, each written rule counted once.
    pub rules: usize,
    /// The files it was read from, lowest precedence first.
    pub sources: Vec<String>,
}

/// A whole run.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// What was checked, in order.
    pub sections: Vec<Section>,
}

impl Report {
    /// Every finding that counts once, with the target it belongs to.
    fn findings(&self) -> Vec<(&str, &Finding)> {
        let mut all = self.each_once();
        all.retain(|(_, finding)| finding.ignored.is_none());
        all
    }

    /// Every finding that counts, once.
    pub fn counted(&self) -> impl Iterator<Item = &Finding> {
        self.findings().into_iter().map(|(_, finding)| finding)
    }

    /// Those that an annotation covers, for formats that show them as such.
    fn ignored(&self) -> Vec<(&str, &Finding)> {
        let mut all = self.each_once();
        all.retain(|(_, finding)| finding.ignored.is_some());
        all
    }

    fn each_once(&self) -> Vec<(&str, &Finding)> {
        let mut all: Vec<(&str, &Finding)> = Vec::new();
        let mut seen = HashSet::new();
        for section in &self.sections {
            for finding in &section.findings {
                // A file that two policies use is read, and found wanting, twice.
                if seen.insert((finding.code.id, finding.primary.span, &finding.message, &finding.agent)) {
                    all.push((&section.target, finding));
                }
            }
        }
        all
    }

    /// How many findings have this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings().iter().filter(|(_, finding)| finding.severity == severity).count()
    }

    fn agents(&self) -> usize {
        self.sections.iter().map(|section| section.agents).sum()
    }

    fn rules(&self) -> usize {
        self.sections.iter().map(|section| section.rules).sum()
    }

    /// The files read, each once, in the order they were read.
    fn sources(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let names = self.sections.iter().flat_map(|section| &section.sources).map(String::as_str);
        names.filter(|name| seen.insert(*name)).collect()
    }
}
