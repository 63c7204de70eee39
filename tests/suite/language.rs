//! The pattern dialects against the crates that define them, and tables against the naive meaning on longer calls.

use policyc::language::{Answer, Budget, Case, Dialect, Entry, Pattern, Table};
use proptest::collection::vec;
use proptest::prelude::*;

fn text(parts: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    vec(prop::sample::select(parts), 0..=most).prop_map(|parts| parts.concat())
}

const GLOB: &[&str] =
    &["a", "b", "/", "*", "**", "?", "[ab]", "[!a]", "[^b-d]", "{a,b/}", "{a,{b,c}}", "**/", "/**", "\\*", ".", "-"];
const REGEX: &[&str] =
    &["a", "b", "/", ".", "*", "+", "?", "(a|b)", "[^a]", "[a-c1]", "\\s", "{2}", "(?i:a)", "é", "\\.", "|"];
const WILDCARD: &[&str] = &["a", "b", "/", "\\", "*", "?", " *", " ", "é", "😀", "git", "src/"];
const VALUE: &[&str] = &["a", "b", "c", "/", "A", ".", " ", "\\", "é", "😀", "1", "git", "src/", "\n", "-"];
const ASCII: &[&str] = &["a", "b", "c", "d", "/", "A", ".", " ", "\\", "*", "-"];

fn pattern() -> impl Strategy<Value = Pattern> {
    let of = |dialect, parts, most| {
        text(parts, most).prop_filter_map("not a pattern", move |text| Pattern::new(dialect, &text).ok())
    };
    prop_oneof![
        of(Dialect::Wildcard, WILDCARD, 6),
        of(Dialect::Glob, GLOB, 5),
        of(Dialect::Prefix, VALUE, 3),
        of(Dialect::Exact, VALUE, 4),
        of(Dialect::Regex, REGEX, 5),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn globs_match_as_globset_does(glob in text(GLOB, 6), values in vec(text(ASCII, 7), 12)) {
        let built = globset::GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
        match (Pattern::new(Dialect::Glob, &glob), built) {
            (Ok(pattern), Ok(built)) => {
                let matcher = built.compile_matcher();
                for value in values {
                    prop_assert_eq!(pattern.matches(&value, Case::Sensitive), matcher.is_match(&value), "{} {}", glob, value);
                }
            }
            (Err(_), Err(_)) => {}
            (ours, theirs) => prop_assert!(false, "{:?} but {:?}", ours, theirs.map(|glob| glob.to_string())),
        }
    }

    #[test]
    fn tables_decide_as_the_patterns_mean(
        entries in vec((pattern(), pattern(), 0_u8..4), 1..8),
        calls in vec((text(VALUE, 3), text(VALUE, 6)), 20),
        folded in any::<bool>(),
    ) {
        let case = if folded { Case::Folded } else { Case::Sensitive };
        let borrowed: Vec<Entry> = entries.iter().map(|(key, value, colour)| Entry { key, value, colour: *colour }).collect();
        let mut table = Table::new(&borrowed, &[], 0, case).unwrap();
        let naive = |key: &str, value: &str| entries.iter().rposition(|entry| entry.0.matches(key, case) && entry.1.matches(value, case));
        for (key, value) in &calls {
            prop_assert_eq!(table.last(key, value), naive(key, value), "{:?} {:?} {:?}", entries, key, value);
        }
        let mut budget = Budget::new(300);
        for entry in 0..entries.len() {
            if let Answer::Yes(call) = table.decides(entry, &mut budget) {
                prop_assert_eq!(naive(&call.key, &call.value), Some(entry), "{:?} {:?}", entries, call);
            }
            if let Answer::Yes(call) = table.matters(entry, &mut budget) {
                prop_assert_eq!(naive(&call.key, &call.value), Some(entry), "{:?} {:?}", entries, call);
            }
        }
    }
}

#[test]
fn large_classes_and_repetitions_are_analysed() {
    let regex = |text| Pattern::new(Dialect::Regex, text).unwrap();
    let all = Pattern::wildcard("*");
    let values = [
        regex(r"(?-u:\w)+@[a-z]+\.(com|org)"),
        regex(r"[^/]{1,40}"),
        Pattern::new(Dialect::Glob, "{a,b}{c,d}/**/*.{rs,toml}").unwrap(),
        regex(r"(?s).*"),
    ];
    let entries: Vec<Entry> = values.iter().map(|value| Entry { key: &all, value, colour: 0 }).collect();
    let mut table = Table::new(&entries, &[], 1, Case::Sensitive).unwrap();
    let mut budget = Budget::default();
    assert_eq!(table.difference(0, &[1], &mut budget).map(|call| call.value.len() > 40), Answer::Yes(true));
    assert!(matches!(table.overlap(0, 1, &mut budget), Answer::Yes(_)));
    assert!(table.decides(2, &mut budget).is_no());
    assert_eq!(table.cover(2, &mut budget), Answer::Yes(vec![3]));
}
