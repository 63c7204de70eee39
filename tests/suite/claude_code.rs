//! Claude Code: what its validator says of rules and files, what is found in settings, and policies as settings.

use camino::Utf8Path;
use policyc::checks::Date;
use policyc::decide::decide;
use policyc::diagnostic::{Finding, Severity};
use policyc::fidelity::{self, Fidelity, Side};
use policyc::files::Files;
use policyc::import;
use policyc::language::Budget;
use policyc::model::Visibility;
use policyc::project::{self, Compilation, Options, compile_config};
use policyc::report::human::{self, Style};
use policyc::report::{Report, Section};
use policyc::rule::Action;
use policyc::runtimes::Source;
use policyc::runtimes::claude_code::ClaudeCode;
use policyc::syntax::print;
use policyc::targets::{self, Built};
use proptest::prelude::*;
use serde_json::Value;
use std::fmt::Write as _;

fn compile(sources: &[(&'static str, &str, &str)]) -> (Files, Compilation) {
    let mut files = Files::default();
    let sources: Vec<Source> = sources
        .iter()
        .map(|(kind, path, text)| Source { kind, path: (*path).into(), file: files.given((*path).into(), text) })
        .collect();
    let compiled = compile_config(&mut files, &ClaudeCode, &sources, &Options::default());
    (files, compiled)
}

fn settings(text: &str) -> (Files, Compilation) {
    compile(&[("user", "settings.json", text)])
}

fn agent(text: &str) -> (Files, Compilation) {
    compile(&[("agent-file", ".claude/agents/x.md", text)])
}

fn told(files: &Files, findings: Vec<Finding>) -> String {
    let section = Section { target: String::new(), findings, agents: 0, rules: 0, sources: Vec::new() };
    human::findings(&Report { sections: vec![section] }, &files.sources, Style { width: 100, colour: false })
}

fn shown((files, compiled): &(Files, Compilation)) -> String {
    told(files, compiled.findings.clone())
}

/// The imported policy: its last file, printed.
fn policy((_, compiled): &(Files, Compilation)) -> String {
    print(compiled.program.policies.last().unwrap())
}

/// What is said of settings, from warnings on.
fn faults((_, compiled): &(Files, Compilation)) -> Vec<&Finding> {
    compiled.findings.iter().filter(|finding| finding.severity > Severity::Info).collect()
}

fn action(compiled: &Compilation, agent: &str, permission: &str, resource: &str) -> Action {
    let set = compiled.rulesets.iter().find(|set| set.agent == agent).unwrap();
    decide(set, permission, resource).action
}

/// What the program said of rules and files, recorded: policyc says something of what it skips or warns of, and reads no
/// file without a word that it drops. Of what the program takes silently more may be said.
#[test]
fn the_recorded_answers_of_the_validator() {
    let text = std::fs::read_to_string("tests/conformance/claude-code.json").unwrap();
    let vectors: Value = serde_json::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for vector in vectors["vectors"].as_array().unwrap() {
        let text = match vector.get("rule") {
            Some(rule) => {
                let section = vector["section"].as_str().unwrap();
                serde_json::json!({ "permissions": { section: [rule] } }).to_string()
            }
            None => match &vector["settings"] {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        };
        let read = settings(&text);
        let found = !faults(&read).is_empty();
        // A hook of an event that there is not protects nothing and opens nothing: it is no rule.
        let left = vector["id"] == "hooks-event-typo";
        if vector["decision"] != "ok" && !found && !left {
            wrong.push(format!("{}: {text}", vector["id"]));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn what_is_wrong_with_settings() {
    let mut out = String::new();
    for text in [
        r#"{"permissions": {"deny": ["Write(src/**)", "Glob(src/**)", "MultiEdit(a)", "Read(/etc/passwd)", "Edit(!a)"]}}"#,
        r#"{"permissions": {"allow": ["B*", "bash(ls)", "Bash()", "Bash(npm publish)*", "WebFetch(https://a.b)", "Baash"]}}"#,
        r#"{"permissions": {"denied": ["Bash"], "read": {"deny": ["**/.env"]}, "defaultMode": "Plan"}}"#,
        r#"{"deny": ["Bash"], "permission": {"bash": "deny"}, "permisions": {}, "allowedTools": ["Bash"]}"#,
        r#"{"permissions": {"deny": "Bash"}, "env": 5}"#,
        r#"{"permissions": {"deny": [3, "Bash(command:rm *)", "Read(file_path:/a)", "LS", "mcp__gh__get(x)"]}}"#,
        r#"{"permissions": {"deny": ["Bash"]}, "permissions": {"deny": ["Edit"]}}"#,
        r#"{"permissions": {"disableBypassPermissionsMode": true}, "hooks": {"PreToolUse": []}}"#,
        "{\n // c\n \"permissions\": {\"deny\": [\"Bash\"]}}",
        "{\"permissions\": {\"deny\": [\"Bash\"",
        "[]",
        r#"{"env": {"API_KEY": "sk-abcdefghijklmnopqrstuvwxyz0123456789"}}"#,
    ] {
        let _ = writeln!(out, "{text}\n\n{}\n", shown(&settings(text)));
    }
    insta::assert_snapshot!(out);
}

#[test]
fn what_is_wrong_with_agents() {
    let mut out = String::new();
    for text in [
        "---\nname: x\ndescription: d\ntools: Read, Grep, Bash(git:*)\npermissionMode: yolo\n---\nBody",
        "---\nname: x\ntools: [Reed, LS]\n---\n",
        "---\ndescription: d\nallowed-tools: Read\npermission: {edit: deny}\n---\n",
        "---\nname: x\ndescription: a\ntools: [\n---\n",
        "\n---\nname: x\n---\n",
        "no fields at all",
    ] {
        let _ = writeln!(out, "{text}\n\n{}\n", shown(&agent(text)));
    }
    insta::assert_snapshot!(out);
}

/// Settings as people have them: nothing is found in them.
#[test]
fn nothing_is_said_of_clean_settings() {
    for text in [
        "{}",
        "",
        r#"{"$schema": "https://json.schemastore.org/claude-code-settings.json", "permissions": {
            "allow": ["Bash(npm run test:*)", "Bash(git diff:*)", "Edit", "Write", "WebFetch(domain:docs.rs)", "mcp__gh"],
            "ask": ["Bash(git push:*)"],
            "deny": ["Read(./.env)", "Read(./secrets/**)", "Read(~/.ssh/**)", "Bash(curl:*)", "mcp__db"],
            "defaultMode": "acceptEdits", "additionalDirectories": ["../docs/"]},
            "env": {"FOO": "1"}, "model": "opus", "someNewKey": true, "enabledPlugins": {"a@b": true}}"#,
    ] {
        let (files, compiled) = settings(text);
        let today = Date::parse("2026-12-01").unwrap();
        let mut findings = project::check(&compiled, &files.sources, today, false, &mut Budget::default());
        // Commands that run unasked show what `Read` may not: that is so of every such file.
        findings.retain(|finding| finding.severity > Severity::Info && finding.code.id != "PC0314");
        assert!(findings.is_empty(), "{text}\n{}", told(&files, findings));
    }
}

#[test]
fn settings_as_a_policy() {
    let user = r#"{"permissions": {"deny": ["Bash(rm -rf:*)", "Read(//etc/**)"], "allow": ["Bash(cargo test *)"],
        "defaultMode": "acceptEdits"}}"#;
    let project = r#"{"permissions": {"deny": ["Edit(/infra/**)", "Read(.env)", "Edit(src/**)", "mcp__*", "Web*"],
        "ask": ["Bash(cargo publish *)", "Agent(Explore)"], "additionalDirectories": ["../shared"],
        "allow": ["Edit(/docs/**)", "Edit(src/**)", "mcp__gh__get_*", "WebFetch(domain:docs.rs)", "Write"]}}"#;
    let reviewer = "---\nname: reviewer\ndescription: Reads.\ntools: Read, Grep, mcp__gh\n---\nRead and tell.\n";
    let explore = "---\nname: Explore\ndescription: Ours.\npermissionMode: plan\ndisallowedTools: Write, Bash\n---\n";
    let read = compile(&[
        ("user", "home/settings.json", user),
        ("agent-file", ".claude/agents/explore.md", explore),
        ("agent-file", ".claude/agents/reviewer.md", reviewer),
        ("project", ".claude/settings.json", project),
        ("local", ".claude/settings.local.json", r#"{"permissions": {"defaultMode": "plan"}}"#),
    ]);
    assert!(faults(&read).is_empty(), "{}", shown(&read));
    insta::assert_snapshot!(policy(&read));
    let text = import::policy(&read.1, &read.0.sources).unwrap();
    assert!(text.starts_with("runtime claude-code \"2.1\""), "{text}");
}

#[test]
fn a_denial_beats_a_question_and_that_an_allowance() {
    let text = r#"{"permissions": {"allow": ["Bash(git *)", "Edit", "Read(~/x/**)"], "ask": ["Bash(git push *)"],
        "deny": ["Bash(git push --force *)", "Edit(/infra/**)", "Read(.env)"]}}"#;
    let (_, compiled) = settings(text);
    let is = |permission, resource, wanted| {
        assert_eq!(action(&compiled, "main", permission, resource), wanted, "{permission} {resource}");
    };
    is("bash", "git log", Action::Allow);
    is("bash", "git push origin", Action::Ask);
    is("bash", "git push --force x", Action::Deny);
    is("bash", "npm test", Action::Ask);
    is("bash", "ls -la", Action::Allow);
    is("edit", "src/a.rs", Action::Allow);
    is("edit", ".git/config", Action::Ask);
    is("read", ".env", Action::Deny);
    is("edit", "deep/.env", Action::Deny);
    is("external_directory", "~/x/y/*", Action::Allow);
    is("external_directory", "/etc/*", Action::Allow);
    is("mcp__gh__get", "*", Action::Ask);
    assert_eq!(action(&compiled, "plan-mode", "edit", "src/a.rs"), Action::Deny);
    assert_eq!(action(&compiled, "Explore", "edit", "src/a.rs"), Action::Deny);
}

#[test]
fn modes_change_what_is_not_said() {
    let of = |mode: &str, permission, resource| {
        let text = format!(r#"{{"permissions": {{"defaultMode": "{mode}", "ask": ["Bash(git push *)"]}}}}"#);
        action(&settings(&text).1, "main", permission, resource)
    };
    assert_eq!(of("default", "edit", "a"), Action::Ask);
    assert_eq!(of("manual", "edit", "a"), Action::Ask);
    assert_eq!(of("acceptEdits", "edit", "a"), Action::Allow);
    assert_eq!(of("acceptEdits", "edit", ".git/config"), Action::Ask);
    assert_eq!(of("acceptEdits", "bash", "rm -r a"), Action::Allow);
    assert_eq!(of("dontAsk", "edit", "a"), Action::Deny);
    assert_eq!(of("dontAsk", "bash", "git push x"), Action::Deny);
    assert_eq!(of("dontAsk", "bash", "git status"), Action::Allow);
    assert_eq!(of("bypassPermissions", "edit", ".git/config"), Action::Allow);
    assert_eq!(of("bypassPermissions", "bash", "git push x"), Action::Ask);
    assert_eq!(of("bypassPermissions", "bash", "rm -rf /"), Action::Ask);
}

#[test]
fn no_text_stops_the_reader() {
    let deep = format!("{}{}", "[".repeat(3_000), "]".repeat(3_000));
    let many: Vec<String> = (0..20_000).map(|at| format!("\"Bash(cmd{at} *)\"")).collect();
    let large = format!("{{\"permissions\": {{\"deny\": [{}]}}}}", many.join(","));
    for text in
        [deep.as_str(), &large, "\u{feff}{}\r\n", "{\"permissions\":{\"deny\":[\"Bash(\u{0}x)\"]}}", "null", "\"x\""]
    {
        settings(text);
    }
    for text in
        ["---", "---\n---", "---\r\nname: x\r\n---\r\n", "\u{feff}---\nname: x\n---\n", "---\nname: [1]\ntools: 3\n---"]
    {
        agent(text);
    }
}

fn built(text: &str) -> Built {
    let mut files = Files::default();
    let path = Utf8Path::new("test.policy");
    files.given(path, text);
    let compilation = project::compile_policy(&mut files, path, &Options::default()).unwrap();
    targets::config(&mut files, &compilation, &ClaudeCode, (None, &[]), &mut Budget::default()).unwrap()
}

fn all(built: &Built) -> String {
    let mut out = String::new();
    for file in &built.files {
        let _ = write!(out, "==> {}\n{}", file.path, file.text);
    }
    for row in &built.rows {
        let _ = writeln!(out, "{}: {:?}", row.agent, row.fidelity);
    }
    for finding in &built.findings {
        let _ = writeln!(out, "{} {}", finding.code.id, finding.message);
    }
    for note in &built.notes {
        let _ = writeln!(out, "note: {note}");
    }
    out
}

#[test]
fn policies_as_settings() {
    let mut out = String::new();
    for text in [
        "agent a { mode primary; ask *; allow read; allow bash [\"git log *\", \"cargo test *\"]; deny bash \"rm *\"\n\
         deny read [\"*.env\", \"~/.ssh/*\"]; allow edit \"docs/*\"; allow webfetch \"https://docs.rs/*\" }\n",
        "agent a { mode primary; deny *; allow read; deny read \"*.pem\"; allow bash \"git status *\"; allow edit \"docs/*.md\" }\n\
         agent reader { mode subagent; description \"Reads.\"; deny *; allow read; deny read \"*.pem\" }\n",
        "agent a { mode primary; allow *; deny bash \"git push *\"; allow bash \"git push origin docs *\"; ask edit \"src/*\" }\n",
        "agent a { mode primary; ask \"mcp__gh__*\"; deny \"mcp__gh__*\" prefix \"*\"; deny edit \"docs/*\" }\n",
        "agent a { mode primary; ask *; deny external_directory \"/etc/*\"; deny \"mcp__gh__*\"; deny task \"helper\" }\n",
    ] {
        let made = built(text);
        assert!(made.is_sound(), "{text}\n{}", all(&made));
        let _ = writeln!(out, "{text}\n{}\n", all(&made));
    }
    insta::assert_snapshot!(out);
}

const PERMISSIONS: [&str; 10] =
    ["*", "bash", "edit", "read", "webfetch", "external_directory", "task", "skill", "mcp__gh__*", "grep"];
const TEXTS: [&str; 18] = [
    "*",
    "**",
    "*.md",
    "src/*",
    "src/*.rs",
    "git *",
    "git log *",
    "rm -rf *",
    "a?c",
    "ls *",
    "npm:*",
    "~/x/*",
    "/etc/*",
    "reviewer",
    "https://a.b/*",
    "docs",
    "*secret*",
    "a/b.md",
];

fn rule() -> impl Strategy<Value = String> {
    let of = |words: &'static [&'static str]| prop::sample::select(words.to_vec());
    (of(&["allow", "ask", "deny"]), of(&PERMISSIONS), of(&["", "", "exact ", "prefix ", "glob "]), of(&TEXTS)).prop_map(
        |(action, permission, dialect, text)| {
            let permission = if permission.len() > 1 { format!("{permission:?}") } else { permission.to_owned() };
            format!("  {action} {permission} {dialect}\"{text}\"\n")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Whatever is written is never looser: by the proof, and by trying out calls one by one.
    #[test]
    fn nothing_is_ever_written_looser(
        main in prop::collection::vec(rule(), 0..7),
        other in prop::collection::vec(rule(), 0..4),
    ) {
        let text = format!(
            "agent x {{\n  mode primary\n{}}}\nagent y {{\n  mode subagent\n{}}}\n", main.concat(), other.concat()
        );
        let mut files = Files::default();
        let path = Utf8Path::new("test.policy");
        files.given(path, &text);
        let policy = project::compile_policy(&mut files, path, &Options::default()).unwrap();
        let built =
            targets::config(&mut files, &policy, &ClaudeCode, (None, &[]), &mut Budget::default()).unwrap();
        if built.findings.iter().any(|finding| finding.code.id == "PC0601") {
            return Ok(());
        }
        // A subagent whose rules no list of tools can say is refused; the session itself never needs to be.
        let session = built.rows.iter().find(|row| row.agent == "x").unwrap();
        prop_assert!(!matches!(session.fidelity, Fidelity::Looser(_)), "lowering is sound: {}\n{}", text, all(&built));
        if !built.is_sound() {
            return Ok(());
        }
        let sources: Vec<(&'static str, &str, &str)> =
            built.files.iter().rev().map(|file| (file.kind, file.path.as_str(), file.text.as_str())).collect();
        let back = compile(&sources).1;
        for set in &policy.rulesets {
            let theirs = if set.agent == "x" { "main" } else { "y" };
            for (permission, resource) in calls() {
                let ours = decide(set, permission, resource).action;
                let written = action(&back, theirs, permission, resource);
                prop_assert!(written >= ours, "{permission} {resource}: {text}\n{}", all(&built));
            }
        }
    }

    /// Any settings can be said as a policy that decides the same.
    #[test]
    fn settings_can_be_said(
        allow in prop::collection::vec(prop::sample::select(RULES.to_vec()), 0..5),
        ask in prop::collection::vec(prop::sample::select(RULES.to_vec()), 0..3),
        deny in prop::collection::vec(prop::sample::select(RULES.to_vec()), 0..5),
        mode in prop::sample::select(vec!["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"]),
    ) {
        let permissions = serde_json::json!({ "allow": allow, "ask": ask, "deny": deny, "defaultMode": mode });
        let read = settings(&serde_json::json!({ "permissions": permissions }).to_string());
        let text = import::policy(&read.1, &read.0.sources);
        prop_assert!(text.is_ok(), "{permissions}: {text:?}");
        let mut files = Files::default();
        let path = Utf8Path::new("imported.policy");
        files.given(path, &text.unwrap());
        let again = project::compile_policy(&mut files, path, &Options::default()).unwrap();
        for (one, other) in read.1.rulesets.iter().zip(&again.rulesets) {
            let side = |set| Side { set, visibility: Visibility::BareDeny };
            prop_assert_eq!(fidelity::compare(side(one), side(other), &[], &mut Budget::default()), Fidelity::Exact);
        }
    }
}

const RULES: [&str; 16] = [
    "Bash",
    "Bash(git *)",
    "Bash(npm run test:*)",
    "Bash(test -f a?)",
    "Edit(src/**)",
    "Edit(/docs/**)",
    "Read(.env)",
    "Read(//etc/**)",
    "Read(~/.ssh/**)",
    "Edit(**/*.{a,b})",
    "WebFetch(domain:*.x.com)",
    "WebFetch(domain:docs.rs)",
    "Agent(Explore)",
    "mcp__gh",
    "Write",
    "Edit(a/[bc]*)",
];

fn calls() -> Vec<(&'static str, &'static str)> {
    let mut out = Vec::new();
    for resource in ["git log", "git log -p", "git", "rm -rf x", "abc", "ls", "ls x", "npm:x", "reviewer", "cat a"] {
        out.extend([("bash", resource), ("task", resource), ("skill", resource)]);
    }
    for resource in
        ["a.md", "src/a", "src/a/b.md", "src/a.rs", "docs", "docs/a", "a/b.md", "x/secret/y", "~/x/a", "/etc/a"]
    {
        out.extend([("read", resource), ("edit", resource)]);
    }
    out.extend([
        ("webfetch", "https://a.b/x"),
        ("webfetch", "https://c.d/"),
        ("mcp__gh__get", "*"),
        ("mcp__x__y", "*"),
    ]);
    out.extend([("external_directory", "/etc/*"), ("external_directory", "~/x/*"), ("grep", "src"), ("grep", ".")]);
    out
}

/// `cat FILE` is held to what is said of reading the file, so it is no way around that.
#[test]
fn a_denied_file_is_not_said_to_be_shown_by_cat() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".claude")).unwrap();
    let text = "{ \"permissions\": { \"deny\": [\"Read(./.env)\"] } }\n";
    std::fs::write(folder.path().join(".claude/settings.json"), text).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_policyc"))
        .current_dir(folder.path())
        .args(["check", "--format", "json"])
        .output()
        .unwrap();
    let report = String::from_utf8(output.stdout).unwrap();
    assert!(report.contains("\"sources\"") && !report.contains("cat .env"), "{report}");
}
