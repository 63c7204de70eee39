//! Text that looks like a secret: found so that it can be reported, and never printed.

use regex::Regex;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// Beginnings of well-known tokens, and how many characters must follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 16),
    ("rk_live_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29", 20),
    ("npm_", 30),
    ("pypi-", 20),
    ("hf_", 30),
    ("gsk_", 20),
    ("dop_v1_", 30),
];

/// The length of the shortest token that they begin.
const SHORTEST: usize = 15;

/// Words that announce a secret.
const ANNOUNCED: &[&str] = &["key", "token", "secret", "password", "passwd", "bearer", "authorization", "credential"];

/// How the names of variables end, and options are called, whose value is a secret.
const VARIABLES: [&str; 6] = ["PASSWORD", "PASSWD", "TOKEN", "SECRET", "API_KEY", "ACCESS_KEY"];
const OPTIONS: [&str; 4] = ["--token", "--password", "--secret", "--api-key"];

const PEM_START: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";

/// The places of `text` that look like secrets, in order and apart from each other.
pub fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = private_keys(text);
    found.extend(named(text));
    let mut announced = false;
    for token in tokens(text) {
        let word = text.get(token.clone()).unwrap_or("");
        if is_known(word) || is_web_token(word) || is_url_password(text, &token) || announced && is_random(word) {
            found.push(token);
        }
        // `Bearer` follows `Authorization`: a short word in between does not end the announcement.
        announced = ANNOUNCED.iter().any(|name| ends_with(word, name)) || announced && word.len() < 8;
    }
    found.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    found.retain(|range| {
        let apart = range.start >= end;
        end = end.max(range.end);
        apart
    });
    found
}

/// The text with every secret cut to a few characters and `***`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let found = find(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    for secret in found {
        out.push_str(text.get(last..secret.start).unwrap_or(""));
        let whole = text.get(secret.clone()).unwrap_or("");
        out.extend(whole.chars().take(shown(whole)));
        out.push_str("***");
        last = secret.end;
    }
    out.push_str(text.get(last..).unwrap_or(""));
    Cow::Owned(out)
}

/// How many characters of a secret are shown: enough to tell a long one, and of a short one next to nothing.
pub fn shown(secret: &str) -> usize {
    (secret.chars().count() / 4).min(4)
}

/// What stands behind the name of a variable or an option that holds a secret, whatever it looks like:
/// `"DB_PASSWORD": "..."`, `API_TOKEN=...`, `--token ...`, `"--password", "..."`.
fn named(text: &str) -> Vec<Range<usize>> {
    static NAMED: OnceLock<Option<Regex>> = OnceLock::new();
    // Most texts hold no such name, and the expression takes its time.
    let may_name = text.contains([':', '=']) || text.contains("--");
    if !may_name || !VARIABLES.iter().chain(&OPTIONS).any(|name| text.contains(name)) {
        return Vec::new();
    }
    // INVARIANT: a test has it find something.
    let named = NAMED.get_or_init(|| {
        let (variables, options) = (VARIABLES.join("|"), OPTIONS.join("|"));
        let value = r#"([!-~&&[^"'`{}$*,<>-]][!-~&&[^"'`{}$*,<>]]{5,})"#;
        let variable = format!(r#"\b[A-Z0-9_]*(?:{variables})\b["']?\s*[:=]\s*["']?"#);
        let option = format!(r#"(?:{options})\b(?:=|["']?,?\s*["']?)"#);
        Regex::new(&format!("(?:{variable}|{option}){value}")).ok()
    });
    let found = named.iter().flat_map(|named| named.captures_iter(text));
    found.filter_map(|one| one.get(1)).map(|value| value.range()).collect()
}

/// Whether a word ends with a name, in whatever case.
fn ends_with(word: &str, name: &str) -> bool {
    let tail = word.len().checked_sub(name.len()).and_then(|from| word.get(from..));
    tail.is_some_and(|tail| tail.eq_ignore_ascii_case(name))
}

fn in_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '~')
}

fn tokens(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (start, _) = rest.find(|(_, c)| in_token(*c))?;
        let mut end = start + 1;
        while let Some((at, _)) = rest.next_if(|(_, c)| in_token(*c)) {
            end = at + 1;
        }
        Some(start..end)
    })
}

fn is_known(word: &str) -> bool {
    // Most words are shorter than any token.
    word.len() >= SHORTEST
        && PREFIXES.iter().any(|(prefix, least)| {
            word.strip_prefix(prefix).is_some_and(|tail| {
                let mixed = tail.bytes().any(|b| b.is_ascii_digit()) && tail.bytes().any(|b| b.is_ascii_alphabetic());
                tail.len() >= *least && mixed
            })
        })
}

/// A JSON web token: three parts, the first of which is an object in base64.
fn is_web_token(word: &str) -> bool {
    word.starts_with("eyJ") && word.len() >= 30 && word.split('.').count() == 3
}

/// `scheme://user:HERE@host`
fn is_url_password(text: &str, token: &Range<usize>) -> bool {
    if !text.get(token.end..).is_some_and(|rest| rest.starts_with('@')) {
        return false;
    }
    let before = text.get(..token.start).unwrap_or("");
    let url = before.rsplit(['\n', ' ', '"', '\'', '@']).next().unwrap_or("");
    let user = url.strip_suffix(':').and_then(|url| url.rsplit_once("://")).map(|(_, user)| user);
    user.is_some_and(|user| !user.contains(['/', ':']))
}

/// Long, of letters and digits, and without the repetition that words have.
fn is_random(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    let letters = word.bytes().filter(u8::is_ascii_alphabetic).count();
    word.len() >= 20 && digits >= 3 && letters >= 3 && entropy(word) >= 3.0
}

/// Bits per byte.
fn entropy(word: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in word.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all = word.len() as f64;
    let share = |count: &u32| f64::from(*count) / all;
    counts.iter().filter(|count| **count > 0).map(|count| -share(count) * share(count).log2()).sum()
}

fn private_keys(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // A short text is found faster than a long one, and most texts hold neither.
    if !text.contains("--") {
        return found;
    }
    for (start, _) in text.match_indices(PEM_START) {
        if found.last().is_some_and(|last| start < last.end) {
            continue;
        }
        let rest = text.get(start..).unwrap_or("");
        let head = rest.lines().next().unwrap_or("");
        if head.contains("PRIVATE KEY") {
            let length = rest.find(PEM_END).unwrap_or(rest.len());
            found.push(start..start + length);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_token_is_shorter_than_the_shortest() {
        let lengths = PREFIXES.iter().map(|(prefix, least)| prefix.len() + least);
        assert_eq!(lengths.min(), Some(SHORTEST));
    }

    #[test]
    fn known_tokens_are_cut() {
        let hidden = [
            ("key sk-proj-abcdEFGH1234ijklMNOP5678", "key sk-p***"),
            ("\"ghp_abcdefghijklmnopqrstuvwxyz0123456789\"", "\"ghp_***\""),
            ("AKIAIOSFODNN7EXAMPLE", "AKIA***"),
            ("xoxb-1234567890-abcdefghij", "xoxb***"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcDEF123-_x", "eyJh***"),
            ("https://me:hunter2@example.com/x", "https://me:h***@example.com/x"),
            ("Authorization: Bearer 0123456789abcdef0123456789abcdef", "Authorization: Bearer 0123***"),
            ("\"DB_PASSWORD\": \"correcthorse\"", "\"DB_PASSWORD\": \"cor***\""),
            ("PGPASSWORD=S3cr3t!Pass99 psql", "PGPASSWORD=S3c*** psql"),
            ("[\"--token\", \"hunter2hunter2\"]", "[\"--token\", \"hun***\"]"),
            ("\"api_key\": \"9f8e7d6c5b4a39281706f5e4d3c2b1a0\"", "\"api_key\": \"9f8e***\""),
        ];
        for (text, shown) in hidden {
            assert_eq!(redact(text), shown, "{text}");
        }
    }

    #[test]
    fn ordinary_text_is_kept() {
        let kept = [
            "deny read \"*.env\"",
            "allow bash \"git commit --amend --no-edit 2024-01-01\"",
            "sk-learn-is-a-name-of-a-library",
            "secrets/production/config.yaml",
            "https://example.com:8080/@scope/name",
            "{env:OPENAI_API_KEY}",
            "\"GITHUB_TOKEN\": \"{env:GITHUB_TOKEN}\"",
            "GH_TOKEN=$TOKEN gh pr list",
            "\"vault read --token *\": \"allow\"",
            "\"*TOKEN*\": \"deny\"",
            "\"gh secret set\": \"deny\"",
            "é token ünïcode",
        ];
        for text in kept {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn a_private_key_is_one_secret() {
        let text = "a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----";
        assert_eq!(redact(text), "a ----***-----END RSA PRIVATE KEY-----");
    }
}
