//! A compiled table in the place of a policy.

use super::super::input::Input;
use crate::engine::Table;
use crate::hook::{Place, clipped};
use crate::runtimes::{Environment, RUNTIMES};
use camino::Utf8Path;
use sha2::{Digest, Sha256};
use std::io::Read;

/// More bytes than a table has.
const LARGEST: u64 = 1 << 30;
/// How to mend a table that is not used.
const AGAIN: &str = "compile it again with `policyc compile --target table`";

/// The table in a file; `None`: the file is none.
///
/// # Errors
/// It is damaged, of another format, or older than a source of it that is at hand.
pub(super) fn read(path: &Utf8Path, place: &Place) -> Result<Option<Table>, String> {
    let Ok(mut file) = std::fs::File::open(path) else { return Ok(None) };
    let mut bytes = vec![0; 8];
    if file.read_exact(&mut bytes).is_err() || !Table::is_table(&bytes) {
        return Ok(None);
    }
    let why = |why: String| format!("the table `{}` is not used, for {why}: {AGAIN}", clipped(path.as_str()));
    let size = file.metadata().map_or(0, |meta| meta.len().min(LARGEST));
    bytes.reserve(usize::try_from(size).unwrap_or_default());
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| why(error.to_string()))?;
    let table = Table::from_bytes(&bytes).map_err(|error| why(error.to_string()))?;
    match changed(&table, path, place) {
        Some(source) => Err(why(format!("`{}` has changed since", clipped(source)))),
        None => Ok(Some(table)),
    }
}

/// A source of a table that is at hand and is not what it was: a prelude of this program, or the first file of its name beside
/// the table, in the workspace, or in the folder of the call.
fn changed<'t>(table: &'t Table, path: &Utf8Path, place: &Place) -> Option<&'t str> {
    let beside = path.parent().unwrap_or(Utf8Path::new(""));
    let folders = [beside, Utf8Path::new(&place.root), Utf8Path::new(&place.cwd)];
    let versions = || RUNTIMES.iter().flat_map(|runtime| runtime.versions());
    let differs = |(name, hash): &&(String, [u8; 32])| {
        let text = match versions().find(|version| version.prelude_name == name) {
            Some(version) => version.prelude.as_bytes().to_vec(),
            None => match folders.iter().map(|folder| folder.join(name)).find(|path| path.exists()) {
                // What is there and cannot be read may be anything.
                Some(path) => std::fs::read(path).unwrap_or_default(),
                None => return false,
            },
        };
        <[u8; 32]>::from(Sha256::digest(&text)) != *hash
    };
    table.sources.iter().find(differs).map(|(name, _)| name.as_str())
}

/// The machine of a session, if it is the one that a table is for.
///
/// # Errors
/// It is another one, or another repository.
pub(super) fn machine(table: &Table, input: &Input<'_>) -> Result<Environment, String> {
    let runtime = RUNTIMES.into_iter().find(|runtime| runtime.name() == table.runtime.0);
    let runtime = runtime.ok_or("the runtime that the table is for is not known here")?;
    let found = input.environment(runtime, Utf8Path::new("."));
    match &table.machine {
        Some((home, worktree)) if *home != found.home || *worktree != found.worktree => {
            Err(format!("the table is for another machine or repository: {AGAIN} where it is used"))
        }
        _ => Ok(found),
    }
}
