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
    /// Its path from the folder of its target; from where policyc runs, once that is known.
    path: Utf8PathBuf,
    bytes: Vec<u8>,
    is_text: bool,
}

impl File {
    /// A file that people can read.
    pub(super) fn text(path: &str, text: String) -> File {
        File { path: path.into(), bytes: text.into_bytes(), is_text: true }
    }

    /// A compiled table.
    pub(super) fn table(path: &str, bytes: Vec<u8>) -> File {
        File { path: path.into(), bytes, is_text: false }
    }

    /// The same in the folder of its target.
    pub(super) fn within(self, folder: &Utf8Path) -> File {
        File { path: files::clean(&folder.join(self.path)), ..self }
    }

    fn as_text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok().filter(|_| self.is_text)
    }
}

/// Prints, compares or writes all files; nothing is written before every target is proved.
pub(super) fn all(args: &Args, built: &[File], terminal: Terminal) -> Result<Exit, Failure> {
    if let Some(twice) =
        built.iter().enumerate().find(|(at, file)| built.iter().take(*at).any(|one| one.path == file.path))
    {
        return Err(Failure::new(
            format!("two targets would write `{}`", twice.1.path),
            "give each of them a folder of its own",
        ));
    }
    if args.dry_run {
        return printed(built, terminal);
    }
    if args.check {
        return Ok(compared(built, terminal));
    }
    for file in built {
        keeps_what_is_there(&file.path, file)?;
    }
    write(built, terminal)?;
    Ok(Exit::Clean)
}

/// Prints all files or none.
fn printed(built: &[File], terminal: Terminal) -> Result<Exit, Failure> {
    let text = |file: &File| {
        let head = if built.len() > 1 { format!("==> {} <==\n", file.path) } else { String::new() };
        file.as_text().map(|text| head + text)
    };
    let text: Option<String> = built.iter().map(text).collect();
    let text =
        text.ok_or_else(|| Failure::new("a table is not text, so it is not printed", "write it with `--out DIR`"))?;
    terminal.print(&text);
    Ok(Exit::Clean)
}

/// Tells how what is there differs.
fn compared(built: &[File], terminal: Terminal) -> Exit {
    let mut exit = Exit::Clean;
    for file in built {
        let there = std::fs::read(&file.path).unwrap_or_default();
        if there != file.bytes {
            exit = Exit::Found;
            terminal.print(&difference(&file.path, &there, file));
        }
    }
    exit
}

/// Writes all files or none.
fn write(built: &[File], terminal: Terminal) -> Result<(), Failure> {
    for folder in built.iter().filter_map(|file| file.path.parent()) {
        std::fs::create_dir_all(folder).map_err(|error| unwritable(folder, &error))?;
    }
    let files: Vec<(&Utf8Path, &[u8])> =
        built.iter().map(|file| (file.path.as_path(), file.bytes.as_slice())).collect();
    output::replace_all(&files).map_err(|(path, error)| unwritable(&path, &error))?;
    built.iter().for_each(|file| terminal.tell(&format!("wrote {}\n", file.path)));
    Ok(())
}

/// Refuses to write over what policyc has not written.
fn keeps_what_is_there(path: &Utf8Path, ours: &File) -> Result<(), Failure> {
    let there = match std::fs::read(path) {
        Ok(there) => there,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => {
            return Err(Failure::new(
                format!("`{}` is there and cannot be read, so it is not written over: {error}", files::clean(path)),
                ELSEWHERE,
            ));
        }
    };
    let Some(ours) = ours.as_text() else { return keeps_others(path, Table::is_table(&there)) };
    let there = String::from_utf8_lossy(&there);
    if path.extension() != Some("json") {
        // An agent's file starts as every one does; its second line says whose it is.
        let head = if path.extension() == Some("md") { 2 } else { 1 };
        return keeps_others(path, there.is_empty() || there.lines().take(head).eq(ours.lines().take(head)));
    }
    let Some(there) = object(&there) else {
        return Err(Failure::new(
            format!("`{}` is there and cannot be read as a config, so it is not written over", files::clean(path)),
            ELSEWHERE,
        ));
    };
    let ours = object(ours).unwrap_or_default();
    keeps_others(path, is_ours(&there, &ours))?;
    keeps_keys(path, &there, &ours)
}

const ELSEWHERE: &str = "move it away, or name another folder with `--out`";

/// The keys of a JSON object with their values.
fn object(text: &str) -> Option<Vec<(String, jsonc_parser::JsonValue<'_>)>> {
    match jsonc_parser::parse_to_value(text, &jsonc_parser::ParseOptions::default()).ok()?? {
        jsonc_parser::JsonValue::Object(object) => {
            Some(object.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
        }
        _ => None,
    }
}

type Keys<'a> = [(String, jsonc_parser::JsonValue<'a>)];

fn value<'a, 't>(keys: &'a Keys<'t>, name: &str) -> Option<&'a jsonc_parser::JsonValue<'t>> {
    keys.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// Whether a file in JSON says what ours says that it is. A runtime's config says nothing of that, and is merged by hand.
fn is_ours(there: &Keys<'_>, ours: &Keys<'_>) -> bool {
    let same = |name: &str| value(ours, name).is_none_or(|ours| value(there, name) == Some(ours));
    same("schema") && same("name") && (value(ours, "pi").is_none() || value(there, "pi").is_some())
}

/// Refuses to write over a file, unless it `is_ours`.
fn keeps_others(path: &Utf8Path, is_ours: bool) -> Result<(), Failure> {
    if is_ours {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` is there and was not written by policyc, so it is not written over", files::clean(path)),
        ELSEWHERE,
    ))
}

/// Refuses to write over a file that says more than ours: those keys would be lost.
fn keeps_keys(path: &Utf8Path, there: &Keys<'_>, ours: &Keys<'_>) -> Result<(), Failure> {
    let is_config = !ours.iter().any(|(key, _)| key == "schema" || key == "pi");
    let known = ["$schema", "permission", "agent", "default_agent", "tools", "mode"];
    let lost: Vec<String> = there
        .iter()
        .map(|(key, _)| key)
        .filter(|key| value(ours, key).is_none() && (!is_config || !known.contains(&key.as_str())))
        .map(|key| format!("`{key}`"))
        .collect();
    if lost.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        format!("`{}` also says {}, which would be lost", files::clean(path), lost.join(", ")),
        if is_config {
            "keep those in a config of their own that the runtime merges, or compile into another folder and merge by hand"
        } else {
            ELSEWHERE
        },
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
