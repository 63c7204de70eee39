//! What a person sees, for findings of every shape; the same findings as JSON.

use policyc::diagnostic::{Code, Confidence, Edit, Finding, Fix, Severity, Witness, WitnessCall};
use policyc::report::human::{self, Style};
use policyc::report::{Report, Section, json};
use policyc::source::{SourceMap, Span};

const DEAD: Code = Code::new("PC0101", "unreachable-rule", Severity::Error);
const REDUNDANT: Code = Code::new("PC0106", "redundant-rule", Severity::Warning);
const SYNTAX: Code = Code::new("PC1001", "syntax-error", Severity::Error);
const OTHER: Code = Code::new("PC0501", "unknown-agent", Severity::Error);

/// The place of the `nth` occurrence of a piece of text.
fn nth(map: &SourceMap, file: &str, piece: &str, nth: usize) -> Span {
    let (id, source) = map.iter().find(|(_, source)| source.name() == file).unwrap();
    let (at, _) = source.text().match_indices(piece).nth(nth).unwrap();
    Span::new(id, at..at + piece.len())
}

fn at(map: &SourceMap, file: &str, piece: &str) -> Span {
    nth(map, file, piece, 0)
}

fn call(resource: &str, decision: &str) -> Witness {
    let call = WitnessCall { agent: "build".into(), permission: "bash".into(), resource: resource.into() };
    Witness { calls: vec![call], decision: decision.into() }
}

fn report(findings: Vec<Finding>) -> Report {
    let sources = vec!["team.policy".to_owned()];
    let section = Section { target: "team.policy".into(), findings, agents: 2, rules: 9, sources };
    Report { sections: vec![section] }
}

fn show(map: &SourceMap, findings: Vec<Finding>) -> String {
    let out = human::report(&report(findings), map, Style { width: 80, colour: false });
    let widest = out.lines().filter(|line| !line.starts_with("  call:")).map(|line| line.chars().count()).max();
    assert!(widest.unwrap() <= 84, "{out}");
    out
}

#[test]
fn one_of_everything() {
    let mut map = SourceMap::default();
    map.add(
        "team.policy",
        "layer user {\n  deny  bash \"rm *\"\n  ask   bash \"git *\"\n\n\n\n\n  allow bash \"*\"\n}\n",
    );
    let cover = at(&map, "team.policy", "\"*\"");
    let finding = Finding::new(DEAD, at(&map, "team.policy", "\"rm *\""), "`deny bash \"rm *\"` never decides for `build`")
        .label("every request it matches is decided below")
        .related(cover, "decides instead, with `allow`")
        .note("the last rule that matches decides, so a broad rule belongs before its exceptions")
        .help("move `allow bash \"*\"` above the rules that it is meant to leave standing; a long help is wrapped at the width")
        .agent("build")
        .witness(call("rm -rf x", "allow"))
        .fix(Fix::new(
            "move the broad rule up",
            vec![Edit { span: Span::new(cover.file, 0..0), text: "x".into() }],
        ));
    insta::assert_snapshot!(show(&map, vec![finding]));
}

#[test]
fn other_files_too() {
    let mut map = SourceMap::default();
    map.add("team.policy", "use \"shared/base.policy\"\nextend build { deny bash }\n");
    map.add("shared/base.policy", "layer user {\n  allow bash \"git *\"\n  allow bash \"git push *\"\n}\n");
    let finding = Finding::new(
        DEAD,
        at(&map, "shared/base.policy", "\"git push *\""),
        "`allow bash \"git push *\"` never decides",
    )
    .label("never decides")
    .related(nth(&map, "team.policy", "bash", 0), "decides instead")
    .related(at(&map, "shared/base.policy", "\"git *\""), "says the same")
    .witness(call("git push origin main", "deny"));
    insta::assert_snapshot!(show(&map, vec![finding]));
}

#[test]
fn lines_of_every_length() {
    let mut map = SourceMap::default();
    let long: String = (0..2000).map(|n| format!("\"rule-{n} *\": \"allow\", ")).collect();
    map.add("opencode.json", format!("{{\n\t{{{long}}}\n}}\n"));
    let clipped = Finding::new(DEAD, at(&map, "opencode.json", "\"rule-900 *\""), "in the middle of a long line")
        .label("never decides")
        .related(at(&map, "opencode.json", "\"rule-901 *\""), "near it")
        .related(at(&map, "opencode.json", "\"rule-1900 *\""), "far from it");
    let whole = at(&map, "opencode.json", &long);
    let all = Finding::new(DEAD, whole, "the whole of a long line").label("all of this");
    insta::assert_snapshot!(show(&map, vec![clipped, all]));
}

#[test]
fn places_over_lines() {
    let mut map = SourceMap::default();
    map.add("a.policy", "agent a {\n  mode primary\n  hidden\n}\n");
    let many: String = (0..20).map(|n| format!("  deny bash \"{n}\"\n")).collect();
    map.add("b.policy", format!("agent b {{\n{many}}}\n"));
    let a = map.iter().next().unwrap().0;
    let b = map.iter().nth(1).unwrap().0;
    let short = Finding::new(OTHER, Span::new(a, 0..35), "a short block").label("this agent");
    let long = Finding::new(OTHER, Span::new(b, 0..300), "a long block").label("only its first line is shown");
    insta::assert_snapshot!(show(&map, vec![short, long]));
}

#[test]
fn every_script_and_tabs() {
    let mut map = SourceMap::default();
    map.add(
        "team.policy",
        "\t\tdeny read \"秘密/*\"\t# 機密\n  deny read \"👩\u{200d}💻*\"\r\n  deny read \"a\u{202e}b\u{1b}[2J\"\n",
    );
    let wide = Finding::new(DEAD, at(&map, "team.policy", "\"秘密/*\""), "wide characters").label("秘密 here");
    let emoji = Finding::new(DEAD, at(&map, "team.policy", "\"👩\u{200d}💻*\""), "a joined emoji").label("here");
    let marks =
        Finding::new(DEAD, at(&map, "team.policy", "\"a\u{202e}b\u{1b}[2J\""), "`a\u{202e}b\u{1b}[2J` hides something")
            .label("here")
            .witness(call("a\u{202e}'b", "allow"));
    insta::assert_snapshot!(show(&map, vec![wide, emoji, marks]));
}

#[test]
fn nothing_to_show() {
    let mut map = SourceMap::default();
    let empty = map.add("empty.policy", "");
    let text = map.add("end.policy", "layer user {\n");
    let blank = map.add("blank.policy", "\n\n\n");
    let findings = vec![
        Finding::new(SYNTAX, Span::new(empty, 0..0), "the file is empty"),
        Finding::new(SYNTAX, Span::new(text, 13..13), "`}` is missing").label("the file ends here"),
        Finding::new(SYNTAX, Span::new(text, 12..13), "the newline itself").label("here"),
        Finding::new(SYNTAX, Span::new(blank, 1..1), "a blank line").label("here"),
        Finding::new(SYNTAX, Span::new(blank, 90..99), "a place beyond the end").label("here"),
    ];
    insta::assert_snapshot!(show(&map, findings));
}

#[test]
fn secrets_stay_secret() {
    let mut map = SourceMap::default();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    map.add("opencode.json", format!("{{ \"t\": \"{token}\", \"permission\": {{ \"bash {token}\": \"allow\" }} }}\n"));
    let finding =
        Finding::new(OTHER, at(&map, "opencode.json", &format!("\"{token}\"")), format!("a literal `{token}`"))
            .label(format!("{token} here"))
            .related(at(&map, "opencode.json", "\"allow\""), "and allowed")
            .note(format!("note {token}"))
            .help(format!("help {token}"))
            .witness(call(&format!("curl {token}"), "allow"));
    let report = report(vec![finding]);
    let text = human::report(&report, &map, Style { width: 80, colour: true });
    let data = json::report(&report, &map).to_string();
    assert!(!text.contains("ghp_a") && !data.contains("ghp_a"), "{text}\n{data}");
    insta::assert_snapshot!(human::report(&report, &map, Style { width: 80, colour: false }));
}

#[test]
fn redundancy_comes_last_and_folded() {
    let mut map = SourceMap::default();
    let rules: String = (0..14).map(|n| format!("  allow bash \"{n}\"\n")).collect();
    map.add("team.policy", format!("layer user {{\n{rules}}}\n"));
    let redundant = |n: usize| {
        let span = at(&map, "team.policy", &format!("\"{n}\""));
        Finding::new(REDUNDANT, span, format!("`allow bash \"{n}\"` changes nothing")).label("could be left out")
    };
    let mut findings: Vec<Finding> = (0..12).map(redundant).collect();
    let mut many = Finding::new(OTHER, at(&map, "team.policy", "user"), "has many places");
    for n in 0..9 {
        many = many.related(at(&map, "team.policy", &format!("\"{n}\"")), "one");
    }
    findings.push(many.severity(Severity::Warning).confidence(Confidence::Catalogue));
    findings.push(Finding::new(SYNTAX, at(&map, "team.policy", "layer"), "comes first"));
    findings.push(Finding::new(REDUNDANT, at(&map, "team.policy", "\"13\""), "of info").severity(Severity::Info));
    insta::assert_snapshot!(show(&map, findings));
}

#[test]
fn overlapping_and_equal_places() {
    let mut map = SourceMap::default();
    map.add("team.policy", "allow bash \"*\"; deny bash \"x\"\n");
    let finding = Finding::new(DEAD, at(&map, "team.policy", "bash \"*\""), "two places at once")
        .label("the rule")
        .related(at(&map, "team.policy", "\"*\""), "its pattern")
        .related(at(&map, "team.policy", "bash \"*\""), "the rule again")
        .related(at(&map, "team.policy", "allow bash \"*\"; deny"), "a wider one");
    insta::assert_snapshot!(show(&map, vec![finding]));
}

#[test]
fn nothing_found() {
    insta::assert_snapshot!(human::report(
        &report(Vec::new()),
        &SourceMap::default(),
        Style { width: 80, colour: false }
    ));
}

#[test]
fn json_is_sorted_and_whole() {
    let mut map = SourceMap::default();
    map.add("b.policy", "é deny bash \"rm *\"\nallow bash\n");
    map.add("a.policy", "layer user {}\n");
    let late = Finding::new(DEAD, at(&map, "b.policy", "\"rm *\""), "late")
        .label("never decides")
        .related(at(&map, "b.policy", "allow bash"), "decides")
        .note("a note")
        .help("a help")
        .agent("build")
        .witness(call("rm -rf x", "allow"))
        .fix(Fix::new("delete it", vec![Edit { span: at(&map, "b.policy", "\"rm *\""), text: String::new() }]));
    let early = Finding::new(OTHER, at(&map, "a.policy", "user"), "early");
    let twice = early.clone();
    let data = json::report(&report(vec![late, early, twice]), &map);
    insta::assert_snapshot!(serde_json::to_string_pretty(&data).unwrap());
}
