//! `settings.json`: the tools and servers that it lets pass, asks about or takes away, as rules.

use super::names;
use super::rule::{Args, Mode, Rule};
use crate::diagnostic::{Finding, Sink};
use crate::rule::Action;
use crate::runtimes::codes::{FOREIGN_KEY, OPAQUE_VALUE, REFUSED};
use crate::runtimes::opencode::json::{self, Entry, Kind, Node};
use crate::source::{FileId, Spanned};
use crate::syntax::ast::Name;

/// What settings say.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) rules: Vec<Rule>,
    /// The mode that sessions start in.
    pub(super) mode: Option<Spanned<Mode>>,
}

/// Keys of other programs' settings.
const FOREIGN: [(&str, &str); 4] = [
    ("permissions", "Claude Code"),
    ("permission", "OpenCode"),
    ("approval_policy", "Codex"),
    ("sandbox_mode", "Codex"),
];

/// All modes but the one that changes nothing.
const ACTING: [Mode; 3] = [Mode::Default, Mode::AutoEdit, Mode::Yolo];

/// Reads a settings file; what does not concern rules is not looked at.
pub(super) fn read(file: FileId, text: &str, sink: &mut Sink) -> Settings {
    let mut found = Sink::default();
    let node = json::parse(file, text, &mut found);
    for mut finding in found.into_findings() {
        finding.help = Some("Gemini CLI does not start with it: mend the file".to_owned());
        sink.push(finding);
    }
    let Some(node) = node else { return Settings::default() };
    let Some(entries) = node.entries() else {
        let text = format!("the settings are {}, not an object", node.what());
        sink.push(Finding::new(REFUSED, node.span, text).help("write `{}`"));
        return Settings::default();
    };
    for entry in entries {
        if let Some((key, whose)) = FOREIGN.iter().find(|(key, _)| *key == entry.key) {
            let text = format!("`{key}` is {whose}'s: Gemini CLI does not read it");
            sink.push(Finding::new(FOREIGN_KEY, entry.span, text).help("write rules in `~/.gemini/policies/`"));
        }
        if matches!(entry.key.as_str(), "policyPaths" | "adminPolicyPaths") {
            let text = format!("`{}` names policy files that policyc does not follow", entry.key);
            let note = "with `policyPaths` the files of `~/.gemini/policies/` are not read";
            sink.push(Finding::new(OPAQUE_VALUE, entry.span, text).note(note).help("check those files by name"));
        }
    }
    let mut reader = Reader { sink, out: Settings::default() };
    reader.mcp(&node);
    reader.tools(&node);
    reader.servers(&node);
    reader.mode(&node);
    reader.out
}

struct Reader<'a> {
    sink: &'a mut Sink,
    out: Settings,
}

impl Reader<'_> {
    fn texts(&mut self, node: &Node, section: &str, key: &str) -> Vec<Name> {
        let Some(value) = node.get(section).and_then(|section| section.get(key)) else { return Vec::new() };
        let each = |node: &Node| Some(Spanned::new(node.text()?.to_owned(), node.span));
        let found = match &value.kind {
            Kind::Array(items) => items.iter().map(each).collect::<Option<Vec<Name>>>(),
            _ => None,
        };
        found.unwrap_or_else(|| {
            let text = format!("`{section}.{key}` is a list of texts, not {}", value.what());
            self.sink.push(Finding::new(REFUSED, value.span, text).help("write `[\"run_shell_command\"]` or the like"));
            Vec::new()
        })
    }

    fn add(&mut self, tool: Name, args: Args, action: Action, priority: i64, modes: &[Mode]) {
        let span = tool.span;
        let Some(tool) = names::effective(tool, None, self.sink) else { return };
        self.out.rules.push(Rule {
            tools: vec![tool],
            args: vec![Spanned::new(args, span)],
            action: Spanned::new(action, span),
            priority,
            modes: modes.to_vec(),
            subagent: None,
            redirection: false,
            message: None,
            annotated: false,
            span,
            comments: Vec::new(),
        });
    }

    /// The tools of a server, `*` of all.
    fn server(&mut self, server: Name, action: Action, priority: i64, modes: &[Mode]) {
        let text = if server.node == "*" { "mcp_*".to_owned() } else { format!("mcp_{}_*", server.node) };
        self.add(Spanned::new(text, server.span), Args::Any, action, priority, modes);
    }

    fn mcp(&mut self, node: &Node) {
        for name in self.texts(node, "mcp", "excluded") {
            self.server(name, Action::Deny, 4_900, &Mode::ALL);
        }
    }

    fn tools(&mut self, node: &Node) {
        for name in self.texts(node, "tools", "exclude") {
            self.add(name, Args::Any, Action::Deny, 4_400, &Mode::ALL);
        }
        let allowed = self.texts(node, "tools", "allowed");
        let narrowed = self.allowed(allowed, 4_300, &Mode::ALL);
        if let Some(span) = narrowed {
            // The other commands are denied as soon as one is named.
            let name = Spanned::new("run_shell_command".to_owned(), span);
            self.add(name, Args::Any, Action::Deny, 4_290, &Mode::ALL);
        }
        for name in self.texts(node, "tools", "confirmationRequired") {
            self.add(shell(name), Args::Any, Action::Ask, 4_350, &Mode::ALL);
        }
        let core = self.texts(node, "tools", "core");
        let first = core.first().map(|name| name.span);
        self.allowed(core, 4_250, &ACTING);
        let list = node.get("tools").and_then(|tools| tools.get("core")).map(|core| core.span);
        if let Some(span) = first.or(list) {
            self.add(Spanned::new("*".to_owned(), span), Args::Any, Action::Deny, 4_240, &ACTING);
        }
    }

    /// Tools that pass; `run_shell_command(git)`: the commands that start so. Gives the place of one of those.
    fn allowed(&mut self, names: Vec<Name>, priority: i64, modes: &[Mode]) -> Option<crate::source::Span> {
        let mut narrowed = None;
        for name in names {
            let inner = name.node.strip_suffix(')').and_then(|text| text.split_once('('));
            let inner = inner.map(|(tool, args)| (tool.to_owned(), args.to_owned()));
            let (tool, args) = match inner {
                Some((tool, args)) => {
                    let tool = shell(Spanned::new(tool, name.span));
                    let is_shell = tool.node == "run_shell_command";
                    if is_shell {
                        narrowed = Some(name.span);
                    }
                    (tool, if is_shell && !args.is_empty() { Args::Prefix(args) } else { Args::Any })
                }
                None => (shell(name), Args::Any),
            };
            self.add(tool, args, Action::Allow, priority, modes);
        }
        narrowed
    }

    fn servers(&mut self, node: &Node) {
        for Entry { key, span, value, .. } in node.get("mcpServers").and_then(Node::entries).unwrap_or_default() {
            if matches!(value.get("trust").map(|trust| &trust.kind), Some(Kind::Bool(true))) {
                self.server(Spanned::new(key.clone(), *span), Action::Allow, 4_200, &ACTING);
            }
        }
        for name in self.texts(node, "mcp", "allowed") {
            self.server(name, Action::Allow, 4_100, &ACTING);
        }
    }

    fn mode(&mut self, node: &Node) {
        let Some(value) = node.get("general").and_then(|general| general.get("defaultApprovalMode")) else { return };
        let mode = value.text().and_then(|word| match word {
            "auto_edit" => Some(Mode::AutoEdit),
            word => Mode::from_word(word).filter(|mode| *mode != Mode::Yolo),
        });
        match mode {
            Some(mode) => self.out.mode = Some(Spanned::new(mode, value.span)),
            None => {
                let text = "`general.defaultApprovalMode` is `default`, `auto_edit` or `plan`";
                self.sink.push(Finding::new(REFUSED, value.span, text).help("take it away, or write one of these"));
            }
        }
    }
}

/// The older name of the command tool.
fn shell(name: Name) -> Name {
    name.map(|name| if name == "ShellTool" { "run_shell_command".to_owned() } else { name })
}
