//! Paths by their text alone: absolute ones, `/`-separated, and how they are told from a folder.

/// A path from the absolute folder `cwd`, without empty, `.` and `..` parts. Links are not followed.
pub fn absolute(cwd: &str, path: &str) -> String {
    if path.starts_with('/') { normal(path) } else { normal(&format!("{cwd}/{path}")) }
}

/// A path by its text alone: no empty and `.` parts, `..` only in front of a relative one.
pub fn normal(path: &str) -> String {
    let rooted = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        match (part, parts.last()) {
            ("..", Some(last)) if *last != ".." => {
                parts.pop();
            }
            ("..", None) if rooted => {}
            _ => parts.push(part),
        }
    }
    format!("{}{}", if rooted { "/" } else { "" }, parts.join("/"))
}

/// An absolute path as seen from a folder: `a/b` inside it, `../x` outside, empty for the folder itself.
pub fn relative(from: &str, path: &str) -> String {
    let split =
        |path: &str| -> Vec<String> { normal(path).split('/').filter(|p| !p.is_empty()).map(str::to_owned).collect() };
    let (from, path) = (split(from), split(path));
    let shared = from.iter().zip(&path).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), from.len() - shared);
    up.chain(path.iter().skip(shared).cloned()).collect::<Vec<_>>().join("/")
}

/// Whether a path is a folder or lies in it.
pub fn within(folder: &str, path: &str) -> bool {
    let inside = relative(folder, path);
    inside != ".." && !inside.starts_with("../")
}
