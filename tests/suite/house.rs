//! The house keeps its order: no module uses one above it, and only the parser names a pest type.

use std::fs;
use std::path::{Path, PathBuf};

/// Low to high; a module may use those before it.
const LAYERS: &[&str] = &[
    "secret",
    "source",
    "diagnostic",
    "files",
    "output",
    "rewrite",
    "language",
    "shell",
    "rule",
    "syntax",
    "model",
    "ruleset",
    "decide",
    "engine",
    "runtimes",
    "session",
    "load",
    "catalogue",
    "reach",
    "capabilities",
    "fidelity",
    "checks",
    "project",
    "change",
    "fix",
    "import",
    "record",
    "targets",
    "settings",
    "discover",
    "report",
    "baseline",
    "hook",
    "cli",
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(rust_files(&path));
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn module(file: &Path) -> String {
    let inside = file.strip_prefix("src").unwrap();
    inside.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The modules that a line of `file` names by `crate::`, tests left out.
fn used(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let names = lines.flat_map(|line| line.split("crate::").skip(1));
    names.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned()).collect()
}

#[test]
fn no_module_uses_one_above_it() {
    let mut wrong = Vec::new();
    for file in rust_files(Path::new("src")) {
        let from = module(&file);
        if from == "lib" || from == "main" {
            continue;
        }
        let level = LAYERS.iter().position(|layer| *layer == from);
        let level = level.unwrap_or_else(|| panic!("{from} has no place in the list of layers"));
        for to in used(&fs::read_to_string(&file).unwrap()) {
            match LAYERS.iter().position(|layer| *layer == to) {
                Some(place) if place <= level => {}
                Some(_) => wrong.push(format!("{} uses {to}, which stands above {from}", file.display())),
                None => wrong.push(format!("{} uses {to}, which is no layer", file.display())),
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_parser_sees_pest() {
    let strangers: Vec<_> = rust_files(Path::new("src"))
        .into_iter()
        .filter(|file| file != Path::new("src/syntax/parse.rs"))
        .filter(|file| fs::read_to_string(file).unwrap().contains("pest::"))
        .collect();
    assert_eq!(strangers, Vec::<PathBuf>::new());
}
