//! The formats for CI: what each makes of the same findings, and that no text of a file breaks out of it.

use policyc::diagnostic::{Code, Confidence, Edit, Finding, Fix, Severity, Witness, WitnessCall};
use policyc::report::{Report, Section, fingerprint, github, junit, markdown, sarif};
use policyc::source::{SourceMap, Span};
use serde_json::Value;

const DEAD: Code = Code::new("PC0101", "unreachable-rule", Severity::Error);
const LOOSE: Code = Code::new("PC0305", "write-by-delegation", Severity::Error);
const PAGE: &str =
    "# PC0101 unreachable-rule\n\nOne later rule matches every call.\n\nSeverity: warning. Kind: exact.\n";

fn at(map: &SourceMap, file: &str, piece: &str) -> Span {
    let (id, source) = map.iter().find(|(_, source)| source.name() == file).unwrap();
    let at = source.text().find(piece).unwrap();
    Span::new(id, at..at + piece.len())
}

fn call(agent: &str, permission: &str, resource: &str) -> WitnessCall {
    WitnessCall { agent: agent.into(), permission: permission.into(), resource: resource.into() }
}

/// One finding of every shape, with texts that would mean something in one of the formats.
fn everything() -> (Report, SourceMap) {
    let mut map = SourceMap::default();
    map.add("team.policy", "layer user {\n  deny bash \"a,b:c%\"\n  ask é \"x\"\n  allow bash\n}\n");
    map.add("dir/a b%.json", "{\n  \"é\": \"](1) <b>`x`\"\n}\n");
    let missing = map.add("gone.policy", "");
    let deny = at(&map, "team.policy", "\"a,b:c%\"");
    let dead = Finding::new(DEAD, deny, "`deny bash \"a,b:c%\"` never decides: `allow bash` after it")
        .label("never decides")
        .related(at(&map, "team.policy", "allow bash"), "decides instead")
        .note("no call exists that it decides")
        .help("move `allow bash` above")
        .agent("build")
        .witness(Witness { calls: vec![call("build", "bash", "a,b:c%")], decision: "allow".into() })
        .fix(Fix::new("delete what never decides", vec![Edit { span: deny, text: "\"x\"".into() }]));
    let text = at(&map, "dir/a b%.json", "\"](1) <b>`x`\"");
    let chain = vec![call("plan", "task", "general"), call("general", "edit", "src/<img>\u{202e}`\n[a](1)")];
    let loose = Finding::new(LOOSE, text, "`plan` can write by `](1) <b>`x` @all #1` | and <script>")
        .severity(Severity::Warning)
        .confidence(Confidence::Catalogue)
        .witness(Witness { calls: chain, decision: "allow".into() });
    let lines = Finding::new(LOOSE, at(&map, "team.policy", "deny bash \"a,b:c%\"\n  ask"), "two lines")
        .severity(Severity::Info);
    let gone = Finding::new(DEAD, Span::new(missing, 0..0), "`gone.policy` does not exist");
    let mut kept = Finding::new(DEAD, at(&map, "team.policy", "\"x\""), "kept until the release");
    kept.ignored = Some("the release needs it <b>".into());
    let findings = vec![dead, loose, lines, gone, kept];
    let section = |target: &str, findings| Section {
        target: target.into(),
        findings,
        agents: 2,
        rules: 3,
        sources: vec![format!("{target}.policy")],
    };
    (Report { sections: vec![section("team", findings), section("clean", Vec::new())] }, map)
}

fn sarif_of(report: &Report, map: &SourceMap) -> Value {
    let mut log = sarif::report(report, map, &[(DEAD, PAGE)]).log;
    log["runs"][0]["tool"]["driver"]["semanticVersion"] = "VERSION".into();
    valid(&log);
    log
}

/// Holds a log to the official schema.
#[track_caller]
fn valid(log: &Value) {
    let text = std::fs::read_to_string("tests/schema/sarif-2.1.0.json").unwrap();
    // The one pattern in it, of languages that we do not write, that is no regular expression of its own standard.
    let schema: Value = serde_json::from_str(&text.replace("{2}]?$", "{2}$")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> = validator.iter_errors(log).take(5).map(|error| error.to_string()).collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn sarif_is_whole_and_valid() {
    let (report, map) = everything();
    insta::assert_snapshot!(format!("{:#}", sarif_of(&report, &map)));
}

#[test]
fn sarif_of_the_program_is_valid() {
    for folder in ["policies/examples/project", "tests/cli/check.in", "tests/cli/test.in"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_policyc"));
        let command = command.args(["check", "--pedantic", "--format", "sarif"]).current_dir(folder);
        let output = command.output().unwrap();
        let log: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(!log["runs"][0]["results"].as_array().unwrap().is_empty(), "{folder}");
        valid(&log);
    }
}

#[test]
fn sarif_keeps_to_the_limits_of_code_hosts() {
    let mut map = SourceMap::default();
    let id = map.add("a.policy", "x".repeat(30_000));
    let place = |at: usize| Span::new(id, at..at + 1);
    let mut findings: Vec<Finding> = (0..25_010)
        .map(|at| Finding::new(DEAD, place(at), format!("number {at}")).severity(Severity::Warning))
        .collect();
    let mut long = Finding::new(DEAD, place(26_000), "the last, and the worst");
    for at in 0..1_200 {
        long = long.related(place(at), "");
    }
    findings.push(long);
    let section = Section { target: "a".into(), findings, agents: 0, rules: 0, sources: Vec::new() };
    let sarif = sarif::report(&Report { sections: vec![section] }, &map, &[]);
    let results = sarif.log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 25_000);
    assert_eq!(results.last().unwrap()["level"], "error", "the worst is kept");
    assert_eq!(results.last().unwrap()["relatedLocations"].as_array().unwrap().len(), 999);
    assert_eq!(
        sarif.notes,
        [
            "11 findings, the least severe, are left out: code hosts take 25000 a run",
            "code hosts keep 5000 findings of a run, the most severe first",
            "1 of the findings have more than 1000 places; the rest of those is left out",
        ]
    );
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let prints = |text: &str, pieces: &[&str]| {
        let mut map = SourceMap::default();
        map.add("a.policy", text);
        let findings: Vec<Finding> =
            pieces.iter().map(|piece| Finding::new(DEAD, at(&map, "a.policy", piece), "whatever")).collect();
        fingerprint::numbered(&findings.iter().collect::<Vec<_>>(), &map)
    };
    let before = prints("deny bash \"rm *\"\nallow  edit\n", &["\"rm *\"", "allow  edit", "\"rm *\""]);
    let after = prints("# more\n\n\ndeny bash \"rm *\"\n  allow edit\n", &["\"rm *\"", "allow edit", "\"rm *\""]);
    assert_eq!(before, after);
    assert!(before[0].ends_with(":1") && before[2].ends_with(":2"), "{before:?}");
    assert_ne!(before[0], before[1]);
}

#[test]
fn junit_is_whole_and_well_formed() {
    let (report, map) = everything();
    let text = junit::report(&report, &map).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!(read.test_suites.len(), 2);
    insta::assert_snapshot!(text);
}

#[test]
fn github_takes_one_line_a_finding() {
    let (report, map) = everything();
    let text = github::report(&report, &map);
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.lines().all(|line| line.starts_with("::")), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn markdown_holds_no_markup_of_others() {
    let (report, map) = everything();
    let text = markdown::report(&report, &map);
    assert!(!text.contains("<script>") && !text.contains("</b>`x"), "{text}");
    insta::assert_snapshot!(text);
}
