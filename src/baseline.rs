//! A baseline: the findings that a project has decided to live with for now, so that a run reports what is new.

use crate::checks::compared::OUTSIDE_BASELINE;
use crate::diagnostic::Finding;
use crate::report::Report;
use crate::report::fingerprint::Fingerprint;
use crate::source::SourceMap;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// What its file calls itself.
pub const SCHEMA: &str = "policyc/baseline/1";
/// So much of a rule's text is written down, in characters: enough to find it.
const SHOWN: usize = 120;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    findings: Vec<Entry>,
}

/// Findings that are alike, as a person reads them. They are known again by file and hash.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    code: String,
    agent: Option<String>,
    rule: String,
    hash: String,
    count: usize,
}

/// Findings by file and hash, with how many there are.
#[derive(Clone, Debug, Default)]
pub struct Baseline {
    /// The folder that its files are named from: its own, so that it holds wherever policyc is started.
    folder: Utf8PathBuf,
    entries: BTreeMap<(String, String), Entry>,
}

impl Baseline {
    /// Reads the text of a baseline that stands at `path`.
    ///
    /// # Errors
    /// Why it is none.
    pub fn parse(path: &Utf8Path, text: &str) -> Result<Baseline, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.schema != SCHEMA {
            return Err(format!("its `schema` is `{}`, not `{SCHEMA}`", file.schema));
        }
        let mut baseline = Baseline { folder: folder(path), entries: BTreeMap::new() };
        for entry in file.findings {
            let key = (entry.file.clone(), entry.hash.clone());
            baseline
                .entries
                .entry(key)
                .and_modify(|known| known.count = known.count.saturating_add(entry.count))
                .or_insert(entry);
        }
        Ok(baseline)
    }

    /// The baseline of what a report holds, for a file at `path`.
    pub fn of(path: &Utf8Path, report: &Report, sources: &SourceMap) -> Baseline {
        let mut baseline = Baseline { folder: folder(path), entries: BTreeMap::new() };
        for finding in report.counted().filter(|finding| is_held(finding)) {
            let (key, print) = baseline.key(finding, sources);
            let entry = Entry {
                file: key.0.clone(),
                code: print.code.to_owned(),
                agent: print.agent,
                rule: cut(&print.rule),
                hash: key.1.clone(),
                count: 1,
            };
            baseline.entries.entry(key).and_modify(|known| known.count += 1).or_insert(entry);
        }
        baseline
    }

    /// Its text: sorted, one entry a finding or several alike.
    pub fn text(&self) -> String {
        let mut findings: Vec<Entry> = self.entries.values().cloned().collect();
        findings.sort_by(|a, b| (&a.file, &a.code, &a.agent, &a.rule).cmp(&(&b.file, &b.code, &b.agent, &b.rule)));
        let file = File { schema: SCHEMA.to_owned(), findings };
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// How many findings it holds.
    pub fn len(&self) -> usize {
        self.entries.values().map(|entry| entry.count).sum()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes out of a report what this baseline holds. What comes back are the codes of entries that no longer occur, each
    /// with the file that is named with it.
    pub fn take(&self, report: &mut Report, sources: &SourceMap) -> Vec<(String, String, usize)> {
        let mut left: BTreeMap<&(String, String), usize> =
            self.entries.iter().map(|(key, entry)| (key, entry.count)).collect();
        // A file that two policies use is found wanting twice, and counts once.
        let mut decided = HashMap::new();
        for section in &mut report.sections {
            section.findings.retain(|finding| {
                if !is_held(finding) {
                    return true;
                }
                let what = (finding.code.id, finding.primary.span, finding.message.clone(), finding.agent.clone());
                *decided.entry(what).or_insert_with(|| match left.get_mut(&self.key(finding, sources).0) {
                    Some(count) if *count > 0 => {
                        *count -= 1;
                        false
                    }
                    _ => true,
                })
            });
        }
        let gone = left.into_iter().filter(|(_, count)| *count > 0);
        let named = gone.filter_map(|(key, count)| Some((self.entries.get(key)?, count)));
        named.map(|(entry, count)| (entry.code.clone(), entry.file.clone(), count)).collect()
    }

    /// The name that this baseline has for a file.
    pub fn name(&self, shown: &str) -> String {
        let path = absolute(Utf8Path::new(shown));
        let name = path.strip_prefix(&self.folder).map_or_else(|_| shown.to_owned(), |path| path.to_string());
        if std::path::MAIN_SEPARATOR == '/' { name } else { name.replace('\\', "/") }
    }

    fn key(&self, finding: &Finding, sources: &SourceMap) -> ((String, String), Fingerprint) {
        let print = Fingerprint::of(finding, sources);
        ((self.name(&print.file), format!("{:016x}", print.hash())), print)
    }
}

/// Why nothing could be checked is always said, what is ignored is no finding, and a project does not decide what others
/// hold it to.
fn is_held(finding: &Finding) -> bool {
    finding.ignored.is_none() && !matches!(finding.code.id, "PC1001" | "PC1002") && finding.code != OUTSIDE_BASELINE
}

fn absolute(path: &Utf8Path) -> Utf8PathBuf {
    let found = std::path::absolute(path).ok().and_then(|path| Utf8PathBuf::from_path_buf(path).ok());
    found.unwrap_or_else(|| path.to_owned())
}

fn folder(path: &Utf8Path) -> Utf8PathBuf {
    absolute(path).parent().map(Utf8Path::to_owned).unwrap_or_default()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
