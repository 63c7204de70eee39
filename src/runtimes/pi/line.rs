//! Command lines as the extension takes them apart: the same steps as in its own code, and compared with it.
//!
//! Whatever these few rules of the shell's grammar do not surely know is given up on, and then judged as if it could be any
//! command.

use indexmap::IndexSet;

/// Lines that are nested deeper are not known.
const DEEPEST: usize = 64;

/// The commands of a line, those in substitutions too. `None`: it cannot be told what it runs.
pub fn commands(line: &str) -> Option<Vec<String>> {
    let mut scanner = Scanner { rest: line, parts: Vec::new(), depth: 0 };
    scanner.scan(None)?;
    let parts: IndexSet<&str> =
        scanner.parts.iter().map(|part| without_words(part)).filter(|part| !part.is_empty()).collect();
    parts.iter().all(|part| is_plain(part)).then(|| parts.into_iter().map(str::to_owned).collect())
}

/// A command as far as it was read.
#[derive(Default)]
struct Part {
    text: String,
    /// The same with one space for each run of blanks: rules are written so.
    spaced: String,
    /// The blanks behind it.
    gap: String,
}

impl Part {
    fn add(&mut self, text: &str) {
        if !self.text.is_empty() && !self.gap.is_empty() {
            self.text.push_str(&self.gap);
            self.spaced.push(' ');
        }
        self.gap.clear();
        self.text.push_str(text);
        self.spaced.push_str(text);
    }

    /// Whether a word begins here.
    fn is_start(&self) -> bool {
        self.text.is_empty() || !self.gap.is_empty()
    }
}

struct Scanner<'a> {
    rest: &'a str,
    parts: Vec<String>,
    depth: usize,
}

impl<'a> Scanner<'a> {
    /// Takes so many bytes; they are ASCII, or whole letters.
    fn take(&mut self, bytes: usize) -> Option<&'a str> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }

    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Up to the closing bracket or the end.
    fn scan(&mut self, close: Option<char>) -> Option<()> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let mut part = Part::default();
        while let Some(next) = self.next() {
            if Some(next) == close {
                self.take(1)?;
                self.cut(part);
                self.depth -= 1;
                return Some(());
            }
            if self.rest.starts_with("\\\n") {
                self.take(2)?;
                continue;
            }
            let before = self.rest;
            self.word()?;
            let length = before.len() - self.rest.len();
            match next {
                _ if length > 0 => part.add(before.get(..length)?),
                ' ' | '\t' => part.gap.push_str(self.take(1)?),
                '#' if part.is_start() => {
                    // In arithmetic it begins no comment, and brackets could be that.
                    if close.is_some() {
                        return None;
                    }
                    let comment = self.rest.find('\n').unwrap_or(self.rest.len());
                    self.take(comment)?;
                }
                '(' if part.is_start() => {
                    self.take(1)?;
                    self.cut(std::mem::take(&mut part));
                    self.scan(Some(')'))?;
                }
                // Arrays and patterns with brackets are none of the commands known here.
                '(' | ')' => return None,
                ';' | '&' | '|' | '\n' => {
                    self.take(1)?;
                    self.cut(std::mem::take(&mut part));
                }
                letter => part.add(self.take(letter.len_utf8())?),
            }
        }
        self.cut(part);
        self.depth -= 1;
        close.is_none().then_some(())
    }

    fn cut(&mut self, part: Part) {
        self.parts.extend([part.text, part.spaced]);
    }

    /// Takes what stands together here, if anything does; `None`: it is not known.
    fn word(&mut self) -> Option<()> {
        let rest = self.rest;
        let starts = |texts: &[&str]| texts.iter().any(|text| rest.starts_with(text));
        if rest.starts_with('\\') {
            self.take(1)?;
            let letter = self.next()?;
            self.take(letter.len_utf8())?;
        } else if rest.starts_with('\'') {
            self.take(1)?;
            let end = self.rest.find('\'')?;
            self.take(end + 1)?;
        } else if rest.starts_with('"') {
            self.take(1)?;
            self.quoted()?;
        } else if starts(&["$(", "<(", ">("]) {
            self.take(2)?;
            self.scan(Some(')'))?;
        } else if rest.starts_with('`') {
            self.ticked()?;
        } else if starts(&["$'", "$\"", "$[", "$\\\n", "<\\\n", ">\\\n"]) {
            // The last three: behind such a sign the shell looks over the end of the line.
            return None;
        } else if rest.starts_with("${") {
            self.braced()?;
        } else if rest.starts_with("<<<") {
            self.take(3)?;
        } else if rest.starts_with("<<") {
            return None;
        } else if starts(&["&>", "<&", ">&", ">|"]) {
            // Redirections with signs that part commands elsewhere.
            self.take(2)?;
        }
        Some(())
    }

    fn quoted(&mut self) -> Option<()> {
        loop {
            let next = self.next()?;
            if self.rest.starts_with("$\\\n") {
                return None;
            } else if self.rest.starts_with("$(") {
                self.take(2)?;
                self.scan(Some(')'))?;
            } else if self.rest.starts_with("${") {
                self.braced()?;
            } else if next == '`' {
                self.ticked()?;
            } else if next == '\\' {
                self.take(1)?;
                let letter = self.next()?;
                self.take(letter.len_utf8())?;
            } else {
                self.take(next.len_utf8())?;
                if next == '"' {
                    return Some(());
                }
            }
        }
    }

    /// `${name}`; what does more is not known.
    fn braced(&mut self) -> Option<()> {
        let end = self.rest.find('}')?;
        let name = self.rest.get(2..end)?;
        if name.is_empty() || name.len() > 77 || !name.chars().all(is_word) {
            return None;
        }
        self.take(end + 1)?;
        Some(())
    }

    /// Between backticks, where no backslash changes what is meant.
    fn ticked(&mut self) -> Option<()> {
        self.take(1)?;
        let end = self.rest.find('`')?;
        let inner = self.take(end)?;
        self.take(1)?;
        if inner.contains('\\') {
            return None;
        }
        let after = std::mem::replace(&mut self.rest, inner);
        self.scan(None)?;
        self.rest = after;
        Some(())
    }
}

/// What parts words for the shell: no other blank does.
fn is_blank(letter: char) -> bool {
    letter == ' ' || letter == '\t'
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Words that run nothing themselves.
const WORDS: [&str; 12] = ["if", "then", "elif", "else", "while", "until", "do", "done", "fi", "time", "{", "}"];

/// A command without the words around it that run nothing.
fn without_words(part: &str) -> &str {
    let mut rest = part;
    loop {
        let word = rest.split(is_blank).next().unwrap_or_default();
        if word != "!" && !WORDS.contains(&word) {
            break;
        }
        rest = rest.get(word.len()..).unwrap_or_default().trim_start_matches(is_blank);
    }
    if is_loop_head(rest) { "" } else { rest }
}

/// `for NAME` or `for NAME in WORDS`: the words run nothing, and substitutions in them were found already.
fn is_loop_head(part: &str) -> bool {
    let Some(rest) = part.strip_prefix("for").filter(|rest| rest.starts_with(is_blank)) else { return false };
    let rest = rest.trim_start_matches(is_blank);
    let name = rest.trim_start_matches(is_word);
    let after = name.trim_start_matches(is_blank);
    let in_words = after.strip_prefix("in").is_some_and(|words| !words.starts_with(is_word));
    name.len() < rest.len() && (name.is_empty() || after.len() < name.len() && in_words)
}

/// Whether it is plain which program a command runs.
fn is_plain(part: &str) -> bool {
    let name = part.split(is_blank).next().unwrap_or_default();
    // An option is one of `time`, and brackets are a pattern of files.
    let odd = name.starts_with('-') || ["case", "esac", "for", "select", "function", "coproc"].contains(&name);
    let plain = |letter: char| is_word(letter) || "./+@%:,-".contains(letter);
    name == "[" || !name.is_empty() && !odd && name.chars().all(plain)
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[track_caller]
    fn parts(line: &str, expected: &[&str]) {
        assert_eq!(commands(line).unwrap(), expected, "{line}");
    }

    #[test]
    fn each_command_is_one_part() {
        parts("git status && rm -rf x; ls | wc -l &", &["git status", "rm -rf x", "ls", "wc -l"]);
        parts("git diff > a 2>&1 &> b", &["git diff > a 2>&1 &> b"]);
        parts("echo \"a; $(rm x; ls) b\" '; no'", &["rm x", "ls", "echo \"a; $(rm x; ls) b\" '; no'"]);
        parts("cat <(git log) `date +%s`", &["git log", "date +%s", "cat <(git log) `date +%s`"]);
        parts("(cd a; ls)", &["cd a", "ls"]);
        parts("for f in *.md; do wc $f; done", &["wc $f"]);
        parts("if ! test -f a; then rm a; fi # rm b", &["test -f a", "rm a"]);
        parts("echo a\\\nb ${x}", &["echo ab ${x}"]);
        parts("", &[]);
        parts("cat <<< x", &["cat <<< x"]);
        parts("[ -f a ]", &["[ -f a ]"]);
        parts("rm\t x  '1  2'; ls", &["rm\t x  '1  2'", "rm x '1  2'", "ls"]);
        parts("\tls a\\ # b", &["ls a\\ # b"]);
        parts("ls a \\\n# b", &["ls a"]);
    }

    /// A comment begins behind what parts words, and behind nothing that only looks like it.
    #[test]
    fn no_comment_hides_a_command() {
        for gap in ["\\ ", "\\\t", "\u{b}", "\u{c}", "\r", "\u{a0}", "a", "''", "$"] {
            parts(&format!("echo {gap}#; rm x"), &[&format!("echo {gap}#"), "rm x"]);
        }
        for gap in ["", " ", "\t", "\n", ";", "&", "|", "(a)"] {
            assert_eq!(commands(&format!("{gap}#; rm x")).unwrap().len(), usize::from(gap == "(a)"), "{gap:?}");
        }
    }

    #[test]
    fn what_is_not_known_is_given_up_on() {
        let unknown = [
            "cat <<E\nx\nE",
            "echo 'a",
            "echo \"a",
            "\"rm\" x",
            "r\\m x",
            "$x y",
            "A=1 rm x",
            "a=(1 2)",
            "> f",
            "echo $'x'",
            "case a in a) rm x;; esac",
            "echo ${x:-$(rm y)}",
            "[[ a ]]",
            "`echo \\`x\\``",
            "echo $(rm",
            "rm)",
            "coproc rm x",
            "echo \\",
            "time -p rm x",
            "time -- rm x",
            "a[0]=1 rm x",
            "/bin/r[m] x",
            "ls\u{a0}x",
            "ls\r",
            "for x do rm y; done",
            "echo $\\\n'\\' ; echo '; rm x #'",
            "echo \"$\\\n(rm x)\"",
            "cat <\\\n<E\n'\nE\nrm x #'",
            "true || echo $((16 #f )); rm x\n))",
        ];
        for line in unknown {
            assert_eq!(commands(line), None, "{line}");
        }
        assert_eq!(commands(&"(".repeat(100_000)), None);
    }
}
