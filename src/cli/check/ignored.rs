//! `[[ignore]]` of policyc.toml: what a config without comments cannot say itself.

use super::round::Compiled;
use crate::checks::BAD_SUPPRESSION;
use crate::diagnostic::Finding;
use crate::files::clean;
use crate::model::Ignore;
use crate::rewrite;
use crate::source::{SourceMap, Span};
use camino::Utf8Path;

/// Hands each annotation to the compilations that read its file. What comes back is wrong with them.
pub(super) fn annotate(compiled: &mut Compiled<'_>) -> Vec<Finding> {
    let mut wrong = Vec::new();
    let folder = compiled.found.settings.folder.clone().unwrap_or_default();
    for ignore in &compiled.found.settings.ignores {
        let path = clean(&folder.join(&ignore.file.node));
        if !path.is_file() {
            let text = format!("there is no file `{path}`, so this annotation has no effect");
            wrong.push(Finding::new(BAD_SUPPRESSION, ignore.file.span, text).help("correct the name, or delete it"));
            continue;
        }
        let sources = &compiled.input.files.sources;
        let Some(scope) = scope(&path, ignore.path.as_ref().map(|path| path.node.as_str()), sources) else { continue };
        let Some(scope) = scope else {
            let span = ignore.path.as_ref().map_or(ignore.span, |path| path.span);
            let text = format!("nothing stands there in `{path}`, so this annotation has no effect");
            let help = "write the keys down to the entry, with dots between them: `permission.bash.rm *`";
            wrong.push(Finding::new(BAD_SUPPRESSION, span, text).help(help));
            continue;
        };
        let annotation = Ignore {
            span: ignore.span,
            scope,
            code: ignore.code.clone(),
            reason: ignore.reason.clone(),
            until: ignore.until.clone(),
        };
        let reads = |name: &String| Utf8Path::new(name) == path;
        for ((target, _), compilation) in compiled.found.inputs.iter().zip(&mut compiled.compilations) {
            if let Ok(compilation) = compilation
                && compiled.input.names(target).iter().any(reads)
            {
                compilation.model.ignores.push(annotation.clone());
            }
        }
    }
    wrong
}

/// The place that an annotation covers: `None` if its file was not read, `Some(None)` if nothing stands at its path.
fn scope(file: &Utf8Path, path: Option<&str>, sources: &SourceMap) -> Option<Option<Span>> {
    let (id, source) = sources.iter().filter(|(_, source)| source.name() == file.as_str()).last()?;
    Some(match path {
        None => Some(Span::new(id, 0..source.text().len())),
        Some(path) => rewrite::place(source.text(), path).map(|range| Span::new(id, range)),
    })
}
