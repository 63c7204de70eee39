//! What a tool call does, in no runtime's words.

/// One thing that a call does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// What kind of thing.
    pub kind: Kind,
    /// To what: a path, a command line, a URL, a name. `None`: the event does not say, so it may be anything.
    pub about: Option<String>,
    /// The folder it is done in, where the call names one.
    pub folder: Option<String>,
}

/// Kinds of things that tools do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads a file or a folder.
    Read,
    /// Changes, creates, moves or deletes a file.
    Edit,
    /// Lists a folder.
    List,
    /// Finds files by their names: `about` is the pattern.
    Find,
    /// Searches in files: `about` is what is searched.
    Search,
    /// Runs a command line in a POSIX shell. Without `about` it is one that cannot be read.
    Run,
    /// Fetches a URL.
    Fetch,
    /// Asks a search engine.
    Query,
    /// Starts an agent.
    Start,
    /// Loads a skill.
    Skill,
    /// Reads a resource of an MCP server: `mcp:SERVER:URI`.
    Resource,
    /// Calls a tool of an MCP server, by the name that rules know it by.
    Mcp,
    /// Does what stays in the session, under the name that rules know it by: notes, questions, modes.
    Session,
    /// Nobody knows.
    Unknown,
}

impl Deed {
    /// A deed with what it is about.
    pub fn new(kind: Kind, about: impl Into<String>) -> Deed {
        Deed { kind, about: Some(about.into()), folder: None }
    }

    /// A deed that may be about anything.
    pub fn open(kind: Kind) -> Deed {
        Deed { kind, about: None, folder: None }
    }

    /// The same, done in a folder.
    pub fn within(self, folder: Option<&str>) -> Deed {
        Deed { folder: folder.filter(|folder| !folder.is_empty()).map(str::to_owned), ..self }
    }

    /// A call of a server's tool, as rules name it.
    pub fn mcp(server: &str, tool: &str) -> Deed {
        let plain = |text: &str| -> String {
            text.chars().map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }).collect()
        };
        Deed::new(Kind::Mcp, format!("{}_{}", plain(server), plain(tool)))
    }

    /// Calls of a server's tool by the name `mcp__SERVER__TOOL`: one for each way to part it, for both may hold `__`.
    /// `None`: it is no such name.
    pub fn of_server(name: &str) -> Option<Vec<Deed>> {
        let rest = name.strip_prefix("mcp__")?;
        let parts =
            rest.match_indices("__").filter_map(|(at, mark)| Some((rest.get(..at)?, rest.get(at + mark.len()..)?)));
        let deeds: Vec<Deed> = parts.map(|(server, tool)| Deed::mcp(server, tool)).collect();
        (!deeds.is_empty()).then_some(deeds)
    }

    /// A resource of a server.
    pub fn resource(server: &str, uri: &str) -> Deed {
        Deed::new(Kind::Resource, format!("mcp:{server}:{uri}"))
    }

    /// What stays in the session.
    pub fn session(name: &str) -> Deed {
        Deed::new(Kind::Session, name)
    }
}
