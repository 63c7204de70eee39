//! What a script sees of a run: its exit code, and why it could not do its work.

use camino::Utf8Path;
use std::io;
use std::process::ExitCode;

/// How a run ended. Ordered so that of several the greatest is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Exit {
    /// 0: nothing at or above the failing level.
    #[default]
    Clean,
    /// 3: a check stayed undecided, under `--strict`.
    Undecided,
    /// 1: findings, a failed test, a difference.
    Found,
    /// 2: wrong usage, or an input that cannot be read or parsed.
    Unusable,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Clean => 0,
            Exit::Found => 1,
            Exit::Unusable => 2,
            Exit::Undecided => 3,
        })
    }
}

/// Why a command could not do its work: exit code 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// What is wrong.
    pub(super) message: String,
    /// What to do.
    pub(super) help: Option<String>,
}

impl Failure {
    /// A failure with what to do about it.
    pub(super) fn new(message: impl Into<String>, help: impl Into<String>) -> Failure {
        Failure { message: message.into(), help: Some(help.into()) }
    }

    /// A file that cannot be written. The error's own text would name the temporary file beside it.
    pub(super) fn unwritable(path: &Utf8Path, error: &io::Error) -> Failure {
        let why = match error.kind() {
            io::ErrorKind::NotFound => "its folder does not exist".to_owned(),
            kind => kind.to_string(),
        };
        Failure::new(format!("`{path}` cannot be written: {why}"), "check the folder and its permissions")
    }
}

impl From<(String, String)> for Failure {
    fn from((message, help): (String, String)) -> Failure {
        Failure::new(message, help)
    }
}
