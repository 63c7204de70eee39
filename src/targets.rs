//! A compiled policy as the config of a runtime, read back and proved before anyone writes it.

mod claude_code;
mod config;
mod gemini;
pub mod js;
pub mod pi;
mod proof;

use crate::diagnostic::{Finding, Severity};
use crate::fidelity::{Difference, Fidelity};
use crate::files::Files;
use crate::language::Budget;
use crate::project::Compilation;
use crate::runtimes::{Runtime, Written};

/// How an agent's written rules stand to its rules in the policy.
#[derive(Clone, Debug)]
pub struct Row {
    /// The agent.
    pub agent: String,
    /// The proof.
    pub fidelity: Fidelity,
    /// Where it is stricter: a shortest request for each permission, the one of `fidelity` left out.
    pub tighter: Vec<Difference>,
}

impl Row {
    /// A proof of all permissions at once.
    pub fn new(agent: &str, fidelity: Fidelity) -> Row {
        Row { agent: agent.to_owned(), fidelity, tighter: Vec::new() }
    }
}

/// A config and what was proved of it.
#[derive(Debug)]
pub struct Built {
    /// Its files.
    pub files: Vec<Written>,
    /// One row for each agent that the config makes exist.
    pub rows: Vec<Row>,
    /// What is stricter, and why nothing may be written.
    pub findings: Vec<Finding>,
    /// Facts a person should know.
    pub notes: Vec<String>,
}

impl Built {
    /// Whether it may be written: every rule is said, and no agent is looser or undecided.
    pub fn is_sound(&self) -> bool {
        let proved = |row: &Row| matches!(row.fidelity, Fidelity::Exact | Fidelity::Tighter(_));
        self.rows.iter().all(proved) && self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// Builds the config of a runtime from a policy, for the version asked for or the policy's own; of these agents, or of all if
/// none is named.
///
/// # Errors
/// The policy is another runtime's, or the runtime has no config that can be written.
pub fn config(
    files: &mut Files,
    compilation: &Compilation,
    runtime: &'static dyn Runtime,
    (version, agents): (Option<&str>, &[String]),
    budget: &mut Budget,
) -> Result<Built, String> {
    match runtime.name() {
        // What its agents may do hangs on the settings, so those are read back before the agents are written.
        "claude-code" => claude_code::build(files, compilation, agents, budget),
        // It has modes and subagents in the place of agents.
        "gemini" => gemini::build(files, compilation, agents, budget),
        _ => config::build(files, compilation, runtime, (version, agents), budget),
    }
}
