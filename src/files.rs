//! Reading files: bounded, UTF-8, each once, every failure a finding that says what to do.

use crate::diagnostic::{Code, Finding, Severity};
use crate::source::{FileId, SourceMap, Span};
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;
use std::io::{self, Read};

/// A file that cannot be read.
pub const UNREADABLE: Code = Code::new("PC1002", "unreadable", Severity::Error);

/// The largest file that is read, in bytes. A policy of 100,000 rules has about 5 MB.
pub const LIMIT: u64 = 32 * 1024 * 1024;

/// The files of a run.
#[derive(Debug, Default)]
pub struct Files {
    /// Their texts.
    pub sources: SourceMap,
    read: FxHashMap<Utf8PathBuf, FileId>,
    /// Folders that stand for something else, and how what is in them is shown.
    mounts: Vec<(Utf8PathBuf, String)>,
}

impl Files {
    /// Reads a file, or finds it among those read before. `-` is standard input. The error is a message and a help.
    pub fn read(&mut self, path: &Utf8Path) -> Result<FileId, (String, String)> {
        let key = clean(path);
        if let Some(id) = self.read.get(&key) {
            return Ok(*id);
        }
        let shown = self.shown(path);
        let text =
            if path == "-" { text(io::stdin().lock(), "standard input") } else { text(open(path, &shown)?, &shown) }?;
        let name = if path == "-" { "<stdin>".to_owned() } else { shown };
        let id = self.sources.add(name, text);
        self.read.insert(key, id);
        Ok(id)
    }

    /// Shows every file below `folder` by its path from there behind `name`, which says where it really comes from.
    pub fn mount(&mut self, folder: &Utf8Path, name: &str) {
        self.mounts.push((clean(folder), name.to_owned()));
    }

    /// How a path is shown: cleaned, without characters that a terminal would obey, and by what it stands for.
    pub fn shown(&self, path: &Utf8Path) -> String {
        let key = clean(path);
        let mounted = self.mounts.iter().find_map(|(folder, name)| Some((name, key.strip_prefix(folder).ok()?)));
        match mounted {
            Some((name, rest)) => printable(&Utf8PathBuf::from(format!("{name}{rest}"))),
            None => printable(&key),
        }
    }

    /// A text that is not read from the disk but stands for the file at `path`: an editor's buffer, a test's policy.
    pub fn given(&mut self, path: &Utf8Path, text: &str) -> FileId {
        let key = clean(path);
        let id = self.sources.add(key.as_str(), text);
        self.read.insert(key, id);
        id
    }

    /// A text that comes with the program, under the name it has in the repository.
    pub fn embedded(&mut self, name: &str, text: &str) -> FileId {
        let key = Utf8PathBuf::from(format!("<embedded>/{name}"));
        *self.read.entry(key).or_insert_with(|| self.sources.add(name, text))
    }

    /// The same as [`Files::read`], a failure being a finding: at the place that names the file, or at the (empty) file itself.
    pub fn read_or_report(&mut self, path: &Utf8Path, named_at: Option<Span>) -> Result<FileId, Box<Finding>> {
        self.read(path).map_err(|(message, help)| {
            let span = named_at.unwrap_or_else(|| Span::new(self.sources.add(self.shown(path), ""), 0..0));
            Box::new(Finding::new(UNREADABLE, span, message).help(help))
        })
    }
}

/// A path as it is shown: without characters that a terminal would obey, or that would hide others.
fn printable(path: &Utf8Path) -> String {
    let hides =
        |c: char| matches!(c, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    path.as_str().chars().map(|c| if c.is_control() || hides(c) { '\u{FFFD}' } else { c }).collect()
}

/// Opens a file that is one, `shown` by that name. The error is a message and a help.
pub fn open(path: &Utf8Path, shown: &str) -> Result<std::fs::File, (String, String)> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => (format!("`{shown}` does not exist"), "check the path and its spelling".to_owned()),
        io::ErrorKind::PermissionDenied => {
            (format!("`{shown}` may not be read"), "give yourself permission to read it".to_owned())
        }
        _ => (format!("`{shown}` cannot be read: {error}"), "check the disk and the path".to_owned()),
    };
    let meta = std::fs::metadata(path).map_err(failed)?;
    if !meta.is_file() {
        // A pipe or a device would block, or never end.
        return Err((format!("`{shown}` is not a regular file"), "name a file".to_owned()));
    }
    std::fs::File::open(path).map_err(failed)
}

fn text(from: impl Read, name: &str) -> Result<String, (String, String)> {
    let mut bytes = Vec::new();
    if let Err(error) = from.take(LIMIT + 1).read_to_end(&mut bytes) {
        return Err((format!("`{name}` cannot be read: {error}"), "check the disk and the path".to_owned()));
    }
    if bytes.len() as u64 > LIMIT {
        let text = format!("`{name}` is larger than {} MiB", LIMIT / (1024 * 1024));
        return Err((text, "split it, or check that it is the file you meant".to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count() + 1;
        (
            format!("`{name}` is not UTF-8: the byte at offset {at}, on line {line}, fits no character"),
            "save it as UTF-8".to_owned(),
        )
    })
}

/// A path without `.` and `..` where they can be resolved by text alone, relative to the working folder where it lies
/// in it: how files are told apart and shown.
pub fn clean(path: &Utf8Path) -> Utf8PathBuf {
    let mut out = Utf8PathBuf::new();
    for part in path.components() {
        match part {
            camino::Utf8Component::CurDir => {}
            camino::Utf8Component::ParentDir if out.file_name().is_some() => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    let here = std::env::current_dir().ok().and_then(|here| Utf8PathBuf::from_path_buf(here).ok());
    let relative = here.and_then(|here| out.strip_prefix(here).map(Utf8Path::to_owned).ok()).unwrap_or(out);
    let shown = if relative.as_str().is_empty() { Utf8PathBuf::from(".") } else { relative };
    if std::path::MAIN_SEPARATOR == '/' { shown } else { shown.as_str().replace('\\', "/").into() }
}
