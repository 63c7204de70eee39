//! What a finding is known by from run to run: its code, its agent and the text it is about; not its line.

use crate::diagnostic::Finding;
use crate::secret::redact;
use crate::source::SourceMap;
use std::collections::HashMap;

/// The marks of a finding that stay when lines move.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    /// The file it is in, as it is shown.
    pub file: String,
    /// The code of its check.
    pub code: &'static str,
    /// The agent it is about.
    pub agent: Option<String>,
    /// The text it is about, blanks run together and secrets cut; where it is about no text, its message.
    pub rule: String,
}

impl Fingerprint {
    /// The fingerprint of a finding.
    pub fn of(finding: &Finding, sources: &SourceMap) -> Fingerprint {
        let text = sources.slice(finding.primary.span);
        let text = if text.trim().is_empty() { &finding.message } else { text };
        // Cut before blanks are run together: what announces a secret may stand on the line above.
        let rule = redact(text).split_whitespace().collect::<Vec<_>>().join(" ");
        Fingerprint {
            file: sources.name(finding.primary.span.file).to_owned(),
            code: finding.code.id,
            agent: finding.agent.as_deref().map(|agent| redact(agent).into_owned()),
            rule,
        }
    }

    /// A number for it, the same on every machine and in every version: FNV-1a over code, agent and text. The file is left
    /// out, since code hosts know it already, and follow renames.
    pub fn hash(&self) -> u64 {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let parts = [self.code, self.agent.as_deref().unwrap_or(""), &self.rule];
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }
}

/// The fingerprints of findings as text, `hash:n`: the `n`th in this file that has the hash.
pub fn numbered(findings: &[&Finding], sources: &SourceMap) -> Vec<String> {
    let mut seen: HashMap<(String, u64), usize> = HashMap::new();
    let text = |finding: &&Finding| {
        let print = Fingerprint::of(finding, sources);
        let hash = print.hash();
        let nth = seen.entry((print.file, hash)).or_default();
        *nth += 1;
        format!("{hash:016x}:{nth}")
    };
    findings.iter().map(text).collect()
}
