//! policyc: the compiler and checker for the permissions of coding agents.
//!
//! Text flows one way; each stage is a plain function from one data type to the next, collects its findings in a sink,
//! and neither prints, exits nor panics.
//!
//! ```text
//! text ─► syntax ─► model ─► ruleset ─► reach ─► checks ─► report
//!                              ├─► decide ─► session     (the meaning, and the running side)
//!                              └─► runtimes/*/emit       (compiled configs)
//! runtimes/*/read ─────────────┘  an imported config becomes the same model
//! ```
//!
//! The layers, lowest first; a module uses none above it, and a test holds it to that:
//!
//! | layer | holds |
//! |---|---|
//! | [`secret`], [`source`], [`diagnostic`], [`files`] | what looks like a secret; places; findings as data; reading |
//! | [`rewrite`] | changes of a file that leave the rest of it as it was |
//! | [`language`] | sets of strings: dialects, one trie, exact questions under a budget; knows no rules |
//! | [`shell`] | command lines as data: commands, redirections, scripts; knows no rules |
//! | [`rule`] | action, rule, origin |
//! | [`syntax`] | the policy language: text to tree and back |
//! | [`model`] | names resolved, layers and agents collected |
//! | [`ruleset`] | one ordered ruleset an agent; the last to know layers |
//! | [`decide`] | the meaning in one page; all else is tested against it |
//! | [`engine`] | the same answers from one compiled table, for running systems |
//! | [`runtimes`] | how each runtime is configured, decides and asks |
//! | [`session`] | agents chosen, calls decided, answers given, as a log of events |
//! | [`load`] | a policy and all it uses |
//! | [`catalogue`] | the command lines and paths that come with it, by what they give |
//! | [`reach`] | which written rules never decide or change nothing |
//! | [`capabilities`] | what an agent can bring about, over every way, and what closes the ways |
//! | [`checks`] | one file and one page a check |
//! | [`output`], [`settings`], [`discover`] | writing files whole; `policyc.toml`; what a folder holds |
//! | [`project`] | the pipeline in order |
//! | [`fidelity`] | whether one ruleset decides as another, for every call |
//! | [`change`] | what changed between two compilations, for every call there is |
//! | [`fix`] | fixes applied to texts, and proved |
//! | [`import`], [`targets`] | a config as a policy, a policy as a config: read back and proved |
//! | [`record`] | what a config decides now, as tests |
//! | [`report`] | findings for people and machines |
//! | [`baseline`] | what a project lives with for now |
//! | [`hook`] | one event of a runtime in, one answer out |
//! | [`cli`] | one file a verb |

pub mod baseline;
pub mod capabilities;
pub mod catalogue;
pub mod change;
pub mod checks;
pub mod cli;
pub mod decide;
pub mod diagnostic;
pub mod discover;
pub mod engine;
pub mod fidelity;
pub mod files;
pub mod fix;
pub mod hook;
pub mod import;
pub mod language;
pub mod load;
pub mod model;
pub mod output;
pub mod project;
pub mod reach;
pub mod record;
pub mod report;
pub mod rewrite;
pub mod rule;
pub mod ruleset;
pub mod runtimes;
pub mod secret;
pub mod session;
pub mod settings;
pub mod shell;
pub mod source;
pub mod syntax;
pub mod targets;
