//! A policy file: its TOML, checked as Gemini checks it. One bad value drops the file, a bad expression the rule.

use super::rule::{Args, Mode, Rule, Tier, word};
use super::{fields, names, regex, value};
use crate::diagnostic::{Finding, Sink, near_name};
use crate::rule::Action;
use crate::runtimes::codes::{INERT_KEY, LOADS_EMPTY, OPAQUE_VALUE, REFUSED, UNKNOWN_KEY};
use crate::secret::redact;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::SYNTAX_ERROR;
use crate::syntax::ast::Name;
use fields::Fields;
use toml_edit::Document;

/// The keys of a rule.
const KEYS: [&str; 17] = [
    "toolName",
    "subagent",
    "mcpName",
    "argsPattern",
    "commandPrefix",
    "commandRegex",
    "decision",
    "priority",
    "modes",
    "interactive",
    "toolAnnotations",
    "allowRedirection",
    "allow_redirection",
    "denyMessage",
    "deny_message",
    "name",
    "description",
];

/// The rules of a file; none if Gemini drops it.
pub(super) fn read(file: FileId, text: &str, tier: Tier, sink: &mut Sink) -> Vec<Rule> {
    let dropped = "Gemini CLI drops the whole file, and every rule in it";
    let document = match Document::parse(text) {
        _ if text.starts_with('\u{feff}') => {
            let finding = Finding::new(SYNTAX_ERROR, Span::new(file, 0..3), "a byte order mark stands in front");
            sink.push(finding.note(dropped).help("save the file without it"));
            return Vec::new();
        }
        Ok(document) => document,
        Err(error) => {
            let span = Span::new(file, error.span().unwrap_or(0..0));
            let message = error.message().lines().next().unwrap_or("this is no TOML").trim_end_matches('.').to_owned();
            sink.push(Finding::new(SYNTAX_ERROR, span, message).note(dropped).help("mend it: nothing else is read"));
            return Vec::new();
        }
    };
    let mut reader = Reader { text, tier, refused: 0, sink };
    let top = Fields::of_table(file, document.as_table());
    let mut rules = Vec::new();
    for (key, value) in top.entries() {
        match key.node.as_str() {
            "rule" => match value.tables() {
                Some(tables) => rules.extend(tables.into_iter().filter_map(|table| reader.rule(&table))),
                None => reader.refuse(value.span, "`rule` is a list of tables".to_owned(), "write `[[rule]]`"),
            },
            // Checkers only make an answer stricter, and run where they are built in.
            "safety_checker" => {}
            "rules" => {
                let text = "Gemini CLI reads `[[rule]]`: what stands in `[[rules]]` does nothing";
                reader.sink.push(Finding::new(INERT_KEY, key.span, text).help("write `[[rule]]`"));
            }
            name => {
                let text = format!("Gemini CLI knows no `{}` in a policy file", redact(name));
                reader.sink.push(Finding::new(UNKNOWN_KEY, key.span, text).help("rules stand in `[[rule]]` tables"));
            }
        }
    }
    if reader.refused > 0 {
        return Vec::new();
    }
    rules
}

struct Reader<'a> {
    text: &'a str,
    tier: Tier,
    /// How many values made Gemini drop the file.
    refused: usize,
    sink: &'a mut Sink,
}

impl Reader<'_> {
    fn refuse(&mut self, span: Span, text: String, help: impl Into<String>) {
        self.refused += 1;
        let finding = Finding::new(REFUSED, span, text).help(help);
        self.sink.push(finding.note("for one bad value Gemini CLI drops the whole file, and every rule in it"));
    }

    fn drop(&mut self, span: Span, text: String, help: &str) {
        self.sink.push(Finding::new(LOADS_EMPTY, span, text).help(help));
    }

    fn text(&mut self, table: &Fields<'_>, key: &str) -> Option<Name> {
        let (_, value) = table.get(key)?;
        let found = value.text();
        if found.is_none() {
            let text = format!("`{key}` is a text, not {}", value.what());
            self.refuse(value.span, text, "put it in quotes");
        }
        found
    }

    fn texts(&mut self, table: &Fields<'_>, key: &str) -> Option<Vec<Name>> {
        let (_, value) = table.get(key)?;
        let found = value.texts();
        if found.is_none() {
            let text = format!("`{key}` is a text or a list of texts, not {}", value.what());
            self.refuse(value.span, text, "put each in quotes");
        }
        found
    }

    fn flag(&mut self, table: &Fields<'_>, key: &str) -> Option<bool> {
        let (_, value) = table.get(key)?;
        let found = value.flag();
        if found.is_none() {
            let text = format!("`{key}` is `true` or `false`, not {}", value.what());
            self.refuse(value.span, text, "write it without quotes");
        }
        found
    }

    fn rule(&mut self, table: &Fields<'_>) -> Option<Rule> {
        for (key, _) in table.entries().iter().filter(|(key, _)| !KEYS.contains(&key.node.as_str())) {
            let text =
                format!("a rule has no `{}`: Gemini CLI ignores it, and the rule holds without", redact(&key.node));
            let near = near_name(&key.node, KEYS).or((key.node == "agent").then_some("subagent"));
            let help = near.map_or("take it away".to_owned(), |near| format!("did you mean `{near}`?"));
            self.sink.push(Finding::new(UNKNOWN_KEY, key.span, text).help(help));
        }
        let tools = self.texts(table, "toolName");
        if table.get("toolName").is_none() {
            self.refuse(table.span, "the rule has no `toolName`".to_owned(), "`toolName = \"*\"` means all tools");
        }
        let action = self.decision(table);
        let priority = self.priority(table);
        let modes = self.modes(table);
        let subagent = self.text(table, "subagent");
        let server = self.text(table, "mcpName");
        let interactive = self.flag(table, "interactive");
        let camel = self.flag(table, "allowRedirection");
        let redirection = self.flag(table, "allow_redirection").filter(|_| camel.is_none()).or(camel);
        let message = self.text(table, "denyMessage");
        let message = self.text(table, "deny_message").filter(|_| message.is_none()).or(message);
        let annotated = table.get("toolAnnotations").map(|(key, value)| (key.span, value.is_table(), value.span));
        if let Some((_, false, span)) = annotated {
            self.refuse(span, "`toolAnnotations` is a table".to_owned(), "write `{ readOnlyHint = true }`");
        }
        let tools = tools?;
        let args = self.args(table, &tools);
        let (action, priority, args) = (action?, priority?, args?);
        for (what, name) in [("subagent", &subagent), ("mcpName", &server)] {
            if let Some(name) = name.as_ref().filter(|name| name.node.is_empty()) {
                self.refuse(name.span, format!("`{what}` is empty: Gemini CLI does not start with it"), "name one");
            }
        }
        let tools: Vec<Name> =
            tools.into_iter().filter_map(|tool| names::effective(tool, server.as_ref(), self.sink)).collect();
        if interactive == Some(false) {
            // It holds where nobody can be asked; what is read here is a session with a person.
            return None;
        }
        if let Some((span, true, _)) = annotated {
            let text = "which tools say this of themselves is known only where they run";
            let note = "policyc takes the rule for one of all tools where that allows more, else for none";
            self.sink.push(Finding::new(OPAQUE_VALUE, span, text).note(note).help("name the tools"));
        }
        if tools.is_empty() || args.is_empty() {
            return None;
        }
        Some(Rule {
            tools,
            args,
            action,
            priority: self.tier as i64 * 1_000 + priority,
            modes,
            subagent,
            redirection: redirection == Some(true),
            message,
            annotated: annotated.is_some(),
            span: table.span,
            comments: fields::comments(self.text, table.span),
        })
    }

    fn decision(&mut self, table: &Fields<'_>) -> Option<Spanned<Action>> {
        const WORDS: [&str; 3] = ["allow", "ask_user", "deny"];
        let Some((_, value)) = table.get("decision") else {
            self.refuse(table.span, "the rule has no `decision`".to_owned(), "write `allow`, `ask_user` or `deny`");
            return None;
        };
        let (span, text) = (value.span, value.text());
        let said = text.as_ref().map_or(value.what().to_owned(), |text| format!("`{}`", redact(&text.node)));
        let found = Action::ALL.into_iter().find(|action| text.as_ref().is_some_and(|text| text.node == word(*action)));
        if found.is_none() {
            let near = match text.as_ref().map(|text| text.node.as_str()) {
                Some("ask") => Some("ask_user"),
                Some(text) => near_name(text, WORDS),
                None => None,
            };
            let help = near.map_or("a decision is `allow`, `ask_user` or `deny`".to_owned(), |near| {
                format!("did you mean `{near}`?")
            });
            self.refuse(span, format!("{said} is no decision"), help);
        }
        found.map(|action| Spanned::new(action, span))
    }

    fn priority(&mut self, table: &Fields<'_>) -> Option<i64> {
        let help = "a priority is a whole number from 0 to 999";
        let Some((_, value)) = table.get("priority") else {
            self.refuse(table.span, "the rule has no `priority`".to_owned(), help);
            return None;
        };
        let (span, what, number) = (value.span, value.what(), value.whole());
        match number {
            Some(number) if (0..=999).contains(&number) => Some(number),
            Some(number) => {
                self.refuse(span, format!("`{number}` is no priority"), help);
                None
            }
            None => {
                self.refuse(span, format!("`priority` is {what}"), help);
                None
            }
        }
    }

    fn modes(&mut self, table: &Fields<'_>) -> Vec<Mode> {
        let help = "modes are `default`, `autoEdit`, `yolo` and `plan`";
        let Some((_, value)) = table.get("modes") else { return Mode::ALL.to_vec() };
        let Some(words) = value.texts().filter(|_| value.is_list()) else {
            let (span, what) = (value.span, value.what());
            self.refuse(span, format!("`modes` is a list of texts, not {what}"), help);
            return Mode::ALL.to_vec();
        };
        let mut modes = Vec::new();
        for name in words {
            match Mode::from_word(&name.node) {
                Some(mode) => modes.push(mode),
                None => {
                    let near = near_name(&name.node, Mode::ALL.map(Mode::word));
                    let help = near.map_or(help.to_owned(), |near| format!("did you mean `{near}`?"));
                    self.refuse(name.span, format!("`{}` is no mode", redact(&name.node)), help);
                }
            }
        }
        if modes.is_empty() { Mode::ALL.to_vec() } else { modes }
    }

    /// What must hold of the arguments; an empty list: the rule never matches, or is dropped.
    fn args(&mut self, table: &Fields<'_>, tools: &[Name]) -> Option<Vec<Spanned<Args>>> {
        let prefix = self.texts(table, "commandPrefix");
        let command = self.text(table, "commandRegex");
        let pattern = self.text(table, "argsPattern");
        let shell = matches!(table.get("toolName"), Some((_, value)) if !value.is_list())
            && tools.iter().all(|tool| tool.node == "run_shell_command");
        let (has_prefix, has_command) = (prefix.is_some(), command.is_some());
        if (has_prefix || has_command) && !shell {
            let text = "`commandPrefix` and `commandRegex` are for `toolName = \"run_shell_command\"` alone: \
                        this rule never matches";
            self.drop(table.span, text.to_owned(), "name that tool, as a text and not as a list");
            return Some(Vec::new());
        }
        if usize::from(has_prefix) + usize::from(has_command) + usize::from(pattern.is_some()) > 1 {
            let text = "of `commandPrefix`, `commandRegex` and `argsPattern` Gemini CLI takes the first there is";
            self.sink.push(Finding::new(INERT_KEY, table.span, text).help("keep one of them"));
        }
        let prefix = prefix.filter(|all| {
            table.get("commandPrefix").is_some_and(|(_, v)| v.is_list()) || all.iter().all(|one| !one.node.is_empty())
        });
        if let Some(prefixes) = prefix {
            return Some(prefixes.into_iter().map(|one| one.map(Args::Prefix)).collect());
        }
        let (name, found) = match (command, pattern) {
            (Some(command), _) if !command.node.is_empty() => {
                ("commandRegex", command.map(|text| format!("\"command\":\"{text}")))
            }
            (_, Some(pattern)) if !pattern.node.is_empty() => ("argsPattern", pattern),
            _ => return Some(vec![Spanned::new(Args::Any, table.span)]),
        };
        if let Some(why) = value::invalid(&found.node) {
            self.drop(found.span, format!("`{name}` is no expression, so Gemini CLI drops the rule: {why}"), "mend it");
            return Some(Vec::new());
        }
        if let Some(why) = regex::unsafe_because(&found.node) {
            let text = format!("Gemini CLI drops the rule, because `{name}` looks slow: {why}");
            self.drop(found.span, text, "write the alternatives out: `(\"x|\"[^\"]*/x)`");
            return Some(Vec::new());
        }
        if value::never(&found.node) {
            let text = format!("`{name}` never matches: `^` and `$` are the ends of all arguments, not of this one");
            let help = "take them away; a value ends at `\"` and, with nothing but it behind, at `\"\\\\x00`";
            self.drop(found.span, text, help);
            return Some(Vec::new());
        }
        Some(vec![found.map(Args::Matching)])
    }
}
