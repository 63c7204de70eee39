//! From what a call does to the questions that the policy is asked.

use super::place::Place;
use super::policy::Policy;
use super::vocabulary::{self, Key};
use super::{Part, clipped};
use crate::model::ResourceKind;
use crate::runtimes::protocol::{Deed, Event, Kind};
use rustc_hash::FxHashSet;
use url::Url;

/// The longest text that is judged where it is no command line, in bytes.
const LONGEST: usize = 64 * 1024;

/// A question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Question {
    /// The permission.
    pub(super) permission: String,
    /// About what.
    pub(super) about: About,
    /// When its answer counts.
    pub(super) counts: Counts,
}

/// What a question is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum About {
    /// This resource.
    Text(String),
    /// What is known only in part before it happens; it is asked about if anything of that part may be denied.
    Open(Part),
    /// What cannot be read: the strictest answer that any resource could get.
    Unreadable(String),
}

/// When an answer counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Counts {
    /// Always.
    Always,
    /// If a rule decides that speaks of some resources and not of all: for other spellings of what was asked already.
    IfNarrow,
    /// If a rule decides that speaks of some permissions and not of all: for a tool's own name.
    IfNamed,
    /// Always, but an allowed one is asked about unless a rule decides that speaks of some permissions.
    Distrusted,
}

/// All questions of a call, and the permissions that must be visible for it.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// Each once, in the order they came up.
    pub(super) all: Vec<Question>,
    /// The permissions of the tools themselves.
    pub(super) keys: Vec<String>,
    known: FxHashSet<Question>,
}

/// The questions of a call.
///
/// # Errors
/// If something in it cannot be judged.
pub(super) fn of(policy: &Policy<'_>, event: &Event, place: &Place) -> Result<Questions, String> {
    let mut asking = Asking { policy, tool: &event.tool, questions: Questions::default() };
    for deed in &event.deeds {
        if deed.kind != Kind::Run && deed.about.as_ref().is_some_and(|about| about.len() > LONGEST) {
            return Err(format!("`{}` is too long to be judged", clipped(deed.about.as_deref().unwrap_or_default())));
        }
        asking.deed(deed, place)?;
    }
    Ok(asking.questions)
}

/// Gathers the questions of a call.
pub(super) struct Asking<'a, 'p> {
    pub(super) policy: &'a Policy<'p>,
    pub(super) tool: &'a str,
    pub(super) questions: Questions,
}

impl Asking<'_, '_> {
    fn deed(&mut self, deed: &Deed, place: &Place) -> Result<(), String> {
        let name = match deed.kind {
            Kind::Mcp | Kind::Session | Kind::Unknown => deed.about.as_deref(),
            _ => None,
        };
        let keys = vocabulary::keys(self.policy, self.tool, deed.kind, name);
        let own = keys.iter().filter(|key| !key.aside).map(|key| key.name.clone());
        self.questions.keys.extend(own);
        let place = &match &deed.folder {
            Some(folder) if deed.kind == Kind::Run => place.within(folder),
            _ => place.clone(),
        };
        match deed.kind {
            Kind::Read | Kind::Edit | Kind::List => {
                self.path(&keys, deed.about.as_deref(), deed.kind == Kind::List, place)?;
                self.folder(&keys, deed, place)
            }
            Kind::Find | Kind::Search => self.search(&keys, deed, place),
            Kind::Run => self.run(&keys, deed, place),
            _ => {
                self.plain(&keys, deed);
                Ok(())
            }
        }
    }

    pub(super) fn ask(&mut self, permission: &str, about: About, counts: Counts) {
        let question = Question { permission: permission.to_owned(), about, counts };
        if self.questions.known.insert(question.clone()) {
            self.questions.all.push(question);
        }
    }

    /// A text under every key, and under the tool's own name where rules speak of that.
    pub(super) fn text(&mut self, keys: &[Key], text: &str, counts: Counts) {
        for key in keys {
            let text = if key.resource == Some(ResourceKind::None) { "*" } else { text };
            let counts = if key.aside { Counts::IfNamed } else { counts };
            self.ask(&key.name, About::Text(text.to_owned()), counts);
        }
        self.ask(self.tool, About::Text(text.to_owned()), Counts::IfNamed);
    }

    pub(super) fn other(&mut self, keys: &[Key], about: &About) {
        for key in keys {
            let counts = if key.aside { Counts::IfNamed } else { Counts::Always };
            self.ask(&key.name, about.clone(), counts);
        }
    }

    fn plain(&mut self, keys: &[Key], deed: &Deed) {
        if let (Kind::Fetch, Some(address)) = (deed.kind, deed.about.as_deref()) {
            for spelling in spellings(address) {
                self.text(keys, &spelling, Counts::IfNarrow);
            }
        }
        match (deed.kind, deed.about.as_deref()) {
            (Kind::Mcp | Kind::Session, _) => self.text(keys, "*", Counts::Always),
            (Kind::Unknown, _) => self.text(keys, "*", Counts::Distrusted),
            (_, Some(text)) => self.text(keys, text, Counts::Always),
            (_, None) => self.other(keys, &About::Open(Part::default())),
        }
    }

    /// A path in all its spellings, and its folder where that lies outside.
    pub(super) fn path(&mut self, keys: &[Key], path: Option<&str>, folder: bool, place: &Place) -> Result<(), String> {
        let seen = match path {
            Some(path) => place.seen(path, self.policy.tells_outside_relative(), folder)?,
            None => None,
        };
        let Some(seen) = seen else {
            self.other(keys, &About::Open(Part::default()));
            return Ok(());
        };
        for one in seen {
            let counts = if one.aside { Counts::IfNarrow } else { Counts::Always };
            self.text(keys, &one.text, counts);
            self.outside(one.outside);
        }
        Ok(())
    }

    /// A tool that is to read a folder reads what is in it.
    fn folder(&mut self, keys: &[Key], deed: &Deed, place: &Place) -> Result<(), String> {
        let folder = deed.about.as_deref().filter(|path| deed.kind == Kind::Read && place.is_folder(path));
        let Some(folder) = folder else { return Ok(()) };
        for one in place.seen(folder, self.policy.tells_outside_relative(), true)?.into_iter().flatten() {
            keys.iter().for_each(|key| self.ask(&key.name, About::Open(one.below()), Counts::IfNarrow));
        }
        Ok(())
    }

    pub(super) fn outside(&mut self, folder: Option<String>) {
        if let (Some(guard), Some(folder)) = (self.policy.guard(), folder) {
            self.ask(guard, About::Text(folder), Counts::Always);
        }
    }

    /// A search is asked by its folder, or by what it looks for; and it reads what may be denied to be read.
    fn search(&mut self, keys: &[Key], deed: &Deed, place: &Place) -> Result<(), String> {
        let folder = searched(deed);
        let folder = folder.as_str();
        let (paths, words): (Vec<Key>, Vec<Key>) =
            keys.iter().cloned().partition(|key| key.resource == Some(ResourceKind::Path));
        self.plain(&words, deed);
        self.path(&paths, Some(folder), true, place)?;
        let seen = place.seen(folder, self.policy.tells_outside_relative(), true)?;
        let reads = vocabulary::keys(self.policy, "read", Kind::Read, None);
        let is_file = place.is_file(folder);
        for one in seen.into_iter().flatten() {
            if deed.kind == Kind::Search {
                for key in reads.iter().chain(&paths) {
                    self.ask(&key.name, About::Text(one.text.clone()), Counts::IfNarrow);
                    if !is_file {
                        self.ask(&key.name, About::Open(one.below()), Counts::IfNarrow);
                    }
                }
            }
            self.outside(one.outside);
        }
        Ok(())
    }
}

/// An address as those write it who mean the same: in lower case where case means nothing, without a port that goes without
/// saying, without blanks and brackets around it, and without a name to log in by.
fn spellings(address: &str) -> Vec<String> {
    let around =
        |letter: char| letter.is_whitespace() || matches!(letter, '<' | '>' | '(' | ')' | '"' | '\'' | ',' | ';');
    let Ok(mut address) = Url::parse(address.trim_matches(around)) else { return Vec::new() };
    let mut all = vec![address.to_string()];
    if address.set_username("").and_then(|()| address.set_password(None)).is_ok() {
        all.push(address.to_string());
    }
    all.dedup();
    all
}

/// The folder that a search starts in: the one that is named, and below it what a pattern for names begins with.
fn searched(deed: &Deed) -> String {
    let folder = deed.folder.as_deref().unwrap_or(".");
    let pattern = deed.about.as_deref().filter(|_| deed.kind == Kind::Find).unwrap_or_default();
    let fixed = pattern.split(['*', '?', '[', '{']).next().unwrap_or_default();
    let fixed = if fixed.len() < pattern.len() {
        fixed.rsplit_once('/').map(|(above, _)| format!("{above}/"))
    } else {
        Some(fixed.to_owned())
    };
    match fixed {
        Some(fixed) if fixed.starts_with(['/', '~']) => fixed,
        Some(fixed) if !fixed.is_empty() => format!("{folder}/{fixed}"),
        _ => folder.to_owned(),
    }
}
