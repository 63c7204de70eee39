//! Generated policies: every construct, names of many scripts, strings of all kinds, comments and layout.

use policyc::language::Dialect;
use policyc::source::{FileId, SourceMap, Span, Spanned};
use policyc::syntax::ast::*;
use policyc::syntax::words::{ATTRIBUTES, CAPABILITIES, NO_LISTS};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// A file to stand in; generated trees have no places.
pub(crate) fn file() -> FileId {
    SourceMap::default().add("generated.policy", "")
}

fn span() -> Span {
    Span::new(file(), 0..0)
}

fn at<T>(node: T) -> Spanned<T> {
    Spanned::new(node, span())
}

/// Names that need no quotes, in many scripts, and the words of the language.
fn bare() -> impl Strategy<Value = String> {
    let words = vec![
        "merge",
        "allow",
        "ask",
        "deny",
        "because",
        "except",
        "every",
        "no",
        "agent",
        "primary",
        "layer",
        "test",
        "visible",
        "hidden",
        "from",
        "glob",
        "true",
        "null",
        "cannot",
        "call",
        "own",
        "путь",
        "名前",
        "नाम",
        "اسم",
        "é",
        "_x",
        "a-b-",
    ];
    prop_oneof![prop::sample::select(words).prop_map(str::to_string), "[a-z_][a-z0-9_-]{0,8}"]
}

/// Any text at all.
pub(crate) fn text() -> impl Strategy<Value = String> {
    let odd = vec![
        "",
        "*",
        "*.env",
        "it's",
        "say \"x\"",
        r"C:\new",
        "both ' and \" and \\",
        "line\nbreak",
        "tab\tcr\r",
        "👩‍💻",
        "\u{202e}",
        "\u{feff}",
        "# no comment",
        "{}",
        "\0",
        "a, b",
        "=>",
        "\u{2028}",
    ];
    prop_oneof![prop::sample::select(odd).prop_map(str::to_string), "[ -~]{0,12}", any::<String>()]
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![3 => bare(), 1 => text()].prop_map(at)
}

fn names() -> impl Strategy<Value = Vec<Name>> {
    vec(name(), 1..4)
}

fn string() -> impl Strategy<Value = Name> {
    text().prop_map(at)
}

fn word(words: &'static [&'static str]) -> impl Strategy<Value = Name> {
    prop::sample::select(words).prop_map(|word| at(word.to_string()))
}

fn permission() -> impl Strategy<Value = Name> {
    prop_oneof![2 => name(), 1 => Just(at("*".to_string())), 1 => Just(at("github_*".to_string()))]
}

fn list_name() -> impl Strategy<Value = Name> {
    bare().prop_filter("means something else", |name| !NO_LISTS.contains(&name.as_str())).prop_map(at)
}

fn action() -> impl Strategy<Value = Spanned<Action>> {
    prop::sample::select(Action::ALL.to_vec()).prop_map(at)
}

/// A comment as parsing leaves it.
fn comment() -> impl Strategy<Value = String> {
    let odd = vec!["", "# title", "!bang", "  indented", "say \"x\" {", "; }"];
    prop_oneof![prop::sample::select(odd).prop_map(str::to_string), "[ -~]{0,20}"]
        .prop_map(|text| text.trim_end().to_string())
}

/// Comments and blank lines, blank ones only between other things.
fn trivia(first: bool) -> impl Strategy<Value = Vec<Trivia>> {
    let one = prop_oneof![Just(Trivia::Blank), comment().prop_map(Trivia::Comment)];
    prop_oneof![3 => Just(Vec::new()), 1 => vec(one, 0..4)].prop_map(move |mut trivia| {
        trivia.dedup_by(|a, b| *a == Trivia::Blank && *b == Trivia::Blank);
        if first && trivia.first() == Some(&Trivia::Blank) {
            trivia.remove(0);
        }
        trivia
    })
}

fn ignore() -> impl Strategy<Value = Spanned<Ignore>> {
    (name(), option::of(string()), option::of(string()))
        .prop_map(|(code, reason, until)| at(Ignore { code, reason, until }))
}

fn trail() -> impl Strategy<Value = Option<String>> {
    option::weighted(0.2, comment())
}

fn block<T: Clone + std::fmt::Debug + 'static>(
    node: impl Strategy<Value = T> + Clone + 'static,
    annotated: bool,
    headed: bool,
) -> BoxedStrategy<Block<T>> {
    let ignores = vec(ignore(), 0..if annotated { 2 } else { 1 });
    let stmt = (trivia(false), ignores, node, trail()).prop_map(|(lead, ignores, node, trail)| Stmt {
        lead,
        ignores,
        node,
        span: span(),
        trail,
    });
    let head = option::weighted(0.2, comment()).prop_map(move |head| head.filter(|_| headed));
    (head, vec(stmt, 0..5), trivia(false), any::<bool>())
        .prop_map(|(head, mut stmts, mut tail, one_line)| {
            if let Some(first) = stmts.first_mut() {
                if first.lead.first() == Some(&Trivia::Blank) {
                    first.lead.remove(0);
                }
            } else if tail.first() == Some(&Trivia::Blank) {
                tail.remove(0);
            }
            if tail.last() == Some(&Trivia::Blank) {
                tail.pop();
            }
            Block { head, stmts, tail, one_line }
        })
        .boxed()
}

fn clauses<T: Clone + std::fmt::Debug + 'static>(
    node: impl Strategy<Value = T> + Clone + 'static,
) -> BoxedStrategy<Block<T>> {
    block(node, true, true)
}

fn term() -> impl Strategy<Value = Term> + Clone {
    let dialects = vec![None, Some(Dialect::Glob), Some(Dialect::Prefix), Some(Dialect::Regex), Some(Dialect::Exact)];
    let text =
        (prop::sample::select(dialects), string()).prop_map(|(dialect, text)| Term::Text(Text { dialect, text }));
    prop_oneof![text, list_name().prop_map(Term::Ref)].boxed()
}

fn patterns() -> impl Strategy<Value = Patterns> {
    prop_oneof![term().prop_map(Patterns::One), block(term(), false, true).prop_map(Patterns::List)]
}

/// A value as parsing can give it.
pub(crate) fn value() -> impl Strategy<Value = Spanned<Json>> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        any::<f64>().prop_filter("JSON has no such number", |n| n.is_finite()).prop_map(Json::from),
        text().prop_map(Json::from),
        bare().prop_map(Json::from),
    ];
    let value = leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Json::from),
            vec((text(), inner), 0..4).prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    });
    value.prop_map(at)
}

fn rule() -> impl Strategy<Value = RuleStmt> {
    (action(), vec(permission(), 1..4), option::of(patterns()), option::of(string()))
        .prop_map(|(action, permissions, patterns, because)| RuleStmt { action, permissions, patterns, because })
}

fn promise() -> impl Strategy<Value = Promise> {
    prop_oneof![
        (word(CAPABILITIES), option::of(patterns()), option::of(patterns()))
            .prop_map(|(capability, patterns, except)| Promise::Cannot { capability, patterns, except }),
        (permission(), option::of(patterns()), option::of(patterns()))
            .prop_map(|(permission, patterns, except)| Promise::CannotCall { permission, patterns, except }),
        (permission(), option::of(patterns()))
            .prop_map(|(permission, patterns)| Promise::MustAsk { permission, patterns }),
        (permission(), option::of(patterns()))
            .prop_map(|(permission, patterns)| Promise::MustAllow { permission, patterns }),
    ]
}

fn permission_clause() -> BoxedStrategy<PermissionClause> {
    prop_oneof![
        names().prop_map(PermissionClause::Tools),
        names().prop_map(PermissionClause::AskedBy),
        word(&["path", "command", "none"]).prop_map(PermissionClause::Resource),
        word(CAPABILITIES).prop_map(PermissionClause::Capability),
        word(&["own", "bounded"]).prop_map(PermissionClause::Delegate),
        any::<u32>().prop_map(|depth| PermissionClause::Depth(at(depth))),
    ]
    .boxed()
}

fn layer_clause() -> BoxedStrategy<LayerClause> {
    let combine = word(&["deny-overrides", "first-match"]).prop_map(LayerClause::Combine);
    prop_oneof![5 => rule().prop_map(LayerClause::Rule), 1 => combine].boxed()
}

fn agent_clause() -> BoxedStrategy<AgentClause> {
    prop_oneof![
        (word(ATTRIBUTES), option::of(value())).prop_map(|(name, value)| AgentClause::Attribute { name, value }),
        (name(), value()).prop_map(|(name, value)| AgentClause::Option { name, value }),
        rule().prop_map(AgentClause::Rule),
        promise().prop_map(AgentClause::Promise),
        names().prop_map(AgentClause::Merge),
    ]
    .boxed()
}

fn switch_clause() -> BoxedStrategy<SwitchClause> {
    prop_oneof![
        name().prop_map(SwitchClause::From),
        name().prop_map(SwitchClause::To),
        string().prop_map(SwitchClause::Confirm),
        names().prop_map(SwitchClause::Answers),
        patterns().prop_map(SwitchClause::RequiresPath),
        (word(&["enter", "leave", "note"]), string()).prop_map(|(kind, text)| SwitchClause::Text { kind, text }),
        word(&["stay", "switch"]).prop_map(SwitchClause::Unattended),
    ]
    .boxed()
}

fn test_clause() -> BoxedStrategy<TestClause> {
    let input = value().prop_map(|value| match value.node {
        object @ Json::Object(_) => at(object),
        other => at(Json::Object([("key".to_string(), other)].into_iter().collect())),
    });
    prop_oneof![
        (name(), string(), action()).prop_map(|(permission, resource, action)| TestClause::Request {
            permission,
            resource,
            action
        }),
        name().prop_map(TestClause::Visible),
        name().prop_map(TestClause::Hidden),
        (name(), input, action()).prop_map(|(tool, input, action)| TestClause::Call { tool, input, action }),
    ]
    .boxed()
}

fn assert() -> impl Strategy<Value = Assert> {
    let who = prop_oneof![
        names().prop_map(Who::Agents),
        Just(Who::Every(at(()))),
        Just(Who::EveryPrimary(at(()))),
        Just(Who::EverySubagent(at(()))),
    ];
    prop_oneof![
        name().prop_map(Assert::NoLayerLoosens),
        (who, promise()).prop_map(|(who, promise)| Assert::Promise { who, promise }),
    ]
}

fn commands() -> impl Strategy<Value = Item> {
    let dialects =
        vec![None, None, Some(Dialect::Glob), Some(Dialect::Prefix), Some(Dialect::Regex), Some(Dialect::Exact)];
    let text = (prop::sample::select(dialects), string()).prop_map(|(dialect, text)| Text { dialect, text });
    let clause = (text, option::of(string()), option::of(string()))
        .prop_map(|(text, because, example)| CommandClause { text, because, example })
        .boxed();
    let lines =
        prop_oneof![patterns().prop_map(CommandLines::Patterns), clauses(clause).prop_map(CommandLines::Block),];
    (vec(word(CAPABILITIES), 1..4), option::of(word(&["redirect", "runner", "x"])), lines)
        .prop_map(|(capabilities, family, lines)| Item::Commands { capabilities, family, lines })
}

fn item() -> BoxedStrategy<Item> {
    let layer = (name(), vec(string(), 0..3), option::of(clauses(layer_clause()))).prop_map(|(name, from, body)| {
        let body = if from.is_empty() { Some(body.unwrap_or_default()) } else { body };
        Item::Layer { name, from, body }
    });
    prop_oneof![
        (name(), option::of(string())).prop_map(|(name, version)| Item::Runtime { name, version }),
        string().prop_map(|path| Item::Use { path }),
        (list_name(), patterns()).prop_map(|(name, patterns)| Item::Let { name, patterns }),
        (permission(), clauses(permission_clause())).prop_map(|(name, body)| Item::Permission { name, body }),
        commands(),
        layer,
        names().prop_map(Item::Merge),
        (name(), clauses(agent_clause())).prop_map(|(name, body)| Item::Agent { name, body }),
        (name(), clauses(agent_clause())).prop_map(|(name, body)| Item::Extend { name, body }),
        name().prop_map(Item::DefaultAgent),
        (name(), clauses(switch_clause())).prop_map(|(name, body)| Item::Switch { name, body }),
        word(&["last-deny", "bare-deny", "fixed"]).prop_map(Item::Visibility),
        assert().prop_map(Item::Assert),
        (name(), option::of(string()), clauses(test_clause())).prop_map(|(agent, name, body)| Item::Test {
            agent,
            name,
            body
        }),
    ]
    .boxed()
}

/// A whole policy.
pub(crate) fn policy() -> BoxedStrategy<Policy> {
    block(item(), true, false)
}
