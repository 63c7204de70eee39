//! A table as a file: a mark, the format's number, a checksum, and the table.

use super::Table;
use crate::source::SourceMap;
use sha2::{Digest, Sha256};

/// What every table begins with.
const MARK: &[u8; 8] = b"policyc\0";
/// The number of the format. Tables of another one are made again, never guessed at.
pub const FORMAT: u32 = 4;
const HEAD: usize = 16;

/// Why bytes are not a table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Broken {
    /// They begin otherwise.
    #[error("it is no compiled table")]
    NoTable,
    /// They are of another format.
    #[error("its format is {0}, and this policyc reads {FORMAT}")]
    Format(u32),
    /// Their checksum is another, or they end too early.
    #[error("its checksum does not match: it was changed or cut off")]
    Checksum,
    /// What they hold is not what a table holds.
    #[error("it cannot be read")]
    Content,
}

impl Table {
    /// The bytes of the table's file; the same for the same policy and version of policyc.
    ///
    /// # Errors
    /// It cannot be written down, which no table is known to do.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Broken> {
        let mut out = [MARK.as_slice(), &FORMAT.to_le_bytes(), &[0; 4]].concat();
        out = postcard::to_extend(self, out).map_err(|_| Broken::Content)?;
        let sum = crc32fast::hash(out.get(HEAD..).unwrap_or_default());
        out.get_mut(HEAD - 4..HEAD).into_iter().for_each(|place| place.copy_from_slice(&sum.to_le_bytes()));
        Ok(out)
    }

    /// The table of a file.
    ///
    /// # Errors
    /// The bytes are no table, one of another format, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Table, Broken> {
        let (head, body) = bytes.split_at_checked(HEAD).ok_or(Broken::NoTable)?;
        let number =
            |from: usize| head.get(from..from + 4).and_then(|part| part.try_into().ok()).map(u32::from_le_bytes);
        if !head.starts_with(MARK) {
            return Err(Broken::NoTable);
        }
        match number(8) {
            Some(FORMAT) => {}
            other => return Err(Broken::Format(other.unwrap_or_default())),
        }
        if number(12) != Some(crc32fast::hash(body)) {
            return Err(Broken::Checksum);
        }
        postcard::from_bytes(body).map_err(|_| Broken::Content)
    }

    /// Whether bytes are meant to be a table.
    pub fn is_table(bytes: &[u8]) -> bool {
        bytes.starts_with(MARK)
    }
}

/// The hashes of all files of a run.
pub(super) fn hashes(sources: &SourceMap) -> Vec<(String, [u8; 32])> {
    sources.iter().map(|(_, file)| (file.name().to_owned(), Sha256::digest(file.text().as_bytes()).into())).collect()
}
