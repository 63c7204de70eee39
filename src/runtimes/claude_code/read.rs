//! Sources to a policy: rules of all settings together, single values from the strongest, agents by their files.

use super::agents::{self, Agent};
use super::policy::{Parts, policy};
use super::settings::{self, Said, Scope};
use super::text;
use crate::diagnostic::{Finding, Severity, Sink};
use crate::runtimes::codes::SOURCE_OUTRANKED;
use crate::runtimes::{Reading, Source, Version};
use crate::source::{SourceMap, Span};

/// Reads all sources, lowest precedence first.
pub(super) fn read(
    sources: &[Source],
    texts: &SourceMap,
    version: &'static Version,
    sink: &mut Sink,
) -> (&'static Version, Reading) {
    let Some(first) = sources.first() else { return (version, Reading::default()) };
    let at = Span::new(first.file, 0..0);
    let mut parts = Parts::default();
    let mut all: Vec<Said> = Vec::new();
    for source in sources {
        let text = texts.file(source.file).map_or("", |file| file.text());
        if is_agent(source) {
            if let Some(agent) = agents::read(source.file, &source.path, text, sink) {
                put(&mut parts.agents, agent, sink);
            }
        } else if let Some(node) = text::parse(source.file, text, sink) {
            all.push(settings::read(&node, scope(source), sink));
        }
    }
    let alone = all.iter().any(|said| said.alone);
    for said in all {
        if !alone || said.alone {
            parts.rules.extend(said.rules);
        }
        if let Some(mode) = said.mode {
            outranked(parts.mode.replace(mode.clone()), mode.span, sink);
        }
        parts.agent = said.agent.or(parts.agent);
    }
    // The session cannot be an agent that there is not; the program then starts without one.
    parts.agent = parts.agent.filter(|name| parts.agents.iter().any(|agent| agent.name.node == name.node));
    (version, Reading { policy: policy(parts, version.id, at), ..Reading::default() })
}

fn is_agent(source: &Source) -> bool {
    matches!(source.kind, "agent-file" | "user-agent-file") || source.path.extension() == Some("md")
}

/// Whose settings a file holds; one that is named by itself shows it by its name.
fn scope(source: &Source) -> Scope {
    match (source.kind, source.path.file_name()) {
        ("user", _) => Scope::User,
        ("managed", _) | (_, Some("managed-settings.json")) => Scope::Managed,
        ("local", _) | (_, Some("settings.local.json")) => Scope::Local,
        _ => Scope::Project,
    }
}

/// Of two files that define the same agent the later one counts.
fn put(agents: &mut Vec<Agent>, agent: Agent, sink: &mut Sink) {
    match agents.iter_mut().find(|known| known.name.node == agent.name.node) {
        Some(known) => {
            let text = format!("another file defines `{}` too, and is read instead", agent.name.node);
            let finding = Finding::new(SOURCE_OUTRANKED, known.name.span, text).severity(Severity::Warning);
            sink.push(finding.related(agent.name.span, "this one counts").help("rename one of them"));
            *known = agent;
        }
        None => agents.push(agent),
    }
}

fn outranked(old: Option<crate::source::Spanned<String>>, by: Span, sink: &mut Sink) {
    if let Some(old) = old {
        let text = format!("other settings replace the mode `{}`", old.node);
        sink.push(Finding::new(SOURCE_OUTRANKED, old.span, text).related(by, "this value counts"));
    }
}
