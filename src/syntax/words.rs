//! The words of the language, by the position in which they mean something.

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
