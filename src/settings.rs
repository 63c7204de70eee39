//! `policyc.toml`: a project's settings, found by walking up; what a command line says wins over them.

use crate::checks::{self, CHECKS};
use crate::diagnostic::{Code, Finding, Severity, near_name};
use crate::files::Files;
use crate::runtimes::codes::UNKNOWN_KEY;
use crate::source::{FileId, Span, Spanned};
use crate::syntax::SYNTAX_ERROR;
use camino::{Utf8Path, Utf8PathBuf};
use std::ops::Range;
use toml_edit::{Document, Item, TableLike, Value};

/// Its name.
pub const FILE: &str = "policyc.toml";

const KEYS: [&str; 7] = ["policies", "exclude", "lint", "targets", "within", "baseline", "ignore"];
const WITHIN_KEYS: [&str; 2] = ["file", "sha256"];
const IGNORE_KEYS: [&str; 5] = ["file", "path", "code", "reason", "until"];
const TARGET_KEYS: [&str; 3] = ["runtime", "out", "agents"];
const LEVELS: [&str; 4] = ["error", "warning", "info", "off"];

/// A project's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The folder that its paths start from; `None`: there are no settings.
    pub folder: Option<Utf8PathBuf>,
    /// Policies to check where none is named, as globs.
    pub policies: Vec<String>,
    /// Files and folders that discovery leaves out, as globs.
    pub exclude: Vec<String>,
    /// Severities by code, name or beginning of codes, as written; `None`: off.
    pub lint: Vec<(String, Option<Severity>)>,
    /// What `compile` writes.
    pub targets: Vec<Target>,
    /// The policy that no agent may be looser than.
    pub within: Option<Within>,
    /// The baseline of findings, from the settings' folder.
    pub baseline: Option<String>,
    /// Annotations for configs that have no comments.
    pub ignores: Vec<FileIgnore>,
}

/// The baseline that a project keeps to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Within {
    /// Its file, from the settings' folder.
    pub file: String,
    /// The hash of its bytes, in hexadecimal; `None`: it may change.
    pub sha256: Option<String>,
}

/// An `@ignore` that stands apart from its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIgnore {
    /// The annotation.
    pub span: Span,
    /// The file, from the settings' folder.
    pub file: Spanned<String>,
    /// The entry in it, as keys with dots between them; without it the whole file is meant.
    pub path: Option<Spanned<String>>,
    /// The code or name of a check.
    pub code: Spanned<String>,
    /// Why.
    pub reason: Option<String>,
    /// The last day, as written.
    pub until: Option<Spanned<String>>,
}

/// One compiled config of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The runtime it is for.
    pub runtime: String,
    /// The folder it goes to, from the settings' folder.
    pub out: String,
    /// The agents it holds; empty: all.
    pub agents: Vec<String>,
}

impl Settings {
    /// What these settings say of a check: its severity, `Some(None)` for off. A code or name says more than a beginning
    /// of codes, and a longer beginning more than a shorter one.
    pub fn level(&self, code: Code) -> Option<Option<Severity>> {
        let weight = |name: &str| if name == code.name { usize::MAX } else { name.len() };
        let says = self.lint.iter().filter(|(name, _)| checks::selects(name, code));
        says.max_by_key(|(name, _)| weight(name)).map(|(_, severity)| *severity)
    }

    /// The settings of the nearest `policyc.toml` at or above `folder`, and what is wrong with it.
    pub fn nearest(folder: &Utf8Path, files: &mut Files) -> (Settings, Vec<Finding>) {
        let start = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned());
        let Some(path) = start.ancestors().map(|folder| folder.join(FILE)).find(|path| path.exists()) else {
            return (Settings::default(), Vec::new());
        };
        let file = match files.read_or_report(&crate::files::clean(&path), None) {
            Ok(file) => file,
            Err(finding) => return (Settings::default(), vec![*finding]),
        };
        let text = files.sources.file(file).map(|file| file.text().to_owned()).unwrap_or_default();
        let (mut settings, findings) = parse(file, &text);
        settings.folder = path.parent().map(crate::files::clean);
        (settings, findings)
    }
}

fn parse(file: FileId, text: &str) -> (Settings, Vec<Finding>) {
    let mut reader = Reader { file, findings: Vec::new(), settings: Settings::default() };
    match Document::parse(text) {
        Ok(document) => reader.top(document.as_table()),
        Err(error) => {
            let message = error.message().lines().next().unwrap_or("no TOML").to_lowercase();
            let span = Span::new(file, error.span().unwrap_or(0..0));
            reader.findings.push(Finding::new(SYNTAX_ERROR, span, message).help("correct it, or move the file away"));
        }
    }
    (reader.settings, reader.findings)
}

/// The tables of a list, written either way; none if something in it is no table.
fn tables(item: &Item) -> Option<Vec<&dyn TableLike>> {
    match (item.as_array(), item.as_array_of_tables()) {
        (Some(array), _) => {
            array.iter().map(|item| item.as_inline_table().map(|table| table as &dyn TableLike)).collect()
        }
        (_, Some(tables)) => Some(tables.iter().map(|table| table as &dyn TableLike).collect()),
        _ => None,
    }
}

struct Reader {
    file: FileId,
    findings: Vec<Finding>,
    settings: Settings,
}

impl Reader {
    fn top(&mut self, table: &dyn TableLike) {
        for (name, item) in table.iter() {
            match name {
                "policies" => self.settings.policies = self.strings(name, item),
                "exclude" => self.settings.exclude = self.strings(name, item),
                "lint" => self.lint(item),
                "targets" => self.targets(item),
                "within" => self.within(item),
                "baseline" => self.settings.baseline = Some(self.string(name, item)).filter(|text| !text.is_empty()),
                "ignore" => self.ignores(item),
                _ => self.unknown(table, name, &KEYS),
            }
        }
    }

    fn lint(&mut self, item: &Item) {
        let Some(table) = item.as_table_like() else { return self.wrong(item.span(), "`lint` is a table") };
        let names: Vec<&'static str> = CHECKS.iter().flat_map(|check| [check.code.id, check.code.name]).collect();
        for (name, level) in table.iter() {
            if !checks::is_selector(name) {
                self.unknown(table, name, &names);
                continue;
            }
            let severity = match level.as_str() {
                Some("error") => Some(Severity::Error),
                Some("warning") => Some(Severity::Warning),
                Some("info") => Some(Severity::Info),
                Some("off") => None,
                _ => {
                    let text = format!("the level of `{name}` is one of {}", LEVELS.join(", "));
                    self.wrong(level.span(), &text);
                    continue;
                }
            };
            self.settings.lint.push((name.to_owned(), severity));
        }
    }

    fn within(&mut self, item: &Item) {
        let Some(table) = item.as_table_like() else {
            return self.wrong(item.span(), "`within` names a policy: `{ file = \"org.policy\" }`");
        };
        let mut within = Within::default();
        for (name, item) in table.iter() {
            match name {
                "file" => within.file = self.string(name, item),
                "sha256" => within.sha256 = Some(self.string(name, item)),
                _ => self.unknown(table, name, &WITHIN_KEYS),
            }
        }
        match within.file.is_empty() {
            false => self.settings.within = Some(within),
            true => self.wrong(item.span(), "`within` names a `file`"),
        }
    }

    fn ignores(&mut self, item: &Item) {
        let Some(tables) = tables(item) else { return self.wrong(item.span(), "`ignore` is a list of tables") };
        for table in tables {
            let place = |item: &Item| Span::new(self.file, item.span().unwrap_or(0..0));
            let text = |name| {
                let item: &Item = table.get(name)?;
                Some(Spanned::new(item.as_str()?.to_owned(), place(item)))
            };
            let [file, path, code, reason, until] = IGNORE_KEYS.map(text);
            for (name, item) in table.iter() {
                match IGNORE_KEYS.contains(&name) {
                    true => drop(self.string(name, item)),
                    false => self.unknown(table, name, &IGNORE_KEYS),
                }
            }
            let (Some(file), Some(code)) = (file, code) else {
                self.wrong(item.span(), "an annotation names its `file` and the `code` of a check");
                continue;
            };
            let reason = reason.map(|reason| reason.node);
            let span = file.span.to(code.span);
            self.settings.ignores.push(FileIgnore { span, file, path, code, reason, until });
        }
    }

    fn targets(&mut self, item: &Item) {
        let Some(tables) = tables(item) else { return self.wrong(item.span(), "`targets` is a list of tables") };
        for table in tables {
            let mut target = Target::default();
            for (name, item) in table.iter() {
                match name {
                    "runtime" => target.runtime = self.string(name, item),
                    "out" => target.out = self.string(name, item),
                    "agents" => target.agents = self.strings(name, item),
                    _ => self.unknown(table, name, &TARGET_KEYS),
                }
            }
            match (target.runtime.is_empty(), target.out.is_empty()) {
                (false, false) => self.settings.targets.push(target),
                _ => self.wrong(item.span(), "a target names its `runtime` and where it goes, `out`"),
            }
        }
    }

    fn string(&mut self, name: &str, item: &Item) -> String {
        if item.as_str().is_none() {
            self.wrong(item.span(), &format!("`{name}` is a string"));
        }
        item.as_str().unwrap_or_default().to_owned()
    }

    fn strings(&mut self, name: &str, item: &Item) -> Vec<String> {
        let strings = item.as_array().map(|array| array.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
        let Some(Some(strings)) = strings else {
            self.wrong(item.span(), &format!("`{name}` is a list of strings"));
            return Vec::new();
        };
        strings.into_iter().map(str::to_owned).collect()
    }

    fn wrong(&mut self, span: Option<Range<usize>>, message: &str) {
        let finding = Finding::new(SYNTAX_ERROR, Span::new(self.file, span.unwrap_or(0..0)), message);
        self.findings.push(finding);
    }

    fn unknown(&mut self, table: &dyn TableLike, name: &str, known: &[&'static str]) {
        let span = table.get_key_value(name).and_then(|(key, _)| key.span());
        let help = match near_name(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.len() < 10 => format!("known here are {}", known.join(", ")),
            None => "`policyc explain --list` shows all checks".to_owned(),
        };
        let message = format!("`{name}` is not known here, so it has no effect");
        let finding = Finding::new(UNKNOWN_KEY, Span::new(self.file, span.unwrap_or(0..0)), message);
        self.findings.push(finding.help(help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn read(text: &str) -> (Settings, Vec<String>) {
        let mut map = SourceMap::default();
        let file = map.add(FILE, text);
        let (settings, findings) = parse(file, text);
        let said = findings.iter().map(|finding| {
            let help = finding.help.clone().unwrap_or_default();
            format!("{} {}: {}; {help}", map.place(finding.primary.span), finding.code.id, finding.message)
        });
        (settings, said.collect())
    }

    #[test]
    fn all_of_it() {
        let (settings, said) = read(
            "policies = [\"a/*.policy\"]\nexclude = [\"old\"]\n[lint]\nPC0106 = \"off\"\nunreachable-rule = \"warning\"\n\
             [[targets]]\nruntime = \"opencode\"\nout = \".\"\nagents = [\"build\"]\n",
        );
        assert_eq!(said, Vec::<String>::new());
        assert_eq!(settings.policies, ["a/*.policy"]);
        assert_eq!(settings.exclude, ["old"]);
        assert_eq!(settings.lint[0], ("PC0106".into(), None));
        assert_eq!(settings.lint[1], ("unreachable-rule".into(), Some(Severity::Warning)));
        let target = Target { runtime: "opencode".into(), out: ".".into(), agents: vec!["build".into()] };
        assert_eq!(settings.targets, [target]);
    }

    #[test]
    fn a_longer_beginning_says_more() {
        let (settings, said) =
            read("[lint]\nPC0106 = \"info\"\nPC01 = \"off\"\nPC010 = \"warning\"\npc05 = \"error\"\n");
        assert_eq!(said, Vec::<String>::new());
        let level = |id, name| settings.level(Code::new(id, name, Severity::Warning));
        assert_eq!(level("PC0106", "redundant-rule"), Some(Some(Severity::Info)));
        assert_eq!(level("PC0101", "unreachable-rule"), Some(Some(Severity::Warning)));
        assert_eq!(level("PC0501", "unknown-agent"), Some(Some(Severity::Error)));
        assert_eq!(level("PC0901", "unknown-permission"), None);
        assert_eq!(read("[lint]\nPC = \"off\"\n").1.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let said = |text| read(text).1.join("\n");
        assert_eq!(
            said("polices = []\nexclude = 1\ntargets = [{ runtime = \"opencode\" }]\nbasline = \"x\"\n"),
            "policyc.toml:1:1 PC1005: `polices` is not known here, so it has no effect; did you mean `policies`?\n\
             policyc.toml:2:11 PC1001: `exclude` is a list of strings; \n\
             policyc.toml:3:11 PC1001: a target names its `runtime` and where it goes, `out`; \n\
             policyc.toml:4:1 PC1005: `basline` is not known here, so it has no effect; did you mean `baseline`?"
        );
        assert_eq!(
            said("[[ignore]]\nfile = \"a\"\ncod = \"b\"\nreason = 1\n"),
            "policyc.toml:3:1 PC1005: `cod` is not known here, so it has no effect; did you mean `code`?\n\
             policyc.toml:4:10 PC1001: `reason` is a string; \n\
             policyc.toml:1:1 PC1001: an annotation names its `file` and the `code` of a check; "
        );
        assert_eq!(
            said("a = ["),
            "policyc.toml:1:6 PC1001: unclosed array, expected `]`; correct it, or move the file away"
        );
        assert_eq!(
            said("[lint]\nPC0101 = \"fatal\"\n"),
            "policyc.toml:2:10 PC1001: the level of `PC0101` is one of error, warning, info, off; "
        );
    }
}
