//! The JavaScript module, run by Node and held to `decide`.

use crate::support::node;
use camino::Utf8Path;
use policyc::decide::{decide, visible};
use policyc::files::Files;
use policyc::language::{Case, Dialect, Pattern};
use policyc::model::Visibility;
use policyc::project::{self, Options};
use policyc::rule::{Action, Origin, Rule};
use policyc::ruleset::Ruleset;
use policyc::source::{SourceMap, Span};
use policyc::targets::js;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use std::sync::Arc;

/// Reads modules and calls, and answers each call by its module.
const ASK: &str = "
import { readFileSync, writeFileSync } from 'node:fs';
const modules = new Map();
const lines = readFileSync(new URL('calls.jsonl', import.meta.url), 'utf8').split('\\n').filter(Boolean);
const out = [];
for (const line of lines) {
  const { module, agent, permission, resource, tool } = JSON.parse(line);
  if (!modules.has(module)) modules.set(module, await import(`./${module}.mjs`));
  const { decide, visible } = modules.get(module);
  out.push(JSON.stringify(tool === undefined ? decide(agent, permission, resource) : visible(agent, tool)));
}
writeFileSync(new URL('answers.jsonl', import.meta.url), out.join('\\n'));
";

/// Modules with the calls they are asked, and the answers that `decide` gives.
#[derive(Default)]
struct Batch {
    modules: Vec<String>,
    calls: Vec<(Value, Value)>,
}

impl Batch {
    fn module(&mut self, policy: &js::Policy<'_>, sources: &SourceMap) -> usize {
        self.modules.push(js::module(policy, sources).unwrap());
        self.modules.len() - 1
    }

    fn call(&mut self, module: usize, set: &Ruleset, permission: &str, resource: &str, sources: &SourceMap) {
        let decision = decide(set, permission, resource);
        let rule = decision.rule.map(|(_, rule)| rule);
        let answer = json!({
            "action": decision.action.word(),
            "rule": decision.rule.map(|(at, _)| at + 1),
            "permission": rule.map(|rule| rule.permission.text()),
            "pattern": rule.map(|rule| rule.pattern.text()),
            "reason": rule.and_then(|rule| rule.reason.as_deref()),
            "from": rule.map(|rule| sources.place(rule.origin.span)),
        });
        let module = format!("m{module}");
        let call = json!({ "module": module, "agent": set.agent, "permission": permission, "resource": resource });
        self.calls.push((call, answer));
    }

    fn sight(&mut self, module: usize, agent: &str, tool: &str, seen: bool) {
        self.calls.push((json!({ "module": format!("m{module}"), "agent": agent, "tool": tool }), seen.into()));
    }

    /// Asks Node once; without it says so and passes.
    fn ask(&self) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        for (at, module) in self.modules.iter().enumerate() {
            std::fs::write(path.join(format!("m{at}.mjs")), module).unwrap();
        }
        let lines: Vec<String> = self.calls.iter().map(|(call, _)| call.to_string()).collect();
        std::fs::write(path.join("calls.jsonl"), lines.join("\n")).unwrap();
        if node::run(path, "ask.mjs", ASK).is_none() {
            return;
        }
        let answers = std::fs::read_to_string(path.join("answers.jsonl")).unwrap();
        let answers: Vec<Value> = answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(answers.len(), self.calls.len());
        for ((call, expected), answer) in self.calls.iter().zip(&answers) {
            assert_eq!(answer, expected, "{call}\n{}", self.modules[module_of(call)]);
        }
    }
}

fn module_of(call: &Value) -> usize {
    call["module"].as_str().unwrap().trim_start_matches('m').parse().unwrap()
}

pub(crate) fn ruleset(case: Case, rules: Vec<(Pattern, Pattern, Action, bool)>) -> (Ruleset, SourceMap) {
    let mut sources = SourceMap::default();
    let span = Span::new(sources.add("a.policy", "deny *"), 5..6);
    let origin = Origin { span, statement: span, slot: "own".into(), prelude: false, via: Vec::new() };
    let origin = Arc::new(origin);
    let rules = rules.into_iter().enumerate();
    let rules = rules.map(|(id, (permission, pattern, action, said))| Rule {
        id: id as u32,
        permission,
        pattern,
        action,
        reason: said.then(|| "as a \"test\" /*: any */ says".into()),
        origin: origin.clone(),
    });
    (Ruleset { agent: "__proto__".to_owned(), rules: rules.collect(), case }, sources)
}

fn permission() -> impl Strategy<Value = Pattern> {
    let text = prop::sample::select(vec!["*", "read", "re*", "edit", "?dit", "mcp_*", "constructor"]);
    text.prop_map(Pattern::wildcard)
}

/// Patterns of every dialect; those that are none are left out.
fn pattern() -> impl Strategy<Value = Pattern> {
    let parts = |parts: &'static [&'static str]| {
        prop::collection::vec(prop::sample::select(parts.to_vec()), 0..6).prop_map(|parts| parts.concat())
    };
    let plain = parts(&["a", "b", "É", "é", "/", "\\", " ", "*", "?", " *", "😀", "\n", "**", "."]);
    let glob = parts(&["a", "b", "é", "/", "*", "**/", "?", "{a,b*}", "[a-c]", "[!a]", "**", ".", "😀", "{é,ß}"]);
    let regex = parts(&["a", "b+", "(a|b)*", ".", "[^/]", "(?s:.)*", "é?", "[a-zé]{2,3}", "😀", "\\\\", "/", "(?i:a)"]);
    let text = (prop::sample::select(vec![0, 1, 2, 3, 4]), plain, glob, regex);
    text.prop_filter_map("no pattern", |(dialect, plain, glob, regex)| {
        let (dialect, text) = match dialect {
            0 => (Dialect::Wildcard, plain),
            1 => (Dialect::Exact, plain),
            2 => (Dialect::Prefix, plain),
            3 => (Dialect::Glob, glob),
            _ => (Dialect::Regex, regex),
        };
        Pattern::new(dialect, &text).ok()
    })
}

fn resource() -> impl Strategy<Value = String> {
    let letters = vec!["a", "b", "A", "é", "É", "/", "\\", " ", "😀", "\n", "c", ".", "ß", "*", "K"];
    prop::collection::vec(prop::sample::select(letters), 0..7).prop_map(|parts| parts.concat())
}

#[test]
fn any_rules_decide_in_node_as_here() {
    let rule = (permission(), pattern(), prop::sample::select(Action::ALL.to_vec()), any::<bool>());
    let case = prop::sample::select(vec![Case::Sensitive, Case::Sensitive, Case::Folded]);
    let case = (case, prop::collection::vec(rule, 0..7), prop::collection::vec(resource(), 12));
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut batch = Batch::default();
    for round in 0..300 {
        let (case, rules, resources) = case.new_tree(&mut runner).unwrap().current();
        let own: Vec<String> = rules.iter().map(|(_, pattern, ..)| pattern.text().to_owned()).collect();
        let (set, sources) = ruleset(case, rules);
        let visibility = Visibility::ALL[round % Visibility::ALL.len()];
        let (keys, sets) = ([("write".to_owned(), "edit".to_owned())], [set.clone()]);
        let policy = js::Policy { rulesets: &sets, visibility, default_agent: None, keys: &keys };
        let module = batch.module(&policy, &sources);
        for (tool, key) in [("read", "read"), ("write", "edit"), ("toString", "toString")] {
            batch.sight(module, &set.agent, tool, visible(&set, key, visibility));
        }
        for resource in resources.iter().chain(&own) {
            for permission in ["read", "edit", "mcp_x", "constructor"] {
                batch.call(module, &set, permission, resource, &sources);
            }
        }
    }
    batch.ask();
}

#[test]
fn examples_decide_in_node_as_here() {
    let mut batch = Batch::default();
    for path in super::examples::policies("policies/examples") {
        let mut files = Files::default();
        let compilation = project::compile_policy(&mut files, &path, &Options::default()).unwrap();
        let keys = js::keys(&compilation.model);
        let policy = js::Policy {
            rulesets: &compilation.rulesets,
            visibility: compilation.model.visibility,
            default_agent: js::default_agent(&compilation.model),
            keys: &keys,
        };
        let module = batch.module(&policy, &files.sources);
        for set in compilation.rulesets.iter().take(8) {
            for permission in compilation.model.permissions.keys() {
                for resource in compilation.runtime.hints(permission).iter().map(String::as_str).chain(["*", "", "x"]) {
                    batch.call(module, set, permission, resource, &files.sources);
                }
            }
            for tool in compilation.model.tools() {
                let key = compilation.model.key_of(tool);
                batch.sight(module, &set.agent, tool, visible(set, key, compilation.model.visibility));
            }
        }
    }
    batch.ask();
}

/// OpenCode's tools whose permission has another name.
const KEYS: [(&str, &str); 5] = [
    ("write", "edit"),
    ("apply_patch", "edit"),
    ("list_mcp_resources", "read"),
    ("list_mcp_resource_templates", "read"),
    ("read_mcp_resource", "read"),
];

/// What the real OpenCode decided and hid.
#[test]
fn recorded_decisions_are_the_same_in_node() {
    let text = std::fs::read_to_string("tests/conformance/opencode.json").unwrap();
    let recorded: Value = serde_json::from_str(&text).unwrap();
    let mut batch = Batch::default();
    let module = |case: &Value, batch: &mut Batch| {
        let rule = |rule: &Value| {
            let part = |name: &str| rule[name].as_str().unwrap();
            let action = Action::from_word(part("action")).unwrap();
            (Pattern::wildcard(part("permission")), Pattern::wildcard(part("pattern")), action, false)
        };
        let rules = case["ruleset"].as_array().unwrap().iter().map(rule).collect();
        let (set, sources) = ruleset(Case::Sensitive, rules);
        let (sets, keys) = ([set], KEYS.map(|(tool, key)| (tool.to_owned(), key.to_owned())));
        let policy = js::Policy { rulesets: &sets, visibility: Visibility::LastDeny, default_agent: None, keys: &keys };
        let module = batch.module(&policy, &sources);
        let [set] = sets;
        (module, set, sources)
    };
    for case in recorded["evaluate"].as_array().unwrap() {
        let (at, set, sources) = module(case, &mut batch);
        let (permission, resource) = (&case["query"]["permission"], &case["query"]["pattern"]);
        batch.call(at, &set, permission.as_str().unwrap(), resource.as_str().unwrap(), &sources);
        assert_eq!(batch.calls.last().unwrap().1["action"], case["expect"], "{case}");
    }
    for case in recorded["disabled"].as_array().unwrap() {
        let (at, set, _) = module(case, &mut batch);
        for tool in case["tools"].as_array().unwrap() {
            let seen = !case["hidden"].as_array().unwrap().contains(tool);
            batch.sight(at, &set.agent, tool.as_str().unwrap(), seen);
        }
    }
    batch.ask();
}

/// The page's own example, run.
#[test]
fn the_page_is_true() {
    let page = std::fs::read_to_string("docs/javascript.md").unwrap();
    let block = |language: &str| {
        let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
        rest.split("```").next().unwrap().to_owned()
    };
    let mut files = Files::default();
    let path = Utf8Path::new("page.policy");
    files.given(path, &block("policy"));
    let compilation = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    let keys = js::keys(&compilation.model);
    let policy = js::Policy {
        rulesets: &compilation.rulesets,
        visibility: compilation.model.visibility,
        default_agent: js::default_agent(&compilation.model),
        keys: &keys,
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = Utf8Path::from_path(folder.path()).unwrap();
    std::fs::write(folder.join(js::MODULE_FILE), js::module(&policy, &files.sources).unwrap()).unwrap();
    if let Some(said) = node::run(folder, "page.mjs", &block("js")) {
        assert_eq!(said, block("text"));
    }
}

/// What one caller does to an answer is no other's.
#[test]
fn no_answer_is_shared() {
    let (sets, sources) = ruleset(Case::Sensitive, Vec::new());
    let sets = [sets];
    let policy = js::Policy { rulesets: &sets, visibility: Visibility::Fixed, default_agent: None, keys: &[] };
    let module = js::module(&policy, &sources).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8Path::from_path(folder.path()).unwrap();
    let ask = "decide(agents[0], 'bash', 'x').action = 'allow';\n\
               try { agents.length = 0; } catch {}\n\
               console.log(decide(agents[0], 'bash', 'x').action);\n";
    let Some(answer) = node::run(path, "ask.mjs", &format!("{module}{ask}")) else { return };
    assert_eq!(answer, "ask\n");
}

#[test]
fn no_text_stalls_it() {
    let patterns = [
        Pattern::wildcard(&"*a".repeat(60)),
        Pattern::new(Dialect::Regex, "(a*)*(a|aa)*b").unwrap(),
        Pattern::new(Dialect::Glob, &"*a".repeat(60)).unwrap(),
    ];
    let rules = patterns.map(|pattern| (Pattern::wildcard("*"), pattern, Action::Deny, false));
    let (set, sources) = ruleset(Case::Sensitive, rules.to_vec());
    let sets = [set];
    let policy = js::Policy { rulesets: &sets, visibility: Visibility::Fixed, default_agent: None, keys: &[] };
    let mut batch = Batch::default();
    let module = batch.module(&policy, &sources);
    batch.call(module, &sets[0], "read", &format!("{}c", "a".repeat(3_000)), &sources);
    batch.ask();
}
