//! Writing files whole or not at all.

use camino::Utf8Path;
use std::io::{self, Write};

/// Puts `text` in the place of a file: written beside it first, then renamed, so that no reader sees half of it.
///
/// # Errors
/// What the file system says; the old file is then as it was.
pub fn replace(path: &Utf8Path, text: &str) -> io::Result<()> {
    // A link stays a link: what it points to is replaced.
    let target = path.canonicalize_utf8().unwrap_or_else(|_| path.to_owned());
    let path = target.as_path();
    let mut file = tempfile::NamedTempFile::new_in(folder(path))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    // A file that was there keeps its permissions; a new one gets those that `File::create` would give.
    match std::fs::metadata(path) {
        Ok(old) => file.as_file().set_permissions(old.permissions())?,
        Err(_) => open_up(file.as_file())?,
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
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
}
