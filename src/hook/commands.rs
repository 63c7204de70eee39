//! The questions of a command line.

use super::Part;
use super::line::{self, Taken};
use super::place::Place;
use super::questions::{About, Asking, Counts};
use super::vocabulary::{self, Key};
use crate::model::ResourceKind;
use crate::runtimes::protocol::{Deed, Kind};

impl Asking<'_, '_> {
    /// A command line by its parts, the files that it opens, and the folder it starts in.
    pub(super) fn run(&mut self, keys: &[Key], deed: &Deed, place: &Place) -> Result<(), String> {
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
                    self.ask(guard, About::Open(Part::default()), Counts::Always);
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
        for begins in &taken.open {
            self.other(keys, &About::Open(Part { begins: begins.clone(), inside: false }));
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
