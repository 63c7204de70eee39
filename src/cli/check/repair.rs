//! `check --fix`: what can be proved is changed, round after round, until nothing is left to change.

use super::Args;
use super::round::{self, Compiled, Texts};
use crate::baseline::Baseline;
use crate::checks::Date;
use crate::cli::exit::Failure;
use crate::cli::terminal::Terminal;
use crate::diagnostic::{Finding, Fix};
use crate::fix;
use crate::language::Budget;
use crate::output;
use crate::report::Report;
use crate::source::SourceMap;
use camino::{Utf8Path, Utf8PathBuf};
use similar::TextDiff;
use std::collections::BTreeSet;
use std::fmt::Write;

/// So often everything is checked again: a fix may show the next.
const ROUNDS: usize = 100;
/// So many sets of fixes are tried.
const TRIES: usize = 400;

/// What was changed.
#[derive(Default)]
pub(super) struct Repair {
    /// The changed files.
    pub(super) texts: Texts,
    /// What they held at first.
    before: Texts,
    done: Vec<String>,
    /// Fixes that were tried and not proved, as they are told.
    left: BTreeSet<String>,
    tries: usize,
}

/// Finds what to change; no file is touched.
pub(super) fn run(args: &Args, today: Date, baseline: Option<&Baseline>) -> Result<Repair, Failure> {
    if args.paths.iter().any(|path| path == "-") {
        return Err(Failure::new("standard input cannot be changed in place", "name a file"));
    }
    let mut repair = Repair::default();
    for _ in 0..ROUNDS {
        let mut compiled = round::compile(args, &repair.texts)?;
        let checked = round::check(&mut compiled, args, (today, baseline), &mut Budget::new(args.budget))?;
        let sources = &compiled.input.files.sources;
        let open = candidates(&checked.report, sources, &repair.left);
        let fixes = fix::apart(open.iter().filter_map(|(finding, _)| finding.fix.as_ref()).collect());
        let Some(made) = repair.make(&fixes, &compiled, args)? else { break };
        for (finding, told) in &open {
            if finding.fix.as_ref().is_some_and(|fix| made.contains(&fix)) {
                repair.done.push(told.clone());
            }
        }
    }
    Ok(repair)
}

/// Findings with a fix of files that are there, each change once, with how it is told.
fn candidates<'a>(report: &'a Report, sources: &SourceMap, left: &BTreeSet<String>) -> Vec<(&'a Finding, String)> {
    let mut out: Vec<(&Finding, String)> = Vec::new();
    for finding in report.sections.iter().flat_map(|section| &section.findings) {
        let Some(fix) = finding.fix.as_ref().filter(|_| finding.ignored.is_none()) else { continue };
        let told = format!("{} {}: {}", finding.code.id, sources.name(finding.primary.span.file), said(fix, sources));
        let there = fix.edits.iter().all(|edit| Utf8Path::new(sources.name(edit.span.file)).is_file());
        let known = out.iter().any(|(other, _)| other.fix.as_ref().is_some_and(|other| other.edits == fix.edits));
        if there && !known && !left.contains(&told) {
            out.push((finding, told));
        }
    }
    out
}

/// The title, and what is taken away.
fn said(fix: &Fix, sources: &SourceMap) -> String {
    let gone = fix.edits.iter().filter(|edit| edit.text.is_empty()).map(|edit| sources.slice(edit.span).trim());
    let gone: Vec<String> = gone.filter(|text| *text != ",").map(|text| format!("`{text}`")).collect();
    if gone.is_empty() || !fix.changes.is_empty() {
        fix.title.clone()
    } else {
        format!("{}: {}", fix.title, gone.join(", "))
    }
}

impl Repair {
    /// Makes all of these fixes if that is proved, else as many as halving finds; `None`: none of them.
    fn make<'a>(
        &mut self,
        fixes: &[&'a Fix],
        before: &Compiled<'_>,
        args: &Args,
    ) -> Result<Option<Vec<&'a Fix>>, Failure> {
        if fixes.is_empty() || self.tries >= TRIES {
            return Ok(None);
        }
        self.tries += 1;
        let sources = &before.input.files.sources;
        if let Some(texts) = self.changed(fixes, sources)
            && proved(before, &round::compile(args, &texts)?, fixes, args)
        {
            for path in texts.keys() {
                let old = sources.iter().find(|(_, file)| file.name() == path.as_str());
                let text = || old.map(|(_, file)| file.text().to_owned()).unwrap_or_default();
                self.before.entry(path.clone()).or_insert_with(text);
            }
            self.texts = texts;
            return Ok(Some(fixes.to_vec()));
        }
        if let [one] = fixes {
            self.leave(one, before);
            return Ok(None);
        }
        let (first, second) = fixes.split_at(fixes.len() / 2);
        match self.make(first, before, args)? {
            Some(made) => Ok(Some(made)),
            None => self.make(second, before, args),
        }
    }

    /// All texts that stand in for files, with these fixes made.
    fn changed(&self, fixes: &[&Fix], sources: &SourceMap) -> Option<Texts> {
        let mut texts = self.texts.clone();
        for (file, text) in fix::texts(fixes, sources)? {
            texts.insert(Utf8PathBuf::from(sources.name(file)), text);
        }
        Some(texts)
    }

    fn leave(&mut self, fix: &Fix, before: &Compiled<'_>) {
        let sources = &before.input.files.sources;
        let file = fix.edits.first().map_or("", |edit| sources.name(edit.span.file));
        // As `candidates` tells it, whatever the code.
        let told = format!("{file}: {}", said(fix, sources));
        self.left.extend(super::CHECKS.iter().map(|check| format!("{} {told}", check.code.id)));
    }

    /// Says what was done, or shows it, or does it. Whether something is to be changed.
    pub(super) fn deliver(&self, diff_only: bool, terminal: Terminal) -> Result<bool, Failure> {
        if diff_only {
            terminal.print(&self.diff());
        } else {
            self.write()?;
        }
        let verb = if diff_only { "would fix" } else { "fixed" };
        for done in &self.done {
            terminal.tell(&format!("{verb} {}\n", crate::report::shown::line(done)));
        }
        Ok(!self.texts.is_empty())
    }

    fn diff(&self) -> String {
        let mut out = String::new();
        for (path, text) in &self.texts {
            let before = self.before.get(path).map(String::as_str).unwrap_or_default();
            let diff = TextDiff::from_lines(before, text);
            let _ = write!(out, "{}", diff.unified_diff().header(path.as_str(), &format!("{path} (fixed)")));
        }
        out
    }

    fn write(&self) -> Result<(), Failure> {
        for (path, before) in &self.before {
            if std::fs::read_to_string(path).ok().as_ref() != Some(before) {
                let text = format!("`{path}` was changed by something else in the meantime");
                return Err(Failure::new(text, "run policyc again"));
            }
        }
        let files: Vec<(&Utf8Path, &[u8])> =
            self.texts.iter().map(|(path, text)| (path.as_path(), text.as_bytes())).collect();
        output::replace_all(&files).map_err(|(path, error)| Failure::unwritable(&path, &error))
    }
}

fn proved(before: &Compiled<'_>, after: &Compiled<'_>, fixes: &[&Fix], args: &Args) -> bool {
    let mut budget = Budget::new(args.budget);
    before.found.inputs == after.found.inputs
        && before.compilations.iter().zip(&after.compilations).all(|pair| match pair {
            (Ok(before), Ok(after)) => fix::proved(before, after, fixes, &mut budget),
            (Err(_), _) => true,
            (Ok(_), Err(_)) => false,
        })
}
