//! Which paths a question about command lines is about, in plain code and as an automaton of the words that `{path}` takes.

use super::regex::{plain_units, words};
use crate::language::pattern::{Case, Pattern, PatternError};
use crate::language::regex::{Automaton, State};
use crate::language::units::UnitSet;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The most states of the automaton before it is written down.
const MAX_STATES: usize = 4_096;

/// Those paths that some of `include` match, all if there are none, and none of `except`. Compared as they are written, so
/// `docs/../x` is in `docs/*`.
pub struct Paths {
    include: Vec<Pattern>,
    except: Vec<Pattern>,
    case: Case,
    words: OnceLock<Result<Automaton, PatternError>>,
}

impl Paths {
    /// The paths of a question.
    pub fn new(include: Vec<Pattern>, except: Vec<Pattern>, case: Case) -> Paths {
        Paths { include, except, case, words: OnceLock::new() }
    }

    /// Whether only some paths are asked about, not just all but a few.
    pub fn is_bounded(&self) -> bool {
        !self.include.is_empty()
    }

    /// Whether a path is one of them.
    pub fn contains(&self, path: &str) -> bool {
        let among = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.matches(path, self.case));
        (self.include.is_empty() || among(&self.include)) && !among(&self.except)
    }

    pub(super) fn case(&self) -> Case {
        self.case
    }

    /// A text that tells one question from another.
    pub(super) fn label(&self) -> String {
        format!("{:?} except {:?}", self.include, self.except)
    }

    /// The words of plain characters that are such paths and begin as a `{path}` does.
    pub(super) fn words(&self) -> Result<&Automaton, PatternError> {
        self.words.get_or_init(|| Subsets::new(self)?.automaton()).as_ref().map_err(Clone::clone)
    }
}

/// All patterns read at once: which places of theirs a word so far can have led to.
struct Subsets<'p> {
    paths: &'p Paths,
    /// The places of all patterns, and the pattern of each.
    places: Vec<(State, usize)>,
    first: Vec<u32>,
}

/// A step on one of some letters.
struct Edge {
    set: UnitSet,
    to: usize,
}

impl Subsets<'_> {
    fn new(paths: &Paths) -> Result<Subsets<'_>, PatternError> {
        let mut all = Subsets { paths, places: Vec::new(), first: Vec::new() };
        for (number, pattern) in paths.include.iter().chain(&paths.except).enumerate() {
            let known = pattern.automaton(paths.case);
            let own = match known {
                Some(automaton) => vec![automaton.map_err(Clone::clone)?.clone()],
                None => words(pattern, paths.case)?,
            };
            own.into_iter().for_each(|automaton| all.add(automaton, number));
        }
        Ok(all)
    }

    fn add(&mut self, automaton: Automaton, number: usize) {
        let offset = self.places.len() as u32;
        let moved = |places: Vec<u32>| places.into_iter().map(|place| place + offset).collect::<Vec<u32>>();
        self.first.extend(moved(automaton.first));
        let places = automaton.states.into_iter();
        self.places.extend(places.map(|state| (State { next: moved(state.next), ..state }, number)));
    }

    fn place(&self, number: u32) -> Option<&(State, usize)> {
        self.places.get(number as usize)
    }

    /// Whether a word that led to these places is one of the paths.
    fn accepts(&self, places: &[u32]) -> bool {
        let matched = |from: usize, to: usize| {
            let ends = places.iter().filter_map(|place| self.place(*place)).filter(|(state, _)| state.last);
            ends.into_iter().any(|(_, pattern)| (from..to).contains(pattern))
        };
        let included = self.paths.include.len();
        (included == 0 || matched(0, included)) && !matched(included, usize::MAX)
    }

    /// The letters of `plain`, parted by the places that each leads to.
    fn parted(&self, next: &[u32], plain: &UnitSet) -> Vec<(UnitSet, Vec<u32>)> {
        let mut parts = vec![(plain.clone(), Vec::new())];
        for &to in next {
            let Some((state, _)) = self.place(to) else { continue };
            let mut finer = Vec::with_capacity(parts.len() + 1);
            for (set, places) in parts {
                let (inside, outside) = (set.and(&state.set), set.and(&state.set.negated()));
                if !inside.is_empty() {
                    finer.push((inside, places.iter().copied().chain([to]).collect()));
                }
                if !outside.is_empty() {
                    finer.push((outside, places));
                }
            }
            parts = finer;
        }
        parts
    }

    fn automaton(&self) -> Result<Automaton, PatternError> {
        let [begin, plain] = [false, true].map(|dash| UnitSet::new(plain_units(dash)));
        // The first subset is that of the empty word, which no step leads back to.
        let mut subsets: Vec<Vec<u32>> = vec![Vec::new()];
        let mut numbers: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut edges: Vec<Vec<Edge>> = Vec::new();
        while let Some(places) = subsets.get(edges.len()) {
            let mut next: Vec<u32> = match edges.is_empty() {
                true => self.first.clone(),
                false => places
                    .iter()
                    .filter_map(|place| self.place(*place))
                    .flat_map(|(state, _)| &state.next)
                    .copied()
                    .collect(),
            };
            next.sort_unstable();
            next.dedup();
            let letters = if edges.is_empty() { &begin } else { &plain };
            let mut own = Vec::new();
            for (set, reached) in self.parted(&next, letters) {
                let to = *numbers.entry(reached).or_insert_with_key(|reached| {
                    subsets.push(reached.clone());
                    subsets.len() - 1
                });
                own.push(Edge { set, to });
            }
            edges.push(own);
            if subsets.len() > MAX_STATES {
                return Err(PatternError::new(
                    "the paths of the question are too many patterns to be analysed at once",
                ));
            }
        }
        let accepts: Vec<bool> = subsets.iter().map(|places| self.accepts(places)).collect();
        Ok(written(&edges, &accepts))
    }
}

/// The automaton whose places are the steps between subsets, as far as an end can be reached from them.
fn written(edges: &[Vec<Edge>], accepts: &[bool]) -> Automaton {
    let live = live(edges, accepts);
    let leads = |edge: &&Edge| live.get(edge.to).copied().unwrap_or_default();
    let mut starts = Vec::with_capacity(edges.len());
    let mut count = 0_u32;
    for own in edges {
        let kept = own.iter().filter(leads).count() as u32;
        starts.push(count..count + kept);
        count += kept;
    }
    let of = |subset: usize| starts.get(subset).cloned().unwrap_or_default().collect::<Vec<u32>>();
    let state = |edge: &Edge| State {
        set: edge.set.clone(),
        next: of(edge.to),
        last: accepts.get(edge.to).copied().unwrap_or_default(),
    };
    let states = edges.iter().flatten().filter(leads).map(state).collect();
    Automaton { states, first: of(0), empty: false }
}

/// The subsets from which an end can be reached, or that are one.
fn live(edges: &[Vec<Edge>], accepts: &[bool]) -> Vec<bool> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for (from, own) in edges.iter().enumerate() {
        for edge in own {
            before.get_mut(edge.to).into_iter().for_each(|list| list.push(from));
        }
    }
    let mut live = vec![false; edges.len()];
    let mut open: Vec<usize> = (0..edges.len()).filter(|&subset| accepts.get(subset) == Some(&true)).collect();
    while let Some(subset) = open.pop() {
        if live.get(subset) == Some(&false) {
            live.get_mut(subset).into_iter().for_each(|mark| *mark = true);
            open.extend(before.get(subset).into_iter().flatten());
        }
    }
    live
}
