//! The corpus of configs: what is found in it is compared with what was labelled by hand, and kept as snapshots.
//!
//! `cargo test --test all corpus -- --nocapture` prints precision and recall.

use policyc::checks::CHECKS;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;
use toml_edit::{DocumentMut, Item};

const CORPUS: &str = "tests/corpus";

/// What must be found, or may be.
struct Label {
    codes: Vec<String>,
    /// Lines: their file, and their numbers (none: the whole file).
    places: Vec<(String, Option<Vec<u64>>)>,
    why: String,
}

struct Project {
    name: String,
    clean: bool,
    find: Vec<Label>,
    may: Vec<Label>,
}

/// A finding: its code, and its places as file and lines, the primary one first.
struct Found {
    code: String,
    places: Vec<(String, u64, u64)>,
    message: String,
}

fn texts(item: &Item) -> Vec<String> {
    item.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// `FILE: text` as the lines of the file that hold the text, `FILE: 7` as a line, `FILE` as all of them.
fn place(project: &str, at: &str) -> (String, Option<Vec<u64>>) {
    let (file, text) = at.split_once(": ").map_or((at, None), |(file, text)| (file, Some(text)));
    let held = std::fs::read_to_string(Path::new(CORPUS).join(project).join(file));
    let held = held.unwrap_or_else(|error| panic!("{project}: {file}: {error}"));
    let lines = text.map(|text| match text.parse() {
        Ok(line) => vec![line],
        Err(_) => (1..).zip(held.lines()).filter(|(_, line)| line.contains(text)).map(|(at, _)| at).collect(),
    });
    assert!(lines.as_ref().is_none_or(|lines| !lines.is_empty()), "{project}: `{at}` is in no line");
    (file.to_owned(), lines)
}

fn labels_of(project: &str, item: Option<&Item>) -> Vec<Label> {
    let tables = item.map(|item| item.as_array_of_tables().unwrap().iter().collect::<Vec<_>>()).unwrap_or_default();
    let label = |table: &toml_edit::Table| Label {
        codes: texts(&table["codes"]),
        places: texts(&table["at"]).iter().map(|at| place(project, at)).collect(),
        why: table["why"].as_str().unwrap().to_owned(),
    };
    tables.into_iter().map(label).collect()
}

fn projects() -> Vec<Project> {
    let text = std::fs::read_to_string(Path::new(CORPUS).join("labels.toml")).unwrap();
    let document: DocumentMut = text.parse().unwrap();
    let project = |(name, item): (&str, &Item)| Project {
        name: name.to_owned(),
        clean: item.get("clean").and_then(Item::as_bool) == Some(true),
        find: labels_of(name, item.get("find")),
        may: labels_of(name, item.get("may")),
    };
    let mut all: Vec<Project> = document.iter().map(project).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

fn check(project: &str, format: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_policyc"))
        .args(["check", "--today", "2026-12-01", "--color", "never", "--format", format, project])
        .current_dir(CORPUS)
        .output()
        .unwrap()
}

/// What is found in each project, looked for once.
fn findings(project: &str) -> &'static [Found] {
    static FOUND: OnceLock<BTreeMap<String, Vec<Found>>> = OnceLock::new();
    let all = || projects().into_iter().map(|project| (project.name.clone(), look(&project.name))).collect();
    &FOUND.get_or_init(all)[project]
}

fn look(project: &str) -> Vec<Found> {
    let report: Value = serde_json::from_slice(&check(project, "json").stdout).unwrap();
    let inside = |file: &str| file.strip_prefix(project).map_or(file, |rest| rest.trim_start_matches('/')).to_owned();
    let place = |at: &Value| {
        let line = at["line"].as_u64().unwrap_or(1);
        (inside(at["file"].as_str().unwrap()), line, at["end_line"].as_u64().unwrap_or(line))
    };
    let found = |one: &Value| Found {
        code: one["code"].as_str().unwrap().to_owned(),
        places: one["locations"].as_array().unwrap().iter().map(place).collect(),
        message: one["message"].as_str().unwrap().to_owned(),
    };
    report["findings"].as_array().unwrap().iter().map(found).collect()
}

impl Label {
    fn holds(&self, (file, from, to): &(String, u64, u64)) -> bool {
        self.places.iter().any(|(known, lines)| {
            let inside = |lines: &Vec<u64>| lines.iter().any(|line| (*from..=*to).contains(line));
            known == file && lines.as_ref().is_none_or(inside)
        })
    }

    /// Whether a finding says this: at its first place, or with `anywhere` at one of the others it lists.
    fn is(&self, found: &Found, anywhere: bool) -> bool {
        let places = found.places.iter().take(if anywhere { usize::MAX } else { 1 });
        self.codes.contains(&found.code) && places.into_iter().any(|place| self.holds(place))
    }

    /// Whether there is a check by now that could say this.
    fn has_check(&self) -> bool {
        self.codes.iter().any(|code| CHECKS.iter().any(|check| check.code.id == code))
    }

    /// The group it counts in: that of its first code.
    fn group(&self) -> String {
        self.codes[0].chars().take(4).collect()
    }
}

#[derive(Clone, Copy, Default)]
struct Count {
    labels: usize,
    hits: usize,
    false_alarms: usize,
    /// Findings that say what another one said already.
    repeats: usize,
}

impl Count {
    fn line(&self, name: &str) -> String {
        let percent = |part: usize, whole: usize| match whole {
            0 => "     -".to_owned(),
            _ => format!("{:5.1}%", 100.0 * part as f64 / whole as f64),
        };
        format!(
            "{name:18} precision {} recall {} ({} of {} labels, {} false alarms, {} repeats)\n",
            percent(self.hits, self.hits + self.false_alarms),
            percent(self.hits, self.labels),
            self.hits,
            self.labels,
            self.false_alarms,
            self.repeats
        )
    }
}

/// Figures over all labels, over those that some check could meet by now, and by group; then every difference.
fn measured() -> String {
    let mut groups: BTreeMap<String, Count> = BTreeMap::new();
    let (mut all, mut checked) = (Count::default(), Count::default());
    let mut differences = String::new();
    for project in projects() {
        let found = findings(&project.name);
        let mut spent = vec![false; found.len()];
        let mut met = vec![false; project.find.len()];
        for anywhere in [false, true] {
            for (label, met) in project.find.iter().zip(&mut met).filter(|(_, met)| !**met) {
                let mut hits = (0..found.len()).filter(|&at| !spent[at] && label.is(&found[at], anywhere));
                // A finding that lists several places may meet several labels, if none is nearer.
                let hit = hits.next().or_else(|| (0..found.len()).find(|&at| anywhere && label.is(&found[at], true)));
                if let Some(at) = hit {
                    (spent[at], *met) = (true, true);
                }
            }
        }
        for (label, met) in project.find.iter().zip(met) {
            let group = groups.entry(label.group()).or_default();
            for count in [&mut all, group].into_iter().chain(label.has_check().then_some(&mut checked)) {
                count.labels += 1;
                count.hits += usize::from(met);
            }
            if !met {
                let codes = label.codes.join("|");
                let without = if label.has_check() { "" } else { ", no check yet" };
                let _ = writeln!(differences, "{}: missed {codes}{without}: {}", project.name, label.why);
            }
        }
        for (one, _) in found.iter().zip(spent).filter(|(_, spent)| !spent) {
            let group = groups.entry(one.code.chars().take(4).collect()).or_default();
            let repeated = project.find.iter().any(|label| label.is(one, true));
            let tolerated = project.may.iter().any(|label| label.is(one, true));
            for count in [&mut all, &mut checked, group] {
                count.repeats += usize::from(repeated);
                count.false_alarms += usize::from(!repeated && !tolerated);
            }
            if !tolerated || repeated {
                let kind = if repeated { "repeat" } else { "false alarm" };
                let (file, line, _) = &one.places[0];
                let _ = writeln!(differences, "{}: {kind} {} {file}:{line} {}", project.name, one.code, one.message);
            }
        }
    }
    let mut out = all.line("all labels") + &checked.line("with a check");
    groups.iter().for_each(|(name, count)| out += &count.line(name));
    out + "\n" + &differences
}

#[test]
fn labels_and_folders_agree() {
    let mut folders: Vec<String> = Path::new(CORPUS)
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    folders.sort();
    let all = projects();
    assert_eq!(all.iter().map(|project| project.name.clone()).collect::<Vec<_>>(), folders);
    assert!(all.iter().filter(|project| project.clean).count() >= 15);
    assert!(all.iter().all(|project| !project.clean || project.find.is_empty() && project.may.is_empty()));
}

#[test]
fn precision_and_recall() {
    let text = measured();
    println!("{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn nothing_is_found_in_clean_projects() {
    let mut loud = String::new();
    for project in projects().into_iter().filter(|project| project.clean) {
        for found in findings(&project.name) {
            let (file, line, _) = &found.places[0];
            let _ = writeln!(loud, "{}: {} {file}:{line} {}", project.name, found.code, found.message);
        }
    }
    assert_eq!(loud, "");
}

#[test]
fn what_is_found_in_the_others() {
    for project in projects().into_iter().filter(|project| !project.clean) {
        let output = check(&project.name, "human");
        insta::assert_snapshot!(project.name.as_str(), String::from_utf8(output.stderr).unwrap());
    }
}
