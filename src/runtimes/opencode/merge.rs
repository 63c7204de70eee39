//! How OpenCode merges configs: objects by key, all else replaced, every key keeping the place it first had; and how
//! JavaScript orders an object's keys.

use super::json::{Entry, Kind};
use super::keys::SOURCE_OUTRANKED;
use crate::diagnostic::{Finding, Severity, Sink};
use crate::source::SourceMap;
use rustc_hash::FxHashMap;

/// Where what a merge replaces is said.
pub(super) struct Said<'a> {
    pub(super) texts: &'a SourceMap,
    pub(super) sink: &'a mut Sink,
}

/// Merges the entries of a later object into those of an earlier one.
pub(super) fn deep(under: &mut Vec<Entry>, over: Vec<Entry>, said: &mut Said<'_>) {
    let mut places: FxHashMap<String, usize> =
        under.iter().enumerate().map(|(at, entry)| (entry.key.clone(), at)).collect();
    for later in over {
        match places.get(&later.key).and_then(|at| under.get_mut(*at)) {
            Some(entry) => replace(entry, later, said),
            None => {
                places.insert(later.key.clone(), under.len());
                under.push(later);
            }
        }
    }
}

fn replace(entry: &mut Entry, mut later: Entry, said: &mut Said<'_>) {
    if let (Kind::Object(under), Kind::Object(over)) = (&mut entry.value.kind, &mut later.value.kind) {
        deep(under, std::mem::take(over), said);
        (entry.span, entry.value.span, entry.comments) = (later.span, later.value.span, later.comments);
        return;
    }
    outranked(entry, &later, said);
    *entry = later;
}

/// Says that a value of another file is replaced. That an object takes the place of a word, or the reverse, changes more
/// than it shows: what the word said of everything else is gone.
fn outranked(entry: &Entry, later: &Entry, said: &mut Said<'_>) {
    let (old, new) = (&entry.value, &later.value);
    if entry.span.file == later.span.file || old.plain() == new.plain() {
        return;
    }
    let by = said.texts.name(later.span.file);
    let key = crate::secret::redact(&entry.key);
    let text = format!("`{key}` is set again by `{by}`, which is read later");
    let mut finding = Finding::new(SOURCE_OUTRANKED, entry.whole(), text).related(later.whole(), "this one counts");
    if matches!((&old.kind, &new.kind), (Kind::String(_), Kind::Object(_)) | (Kind::Object(_), Kind::String(_))) {
        finding = finding
            .severity(Severity::Warning)
            .note("objects are merged, but a word and an object replace each other whole")
            .help("give both files an object, with `\"*\"` for the word");
    }
    said.sink.push(finding);
}

/// Entries in the order in which JavaScript goes through them: keys that are whole numbers first, ascending; the others as
/// they came. Of a repeated key the first place and the last value.
pub(super) fn ordered(entries: &[Entry]) -> Vec<&Entry> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut out: Vec<&Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        match places.get(entry.key.as_str()).and_then(|at| out.get_mut(*at)) {
            Some(place) => *place = entry,
            None => {
                places.insert(&entry.key, out.len());
                out.push(entry);
            }
        }
    }
    out.sort_by_key(|entry| index(&entry.key).map_or((1, 0), |index| (0, index)));
    out
}

/// The number a key is to JavaScript: 0 to 4294967294 in its shortest form.
pub(super) fn index(key: &str) -> Option<u32> {
    let number: u32 = key.parse().ok()?;
    (number != u32::MAX && number.to_string() == key).then_some(number)
}
