//! Where a path leads when its links are followed, whether or not its last parts exist.

use camino::Utf8Path;
use std::collections::VecDeque;

/// The most links that are followed on one path; systems give up at 40.
const MOST: usize = 40;

/// An absolute path with its links followed as the system follows them, `..` going up from where a link led.
///
/// # Errors
/// If links lead in a circle, or one leads to a name that is no text.
pub(super) fn real(path: &str) -> Result<String, String> {
    let mut done: Vec<String> = Vec::new();
    let mut left: VecDeque<String> = parts(path);
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        if part == ".." {
            done.pop();
            continue;
        }
        let here = format!("/{}", done.join("/"));
        let Some(target) = target(&here, &part)? else {
            done.push(part);
            continue;
        };
        links += 1;
        if links > MOST {
            return Err(format!("the links of `{}` lead in a circle", super::clipped(path)));
        }
        if target.starts_with('/') {
            done.clear();
        }
        for part in parts(&target).into_iter().rev() {
            left.push_front(part);
        }
    }
    Ok(format!("/{}", done.join("/")))
}

fn parts(path: &str) -> VecDeque<String> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect()
}

/// Where a link leads; `None`: it is none, or nothing can be learnt of it, which then holds for every process of ours.
fn target(folder: &str, name: &str) -> Result<Option<String>, String> {
    let path = Utf8Path::new(folder).join(name);
    match std::fs::read_link(&path) {
        Ok(target) => match target.into_os_string().into_string() {
            Ok(target) => Ok(Some(target)),
            Err(_) => Err(format!("the link `{}` leads to a name that is no text", super::clipped(path.as_str()))),
        },
        Err(_) => Ok(None),
    }
}
