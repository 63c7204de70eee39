//! The integration tests, in one binary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that meets the unexpected should stop there"
)]

mod support {
    pub(crate) mod ast;
    pub(crate) mod compile;
    pub(crate) mod found;
    pub(crate) mod generate;
    pub(crate) mod hook;
    pub(crate) mod node;
    pub(crate) mod plain;
}

mod suite {
    mod agents;
    mod badinput;
    mod capabilities;
    mod catalogue;
    mod claude_code;
    mod cli;
    mod command_lines;
    mod command_patterns;
    mod commands;
    mod compile_all;
    mod corpus;
    mod dead_rules;
    mod decide_calls;
    mod diff;
    mod engine;
    mod examples;
    mod faults;
    mod fidelity;
    mod fixes;
    mod gemini;
    mod gemini_target;
    mod holes;
    mod hook_bounds;
    mod hook_faults;
    #[cfg(unix)]
    mod hook_paths;
    mod hook_tables;
    mod hook_ways;
    mod hooks;
    mod house;
    mod hygiene;
    mod ignore;
    mod import;
    mod javascript;
    mod language;
    mod large;
    mod living_with;
    mod loopholes;
    mod meaning;
    mod new_runtime;
    mod opencode;
    mod opencode_reading;
    mod pages;
    mod pi;
    mod policy_tests;
    mod prompt_cache;
    mod prose;
    mod reach;
    mod real_opencode;
    mod recorded;
    mod report_human;
    mod report_machine;
    mod schema;
    mod session;
    mod session_live;
    mod session_scripts;
    mod several_runtimes;
    mod syntax;
    mod targets;
    mod undecided;
}
