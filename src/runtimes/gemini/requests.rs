//! What each tool asks before it runs, with the texts of its arguments as they stand: Gemini resolves no path.

use super::tools;
use super::wrapper::unwrapped;
use crate::runtimes::{Asks, Request};
use crate::shell::{self, Line, PieceKind};
use serde_json::Value;

/// How deep scripts within scripts are read.
const DEEPEST: usize = 8;

/// What a tool call asks.
pub(super) fn asks(tool: &str, input: &Value) -> Result<Asks, String> {
    let known = tools::named(tool);
    if known.is_some_and(|known| known.permission == "bash") || tool == "ShellTool" {
        let line = input.get("command").and_then(Value::as_str);
        return Ok(command(line.ok_or_else(|| format!("a call of `{tool}` has a text in `command`"))?));
    }
    let Some(known) = known else { return Ok(vec![request(tools::permission(tool), "*")].into()) };
    let text = known.field.and_then(|field| input.get(field)).and_then(Value::as_str);
    let text = match (text, known.field) {
        (Some(text), _) => text,
        (None, Some("dir_path")) => ".",
        (None, Some("prompt")) => input.get("url").and_then(Value::as_str).unwrap_or("*"),
        (None, field) => return Err(format!("a call of `{tool}` has a text in `{}`", field.unwrap_or_default())),
    };
    let mut requests = vec![request(known.permission, text)];
    if matches!(known.permission, "edit" | "replace") && is_build_file(text) {
        requests.push(request("build_file", text));
    }
    Ok(requests.into())
}

fn request(permission: &str, resource: &str) -> Request {
    Request { permission: permission.to_owned(), resource: resource.to_owned() }
}

/// A line: itself, then every command in it; the strictest counts.
fn command(text: &str) -> Asks {
    let mut out = Asks::default();
    if is_dangerous(text) {
        add(&mut out, "dangerous", text);
    }
    line(text, 0, &mut out);
    out
}

fn add(out: &mut Asks, permission: &str, text: &str) {
    let request = request(permission, text);
    if !out.requests.contains(&request) {
        out.requests.push(request);
    }
}

fn line(text: &str, depth: usize, out: &mut Asks) {
    add(out, "bash", text);
    let parsed = shell::parse(text).ok().filter(|line| line.error.is_none());
    let parts = parsed.as_ref().map(parts).filter(|parts| !parts.is_empty());
    let (Some(parsed), Some(parts)) = (parsed.as_ref(), parts) else {
        add(out, "unreadable", text);
        return;
    };
    if !parsed.redirections.is_empty() {
        add(out, "redirection", text);
    }
    for part in parts {
        if let Some(inner) = unwrapped(part) {
            match depth < DEEPEST {
                true => line(&inner, depth + 1, out),
                false => add(out, "unreadable", &inner),
            }
        }
        if part == text {
            continue;
        }
        add(out, "bash", part);
        let start = part.as_ptr() as usize - parsed.text.as_ptr() as usize;
        let inside = |span: &std::ops::Range<usize>| start <= span.start && span.end <= start + part.len();
        if parsed.redirections.iter().any(|one| inside(&one.span)) {
            add(out, "redirection", part);
        }
    }
}

/// The texts of the commands of a line, assignments in front of them included.
fn parts(line: &Line) -> Vec<&str> {
    let commands = line.commands.iter().map(|command| &command.span);
    let asked = |kind: PieceKind| matches!(kind, PieceKind::Declaration | PieceKind::Test);
    let pieces = line.pieces.iter().filter(|piece| asked(piece.kind)).map(|piece| &piece.span);
    let mut spans: Vec<_> = commands.chain(pieces).collect();
    spans.sort_by_key(|span| span.start);
    spans.into_iter().map(|span| line.slice(span).trim()).filter(|text| !text.is_empty()).collect()
}

/// Names of files that say how a project is built.
const BUILD: [&str; 30] = [
    "BUILD",
    "BUILD.bazel",
    "WORKSPACE",
    "WORKSPACE.bazel",
    "MODULE.bazel",
    ".bazelrc",
    ".blazerc",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "CMakeLists.txt",
    "package.json",
    "package-lock.json",
    "pnpm-lock.yaml",
    "yarn.lock",
    "bun.lockb",
    "setup.py",
    "setup.cfg",
    "pyproject.toml",
    "go.mod",
    "go.sum",
    "Cargo.toml",
    "Cargo.lock",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "Dockerfile",
    "Containerfile",
];
/// Their endings.
const BUILD_ENDS: [&str; 5] = [".bzl", ".bazel", ".bzlmod", ".mk", ".cmake"];

/// Whether Gemini asks before it edits a file, even where a rule allows that.
fn is_build_file(path: &str) -> bool {
    let path = path.trim().replace('\\', "/");
    let normal = crate::runtimes::paths::normal(&path);
    let name = normal.rsplit('/').next().unwrap_or_default();
    let lower = name.to_lowercase();
    BUILD.contains(&name)
        || name.starts_with("Dockerfile.")
        || name.starts_with("Containerfile.")
        || BUILD_ENDS.iter().any(|end| lower.len() > end.len() && lower.ends_with(end))
}

/// Whether Gemini asks about a line typed so, where a rule allows the whole tool. Only spellings that it surely takes for one.
fn is_dangerous(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    match words.as_slice() {
        ["rm", "-f" | "-rf" | "-fr", ..] | ["sudo", "rm", "-f" | "-rf" | "-fr", ..] => true,
        ["ln", ..] => has(&["-s", "-sf", "--symbolic"]),
        ["find", ..] => {
            has(&["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf"])
        }
        ["base64", ..] => has(&["-o", "--output"]),
        _ => false,
    }
}
