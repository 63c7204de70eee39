//! policyc: the compiler and checker for the permissions of coding agents.

pub mod diagnostic;
pub mod language;
pub mod source;
