//! `Read(...)` and `Edit(...)`: from gitignore patterns with four anchors to patterns of the language.
//!
//! Where it depends on the disk what a pattern matches (a name may be that of a folder), an allow rule is taken to match
//! more and a deny or ask rule to match less, so that no reading says too little of what is open.

use super::spec::Section;
use crate::language::Dialect;

/// A pattern: its dialect, `None` for the plain one, and its text.
pub(super) type Written = (Option<Dialect>, String);

/// The anchors of a pattern, and the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// `//x`: the file system.
    Root,
    /// `~/x`: the home folder.
    Home,
    /// `/x`: the folder of the settings; `x/y`, `./x/y`: the working folder.
    Folder,
    /// `x`, `**/x`: any folder below the working folder.
    Anywhere,
}

/// Lowers a rule's content; `home`: the settings lie in the home folder. `None`: it matches nothing.
pub(super) fn lower(content: &str, section: Section, home: bool) -> Option<Vec<Written>> {
    let allow = section == Section::Allow;
    let content = content.trim();
    if content.starts_with(['!', '#']) {
        return None;
    }
    let (anchor, rest) = anchor(content, section, home);
    let rest = collapse(rest);
    let folder_only = rest.ends_with('/');
    let rest = rest.trim_end_matches('/');
    let everything = matches!(rest, "" | "**" | "*");
    let mut globs = Vec::new();
    match everything {
        true => globs.push("**".to_owned()),
        false => {
            if !folder_only {
                globs.push(rest.to_owned());
            }
            let last = rest.rsplit('/').next().unwrap_or(rest);
            if last != "**" && (folder_only || contents(last, allow)) {
                globs.push(format!("{rest}/**"));
            }
        }
    }
    let mut patterns = Vec::new();
    for glob in &globs {
        patterns.extend(anchored(anchor, glob));
    }
    patterns.dedup();
    Some(patterns)
}

fn anchor(content: &str, section: Section, home: bool) -> (Anchor, &str) {
    if let Some(rest) = content.strip_prefix("//") {
        return (Anchor::Root, rest);
    }
    if content == "~" || content.starts_with("~/") {
        return (Anchor::Home, content.get(2..).unwrap_or_default());
    }
    if let Some(rest) = content.strip_prefix('/') {
        return match (home, rest.strip_prefix("**/")) {
            (true, _) => (Anchor::Home, rest),
            (false, Some(name)) => (Anchor::Anywhere, name),
            (false, None) => (Anchor::Folder, rest),
        };
    }
    let rest = content.strip_prefix("./").unwrap_or(content);
    if let Some(name) = rest.strip_prefix("**/") {
        return (Anchor::Anywhere, name);
    }
    let inner = rest.trim_end_matches('/');
    // One name before `/**` is looked for anywhere, but in allow rules.
    let one = inner.strip_suffix("/**").filter(|name| !name.contains('/') && *name != "**");
    match (inner.contains('/'), one) {
        (true, Some(_)) if section != Section::Allow && !content.starts_with("./") => (Anchor::Anywhere, rest),
        (true, _) => (Anchor::Folder, rest),
        (false, _) if inner == "**" => (Anchor::Folder, rest),
        (false, _) => (Anchor::Anywhere, rest),
    }
}

/// Without empty and `.` parts.
fn collapse(text: &str) -> String {
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let end = if text.ends_with('/') && !parts.is_empty() { "/" } else { "" };
    format!("{}{end}", parts.join("/"))
}

/// Whether a last name stands for what lies below it too: it does for folders. Names with an ending, `.env...` and
/// `...rc` are taken for files.
fn contents(name: &str, allow: bool) -> bool {
    let file = name.starts_with(".env") || name.ends_with("rc") || name.trim_start_matches('.').contains('.');
    let wild = name.contains(['*', '?', '[']);
    !file && (allow || !wild)
}

fn anchored(anchor: Anchor, glob: &str) -> Vec<Written> {
    match anchor {
        Anchor::Root => match glob.strip_prefix("**/") {
            _ if glob == "**" => vec![(None, "*".to_owned())],
            // Files arrive with absolute paths, so this holds for those of the working folder too.
            Some(name) => vec![plain(&format!("**/{name}"))],
            None => vec![plain(&format!("/{glob}"))],
        },
        Anchor::Home => vec![plain(&format!("~/{glob}"))],
        Anchor::Folder | Anchor::Anywhere if glob == "**" => vec![inside("*"), inside("*/**")],
        Anchor::Folder if glob.starts_with('*') => vec![inside(glob)],
        Anchor::Folder => vec![plain(glob)],
        Anchor::Anywhere => vec![plain(glob), inside(&format!("*/**/{glob}"))],
    }
}

/// A glob that starts with a star, held to the working folder: paths outside start with `/` or `~`.
fn inside(glob: &str) -> Written {
    let rest = glob.strip_prefix('*').unwrap_or(glob);
    match rest.strip_prefix('*') {
        // `**/x`: in no folder or in some.
        Some(deeper) => (Some(Dialect::Glob), braces(&format!("[!/~]*/**{deeper}"))),
        None => (Some(Dialect::Glob), braces(&format!("[!/~]*{rest}"))),
    }
}

/// A glob as the plain dialect says it, where that is the same, else as a glob.
fn plain(glob: &str) -> Written {
    let special = |text: &str| text.contains(['*', '?', '[', ']', '{', '}', '\\']);
    let tail = |text: &str| text.ends_with(' ') || text.contains(" *");
    if !special(glob) && !tail(glob) {
        return (None, glob.to_owned());
    }
    match glob.strip_suffix("/**").filter(|folder| !special(folder) && !tail(folder)) {
        Some(folder) => (None, format!("{folder}/*")),
        None => (Some(Dialect::Glob), braces(glob)),
    }
}

/// gitignore knows no braces; the glob dialect does.
fn braces(glob: &str) -> String {
    glob.replace('{', "\\{").replace('}', "\\}")
}
