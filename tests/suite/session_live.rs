//! Whole sessions as a real OpenCode server went through them, played again: what the model was offered, what was asked and with
//! which patterns for "always", what became of every call, which rules a subagent's session began with.
//!
//! `tests/conformance/opencode-live.json` and `opencode-replies.json` are data, recorded with a scripted model. Not a matter of
//! sessions, and so not compared: the text of messages (`texts_given`), and what commands did to files.

use policyc::files::Files;
use policyc::project::{Compilation, Options, compile_config};
use policyc::runtimes::opencode::OpenCode;
use policyc::runtimes::{Environment, Runtime, SessionRule, Source};
use policyc::session::{Act, Call, Entry, Event, Prompt, Session, World};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

fn machine() -> Environment {
    Environment {
        home: "/tmp/run/home".into(),
        data: "/tmp/run/home/.local/share/opencode".into(),
        tmp: "/tmp".into(),
        worktree: "/tmp/run/project".into(),
        cwd: "/tmp/run/project".into(),
        skills: Vec::new(),
    }
}

fn compiled(scenario: &Value) -> Compilation {
    let mut files = Files::default();
    let file = files.given("opencode.json".into(), &scenario["config"].to_string());
    let sources = [Source { kind: "project", path: "opencode.json".into(), file }];
    compile_config(&mut files, &OpenCode, &sources, &Options { environment: Some(machine()), ..Options::default() })
}

/// A scenario being played.
struct Play<'a> {
    session: Session<'a>,
    scenario: &'a Value,
    /// What is left of the step's answers, and what is said with a rejection.
    replies: Vec<String>,
    feedback: Option<String>,
    /// Requests that somebody looked at and left alone.
    left: BTreeSet<u64>,
    asks: Vec<Value>,
    sub: &'a Value,
    sub_offered: BTreeMap<String, Vec<String>>,
}

fn sorted(mut tools: Vec<String>) -> Vec<String> {
    tools.sort();
    tools
}

impl<'a> Play<'a> {
    fn act(&mut self, act: Act) -> Vec<Entry> {
        self.session.act(act).unwrap_or_else(|why| panic!("{}: {why:?}", self.scenario["about"])).to_vec()
    }

    /// What the program has beside its usual tools in this step.
    fn offer(&mut self, session: &str, step: &Value) {
        let files = self.scenario["files"].as_object().into_iter().flatten();
        let custom = files.filter_map(|(path, _)| path.strip_prefix(".opencode/tool/")?.strip_suffix(".ts"));
        let silent: Vec<String> = custom.map(str::to_owned).collect();
        let mut tools = Vec::new();
        let mut without = Vec::new();
        if self.scenario["env"]["OPENCODE_EXPERIMENTAL_PLAN_MODE"] == "true" {
            tools.push("plan_exit".to_owned());
        }
        if step["model"] == "gpt-5" {
            tools.push("apply_patch".to_owned());
            without = vec!["edit".to_owned(), "write".to_owned()];
        }
        self.act(Act::Offer { session: session.to_owned(), tools, silent, without });
    }

    fn step(&mut self, step: &'a Value, expected: &Value) {
        let name = step["session"].as_str().unwrap_or("a").to_owned();
        if !self.session.state().sessions.contains_key(&name) {
            let rules = step.get("permission").map(|rules| serde_json::from_value(rules.clone()).unwrap());
            self.act(Act::Open { session: name.clone(), rules: rules.unwrap_or_default() });
        }
        self.offer(&name, step);
        self.replies =
            step.get("replies").map(|replies| serde_json::from_value(replies.clone()).unwrap()).unwrap_or_default();
        self.feedback = step["reply_message"].as_str().map(str::to_owned);
        self.sub = &step["sub"];
        self.asks.clear();
        self.sub_offered.clear();
        let parts = step["parts"].as_array().into_iter().flatten();
        let mentions =
            parts.filter(|part| part["type"] == "agent").map(|part| part["name"].as_str().unwrap().to_owned());
        let tools = step.get("tools").map(|tools| serde_json::from_value(tools.clone()).unwrap()).unwrap_or_default();
        let prompt = Prompt {
            session: name.clone(),
            text: "go".into(),
            agent: step["agent"].as_str().map(str::to_owned),
            mentions: mentions.collect(),
            tools,
        };
        let before = self.session.log().entries().len();
        let told = self.act(Act::Prompt(prompt));
        let Some(Event::Prompted { tools, .. }) = told.last().map(|entry| &entry.event) else { panic!("{told:?}") };
        let about = format!("{} / {}", self.scenario["about"], step["name"]);
        assert_eq!(json!(sorted(tools.clone())), expected["offered"], "{about}: offered");
        self.turns(&name, &step["calls"]);
        assert_eq!(json!(self.sub_offered), expected["sub_offered"], "{about}: offered to subagents");
        assert_eq!(json!(self.asks), expected["asks"], "{about}: asked");
        let results = self.results(&name, before);
        assert_eq!(results, shape(&expected["results"]), "{about}: results");
        let children: Vec<Value> = self.children(&name);
        let wanted: Vec<Value> = expected["children"].as_array().unwrap().iter().map(|child| {
            json!({ "agent": child["agent"], "session_rules": child["session_rules"], "results": shape(&child["results"]) })
        }).collect();
        assert_eq!(children, wanted, "{about}: children");
        self.written(expected, &about);
    }

    /// A file that was handed to `write` by a call that ran is among those that changed.
    fn written(&self, expected: &Value, about: &str) {
        let all = expected["results"].as_array().unwrap().iter();
        for result in all.filter(|result| result["tool"] == "write") {
            let path = &result["input"]["filePath"];
            let inside = !path.as_str().unwrap().starts_with('/');
            let changed = expected["files_changed"].as_array().unwrap().contains(path);
            assert!(!inside || changed == (result["outcome"] == "ran"), "{about}: {path}");
        }
    }

    /// Messages of the model one after another, each with a call or several.
    fn turns(&mut self, session: &str, calls: &'a Value) {
        for turn in calls.as_array().into_iter().flatten() {
            if self.session.state().sessions[session].stopped {
                return;
            }
            let together = turn.as_array().cloned().unwrap_or_else(|| vec![turn.clone()]);
            for (at, call) in together.iter().enumerate() {
                let call = Call {
                    session: session.to_owned(),
                    tool: call["tool"].as_str().map(str::to_owned),
                    input: Some(call["args"].clone()),
                    parallel: at > 0,
                    ..Call::default()
                };
                let happened = self.act(Act::Call(call));
                self.follow(session, &happened);
            }
            self.replies_to(session);
        }
    }

    /// Notes what was asked, and plays what a subagent does that was started.
    fn follow(&mut self, session: &str, happened: &[Entry]) {
        for entry in happened {
            match &entry.event {
                Event::Asked { permission, resources, always, .. } => {
                    let always: Vec<&str> = always.iter().map(|one| one.pattern.as_str()).collect();
                    let subagent = session.contains('/');
                    let reply = if self.replies.is_empty() { "reject".to_owned() } else { self.replies.remove(0) };
                    self.asks.push(json!({
                        "permission": permission, "patterns": resources, "always": always, "subagent": subagent,
                        "reply": reply,
                    }));
                    self.left.insert(entry.id);
                }
                Event::Opened { agent: Some(agent), .. } => {
                    let tools = sorted(self.session.tools(&entry.session).unwrap());
                    self.sub_offered.insert(agent.clone(), tools);
                    let sub = self.sub;
                    self.turns(&entry.session.clone(), &sub[agent.as_str()]);
                }
                _ => {}
            }
        }
    }

    /// Gives the answers that came, in the order they were given: all calls of a message had been made by then.
    fn replies_to(&mut self, session: &str) {
        loop {
            let waiting: Vec<u64> = self.session.state().waiting.keys().copied().collect();
            let Some(request) = waiting.iter().find(|request| self.left.contains(request)).copied() else { return };
            self.left.remove(&request);
            let order: Vec<u64> = self
                .session
                .log()
                .entries()
                .iter()
                .filter(|entry| matches!(entry.event, Event::Asked { .. }))
                .map(|entry| entry.id)
                .collect();
            let earlier = self.asks.len();
            let place = order.iter().rev().position(|id| *id == request).unwrap();
            let reply = self.asks[earlier - 1 - place]["reply"].as_str().unwrap().to_owned();
            if reply == "wait" {
                continue;
            }
            let text = self.feedback.clone().filter(|_| reply == "reject");
            let happened = self.act(Act::Answer { request: Some(request), answer: reply, text });
            self.follow(session, &happened);
        }
    }

    /// What became of the calls of a session since a place in the log.
    fn results(&self, session: &str, from: usize) -> Vec<Value> {
        let entries = &self.session.log().entries()[from..];
        let calls = entries.iter().filter(|entry| entry.session == session);
        calls
            .filter_map(|entry| {
                let Event::Called { agent, tool, input, .. } = &entry.event else { return None };
                Some(match outcome(entries, entry.id) {
                    "hidden" => json!({ "agent": agent, "tool": tool, "outcome": "hidden" }),
                    outcome => json!({ "agent": agent, "tool": tool, "input": input, "outcome": outcome }),
                })
            })
            .collect()
    }

    fn children(&self, session: &str) -> Vec<Value> {
        let entries = self.session.log().entries().iter();
        entries
            .filter_map(|entry| {
                let Event::Opened { agent: Some(agent), from, rules, .. } = &entry.event else { return None };
                let rules: &Vec<SessionRule> = rules;
                (from.as_deref() == Some(session)).then(
                    || json!({ "agent": agent, "session_rules": rules, "results": self.results(&entry.session, 0) }),
                )
            })
            .collect()
    }
}

fn outcome(entries: &[Entry], call: u64) -> &'static str {
    let found = entries.iter().find_map(|entry| match &entry.event {
        Event::Ran { call: one } if *one == call => Some("ran"),
        Event::Denied { call: one, .. } if *one == call => Some("denied"),
        Event::Hidden { call: one, .. } if *one == call => Some("hidden"),
        Event::Refused { call: one, .. } if *one == call => Some("failed"),
        Event::Rejected { call: one, text: None, .. } if *one == call => Some("rejected"),
        Event::Rejected { call: one, .. } if *one == call => Some("rejected-with-feedback"),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("nothing became of call {call}"))
}

/// Recorded results in our shape: the program puts a tool of its own in the place of one that is hidden, and keeps no input.
fn shape(results: &Value) -> Vec<Value> {
    let one = |result: &Value| match result["outcome"] == "hidden" {
        true => {
            let tool = &result["input"]["tool"];
            json!({ "agent": result["agent"], "tool": tool, "outcome": "hidden" })
        }
        false => result.clone(),
    };
    results.as_array().unwrap().iter().map(one).collect()
}

fn play(text: &str) -> usize {
    let recorded: Value = serde_json::from_str(text).unwrap();
    let mut steps = 0;
    for one in recorded["scenarios"].as_array().unwrap() {
        let (scenario, report) = (&one["scenario"], &one["report"]);
        let compiled = compiled(scenario);
        let machine = machine();
        let world = World {
            model: &compiled.model,
            rulesets: &compiled.rulesets,
            runtime: compiled.runtime,
            version: compiled.version,
            environment: Some(&machine),
            servers: Vec::new(),
        };
        let mut play = Play {
            session: Session::new(world, true).unwrap(),
            scenario,
            replies: Vec::new(),
            feedback: None,
            left: BTreeSet::new(),
            asks: Vec::new(),
            sub: &Value::Null,
            sub_offered: BTreeMap::new(),
        };
        let (wanted, told) = (scenario["steps"].as_array().unwrap(), report.as_array().unwrap());
        assert_eq!(wanted.len(), told.len(), "{}", one["id"]);
        for (step, expected) in wanted.iter().zip(told) {
            play.step(step, expected);
            steps += 1;
        }
    }
    steps
}

#[test]
fn sessions_go_as_on_the_real_server() {
    assert_eq!(play(include_str!("../conformance/opencode-live.json")), 32);
}

#[test]
fn answers_do_what_they_do_on_the_real_server() {
    assert_eq!(play(include_str!("../conformance/opencode-replies.json")), 12);
}

#[test]
fn always_keeps_what_the_real_server_names() {
    let recorded: Value = serde_json::from_str(include_str!("../conformance/opencode-prefixes.json")).unwrap();
    let commands = recorded["commands"].as_array().unwrap();
    assert!(commands.len() > 400, "{}", commands.len());
    for command in commands {
        let asked: Vec<String> = serde_json::from_value(command["asked"].clone()).unwrap();
        let kept = OpenCode.remembers("bash", &asked, OpenCode::one());
        let kept: Vec<&str> = kept.iter().map(|approval| approval.pattern.as_str()).collect();
        assert_eq!(json!(kept), command["always"], "{asked:?}");
    }
}
