//! Statements that stand on lines of their own.

use crate::diagnostic::Edit;
use crate::source::Span;
use std::ops::Range;

/// Deletes the line of a statement, if nothing else stands on it.
pub(super) fn delete(statement: Span, text: &str) -> Option<Edit> {
    let (line, rest) = line(statement, text)?;
    rest.trim().is_empty().then(|| Edit { span: Span::new(statement.file, line), text: String::new() })
}

/// Moves lines, with the comments right above them, behind the line of another statement.
pub(super) fn move_behind(statements: &[Span], target: Span, text: &str) -> Option<Vec<Edit>> {
    let (target_line, _) = line(target, text)?;
    let mut moved = String::new();
    let mut edits = Vec::new();
    for statement in statements {
        let (line, _) = line(*statement, text)?;
        let range = with_comments(line, text);
        moved.push_str(text.get(range.clone())?);
        edits.push(Edit { span: Span::new(statement.file, range), text: String::new() });
    }
    edits.push(Edit { span: Span::new(target.file, target_line.end..target_line.end), text: moved });
    Some(edits)
}

/// The whole line of a statement with its newline, and what stands behind the statement: a comment at most.
fn line(statement: Span, text: &str) -> Option<(Range<usize>, &str)> {
    let range = statement.range();
    let (before, after) = (text.get(..range.start)?, text.get(range.end..)?);
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = after.get(..after.find('\n')?)?;
    let alone = text.get(start..range.start)?.trim().is_empty();
    let fits = rest.trim().is_empty() || rest.trim_start().starts_with('#');
    (alone && fits).then_some((start..range.end + rest.len() + 1, rest))
}

/// Takes in the comment lines right above.
fn with_comments(line: Range<usize>, text: &str) -> Range<usize> {
    let mut start = line.start;
    while let Some(above) = text.get(..start.saturating_sub(1)).filter(|_| start > 0) {
        let from = above.rfind('\n').map_or(0, |at| at + 1);
        if !above.get(from..).is_some_and(|line| line.trim_start().starts_with('#')) {
            break;
        }
        start = from;
    }
    start..line.end
}
