//! The codes of comparisons: with a base, with an organisation's baseline, and of runtimes with each other.

use crate::diagnostic::{Code, Severity};

/// Calls pass that the base stopped, or pass without its question.
pub const WIDENED_VS_BASE: Code = Code::new("PC0206", "widened-vs-base", Severity::Error);
/// Calls are stopped, or asked first, that the base let pass.
pub const NARROWED_VS_BASE: Code = Code::new("PC0207", "narrowed-vs-base", Severity::Info);
/// Calls pass that the organisation's baseline stops, or pass without its question.
pub const OUTSIDE_BASELINE: Code = Code::new("PC0209", "outside-baseline", Severity::Error);
/// Of two runtimes in one project, one allows what the other denies.
pub const RUNTIMES_DISAGREE: Code = Code::new("PC0608", "runtimes-disagree", Severity::Warning);
