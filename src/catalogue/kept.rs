//! The catalogue in a form that is read at once: no places, and nothing left to resolve.

use super::Catalogue;
use crate::language::{Pattern, Template};
use crate::model::{Capability, Command, Commands, Family, Line, List};
use crate::source::{SourceMap, Span, Spanned};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// The catalogue that comes with policyc, read when it is first asked for. It knows no places.
pub fn shipped() -> &'static Catalogue {
    static SHIPPED: OnceLock<Catalogue> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        // INVARIANT: what is embedded is what `kept` gives; a test reads it.
        let kept: Kept = serde_json::from_str(include_str!("../../policies/catalogue.json")).unwrap_or_default();
        kept.catalogue()
    })
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
