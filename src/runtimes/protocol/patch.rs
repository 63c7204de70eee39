//! The files that a patch in the format of `apply_patch` changes.

use super::{Deed, Kind};

/// Lines that name a file, by how they begin.
const HEADS: [&str; 4] = ["*** Add File:", "*** Update File:", "*** Delete File:", "*** Move to:"];

/// An edit of each file that a patch adds, changes, deletes, or moves one to.
///
/// # Errors
/// If it names none: then what it does is not known.
pub fn edits(patch: &str) -> Result<Vec<Deed>, String> {
    let named = |line: &str| {
        HEADS.iter().find_map(|head| line.trim_start().strip_prefix(head).map(str::trim)).map(str::to_owned)
    };
    let edits: Vec<Deed> = patch.lines().filter_map(named).map(|path| Deed::new(Kind::Edit, path)).collect();
    if edits.is_empty() {
        return Err("the patch names no file".to_owned());
    }
    Ok(edits)
}
