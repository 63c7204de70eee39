//! `docs/schema/*.json` is what the program really prints.

use serde_json::Value;
use std::process::Command;

/// What a schema of ours says of a value that is not so. It knows the words our schemas use, and no others.
fn wrong(schema: &Value, value: &Value, at: &str, out: &mut Vec<String>) {
    if let Some(any) = schema.get("anyOf") {
        let tries = any.as_array().unwrap().iter().map(|schema| {
            let mut out = Vec::new();
            wrong(schema, value, at, &mut out);
            out
        });
        out.extend(tries.min_by_key(Vec::len).unwrap());
        return;
    }
    let name = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let types = &schema["type"];
    if types != name && !types.as_array().is_some_and(|types| types.contains(&name.into())) {
        out.push(format!("{at}: {name} instead of {types}"));
        return;
    }
    if let (Some(words), Value::String(_)) = (schema.get("enum"), value)
        && !words.as_array().unwrap().contains(value)
    {
        out.push(format!("{at}: {value} is none of {words}"));
    }
    for (at_item, item) in value.as_array().into_iter().flatten().enumerate() {
        wrong(&schema["items"], item, &format!("{at}[{at_item}]"), out);
    }
    let (Some(object), Some(properties)) = (value.as_object(), schema.get("properties")) else { return };
    for (key, item) in object {
        match properties.get(key) {
            Some(schema) => wrong(schema, item, &format!("{at}.{key}"), out),
            None => out.push(format!("{at}: unknown `{key}`")),
        }
    }
    for key in schema["required"].as_array().unwrap() {
        if !object.contains_key(key.as_str().unwrap()) {
            out.push(format!("{at}: `{key}` is missing"));
        }
    }
}

#[track_caller]
fn holds(verb: &str, folder: &str, args: &[&str]) {
    let schema = std::fs::read_to_string(format!("docs/schema/{verb}.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_policyc"));
    let output = command.arg(verb).args(args).args(["--format", "json"]).current_dir(folder).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let values: Vec<Value> = serde_json::Deserializer::from_str(&text).into_iter().map(Result::unwrap).collect();
    assert!(!values.is_empty(), "{verb} {args:?}");
    let mut out = Vec::new();
    values.iter().for_each(|value| wrong(&schema, value, verb, &mut out));
    assert_eq!(out, Vec::<String>::new(), "{text}");
}

#[test]
fn outputs_are_as_the_schemas_say() {
    holds("check", "tests/cli/check.in", &["--pedantic"]);
    holds("check", "tests/cli/check.in", &["broken.policy"]);
    holds("can", "tests/cli/can.in", &["team.policy", "every agent", "write"]);
    holds("can", "tests/cli/decide.in", &["opencode.json", "plan", "write", "*", "--except", "docs/*", "--silently"]);
    holds("diff", "tests/cli/diff.in", &["old.policy", "new.policy"]);
    holds("diff", "tests/cli/diff.in", &["old.policy", "old.policy"]);
    holds("diff", "tests/cli/diff.in", &["one.policy", "two.policy", "--budget", "0"]);
    holds("flatten", "tests/cli/decide.in", &["opencode.json"]);
    holds("flatten", "tests/cli/decide.in", &["team.policy"]);
    holds("decide", "tests/cli/decide.in", &["team.policy", "bash", "git push", "--trace"]);
    holds("decide", "tests/cli/decide.in", &["team.policy", "--calls", "calls.jsonl"]);
    holds("decide", "tests/cli/decide.in", &["opencode.json", "--tool", "write", "--input", "{\"filePath\":\"a\"}"]);
    let scripts = "policies/examples/sessions";
    holds("simulate", scripts, &["asks.policy", "--script", "asks.jsonl"]);
    holds("simulate", scripts, &["switches.policy", "--script", "branches.jsonl"]);
    holds("simulate", scripts, &["../plan-mode/opencode.policy", "--script", "subagents.jsonl"]);
    holds("simulate", scripts, &["../plan-mode/pi.policy", "--script", "plan-review.jsonl"]);
    holds("test", "tests/cli/test.in", &["good.policy", "--coverage"]);
    holds("test", "tests/cli/test.in", &["bad.policy"]);
}
