//! The catalogue that comes with policyc: which command lines give which capability, and which paths have a name.
//!
//! It is written in the policy language, in `policies/catalogue/`, so that it reads as what users add to it. Since most runs
//! need it, what it says is kept beside it in a form that is read at once; a test holds the one to the other.

mod kept;

pub use kept::{kept, shipped};

use crate::diagnostic::{Finding, Sink};
use crate::language::Dialect;
use crate::model::{self, Commands, List, Statement};
use crate::source::SourceMap;
use crate::syntax::ast::Policy;
use crate::syntax::parse;
use indexmap::IndexMap;

/// What the catalogue holds.
#[derive(Debug)]
pub struct Catalogue {
    /// Command lines, in the order of the files.
    pub commands: Vec<Commands>,
    /// Named lists of paths, wildcard patterns all:
    /// - `secrets`: files that hold secrets, save those of `no_secrets`;
    /// - `no_secrets`: files that look so and hold none (`.env.example`);
    /// - `no_files`: what can be written without any change (`/dev/null`);
    /// - `self_modification`: files by which an agent could loosen its own rules, or have something run later; its parts are
    ///   `agent_files`, `git_files`, `start_files`, `editor_files` and `ci_files`.
    pub lists: IndexMap<String, List>,
}

/// The catalogue as it is written.
#[derive(Debug)]
pub struct Source {
    /// What it says; the places of commands and lists are in `files`, and not in any file that is checked.
    pub catalogue: Catalogue,
    /// Its files.
    pub files: SourceMap,
    /// What is wrong with it: nothing, which a test holds it to.
    pub findings: Vec<Finding>,
}

/// The files, by the names they have in the repository.
const FILES: [(&str, &str); 5] = [
    ("policies/catalogue/files.policy", include_str!("../policies/catalogue/files.policy")),
    ("policies/catalogue/paths.policy", include_str!("../policies/catalogue/paths.policy")),
    ("policies/catalogue/programs.policy", include_str!("../policies/catalogue/programs.policy")),
    ("policies/catalogue/reading.policy", include_str!("../policies/catalogue/reading.policy")),
    ("policies/catalogue/windows.policy", include_str!("../policies/catalogue/windows.policy")),
];

/// The catalogue, read from its files.
pub fn source() -> Source {
    let mut files = SourceMap::default();
    let mut sink = Sink::default();
    let policies: Vec<Policy> = FILES
        .into_iter()
        .map(|(name, text)| {
            let file = files.add(name, text);
            parse(file, text, &mut sink)
        })
        .collect();
    let statements = policies.iter().flat_map(|policy| &policy.stmts);
    let statements: Vec<Statement<'_>> =
        statements.map(|stmt| Statement { stmt, prelude: true, used: None, from: &[] }).collect();
    let model = model::build(&statements, Dialect::Wildcard, &mut sink);
    let catalogue = Catalogue { commands: model.commands, lists: model.lists };
    Source { catalogue, files, findings: sink.into_findings() }
}
