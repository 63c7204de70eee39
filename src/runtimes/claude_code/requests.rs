//! What each tool asks before it runs: permissions and resources.

use super::line;
use crate::runtimes::paths::{absolute, normal, relative, within};
use crate::runtimes::{Asks, Environment, Request};
use serde_json::Value;

const BELOW: &str = "Read rules hold for a search too, as far as the program sees what it reads";
const POWERSHELL: &str = "a line of PowerShell is not taken apart, so it is judged as if it could be any command";

pub(super) fn asks(tool: &str, input: &Value, environment: Option<&Environment>) -> Result<Asks, String> {
    let text = |field: &str| {
        let value = input.get(field).and_then(Value::as_str);
        value.ok_or_else(|| format!("a call of `{tool}` has a text in `{field}`"))
    };
    match tool {
        "Read" => file("read", text("file_path")?, environment),
        "Edit" => file("edit", text("file_path")?, environment),
        "Write" => with(file("edit", text("file_path")?, environment)?, "Write"),
        "NotebookEdit" => with(file("edit", text("notebook_path")?, environment)?, "NotebookEdit"),
        "Glob" | "Grep" => {
            let folder = input.get("path").and_then(Value::as_str).unwrap_or(".");
            let permission = if tool == "Glob" { "glob" } else { "grep" };
            let name = place(folder, environment)?;
            let asks = about(permission, name.clone(), &name);
            Ok(Asks { open: Some(BELOW.to_owned()), ..asks })
        }
        "Bash" | "Monitor" => Ok(line::asks(text("command")?, environment)),
        "PowerShell" => Ok(Asks {
            requests: vec![request("PowerShell", text("command")?)],
            open: Some(POWERSHELL.to_owned()),
            ..Asks::default()
        }),
        "WebFetch" => Ok(vec![request("webfetch", url(text("url")?))].into()),
        "WebSearch" => Ok(vec![request("websearch", text("query")?)].into()),
        "Agent" | "Task" => {
            let name = input.get("subagent_type").and_then(Value::as_str).unwrap_or("general-purpose");
            Ok(vec![request("task", name)].into())
        }
        "Skill" => Ok(vec![request("skill", text("skill").or_else(|_| text("command"))?)].into()),
        "AskUserQuestion" => Ok(vec![request("question", "*")].into()),
        _ => Ok(vec![request(tool, "*")].into()),
    }
}

pub(super) fn request(permission: &str, resource: impl Into<String>) -> Request {
    Request { permission: permission.to_owned(), resource: resource.into() }
}

fn with(mut asks: Asks, tool: &str) -> Result<Asks, String> {
    asks.requests.push(request(tool, "*"));
    Ok(asks)
}

pub(super) fn file(permission: &str, path: &str, environment: Option<&Environment>) -> Result<Asks, String> {
    let name = place(path, environment)?;
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    Ok(about(permission, name, &folder))
}

fn about(permission: &str, name: String, folder: &str) -> Asks {
    let outside = name.starts_with('/').then(|| {
        let folder = folder.trim_end_matches('/');
        request("external_directory", format!("{folder}/*"))
    });
    outside.into_iter().chain([request(permission, name)]).collect::<Vec<_>>().into()
}

/// The path as rules name it: relative in the working folder, absolute outside. Links are not followed here.
fn place(path: &str, environment: Option<&Environment>) -> Result<String, String> {
    let Some(environment) = environment else {
        let name = normal(path);
        if path.starts_with('/') || name == ".." || name.starts_with("../") {
            return Err(format!(
                "where `{path}` lies relative to the working folder is known only with `--environment`"
            ));
        }
        return Ok(if name.is_empty() { ".".to_owned() } else { name });
    };
    let whole = absolute(&environment.cwd, path);
    match within(&environment.cwd, &whole) {
        true => {
            let name = relative(&environment.cwd, &whole);
            Ok(if name.is_empty() { ".".to_owned() } else { name })
        }
        false => Ok(whole),
    }
}

/// A URL as rules see it: `https`, its host in small letters without the port, and a path.
fn url(text: &str) -> String {
    let rest = ["http://", "https://"].iter().find_map(|scheme| {
        let head = text.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then(|| text.get(scheme.len()..).unwrap_or_default())
    });
    let Some(rest) = rest else { return text.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let host = port.map_or(host, |(host, _)| host).to_lowercase();
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("https://{host}{slash}{path}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn asked(tool: &str, input: Value) -> Vec<(String, String)> {
        let environment = Environment { home: "/home/me".into(), cwd: "/p".into(), ..Environment::default() };
        let asks = asks(tool, &input, Some(&environment)).unwrap();
        asks.requests.into_iter().map(|request| (request.permission, request.resource)).collect()
    }

    fn is(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
    }

    #[test]
    fn tools_ask_for_paths_and_names() {
        assert_eq!(asked("Read", json!({"file_path": "/p/src/../a"})), is(&[("read", "a")]));
        let outside = is(&[("external_directory", "/etc/*"), ("edit", "/etc/hosts"), ("Write", "*")]);
        assert_eq!(asked("Write", json!({"file_path": "/etc/hosts"})), outside);
        assert_eq!(asked("Grep", json!({"pattern": "x"})), is(&[("grep", ".")]));
        let fetched = is(&[("webfetch", "https://a.b/?x")]);
        assert_eq!(asked("WebFetch", json!({"url": "HTTP://me@A.b:80?x"})), fetched);
        assert_eq!(asked("Agent", json!({})), is(&[("task", "general-purpose")]));
        assert_eq!(asked("mcp__gh__get", json!({})), is(&[("mcp__gh__get", "*")]));
    }
}
