//! Rules as Claude Code writes them: of a permission and a pattern, texts that match no more (to allow) or no less (to hold
//! back). What a text really matches is seen when it is read back.

use super::commands;
use super::names;
use super::rules::MACHINE;
use crate::language::{Dialect, Pattern};
use crate::rule::Action;

/// More texts than this are not written for one rule.
const MOST: usize = 16;

/// The texts of rules for a permission; none if its pattern cannot be said.
pub(super) fn texts(permission: &str, pattern: &Pattern, action: Action) -> Vec<String> {
    let open = action == Action::Allow;
    if pattern.is_everything() {
        return whole(permission, action);
    }
    let content = |tool: &str, texts: Vec<String>| texts.into_iter().map(|text| format!("{tool}({text})")).collect();
    match permission {
        "bash" => content("Bash", wildcards(pattern, open).into_iter().filter_map(|text| line(text, open)).collect()),
        "read" => content("Read", paths(pattern, open)),
        "edit" => content("Edit", paths(pattern, open)),
        "external_directory" => content("Read", folders(pattern, action)),
        "webfetch" => {
            content("WebFetch", wildcards(pattern, open).iter().filter_map(|text| host(text, open)).collect())
        }
        "task" => content("Agent", wildcards(pattern, open).into_iter().filter(|text| is_name(text)).collect()),
        "skill" => content("Skill", wildcards(pattern, open).into_iter().filter(|text| is_name(text)).collect()),
        _ => Vec::new(),
    }
}

/// The rule for all of a permission.
pub(super) fn whole(permission: &str, action: Action) -> Vec<String> {
    match (permission, action) {
        // The tool alone would open the whole machine.
        ("edit" | "read", Action::Allow) => {
            let tool = if permission == "edit" { "Edit" } else { "Read" };
            vec![format!("{tool}(/**)")]
        }
        ("external_directory", Action::Allow) => vec!["Read(//**)".to_owned()],
        ("external_directory", _) => Vec::new(),
        ("edit", _) => vec!["Edit".to_owned()],
        ("mcp__*" | "*", Action::Allow) => Vec::new(),
        (name, _) => match names::tools_of(name).first() {
            Some(tool) => vec![(*tool).to_owned()],
            None => vec![name.to_owned()],
        },
    }
}

/// The pattern as wildcard texts; to allow only those that are sure to match no more.
fn wildcards(pattern: &Pattern, open: bool) -> Vec<String> {
    let exact = pattern.dialect() == Dialect::Exact;
    let texts = match exact && !pattern.text().contains(['*', '?']) {
        true => vec![pattern.text().to_owned()],
        false => pattern.widened().unwrap_or_default(),
    };
    let texts: Vec<String> = texts.into_iter().map(|text| text.replace('\\', "/")).collect();
    match open {
        true => texts.into_iter().filter(|text| !text.contains('?')).take(MOST).collect(),
        // Of more texts than are written, none would hold enough back.
        false if texts.len() > MOST => Vec::new(),
        false => texts.into_iter().map(|text| text.replace('?', "*")).collect(),
    }
}

/// A command's wildcard as the content of a rule.
fn line(text: String, open: bool) -> Option<String> {
    let blank = |text: &str| text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    let odd = blank(&text) || text.ends_with(":*") || commands::parameter(&text).is_some();
    let text = match (odd, open) {
        (false, _) => text,
        (true, true) => return None,
        (true, false) => format!("*{}*", text.trim().trim_end_matches('*').trim_end_matches(':')),
    };
    (!text.trim().is_empty()).then_some(text)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.contains(['*', '?', '(', ')', ':']) && !text.contains(char::is_whitespace)
}

/// The host of a URL's pattern.
fn host(text: &str, open: bool) -> Option<String> {
    let (host, path) = text.strip_prefix("https://")?.split_once('/')?;
    let plain = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-'));
    (plain && (!open || path == "*")).then(|| format!("domain:{host}"))
}

/// Path patterns with their anchors.
fn paths(pattern: &Pattern, open: bool) -> Vec<String> {
    let mut out = Vec::new();
    let globs: Vec<String> = match pattern.dialect() {
        Dialect::Glob if !pattern.text().contains(['{', '\\']) => vec![pattern.text().to_owned()],
        _ => wildcards(pattern, open).iter().flat_map(|text| crossing(text)).collect(),
    };
    for glob in globs {
        // What starts with any folder is meant outside the project too.
        let anchors: &[&str] = match () {
            () if glob.starts_with('/') => &["/"],
            () if glob == "~" || glob.starts_with("~/") => &[""],
            () if glob.starts_with('*') && !open => &["//"],
            // `/etc/x` reads as if the machine's folder were meant.
            () if glob.split('/').next().is_some_and(|first| MACHINE.contains(&first)) => &["./"],
            () => &["/"],
        };
        out.extend(anchors.iter().map(|anchor| format!("{anchor}{glob}")));
    }
    if out.len() > MOST && !open { Vec::new() } else { out }
}

/// A wildcard whose stars cross folders as globs whose stars do not.
fn crossing(text: &str) -> Vec<String> {
    let segments: Vec<&str> = text.split('/').collect();
    let last = segments.len() - 1;
    let mut out = vec![String::new()];
    for (at, segment) in segments.iter().enumerate() {
        let forms = forms(segment, at == last);
        out = out.iter().flat_map(|head| forms.iter().map(move |form| joined(head, form, at))).collect();
        if out.len() > MOST * 4 {
            return out;
        }
    }
    out
}

fn joined(head: &str, form: &str, at: usize) -> String {
    if at == 0 { form.to_owned() } else { format!("{head}/{form}") }
}

/// The ways in which one part of a path can be filled, stars crossing or not.
fn forms(segment: &str, last: bool) -> Vec<String> {
    let segment: String = segment.replace('[', "\\[");
    if !segment.is_empty() && segment.chars().all(|letter| letter == '*') {
        return vec![if last { "**".to_owned() } else { "*/**".to_owned() }];
    }
    let parts: Vec<&str> = segment.split('*').collect();
    let mut out = vec![String::new()];
    for (at, part) in parts.iter().enumerate() {
        let mut next = Vec::new();
        for head in &out {
            match at {
                0 => next.push((*part).to_owned()),
                // In no folder or in some.
                1 if head.is_empty() => next.push(format!("**/*{part}")),
                _ => {
                    next.push(format!("{head}*{part}"));
                    let end = part.is_empty() && at == parts.len() - 1;
                    next.push(if end { format!("{head}*/**") } else { format!("{head}*/**/*{part}") });
                }
            }
        }
        out = next;
    }
    out
}

/// Folders outside the project: what reads there is what opens or closes them.
fn folders(pattern: &Pattern, action: Action) -> Vec<String> {
    if action == Action::Ask {
        return Vec::new();
    }
    let texts = wildcards(pattern, action == Action::Allow);
    let fits = |text: &String| (text.starts_with('/') || text.starts_with("~/")) && text.ends_with("/*");
    let folder = |text: String| {
        let head = text.trim_end_matches("/*").to_owned();
        (!head.contains('*')).then(|| if head.starts_with('/') { format!("/{head}/**") } else { format!("{head}/**") })
    };
    let all = texts.len();
    let out: Vec<String> = texts.into_iter().filter(fits).filter_map(folder).collect();
    if out.len() == all || action == Action::Allow { out } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(permission: &str, text: &str, action: Action, expected: &[&str]) {
        assert_eq!(texts(permission, &Pattern::wildcard(text), action), expected, "{permission} {text}");
    }

    #[test]
    fn patterns_are_written_with_their_anchors() {
        use Action::{Allow, Deny};
        check("bash", "git push *", Deny, &["Bash(git push *)"]);
        check("bash", "*", Deny, &["Bash"]);
        check("bash", "a?c", Deny, &["Bash(a*c)"]);
        check("bash", "a?c", Allow, &[]);
        check("bash", "npm:*", Deny, &["Bash(*npm*)"]);
        check("edit", "docs/*.md", Allow, &["Edit(/docs/**/*.md)"]);
        check("edit", "docs/*", Deny, &["Edit(/docs/**)"]);
        check("edit", "*", Allow, &["Edit(/**)"]);
        check("edit", "*", Deny, &["Edit"]);
        check("read", "*.env", Deny, &["Read(//**/*.env)"]);
        check("read", "*.env.*", Deny, &["Read(//**/*.env.*)", "Read(//**/*.env.*/**)"]);
        check("read", "/etc/*", Deny, &["Read(//etc/**)"]);
        check("read", "~/.ssh/*", Deny, &["Read(~/.ssh/**)"]);
        check("edit", "a*b/c", Deny, &["Edit(/a*b/c)", "Edit(/a*/**/*b/c)"]);
        check("external_directory", "/etc/*", Deny, &["Read(//etc/**)"]);
        check("webfetch", "https://docs.rs/*", Allow, &["WebFetch(domain:docs.rs)"]);
        check("webfetch", "https://docs.rs/x", Deny, &["WebFetch(domain:docs.rs)"]);
        check("task", "reviewer", Deny, &["Agent(reviewer)"]);
        check("websearch", "rust *", Deny, &[]);
    }
}
