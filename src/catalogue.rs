//! The catalogue that comes with policyc: which command lines give which capability, and which paths have a name.
//!
//! It is written in the policy language, in `policies/catalogue/`, so that it reads as what users add to it. Since most runs
//! need it, what it says is kept beside it in a form that is read at once; a test holds the one to the other.

use crate::diagnostic::{Finding, Sink};
use crate::language::{Dialect, Pattern, Template};
use crate::model::{self, Capability, Command, Commands, Family, Line, List, Statement};
use crate::source::{SourceMap, Span, Spanned};
use crate::syntax::ast::Policy;
use crate::syntax::parse;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

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

/// The catalogue that comes with policyc, read when it is first asked for. It knows no places.
pub fn shipped() -> &'static Catalogue {
    static SHIPPED: OnceLock<Catalogue> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        // INVARIANT: what is embedded is what `kept` gives; a test reads it.
        let kept: Kept = serde_json::from_str(include_str!("../policies/catalogue.json")).unwrap_or_default();
        kept.catalogue()
    })
}

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

/// What `policies/catalogue.json` holds.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    commands: Vec<KeptCommands>,
    /// Wildcard patterns.
    lists: IndexMap<String, Vec<String>>,
}

#[derive(Serialize, Deserialize)]
struct KeptCommands {
    gives: Vec<String>,
    by: Option<String>,
    /// Template, reason, example.
    lines: Vec<(String, Option<String>, Option<String>)>,
}

/// The text of `policies/catalogue.json`, which [`shipped`] reads.
pub fn kept(catalogue: &Catalogue) -> String {
    let line = |command: &Command| {
        let example = command.example.as_ref().map(|example| example.node.clone());
        (command.line.text().to_owned(), command.reason.as_deref().map(str::to_owned), example)
    };
    let commands = catalogue.commands.iter().map(|commands| KeptCommands {
        gives: commands.capabilities.iter().map(|one| one.word().to_owned()).collect(),
        by: commands.family.map(|family| family.word().to_owned()),
        lines: commands.entries.iter().map(line).collect(),
    });
    let texts = |list: &List| list.patterns.iter().map(|pattern| pattern.node.text().to_owned()).collect();
    let lists = catalogue.lists.iter().map(|(name, list)| (name.clone(), texts(list))).collect();
    // INVARIANT: plain strings and lists can always be written.
    serde_json::to_string_pretty(&Kept { commands: commands.collect(), lists }).unwrap_or_default() + "\n"
}

impl Kept {
    fn catalogue(self) -> Catalogue {
        let nowhere = Span::new(SourceMap::default().add("policies/catalogue.json", ""), 0..0);
        let command = |(line, reason, example): (String, Option<String>, Option<String>)| {
            Some(Command {
                span: nowhere,
                line: Line::Template(Template::new(&line).ok()?),
                reason: reason.map(Into::into),
                example: example.map(|example| Spanned::new(example, nowhere)),
            })
        };
        let commands = self.commands.into_iter().map(|commands| Commands {
            span: nowhere,
            capabilities: commands.gives.iter().filter_map(|word| Capability::from_word(word)).collect(),
            family: commands.by.as_deref().and_then(Family::from_word),
            entries: commands.lines.into_iter().filter_map(command).collect(),
            prelude: true,
        });
        let list = |patterns: Vec<String>| {
            let patterns = patterns.iter().map(|text| Spanned::new(Pattern::wildcard(text), nowhere)).collect();
            List { span: nowhere, used: true, prelude: true, patterns }
        };
        let lists = self.lists.into_iter().map(|(name, patterns)| (name, list(patterns))).collect();
        Catalogue { commands: commands.collect(), lists }
    }
}
