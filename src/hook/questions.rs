//! From what a call does to the questions that the policy is asked.

use super::clipped;
use super::line::{self, Taken};
use super::place::Place;
use super::policy::Policy;
use super::vocabulary::{self, Key};
use crate::model::ResourceKind;
use crate::runtimes::protocol::{Deed, Event, Kind};
use rustc_hash::FxHashSet;

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
    /// What is known only when it happens; it is asked about if anything may be denied.
    Open,
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

struct Asking<'a, 'p> {
    policy: &'a Policy<'p>,
    tool: &'a str,
    questions: Questions,
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
                self.path(&keys, deed.about.as_deref(), deed.kind == Kind::List, place)
            }
            Kind::Find | Kind::Search => self.search(&keys, deed, place),
            Kind::Run => self.run(&keys, deed, place),
            _ => {
                self.plain(&keys, deed);
                Ok(())
            }
        }
    }

    fn ask(&mut self, permission: &str, about: About, counts: Counts) {
        let question = Question { permission: permission.to_owned(), about, counts };
        if self.questions.known.insert(question.clone()) {
            self.questions.all.push(question);
        }
    }

    /// A text under every key, and under the tool's own name where rules speak of that.
    fn text(&mut self, keys: &[Key], text: &str, counts: Counts) {
        for key in keys {
            let text = if key.resource == Some(ResourceKind::None) { "*" } else { text };
            let counts = if key.aside { Counts::IfNamed } else { counts };
            self.ask(&key.name, About::Text(text.to_owned()), counts);
        }
        self.ask(self.tool, About::Text(text.to_owned()), Counts::IfNamed);
    }

    fn other(&mut self, keys: &[Key], about: &About) {
        for key in keys {
            let counts = if key.aside { Counts::IfNamed } else { Counts::Always };
            self.ask(&key.name, about.clone(), counts);
        }
    }

    fn plain(&mut self, keys: &[Key], deed: &Deed) {
        match (deed.kind, deed.about.as_deref()) {
            (Kind::Mcp | Kind::Session, _) => self.text(keys, "*", Counts::Always),
            (Kind::Unknown, _) => self.text(keys, "*", Counts::Distrusted),
            (_, Some(text)) => self.text(keys, text, Counts::Always),
            (_, None) => self.other(keys, &About::Open),
        }
    }

    /// A path in all its spellings, and its folder where that lies outside.
    fn path(&mut self, keys: &[Key], path: Option<&str>, folder: bool, place: &Place) -> Result<(), String> {
        let seen = match path {
            Some(path) => place.seen(path, self.policy.tells_outside_relative(), folder)?,
            None => None,
        };
        let Some(seen) = seen else {
            self.other(keys, &About::Open);
            return Ok(());
        };
        for one in seen {
            self.text(keys, &one.text, Counts::Always);
            self.outside(one.outside);
        }
        Ok(())
    }

    fn outside(&mut self, folder: Option<String>) {
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
        for one in seen.into_iter().flatten() {
            if deed.kind == Kind::Search {
                for text in [format!("{}/*", one.text), one.text] {
                    for key in &reads {
                        self.ask(&key.name, About::Text(text.clone()), Counts::IfNarrow);
                    }
                }
            }
            self.outside(one.outside);
        }
        Ok(())
    }

    /// A command line by its parts, the files that it opens, and the folder it starts in.
    fn run(&mut self, keys: &[Key], deed: &Deed, place: &Place) -> Result<(), String> {
        if let Some(folder) = &deed.folder {
            let seen = place.seen(folder, self.policy.tells_outside_relative(), true)?;
            seen.into_iter().flatten().for_each(|one| self.outside(one.outside));
        }
        let (commands, others): (Vec<Key>, Vec<Key>) =
            keys.iter().cloned().partition(|key| key.resource.is_none_or(|kind| kind == ResourceKind::Command));
        let Some(text) = deed.about.as_deref() else {
            self.other(keys, &About::Unreadable("it is written for another shell".to_owned()));
            return Ok(());
        };
        let taken = match line::take(text) {
            Ok(taken) => taken,
            Err(why) => {
                self.other(keys, &About::Unreadable(why));
                return Ok(());
            }
        };
        for key in &others {
            let text = if key.resource == Some(ResourceKind::None) { "*" } else { text.trim() };
            self.ask(&key.name, About::Text(text.to_owned()), Counts::Always);
        }
        self.commands(&commands, text, &taken, place);
        self.files(&taken, place)
    }

    fn commands(&mut self, keys: &[Key], text: &str, taken: &Taken, place: &Place) {
        let before = self.questions.all.len();
        // The policy's own runtime says how it asks for a line, where it does.
        match self.policy.line(text, Some(&place.cwd)) {
            Some(Ok(asks)) => {
                for request in asks.requests {
                    self.ask(&request.permission, About::Text(request.resource), Counts::Always);
                }
                if let (Some(_), Some(guard)) = (asks.open, self.policy.guard()) {
                    self.ask(guard, About::Open, Counts::Always);
                }
            }
            Some(Err(why)) => self.other(keys, &About::Unreadable(why)),
            None => taken.commands.iter().for_each(|command| self.text(keys, command, Counts::Always)),
        }
        taken.inner.iter().for_each(|command| self.text(keys, command, Counts::Always));
        for spelling in taken.spellings.iter().chain(&taken.commands) {
            for key in keys {
                self.ask(&key.name, About::Text(spelling.clone()), Counts::IfNarrow);
            }
        }
        if taken.open {
            self.other(keys, &About::Open);
        }
        if self.questions.all.len() == before {
            self.text(keys, text.trim(), Counts::Always);
        }
    }

    fn files(&mut self, taken: &Taken, place: &Place) -> Result<(), String> {
        for (kind, files) in [(Kind::Edit, &taken.writes), (Kind::Read, &taken.reads)] {
            if files.is_empty() {
                continue;
            }
            let keys = vocabulary::keys(self.policy, "", kind, None);
            for file in files {
                match (file, &taken.folders) {
                    (Some(path), _) if path.starts_with(['/', '~']) => self.path(&keys, Some(path), false, place)?,
                    (Some(path), Some(folders)) => {
                        for folder in folders {
                            self.relative(&keys, path, folder, place)?;
                        }
                    }
                    _ => self.path(&keys, None, false, place)?,
                }
            }
        }
        Ok(())
    }

    /// A file of a line that has moved to a folder by then.
    fn relative(&mut self, keys: &[Key], path: &str, folder: &str, place: &Place) -> Result<(), String> {
        if folder.is_empty() {
            return self.path(keys, Some(path), false, place);
        }
        self.path(keys, Some(&format!("{folder}/{path}")), false, place)
    }
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
