//! Other spellings of a command: the same options in another form or place, another name, another way to name a file.
//!
//! Strings only: a deny's text in, command lines out. Which of them pass is decided elsewhere.

mod known;

use known::{FILES, GLOBAL, KNOWN, Known};

/// A command that is denied, and others that do the same.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Spelled {
    /// Program and subcommand.
    pub(super) name: String,
    /// A line that the text of the rule is about.
    pub(super) denied: String,
    /// Lines that do the same.
    pub(super) others: Vec<(Way, String)>,
}

/// In what another spelling differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Way {
    /// The options are written in another form, or stand elsewhere.
    Options,
    /// The command goes by another name.
    Name,
    /// A path names the same file.
    Path,
    /// The rule names the command without what follows it.
    Operands,
    /// An option of the program stands before the subcommand.
    Global,
}

/// The deny's text taken apart.
struct Denied<'t> {
    /// Of what is known, if it is.
    known: Option<&'static Known>,
    /// Program and subcommand.
    name: String,
    options: Vec<&'t str>,
    operands: Vec<String>,
    /// In the order they were written, with something in the gaps.
    rest: String,
    /// Whether further words may follow.
    open: bool,
}

/// Whether two names are those of one command.
pub(super) fn are_one(a: &str, b: &str) -> bool {
    KNOWN.iter().any(|known| known.names.contains(&a) && known.names.contains(&b))
}

/// The command that a wildcard pattern is about, and other spellings of it. `None`: it is not about one plain command.
pub(super) fn of(pattern: &str) -> Option<Spelled> {
    let denied = take_apart(pattern)?;
    let line = denied.line();
    let mut others: Vec<(Way, String)> = Vec::new();
    let mut add = |way: Way, other: String| {
        if other != line && others.iter().all(|(_, known)| *known != other) {
            others.push((way, other));
        }
    };
    options(&denied, &mut |other| add(Way::Options, other));
    for (from, to) in denied.known.iter().flat_map(|known| known.same).filter(|(from, _)| line.contains(from)) {
        add(Way::Options, line.replacen(from, to, 1));
    }
    for name in denied.known.iter().flat_map(|known| known.names.iter().filter(|name| **name != denied.name)) {
        add(Way::Name, join(&[*name, denied.rest.as_str()]));
    }
    if let Some(path) = same_file(&denied) {
        add(Way::Path, path);
    }
    if let (Some(known), false, true) = (denied.known, denied.open, denied.operands.is_empty()) {
        add(Way::Operands, join(&[line.as_str(), known.operand]));
    }
    if let Some((program, command)) = denied.name.split_once(' ') {
        let global = GLOBAL.iter().filter(|(of, _)| *of == program);
        global.for_each(|(_, option)| add(Way::Global, join(&[program, *option, command, denied.rest.as_str()])));
    }
    Some(Spelled { name: denied.name, denied: line, others })
}

fn take_apart(pattern: &str) -> Option<Denied<'_>> {
    let text = pattern.trim_start_matches('*').trim_start();
    if text.contains(['"', '\'', '\\', '?', '|', ';', '&', '<', '>', '$', '(']) {
        return None;
    }
    let all: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let (known, name) = named(&all);
    let length = name.split(' ').count();
    if all.iter().take(length).any(|word| word.trim_end_matches('*').is_empty()) {
        return None;
    }
    let gap = |word: &&str| word.chars().all(|letter| letter == '*');
    let words: Vec<&str> = all.iter().skip(length).copied().collect();
    let options = words.iter().filter(|word| word.starts_with('-')).map(|word| word.trim_end_matches('*')).collect();
    let operands: Vec<String> = words
        .iter()
        .filter(|word| !word.starts_with('-') && !gap(word))
        .map(|word| word.strip_suffix('*').unwrap_or(word).replace('*', "x"))
        .collect();
    let open = text.ends_with('*') || words.iter().any(gap);
    // What is plausibly given and is not in the pattern.
    let missing = known.filter(|_| open).map(|known| known.operand.split(' ').skip(operands.len()).collect::<Vec<_>>());
    let mut given = missing.map(|words| words.join(" ")).filter(|words| !words.is_empty());
    let mut rest: Vec<String> = Vec::new();
    for word in &words {
        match word {
            word if gap(word) => rest.extend(given.take()),
            word => rest.push(word.strip_suffix('*').unwrap_or(word).replace('*', "x")),
        }
    }
    rest.extend(given);
    Some(Denied { known, name, options, operands, rest: join(&rest), open })
}

/// What an option of a program before its subcommand takes, if it is known to take something.
pub(super) fn value_of(program: &str, option: &str) -> Option<&'static str> {
    let options = GLOBAL.iter().filter(|(known, _)| *known == program);
    options.filter_map(|(_, form)| form.split_once(' ')).find(|(name, _)| *name == option).map(|(_, value)| value)
}

/// The known command that the words begin with, and its name here; else the first word that is no gap.
fn named(words: &[&str]) -> (Option<&'static Known>, String) {
    let begins = |name: &str| {
        let mut words = words.iter().map(|word| word.trim_end_matches('*'));
        name.split(' ').all(|one| words.next() == Some(one))
    };
    let all = KNOWN.iter().flat_map(|known| known.names.iter().map(move |name| (known, *name)));
    let longest = all.filter(|(_, name)| begins(name)).max_by_key(|(_, name)| name.len());
    let plain = |word: &&&str| !word.starts_with('-') && !word.contains(['*', '.', '/', ':', '=']);
    match longest {
        Some((known, name)) => (Some(known), name.to_owned()),
        // Of a program that has options before its subcommands the subcommand belongs to the name.
        None => {
            let global = words.first().is_some_and(|first| GLOBAL.iter().any(|(program, _)| program == first));
            let length = if global && words.get(1).as_ref().is_some_and(plain) { 2 } else { 1 };
            let name: Vec<&str> = words.iter().take(length).map(|word| word.trim_end_matches('*')).collect();
            (None, name.join(" "))
        }
    }
}

/// The same options in other forms, and in other places.
fn options(denied: &Denied<'_>, add: &mut dyn FnMut(String)) {
    let Some(known) = denied.known else { return };
    let Some(options) = denied.options.iter().map(|text| split(known, text)).collect::<Option<Vec<_>>>() else {
        return;
    };
    let options: Vec<&[&str]> = options.into_iter().flatten().collect();
    if options.is_empty() || options.len() > 3 {
        return;
    }
    let operands = denied.rest.split(' ').filter(|word| !denied.options.contains(word));
    let operands = join(&operands.collect::<Vec<_>>());
    for order in orders(options.len()) {
        let names = order.iter().filter_map(|&at| options.get(at)?.first());
        if options.len() > 1 && options.iter().all(|names| letter(names).is_some()) {
            let letters: String = order.iter().filter_map(|&at| letter(options.get(at)?)).collect();
            add(join(&[denied.name.as_str(), &format!("-{letters}"), &operands]));
        }
        let apart: Vec<&str> = names.copied().collect();
        add(join(&[denied.name.as_str(), &apart.join(" "), &operands]));
    }
    let most = options.iter().map(|names| names.len()).max().unwrap_or(0);
    for form in (0..most).rev() {
        let chosen: Vec<&str> = options.iter().filter_map(|names| names.get(form).or(names.last())).copied().collect();
        add(join(&[denied.name.as_str(), &chosen.join(" "), &operands]));
    }
    if !operands.is_empty() {
        let written = denied.options.join(" ");
        add(join(&[&denied.name, &operands, &written]));
        add(join(&[&denied.name, &written, &operands]));
    }
}

impl Denied<'_> {
    fn line(&self) -> String {
        join(&[&self.name, &self.rest])
    }
}

/// The options that a word holds: one by its name, or several letters in one word.
fn split(known: &Known, text: &str) -> Option<Vec<&'static [&'static str]>> {
    let option = |name: &str| known.options.iter().copied().find(|names| names.contains(&name));
    if let Some(one) = option(text) {
        return Some(vec![one]);
    }
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
    letters.chars().map(|letter| option(&format!("-{letter}"))).collect()
}

/// The letter of an option that has one.
fn letter(names: &[&str]) -> Option<char> {
    let mut letters = names.first()?.strip_prefix('-')?.chars();
    letters.next().filter(|letter| *letter != '-' && letters.next().is_none())
}

/// All orders of so many things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for next in 0..count {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..=order.len())
                .rev()
                .map(|at| {
                    let mut order = order.clone();
                    order.insert(at, next);
                    order
                })
                .collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The line with its last word, a file's name, written as a path from here.
fn same_file(denied: &Denied<'_>) -> Option<String> {
    let last = denied.operands.last().filter(|_| FILES.contains(&denied.name.as_str()))?;
    let named = last.contains(['.', '/']) && !last.starts_with(['/', '~', '*']) && !last.starts_with("./");
    let before = denied.line().strip_suffix(last.as_str())?.to_owned();
    (named && !last.starts_with("..")).then(|| format!("{before}./{last}"))
}

fn join<T: AsRef<str>>(parts: &[T]) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::{Way, of};

    fn others(pattern: &str, way: Way) -> Vec<String> {
        let all = of(pattern).unwrap().others.into_iter();
        all.filter(|(of, _)| *of == way).map(|(_, line)| line).collect()
    }

    #[test]
    fn options_in_all_forms_and_places() {
        assert_eq!(of("rm -rf *").unwrap().denied, "rm -rf build");
        assert_eq!(
            others("rm -rf *", Way::Options),
            [
                "rm -r -f build",
                "rm -fr build",
                "rm -f -r build",
                "rm --recursive --force build",
                "rm -R --force build",
                "rm build -rf"
            ]
        );
        let force = others("git push --force *", Way::Options);
        for line in ["git push -f origin main", "git push origin main --force", "git push origin +main"] {
            assert!(force.iter().any(|known| known == line), "{force:?}");
        }
        assert!(others("git push * --force*", Way::Options).contains(&"git push --force origin main".to_owned()));
        assert_eq!(others("rm *", Way::Options), Vec::<String>::new());
        assert_eq!(of("chmod 777 *").unwrap().denied, "chmod 777 src");
        assert!(others("git commit --no-verify*", Way::Options).contains(&"git commit -m fix --no-verify".to_owned()));
    }

    #[test]
    fn names_paths_and_what_is_left_out() {
        assert_eq!(others("npm install *", Way::Name), ["npm i left-pad", "npm add left-pad"]);
        assert_eq!(others("cat .env", Way::Path), ["cat ./.env"]);
        assert_eq!(others("cat secrets/*", Way::Path), ["cat ./secrets/"]);
        assert_eq!(others("git push", Way::Operands), ["git push origin main"]);
        assert_eq!(others("git push *", Way::Operands), Vec::<String>::new());
    }

    #[test]
    fn options_before_the_subcommand() {
        assert_eq!(others("git push *", Way::Global), ["git -C . push origin main"]);
        assert_eq!(others("helm upgrade *", Way::Global), ["helm -n default upgrade"]);
        assert_eq!(others("git *", Way::Global), Vec::<String>::new());
    }

    #[test]
    fn what_is_no_plain_command_has_no_spellings() {
        for pattern in ["*", "* && *", "echo \"rm -rf\"", "* push"] {
            assert!(of(pattern).is_none_or(|spelled| spelled.others.is_empty()), "{pattern}");
        }
    }
}
