//! The regex dialect: the regex crate decides, and the parsed expression becomes a position automaton for the engine.
//!
//! A position automaton has one state for each place of a class in the expression, and no empty steps: a state is
//! entered by reading one unit of its class.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex_syntax::hir::{Class, Hir, HirKind, Look};

use crate::language::pattern::{Case, PatternError};
use crate::language::units::{UnitSet, fold};

/// The most states of one expression.
const MAX_STATES: usize = 4_096;
/// The most steps between them.
const MAX_STEPS: usize = 100_000;

/// A regular expression that was found fit to be analysed.
pub(crate) struct Program {
    text: Box<str>,
    exact: OnceLock<Option<regex::Regex>>,
    folded: OnceLock<Option<regex::Regex>>,
    /// By whether letters are folded.
    automata: [OnceLock<Result<Automaton, PatternError>>; 2],
    everything: bool,
}

/// The positions of an expression and how they follow one another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Automaton {
    pub(crate) states: Vec<State>,
    /// The states that a match can begin with.
    pub(crate) first: Vec<u32>,
    /// Whether the empty string matches.
    pub(crate) empty: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// The units that enter this state.
    pub(crate) set: UnitSet,
    pub(crate) next: Vec<u32>,
    /// Whether a match can end here.
    pub(crate) last: bool,
}

impl Program {
    pub(crate) fn new(text: &str) -> Result<Program, PatternError> {
        let hir = parse(text, Case::Sensitive)?;
        let program = Program { everything: is_everything(&hir), ..Program::unchecked(text) };
        if let Err(error) = program.automaton(Case::Sensitive) {
            return Err(error.clone());
        }
        match program.exact() {
            Some(_) => Ok(program),
            None => Err(PatternError::new("the regular expression is too large to be compiled")),
        }
    }

    /// An expression that is known to be fit, and not to match everything.
    pub(crate) fn unchecked(text: &str) -> Program {
        let (exact, folded) = (OnceLock::new(), OnceLock::new());
        Program { text: text.into(), exact, folded, automata: Default::default(), everything: false }
    }

    fn exact(&self) -> Option<&regex::Regex> {
        self.exact.get_or_init(|| compile(&self.text, Case::Sensitive)).as_ref()
    }

    /// On Windows the value is folded first and the expression then ignores case, so that it cannot tell apart what
    /// another pattern cannot.
    pub(crate) fn matches(&self, value: &str, case: Case) -> bool {
        match case {
            Case::Sensitive => self.exact().is_some_and(|regex| regex.is_match(value)),
            Case::Folded => {
                let value: Vec<u16> = value.encode_utf16().map(fold).collect();
                let value = String::from_utf16_lossy(&value);
                let regex = self.folded.get_or_init(|| compile(&self.text, case));
                regex.as_ref().is_some_and(|regex| regex.is_match(&value))
            }
        }
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.everything
    }

    /// The positions of the expression, worked out once: a template is asked about in the tables of many agents.
    ///
    /// # Errors
    /// Too many states: with folding there can be more of them.
    pub(crate) fn automaton(&self, case: Case) -> Result<&Automaton, &PatternError> {
        let [sensitive, folded] = &self.automata;
        let known = if case == Case::Sensitive { sensitive } else { folded };
        known.get_or_init(|| Automaton::new(&parse(&self.text, case)?)).as_ref()
    }
}

/// The expression, bound to the whole value. In extended mode a comment may run to the end of the text, hence the
/// second try.
fn compile(text: &str, case: Case) -> Option<regex::Regex> {
    let build = |text: &str| regex::RegexBuilder::new(text).case_insensitive(case == Case::Folded).build().ok();
    build(&format!("\\A(?:{text})\\z")).or_else(|| build(&format!("\\A(?:{text}\n)\\z")))
}

fn parse(text: &str, case: Case) -> Result<Hir, PatternError> {
    let hir = regex_syntax::ParserBuilder::new()
        .case_insensitive(case == Case::Folded)
        .build()
        .parse(text)
        .map_err(syntax_error)?;
    strip_anchors(&hir, true, true)
}

fn syntax_error(error: regex_syntax::Error) -> PatternError {
    let (message, span) = match &error {
        regex_syntax::Error::Parse(error) => (error.kind().to_string(), error.span()),
        regex_syntax::Error::Translate(error) => (error.kind().to_string(), error.span()),
        _ => return PatternError::new("the regular expression cannot be read"),
    };
    let range = span.start.offset..span.end.offset;
    if message.contains("look-around") {
        return PatternError::new("look-around cannot be analysed, so it is refused")
            .with_help("write an earlier or later rule for the exception instead")
            .at(range);
    }
    if message.contains("backreference") {
        return PatternError::new("back-references cannot be analysed, so they are refused")
            .with_help("write the alternatives out")
            .at(range);
    }
    PatternError::new(message).at(range)
}

/// The expression without the anchors at its ends, where they say what holds anyway.
fn strip_anchors(hir: &Hir, at_start: bool, at_end: bool) -> Result<Hir, PatternError> {
    Ok(match hir.kind() {
        HirKind::Look(Look::Start) if at_start => Hir::empty(),
        HirKind::Look(Look::End) if at_end => Hir::empty(),
        HirKind::Look(look) => return Err(refused_look(*look)),
        HirKind::Capture(capture) => strip_anchors(&capture.sub, at_start, at_end)?,
        HirKind::Alternation(branches) => Hir::alternation(
            branches.iter().map(|branch| strip_anchors(branch, at_start, at_end)).collect::<Result<_, _>>()?,
        ),
        HirKind::Concat(parts) => {
            let is_look = |part: &Hir| matches!(part.kind(), HirKind::Look(_));
            let head = parts.iter().take_while(|part| is_look(part)).count();
            let tail = parts.iter().rev().take_while(|part| is_look(part)).count();
            let stripped = parts.iter().enumerate().map(|(place, part)| {
                strip_anchors(part, at_start && place <= head, at_end && place + tail + 1 >= parts.len())
            });
            Hir::concat(stripped.collect::<Result<_, _>>()?)
        }
        HirKind::Repetition(repetition) => {
            let mut inner = repetition.clone();
            *inner.sub = strip_anchors(&repetition.sub, false, false)?;
            Hir::repetition(inner)
        }
        HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) => hir.clone(),
    })
}

fn refused_look(look: Look) -> PatternError {
    match look {
        Look::Start | Look::End => {
            PatternError::new("`^` and `$` can stand only at the ends of the regular expression")
                .with_help("the whole value must match anyway, so they can be left out")
        }
        Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF => {
            PatternError::new("line anchors cannot be analysed, so they are refused")
                .with_help("leave out the `m` flag: the whole value must match anyway")
        }
        _ => PatternError::new("word boundaries cannot be analysed, so they are refused")
            .with_help("write the characters that may stand around the word"),
    }
}

fn is_everything(hir: &Hir) -> bool {
    let HirKind::Repetition(repetition) = hir.kind() else { return false };
    let any = Hir::dot(regex_syntax::hir::Dot::AnyChar);
    (repetition.min, repetition.max) == (0, None) && *repetition.sub == any
}

/// A part of the expression: where matches of it begin and end.
struct Part {
    first: Vec<u32>,
    last: Vec<u32>,
    empty: bool,
}

impl Part {
    fn nothing() -> Part {
        Part { first: Vec::new(), last: Vec::new(), empty: true }
    }
}

impl Automaton {
    fn new(hir: &Hir) -> Result<Automaton, PatternError> {
        let mut builder = Builder::default();
        let whole = builder.part(hir)?;
        Ok(builder.finish(whole))
    }

    /// The automaton of an expression.
    pub(crate) fn of_text(text: &str, case: Case) -> Result<Automaton, PatternError> {
        Automaton::new(&parse(text, case)?)
    }

    /// One letter of each of some sets, or any run of it where a set comes with `true`.
    pub(crate) fn of_sets(sets: &[(UnitSet, bool)]) -> Result<Automaton, PatternError> {
        let mut builder = Builder::default();
        let mut whole = Part::nothing();
        for (set, many) in sets {
            let mut part = builder.state(set.clone())?;
            if *many {
                builder.connect(&part.last, &part.first)?;
                part.empty = true;
            }
            whole = builder.then(whole, part)?;
        }
        Ok(builder.finish(whole))
    }

    /// What matches one automaton after the other.
    pub(crate) fn sequence(parts: &[&Automaton]) -> Result<Automaton, PatternError> {
        let mut builder = Builder::default();
        let mut whole = Part::nothing();
        for part in parts {
            let part = builder.copy(part)?;
            whole = builder.then(whole, part)?;
        }
        Ok(builder.finish(whole))
    }

    /// Whether the whole of a value matches; folded on Windows, for sets that hold what folds to the same.
    pub(crate) fn matches(&self, value: &str, case: Case) -> bool {
        let mut reached: Option<Vec<u32>> = None;
        for unit in value.encode_utf16() {
            let unit = if case == Case::Folded { fold(unit) } else { unit };
            let state = |place: &u32| self.states.get(*place as usize);
            let mut next: Vec<u32> = match &reached {
                None => self.first.clone(),
                Some(places) => places.iter().filter_map(state).flat_map(|state| &state.next).copied().collect(),
            };
            next.retain(|place| state(place).is_some_and(|state| state.set.contains(unit)));
            next.sort_unstable();
            next.dedup();
            reached = Some(next);
        }
        let last = |place: &u32| self.states.get(*place as usize).is_some_and(|state| state.last);
        reached.map_or(self.empty, |places| places.iter().any(last))
    }
}

#[derive(Default)]
struct Builder {
    states: Vec<State>,
    steps: usize,
}

impl Builder {
    fn finish(mut self, whole: Part) -> Automaton {
        for &place in &whole.last {
            if let Some(state) = self.states.get_mut(place as usize) {
                state.last = true;
            }
        }
        for state in &mut self.states {
            state.next.sort_unstable();
            state.next.dedup();
        }
        Automaton { states: self.states, first: whole.first, empty: whole.empty }
    }

    fn copy(&mut self, automaton: &Automaton) -> Result<Part, PatternError> {
        let offset = self.states.len();
        self.steps += automaton.states.iter().map(|state| state.next.len()).sum::<usize>();
        if offset + automaton.states.len() > MAX_STATES || self.steps > MAX_STEPS {
            return Err(too_large());
        }
        let moved = |places: &[u32]| places.iter().map(|place| place + offset as u32).collect::<Vec<u32>>();
        let mut last = Vec::new();
        for (place, state) in automaton.states.iter().enumerate() {
            if state.last {
                last.push((offset + place) as u32);
            }
            self.states.push(State { set: state.set.clone(), next: moved(&state.next), last: false });
        }
        Ok(Part { first: moved(&automaton.first), last, empty: automaton.empty })
    }

    fn part(&mut self, hir: &Hir) -> Result<Part, PatternError> {
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => Ok(Part::nothing()),
            HirKind::Literal(literal) => {
                let text = String::from_utf8_lossy(&literal.0);
                self.sequence(text.encode_utf16().map(UnitSet::single).collect())
            }
            HirKind::Class(class) => self.class(class),
            HirKind::Capture(capture) => self.part(&capture.sub),
            HirKind::Alternation(branches) => {
                let mut whole = Part { empty: false, ..Part::nothing() };
                for branch in branches {
                    let branch = self.part(branch)?;
                    whole = either(whole, branch);
                }
                Ok(whole)
            }
            HirKind::Concat(parts) => {
                let mut whole = Part::nothing();
                for part in parts {
                    let part = self.part(part)?;
                    whole = self.then(whole, part)?;
                }
                Ok(whole)
            }
            HirKind::Repetition(repetition) => self.repeat(&repetition.sub, repetition.min, repetition.max),
        }
    }

    fn repeat(&mut self, hir: &Hir, min: u32, max: Option<u32>) -> Result<Part, PatternError> {
        let mut whole = Part::nothing();
        let copies = max.unwrap_or(min.max(1));
        for copy in 0..copies {
            let mut part = self.part(hir)?;
            if part.first.is_empty() {
                break;
            }
            if max.is_none() && copy + 1 == copies {
                self.connect(&part.last, &part.first)?;
            }
            part.empty |= copy >= min;
            whole = self.then(whole, part)?;
        }
        Ok(whole)
    }

    fn then(&mut self, left: Part, right: Part) -> Result<Part, PatternError> {
        self.connect(&left.last, &right.first)?;
        let mut first = left.first;
        if left.empty {
            first.extend_from_slice(&right.first);
        }
        let mut last = right.last;
        if right.empty {
            last.extend_from_slice(&left.last);
        }
        Ok(Part { first, last, empty: left.empty && right.empty })
    }

    fn connect(&mut self, from: &[u32], to: &[u32]) -> Result<(), PatternError> {
        self.steps += from.len() * to.len();
        if self.steps > MAX_STEPS {
            return Err(too_large());
        }
        for &place in from {
            if let Some(state) = self.states.get_mut(place as usize) {
                state.next.extend_from_slice(to);
            }
        }
        Ok(())
    }

    fn sequence(&mut self, sets: Vec<UnitSet>) -> Result<Part, PatternError> {
        let mut whole = Part::nothing();
        for set in sets {
            let part = self.state(set)?;
            whole = self.then(whole, part)?;
        }
        Ok(whole)
    }

    fn state(&mut self, set: UnitSet) -> Result<Part, PatternError> {
        let place = u32::try_from(self.states.len()).map_err(|_| too_large())?;
        if self.states.len() >= MAX_STATES {
            return Err(too_large());
        }
        self.states.push(State { set, next: Vec::new(), last: false });
        Ok(Part { first: vec![place], last: vec![place], empty: false })
    }

    /// A class of code points: one unit of the basic plane, or a pair of surrogates.
    fn class(&mut self, class: &Class) -> Result<Part, PatternError> {
        let ranges: Vec<(u32, u32)> = match class {
            Class::Unicode(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
            Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
        };
        let mut whole = Part { empty: false, ..Part::nothing() };
        let basic = UnitSet::new(ranges.iter().flat_map(|&range| basic_ranges(range)).collect());
        if !basic.is_empty() {
            let part = self.state(basic)?;
            whole = either(whole, part);
        }
        for (high, low) in surrogates(&ranges) {
            let part = self.sequence(vec![high, low])?;
            whole = either(whole, part);
        }
        Ok(whole)
    }
}

fn either(mut left: Part, right: Part) -> Part {
    left.first.extend(right.first);
    left.last.extend(right.last);
    left.empty |= right.empty;
    left
}

fn too_large() -> PatternError {
    PatternError::new(format!("the regular expression needs more than {MAX_STATES} states or {MAX_STEPS} steps"))
        .with_help("use smaller repetition counts, or several rules")
}

/// The part of a code point range in the basic plane, without surrogates.
fn basic_ranges((low, high): (u32, u32)) -> impl Iterator<Item = (u16, u16)> {
    let cut = |from: u32, to: u32| Some((u16::try_from(from).ok()?, u16::try_from(to).ok()?)).filter(|_| from <= to);
    [cut(low, high.min(0xD7FF)), cut(low.max(0xE000), high.min(0xFFFF))].into_iter().flatten()
}

type Ranges = Vec<(u16, u16)>;

const FIRST_LOW: u16 = 0xDC00;
const LAST_LOW: u16 = 0xDFFF;

/// The code points outside the basic plane, as pairs of surrogates: a set of high ones and the low ones that follow them.
fn surrogates(ranges: &[(u32, u32)]) -> Vec<(UnitSet, UnitSet)> {
    // High surrogates that all low ones may follow are ranges, not units: most classes hold nearly all of them.
    let mut whole = Ranges::new();
    let mut lows: BTreeMap<u16, Ranges> = BTreeMap::new();
    for &(low, high) in ranges.iter().filter(|range| range.1 >= 0x1_0000) {
        let (from, to) = (pair(low.max(0x1_0000)), pair(high));
        let mut part = |unit: u16, first: u16, last: u16| lows.entry(unit).or_default().push((first, last));
        match (from.1 == FIRST_LOW, to.1 == LAST_LOW) {
            (true, true) => whole.push((from.0, to.0)),
            _ if from.0 == to.0 => part(from.0, from.1, to.1),
            (starts, ends) => {
                let first = from.0 + u16::from(!starts);
                let last = to.0 - u16::from(!ends);
                if !starts {
                    part(from.0, from.1, LAST_LOW);
                }
                if !ends {
                    part(to.0, FIRST_LOW, to.1);
                }
                if first <= last {
                    whole.push((first, last));
                }
            }
        }
    }
    let mut highs: BTreeMap<Ranges, Ranges> = BTreeMap::new();
    if !whole.is_empty() {
        highs.insert(vec![(FIRST_LOW, LAST_LOW)], whole);
    }
    for (unit, low) in lows {
        highs.entry(low).or_default().push((unit, unit));
    }
    highs.into_iter().map(|(low, high)| (UnitSet::new(high), UnitSet::new(low))).collect()
}

/// The surrogates of a code point outside the basic plane.
fn pair(point: u32) -> (u16, u16) {
    let offset = point.saturating_sub(0x1_0000);
    (0xD800 | ((offset >> 10) & 0x3FF) as u16, 0xDC00 | (offset & 0x3FF) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_stand_only_at_the_ends() {
        for text in ["^a$", "^(?:a|b)$", "(^a|^b$)", "a*", "(?x) a # comment", "\\Aa\\z", "^^a"] {
            assert!(Program::new(text).is_ok(), "{text:?}");
        }
        for text in ["a^b", "(?m)^a", "\\bgit\\b", "(a$)*", "a{5000}", "(a?){2000}", "(?=a)", "(a)\\1", "["] {
            let error = Program::new(text).err().unwrap_or_else(|| panic!("{text:?} is accepted"));
            assert!(!error.message().ends_with('.'), "{error:?}");
        }
    }

    #[test]
    fn code_points_outside_the_basic_plane_are_pairs() {
        let cases: [&[(u32, u32)]; 6] = [
            &[(0x1_0000, 0x10_FFFF)],
            &[(0x61, 0x1_F600), (0x1_F602, 0x10_FFFF)],
            &[(0x1_0401, 0x1_0402), (0x1_0405, 0x1_07FF)],
            &[(0x1_03FF, 0x1_0400)],
            &[(0x1_0000, 0x1_03FF)],
            &[(0x2_0000, 0x2_0BFE)],
        ];
        for ranges in cases {
            let pairs = surrogates(ranges);
            for point in
                (0x1_0000..=0x10_FFFF).filter(|point| point % 37 == 0 || point % 0x400 < 6 || point % 0x400 > 0x3FC)
            {
                let inside = ranges.iter().any(|range| (range.0..=range.1).contains(&point));
                let (high, low) = pair(point);
                let found = pairs.iter().filter(|(highs, lows)| highs.contains(high) && lows.contains(low)).count();
                assert_eq!(found, usize::from(inside), "{point:x} in {ranges:x?}");
            }
        }
    }

    #[test]
    fn whole_values_match() {
        let program = Program::new("(?x) git\\ (log|diff) # read only").unwrap();
        assert!(program.matches("git log", Case::Sensitive) && !program.matches("git log ", Case::Sensitive));
        assert!(program.matches("GIT LOG", Case::Folded));
    }
}
