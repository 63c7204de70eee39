//! The entry of a JSON text that a path names.

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::ops::Range;

/// Where the entry stands that `path` names: keys with dots between them, which may themselves hold dots.
pub(super) fn find(text: &str, path: &str) -> Option<Range<usize>> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).ok()?;
    within(&parsed.value?, path)
}

/// Recursion is bounded by the parser's own limit.
fn within(value: &Value<'_>, path: &str) -> Option<Range<usize>> {
    let Value::Object(object) = value else { return None };
    // Of a repeated key the last one counts.
    object.properties.iter().rev().find_map(|property| {
        let rest = path.strip_prefix(property.name.as_str())?;
        if rest.is_empty() {
            let range = property.range();
            return Some(range.start..range.end);
        }
        within(&property.value, rest.strip_prefix('.')?)
    })
}
