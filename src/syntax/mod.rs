//! Text to tree and back. The grammar is `grammar/policy.pest`.

pub mod ast;
mod explain;
mod parse;
mod print;
mod read;
mod scan;
mod string;
pub mod words;

pub use print::print;
pub use read::parse;

use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::source::{FileId, Span};

/// A text that is no policy.
pub const SYNTAX_ERROR: Code = Code::new("PC1001", "syntax-error", Severity::Error);

/// The canonical form of a text. It is parsed again and compared, so it says the same, comments included.
///
/// # Errors
/// The syntax errors of the text; or one finding if the canonical form would not say the same, which is a bug.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Finding>> {
    let mut sink = Sink::default();
    let policy = parse(file, text, &mut sink);
    if !sink.findings().is_empty() {
        return Err(sink.into_findings());
    }
    let printed = print(&policy);
    if parse(file, &printed, &mut sink) == policy && sink.findings().is_empty() {
        return Ok(printed);
    }
    let message = "formatting would change what this file says, so it is left as it is";
    Err(vec![Finding::new(SYNTAX_ERROR, Span::new(file, 0..0), message).help("please report this file as a bug")])
}
