//! Where a path leads when its links are followed, whether or not its last parts exist.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

/// Folders whose files are another process's own, and not those that policyc finds there.
const OTHERS: [&str; 2] = ["/proc", "/dev/fd"];

/// The most links that are followed on one path; systems give up at 40.
const MOST: usize = 40;

/// What may be looked up on the disk for one call: the runtime waits for the answer, and lets the call run if none comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Steps(Rc<Cell<usize>>);

impl Default for Steps {
    fn default() -> Steps {
        Steps(Rc::new(Cell::new(50_000)))
    }
}

impl Steps {
    fn take(&self) -> Result<(), String> {
        let left = self.0.get().checked_sub(1).ok_or("it names more files than are followed for one call")?;
        self.0.set(left);
        Ok(())
    }
}

/// An absolute path with its links followed as the system follows them, `..` going up from where a link led. `None`: the way
/// leads through what is another file for every process.
///
/// # Errors
/// If links lead in a circle, one leads to a name that is no text, or too much was looked up already.
pub(super) fn real(path: &str, steps: &Steps) -> Result<Option<String>, String> {
    let mut done = String::new();
    let mut left: VecDeque<String> = parts(path);
    let mut links = 0;
    // Below what is not there is nothing that could be a link.
    let mut missing: Option<usize> = None;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            done.truncate(done.rfind('/').unwrap_or_default());
            missing = missing.filter(|length| done.len() >= *length);
            continue;
        }
        let above = done.len();
        done.push('/');
        done.push_str(&part);
        if OTHERS.contains(&done.as_str()) {
            return Ok(None);
        }
        if missing.is_some() {
            continue;
        }
        steps.take()?;
        match target(&done)? {
            Target::None => {}
            Target::Missing => missing = Some(done.len()),
            Target::To(target) => {
                links += 1;
                if links > MOST {
                    return Err(format!("the links of `{}` lead in a circle", super::clipped(path)));
                }
                done.truncate(if target.starts_with('/') { 0 } else { above });
                for part in parts(&target).into_iter().rev() {
                    left.push_front(part);
                }
            }
        }
    }
    Ok(Some(if done.is_empty() { "/".to_owned() } else { done }))
}

fn parts(path: &str) -> VecDeque<String> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
}

/// What a path is, as far as links go.
enum Target {
    /// It is no link, or nothing can be learnt of it, which then holds for every process of ours.
    None,
    /// It is not there.
    Missing,
    /// It leads there.
    To(String),
}

fn target(path: &str) -> Result<Target, String> {
    match std::fs::read_link(path) {
        Ok(target) => match target.into_os_string().into_string() {
            Ok(target) => Ok(Target::To(target)),
            Err(_) => Err(format!("the link `{}` leads to a name that is no text", super::clipped(path))),
        },
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Target::Missing),
        Err(_) => Ok(Target::None),
    }
}
