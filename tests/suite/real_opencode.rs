//! The answers of a real OpenCode, compared rule by rule: run by `tests/conformance/real-opencode.sh`.

use camino::Utf8PathBuf;
use policyc::files::Files;
use policyc::load::Asked;
use policyc::project::{Compilation, Options, compile_config};
use policyc::rule::{Action, Rule};
use policyc::runtimes::opencode::OpenCode;
use policyc::runtimes::opencode::sources::{Machine, sources};
use policyc::runtimes::{Environment, Runtime, Source};
use serde_json::Value;
use std::collections::BTreeMap;

/// What one side says: agents with mode, hidden and rules; `None`: the program does not start.
type Said = Option<BTreeMap<String, (String, bool, Vec<String>)>>;

fn text(case: &Value, key: &str) -> String {
    case[key].as_str().unwrap().to_owned()
}

fn theirs(case: &Value) -> Said {
    let agents = case["answer"]["agents"].as_object()?;
    let rule = |rule: &Value| {
        let part = |at: usize| rule[at].as_str().unwrap_or("?");
        // A word that is no action is neither a deny nor an allow: it asks.
        format!("{} | {} | {}", part(0), part(1), Action::from_word(part(2)).unwrap_or(Action::Ask))
    };
    let agent = |(name, agent): (&String, &Value)| {
        let rules = agent["rules"].as_array().unwrap().iter().map(rule).collect();
        (name.clone(), (text(agent, "mode"), agent["hidden"].as_bool().unwrap(), rules))
    };
    Some(agents.iter().map(agent).collect())
}

fn compile(case: &Value) -> (Files, Compilation) {
    let variables = case["variables"].as_object().unwrap();
    let machine = Machine {
        home: text(case, "home").into(),
        config: text(case, "config").into(),
        managed: text(case, "managed").into(),
        variables: variables.iter().map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect(),
    };
    let home = text(case, "home");
    let environment = Environment {
        data: format!("{home}/.local/share/opencode"),
        home,
        tmp: text(case, "tmp"),
        worktree: text(case, "worktree"),
        cwd: text(case, "cwd"),
        skills: Vec::new(),
    };
    let mut files = Files::default();
    let mut found = Vec::new();
    for source in sources(&Utf8PathBuf::from(text(case, "cwd")), Some(&machine)) {
        let file = match &source.text {
            Some(text) => files.given(&source.path, text),
            None => files.read(&source.path).unwrap(),
        };
        found.push(Source { kind: source.kind, path: source.path, file });
    }
    // What version 2 alone understands is to be refused here, not read as version 2.
    let asked = Asked { version: Some("1.18"), ..Asked::default() };
    let options = Options { asked, environment: Some(environment), ..Options::default() };
    let compiled = compile_config(&mut files, &OpenCode, &found, &options);
    (files, compiled)
}

fn ours(compiled: &Compilation) -> Said {
    let refused = compiled.findings.iter().any(|finding| {
        finding.code.id == "PC1001" || finding.notes.iter().any(|note| note.contains("refuses to start"))
    });
    if refused {
        return None;
    }
    let line = |rule: &Rule| format!("{} | {} | {}", rule.permission.text(), rule.pattern.text(), rule.action);
    let agents = compiled.rulesets.iter().map(|set| {
        let agent = &compiled.model.agents[&set.agent];
        (set.agent.clone(), (agent.mode.to_string(), agent.hidden, set.rules.iter().map(line).collect()))
    });
    Some(agents.collect())
}

/// The first difference, in words.
fn difference(theirs: &Said, ours: &Said) -> Option<String> {
    let (theirs, ours) = match (theirs, ours) {
        (None, None) => return None,
        (None, Some(_)) => return Some("OpenCode refuses, policyc does not".into()),
        (Some(_), None) => return Some("policyc says OpenCode refuses, and it does not".into()),
        (Some(theirs), Some(ours)) => (theirs, ours),
    };
    if !theirs.keys().eq(ours.keys()) {
        let (theirs, ours): (Vec<_>, Vec<_>) = (theirs.keys().collect(), ours.keys().collect());
        return Some(format!("agents: OpenCode {theirs:?}\n        policyc {ours:?}"));
    }
    theirs.iter().zip(ours.values()).find_map(|((name, theirs), ours)| {
        if (&theirs.0, theirs.1) != (&ours.0, ours.1) {
            return Some(format!(
                "{name}: OpenCode {} hidden {}, policyc {} hidden {}",
                theirs.0, theirs.1, ours.0, ours.1
            ));
        }
        let at = (0..theirs.2.len().max(ours.2.len())).find(|at| theirs.2.get(*at) != ours.2.get(*at))?;
        Some(format!("{name}, rule {at}: OpenCode {:?}, policyc {:?}", theirs.2.get(at), ours.2.get(at)))
    })
}

#[test]
#[ignore = "needs the answers of a real OpenCode: tests/conformance/real-opencode.sh"]
fn real_opencode() {
    let Ok(path) = std::env::var("POLICYC_REAL_OPENCODE") else { return };
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut wrong, mut rules) = (0, 0);
    for case in &cases {
        let (files, compiled) = compile(case);
        let theirs = theirs(case);
        rules += theirs.iter().flat_map(BTreeMap::values).map(|agent| agent.2.len()).sum::<usize>();
        let Some(difference) = difference(&theirs, &ours(&compiled)) else { continue };
        wrong += 1;
        println!("{}: {difference}", text(case, "name"));
        if let Some(error) = case["answer"]["error"].as_str() {
            println!("    OpenCode: {error}");
        }
        for finding in &compiled.findings {
            println!("    {} {} {}", files.sources.place(finding.primary.span), finding.code.id, finding.message);
        }
    }
    println!("real-opencode: {} projects and {rules} rules compared, {wrong} differ", cases.len());
    assert_eq!(wrong, 0, "projects whose agents differ");
}

#[test]
#[ignore = "needs the answers of a real OpenCode: tests/conformance/real-opencode.sh"]
fn real_opencode_commands() {
    let Ok(path) = std::env::var("POLICYC_REAL_COMMANDS") else { return };
    let said: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cwd = text(&said, "cwd");
    let environment = Environment { home: text(&said, "home"), worktree: cwd.clone(), cwd, ..Environment::default() };
    let (mut wrong, mut requests) = (0, 0);
    for answer in said["answers"].as_array().unwrap() {
        let theirs: Vec<(&str, &str)> = answer["requests"]
            .as_array()
            .unwrap()
            .iter()
            .map(|request| (request[0].as_str().unwrap(), request[1].as_str().unwrap()))
            .collect();
        let asks = OpenCode.asks("bash", answer, OpenCode::one(), Some(&environment)).unwrap();
        let ours: Vec<(&str, &str)> =
            asks.requests.iter().map(|request| (request.permission.as_str(), request.resource.as_str())).collect();
        requests += theirs.len();
        if theirs != ours {
            wrong += 1;
            println!("{:?}\n    OpenCode: {theirs:?}\n    policyc:  {ours:?}", text(answer, "command"));
        }
    }
    println!("real-opencode: {requests} requests of command lines compared, {wrong} lines differ");
    assert_eq!(wrong, 0);
}
