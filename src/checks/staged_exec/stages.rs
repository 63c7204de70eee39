//! Which files say what commands of the catalogue do.

use crate::catalogue;
use crate::model::{Command, Family};

/// Files that say what some commands do.
pub(super) struct Stage {
    /// Where the program looks for them, in the project's own folder.
    pub(super) files: &'static [&'static str],
    /// The commands, as the catalogue writes them.
    pub(super) lines: &'static [&'static str],
}

pub(super) const STAGES: &[Stage] = &[
    Stage {
        files: &["package.json"],
        lines: &[
            "npm test *",
            "npm run {word} *",
            "npm start *",
            "npm ci *",
            "pnpm run {word} *",
            "pnpm install *",
            "yarn",
            "yarn install *",
            "yarn test *",
            "yarn run {word} *",
            "bun run {word} *",
        ],
    },
    Stage { files: &["Makefile", "makefile", "GNUmakefile"], lines: &["make", "make {word} *"] },
    Stage { files: &["justfile", "Justfile", ".justfile"], lines: &["just {word} *"] },
    Stage { files: &["Taskfile.yml"], lines: &["task {word} *"] },
    Stage {
        files: &["build.rs", "Cargo.toml"],
        lines: &[
            "cargo build *",
            "cargo check *",
            "cargo clippy *",
            "cargo test *",
            "cargo nextest run *",
            "cargo run *",
            "cargo bench *",
        ],
    },
    Stage { files: &["tests/main.rs"], lines: &["cargo test *", "cargo nextest run *"] },
    Stage { files: &["conftest.py", "tests/conftest.py", "tests/test_main.py"], lines: &["pytest *"] },
    Stage { files: &["tox.ini"], lines: &["tox", "tox -e {word} *"] },
    Stage { files: &["main_test.go"], lines: &["go test *"] },
    Stage { files: &["main.go"], lines: &["go generate *"] },
    Stage { files: &["Rakefile"], lines: &["rake {word} *"] },
    Stage { files: &["spec/spec_helper.rb"], lines: &["rspec *"] },
    Stage { files: &["build.gradle", "build.gradle.kts"], lines: &["gradle {word} *"] },
    Stage { files: &["pom.xml"], lines: &["mvn {word} *"] },
    Stage { files: &["build.sbt"], lines: &["sbt {word} *"] },
    Stage { files: &["composer.json"], lines: &["composer run {word} *", "composer install *"] },
    Stage { files: &["mix.exs"], lines: &["mix {word} *"] },
    Stage { files: &["deno.json"], lines: &["deno task {word} *"] },
    Stage { files: &["jest.config.js"], lines: &["jest *"] },
    Stage { files: &["vitest.config.ts", "vite.config.ts"], lines: &["vitest *"] },
    Stage { files: &["vite.config.ts", "vite.config.js"], lines: &["vite build *"] },
    Stage { files: &["webpack.config.js"], lines: &["webpack *"] },
    Stage { files: &["build.zig"], lines: &["zig build *"] },
    Stage { files: &["CMakeLists.txt"], lines: &["cmake * -S {word} *", "cmake --build {word} *"] },
    Stage { files: &["Dockerfile"], lines: &["docker build * {word}"] },
    Stage { files: &["compose.yaml", "docker-compose.yml"], lines: &["docker compose up *", "docker-compose up *"] },
];

/// The entry of the catalogue that a line of a stage names.
pub(super) fn command(line: &str) -> Option<&'static Command> {
    let mut project = catalogue::shipped().commands.iter().filter(|commands| commands.family == Some(Family::Project));
    project.find_map(|commands| commands.entries.iter().find(|entry| entry.line.text() == line))
}

#[cfg(test)]
mod tests {
    use super::{STAGES, command};

    #[test]
    fn every_line_is_one_of_the_catalogue() {
        let unknown: Vec<_> =
            STAGES.iter().flat_map(|stage| stage.lines).filter(|line| command(line).is_none()).collect();
        assert_eq!(unknown, Vec::<&&str>::new());
    }
}
