//! PC0904: characters that cannot be seen, or that look like others, in names and patterns.

use super::{Cx, written};
use crate::diagnostic::{Code, Finding, Severity, Sink};
use crate::model::{Model, PromiseKind, ResourceKind};
use crate::source::Span;

pub(crate) const CODE: Code = Code::new("PC0904", "confusable-characters", Severity::Error);

/// Letters of other scripts that are drawn like an ASCII letter: each with the letter.
#[rustfmt::skip] // a table
const LOOKALIKES: &[(char, char)] = &[
    ('\u{0410}', 'A'), ('\u{0412}', 'B'), ('\u{0415}', 'E'), ('\u{041A}', 'K'), ('\u{041C}', 'M'), ('\u{041D}', 'H'),
    ('\u{041E}', 'O'), ('\u{0420}', 'P'), ('\u{0421}', 'C'), ('\u{0422}', 'T'), ('\u{0425}', 'X'), ('\u{0405}', 'S'),
    ('\u{0406}', 'I'), ('\u{0408}', 'J'), ('\u{0430}', 'a'), ('\u{0435}', 'e'), ('\u{043E}', 'o'), ('\u{0440}', 'p'),
    ('\u{0441}', 'c'), ('\u{0443}', 'y'), ('\u{0445}', 'x'), ('\u{0455}', 's'), ('\u{0456}', 'i'), ('\u{0458}', 'j'),
    ('\u{0501}', 'd'), ('\u{051B}', 'q'), ('\u{051D}', 'w'), ('\u{04BB}', 'h'), ('\u{0391}', 'A'), ('\u{0392}', 'B'),
    ('\u{0395}', 'E'), ('\u{0396}', 'Z'), ('\u{0397}', 'H'), ('\u{0399}', 'I'), ('\u{039A}', 'K'), ('\u{039C}', 'M'),
    ('\u{039D}', 'N'), ('\u{039F}', 'O'), ('\u{03A1}', 'P'), ('\u{03A4}', 'T'), ('\u{03A5}', 'Y'), ('\u{03A7}', 'X'),
    ('\u{03BF}', 'o'), ('\u{03BD}', 'v'), ('\u{0251}', 'a'), ('\u{0261}', 'g'), ('\u{0131}', 'i'),
];

/// Signs that are drawn like one that means something in patterns and commands: each with that sign.
#[rustfmt::skip] // a table
const SIGNS: &[(char, char)] = &[
    ('\u{2217}', '*'), ('\u{FF0A}', '*'), ('\u{2044}', '/'), ('\u{2215}', '/'), ('\u{FF0F}', '/'), ('\u{FF5E}', '~'),
];

/// Signs that an editor puts in place of typed ones; in a command they never mean the same, in a file's name they may stand.
#[rustfmt::skip] // a table
const TYPOGRAPHY: &[(char, char)] = &[
    ('\u{2010}', '-'), ('\u{2011}', '-'), ('\u{2012}', '-'), ('\u{2013}', '-'), ('\u{2014}', '-'), ('\u{2212}', '-'),
    ('\u{2018}', '\''), ('\u{2019}', '\''), ('\u{201C}', '"'), ('\u{201D}', '"'),
];

/// What is odd about a character.
enum Odd {
    /// It is not seen, or turns the order of what is.
    Invisible,
    /// It looks like a blank.
    Blank,
    /// It looks like this ASCII character.
    Like(char),
}

pub(crate) fn run(cx: &mut Cx<'_>, sink: &mut Sink) {
    let mut told: Vec<Span> = Vec::new();
    for text in texts(cx.model) {
        let odd = odd_of(text.text, text.command);
        if odd.is_empty() || told.contains(&text.span) {
            continue;
        }
        told.push(text.span);
        let escaped: String = text.text.chars().map(|c| shown(c, &odd)).collect();
        let each: Vec<String> = odd.iter().map(|(c, odd)| described(*c, odd)).collect();
        let message = format!("{} holds characters that are not what they seem: `{escaped}`", text.what);
        let finding = Finding::new(CODE, text.span, message).note(each.join("; "));
        sink.push(finding.note("names and patterns are compared character by character").help("type it again by hand"));
    }
}

/// A name or pattern of the user's.
struct Written<'a> {
    what: &'static str,
    text: &'a str,
    span: Span,
    command: bool,
}

fn texts(model: &Model) -> impl Iterator<Item = Written<'_>> {
    let name = |what, text, span| Written { what, text, span, command: false };
    let agents = model.agents.values().filter(|agent| !agent.prelude);
    let agents = agents.map(move |agent| name("this agent's name", agent.name.as_str(), agent.span));
    let layers = model.layers.iter().filter(|(_, layer)| !layer.prelude);
    let layers = layers.map(move |(text, layer)| name("this layer's name", text.as_str(), layer.span));
    let permissions = written::rules(model)
        .map(move |rule| name("the name of this rule's permission", rule.permission.text(), rule.origin.statement));
    let patterns = written::rules(model).map(|rule| Written {
        what: "this pattern",
        text: rule.pattern.text(),
        span: rule.origin.span,
        // The patterns of commands are asked for only where it matters, so that plain ones cost nothing.
        command: !rule.pattern.text().is_ascii()
            && written::spoken(model, rule).all(|(_, permission)| permission.resource == ResourceKind::Command),
    });
    let promised = model.promises.iter().flat_map(|promise| match &promise.kind {
        PromiseKind::Cannot { patterns, except, .. } | PromiseKind::Requests { patterns, except, .. } => {
            [patterns.as_slice(), except.as_slice()]
        }
        PromiseKind::NoLayerLoosens { .. } => [&[][..], &[]],
    });
    let promised = promised.flatten().map(move |pattern| name("this pattern", pattern.node.text(), pattern.span));
    agents.chain(layers).chain(permissions).chain(patterns).chain(promised)
}

/// The odd characters of a text, each once.
fn odd_of(text: &str, command: bool) -> Vec<(char, Odd)> {
    let mut out: Vec<(char, Odd)> = Vec::new();
    if text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_control()) {
        return out;
    }
    for word in words(text) {
        // A word of one script is a word of a language: only a mixed one pretends.
        let mixed = word.chars().any(|c| c.is_ascii_alphabetic());
        for c in word.chars().filter(|_| mixed) {
            if let Some((_, like)) = LOOKALIKES.iter().find(|(odd, _)| *odd == c) {
                note(&mut out, c, Odd::Like(*like));
            }
        }
    }
    let mut before = ' ';
    for c in text.chars() {
        if let Some((_, like)) = SIGNS.iter().chain(TYPOGRAPHY.iter().filter(|_| command)).find(|(odd, _)| *odd == c) {
            note(&mut out, c, Odd::Like(*like));
        } else if is_blank(c) {
            note(&mut out, c, Odd::Blank);
        } else if is_invisible(c) || joins(c) && before.is_ascii() {
            note(&mut out, c, Odd::Invisible);
        }
        before = c;
    }
    out
}

fn note(out: &mut Vec<(char, Odd)>, c: char, odd: Odd) {
    if out.iter().all(|(known, _)| *known != c) {
        out.push((c, odd));
    }
}

/// Runs of letters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_ascii())
}

/// Signs that join or vary the character before them: they have work to do in emoji and in some scripts, never in ASCII.
fn joins(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}')
}

fn is_invisible(c: char) -> bool {
    // Tab and newline are seen; they are written in commands.
    let control = c.is_control() && !matches!(c, '\t' | '\n' | '\r');
    control
        || matches!(c,
            '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{200B}' | '\u{200E}'
            | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{3164}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{E0000}'..='\u{E007F}')
}

fn is_blank(c: char) -> bool {
    matches!(c, '\u{00A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}')
}

fn shown(c: char, odd: &[(char, Odd)]) -> String {
    match odd.iter().any(|(known, _)| *known == c) {
        true => format!("\\u{{{:x}}}", u32::from(c)),
        false => c.to_string(),
    }
}

fn described(c: char, odd: &Odd) -> String {
    let code = format!("U+{:04X}", u32::from(c));
    match odd {
        Odd::Invisible => format!("{code} is invisible"),
        Odd::Blank => format!("{code} looks like a blank and is none"),
        Odd::Like(ascii) => format!("{code} looks like `{ascii}` and is none"),
    }
}

#[cfg(test)]
mod tests {
    use super::odd_of;

    #[test]
    fn other_scripts_are_no_tricks() {
        for text in
            ["документы/*", "ΑΒΓ", "résumé.md", "日本語 ファイル?.md", "👩‍💻/*", "❤️.md", "naïve", "build_ру/*", "a\tb"]
        {
            assert!(odd_of(text, false).is_empty(), "{text}");
        }
    }

    #[test]
    fn tricks_are_seen() {
        for text in
            ["b\u{0430}sh", "a\u{200B}b", "git\u{00A0}push *", "\u{202E}gpj.sh", "x\u{FE0F}", "src\u{2215}*", "a\u{0}"]
        {
            assert_eq!(odd_of(text, false).len(), 1, "{text:?}");
        }
        assert_eq!(odd_of("rm \u{2013}rf *", true).len(), 1);
        assert!(odd_of("notes \u{2013} 2026.md", false).is_empty());
    }
}
