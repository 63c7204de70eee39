//! A permission rule's text: `Tool`, `Tool(content)`, `mcp__server__tool`; and which of them the program skips.

use super::names;

/// The list that a rule stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    /// `allow`
    Allow,
    /// `ask`
    Ask,
    /// `deny`
    Deny,
}

/// A rule that the program takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    /// The tool, or a wildcard over names of tools.
    pub(super) tool: String,
    /// What stands in the parentheses, if they say more than `*`.
    pub(super) content: Option<String>,
}

/// Why the program skips a rule, and what to write instead.
pub(super) type Skipped = (String, String);

/// Reads a rule as the program does.
pub(super) fn parse(text: &str, section: Section) -> Result<Spec, Skipped> {
    let skipped = |why: &str, help: &str| Err((why.to_owned(), help.to_owned()));
    if text.trim().is_empty() {
        return skipped("it is empty", "delete it");
    }
    let (tool, content) = match text.find('(') {
        None if text.contains(')') => return skipped("a `)` closes nothing", "write `Tool` or `Tool(content)`"),
        None => (text.trim(), None),
        Some(_) if !text.ends_with(')') => {
            return skipped("it does not end at its closing `)`", "write `Tool(content)` and nothing behind it");
        }
        Some(at) => {
            let inside = text.get(at + 1..text.len() - 1).unwrap_or_default();
            (text.get(..at).unwrap_or_default().trim(), Some(inside))
        }
    };
    if content == Some("") {
        return skipped("its parentheses are empty", &format!("write `{tool}` for the whole tool"));
    }
    if let Some(reason) = wrong_name(tool, content, section) {
        return Err(reason);
    }
    let content = content.filter(|content| *content != "*");
    if let Some(content) = content {
        if tool == "Bash" && content.trim() == ":*" {
            return skipped("no command stands before `:*`", "write the command, or `Bash` for all of them");
        }
        if tool == "WebFetch" && !content.starts_with("domain:") {
            let help = "rules know hosts alone: `WebFetch(domain:docs.rs)`";
            return skipped("a URL is no content for `WebFetch`", help);
        }
    }
    Ok(Spec { tool: tool.to_owned(), content: content.map(str::to_owned) })
}

/// What is wrong with the tool's name, or with parentheses behind it.
fn wrong_name(tool: &str, content: Option<&str>, section: Section) -> Option<Skipped> {
    let server = tool.strip_prefix("mcp__");
    if server.is_some() && content.is_some() {
        let help = format!("write `{tool}` alone");
        return Some(("a rule for a tool of a server takes no parentheses".to_owned(), help));
    }
    if tool.contains('*') && section == Section::Allow {
        let literal = server.and_then(|rest| rest.split_once("__")).is_some_and(|(name, _)| !name.contains('*'));
        if !literal {
            let help = "name the tools; only behind `mcp__SERVER__` may a `*` stand in an allow rule";
            return Some(("an allow rule takes no `*` in the tool's name".to_owned(), help.to_owned()));
        }
    }
    let lower = tool.starts_with(|letter: char| letter.is_lowercase());
    if lower && server.is_none() {
        let meant = names::TOOLS.iter().find(|(name, _)| name.eq_ignore_ascii_case(tool)).map(|(name, _)| *name);
        let help = match meant {
            Some(name) => format!("did you mean `{name}`?"),
            None => "names of tools start with a capital letter".to_owned(),
        };
        return Some(("the tool's name starts with a small letter".to_owned(), help));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_skips_is_skipped() {
        for text in ["bash(ls)", "Bash()", "Bash(npm publish)*", "Read(x", "mcp__gh__get(x)", "Bash(ls) ", "Bash(:*)"] {
            assert!(parse(text, Section::Deny).is_err(), "{text}");
        }
        assert!(parse("WebFetch(https://a.b/*)", Section::Deny).is_err());
        for text in ["*", "B*", "mcp__*", "mcp__gh*", "mcp__*__x"] {
            assert!(parse(text, Section::Allow).is_err() && parse(text, Section::Deny).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_it_takes_is_taken_apart() {
        let spec = |text| parse(text, Section::Allow).map(|spec| (spec.tool, spec.content));
        let is = |tool: &str, content: Option<&str>| Ok((tool.to_owned(), content.map(str::to_owned)));
        assert_eq!(spec("Bash(echo (x))"), is("Bash", Some("echo (x)")));
        assert_eq!(spec("Bash(*)"), is("Bash", None));
        assert_eq!(spec(" Bash (ls)"), is("Bash", Some("ls")));
        assert_eq!(spec("mcp__gh__get_*"), is("mcp__gh__get_*", None));
        assert_eq!(spec("mcp__gh"), is("mcp__gh", None));
    }
}
