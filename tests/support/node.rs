//! Node, where it is on the machine.

use camino::Utf8Path;
use std::process::{Command, Stdio};

/// Runs a script in a folder and gives what it printed. `None`: there is no Node here, and a line says so.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub(crate) fn run(folder: &Utf8Path, name: &str, script: &str) -> Option<String> {
    let version = Command::new("node").arg("--version").stderr(Stdio::null()).output();
    if !version.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: `node` is not on this machine, so nothing was compared with it");
        return None;
    }
    std::fs::write(folder.join(name), script).unwrap();
    let output = Command::new("node").arg(name).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(String::from_utf8(output.stdout).unwrap())
}
