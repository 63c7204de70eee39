//! The checks: one file and one page each, and the one list of them.
//!
//! A check reads the compiled policy and pushes findings. It knows no other check, no runtime's files and no output
//! format.

mod allow_everything;
mod approval_beats_deny;
mod args_not_covered;
mod ask_where_nothing_asks;
pub mod assertion_failed;
pub mod bad_suppression;
mod broad_rule_wipes_layer;
mod cannot;
mod chaining;
mod chains;
mod child_wider_than_parent;
mod command_runner;
pub mod compared;
mod confusable_characters;
mod dangerous_option;
mod dead;
mod dead_layer;
mod delegation;
mod delegation_cycle;
mod deny_by_spelling;
mod duplicate_rule;
mod edits;
mod env_prefix;
mod exfiltration_path;
mod external_dir_bypass;
mod falls_to_default;
mod fold;
mod glob_dialect_mismatch;
mod global_option;
mod hidden_agent_writes;
mod invalid_default_agent;
mod key_order_dependent;
mod layer_loosened;
mod layer_overrides_deny;
mod lines;
mod links_followed;
mod loopholes;
mod mcp_default_allow;
mod mergeable_rules;
mod mid_wildcard_allow;
mod mode_exit_unguarded;
mod never_asked_command;
mod no_visible_primary;
mod no_word_boundary;
mod other_reading;
mod parted;
mod partial_shadow;
mod patch_move;
mod plan_mode_escape;
pub(crate) mod plausible;
mod privilege_wrapper;
mod promise_in_prose;
mod promises;
pub(crate) mod proof;
mod redundant_rule;
mod reserved_key;
pub mod rule_never_decides_a_test;
pub(crate) mod said;
mod secret_by_search_tool;
mod secret_by_shell;
mod secret_readable;
mod secrets;
mod self_modification;
mod shell_ways;
mod spellings;
mod staged_exec;
mod stalling_pattern;
mod stray_space;
mod surviving_mutant;
mod swallowed_exception;
pub mod targets;
mod task_pattern_empty;
mod test_names_unknown_rule;
pub mod tests;
mod toolset_changes;
mod transitive_delegation;
pub(crate) mod undecided;
mod unexpanded_home;
mod unknown_agent;
mod unknown_permission;
mod unmatchable_pattern;
mod unreachable_agent;
mod unreachable_by_union;
mod unreachable_rule;
mod unrestricted;
mod unused_definition;
mod url_in_shell;
mod vacuous_assert;
mod variable_indirection;
pub(crate) mod vocabulary;
mod ways;
pub(crate) mod witness;
mod write_by_delegation;
mod write_by_edit;
mod write_by_filter_tool;
mod write_by_interpreter;
mod write_by_redirect;
pub(crate) mod written;

use crate::capabilities::World;
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::files::UNREADABLE;
use crate::language::Budget;
use crate::load::USE_CYCLE;
use crate::model::{self, Model};
use crate::reach::Reach;
use crate::rewrite::Layouts;
use crate::ruleset::Ruleset;
use crate::runtimes::{Runtime, Version, codes};
use crate::source::{SourceMap, Span};
use crate::syntax::SYNTAX_ERROR;
use crate::syntax::ast::Name;
use std::fmt;
use std::rc::Rc;

pub use bad_suppression::{CODE as BAD_SUPPRESSION, suppress};
pub use fold::fold;

/// What a check sees.
pub struct Cx<'a> {
    /// The resolved policy.
    pub model: &'a Model,
    /// One ruleset an agent that exists, in declaration order.
    pub rulesets: &'a [Ruleset],
    /// The same with every source's rules one after another as written, where the runtime reads another order.
    pub as_written: Option<&'a [Ruleset]>,
    /// Servers that bring tools of their own, by the names their tools' permissions begin with.
    pub servers: &'a [Name],
    /// The same as questions about capabilities see it, with what is kept of the rules for all checks.
    pub world: &'a World<'a>,
    /// The runtime's facts.
    pub runtime: &'a dyn Runtime,
    /// Its version.
    pub version: &'a Version,
    /// The day that expiries are held against.
    pub today: Date,
    /// Checks of severity info and heuristics run too.
    pub pedantic: bool,
    /// States left to all exact questions of this run.
    pub budget: &'a mut Budget,
    /// The files, for checks that offer to change them.
    pub sources: &'a SourceMap,
    /// Where entries of JSON files stand, for the same.
    pub layouts: Layouts,
    /// What earlier stages found, so that a check does not say the same again.
    pub found: &'a [Finding],
    /// The shared analysis of dead and needless rules, from when it was first asked for.
    pub reach: Option<Rc<Reach>>,
    /// How agents write that may not edit, from when it was first asked for.
    pub(crate) loopholes: Option<Rc<Vec<loopholes::Loophole>>>,
    /// How files are read that may not be, likewise.
    pub(crate) leaks: Option<Rc<Vec<secrets::Leak>>>,
    /// Questions of other checks that the budget did not suffice for: where, and what was asked.
    pub doubts: Vec<(Span, &'static str)>,
}

impl Cx<'_> {
    /// The shared analysis of dead and needless rules.
    pub fn reach(&mut self) -> Rc<Reach> {
        let reach = self
            .reach
            .take()
            .unwrap_or_else(|| Rc::new(Reach::of(self.model, self.rulesets, self.runtime, self.budget)));
        self.reach = Some(reach.clone());
        reach
    }

    /// Notes that a question stayed open, so that its silence is not read as an answer.
    pub(crate) fn doubt(&mut self, span: Span, what: &'static str) {
        if !self.doubts.contains(&(span, what)) {
            self.doubts.push((span, what));
        }
    }
}

impl<'a> Cx<'a> {
    /// The ruleset of an agent that exists.
    pub(crate) fn set_of(&self, agent: &str) -> Option<&'a Ruleset> {
        self.rulesets.iter().find(|set| set.agent == agent)
    }

    /// Whether an earlier stage found one of these kinds at a place, in it or around it.
    pub(crate) fn said(&self, codes: &[&str], span: Span) -> bool {
        let near = |other: Span| span.contains(other) || other.contains(span);
        self.found.iter().any(|finding| codes.contains(&finding.code.id) && near(finding.primary.span))
    }
}

/// A day, `YYYY-MM-DD`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Month, from 1.
    pub month: u8,
    /// Day, from 1.
    pub day: u8,
}

impl Date {
    /// The day a text names, if it is one of the calendar.
    pub fn parse(text: &str) -> Option<Date> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || (year.len(), month.len(), day.len()) != (4, 2, 2) {
            return None;
        }
        let date = Date { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        (1..=date.days_in_month()).contains(&date.day).then_some(date)
    }

    fn days_in_month(self) -> u8 {
        let leap = self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => 0,
        }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// A check, or a code that an earlier stage finds.
#[derive(Debug)]
pub struct Check {
    /// Its code.
    pub code: Code,
    /// Its page, which is also its test.
    pub page: &'static str,
    /// What runs it; `None` where an earlier stage finds it.
    pub run: Option<fn(&mut Cx<'_>, &mut Sink)>,
}

/// A check that runs: its file holds `CODE` and `run`, its page stands beside it.
macro_rules! check {
    ($name:ident) => {
        Check { code: $name::CODE, page: include_str!(concat!(stringify!($name), ".md")), run: Some($name::run) }
    };
}

/// A code that something else finds: an earlier stage, or a verb that asks for it.
macro_rules! page {
    ($code:expr, $page:literal) => {
        Check { code: $code, page: include_str!(concat!($page, ".md")), run: None }
    };
}

/// Every check, by code.
pub const CHECKS: &[Check] = &[
    // group 01: reachability
    check!(unreachable_rule),
    check!(unreachable_by_union),
    check!(unmatchable_pattern),
    check!(swallowed_exception),
    check!(partial_shadow),
    check!(redundant_rule),
    check!(duplicate_rule),
    check!(mergeable_rules),
    check!(falls_to_default),
    // group 02: merge order
    check!(layer_overrides_deny),
    check!(broad_rule_wipes_layer),
    check!(key_order_dependent),
    check!(layer_loosened),
    page!(compared::WIDENED_VS_BASE, "widened_vs_base"),
    page!(compared::NARROWED_VS_BASE, "narrowed_vs_base"),
    check!(dead_layer),
    page!(compared::OUTSIDE_BASELINE, "outside_baseline"),
    // group 03: ways around a denial
    check!(write_by_edit),
    check!(write_by_redirect),
    check!(write_by_filter_tool),
    check!(write_by_interpreter),
    check!(write_by_delegation),
    check!(transitive_delegation),
    check!(plan_mode_escape),
    check!(mode_exit_unguarded),
    check!(mcp_default_allow),
    check!(external_dir_bypass),
    check!(secret_readable),
    check!(secret_by_shell),
    check!(secret_by_search_tool),
    check!(self_modification),
    check!(staged_exec),
    check!(exfiltration_path),
    check!(privilege_wrapper),
    check!(links_followed),
    check!(patch_move),
    check!(approval_beats_deny),
    check!(ask_where_nothing_asks),
    check!(never_asked_command),
    // group 04: command patterns
    check!(chaining),
    check!(dangerous_option),
    check!(global_option),
    check!(command_runner),
    check!(mid_wildcard_allow),
    check!(no_word_boundary),
    check!(args_not_covered),
    check!(deny_by_spelling),
    check!(env_prefix),
    check!(variable_indirection),
    check!(url_in_shell),
    // group 05: agents
    check!(unknown_agent),
    check!(invalid_default_agent),
    check!(no_visible_primary),
    check!(unreachable_agent),
    check!(delegation_cycle),
    check!(child_wider_than_parent),
    check!(hidden_agent_writes),
    check!(task_pattern_empty),
    // group 06: targets
    page!(targets::NOT_EXPRESSIBLE, "not_expressible"),
    page!(targets::LOSSY_BUT_NARROWER, "lossy_but_narrower"),
    page!(targets::LOSSY_WIDER, "lossy_wider"),
    page!(targets::ROUND_TRIP_MISMATCH, "round_trip_mismatch"),
    page!(compared::RUNTIMES_DISAGREE, "runtimes_disagree"),
    // group 07: prompt cache
    check!(toolset_changes),
    // group 08: tests
    check!(assertion_failed),
    page!(rule_never_decides_a_test::CODE, "rule_never_decides_a_test"),
    check!(vacuous_assert),
    check!(test_names_unknown_rule),
    check!(surviving_mutant),
    // group 09: hygiene
    check!(unknown_permission),
    check!(unused_definition),
    page!(bad_suppression::CODE, "bad_suppression"),
    check!(confusable_characters),
    check!(glob_dialect_mismatch),
    check!(unexpanded_home),
    check!(allow_everything),
    check!(undecided),
    check!(reserved_key),
    check!(stray_space),
    page!(proof::CODE, "internal_error"),
    // group 10: reading
    page!(SYNTAX_ERROR, "syntax_error"),
    page!(UNREADABLE, "unreadable"),
    page!(codes::REFUSED, "refused_by_runtime"),
    page!(codes::LOADS_EMPTY, "loads_empty"),
    page!(codes::UNKNOWN_KEY, "unknown_key"),
    page!(codes::INERT_KEY, "inert_key"),
    page!(codes::FOREIGN_KEY, "foreign_key"),
    page!(codes::DUPLICATE_KEY, "duplicate_key"),
    page!(codes::SOURCE_OUTRANKED, "source_outranked"),
    check!(stalling_pattern),
    check!(promise_in_prose),
    page!(codes::LITERAL_SECRET, "literal_secret"),
    page!(model::UNRESOLVED_NAME, "unresolved_name"),
    page!(model::CONFLICTING_DEFINITION, "conflicting_definition"),
    page!(model::INVALID_PATTERN, "invalid_pattern"),
    page!(USE_CYCLE, "use_cycle"),
    page!(model::TOO_MANY, "too_many_rules"),
    page!(codes::OPAQUE_VALUE, "opaque_value"),
];

/// Whether a code is meant by a code, a name, or the beginning of a code (`PC01`).
pub fn selects(selector: &str, code: Code) -> bool {
    selector == code.name || code.id.to_ascii_uppercase().starts_with(&selector.to_ascii_uppercase())
}

/// Whether a text is a code, a name, or the beginning of a code that names at least a group.
pub fn is_selector(text: &str) -> bool {
    text.len() >= 4 && CHECKS.iter().any(|check| selects(text, check.code))
}

/// Runs every check that has something to run; those of severity info only if asked.
pub fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let pedantic = cx.pedantic;
    for check in CHECKS.iter().filter(|check| pedantic || check.code.severity > Severity::Info) {
        if let Some(run) = check.run {
            run(cx, sink);
        }
    }
}
