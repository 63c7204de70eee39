//! A runtime is one folder, one prelude and one word in the list: the one here is in no list at all, and is read, checked,
//! decided for, imported and compiled for by what the library makes of any runtime. `docs/adding-a-runtime.md` walks through.

use camino::Utf8Path;
use policyc::checks::Date;
use policyc::decide::decide;
use policyc::diagnostic::Sink;
use policyc::fidelity::Fidelity;
use policyc::files::Files;
use policyc::language::{Budget, Dialect, Pattern};
use policyc::load::Asked;
use policyc::project::{self, Compilation, Options};
use policyc::rule::{Action, Rule};
use policyc::ruleset::Ruleset;
use policyc::runtimes::{
    Asks, Belongs, Emitted, Environment, Loss, RUNTIMES, Reading, Request, Runtime, Source, SourceRef, Version, Wanted,
    Written,
};
use policyc::source::{SourceMap, Span, Spanned};
use policyc::syntax::ast::{Block, Item, LayerClause, Patterns, Policy, RuleStmt, Stmt, Term, Text};
use policyc::targets;
use std::fs;
use std::path::Path;

/// A runtime with one file `toy.rules`: lines `allow run git *`, the last that matches counts, and else it asks.
#[derive(Debug)]
struct Toy;

static VERSION: [Version; 1] = [Version {
    id: "1",
    prelude_name: "policies/runtime/toy.policy",
    prelude: "permission bash { tools run; resource command; capability exec }\n\
              layer user { }\nmerge user\nvisibility fixed\nagent main { mode primary }\ndefault agent main\n",
    verified: true,
}];

impl Runtime for Toy {
    fn name(&self) -> &'static str {
        "toy"
    }

    fn title(&self) -> &'static str {
        "Toy"
    }

    fn versions(&self) -> &'static [Version] {
        &VERSION
    }

    fn default_version(&self) -> &'static Version {
        &VERSION[0]
    }

    fn plain(&self) -> Dialect {
        Dialect::Wildcard
    }

    fn belongs(&self, path: &Utf8Path) -> Option<Belongs> {
        (path.file_name() == Some("toy.rules")).then(|| Belongs::To(path.parent().unwrap().to_owned()))
    }

    fn reads(&self, path: &Utf8Path) -> bool {
        path.extension() == Some("rules")
    }

    fn sources(&self, folder: &Utf8Path, _: bool) -> Vec<SourceRef> {
        let path = folder.join("toy.rules");
        let found = path.is_file().then_some(SourceRef { kind: "project", path, text: None });
        found.into_iter().collect()
    }

    fn environment(&self, _: &Utf8Path) -> Environment {
        Environment::default()
    }

    fn read(
        &self,
        sources: &[Source],
        texts: &SourceMap,
        _: Option<&'static Version>,
        _: &mut Sink,
    ) -> (&'static Version, Reading) {
        let stmts = sources.iter().flat_map(|source| rules(source, texts)).collect::<Vec<_>>();
        let span = stmts.first().map(|stmt| stmt.span);
        let body = Some(Block { stmts, ..Block::default() });
        let layer = span.map(|span| {
            let name = Spanned::new("user".to_owned(), span);
            Stmt::bare(Item::Layer { name, from: Vec::new(), body }, span)
        });
        let policy = Policy { stmts: layer.into_iter().collect(), ..Policy::default() };
        (self.default_version(), Reading { policy, ..Reading::default() })
    }

    fn settle(&self, _: &mut Ruleset, _: &Version, _: Option<&Environment>) {}

    fn emit(&self, wanted: &Wanted<'_>, _: &mut Budget) -> Option<Result<Emitted, String>> {
        let [set] = wanted.policy.rulesets else { return Some(Err("Toy has one agent".to_owned())) };
        let says = |rule: &&Rule| rule.permission.matches("bash", set.case);
        let (plain, other): (Vec<&Rule>, Vec<&Rule>) =
            set.rules.iter().filter(says).partition(|rule| rule.pattern.dialect() == Dialect::Wildcard);
        let text: String = plain.iter().map(|rule| format!("{} run {}\n", rule.action, rule.pattern.text())).collect();
        let loss = |rule: &&Rule| Loss { rule: (*rule).clone(), why: "its lines hold wildcards only".to_owned() };
        let refused = other.iter().map(loss).collect();
        Some(Ok(Emitted { files: vec![Written::new("toy.rules", text)], refused, ..Emitted::default() }))
    }

    fn impossible(&self, _: &str) -> Vec<Pattern> {
        Vec::new()
    }

    fn hints(&self, _: &str) -> Vec<String> {
        vec!["git push".to_owned()]
    }

    fn asks(
        &self,
        tool: &str,
        input: &serde_json::Value,
        _: &Version,
        _: Option<&Environment>,
    ) -> Result<Asks, String> {
        let line = input.get("line").and_then(serde_json::Value::as_str).filter(|_| tool == "run");
        let line = line.ok_or_else(|| format!("Toy has no tool `{tool}`"))?;
        Ok(vec![Request { permission: "bash".to_owned(), resource: line.to_owned() }].into())
    }

    fn command_call(&self, line: &str, _: &Version) -> Option<(&'static str, serde_json::Value)> {
        Some(("run", serde_json::json!({ "line": line })))
    }
}

/// The lines of a file, each with its place.
fn rules(source: &Source, texts: &SourceMap) -> Vec<Stmt<LayerClause>> {
    let text = texts.file(source.file).unwrap().text();
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        at += line.len();
        (at - line.len(), line.trim_end())
    });
    let rule = |(start, line): (usize, &str)| {
        let (action, rest) = line.split_once(' ')?;
        let (tool, pattern) = rest.split_once(' ')?;
        let span = Span::new(source.file, start..start + line.len());
        let from = start + line.len() - pattern.len();
        let place = Span::new(source.file, from..from + pattern.len());
        let term = Term::Text(Text { dialect: None, text: Spanned::new(pattern.to_owned(), place) });
        let rule = RuleStmt {
            action: Spanned::new(Action::from_word(action)?, span),
            permissions: vec![Spanned::new(if tool == "run" { "bash" } else { tool }.to_owned(), span)],
            patterns: Some(Patterns::One(term)),
            because: None,
        };
        Some(Stmt::bare(LayerClause::Rule(rule), span))
    };
    lines.filter_map(rule).collect()
}

fn config(text: &str) -> (Files, Compilation) {
    let mut files = Files::default();
    let path = Utf8Path::new("toy.rules");
    let file = files.given(path, text);
    let source = Source { kind: "project", path: path.to_owned(), file };
    let compiled = project::compile_config(&mut files, &Toy, &[source], &Options::default());
    (files, compiled)
}

fn policy(text: &str) -> (Files, Compilation) {
    let mut files = Files::default();
    let path = Utf8Path::new("a.policy");
    files.given(path, text);
    let options = Options { asked: Asked { runtime: Some(&Toy), version: None }, ..Options::default() };
    let compiled = project::compile_policy(&mut files, path, &options).unwrap();
    (files, compiled)
}

#[test]
fn its_config_is_read_and_checked() {
    let (files, compiled) = config("allow run git *\ndeny run git push *\nask run git push origin\nallow run *\n");
    let set = &compiled.rulesets[0];
    assert_eq!(decide(set, "bash", "git push x").action, Action::Allow);
    let today = Date::parse("2026-12-01").unwrap();
    let findings = project::check(&compiled, &files.sources, today, false, &mut Budget::default());
    let told: Vec<String> = findings
        .iter()
        .map(|finding| format!("{} {}", finding.code.id, files.sources.place(finding.primary.span)))
        .collect();
    assert!(told.contains(&"PC0104 toy.rules:2:10".to_owned()), "{told:?}");
}

#[test]
fn a_policy_is_compiled_for_it_and_proved() {
    let build = |text: &str| {
        let (mut files, compiled) = policy(text);
        targets::config(&mut files, &compiled, &Toy, (None, &[]), &mut Budget::default()).unwrap()
    };
    let built = build("layer user { allow bash \"git *\"; deny bash \"git push *\" }\n");
    assert_eq!(built.files[0].text, "allow run git *\ndeny run git push *\n");
    assert!(built.is_sound() && built.rows.iter().all(|row| row.fidelity == Fidelity::Exact), "{:?}", built.rows);
    let refused = build("layer user { deny bash regex \"rm.*\" }\n");
    assert!(!refused.is_sound());
    assert!(refused.findings[0].message.contains("cannot be said in a Toy config"), "{:?}", refused.findings);
}

/// Nothing outside a runtime's folder may have to know it.
#[test]
fn no_other_code_names_a_runtime() {
    fn files(folder: &Path, out: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                files(&entry, out);
            } else if entry.extension().is_some_and(|ending| ending == "rs") {
                out.push(entry.to_str().unwrap().to_owned());
            }
        }
    }
    let mut all = Vec::new();
    files(Path::new("src"), &mut all);
    let modules: Vec<String> = RUNTIMES.iter().map(|runtime| runtime.name().replace('-', "_")).collect();
    let mut named = Vec::new();
    for file in &all {
        let text = fs::read_to_string(file).unwrap();
        for module in &modules {
            // An extension is written for pi, in its own language; agents of the others are files, or modes.
            let others = ["src/targets/pi.rs", "src/targets/claude_code.rs", "src/targets/gemini.rs"];
            let known = file.starts_with("src/runtimes/") || others.contains(&file.as_str());
            if !known && text.contains(&format!("runtimes::{module}::")) {
                named.push(format!("{file} names {module}"));
            }
        }
    }
    assert_eq!(named, Vec::<String>::new());
    for version in RUNTIMES.iter().flat_map(|runtime| runtime.versions()) {
        assert_eq!(fs::read_to_string(version.prelude_name).unwrap(), version.prelude, "{}", version.prelude_name);
    }
}
