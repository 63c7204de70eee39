//! The kinds of findings that readers of configs make, whichever runtime's.

use crate::diagnostic::{Code, Severity};

pub use crate::model::RESERVED_KEY;

/// The program would not start with this, or drops the file.
pub const REFUSED: Code = Code::new("PC1003", "refused-by-runtime", Severity::Error);
/// It loads, with nothing in it.
pub const LOADS_EMPTY: Code = Code::new("PC1004", "loads-empty", Severity::Error);
/// A key nobody knows.
pub const UNKNOWN_KEY: Code = Code::new("PC1005", "unknown-key", Severity::Warning);
/// A key that is known to do nothing here.
pub const INERT_KEY: Code = Code::new("PC1006", "inert-key", Severity::Warning);
/// A key of another runtime.
pub const FOREIGN_KEY: Code = Code::new("PC1007", "foreign-key", Severity::Warning);
/// A key that is there twice.
pub const DUPLICATE_KEY: Code = Code::new("PC1008", "duplicate-key", Severity::Warning);
/// A later source replaces this value.
pub const SOURCE_OUTRANKED: Code = Code::new("PC1009", "source-outranked", Severity::Info);
/// A token in a config.
pub const LITERAL_SECRET: Code = Code::new("PC1012", "literal-secret", Severity::Error);
/// What a variable or another file will put here is not known.
pub const OPAQUE_VALUE: Code = Code::new("PC1018", "opaque-value", Severity::Warning);
