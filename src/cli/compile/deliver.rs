//! What was compiled is printed, compared with what is there, or written; nothing is written over that would be lost.

use super::super::{Exit, Failure, Terminal};
use super::Args;
use crate::engine::Table;
use crate::files;
use crate::output;
use camino::{Utf8Path, Utf8PathBuf};
use similar::TextDiff;

/// A file to write.
pub(super) struct File {
    name: &'static str,
    bytes: Vec<u8>,
    is_text: bool,
}

impl File {
    /// A file that people can read.
    pub(super) fn text(name: &'static str, text: String) -> File {
        File { name, bytes: text.into_bytes(), is_text: true }
    }

    /// A compiled table.
    pub(super) fn table(name: &'static str, bytes: Vec<u8>) -> File {
        File { name, bytes, is_text: false }
    }

    fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|_| self.is_text)
    }
}

/// Prints, compares or writes all files; nothing is written before every target is proved.
pub(super) fn all(args: &Args, built: &[File], terminal: Terminal) -> Result<Exit, Failure> {
    let folder = args.out.as_deref().map(files::clean).unwrap_or_default();
    if args.dry_run {
        for file in built {
            let head = if built.len() > 1 { format!("==> {} <==\n", file.name) } else { String::new() };
            let text = file.as_text().ok_or_else(|| {
                Failure::new("a table is not text, so it is not printed", "write it with `--out DIR`")
            })?;
            terminal.print(&format!("{head}{text}"));
        }
        return Ok(Exit::Clean);
    }
    let mut exit = Exit::Clean;
    if !args.check {
        std::fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
        for file in built {
            let place = folder.join(file.name);
            let place = place.parent().unwrap_or(&folder);
            std::fs::create_dir_all(place).map_err(|error| unwritable(place, &error))?;
        }
    }
    for file in built.iter().filter(|_| !args.check) {
        keeps_what_is_there(&folder.join(file.name), file)?;
    }
    if !args.check {
        write(&folder, built, terminal)?;
        return Ok(exit);
    }
    for file in built {
        let path = files::clean(&folder.join(file.name));
        let there = std::fs::read(&path).unwrap_or_default();
        if there != file.bytes {
            exit = Exit::Found;
            terminal.print(&difference(&path, &there, file));
        }
    }
    Ok(exit)
}

/// Writes all files or none.
fn write(folder: &Utf8Path, built: &[File], terminal: Terminal) -> Result<(), Failure> {
    let paths: Vec<Utf8PathBuf> = built.iter().map(|file| files::clean(&folder.join(file.name))).collect();
    let files: Vec<(&Utf8Path, &[u8])> =
        paths.iter().zip(built).map(|(path, file)| (path.as_path(), file.bytes.as_slice())).collect();
    output::replace_all(&files).map_err(|(path, error)| unwritable(&path, &error))?;
    paths.iter().for_each(|path| terminal.tell(&format!("wrote {path}\n")));
    Ok(())
}

/// Refuses to write over code or a table that policyc has not written, which its beginning says.
fn keeps_code(path: &Utf8Path, is_ours: bool) -> Result<(), Failure> {
    if is_ours {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` is there and was not written by policyc, so it is not written over", files::clean(path)),
        "move it away, or name another folder with `--out`",
    ))
}

/// Refuses to write over a config that says more than permissions and agents: those keys would be lost.
fn keeps_what_is_there(path: &Utf8Path, ours: &File) -> Result<(), Failure> {
    let keys = |text: &str| -> Option<Vec<String>> {
        match jsonc_parser::parse_to_value(text, &jsonc_parser::ParseOptions::default()).ok()?? {
            jsonc_parser::JsonValue::Object(object) => {
                Some(object.into_iter().map(|(key, _)| key.to_string()).collect())
            }
            _ => None,
        }
    };
    let there = match std::fs::read(path) {
        Ok(there) => there,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(Failure::new(
                format!("`{}` is there and cannot be read, so it is not written over: {error}", files::clean(path)),
                "move it away, or name another folder with `--out`",
            ));
        }
    };
    let Some(ours) = ours.as_text() else { return keeps_code(path, Table::is_table(&there)) };
    let there = String::from_utf8_lossy(&there);
    if path.extension() != Some("json") {
        return keeps_code(path, there.is_empty() || there.lines().next() == ours.lines().next());
    }
    let known = ["$schema", "permission", "agent", "default_agent", "tools", "mode"];
    let ours = keys(ours).unwrap_or_default();
    let Some(keys) = keys(&there) else {
        return Err(Failure::new(
            format!("`{}` is there and cannot be read as a config, so it is not written over", files::clean(path)),
            "move it away, or name another folder with `--out`",
        ));
    };
    let lost: Vec<String> = keys
        .into_iter()
        .filter(|key| !known.contains(&key.as_str()) && !ours.contains(key))
        .map(|key| format!("`{key}`"))
        .collect();
    if lost.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` also says {}, which would be lost", files::clean(path), lost.join(", ")),
        "keep those in a config of their own that the runtime merges, or compile into another folder and merge by hand",
    ))
}

fn unwritable(path: &Utf8Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{path}` cannot be written: {error}"), "check the folder and its permissions")
}

fn difference(path: &Utf8Path, there: &[u8], ours: &File) -> String {
    if there.is_empty() {
        return format!("{path} is missing or empty\n");
    }
    let Some(ours) = ours.as_text() else { return format!("{path} is not what the policy compiles to\n") };
    let there = String::from_utf8_lossy(there);
    let diff = TextDiff::from_lines(there.as_ref(), ours);
    diff.unified_diff().context_radius(1).header(path.as_str(), "compiled").to_string()
}
