//! UTF-16 code units: what one symbol of a string is, how Windows folds it, and sets of them.
//!
//! The runtimes' matchers are JavaScript: `?` takes one code unit, so a string is a sequence of units everywhere here.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// The fold of a JavaScript regular expression with flag `i` and without `u`: simple upper case, one unit to one unit,
/// and never from outside ASCII into it.
pub(crate) fn fold(unit: u16) -> u16 {
    if unit < 128 {
        return if (u16::from(b'a')..=u16::from(b'z')).contains(&unit) { unit - 32 } else { unit };
    }
    let Some(letter) = char::from_u32(u32::from(unit)) else { return unit };
    let mut upper = letter.to_uppercase();
    match (upper.next().map(|c| u16::try_from(u32::from(c))), upper.next()) {
        (Some(Ok(folded)), None) if folded >= 128 => folded,
        _ => unit,
    }
}

/// A set of code units: sorted ranges, inclusive, neither touching nor overlapping, so that equal sets compare equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct UnitSet {
    ranges: Vec<(u16, u16)>,
}

impl UnitSet {
    pub(crate) fn new(mut ranges: Vec<(u16, u16)>) -> UnitSet {
        ranges.sort_unstable();
        let mut merged: Vec<(u16, u16)> = Vec::with_capacity(ranges.len());
        for (low, high) in ranges {
            match merged.last_mut() {
                Some(last) if u32::from(low) <= u32::from(last.1) + 1 => last.1 = last.1.max(high),
                _ => merged.push((low, high)),
            }
        }
        UnitSet { ranges: merged }
    }

    pub(crate) fn single(unit: u16) -> UnitSet {
        UnitSet { ranges: vec![(unit, unit)] }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    pub(crate) fn is_all(&self) -> bool {
        self.ranges.as_slice() == [(0, u16::MAX)]
    }

    pub(crate) fn contains(&self, unit: u16) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= unit);
        after > 0 && self.ranges.get(after - 1).is_some_and(|range| unit <= range.1)
    }

    pub(crate) fn units(&self) -> impl Iterator<Item = u16> + '_ {
        self.ranges.iter().flat_map(|&(low, high)| low..=high)
    }

    /// Its ranges, inclusive, in order.
    pub(crate) fn ranges(&self) -> &[(u16, u16)] {
        &self.ranges
    }

    /// The units that are in both sets.
    pub(crate) fn and(&self, other: &UnitSet) -> UnitSet {
        UnitSet::new([self.negated().ranges, other.negated().ranges].concat()).negated()
    }

    /// Whether it holds more than half of all units.
    pub(crate) fn is_large(&self) -> bool {
        self.ranges.iter().map(|&(low, high)| usize::from(high - low) + 1).sum::<usize>() > 32_768
    }

    pub(crate) fn negated(&self) -> UnitSet {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut from = Some(0_u16);
        for &(low, high) in &self.ranges {
            if let Some(start) = from.filter(|&start| start < low) {
                ranges.push((start, low - 1));
            }
            from = high.checked_add(1);
        }
        if let Some(start) = from {
            ranges.push((start, u16::MAX));
        }
        UnitSet { ranges }
    }

    /// The set and every unit that folds to the same as one of its units.
    pub(crate) fn folded(&self) -> UnitSet {
        let folds = folds();
        let mut ranges = self.ranges.clone();
        for unit in self.units() {
            ranges.extend(folds.get(&fold(unit)).into_iter().flatten().map(|&unit| (unit, unit)));
        }
        UnitSet::new(ranges)
    }
}

/// How many units fold to another one.
pub(crate) fn folding() -> usize {
    folds().values().map(|units| units.len() - 1).sum()
}

/// For each unit that others fold to: all that do, itself included.
fn folds() -> &'static FxHashMap<u16, Vec<u16>> {
    static FOLDS: OnceLock<FxHashMap<u16, Vec<u16>>> = OnceLock::new();
    FOLDS.get_or_init(|| {
        let mut folds: FxHashMap<u16, Vec<u16>> = FxHashMap::default();
        for unit in (0..=u16::MAX).filter(|&unit| fold(unit) != unit) {
            folds.entry(fold(unit)).or_insert_with(|| vec![fold(unit)]).push(unit);
        }
        folds
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_as_javascript_does() {
        let same = |a: char, b: char| fold(a as u16) == fold(b as u16);
        assert!(same('é', 'É') && same('σ', 'ς') && same('µ', 'μ') && same('k', 'K'));
        assert!(!same('ß', 'ẞ') && !same('K', '\u{212A}') && !same('s', 'ſ') && !same('i', 'İ') && !same('i', 'ı'));
    }

    #[test]
    fn sets_keep_one_form() {
        let set = UnitSet::new(vec![(5, 9), (1, 2), (3, 4), (20, 30), (25, 26)]);
        assert_eq!(set.ranges, [(1, 9), (20, 30)]);
        assert_eq!(set.negated().negated(), set);
        assert!(set.contains(1) && set.contains(9) && !set.contains(10) && set.contains(30) && !set.contains(31));
        assert!(UnitSet::default().negated().is_all() && UnitSet::default().negated().negated().is_empty());
    }
}
