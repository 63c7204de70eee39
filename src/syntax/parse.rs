//! One statement to its node of the tree. The only file that sees pest.

use super::ast::*;
use super::scan::{comment_text, push_trivia};
use super::string;
use crate::language::Dialect;
use crate::source::{FileId, Span, Spanned};
use grammar::{Grammar, Rule};
use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use pest::iterators::{Pair, Pairs};
use std::ops::Range;

#[expect(unreachable_pub, reason = "generated from the grammar, which documents itself")]
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/policy.pest"]
    pub struct Grammar;
}

/// Something the grammar expected where it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Expected {
    Name,
    String,
    Permission,
    Patterns,
    Word,
    Value,
    Number,
    Action,
    Promise,
    Agents,
    Reason,
    Symbol(&'static str),
    End,
}

/// Why a statement is none. Offsets are of its own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The grammar could not go on at this offset.
    Stopped(usize, Vec<Expected>),
    /// It fits the grammar, but this part of it means nothing: message and help.
    Wrong(Range<usize>, String, String),
}

/// A node, and the comments inside its text that the tree has no place for.
pub(super) type Node<T> = (T, Vec<Trivia>);

/// What became of the text of one statement.
pub(super) type Built<T> = Result<Node<T>, Failure>;

/// What turns the text of one statement, which starts at a place, into a node.
pub(super) type Build<T> = fn(&str, FileId, usize) -> Built<T>;

/// An item; of one with a block the line up to the brace, its body empty.
pub(super) fn item(text: &str, file: FileId, base: usize) -> Built<Item> {
    build(Rule::item, text, file, base, Builder::item)
}

/// A clause of a permission.
pub(super) fn permission_clause(text: &str, file: FileId, base: usize) -> Built<PermissionClause> {
    build(Rule::permission_clause, text, file, base, Builder::permission_clause)
}

/// A clause of a layer.
pub(super) fn layer_clause(text: &str, file: FileId, base: usize) -> Built<LayerClause> {
    build(Rule::layer_clause, text, file, base, Builder::layer_clause)
}

/// A clause of an agent.
pub(super) fn agent_clause(text: &str, file: FileId, base: usize) -> Built<AgentClause> {
    build(Rule::agent_clause, text, file, base, Builder::agent_clause)
}

/// A line of a block of commands.
pub(super) fn command_clause(text: &str, file: FileId, base: usize) -> Built<CommandClause> {
    build(Rule::command_clause, text, file, base, Builder::command_clause)
}

/// A clause of a switch.
pub(super) fn switch_clause(text: &str, file: FileId, base: usize) -> Built<SwitchClause> {
    build(Rule::switch_clause, text, file, base, Builder::switch_clause)
}

/// A clause of a test.
pub(super) fn test_clause(text: &str, file: FileId, base: usize) -> Built<TestClause> {
    build(Rule::test_clause, text, file, base, Builder::test_clause)
}

/// An annotation.
pub(super) fn annotation(text: &str, file: FileId, base: usize) -> Built<Ignore> {
    build(Rule::annotation, text, file, base, Builder::ignore)
}

/// Whether a name needs no quotes.
pub(super) fn is_bare(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next().is_some_and(|c| c == '_' || pest::unicode::XID_START(c));
    first && chars.all(|c| c == '-' || pest::unicode::XID_CONTINUE(c))
}

fn build<'t, T>(
    start: Rule,
    text: &'t str,
    file: FileId,
    base: usize,
    make: fn(&mut Builder, Pair<'t, Rule>) -> Result<T, Failure>,
) -> Built<T> {
    let mut pairs = Grammar::parse(start, text).map_err(|error| stopped(&error))?;
    let mut builder = Builder { file, base, moved: Vec::new() };
    let node = make(&mut builder, next(&mut pairs)?)?;
    Ok((node, builder.moved))
}

fn stopped(error: &pest::error::Error<Rule>) -> Failure {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let mut expected = Vec::new();
    if let ErrorVariant::ParsingError { positives, .. } = &error.variant {
        for one in positives.iter().filter_map(|one| expectation(*one)) {
            if !expected.contains(&one) {
                expected.push(one);
            }
        }
    }
    Failure::Stopped(at, expected)
}

fn expectation(kind: Rule) -> Option<Expected> {
    Some(match kind {
        Rule::name | Rule::bare | Rule::let_name | Rule::reference => Expected::Name,
        Rule::string | Rule::text => Expected::String,
        Rule::permission | Rule::any => Expected::Permission,
        Rule::patterns | Rule::list => Expected::Patterns,
        Rule::word | Rule::capability | Rule::family => Expected::Word,
        Rule::value | Rule::object | Rule::array | Rule::number | Rule::literal | Rule::member => Expected::Value,
        Rule::count => Expected::Number,
        Rule::action => Expected::Action,
        Rule::promise | Rule::cannot | Rule::cannot_call | Rule::must_ask | Rule::must_allow => Expected::Promise,
        Rule::who | Rule::every | Rule::every_kind => Expected::Agents,
        Rule::because => Expected::Reason,
        Rule::from => Expected::Symbol("from"),
        Rule::example => Expected::Symbol("example"),
        Rule::except => Expected::Symbol("except"),
        Rule::until => Expected::Symbol("until"),
        Rule::open => Expected::Symbol("{"),
        Rule::equals => Expected::Symbol("="),
        Rule::arrow => Expected::Symbol("=>"),
        Rule::colon => Expected::Symbol(":"),
        Rule::close_brace => Expected::Symbol("}"),
        Rule::close_bracket => Expected::Symbol("]"),
        Rule::close_paren => Expected::Symbol(")"),
        Rule::EOI => Expected::End,
        _ => return None,
    })
}

/// The grammar promises that it is there; were it not, the statement would be reported and not guessed.
fn next<'t>(pairs: &mut Pairs<'t, Rule>) -> Result<Pair<'t, Rule>, Failure> {
    pairs.next().ok_or(Failure::Stopped(0, Vec::new()))
}

fn unforeseen<T>(pair: &Pair<'_, Rule>) -> Result<T, Failure> {
    Err(Failure::Stopped(pair.as_span().start(), Vec::new()))
}

struct Builder {
    file: FileId,
    base: usize,
    moved: Vec<Trivia>,
}

impl Builder {
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        Span::new(self.file, self.base + span.start()..self.base + span.end())
    }

    fn item(&mut self, pair: Pair<'_, Rule>) -> Result<Item, Failure> {
        let kind = pair.as_rule();
        let opens = pair.as_str().ends_with('{');
        let whole = pair.clone();
        let mut inner = pair.into_inner();
        Ok(match kind {
            Rule::runtime => Item::Runtime {
                name: self.name(next(&mut inner)?)?,
                version: inner.next().map(|pair| self.string(pair)).transpose()?,
            },
            Rule::use_file => Item::Use { path: self.string(next(&mut inner)?)? },
            Rule::let_list => {
                let name = self.word(&next(&mut inner)?);
                next(&mut inner)?;
                Item::Let { name, patterns: self.patterns(next(&mut inner)?)? }
            }
            Rule::permission_item => {
                Item::Permission { name: self.permission(next(&mut inner)?)?, body: Block::default() }
            }
            Rule::commands => self.commands(inner)?,
            Rule::layer => {
                let name = self.name(next(&mut inner)?)?;
                let from = inner.next().filter(|pair| pair.as_rule() == Rule::from);
                let from = from.map(|pair| self.strings(pair)).transpose()?.unwrap_or_default();
                if from.is_empty() && !opens {
                    let expected = vec![Expected::Symbol("from"), Expected::Symbol("{")];
                    return Err(Failure::Stopped(whole.as_span().end(), expected));
                }
                Item::Layer { name, from, body: opens.then(Block::default) }
            }
            Rule::merge => Item::Merge(self.names(inner)?),
            Rule::agent => Item::Agent { name: self.name(next(&mut inner)?)?, body: Block::default() },
            Rule::extend => Item::Extend { name: self.name(next(&mut inner)?)?, body: Block::default() },
            Rule::default_agent => Item::DefaultAgent(self.name(next(&mut inner)?)?),
            Rule::switch => Item::Switch { name: self.name(next(&mut inner)?)?, body: Block::default() },
            Rule::visibility => Item::Visibility(self.word(&next(&mut inner)?)),
            Rule::assert => Item::Assert(self.assert(inner)?),
            Rule::test => Item::Test {
                agent: self.name(next(&mut inner)?)?,
                name: inner
                    .next()
                    .filter(|pair| pair.as_rule() == Rule::name)
                    .map(|pair| self.name(pair))
                    .transpose()?,
                body: Block::default(),
            },
            _ => return unforeseen(&whole),
        })
    }

    fn commands(&mut self, inner: Pairs<'_, Rule>) -> Result<Item, Failure> {
        let (mut capabilities, mut family) = (Vec::new(), None);
        let mut lines = CommandLines::Block(Block::default());
        for pair in inner {
            match pair.as_rule() {
                Rule::capability => capabilities.push(self.word(&pair)),
                Rule::family => family = Some(self.word(&pair)),
                Rule::patterns => lines = CommandLines::Patterns(self.patterns(pair)?),
                _ => {}
            }
        }
        Ok(Item::Commands { capabilities, family, lines })
    }

    fn assert(&mut self, mut inner: Pairs<'_, Rule>) -> Result<Assert, Failure> {
        let first = next(&mut inner)?;
        if first.as_rule() == Rule::no_layer_loosens {
            return Ok(Assert::NoLayerLoosens(self.name(next(&mut first.into_inner())?)?));
        }
        let who = self.who(first)?;
        Ok(Assert::Promise { who, promise: self.promise(next(&mut inner)?)? })
    }

    fn who(&mut self, pair: Pair<'_, Rule>) -> Result<Who, Failure> {
        let place = Spanned::new((), self.span(&pair));
        let mut inner = pair.into_inner();
        let every = inner.peek().filter(|pair| pair.as_rule() == Rule::every);
        let Some(every) = every else { return Ok(Who::Agents(self.names(inner)?)) };
        next(&mut inner)?;
        Ok(match next(&mut every.into_inner())?.as_str() {
            "primary" => Who::EveryPrimary(place),
            "subagent" => Who::EverySubagent(place),
            _ => Who::Every(place),
        })
    }

    fn permission_clause(&mut self, pair: Pair<'_, Rule>) -> Result<PermissionClause, Failure> {
        let whole = pair.clone();
        let kind = pair.as_rule();
        let mut inner = pair.into_inner();
        Ok(match kind {
            Rule::tools => PermissionClause::Tools(self.names(inner)?),
            Rule::asked_by => PermissionClause::AskedBy(self.names(inner)?),
            Rule::resource => PermissionClause::Resource(self.word(&next(&mut inner)?)),
            Rule::gives => PermissionClause::Capability(self.word(&next(&mut inner)?)),
            Rule::delegate => PermissionClause::Delegate(self.word(&next(&mut inner)?)),
            Rule::depth => {
                let count = next(&mut inner)?;
                match count.as_str().parse() {
                    Ok(number) => PermissionClause::Depth(Spanned::new(number, self.span(&count))),
                    Err(_) => return Err(wrong(&count, "this number is too large", "write a smaller one")),
                }
            }
            _ => return unforeseen(&whole),
        })
    }

    fn layer_clause(&mut self, pair: Pair<'_, Rule>) -> Result<LayerClause, Failure> {
        match pair.as_rule() {
            Rule::rule => Ok(LayerClause::Rule(self.rule(pair)?)),
            Rule::combine => Ok(LayerClause::Combine(self.word(&next(&mut pair.into_inner())?))),
            _ => unforeseen(&pair),
        }
    }

    fn agent_clause(&mut self, pair: Pair<'_, Rule>) -> Result<AgentClause, Failure> {
        Ok(match pair.as_rule() {
            Rule::rule => AgentClause::Rule(self.rule(pair)?),
            Rule::promise => AgentClause::Promise(self.promise(pair)?),
            Rule::merge => AgentClause::Merge(self.names(pair.into_inner())?),
            Rule::option => {
                let mut inner = pair.into_inner();
                let name = self.name(next(&mut inner)?)?;
                AgentClause::Option { name, value: self.value(next(&mut inner)?)? }
            }
            Rule::attribute => {
                let mut inner = pair.into_inner();
                let name = self.word(&next(&mut inner)?);
                AgentClause::Attribute { name, value: inner.next().map(|pair| self.value(pair)).transpose()? }
            }
            _ => return unforeseen(&pair),
        })
    }

    fn rule(&mut self, pair: Pair<'_, Rule>) -> Result<RuleStmt, Failure> {
        let mut inner = pair.into_inner();
        let action = self.action(&next(&mut inner)?)?;
        let mut rule = RuleStmt { action, permissions: Vec::new(), patterns: None, because: None };
        for pair in inner {
            match pair.as_rule() {
                Rule::permission => rule.permissions.push(self.permission(pair)?),
                Rule::patterns => rule.patterns = Some(self.patterns(pair)?),
                Rule::because => rule.because = Some(self.string(next(&mut pair.into_inner())?)?),
                Rule::comment => self.moved.push(Trivia::Comment(comment_text(pair.as_str()))),
                _ => {}
            }
        }
        Ok(rule)
    }

    fn promise(&mut self, pair: Pair<'_, Rule>) -> Result<Promise, Failure> {
        let pair = next(&mut pair.into_inner())?;
        let whole = pair.clone();
        let kind = pair.as_rule();
        let mut inner = pair.into_inner();
        let of = next(&mut inner)?;
        let (mut patterns, mut except) = (None, None);
        for pair in inner {
            match pair.as_rule() {
                Rule::except => except = Some(self.patterns(next(&mut pair.into_inner())?)?),
                _ => patterns = Some(self.patterns(pair)?),
            }
        }
        Ok(match kind {
            Rule::cannot => Promise::Cannot { capability: self.word(&of), patterns, except },
            Rule::cannot_call => Promise::CannotCall { permission: self.permission(of)?, patterns, except },
            Rule::must_ask => Promise::MustAsk { permission: self.permission(of)?, patterns },
            Rule::must_allow => Promise::MustAllow { permission: self.permission(of)?, patterns },
            _ => return unforeseen(&whole),
        })
    }

    fn command_clause(&mut self, pair: Pair<'_, Rule>) -> Result<CommandClause, Failure> {
        let mut inner = pair.into_inner();
        let text = self.text(next(&mut inner)?)?;
        let (mut because, mut example) = (None, None);
        for pair in inner {
            match pair.as_rule() {
                Rule::because => because = Some(self.string(next(&mut pair.into_inner())?)?),
                Rule::example => example = Some(self.string(next(&mut pair.into_inner())?)?),
                _ => self.comment(&pair),
            }
        }
        Ok(CommandClause { text, because, example })
    }

    fn switch_clause(&mut self, pair: Pair<'_, Rule>) -> Result<SwitchClause, Failure> {
        let whole = pair.clone();
        let kind = pair.as_rule();
        let mut inner = pair.into_inner();
        Ok(match kind {
            Rule::from_agent => SwitchClause::From(self.name(next(&mut inner)?)?),
            Rule::to_agent => SwitchClause::To(self.name(next(&mut inner)?)?),
            Rule::confirm => SwitchClause::Confirm(self.string(next(&mut inner)?)?),
            Rule::answers => SwitchClause::Answers(self.names(inner)?),
            Rule::requires_path => SwitchClause::RequiresPath(self.patterns(next(&mut inner)?)?),
            Rule::text_for_model => {
                SwitchClause::Text { kind: self.word(&next(&mut inner)?), text: self.string(next(&mut inner)?)? }
            }
            Rule::unattended => SwitchClause::Unattended(self.word(&next(&mut inner)?)),
            _ => return unforeseen(&whole),
        })
    }

    fn test_clause(&mut self, pair: Pair<'_, Rule>) -> Result<TestClause, Failure> {
        let whole = pair.clone();
        let kind = pair.as_rule();
        let mut inner = pair.into_inner().filter(|pair| pair.as_rule() != Rule::arrow);
        let mut next = || inner.next().ok_or(Failure::Stopped(0, Vec::new()));
        let first = self.name(next()?)?;
        Ok(match kind {
            Rule::visible => TestClause::Visible(first),
            Rule::hidden => TestClause::Hidden(first),
            Rule::request => TestClause::Request {
                permission: first,
                resource: self.string(next()?)?,
                action: self.action(&next()?)?,
            },
            Rule::call => {
                let object = next()?;
                let span = self.span(&object);
                let input = Spanned::new(self.json(object)?, span);
                TestClause::Call { tool: first, input, action: self.action(&next()?)? }
            }
            _ => return unforeseen(&whole),
        })
    }

    fn ignore(&mut self, pair: Pair<'_, Rule>) -> Result<Ignore, Failure> {
        let mut inner = pair.into_inner();
        let mut ignore = Ignore { code: self.name(next(&mut inner)?)?, reason: None, until: None };
        for pair in inner {
            match pair.as_rule() {
                Rule::string => ignore.reason = Some(self.string(pair)?),
                Rule::until => ignore.until = Some(self.string(next(&mut pair.into_inner())?)?),
                _ => {}
            }
        }
        Ok(ignore)
    }

    fn action(&self, pair: &Pair<'_, Rule>) -> Result<Spanned<Action>, Failure> {
        match Action::from_word(pair.as_str()) {
            Some(action) => Ok(Spanned::new(action, self.span(pair))),
            None => unforeseen(pair),
        }
    }

    fn patterns(&mut self, pair: Pair<'_, Rule>) -> Result<Patterns, Failure> {
        let inner = next(&mut pair.into_inner())?;
        match inner.as_rule() {
            Rule::list => Ok(Patterns::List(self.list(inner)?)),
            _ => Ok(Patterns::One(self.term(inner)?)),
        }
    }

    fn list(&mut self, pair: Pair<'_, Rule>) -> Result<Block<Term>, Failure> {
        let mut block = Block { one_line: true, ..Block::default() };
        let mut between = Vec::new();
        let mut newlines = 0_usize;
        for pair in pair.into_inner() {
            match pair.as_rule() {
                Rule::newline => {
                    block.one_line = false;
                    newlines += 1;
                    if newlines == 2 && !(block.stmts.is_empty() && between.is_empty()) {
                        push_trivia(&mut between, Trivia::Blank);
                    }
                }
                Rule::comment => {
                    let text = comment_text(pair.as_str());
                    // A comment belongs to what stands before it on its line, if there is something.
                    match block.stmts.last_mut() {
                        Some(last) if newlines == 0 && last.trail.is_none() => last.trail = Some(text),
                        None if newlines == 0 && block.head.is_none() => block.head = Some(text),
                        _ => push_trivia(&mut between, Trivia::Comment(text)),
                    }
                    newlines = 0;
                    block.one_line = false;
                }
                Rule::close_bracket => {}
                _ => {
                    let span = self.span(&pair);
                    let mut stmt = Stmt::bare(self.term(pair)?, span);
                    stmt.lead = std::mem::take(&mut between);
                    block.stmts.push(stmt);
                    newlines = 0;
                }
            }
        }
        if between.last() == Some(&Trivia::Blank) {
            between.pop();
        }
        block.tail = between;
        Ok(block)
    }

    fn term(&mut self, pair: Pair<'_, Rule>) -> Result<Term, Failure> {
        if pair.as_rule() == Rule::reference {
            return Ok(Term::Ref(self.word(&pair)));
        }
        Ok(Term::Text(self.text(pair)?))
    }

    fn text(&self, pair: Pair<'_, Rule>) -> Result<Text, Failure> {
        let mut inner = pair.into_inner();
        let first = next(&mut inner)?;
        let dialect = match first.as_str() {
            "glob" => Some(Dialect::Glob),
            "prefix" => Some(Dialect::Prefix),
            "regex" => Some(Dialect::Regex),
            "exact" => Some(Dialect::Exact),
            _ => None,
        };
        let text = if dialect.is_some() { next(&mut inner)? } else { first };
        Ok(Text { dialect, text: self.string(text)? })
    }

    fn names(&mut self, pairs: Pairs<'_, Rule>) -> Result<Vec<Name>, Failure> {
        pairs.map(|pair| self.name(pair)).collect()
    }

    fn strings(&mut self, pair: Pair<'_, Rule>) -> Result<Vec<Name>, Failure> {
        let mut strings = Vec::new();
        for pair in pair.into_inner() {
            match pair.as_rule() {
                Rule::string => strings.push(self.string(pair)?),
                _ => self.comment(&pair),
            }
        }
        Ok(strings)
    }

    fn comment(&mut self, pair: &Pair<'_, Rule>) {
        if pair.as_rule() == Rule::comment {
            self.moved.push(Trivia::Comment(comment_text(pair.as_str())));
        }
    }

    /// A bare name, as it stands.
    fn word(&self, pair: &Pair<'_, Rule>) -> Name {
        Spanned::new(pair.as_str().to_string(), self.span(pair))
    }

    fn name(&self, pair: Pair<'_, Rule>) -> Result<Name, Failure> {
        let inner = next(&mut pair.into_inner())?;
        match inner.as_rule() {
            Rule::string => self.string(inner),
            _ => Ok(self.word(&inner)),
        }
    }

    /// A name too, only that `*` may stand bare.
    fn permission(&self, pair: Pair<'_, Rule>) -> Result<Name, Failure> {
        self.name(pair)
    }

    fn string(&self, pair: Pair<'_, Rule>) -> Result<Name, Failure> {
        match string::read(pair.as_str()) {
            Some(text) => Ok(Spanned::new(text, self.span(&pair))),
            None => Err(wrong(
                &pair,
                "half of a surrogate pair is no character",
                "write both halves, or the character itself",
            )),
        }
    }

    fn value(&mut self, pair: Pair<'_, Rule>) -> Result<Spanned<Json>, Failure> {
        let span = self.span(&pair);
        let inner = next(&mut pair.into_inner())?;
        Ok(Spanned::new(self.json(inner)?, span))
    }

    // INVARIANT: recursion goes as deep as brackets nest, which the scanner limits.
    fn json(&mut self, pair: Pair<'_, Rule>) -> Result<Json, Failure> {
        Ok(match pair.as_rule() {
            Rule::object => {
                let mut object = serde_json::Map::new();
                for member in pair.into_inner() {
                    if member.as_rule() != Rule::member {
                        self.comment(&member);
                        continue;
                    }
                    let (key, value) = self.member(member.clone())?;
                    if object.insert(key.node.clone(), value).is_some() {
                        let message = format!("the key `{}` stands twice in one object", key.node);
                        return Err(wrong(&member, message, "keep one of them"));
                    }
                }
                Json::Object(object)
            }
            Rule::array => {
                let mut array = Vec::new();
                for pair in pair.into_inner() {
                    match pair.as_rule() {
                        Rule::value => array.push(self.json(next(&mut pair.into_inner())?)?),
                        _ => self.comment(&pair),
                    }
                }
                Json::Array(array)
            }
            Rule::string => Json::String(self.string(pair)?.node),
            Rule::number => number(&pair)?,
            Rule::literal => match pair.as_str() {
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                _ => Json::Null,
            },
            _ => Json::String(pair.as_str().to_string()),
        })
    }

    fn member(&mut self, pair: Pair<'_, Rule>) -> Result<(Name, Json), Failure> {
        let mut inner = pair.into_inner();
        let key = self.name(next(&mut inner)?)?;
        let mut value = None;
        for pair in inner {
            match pair.as_rule() {
                Rule::value => value = Some(self.json(next(&mut pair.into_inner())?)?),
                _ => self.comment(&pair),
            }
        }
        Ok((key, value.unwrap_or_default()))
    }
}

fn number(pair: &Pair<'_, Rule>) -> Result<Json, Failure> {
    let text = pair.as_str();
    let whole = text.parse::<u64>().map(Json::from).or_else(|_| text.parse::<i64>().map(Json::from));
    if let (Ok(whole), false) = (whole, text == "-0") {
        return Ok(whole);
    }
    let number = text.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    number.map(Json::Number).ok_or_else(|| wrong(pair, "this number is too large", "write a smaller one, or a string"))
}

fn wrong(pair: &Pair<'_, Rule>, message: impl Into<String>, help: &str) -> Failure {
    let span = pair.as_span();
    Failure::Wrong(span.start()..span.end(), message.into(), help.to_string())
}
