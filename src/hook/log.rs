//! The decision log: one line of JSON a decision, appended by as many processes as there are.

use super::clipped;
use super::judge::Ruling;
use crate::runtimes::protocol::Event;
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// The size from which a log is put aside, in bytes.
pub const LIMIT: u64 = 8 * 1024 * 1024;

/// How many logs are kept beside the current one: `FILE.1` is the youngest.
pub const KEPT: u32 = 3;

/// A decision as it is logged. Every text is on one line, bounded, and without secrets.
pub fn entry(runtime: &str, event: Option<&Event>, ruled: Result<&Ruling, &str>, given: Option<&str>) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_millis() as u64);
    let of_event = |text: fn(&Event) -> Option<&str>| event.and_then(text).map(clipped);
    let ruling = ruled.ok();
    let rule = ruling.and_then(|ruling| ruling.rule.as_ref());
    json!({
        "schema": "policyc/hook-log/1",
        "time": now,
        "runtime": runtime,
        "event": of_event(|event| Some(&event.name)),
        "session": of_event(|event| event.session.as_deref()),
        "agent": ruling.map(|ruling| clipped(&ruling.agent)),
        "tool": of_event(|event| Some(&event.tool)),
        "action": ruling.map_or("deny", |ruling| ruling.action.word()),
        "answer": given,
        "permission": ruling.map(|ruling| clipped(&ruling.permission)),
        "resource": ruling.and_then(|ruling| ruling.resource.as_deref()).map(clipped),
        "rule": rule.map(|rule| json!({ "text": rule.text, "place": rule.place, "because": rule.because })),
        "error": ruled.err().map(clipped),
    })
}

/// Appends an entry.
///
/// # Errors
/// If the log cannot be written; then the line is not in it, or not whole and the next one starts on a line of its own.
pub fn append(path: &Utf8Path, limit: u64, entry: &Value) -> io::Result<()> {
    refuse_what_waits(path)?;
    let mut line = format!("{entry}\n");
    let mut file = open(path)?;
    let meta = file.metadata()?;
    if meta.is_file() {
        if meta.len() >= limit && put_aside(path, limit)? {
            file = open(path)?;
        } else if broken(&mut file)? {
            line.insert(0, '\n');
        }
    }
    // One write of the whole line: the system puts it behind what others write at the same time.
    let written = file.write(line.as_bytes())?;
    if written < line.len() {
        return Err(io::Error::new(io::ErrorKind::WriteZero, "only a part of the line could be written"));
    }
    Ok(())
}

#[cfg(unix)]
fn open(path: &Utf8Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // What agents do is nobody else's business.
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn open(path: &Utf8Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).open(path)
}

/// A pipe would keep the hook waiting for a reader.
#[cfg(unix)]
fn refuse_what_waits(path: &Utf8Path) -> io::Result<()> {
    use std::os::unix::fs::FileTypeExt;
    match fs::metadata(path) {
        Ok(meta) if meta.file_type().is_fifo() || meta.file_type().is_socket() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe or a socket"))
        }
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn refuse_what_waits(_: &Utf8Path) -> io::Result<()> {
    Ok(())
}

/// Whether the last line has no end: a disk was full, or a process was stopped.
fn broken(file: &mut File) -> io::Result<bool> {
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(0))? > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    Ok(last != [b'\n'])
}

/// Renames a full log, and those before it. Whoever has it open still writes to it, so nothing is lost. `false`: another
/// process does it, or has done it.
fn put_aside(path: &Utf8Path, limit: u64) -> io::Result<bool> {
    let lock = OpenOptions::new().create(true).append(true).open(beside(path, "lock"))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(false),
        Err(fs::TryLockError::Error(error)) => return Err(error),
    }
    if fs::metadata(path).is_ok_and(|meta| meta.len() < limit) {
        return Ok(true);
    }
    for number in (1..KEPT).rev() {
        rename(&beside(path, &number.to_string()), &beside(path, &(number + 1).to_string()))?;
    }
    rename(path, &beside(path, "1"))?;
    Ok(true)
}

fn rename(from: &Utf8Path, to: &Utf8Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn beside(path: &Utf8Path, ending: &str) -> Utf8PathBuf {
    format!("{path}.{ending}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &Utf8Path) -> Vec<Value> {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().filter(|line| !line.is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn a_full_log_is_put_aside_and_the_oldest_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("log");
        for number in 0..6 {
            append(&path, 1, &json!({ "n": number })).unwrap();
        }
        let kept = |ending: &str| lines(&beside(&path, ending));
        assert_eq!(lines(&path), [json!({ "n": 5 })]);
        assert_eq!(
            [kept("1"), kept("2"), kept("3"), kept("4")],
            [vec![json!({ "n": 4 })], vec![json!({ "n": 3 })], vec![json!({ "n": 2 })], vec![]]
        );
    }

    #[test]
    fn a_line_behind_a_broken_one_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("log");
        fs::write(&path, "{\"n\":").unwrap();
        append(&path, LIMIT, &json!({ "n": 1 })).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"n\":\n{\"n\":1}\n");
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap();
        append(path, LIMIT, &json!({})).unwrap_err();
        append(&path.join("no/such"), LIMIT, &json!({})).unwrap_err();
        #[cfg(target_os = "linux")]
        append(Utf8Path::new("/dev/full"), LIMIT, &json!({})).unwrap_err();
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        append(&path, LIMIT, &json!({})).unwrap_err();
    }

    #[test]
    fn many_at_once_lose_nothing_while_the_log_turns_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(folder.path()).unwrap().join("log");
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..50 {
                        append(path, 8_000, &json!({ "t": thread, "n": number, "pad": "x".repeat(40) })).unwrap();
                    }
                });
            }
        });
        let all = ["", ".1", ".2", ".3"].map(|ending| lines(Utf8Path::new(&format!("{path}{ending}"))));
        let mut seen: Vec<String> = all.iter().flatten().map(|line| format!("{} {}", line["t"], line["n"])).collect();
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 400);
    }
}
