//! The wildcard dialect, naively: what OpenCode's matcher does, as a table over pattern and value.
//!
//! `\` is read as `/` in pattern and value; `*` is any run of units, `/` and newline included; `?` is one unit; a pattern
//! that ends in ` *` also matches without that tail; everything else is literal and the whole value must match.

use crate::language::pattern::Case;
use crate::language::units::fold;

pub(crate) const STAR: u16 = b'*' as u16;
pub(crate) const ANY: u16 = b'?' as u16;

/// Whether the wildcard `pattern` matches all of `value`.
pub(crate) fn matches(pattern: &str, value: &str, case: Case) -> bool {
    // Every pattern matches its own text.
    if pattern == "*" || pattern == value {
        return true;
    }
    let surely_not =
        || begins_otherwise(pattern, value) || ends_otherwise(pattern, value) || lacks_a_part(pattern, value);
    if case == Case::Sensitive && surely_not() {
        return false;
    }
    let value = units(value, case);
    fills(&units(pattern, case), &value)
        || pattern.strip_suffix(" *").is_some_and(|head| fills(&units(head, case), &value))
}

/// Whether a letter before the first gap differs: most rules are told from most values so, without any work.
fn begins_otherwise(pattern: &str, value: &str) -> bool {
    let literal = |byte: &u8| !matches!(byte, b'*' | b'?' | b'\\');
    let mut head = pattern.bytes().take_while(literal).zip(value.bytes().take_while(|byte| *byte != b'\\'));
    head.any(|(one, other)| one != other)
}

/// The same of the letters after the last gap; a pattern with an optional tail ends in a gap.
fn ends_otherwise(pattern: &str, value: &str) -> bool {
    let literal = |byte: &u8| !matches!(byte, b'*' | b'?' | b'\\');
    let mut tail = pattern.bytes().rev().take_while(literal).zip(value.bytes().rev().take_while(|byte| *byte != b'\\'));
    tail.any(|(one, other)| one != other)
}

/// Whether some letters that stand together in the pattern stand so nowhere in the value.
fn lacks_a_part(pattern: &str, value: &str) -> bool {
    let head = pattern.strip_suffix(" *").unwrap_or(pattern);
    !value.contains('\\') && head.split(['*', '?', '\\']).any(|part| !value.contains(part))
}

fn units(text: &str, case: Case) -> Vec<u16> {
    let slashed = text.encode_utf16().map(|unit| if unit == u16::from(b'\\') { u16::from(b'/') } else { unit });
    match case {
        Case::Sensitive => slashed.collect(),
        Case::Folded => slashed.map(fold).collect(),
    }
}

/// `reached[n]` says whether the pattern read so far matches the first `n` units of the value.
fn fills(pattern: &[u16], value: &[u16]) -> bool {
    let mut reached = vec![false; value.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for &token in pattern {
        if token == STAR {
            let mut any = false;
            for place in &mut reached {
                any |= *place;
                *place = any;
            }
        } else {
            let mut before = false;
            let fits = std::iter::once(false).chain(value.iter().map(|&unit| token == ANY || token == unit));
            for (place, fits) in reached.iter_mut().zip(fits) {
                before = std::mem::replace(place, before && fits);
            }
        }
    }
    reached.last() == Some(&true)
}

/// Whether the text surely matches every value: stars only, or stars and an optional ` *`.
pub(crate) fn is_everything(text: &str) -> bool {
    let stars = text.strip_suffix(" *").unwrap_or(text);
    !stars.is_empty() && stars.bytes().all(|byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        for value in yes {
            assert!(matches(pattern, value, Case::Sensitive), "{pattern:?} should match {value:?}");
        }
        for value in no {
            assert!(!matches(pattern, value, Case::Sensitive), "{pattern:?} should not match {value:?}");
        }
    }

    #[test]
    fn means_what_opencode_means() {
        check("git *", &["git", "git ", "git x", "git x\ny"], &["gitk", "git\tx", "git\nx", " git"]);
        check("git **", &["git ", "git x"], &["git"]);
        check("git  *", &["git ", "git  x"], &["git"]);
        check("* *", &["", "x", "x y"], &[]);
        check(" *", &["", " ", " x"], &["x"]);
        check("?", &["a", "/", "\n"], &["", "ab", "😀"]);
        check("??", &["😀", "ab"], &["a"]);
        check("**/.env", &["/.env", "a/b/.env"], &[".env"]);
        check("a\\*", &["a/x", "a\\x"], &["a*", "a"]);
        check("", &[""], &["a"]);
        check("*a*b", &["ab", "xaxb", "aab"], &["ba", "abx"]);
    }

    #[test]
    fn folds_only_on_windows() {
        assert!(matches("Src/É*", "src/éa", Case::Folded));
        assert!(!matches("Src/*", "src/a", Case::Sensitive));
    }

    #[test]
    fn knows_everything() {
        assert!(["*", "**", "* *", "** *"].iter().all(|text| is_everything(text)));
        assert!(["", " *", "?*", "* * *", "*a"].iter().all(|text| !is_everything(text)));
    }
}
