//! `policyc decide --calls`: many calls, one line in and one answer out, in order, however many there are.

use super::judge::{self, Judge, MANY};
use super::writer::Writer;
use super::{Call, Maker};
use crate::cli::exit::{Exit, Failure};
use crate::cli::terminal::Terminal;
use crate::files;
use camino::Utf8Path;
use std::cell::LazyCell;
use std::io::{self, BufRead, BufReader, Read};

/// Answers are printed when they are so long, in bytes.
const CHUNK: usize = 64 * 1024;

/// The lines of a file of calls.
pub(super) struct Lines {
    from: Box<dyn BufRead>,
    name: String,
    bytes: Vec<u8>,
    number: usize,
}

/// A line with its number, from 1 on; its text, or why it has none.
type Line = (usize, Result<String, String>);

impl Lines {
    /// Those at a path; `-` is standard input, which the policy in `file` may be as well.
    pub(super) fn open(path: &Utf8Path, file: &Utf8Path) -> Result<Lines, Failure> {
        let from: Box<dyn BufRead> = match (path.as_str(), file.as_str()) {
            ("-", "-") => {
                let message = "standard input cannot be both the policy and the calls";
                return Err(Failure::new(message, "put one of them in a file"));
            }
            ("-", _) => Box::new(BufReader::with_capacity(CHUNK, io::stdin())),
            _ => Box::new(BufReader::with_capacity(CHUNK, files::open(path, path.as_str())?)),
        };
        Ok(Lines { from, name: path.as_str().to_owned(), bytes: Vec::new(), number: 0 })
    }

    /// The next line. A line that is too long, or no UTF-8, is none the less one: the answers must stay beside their lines.
    fn next(&mut self) -> Result<Option<Line>, Failure> {
        let failed = |error: io::Error| {
            Failure::new(format!("`{}` cannot be read to its end: {error}", self.name), "check the disk and the path")
        };
        self.bytes.clear();
        let read = self.from.by_ref().take(files::LIMIT).read_until(b'\n', &mut self.bytes).map_err(failed)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.bytes.len() as u64 == files::LIMIT && !self.bytes.ends_with(b"\n") {
            self.from.skip_until(b'\n').map_err(failed)?;
            let why = format!("the line is longer than {} MiB", files::LIMIT / (1024 * 1024));
            return Ok(Some((self.number, Err(why))));
        }
        let text = std::str::from_utf8(&self.bytes).map(str::to_owned);
        let why = |error: std::str::Utf8Error| {
            format!("the line is not UTF-8: its byte {} fits no character", error.valid_up_to() + 1)
        };
        Ok(Some((self.number, text.map_err(why))))
    }
}

/// Answers every line; one that cannot be decided is answered by an error.
pub(super) fn run(
    maker: &Maker<'_>,
    lines: &mut Lines,
    writer: &Writer<'_>,
    terminal: Terminal,
    strict: bool,
) -> Result<Exit, Failure> {
    let plain = Judge::new(None);
    let table = LazyCell::new(|| judge::table(maker.compilation, writer.sources));
    let compiled = LazyCell::new(|| Judge::new(Some(&table)));
    let mut answers = Answers { maker, writer, out: String::new(), strict, worst: Exit::Clean };
    while let Some(line) = lines.next()? {
        let judge = if line.0 < MANY { &plain } else { &*compiled };
        answers.add(judge, line);
        if answers.out.len() >= CHUNK {
            if !terminal.stream(&answers.out) {
                return Ok(answers.worst);
            }
            answers.out.clear();
        }
    }
    terminal.print(&answers.out);
    Ok(answers.worst)
}

struct Answers<'a> {
    maker: &'a Maker<'a>,
    writer: &'a Writer<'a>,
    out: String,
    strict: bool,
    worst: Exit,
}

impl Answers<'_> {
    fn add(&mut self, judge: &Judge<'_>, (number, line): Line) {
        let call = line.and_then(|line| call_of(&line));
        let answer = call.and_then(|call| self.maker.decide(judge, call).map_err(|failure| failure.message));
        let ended = match answer {
            Ok(answer) => {
                self.writer.line(&mut self.out, &answer);
                answer.exit(self.strict)
            }
            Err(why) => {
                self.writer.error(&mut self.out, number, &why);
                Exit::Unusable
            }
        };
        self.worst = self.worst.max(ended);
    }
}

/// The call of a line. An empty line is none, and said to be.
fn call_of(line: &str) -> Result<Call, String> {
    if line.trim().is_empty() {
        return Err("the line is empty".to_owned());
    }
    serde_json::from_str(line).map_err(|error| error.to_string())
}
