//! `Read(...)` and `Edit(...)`: from gitignore patterns with four anchors to patterns of the language.
//!
//! Where it depends on the disk what a pattern matches (a name may be that of a folder), an allow rule is taken to match
//! more and a deny or ask rule to match less, so that no reading says too little of what is open.

use super::spec::Section;
use crate::language::Dialect;

/// What a path rule says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lowered {
    /// Patterns of its paths; `None` as dialect is the plain one.
    pub(super) patterns: Vec<(Option<Dialect>, String)>,
    /// The folders outside the working folder that it opens or closes as a whole, as their permission is asked.
    pub(super) outside: Option<(Option<Dialect>, String)>,
}

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
pub(super) fn lower(content: &str, section: Section, home: bool) -> Option<Lowered> {
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
        patterns.extend(anchored(anchor, glob, allow));
    }
    patterns.dedup();
    Some(Lowered { patterns, outside: outside(anchor, rest, &globs, allow) })
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

fn anchored(anchor: Anchor, glob: &str, allow: bool) -> Vec<(Option<Dialect>, String)> {
    match anchor {
        Anchor::Root => match glob.strip_prefix("**/") {
            _ if glob == "**" => vec![(None, "*".to_owned())],
            // Files arrive with absolute paths, so this holds for those of the working folder too.
            Some(name) => vec![plain(&format!("**/{name}"))],
            None => vec![plain(&format!("/{glob}"))],
        },
        Anchor::Home => vec![plain(&format!("~/{glob}"))],
        Anchor::Folder | Anchor::Anywhere if glob == "**" => match allow {
            true => vec![(None, "*".to_owned())],
            false => vec![inside("*"), inside("*/**")],
        },
        Anchor::Folder if glob.starts_with("*") => match allow {
            true => vec![plain(glob)],
            false => vec![inside(glob)],
        },
        Anchor::Folder => vec![plain(glob)],
        Anchor::Anywhere if allow => vec![plain(&format!("**/{glob}"))],
        Anchor::Anywhere => vec![plain(glob), inside(&format!("*/**/{glob}"))],
    }
}

/// A glob that starts with a star, held to the working folder: paths outside start with `/` or `~`.
fn inside(glob: &str) -> (Option<Dialect>, String) {
    let rest = glob.strip_prefix('*').unwrap_or(glob);
    match rest.strip_prefix('*') {
        // `**/x`: in no folder or in some.
        Some(deeper) => (Some(Dialect::Glob), braces(&format!("[!/~]*/**{deeper}"))),
        None => (Some(Dialect::Glob), braces(&format!("[!/~]*{rest}"))),
    }
}

/// A glob as the plain dialect says it, where that is the same, else as a glob.
fn plain(glob: &str) -> (Option<Dialect>, String) {
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

/// What a rule says of folders outside: an allow rule opens the folder that its pattern starts with, a deny rule closes
/// the folder that it holds whole.
fn outside(anchor: Anchor, rest: &str, globs: &[String], allow: bool) -> Option<(Option<Dialect>, String)> {
    let root = match anchor {
        Anchor::Root => "/",
        Anchor::Home => "~/",
        Anchor::Folder | Anchor::Anywhere => return None,
    };
    let wild = |text: &str| text.contains(['*', '?', '[']);
    if !allow {
        let whole = globs.iter().find_map(|glob| if glob == "**" { Some("") } else { glob.strip_suffix("/**") })?;
        return match whole {
            "" if root == "/" => Some((None, "*".to_owned())),
            "" => Some((None, "~/*".to_owned())),
            folder if wild(folder) => None,
            folder => Some((None, format!("{root}{folder}/*"))),
        };
    }
    let fixed: Vec<&str> = rest.split('/').take_while(|part| !wild(part)).collect();
    let file = fixed.join("/") == rest && !globs.iter().any(|glob| glob.ends_with("/**"));
    let parent = rest.rsplit_once('/').map_or("", |(parent, _)| parent);
    Some(match (file, fixed.join("/")) {
        (true, _) if parent.is_empty() => (Some(Dialect::Exact), format!("{root}*")),
        (true, _) => (Some(Dialect::Exact), format!("{root}{parent}/*")),
        (false, folder) if folder.is_empty() => (None, if root == "/" { "*".to_owned() } else { "~/*".to_owned() }),
        (false, folder) => (None, format!("{root}{folder}/*")),
    })
}
