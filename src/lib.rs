//! policyc: the compiler and checker for the permissions of coding agents.

pub mod checks;
pub mod decide;
pub mod diagnostic;
pub mod files;
pub mod language;
pub mod load;
pub mod model;
pub mod project;
pub mod reach;
pub mod report;
pub mod rule;
pub mod ruleset;
pub mod runtimes;
pub mod secret;
pub mod source;
pub mod syntax;
