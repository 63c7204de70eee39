//! From a syntax tree to the parts of a line: one walk with a cursor, so that depth costs no stack.

use super::{Command, Line, Piece, PieceKind, Redirection, RedirectionKind, Word, WordKind, literal, tree::Parsed};
use std::ops::Range;
use tree_sitter::Node;

/// A node on the way down to the current one.
struct Above<'a> {
    kind: &'a str,
    span: Range<usize>,
    /// The command it is, or the one whose redirections it holds.
    command: Option<usize>,
}

/// The parts of a text; scripts within it left out.
pub(super) fn line(source: &Parsed<'_>) -> Line {
    let mut line = Line { text: source.text.to_owned(), ..Line::default() };
    let mut above: Vec<Above<'_>> = Vec::new();
    let mut cursor = source.tree.walk();
    loop {
        let node = cursor.node();
        let command = enter(&mut line, source, node, &mut above);
        if cursor.goto_first_child() {
            above.push(Above { kind: node.kind(), span: source.span(node), command });
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return line;
            }
            above.pop();
        }
    }
}

/// Notes a node; gives the command that redirections below it belong to.
fn enter(line: &mut Line, source: &Parsed<'_>, node: Node<'_>, above: &mut [Above<'_>]) -> Option<usize> {
    let span = source.span(node);
    if (node.is_error() || node.is_missing()) && line.error.is_none() {
        line.error = Some(span.clone());
    }
    let owner = above.last().and_then(|parent| parent.command);
    match node.kind() {
        "command" if node.is_named() => {
            let command = line.commands.len();
            let wrapped = above.last_mut().filter(|parent| parent.kind == "redirected_statement").map(|parent| {
                parent.command = Some(command);
                parent.span.clone()
            });
            let words = words(node, source);
            line.commands.push(Command { span, wrapped, words });
            return Some(command);
        }
        "file_redirect" | "heredoc_redirect" | "herestring_redirect" if node.is_named() => {
            let (kind, target) = redirection(node, source);
            line.redirections.push(Redirection { span, kind, target, command: owner });
            return owner;
        }
        kind => {
            let in_command = above.last().is_some_and(|parent| parent.kind == "command");
            if let Some(kind) =
                piece(kind).filter(|_| node.is_named() && !(in_command && kind == "variable_assignment"))
            {
                line.pieces.push(Piece { span, kind });
            }
        }
    }
    None
}

fn piece(kind: &str) -> Option<PieceKind> {
    Some(match kind {
        "variable_assignment" => PieceKind::Assignment,
        "declaration_command" | "unset_command" => PieceKind::Declaration,
        "test_command" => PieceKind::Test,
        "command_substitution" => PieceKind::Substitution,
        "process_substitution" => PieceKind::ProcessSubstitution,
        "subshell" => PieceKind::Subshell,
        "pipeline" => PieceKind::Pipeline,
        "function_definition" => PieceKind::Function,
        _ => return None,
    })
}

fn words(command: Node<'_>, source: &Parsed<'_>) -> Vec<Word> {
    let mut children = command.walk();
    let word = |node: Node<'_>| {
        let kind = match node.kind() {
            "command_name" => WordKind::Name,
            "word" => WordKind::Bare,
            "string" => WordKind::Double,
            "raw_string" => WordKind::Single,
            "concatenation" => WordKind::Joined,
            "variable_assignment" | "file_redirect" | "herestring_redirect" | "heredoc_redirect" | "ERROR" => {
                return None;
            }
            _ => WordKind::Other,
        };
        Some(Word { span: source.span(node), kind, literal: literal::of(node, source) })
    };
    command.named_children(&mut children).filter_map(word).collect()
}

fn redirection(node: Node<'_>, source: &Parsed<'_>) -> (RedirectionKind, Option<String>) {
    let mut children = node.walk();
    let mut target = None;
    let mut operator = "";
    let mut quoted = false;
    for child in node.children(&mut children) {
        match child.kind() {
            "file_descriptor" => {}
            "heredoc_start" => quoted = source.slice(child).contains(['\'', '"', '\\']),
            kind if !child.is_named() && operator.is_empty() => operator = kind,
            _ if child.is_named() && target.is_none() => target = Some(child),
            _ => {}
        }
    }
    let written = target.and_then(|target| literal::of(target, source));
    let number = written.as_deref().is_some_and(|text| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()));
    match operator {
        "<<" | "<<-" => (RedirectionKind::Heredoc { quoted }, None),
        "<<<" => (RedirectionKind::HereString, written),
        "<" => (RedirectionKind::Read, written),
        ">>" | "&>>" => (RedirectionKind::Append, written),
        ">&" if target.is_some() && !number && written.as_deref() != Some("-") => (RedirectionKind::Write, written),
        "<&" | ">&" | "<&-" | ">&-" => (RedirectionKind::Duplicate, None),
        _ => (RedirectionKind::Write, written),
    }
}
