//! Standard output and error: colour where it can be shown, and a closed pipe is no error.

use crate::report::human::Style;
use anstream::adapter::strip_str;
use anstream::{AutoStream, ColorChoice};
use std::io::{self, Write};

/// `--color`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where output goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terminal {
    colour: Colour,
}

/// Columns where there is no screen.
const WIDTH: usize = 100;
/// Lines longer than this are hard to read, however wide the screen.
const WIDEST: usize = 120;

impl Terminal {
    /// A terminal with this choice of colour.
    pub(super) fn new(colour: Colour) -> Terminal {
        Terminal { colour }
    }

    /// Prints data.
    pub(super) fn print(&self, text: &str) {
        self.stream(text);
    }

    /// Prints a part of data; `false`: nobody reads it any more.
    pub(super) fn stream(&self, text: &str) -> bool {
        let mut stdout = io::stdout().lock();
        let choice = match self.choice() {
            ColorChoice::Auto => AutoStream::choice(&stdout),
            given => given,
        };
        let written = match choice {
            // In one piece: an `AutoStream` writes what stands between two escape codes piece by piece.
            ColorChoice::Never => stdout.write_all(strip_str(text).to_string().as_bytes()),
            _ => AutoStream::new(&mut stdout, choice).write_all(text.as_bytes()),
        };
        match written.and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                self.tell(&format!("error: standard output cannot be written: {error}\n"));
                // Half an answer must not look like a whole one.
                std::process::exit(2);
            }
            result => result.is_ok(),
        }
    }

    /// Prints what is for a person.
    pub(super) fn tell(&self, text: &str) {
        let stderr = io::stderr().lock();
        quiet(AutoStream::new(stderr, self.choice()).write_all(text.as_bytes()));
    }

    /// How a report is drawn on standard error. Colours are always drawn; [`Terminal::tell`] takes them out again.
    pub(super) fn style(&self) -> Style {
        let width = terminal_size::terminal_size_of(io::stderr()).map_or(WIDTH, |(width, _)| usize::from(width.0));
        Style { width: width.clamp(40, WIDEST), colour: self.colour != Colour::Never }
    }

    fn choice(&self) -> ColorChoice {
        match self.colour {
            Colour::Auto => ColorChoice::Auto,
            Colour::Always => ColorChoice::Always,
            Colour::Never => ColorChoice::Never,
        }
    }
}

/// Whoever read the pipe has seen enough (`| head`): nothing is left to say, and nobody to say it to.
fn quiet(result: io::Result<()>) {
    drop(result);
}
