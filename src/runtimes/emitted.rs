//! What a runtime's emission is given, and what comes of it.

use super::Version;
use crate::model::Model;
use crate::rule::Rule;
use crate::ruleset::Ruleset;

/// A policy and its rulesets, or those of an empty config.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The model.
    pub model: &'a Model,
    /// One ruleset an agent that exists.
    pub rulesets: &'a [Ruleset],
}

/// What is to be written.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The policy.
    pub policy: Side<'a>,
    /// What the runtime does without any config.
    pub base: Side<'a>,
    /// Whether the policy speaks of resources as `core` does, and not as the runtime.
    pub core: bool,
    /// The version that it is for.
    pub version: &'static Version,
}

/// A file of a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where it belongs, from the folder that the config is for.
    pub path: String,
    /// Its text.
    pub text: String,
    /// What kind of source it is when it is read, for [`Source::kind`](super::Source::kind).
    pub kind: &'static str,
}

impl Written {
    /// A file of a project at a path.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Written {
        Written { path: path.into(), text: text.into(), kind: "project" }
    }
}

/// A rule that a config cannot say as it is, and why.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The rule.
    pub rule: Rule,
    /// Why, and what is said instead.
    pub why: String,
}

/// A config, and the rules that it says stricter or not at all.
#[derive(Debug, Default)]
pub struct Emitted {
    /// Its files.
    pub files: Vec<Written>,
    /// Rules that became stricter, each once.
    pub stricter: Vec<Loss>,
    /// Rules that no config can say.
    pub refused: Vec<Loss>,
    /// Facts a person should know.
    pub notes: Vec<String>,
}
