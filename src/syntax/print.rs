//! The canonical form of a policy: what `policyc fmt` writes, and how an imported config is shown as a policy.
//!
//! Two blanks a level, one blank between words, `;` only in a block on one line. A block or list that was written on one
//! line stays so if it has no comments and fits; a reason that does not fit goes to the next line.

use super::ast::*;
use super::parse::is_bare;
use super::string;
use crate::language::Dialect;

/// The columns a line may have, a comment at its end not counted.
const WIDTH: usize = 100;

/// The text of a policy. Parsing it gives an equal tree, as long as what the grammar takes as a bare word only (names of
/// lists, attributes, words of the language) is one, a layer without a body is `from` something, and blank lines and
/// values are as parsing makes them.
pub fn print(policy: &Policy) -> String {
    let mut out = String::new();
    statements(&mut out, policy, 0, "", item);
    out
}

/// What a statement is made of; blanks come between.
enum Part<'a> {
    Text(String),
    Patterns(&'a Patterns),
    Reason(&'a Name),
    Example(&'a Name),
}

fn line(out: &mut String, indent: usize, text: &str) {
    if !text.is_empty() {
        out.extend(std::iter::repeat_n("  ", indent));
        out.push_str(text);
    }
    out.push('\n');
}

fn fits(text: &str, indent: usize) -> bool {
    let last_line = text.rsplit('\n').next().unwrap_or(text);
    let indent = if last_line.len() == text.len() { indent * 2 } else { 0 };
    indent + last_line.chars().count() <= WIDTH
}

fn comment(text: &str) -> String {
    match text.trim_end() {
        "" => "#".to_string(),
        text if text.starts_with(['#', '!']) => format!("#{text}"),
        text => format!("# {text}"),
    }
}

/// A comment at the end of a line, which has no other line to go to.
fn trailing(text: &str) -> String {
    format!(" {}", comment(&text.replace(['\n', '\r'], " ")))
}

/// Statements one a line, each with what surrounds it; `after` stands after each.
fn statements<T>(out: &mut String, block: &Block<T>, indent: usize, after: &str, print: impl Fn(&T, usize) -> String) {
    let mut first = true;
    for stmt in &block.stmts {
        trivia(out, &stmt.lead, indent, first);
        for ignore in &stmt.ignores {
            line(out, indent, &annotation(&ignore.node));
        }
        let mut text = print(&stmt.node, indent);
        text.push_str(after);
        text.extend(stmt.trail.as_deref().map(trailing));
        line(out, indent, &text);
        first = false;
    }
    let tail = block.tail.iter().rposition(|trivia| *trivia != Trivia::Blank).map_or(0, |last| last + 1);
    trivia(out, block.tail.get(..tail).unwrap_or_default(), indent, first);
}

fn trivia(out: &mut String, trivia: &[Trivia], indent: usize, mut first: bool) {
    for trivia in trivia {
        match trivia {
            Trivia::Blank if first || out.ends_with("\n\n") => {}
            Trivia::Blank => line(out, indent, ""),
            Trivia::Comment(text) => {
                text.split(['\n', '\r']).for_each(|text| line(out, indent, &comment(text)));
                first = false;
            }
        }
    }
}

/// A brace or bracket, what stands in it one a line, and what closes it.
fn broken<T>(
    open: &str,
    block: &Block<T>,
    close: &str,
    indent: usize,
    after: &str,
    print: impl Fn(&T, usize) -> String,
) -> String {
    let mut text = open.to_string();
    text.extend(block.head.as_deref().map(trailing));
    text.push('\n');
    statements(&mut text, block, indent + 1, after, print);
    text.extend(std::iter::repeat_n("  ", indent));
    text.push_str(close);
    text
}

/// Whether nothing but statements stands in it.
fn is_plain<T>(block: &Block<T>) -> bool {
    let plain = |stmt: &Stmt<T>| stmt.lead.is_empty() && stmt.ignores.is_empty() && stmt.trail.is_none();
    block.head.is_none() && block.tail.is_empty() && block.stmts.iter().all(plain)
}

fn item(item: &Item, indent: usize) -> String {
    match item {
        Item::Runtime { name: runtime, version } => {
            let version = version.iter().map(|version| format!(" {}", string::write(&version.node)));
            format!("runtime {}{}", name(runtime), version.collect::<String>())
        }
        Item::Use { path } => format!("use {}", string::write(&path.node)),
        Item::Let { name, patterns } => {
            lay_out(&[Part::Text(format!("let {} =", name.node)), Part::Patterns(patterns)], indent)
        }
        Item::Permission { name, body } => {
            block(&format!("permission {}", permission(name)), body, indent, permission_clause)
        }
        Item::Commands { capabilities, family, lines } => {
            let family = family.iter().map(|family| format!(" by {}", family.node)).collect::<String>();
            let head = format!("commands {}{family}", names(capabilities));
            match lines {
                CommandLines::Patterns(patterns) => lay_out(&[Part::Text(head), Part::Patterns(patterns)], indent),
                CommandLines::Block(body) => block(&head, body, indent, command_clause),
            }
        }
        Item::Layer { name: layer, from, body } => {
            let head = format!("layer {}{}", name(layer), sources(from));
            match body {
                Some(body) => block(&head, body, indent, layer_clause),
                None => head,
            }
        }
        Item::Merge(slots) => format!("merge {}", names(slots)),
        Item::Agent { name: agent, body } => block(&format!("agent {}", name(agent)), body, indent, agent_clause),
        Item::Extend { name: agent, body } => block(&format!("extend {}", name(agent)), body, indent, agent_clause),
        Item::DefaultAgent(agent) => format!("default agent {}", name(agent)),
        Item::Switch { name: tool, body } => block(&format!("switch {}", name(tool)), body, indent, switch_clause),
        Item::Visibility(kind) => format!("visibility {}", kind.node),
        Item::Assert(Assert::NoLayerLoosens(layer)) => format!("assert no layer loosens {}", name(layer)),
        Item::Assert(Assert::Promise { who: of, promise: what }) => {
            let mut parts = vec![Part::Text(format!("assert {}", who(of)))];
            parts.extend(promise(what));
            lay_out(&parts, indent)
        }
        Item::Test { agent, name: title, body } => {
            let title = title.iter().map(|title| format!(" {}", string::write(&title.node))).collect::<String>();
            block(&format!("test {}{title}", name(agent)), body, indent, test_clause)
        }
    }
}

fn sources(from: &[Name]) -> String {
    let strings: Vec<String> = from.iter().map(|path| string::write(&path.node)).collect();
    match strings.as_slice() {
        [] => String::new(),
        [one] => format!(" from {one}"),
        several => format!(" from [{}]", several.join(", ")),
    }
}

fn block<T>(head: &str, body: &Block<T>, indent: usize, parts: fn(&T) -> Vec<Part<'_>>) -> String {
    if is_plain(body) && body.stmts.is_empty() {
        return format!("{head} {{}}");
    }
    if body.one_line && is_plain(body) {
        let stmts: Option<Vec<String>> = body.stmts.iter().map(|stmt| flat(&parts(&stmt.node))).collect();
        let text = stmts.map(|stmts| format!("{head} {{ {} }}", stmts.join("; ")));
        if let Some(text) = text.filter(|text| fits(text, indent)) {
            return text;
        }
    }
    broken(&format!("{head} {{"), body, "}", indent, "", |node, indent| lay_out(&parts(node), indent))
}

/// A statement on one line, if its lists allow that.
fn flat(parts: &[Part<'_>]) -> Option<String> {
    let parts: Option<Vec<String>> = parts.iter().map(flat_part).collect();
    Some(parts?.join(" "))
}

fn flat_part(part: &Part<'_>) -> Option<String> {
    match part {
        Part::Text(text) => Some(text.clone()),
        Part::Patterns(Patterns::One(one)) => Some(term(one, 0)),
        Part::Patterns(Patterns::List(list)) => flat_list(list),
        Part::Reason(reason) => Some(format!("because {}", string::write(&reason.node))),
        Part::Example(example) => Some(format!("example {}", string::write(&example.node))),
    }
}

fn flat_list(list: &Block<Term>) -> Option<String> {
    let terms = || list.stmts.iter().map(|stmt| term(&stmt.node, 0)).collect::<Vec<_>>().join(", ");
    (is_plain(list) && (list.one_line || list.stmts.is_empty())).then(|| format!("[{}]", terms()))
}

/// A statement on as few lines as its lists, its reason and the width allow.
fn lay_out(parts: &[Part<'_>], indent: usize) -> String {
    let flat = flat(parts);
    if let Some(flat) = flat.as_ref().filter(|flat| fits(flat, indent)) {
        return flat.clone();
    }
    // Only a reason may begin a line, and what follows it stays beside it.
    let reason = parts.iter().position(|part| matches!(part, Part::Reason(_)));
    let (rest, reason) = parts.split_at(reason.unwrap_or(parts.len()));
    let reason = self::flat(reason).filter(|text| !text.is_empty());
    let unbroken = self::flat(rest).filter(|text| fits(text, indent));
    let text = unbroken.unwrap_or_else(|| {
        let pieces = rest.iter().map(|part| match part {
            // One that could stay on its line is only broken where all could and it is still too long.
            Part::Patterns(Patterns::List(list)) => {
                flat_list(list).filter(|_| flat.is_none()).unwrap_or_else(|| broken("[", list, "]", indent, ",", term))
            }
            part => flat_part(part).unwrap_or_default(),
        });
        pieces.collect::<Vec<_>>().join(" ")
    });
    let Some(reason) = reason else { return text };
    let beside = format!("{text} {reason}");
    if text.contains('\n') && fits(&beside, indent) {
        return beside;
    }
    format!("{text}\n{}{reason}", "  ".repeat(indent + 1))
}

fn permission_clause(clause: &PermissionClause) -> Vec<Part<'_>> {
    vec![Part::Text(match clause {
        PermissionClause::Tools(tools) => format!("tools {}", names(tools)),
        PermissionClause::AskedBy(tools) => format!("asked-by {}", names(tools)),
        PermissionClause::Resource(kind) => format!("resource {}", kind.node),
        PermissionClause::Capability(kind) => format!("capability {}", kind.node),
        PermissionClause::Delegate(kind) => format!("delegate {}", kind.node),
        PermissionClause::Depth(depth) => format!("depth {}", depth.node),
    })]
}

fn layer_clause(clause: &LayerClause) -> Vec<Part<'_>> {
    match clause {
        LayerClause::Rule(stmt) => rule(stmt),
        LayerClause::Combine(kind) => vec![Part::Text(format!("combine {}", kind.node))],
    }
}

fn agent_clause(clause: &AgentClause) -> Vec<Part<'_>> {
    match clause {
        AgentClause::Attribute { name, value } => vec![Part::Text(attribute(name, value.as_ref().map(|v| &v.node)))],
        AgentClause::Option { name: option, value } => {
            vec![Part::Text(format!("option {} {}", name(option), json(&value.node)))]
        }
        AgentClause::Rule(stmt) => rule(stmt),
        AgentClause::Promise(what) => promise(what),
        AgentClause::Merge(slots) => vec![Part::Text(format!("merge {}", names(slots)))],
    }
}

/// `mode` has words for values, all others texts.
fn attribute(name: &Name, value: Option<&Json>) -> String {
    let value = match value {
        None => return name.node.clone(),
        Some(Json::String(word)) if name.node == "mode" && is_word_value(word) => word.clone(),
        Some(Json::String(text)) => string::write(text),
        Some(value) => json(value),
    };
    format!("{} {value}", name.node)
}

fn is_word_value(word: &str) -> bool {
    is_bare(word) && !["true", "false", "null"].contains(&word)
}

fn rule(rule: &RuleStmt) -> Vec<Part<'_>> {
    let permissions: Vec<String> = rule.permissions.iter().map(permission).collect();
    let mut parts = vec![Part::Text(format!("{} {}", rule.action.node, permissions.join(", ")))];
    parts.extend(rule.patterns.as_ref().map(Part::Patterns));
    parts.extend(rule.because.as_ref().map(Part::Reason));
    parts
}

fn promise(promise: &Promise) -> Vec<Part<'_>> {
    let (head, patterns, except) = match promise {
        Promise::Cannot { capability, patterns, except } => (format!("cannot {}", capability.node), patterns, except),
        Promise::CannotCall { permission: of, patterns, except } => {
            (format!("cannot call {}", permission(of)), patterns, except)
        }
        Promise::MustAsk { permission: of, patterns } => (format!("must ask {}", permission(of)), patterns, &None),
        Promise::MustAllow { permission: of, patterns } => (format!("must allow {}", permission(of)), patterns, &None),
    };
    let mut parts = vec![Part::Text(head)];
    parts.extend(patterns.as_ref().map(Part::Patterns));
    if let Some(except) = except {
        parts.extend([Part::Text("except".to_string()), Part::Patterns(except)]);
    }
    parts
}

fn who(who: &Who) -> String {
    match who {
        // Bare, these two would start another kind of assert.
        Who::Agents(agents) => {
            let quoted = |agent: &Name| match agent.node.as_str() {
                "every" | "no" => string::write(&agent.node),
                _ => name(agent),
            };
            agents.iter().map(quoted).collect::<Vec<_>>().join(", ")
        }
        Who::Every(_) => "every agent".to_string(),
        Who::EveryPrimary(_) => "every primary".to_string(),
        Who::EverySubagent(_) => "every subagent".to_string(),
    }
}

fn command_clause(clause: &CommandClause) -> Vec<Part<'_>> {
    let mut parts = vec![Part::Text(written(&clause.text))];
    parts.extend(clause.because.as_ref().map(Part::Reason));
    parts.extend(clause.example.as_ref().map(Part::Example));
    parts
}

fn switch_clause(clause: &SwitchClause) -> Vec<Part<'_>> {
    vec![Part::Text(match clause {
        SwitchClause::From(agent) => format!("from {}", name(agent)),
        SwitchClause::To(agent) => format!("to {}", name(agent)),
        SwitchClause::Confirm(text) => format!("confirm {}", string::write(&text.node)),
        SwitchClause::Answers(answers) => format!("answers {}", names(answers)),
        SwitchClause::RequiresPath(patterns) => {
            return vec![Part::Text("requires path".to_string()), Part::Patterns(patterns)];
        }
        SwitchClause::Text { kind, text } => format!("{} {}", kind.node, string::write(&text.node)),
        SwitchClause::Unattended(kind) => format!("unattended {}", kind.node),
    })]
}

fn test_clause(clause: &TestClause) -> Vec<Part<'_>> {
    // At the start of a clause these words have a meaning of their own.
    let first = |tool: &Name| match tool.node.as_str() {
        "visible" | "hidden" | "because" | "allow" | "ask" | "deny" => string::write(&tool.node),
        _ => name(tool),
    };
    vec![Part::Text(match clause {
        TestClause::Request { permission, resource, action } => {
            format!("{} {} => {}", first(permission), string::write(&resource.node), action.node)
        }
        TestClause::Visible(tool) => format!("visible {}", name(tool)),
        TestClause::Hidden(tool) => format!("hidden {}", name(tool)),
        TestClause::Call { tool, input, action } => {
            format!("{} {} => {}", first(tool), json(&input.node), action.node)
        }
    })]
}

fn term(term: &Term, _: usize) -> String {
    match term {
        Term::Ref(list) => list.node.clone(),
        Term::Text(text) => written(text),
    }
}

fn written(text: &Text) -> String {
    let dialect = match text.dialect {
        None | Some(Dialect::Wildcard) => "",
        Some(Dialect::Glob) => "glob ",
        Some(Dialect::Prefix) => "prefix ",
        Some(Dialect::Exact) => "exact ",
        Some(Dialect::Regex) => "regex ",
    };
    format!("{dialect}{}", string::write(&text.text.node))
}

fn annotation(ignore: &Ignore) -> String {
    let reason = ignore.reason.iter().map(|reason| format!(", {}", string::write(&reason.node)));
    let until = ignore.until.iter().map(|until| format!(", until {}", string::write(&until.node)));
    format!("@ignore({}{})", name(&ignore.code), reason.chain(until).collect::<String>())
}

fn name(name: &Name) -> String {
    if is_bare(&name.node) { name.node.clone() } else { string::write(&name.node) }
}

fn names(all: &[Name]) -> String {
    all.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn permission(permission: &Name) -> String {
    match permission.node.as_str() {
        "*" => "*".to_string(),
        word if Action::from_word(word).is_some() => string::write(word),
        _ => name(permission),
    }
}

/// A value as JSON has it, on one line. Recursion goes as deep as the value nests.
fn json(value: &Json) -> String {
    match value {
        Json::Object(object) if object.is_empty() => "{}".to_string(),
        Json::Object(object) => {
            let members = object.iter().map(|(key, value)| format!("{}: {}", string::write_json(key), json(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Json::Array(array) => format!("[{}]", array.iter().map(json).collect::<Vec<_>>().join(", ")),
        Json::String(text) => string::write_json(text),
        value => value.to_string(),
    }
}
