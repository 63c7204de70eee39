//! One agent's rules as tables: which kinds of permissions its rules speak of, and automata for the resources of each.

use super::alphabet::{Numbering, size};
use super::automaton::{self, TooMany};
use super::run::Room;
use super::store::{NONE, Tables};
use super::trie::{Number, ROOT, Token, Trie};
use crate::language::{Case, Dialect, Pattern, Piece, Word, words_of};
use crate::model::Visibility;
use crate::rule::{Action, Rule};
use crate::ruleset::Ruleset;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A rule whose words are not in the automata: it is compared by itself.
#[derive(Debug, Serialize, Deserialize)]
struct Single {
    rule: Number,
    pattern: Written,
}

/// A pattern as written, read when it is first asked.
#[derive(Debug, Serialize, Deserialize)]
struct Written {
    dialect: Dialect,
    text: String,
    #[serde(skip)]
    read: OnceLock<Option<Pattern>>,
}

/// The rules that speak of the same permissions.
#[derive(Debug, Serialize, Deserialize)]
struct Column {
    /// The pattern of permissions.
    key: Written,
    /// The automata that read a resource from its beginning, and from its end.
    starts: (Option<u32>, Option<u32>),
    /// The last first.
    singles: Vec<Single>,
    /// All rules, in order.
    rules: Vec<Number>,
    /// Its last rule.
    last: Number,
    /// Whether that one, or any, denies all of the permission by a bare `*`.
    bare: (bool, bool),
}

/// The rules of one agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct AgentTable {
    pub(super) name: String,
    case: Case,
    /// Literal permissions first, in the order of their texts.
    columns: Vec<Column>,
    literals: u32,
    /// The action of each rule.
    actions: Vec<Action>,
    /// The place of each rule among the rules of all agents.
    pub(super) rules: Vec<u32>,
    tables: Tables,
}

impl Written {
    fn of(pattern: &Pattern) -> Written {
        Written { dialect: pattern.dialect(), text: pattern.text().to_owned(), read: OnceLock::new() }
    }

    /// A text that was a pattern when the table was made is one.
    fn matches(&self, value: &str, case: Case) -> bool {
        let read = || match self.dialect {
            Dialect::Wildcard => Some(Pattern::wildcard(&self.text)),
            dialect => Pattern::new(dialect, &self.text).ok(),
        };
        self.read.get_or_init(read).as_ref().is_some_and(|pattern| pattern.matches(value, case))
    }
}

impl AgentTable {
    /// The table of a ruleset; `place` says where each rule stands among the rules of all agents.
    pub(super) fn new(set: &Ruleset, place: impl Fn(&Rule) -> u32) -> AgentTable {
        let mut groups: IndexMap<&Pattern, Vec<(Number, &Rule)>> = IndexMap::new();
        for (at, rule) in set.rules.iter().enumerate() {
            groups.entry(&rule.permission).or_default().push((at as Number + 1, rule));
        }
        let is_literal = |key: &Pattern| set.case == Case::Sensitive && is_literal(key);
        groups.sort_by(|one, _, other, _| {
            (!is_literal(one), one.text(), one.dialect()).cmp(&(!is_literal(other), other.text(), other.dialect()))
        });
        let literals = groups.keys().filter(|key| is_literal(key)).count() as u32;
        let words: Vec<Option<Vec<Word>>> = set.rules.iter().map(|rule| words_of(&rule.pattern, set.case)).collect();
        let numbering = Numbering::new(words.iter().flatten().flatten());
        let mut tables = Tables { alphabet: numbering.alphabet.clone(), ..Tables::default() };
        let columns = groups.iter().map(|(key, rules)| {
            let mut column = Maker { numbering: &numbering, tables: &mut tables, singles: Vec::new() };
            column.make(key, rules, &words)
        });
        let columns = columns.collect();
        AgentTable {
            name: set.agent.clone(),
            case: set.case,
            columns,
            literals,
            actions: set.rules.iter().map(|rule| rule.action).collect(),
            rules: set.rules.iter().map(place).collect(),
            tables,
        }
    }

    /// The columns that speak of a permission, those with the latest rules first.
    pub(super) fn columns(&self, permission: &str) -> Vec<u32> {
        let (literal, wild) = self.columns.split_at_checked(self.literals as usize).unwrap_or((&self.columns, &[]));
        let exact = literal.iter().enumerate().skip(literal.partition_point(|column| *column.key.text < *permission));
        let exact = exact.take_while(|(_, column)| column.key.text == permission);
        let wild = wild.iter().enumerate().filter(|(_, column)| column.key.matches(permission, self.case));
        let wild = wild.map(|(at, column)| (at + literal.len(), column));
        let mut found: Vec<(Number, u32)> = exact.chain(wild).map(|(at, column)| (column.last, at as u32)).collect();
        found.sort_unstable_by(|one, other| other.cmp(one));
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// The last rule, by its place in the ruleset, of some columns that a resource matches, and its action.
    pub(super) fn decide(&self, columns: &[u32], resource: &str, room: &mut Room) -> Option<(usize, Action)> {
        self.tables.alphabet.letters(resource, &mut room.forwards);
        room.backwards.clear();
        let mut best = NONE;
        for column in columns.iter().filter_map(|at| self.columns.get(*at as usize)) {
            if column.last <= best {
                break;
            }
            if column.starts.1.is_some() && room.backwards.len() != room.forwards.len() {
                room.backwards.extend(room.forwards.iter().rev());
            }
            best = room.last(&self.tables, column.starts, best);
            let later = column.singles.iter().take_while(|single| single.rule > best);
            best = later
                .into_iter()
                .find(|single| single.pattern.matches(resource, self.case))
                .map_or(best, |one| one.rule);
        }
        let at = best.checked_sub(1)? as usize;
        Some((at, *self.actions.get(at)?))
    }

    /// The rules of some columns, by their places in the ruleset, the last first, each with its action.
    pub(super) fn rules(&self, columns: &[u32]) -> Vec<(usize, Action)> {
        let columns = columns.iter().filter_map(|at| self.columns.get(*at as usize));
        let mut numbers: Vec<Number> = columns.flat_map(|column| &column.rules).copied().collect();
        numbers.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
        let places = numbers.into_iter().filter_map(|number| number.checked_sub(1));
        places.filter_map(|at| Some((at as usize, *self.actions.get(at as usize)?))).collect()
    }

    /// Whether the model sees a tool whose permission is `key`.
    pub(super) fn visible(&self, columns: &[u32], visibility: Visibility) -> bool {
        let mut columns = columns.iter().filter_map(|at| self.columns.get(*at as usize));
        match visibility {
            Visibility::LastDeny => !columns.next().is_some_and(|column| column.bare.0),
            Visibility::BareDeny => !columns.any(|column| column.bare.1),
            Visibility::Fixed => true,
        }
    }
}

fn is_literal(key: &Pattern) -> bool {
    match key.dialect() {
        Dialect::Wildcard => !key.text().contains(['*', '?', '\\', '/']),
        Dialect::Exact => true,
        Dialect::Prefix | Dialect::Glob | Dialect::Regex => false,
    }
}

struct Maker<'m> {
    numbering: &'m Numbering,
    tables: &'m mut Tables,
    singles: Vec<Single>,
}

/// A word of a rule, in letters.
struct Lettered {
    rule: Number,
    word: Vec<Token>,
}

impl Maker<'_> {
    fn make(&mut self, key: &Pattern, rules: &[(Number, &Rule)], words: &[Option<Vec<Word>>]) -> Column {
        let (mut forwards, mut backwards) = (Vec::new(), Vec::new());
        for &(number, rule) in rules {
            let of_rule = words.get(number as usize - 1).and_then(Option::as_ref);
            let lettered: Option<Vec<Vec<Token>>> =
                of_rule.and_then(|words| words.iter().map(|word| self.tokens(word)).collect());
            let Some(lettered) = lettered else {
                self.single(number, rule);
                continue;
            };
            for mut word in lettered {
                let ends = word.first() == Some(&Token::Star)
                    && word.iter().skip(1).all(|token| matches!(token, Token::One(_)));
                if ends && word.len() > 1 {
                    word.reverse();
                    backwards.push(Lettered { rule: number, word });
                } else {
                    forwards.push(Lettered { rule: number, word });
                }
            }
        }
        let starts = (self.automata(forwards, rules), self.automata(backwards, rules));
        let bare = |rule: &Rule| {
            rule.action == Action::Deny && rule.pattern.dialect() == Dialect::Wildcard && rule.pattern.text() == "*"
        };
        self.singles.sort_by_key(|single| std::cmp::Reverse(single.rule));
        self.singles.dedup_by_key(|single| single.rule);
        Column {
            key: Written::of(key),
            starts,
            singles: std::mem::take(&mut self.singles),
            rules: rules.iter().map(|(number, _)| *number).collect(),
            last: rules.last().map_or(NONE, |(number, _)| *number),
            bare: (rules.last().is_some_and(|(_, rule)| bare(rule)), rules.iter().any(|(_, rule)| bare(rule))),
        }
    }

    fn single(&mut self, rule: Number, written: &Rule) {
        self.singles.push(Single { rule, pattern: Written::of(&written.pattern) });
    }

    fn tokens(&self, word: &Word) -> Option<Vec<Token>> {
        let token = |piece: &Piece| match piece {
            Piece::One(set) => self.numbering.letters(set).map(Token::One),
            Piece::Gap(set) if set.is_all() => Some(Token::Star),
            Piece::Gap(set) => self.numbering.letters(set).map(Token::Gap),
        };
        word.iter().map(token).collect()
    }

    /// The automata of some words. Words that make them too large become rules that are compared by themselves.
    fn automata(&mut self, mut words: Vec<Lettered>, rules: &[(Number, &Rule)]) -> Option<u32> {
        while !words.is_empty() {
            let mut trie = Trie::new();
            words.iter().for_each(|word| trie.add(&word.word, word.rule));
            match automaton::add(&trie, self.numbering.size(), self.tables) {
                Ok(start) => return Some(start),
                Err(TooMany(origin)) => {
                    let under = |word: &Lettered| origin == ROOT || trie.stars(&word.word).contains(&origin);
                    let wide = words.iter().any(|word| under(word) && is_wide(&word.word));
                    let (out, kept) = words.into_iter().partition(|word| under(word) && (!wide || is_wide(&word.word)));
                    words = kept;
                    self.alone(&out, rules);
                }
            }
        }
        None
    }

    fn alone(&mut self, words: &[Lettered], rules: &[(Number, &Rule)]) {
        for word in words {
            if let Ok(place) = rules.binary_search_by_key(&word.rule, |(number, _)| *number)
                && let Some((number, rule)) = rules.get(place)
            {
                self.single(*number, rule);
            }
        }
    }
}

/// Whether a word has places for many letters, which is what makes states many.
fn is_wide(word: &[Token]) -> bool {
    word.iter().any(|token| match token {
        Token::One(letters) => size(letters) > 2,
        Token::Gap(_) => true,
        Token::Star => false,
    })
}
