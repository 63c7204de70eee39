//! Writing files whole or not at all.

use camino::{Utf8Path, Utf8PathBuf};
use std::io::{self, Write};

/// Puts `text` in the place of a file: written beside it first, then renamed, so that no reader sees half of it.
///
/// # Errors
/// What the file system says; the old file is then as it was.
pub fn replace(path: &Utf8Path, text: &str) -> io::Result<()> {
    stage(path, text.as_bytes())?.put()
}

/// Replaces several files, all or none: each is written beside its place first, and only when all are there are they
/// renamed. If a rename fails, those before it are taken back.
///
/// # Errors
/// The path that failed, and what the file system says; the old files are then as they were.
pub fn replace_all(files: &[(&Utf8Path, &[u8])]) -> Result<(), (Utf8PathBuf, io::Error)> {
    let mut staged = Vec::new();
    for (path, bytes) in files {
        let named = |error| ((*path).to_owned(), error);
        let stage = stage(path, bytes).map_err(named)?;
        let old = match std::fs::read(&stage.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(named(error)),
        };
        staged.push((stage, old));
    }
    let mut done: Vec<(Utf8PathBuf, Option<Vec<u8>>)> = Vec::new();
    for (stage, old) in staged {
        let target = stage.target.clone();
        if let Err(error) = stage.put() {
            done.iter().for_each(|(path, old)| take_back(path, old.as_deref()));
            return Err((target, error));
        }
        done.push((target, old));
    }
    Ok(())
}

/// A file written beside its place.
struct Staged {
    file: tempfile::NamedTempFile,
    target: Utf8PathBuf,
}

fn stage(path: &Utf8Path, bytes: &[u8]) -> io::Result<Staged> {
    // A link stays a link: what it points to is replaced.
    let target = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    if target.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let mut file = tempfile::NamedTempFile::new_in(folder(&target))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    // A file that was there keeps its permissions; a new one gets those that `File::create` would give.
    match std::fs::metadata(&target) {
        Ok(old) => file.as_file().set_permissions(old.permissions())?,
        Err(_) => open_up(file.as_file())?,
    }
    Ok(Staged { file, target })
}

impl Staged {
    fn put(self) -> io::Result<()> {
        self.file.persist(&self.target).map(drop).map_err(|error| error.error)
    }
}

/// As far as the file system lets us: that it failed is told in any case.
fn take_back(path: &Utf8Path, old: Option<&[u8]>) {
    drop(match old {
        Some(bytes) => std::fs::write(path, bytes),
        None => std::fs::remove_file(path),
    });
}

/// Writes a file that must not exist yet.
///
/// # Errors
/// `AlreadyExists`, or what else the file system says.
pub fn create(path: &Utf8Path, text: &str) -> io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(folder(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    open_up(file.as_file())?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

fn folder(path: &Utf8Path) -> &Utf8Path {
    path.parent().filter(|folder| !folder.as_str().is_empty()).unwrap_or(Utf8Path::new("."))
}

/// Temporary files are made for their owner alone; a policy is for everyone who may read the project.
#[cfg(unix)]
fn open_up(file: &std::fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_up(_: &std::fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_but_never_created_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("a.policy");
        create(&path, "one").unwrap();
        assert_eq!(create(&path, "two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        replace(&path, "three").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "three");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[test]
    fn several_files_are_replaced_all_or_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| Utf8Path::from_path(folder.path()).unwrap().join(name);
        let (a, b, c) = (path("a"), path("b"), path("c"));
        std::fs::write(&a, "old").unwrap();
        std::fs::create_dir(&b).unwrap();
        let failed = replace_all(&[(&a, b"new"), (&c, b"new"), (&b, b"new")]).unwrap_err();
        assert_eq!(failed.0, b);
        assert_eq!(std::fs::read_to_string(&a).unwrap(), "old");
        assert!(!c.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
        replace_all(&[(&a, b"new"), (&c, b"new")]).unwrap();
        assert_eq!(std::fs::read_to_string(&c).unwrap(), "new");
    }
}
