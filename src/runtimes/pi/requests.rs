//! What the extension asks for a tool call: here by paths' texts alone, while the extension follows links too.

use super::line::commands;
use super::places::place;
use crate::runtimes::{Asks, Environment, Request};
use serde_json::Value;

const BELOW: &str = "a search is also judged by what lies below its folder";

pub(super) fn asks(tool: &str, input: &Value, environment: Option<&Environment>) -> Result<Asks, String> {
    let text = |field: &str| {
        let value = input.get(field).and_then(Value::as_str);
        value.ok_or_else(|| format!("a call of `{tool}` has a text in `{field}`"))
    };
    match tool {
        "read" => file("read", text("path")?, environment),
        "write" | "edit" => file("edit", text("path")?, environment),
        "ls" | "find" | "grep" => {
            let folder = input.get("path").and_then(Value::as_str).unwrap_or(".");
            search(tool, folder, environment)
        }
        "bash" => Ok(line(text("command")?, commands(text("command")?))),
        "powershell" => Ok(line(text("command")?, None)),
        "subagent" => Ok(delegations(input)),
        "submit_plan" => file("submit_plan", text("filePath")?, environment),
        _ => Ok(vec![request(tool, "*")].into()),
    }
}

fn request(permission: &str, resource: impl Into<String>) -> Request {
    Request { permission: permission.to_owned(), resource: resource.into() }
}

fn file(permission: &str, path: &str, environment: Option<&Environment>) -> Result<Asks, String> {
    let name = place(path, environment)?;
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    Ok(about(permission, name, &folder, None))
}

fn search(tool: &str, folder: &str, environment: Option<&Environment>) -> Result<Asks, String> {
    let name = place(folder, environment)?;
    let (permission, open) = match tool {
        "ls" => ("list", None),
        "find" => ("glob", Some(BELOW)),
        _ => ("grep", Some(BELOW)),
    };
    let folder = if name == "/" { String::new() } else { name.clone() };
    Ok(about(permission, name, &folder, open))
}

fn about(permission: &str, name: String, folder: &str, open: Option<&str>) -> Asks {
    let guard = name.starts_with('/').then(|| request("external_directory", format!("{folder}/*")));
    let requests = guard.into_iter().chain([request(permission, name)]).collect();
    Asks { requests, open: open.map(str::to_owned), ..Asks::default() }
}

fn line(whole: &str, parts: Option<Vec<String>>) -> Asks {
    match parts {
        Some(parts) => parts.into_iter().map(|part| request("bash", part)).collect::<Vec<_>>().into(),
        None => Asks {
            requests: vec![request("bash", whole)],
            open: Some("the line cannot be taken apart, so it is judged as if it could be any command".to_owned()),
            ..Asks::default()
        },
    }
}

/// Every agent that a delegation starts, alone, side by side, or one after another.
fn delegations(input: &Value) -> Asks {
    let list = |name: &str| input.get(name).and_then(Value::as_array).into_iter().flatten();
    let calls = std::iter::once(input).chain(list("tasks")).chain(list("chain"));
    let names: Vec<Request> =
        calls.filter_map(|call| call.get("agent")?.as_str()).map(|name| request("task", name)).collect();
    if !names.is_empty() {
        return names.into();
    }
    Asks {
        requests: vec![request("task", "*")],
        open: Some("the call names no agent, so it is judged as if it could start any".to_owned()),
        ..Asks::default()
    }
}
