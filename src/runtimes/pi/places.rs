//! Where a path of a tool call lies, by its text alone: the extension looks at links as well.

use crate::runtimes::{Environment, paths};

/// The path as rules name it: relative in the working folder (`.` itself), absolute outside.
pub(super) fn place(path: &str, environment: Option<&Environment>) -> Result<String, String> {
    if path.trim().is_empty() || path.contains('\0') {
        return Err("the path is empty, or has a NUL in it".to_owned());
    }
    let spaced: String = path.chars().map(|letter| if is_odd_space(letter) { ' ' } else { letter }).collect();
    let plain = spaced.strip_prefix('@').unwrap_or(&spaced);
    let from_home = plain == "~" || plain.starts_with("~/");
    match environment {
        None if from_home || plain.starts_with('/') || plain.starts_with("file://") => Err(format!(
            "`{path}` is absolute: where it lies relative to the working folder is known only with `--environment`"
        )),
        None => match normal(plain) {
            out if out == ".." || out.starts_with("../") => {
                Err(format!("`{path}` leaves the working folder: what it reaches is known only with `--environment`"))
            }
            inside => Ok(inside),
        },
        Some(environment) => {
            let whole = match plain.strip_prefix("file://") {
                Some(url) => decoded(url).ok_or_else(|| format!("`{path}` is no URL of a file"))?,
                None if from_home => plain.replacen('~', &environment.home, 1),
                None if plain.starts_with('/') => plain.to_owned(),
                None => format!("{}/{plain}", environment.cwd),
            };
            Ok(seen_from(&environment.cwd, &normal(&whole)))
        }
    }
}

/// Blanks that pi takes for a plain one.
fn is_odd_space(letter: char) -> bool {
    matches!(letter, '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// The path of a file URL without a host.
fn decoded(url: &str) -> Option<String> {
    let path = url.strip_prefix("localhost").unwrap_or(url).split(['?', '#']).next()?;
    if !path.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let byte = if byte == b'%' {
            let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16));
            u8::try_from(digit()? * 16 + digit()?).ok().filter(|byte| *byte != b'/')?
        } else {
            byte
        };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

/// A path by its text alone, where nothing at all is `.`.
fn normal(path: &str) -> String {
    let path = paths::normal(path);
    if path.is_empty() { ".".to_owned() } else { path }
}

fn seen_from(cwd: &str, path: &str) -> String {
    let cwd = normal(cwd);
    if path == cwd {
        return ".".to_owned();
    }
    let folder = if cwd == "/" { cwd } else { format!("{cwd}/") };
    path.strip_prefix(&folder).unwrap_or(path).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_pi_reads_them() {
        let environment = Environment { home: "/home/me".into(), cwd: "/home/me/p".into(), ..Environment::default() };
        let place = |path| place(path, Some(&environment)).unwrap();
        assert_eq!(place("@docs/./a.md"), "docs/a.md");
        assert_eq!(place("~/p/a"), "a");
        assert_eq!(place("@~/x.md"), "/home/me/x.md");
        assert_eq!(place("../x\u{a0}y"), "/home/me/x y");
        assert_eq!(place("file:///home/me/p/%2e%2e/x.md"), "/home/me/x.md");
        assert_eq!(place("/home/me/p/"), ".");
        assert_eq!(place("..plans/x"), "..plans/x");
        assert!(super::place("file://host/x", Some(&environment)).is_err());
        assert!(super::place("a\0", Some(&environment)).is_err());
    }

    #[test]
    fn without_a_machine_only_what_is_inside_is_known() {
        assert_eq!(place("a/../b", None).unwrap(), "b");
        assert!(place("../b", None).is_err() && place("/b", None).is_err() && place("@~/b", None).is_err());
    }
}
