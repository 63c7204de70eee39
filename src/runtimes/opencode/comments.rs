//! Comments of a config beside the statements they become, and `policyc: ignore` among them.

use crate::source::Spanned;
use crate::syntax::ast::{Ignore, Name, Stmt, Trivia};

/// The comments of an entry.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// Those before it, a line each.
    pub lead: Vec<Spanned<String>>,
    /// The one at the end of its line.
    pub trail: Option<Spanned<String>>,
}

impl Comments {
    /// Puts them on a statement. `policyc: ignore CODE "reason" until DATE` becomes an annotation.
    pub(super) fn put<T>(&self, stmt: &mut Stmt<T>) {
        for line in &self.lead {
            match annotation(line) {
                Some(annotation) => stmt.ignores.push(annotation),
                None => stmt.lead.push(Trivia::Comment(line.node.clone())),
            }
        }
        match self.trail.as_ref().map(|line| (annotation(line), line)) {
            Some((Some(annotation), _)) => stmt.ignores.push(annotation),
            Some((None, line)) => stmt.trail = Some(line.node.clone()),
            None => {}
        }
    }
}

/// The annotation a comment holds.
pub(super) fn annotation(line: &Spanned<String>) -> Option<Spanned<Ignore>> {
    let rest = line.node.trim().strip_prefix("policyc:")?.trim_start().strip_prefix("ignore")?;
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let name = |text: &str| -> Name { Spanned::new(text.to_owned(), line.span) };
    let (code, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let quoted = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
    let (reason, rest) = quoted.map_or((None, rest), |(reason, rest)| (Some(reason), rest));
    let until = rest.trim_start_matches([' ', ',']).strip_prefix("until").map(|rest| rest.trim().trim_matches('"'));
    Some(Spanned::new(Ignore { code: name(code), reason: reason.map(name), until: until.map(name) }, line.span))
}
