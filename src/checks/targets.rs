//! The codes of `policyc compile`: what a target cannot say, and what was proved of what it would say.

use crate::diagnostic::{Code, Severity};

/// A rule that a target cannot say, not even stricter.
pub const NOT_EXPRESSIBLE: Code = Code::new("PC0601", "not-expressible", Severity::Error);
/// A rule that a target says stricter than it is written.
pub const LOSSY_BUT_NARROWER: Code = Code::new("PC0602", "lossy-but-narrower", Severity::Warning);
/// What would be written allows more than the policy.
pub const LOSSY_WIDER: Code = Code::new("PC0603", "lossy-wider", Severity::Error);
/// What would be written is not read back as what was meant.
pub const ROUND_TRIP_MISMATCH: Code = Code::new("PC0606", "round-trip-mismatch", Severity::Error);
