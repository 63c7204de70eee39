//! Plausible witnesses: a call that a person would make, in place of one that merely proves the point.
//!
//! The engine's own witness has a plain letter in each gap. What people write there is the caller's to say; here whole values
//! and parts of them are tried, and one is kept only if what was to be shown still holds for it.

use std::collections::BTreeMap;

use crate::language::alphabet::{AUTOMATON, Alphabet, CLASS, GAP, Kind, SEP, SLASH, SLASHES};
use crate::language::answer::Call;
use crate::language::table::Table;

/// What plausible calls look like.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hints {
    /// Keys that exist, likely ones first.
    pub keys: Vec<String>,
    /// For a key the values that are plausible, likely ones first; those of the empty key go for all keys that have none.
    pub values: BTreeMap<String, Vec<String>>,
}

/// The most calls of a kind that are tried for one witness.
const MAX_TRIES: usize = 400;

impl Hints {
    fn values_of(&self, key: &str) -> &[String] {
        self.values.get(key).or_else(|| self.values.get("")).map_or(&[], Vec::as_slice)
    }

    /// The key of the call if it is one that exists, else all that exist.
    fn keys_for<'a>(&'a self, call: &'a Call) -> Vec<&'a str> {
        if self.keys.is_empty() || self.keys.contains(&call.key) {
            return vec![&call.key];
        }
        self.keys.iter().map(String::as_str).chain([call.key.as_str()]).collect()
    }
}

impl Table {
    /// A plausible call for which `holds`, in place of `call`, for which it holds too. The values tried are the hints
    /// themselves, and entry `i`'s own value with parts of the hints in its gaps. Without a plausible one, `call` itself.
    ///
    /// `holds` is to ask again what `call` was the answer to, as by [`Table::last`]; impossible calls are not offered.
    pub fn polish(
        &mut self,
        i: usize,
        call: Call,
        hints: &Hints,
        mut holds: impl FnMut(&mut Table, &Call) -> bool,
    ) -> Call {
        let templates = self.templates(i);
        let keys = hints.keys_for(&call);
        let whole = keys.iter().flat_map(|&key| hints.values_of(key).iter().map(move |value| (key, value.clone())));
        let filled = keys.iter().flat_map(|&key| {
            let fillers = hints.values_of(key).iter().flat_map(|value| parts(value)).chain(["x", "", "main"]);
            let templates = &templates;
            let fill = move |filler| templates.iter().filter_map(move |template| template.fill(filler));
            fillers.flat_map(fill).map(move |value| (key, value))
        });
        let own = keys.iter().map(|&key| (key, call.value.clone()));
        for (key, value) in whole.take(MAX_TRIES).chain(filled.take(MAX_TRIES)).chain(own) {
            let candidate = Call { key: key.to_owned(), value };
            if self.is_possible(&candidate.key, &candidate.value) && holds(self, &candidate) {
                return candidate;
            }
        }
        call
    }

    /// The entry's value words as text with gaps.
    fn templates(&self, i: usize) -> Vec<Template> {
        let words = if self.contains(i) { self.words.of(i) } else { 0..0 };
        let template = |word| Template::of(self.words.get(word), &self.compiler.alphabet);
        let mut templates: Vec<Template> = words.filter_map(template).collect();
        // The longest word first: an optional tail is shown.
        templates.sort_by_key(|template| std::cmp::Reverse(template.parts.len()));
        templates.dedup();
        templates
    }
}

/// Literal parts with a gap between each two.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    parts: Vec<String>,
}

impl Template {
    /// None for a word that cannot be written so: one with an automaton or a class of odd letters.
    fn of(word: &[u16], alphabet: &Alphabet) -> Option<Template> {
        let value = word.split(|&token| token == SEP).nth(1)?;
        let mut parts = vec![Vec::new()];
        for &token in value {
            let symbol = match token {
                AUTOMATON.. => return None,
                GAP.. => {
                    parts.push(Vec::new());
                    continue;
                }
                CLASS.. => alphabet.fresh_in(Alphabet::class_of(token), Kind::Plain)?,
                SLASHES => SLASH,
                symbol => symbol,
            };
            parts.last_mut()?.push(alphabet.unit(symbol));
        }
        let text = |units: &Vec<u16>| String::from_utf16(units).ok();
        Some(Template { parts: parts.iter().map(text).collect::<Option<_>>()? })
    }

    fn fill(&self, filler: &str) -> Option<String> {
        let text = self.parts.join(filler);
        let tidy = !text.contains("//") && !text.contains("  ") && !text.is_empty();
        tidy.then_some(text)
    }
}

/// Parts of a plausible value that can stand in a gap: all of it, its further words, its last segment, that without
/// extension.
fn parts(value: &str) -> impl Iterator<Item = &str> {
    let words = value.splitn(3, ' ').skip(1).last();
    let tail = value.split_once(' ').map(|(_, tail)| tail);
    let name = value.rsplit('/').next();
    let stem = name.and_then(|name| name.rsplit_once('.')).map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
    [words, tail, stem, name, Some(value)].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Budget, Case, Entry, Pattern};

    #[track_caller]
    fn polished(rules: &[(&str, &str, u8)], i: usize) -> (String, String) {
        let patterns: Vec<(Pattern, Pattern, u8)> =
            rules.iter().map(|rule| (Pattern::wildcard(rule.0), Pattern::wildcard(rule.1), rule.2)).collect();
        let entries: Vec<Entry> =
            patterns.iter().map(|(key, value, colour)| Entry { key, value, colour: *colour }).collect();
        let mut table = Table::new(&entries, &[], 1, Case::Sensitive).unwrap();
        let list = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect::<Vec<_>>();
        let hints = Hints {
            keys: list(&["bash", "edit", "read"]),
            values: BTreeMap::from([
                ("bash".to_owned(), list(&["git push origin main", "ls -la", "rm -rf build"])),
                ("edit".to_owned(), list(&["src/main.rs", "docs/readme.md"])),
            ]),
        };
        let call = table.decides(i, &mut Budget::default()).yes().unwrap();
        let call = table.polish(i, call, &hints, |table, call| table.last(&call.key, &call.value) == Some(i));
        (call.key, call.value)
    }

    #[test]
    fn witnesses_are_what_people_write() {
        let call = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(polished(&[("bash", "git push *", 0)], 0), call("bash", "git push origin main"));
        assert_eq!(polished(&[("bash", "git commit *", 0)], 0), call("bash", "git commit origin main"));
        assert_eq!(polished(&[("edit", "docs/*.md", 0)], 0), call("edit", "docs/readme.md"));
        assert_eq!(polished(&[("edit", "lib/*.md", 0)], 0), call("edit", "lib/main.md"));
        assert_eq!(polished(&[("*", "*.rs", 0)], 0), call("edit", "src/main.rs"));
        assert_eq!(polished(&[("edit", "*", 0), ("edit", "src/*", 1)], 0), call("edit", "docs/readme.md"));
        assert_eq!(polished(&[("odd_*", "a?", 0)], 0).1, "ax");
    }
}
