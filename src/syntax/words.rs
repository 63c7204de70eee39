//! The words of the language, by the position in which they mean something, each with the form it starts.

/// What a statement stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    File,
    Permission,
    Layer,
    Agent,
    Commands,
    Switch,
    Test,
}

/// A word that starts a statement, and how the statement goes on.
pub(super) type Form = (&'static str, &'static str);

const ITEMS: &[Form] = &[
    ("runtime", "runtime NAME [\"VERSION\"]"),
    ("use", "use \"FILE\""),
    ("let", "let NAME = [PATTERN, ...]"),
    ("permission", "permission NAME { ... }"),
    ("commands", "commands CAPABILITY [\"COMMAND\", ...]` or `commands CAPABILITY { ... }"),
    ("layer", "layer NAME { ... }"),
    ("merge", "merge SLOT, SLOT, ..."),
    ("agent", "agent NAME { ... }"),
    ("extend", "extend NAME { ... }"),
    ("default", "default agent NAME"),
    ("switch", "switch NAME { ... }"),
    ("visibility", "visibility last-deny|bare-deny|fixed"),
    ("assert", "assert AGENT cannot|must ...` or `assert no layer loosens LAYER"),
    ("test", "test AGENT [\"NAME\"] { ... }"),
];

const PERMISSION: &[Form] = &[
    ("tools", "tools TOOL, TOOL, ..."),
    ("asked-by", "asked-by TOOL, TOOL, ..."),
    ("resource", "resource path|command|agent|url|query|name|none"),
    ("capability", "capability read|write|exec|network|delegate|switch"),
    ("delegate", "delegate own|bounded"),
    ("depth", "depth NUMBER"),
];

const ALLOW: Form = ("allow", "allow PERMISSION [PATTERNS] [because \"...\"]");
const ASK: Form = ("ask", "ask PERMISSION [PATTERNS] [because \"...\"]");
const DENY: Form = ("deny", "deny PERMISSION [PATTERNS] [because \"...\"]");

const LAYER: &[Form] = &[ALLOW, ASK, DENY, ("combine", "combine deny-overrides|first-match")];

const AGENT: &[Form] = &[
    ALLOW,
    ASK,
    DENY,
    ("cannot", "cannot CAPABILITY [PATTERNS] [except PATTERNS]"),
    ("must", "must ask|allow PERMISSION [PATTERNS]"),
    ("merge", "merge SLOT, SLOT, ..."),
    ("option", "option NAME VALUE"),
    ("mode", "mode primary|subagent|all"),
    ("hidden", "hidden [true|false]"),
    ("disabled", "disabled [true|false]"),
    ("description", "description \"...\""),
    ("model", "model \"...\""),
    ("variant", "variant \"...\""),
    ("prompt", "prompt \"...\""),
    ("temperature", "temperature NUMBER"),
    ("top_p", "top_p NUMBER"),
    ("color", "color \"...\""),
    ("steps", "steps NUMBER"),
];

const SWITCH: &[Form] = &[
    ("from", "from AGENT"),
    ("to", "to AGENT"),
    ("confirm", "confirm \"...\""),
    ("answers", "answers WORD, WORD, ..."),
    ("requires", "requires path PATTERNS"),
    ("enter", "enter \"...\""),
    ("leave", "leave \"...\""),
    ("note", "note \"...\""),
    ("unattended", "unattended stay|switch"),
];

const TEST: &[Form] = &[("visible", "visible TOOL"), ("hidden", "hidden TOOL")];

/// How a line of commands looks, which starts with no word of ours.
pub(super) const COMMAND: &str = "\"COMMAND\" [because \"...\"] [example \"...\"]";

/// How an expectation of a test looks, which starts with a name and no word of ours.
pub(super) const EXPECTATION: &str = "PERMISSION \"RESOURCE\" => ACTION";

/// Attributes of an agent. Any other field of an imported agent is an `option`.
pub const ATTRIBUTES: &[&str] = &[
    "mode",
    "hidden",
    "disabled",
    "description",
    "model",
    "variant",
    "prompt",
    "temperature",
    "top_p",
    "color",
    "steps",
];

/// Capabilities that a permission gives and a promise denies.
pub const CAPABILITIES: &[&str] = &["read", "write", "exec", "network", "delegate", "switch"];

/// Words that a `let` list can not be called: they mean something where a list is named.
pub const NO_LISTS: &[&str] = &["because", "except", "glob", "prefix", "regex", "exact"];

impl Level {
    /// Levels in which statements start with words of ours, the top first.
    const ALL: [Level; 6] = [Level::File, Level::Agent, Level::Layer, Level::Permission, Level::Switch, Level::Test];

    /// The statements that may stand here.
    pub(super) fn forms(self) -> &'static [Form] {
        match self {
            Level::File => ITEMS,
            Level::Permission => PERMISSION,
            Level::Layer => LAYER,
            Level::Agent => AGENT,
            Level::Commands => &[],
            Level::Switch => SWITCH,
            Level::Test => TEST,
        }
    }

    /// How a statement that starts with `word` goes on here.
    pub(super) fn form(self, word: &str) -> Option<&'static str> {
        self.forms().iter().find(|(first, _)| *first == word).map(|(_, form)| *form)
    }

    /// What an item's block holds.
    pub(super) fn of_item(word: &str) -> Option<Level> {
        match word {
            "permission" => Some(Level::Permission),
            "layer" => Some(Level::Layer),
            "agent" | "extend" => Some(Level::Agent),
            "commands" => Some(Level::Commands),
            "switch" => Some(Level::Switch),
            "test" => Some(Level::Test),
            _ => None,
        }
    }

    /// Where it is, as a person says it.
    pub(super) fn place(self) -> &'static str {
        match self {
            Level::File => "at the top level",
            Level::Permission => "in a permission",
            Level::Layer => "in a layer",
            Level::Agent => "in an agent",
            Level::Commands => "in a block of commands",
            Level::Switch => "in a switch",
            Level::Test => "in a test",
        }
    }

    /// Where a statement that starts with `word` may stand, if it may anywhere.
    pub(super) fn places_of(word: &str) -> Vec<Level> {
        Level::ALL.into_iter().filter(|level| level.form(word).is_some()).collect()
    }
}

/// Whether a statement can start with this word, in whatever place.
pub(super) fn starts_statement(word: &str) -> bool {
    Level::ALL.into_iter().any(|level| level.form(word).is_some())
}
