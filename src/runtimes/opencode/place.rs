//! Which files of a project are OpenCode's config, and of which folder.

use crate::runtimes::Belongs;
use camino::Utf8Path;

/// Where a file belongs, if its path is that of a config.
pub(super) fn belongs(path: &Utf8Path) -> Option<Belongs> {
    let folder = path.parent().unwrap_or(Utf8Path::new(""));
    match path.file_name()? {
        "opencode.json" | "opencode.jsonc" => Some(Belongs::To(project(folder).to_owned())),
        "opencode.yml" | "opencode.yaml" => Some(Belongs::Nowhere),
        name if name.ends_with(".md") => folder.ancestors().find_map(|folder| {
            let agents = matches!(folder.file_name()?, "agent" | "agents" | "mode" | "modes");
            let above = folder.parent().filter(|above| agents && above.file_name() == Some(".opencode"))?;
            Some(Belongs::To(project(above).to_owned()))
        }),
        _ => None,
    }
}

/// `.opencode` is part of the folder that it stands in.
fn project(folder: &Utf8Path) -> &Utf8Path {
    match folder.file_name() {
        Some(".opencode") => folder.parent().unwrap_or(Utf8Path::new("")),
        _ => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_folder_a_session_runs_in() {
        let to = |path: &str| match belongs(Utf8Path::new(path)) {
            Some(Belongs::To(folder)) => folder.into_string(),
            Some(Belongs::Nowhere) => "nowhere".to_owned(),
            None => "none".to_owned(),
        };
        assert_eq!(to("/p/opencode.json"), "/p");
        assert_eq!(to("/p/.opencode/opencode.jsonc"), "/p");
        assert_eq!(to("/p/.opencode/agent/team/x.md"), "/p");
        assert_eq!(to(".opencode/modes/x.md"), "");
        assert_eq!(to("/p/opencode.yml"), "nowhere");
        assert_eq!(to("/p/agents/x.md"), "none");
        assert_eq!(to("/p/.opencode/skill/x.md"), "none");
    }
}
