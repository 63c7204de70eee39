//! A hook: one event of a runtime in, one answer out, decided by a policy. Whatever goes wrong is a refusal.
//!
//! The event is taken to mean what its tool does ([`crate::runtimes::protocol`]); that becomes questions in the policy's own
//! vocabulary, each spelling of a path and each command of a line; the strictest answer counts.

mod commands;
mod judge;
mod line;
mod links;
pub mod log;
mod place;
mod policy;
mod questions;
pub mod selftest;
mod text;
mod told;
mod vocabulary;

pub use crate::engine::Part;
pub use judge::{Ruling, judge};
pub use place::Place;
pub use policy::{Decider, Policy, Rule, Verdict};
pub use told::clipped;

use crate::runtimes::protocol::{Event, Protocol, Variables};
use std::io::Read;

/// The largest event that is read, in bytes.
pub const LARGEST: u64 = 64 * 1024 * 1024;

/// Reads the event of a protocol.
///
/// # Errors
/// If it cannot be read, is too large, is no JSON, or is not of the protocol's shape.
pub fn read(protocol: &dyn Protocol, from: impl Read, variables: Variables<'_>) -> Result<Event, String> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1).read_to_end(&mut bytes).map_err(|error| format!("the event cannot be read: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("the event is larger than {} MiB", LARGEST / (1024 * 1024)));
    }
    let value = serde_json::from_slice(&bytes).map_err(|error| format!("the event is no JSON: {error}"))?;
    let event = protocol.event(&value, variables)?;
    if event.deeds.is_empty() {
        return Err(format!("what `{}` does is not in the event", clipped(&event.tool)));
    }
    Ok(event)
}
