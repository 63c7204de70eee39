//! What each tool asks before it runs: permissions and resources, in the order they are asked.

use super::commands;
use crate::runtimes::paths::{absolute, normal, relative, within};
use crate::runtimes::{Asks, Environment, Request};
use serde_json::Value;

/// What a tool call asks. `second`: by version 2's names.
pub(super) fn asks(tool: &str, input: &Value, second: bool, environment: Option<&Environment>) -> Result<Asks, String> {
    let call = Call { tool, input, environment };
    if tool == if second { "shell" } else { "bash" } {
        let folder = input.get("workdir").and_then(Value::as_str).filter(|folder| !folder.is_empty());
        return commands::asks(tool, call.text("command")?, folder, environment);
    }
    requests(&call, second).map(Asks::from)
}

fn requests(call: &Call<'_>, second: bool) -> Result<Vec<Request>, String> {
    let tool = call.tool;
    match tool {
        "read" => call.file("filePath", "read"),
        "edit" | "write" => call.file("filePath", "edit"),
        "apply_patch" if !second => call.patch("patchText"),
        "patch" if second => call.patch("patchText"),
        "glob" | "grep" => call.search(),
        "lsp" if !second => {
            let mut asked = call.outside(&call.resolve(call.text("filePath")?)?, false)?;
            asked.push(request("lsp", "*"));
            Ok(asked)
        }
        "webfetch" => Ok(vec![request("webfetch", call.text("url")?)]),
        "websearch" => Ok(vec![request("websearch", call.text("query")?)]),
        "task" if !second => Ok(vec![request("task", call.text("subagent_type")?)]),
        "subagent" if second => Ok(vec![request("subagent", call.text("agent")?)]),
        "skill" => Ok(vec![request("skill", call.text("name")?)]),
        "list_mcp_resources" | "list_mcp_resource_templates" | "read_mcp_resource" => call.mcp_resource(),
        // Shown or hidden, but never asked: a call passes.
        "question" | "plan_exit" => Ok(Vec::new()),
        // `todowrite`, and every tool of an MCP server under its `SERVER_TOOL` name.
        _ => Ok(vec![request(tool, "*")]),
    }
}

pub(super) fn request(permission: &str, resource: impl Into<String>) -> Request {
    Request { permission: permission.to_owned(), resource: resource.into() }
}

struct Call<'a> {
    tool: &'a str,
    input: &'a Value,
    environment: Option<&'a Environment>,
}

/// A path as the tool sees it.
enum Place {
    /// Absolute, with the machine's facts at hand.
    Absolute(String),
    /// Relative to the workspace, which lies wherever it lies.
    Inside(String),
}

impl<'a> Call<'a> {
    fn text(&self, field: &str) -> Result<&'a str, String> {
        let value = self.input.get(field).and_then(Value::as_str);
        value.ok_or_else(|| format!("a call of `{}` has a text in `{field}`", self.tool))
    }

    fn file(&self, field: &str, permission: &str) -> Result<Vec<Request>, String> {
        let text = self.text(field)?;
        let place = self.resolve(text)?;
        let mut asked = self.outside(&place, text.ends_with('/'))?;
        asked.push(request(permission, self.shown(&place)));
        Ok(asked)
    }

    /// The pattern searched for, then the folder it is searched in if that lies outside.
    fn search(&self) -> Result<Vec<Request>, String> {
        let mut asked = vec![request(self.tool, self.text("pattern")?)];
        if let Some(folder) = self.input.get("path").and_then(Value::as_str) {
            asked.extend(self.outside(&self.resolve(folder)?, true)?);
        }
        Ok(asked)
    }

    /// Every file a patch names, then one request for each source file; the target of a move is not asked.
    fn patch(&self, field: &str) -> Result<Vec<Request>, String> {
        let (mut outside, mut edits) = (Vec::new(), Vec::new());
        for line in self.text(field)?.lines() {
            let source = ["*** Add File: ", "*** Update File: ", "*** Delete File: "];
            if let Some(path) = source.iter().find_map(|head| line.strip_prefix(head)) {
                let place = self.resolve(path.trim())?;
                outside.extend(self.outside(&place, false)?);
                edits.push(request("edit", self.shown(&place)));
            } else if let Some(path) = line.strip_prefix("*** Move to: ") {
                outside.extend(self.outside(&self.resolve(path.trim())?, false)?);
            }
        }
        if edits.is_empty() {
            return Err("the patch names no file: its lines start with `*** Update File: PATH` or the like".to_owned());
        }
        outside.extend(edits);
        Ok(outside)
    }

    fn mcp_resource(&self) -> Result<Vec<Request>, String> {
        let server = self.input.get("server").and_then(Value::as_str).unwrap_or("*");
        let uri = if self.tool == "read_mcp_resource" { self.text("uri")? } else { "*" };
        Ok(vec![request("read", format!("mcp:{server}:{uri}"))])
    }

    fn resolve(&self, path: &str) -> Result<Place, String> {
        match self.environment {
            Some(environment) => Ok(Place::Absolute(absolute(&environment.cwd, path))),
            None if path.starts_with('/') => Err(format!(
                "`{path}` is absolute: where it lies relative to the workspace is known only with `--environment`"
            )),
            None => Ok(Place::Inside(normal(path))),
        }
    }

    /// The path as rules see it: relative to the worktree.
    fn shown(&self, place: &Place) -> String {
        match (place, self.environment) {
            (Place::Absolute(path), Some(environment)) => relative(&environment.worktree, path),
            (Place::Absolute(path) | Place::Inside(path), _) => path.clone(),
        }
    }

    /// What is asked for a path outside both the current folder and the worktree.
    fn outside(&self, place: &Place, folder: bool) -> Result<Vec<Request>, String> {
        let inside = match (place, self.environment) {
            (Place::Absolute(path), Some(environment)) => inside(environment, path),
            (Place::Absolute(_), None) => true,
            (Place::Inside(path), _) if path == ".." || path.starts_with("../") => {
                return Err(format!(
                    "`{path}` leaves the folder the session runs in: what it reaches is known only with `--environment`"
                ));
            }
            (Place::Inside(_), _) => true,
        };
        let (false, Place::Absolute(path)) = (inside, place) else { return Ok(Vec::new()) };
        let parent = if folder { path.as_str() } else { path.rsplit_once('/').map_or("", |(parent, _)| parent) };
        Ok(vec![request("external_directory", format!("{}/*", parent.trim_end_matches('/')))])
    }
}

/// Whether an absolute path lies in the project. Outside git the worktree is `/` and does not count.
pub(super) fn inside(environment: &Environment, path: &str) -> bool {
    within(&environment.cwd, path) || environment.worktree != "/" && within(&environment.worktree, path)
}
