//! Why something cannot happen in a session.

use crate::diagnostic::near_name;

/// Why something cannot happen. The session is then as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Refusal {
    /// A refusal that says all there is to say.
    pub fn new(message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), help: None }
    }

    /// The same with what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Refusal {
        self.help = Some(help.into());
        self
    }

    /// The same with the nearest of the names there are, or all of them if they are few.
    #[must_use]
    pub fn near<'a>(self, name: &str, known: impl IntoIterator<Item = &'a str>) -> Refusal {
        let known: Vec<&str> = known.into_iter().collect();
        match near_name(name, known.iter().copied()) {
            Some(near) => self.help(format!("did you mean `{near}`?")),
            None if known.is_empty() || known.len() > 12 => self,
            None => self.help(format!("known are {}", known.join(", "))),
        }
    }
}
