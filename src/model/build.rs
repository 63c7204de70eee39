//! Statements of all files, in reading order, to one [`Model`].

use super::commands;
use super::lists;
use super::rules::{Expander, Place};
use super::*;
use crate::diagnostic::{Finding, Sink, near_name};
use crate::language::Dialect;
use crate::rule::Via;
use crate::syntax::ast::{
    self, AgentClause, Assert, CommandLines, Item, LayerClause, PermissionClause, Stmt, SwitchClause, TestClause,
};

/// A top-level statement and the way it came.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'a> {
    /// The statement.
    pub stmt: &'a Stmt<Item>,
    /// Whether a prelude says it.
    pub prelude: bool,
    /// The `use` that brought it.
    pub used: Option<Span>,
    /// For a layer `from` configs: the rules those configs hold.
    pub from: &'a [Stmt<LayerClause>],
}

/// Builds the model of statements in reading order; `plain` is the dialect of a string without a word before it.
/// What cannot be resolved is reported and left out, so that one unknown name poisons only what depends on it.
pub fn build(statements: &[Statement<'_>], plain: Dialect, sink: &mut Sink) -> Model {
    let mut builder = Builder {
        model: Model::default(),
        expander: Expander::new(plain),
        merges: Vec::new(),
        promises: Vec::new(),
        sink,
    };
    lists::declare(statements, &mut builder.expander, builder.sink);
    // Permissions, layers and agents first: everything else may name one that a later file declares.
    for statement in statements {
        builder.declare(statement);
    }
    for statement in statements {
        builder.fill(statement);
    }
    builder.finish()
}

/// A promise whose agents are known only when all agents are.
struct Pending<'a> {
    who: PendingWho<'a>,
    promise: &'a ast::Promise,
    span: Span,
    prelude: bool,
}

enum PendingWho<'a> {
    Agent(String),
    Who(&'a ast::Who),
}

struct Builder<'a, 's> {
    model: Model,
    expander: Expander,
    merges: Vec<(&'a [Name], Span, bool)>,
    promises: Vec<Pending<'a>>,
    sink: &'s mut Sink,
}

impl<'a> Builder<'a, '_> {
    fn declare(&mut self, statement: &Statement<'a>) {
        let prelude = statement.prelude;
        match &statement.stmt.node {
            Item::Permission { name, body } => self.permission(name, body, prelude),
            Item::Layer { name, .. } => self.layer(name, prelude),
            Item::Agent { name, .. } => self.agent(name, prelude),
            Item::Switch { name, body } => self.switch(name, body, prelude),
            _ => {}
        }
    }

    fn permission(&mut self, name: &Name, body: &'a ast::Block<PermissionClause>, prelude: bool) {
        let mut permission = Permission {
            span: name.span,
            prelude,
            tools: Vec::new(),
            asked_by: Vec::new(),
            resource: ResourceKind::Name,
            capability: None,
            delegate: None,
            depth: None,
        };
        if let Some(old) = self.model.permissions.get(&name.node) {
            if old.prelude == prelude {
                let old = old.span;
                return self.conflict(name.span, format!("the permission `{}` is declared twice", name.node), old);
            }
            // The user may say more of a permission that the prelude declares.
            permission = Permission { span: name.span, ..old.clone() };
        }
        for stmt in &body.stmts {
            match &stmt.node {
                PermissionClause::Tools(tools) => permission.tools.clone_from(tools),
                PermissionClause::AskedBy(tools) => permission.asked_by.clone_from(tools),
                PermissionClause::Resource(word) => {
                    permission.resource = self
                        .word(word, "resource", ResourceKind::ALL, ResourceKind::word)
                        .unwrap_or(permission.resource);
                }
                PermissionClause::Capability(word) => {
                    permission.capability = self.word(word, "capability", Capability::ALL, Capability::word);
                }
                PermissionClause::Delegate(word) => {
                    permission.delegate = self.word(word, "kind of delegation", Delegate::ALL, Delegate::word);
                }
                PermissionClause::Depth(depth) => permission.depth = Some(depth.node),
            }
        }
        for tool in &permission.tools {
            let other = self.model.permissions.iter().find(|(other, declared)| {
                **other != name.node && declared.tools.iter().any(|known| known.node == tool.node)
            });
            if let Some((other, declared)) = other {
                let (text, old) = (format!("the tool `{}` already belongs to `{other}`", tool.node), declared.span);
                self.conflict(tool.span, text, old);
            }
        }
        self.model.permissions.insert(name.node.clone(), permission);
    }

    /// The value of a word out of a fixed set; an unknown one is reported with the nearest that is known.
    fn word<T: Copy>(&mut self, word: &Name, what: &str, all: &[T], spell: fn(T) -> &'static str) -> Option<T> {
        let found = all.iter().copied().find(|one| spell(*one) == word.node);
        if found.is_none() {
            let known: Vec<&str> = all.iter().map(|one| spell(*one)).collect();
            let help = match near_name(&word.node, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("one of {}", quoted(&known)),
            };
            self.sink
                .push(Finding::new(UNRESOLVED_NAME, word.span, format!("`{}` is no {what}", word.node)).help(help));
        }
        found
    }

    fn layer(&mut self, name: &Name, prelude: bool) {
        if SLOTS.contains(&name.node.as_str()) {
            let text = format!("`{}` cannot be a layer: it is a slot of every merge order", name.node);
            self.sink.push(Finding::new(CONFLICTING_DEFINITION, name.span, text).help("choose another name"));
            return;
        }
        let layer = self.model.layers.entry(name.node.clone()).or_insert_with(|| Layer {
            span: name.span,
            prelude,
            rules: Vec::new(),
            combine: None,
        });
        if layer.prelude && !prelude {
            (layer.prelude, layer.span) = (false, name.span);
        }
    }

    fn agent(&mut self, name: &Name, prelude: bool) {
        if let Some(old) = self.model.agents.get(&name.node) {
            let text = match old.prelude && !prelude {
                true => format!("the runtime already has an agent `{}`", name.node),
                false => format!("the agent `{}` is declared twice", name.node),
            };
            let finding = Finding::new(CONFLICTING_DEFINITION, name.span, text)
                .related(old.span, "declared here")
                .help(format!("write `extend {} {{ ... }}` to add to it", name.node));
            return self.sink.push(finding);
        }
        let agent = Agent {
            name: name.node.clone(),
            span: name.span,
            prelude,
            touched: Vec::new(),
            mode: Mode::All,
            mode_said: false,
            hidden: false,
            disabled: false,
            attributes: IndexMap::new(),
            options: IndexMap::new(),
            builtin: Vec::new(),
            own: Vec::new(),
            merge: None,
        };
        self.model.agents.insert(name.node.clone(), agent);
    }

    fn switch(&mut self, name: &Name, body: &'a ast::Block<SwitchClause>, prelude: bool) {
        let mut switch = Switch {
            span: name.span,
            prelude,
            from: None,
            to: None,
            confirm: None,
            answers: Vec::new(),
            requires: Vec::new(),
            enter: None,
            leave: None,
            note: None,
            unattended: Unattended::Stay,
        };
        if let Some(old) = self.model.switches.get(&name.node).filter(|old| old.prelude == prelude) {
            let old = old.span;
            return self.conflict(name.span, format!("the switch `{}` is declared twice", name.node), old);
        }
        for stmt in &body.stmts {
            match &stmt.node {
                SwitchClause::From(agent) => switch.from = Some(agent.clone()),
                SwitchClause::To(agent) => switch.to = Some(agent.clone()),
                SwitchClause::Confirm(text) => switch.confirm = Some(text.node.clone()),
                SwitchClause::Answers(words) => switch.answers.clone_from(words),
                SwitchClause::RequiresPath(patterns) => {
                    switch.requires = self.expander.plain_patterns(Some(patterns), self.sink);
                }
                SwitchClause::Text { kind, text } => match kind.node.as_str() {
                    "enter" => switch.enter = Some(text.node.clone()),
                    "leave" => switch.leave = Some(text.node.clone()),
                    _ => switch.note = Some(text.node.clone()),
                },
                SwitchClause::Unattended(word) => {
                    let all = Unattended::ALL;
                    switch.unattended =
                        self.word(word, "answer without a person", all, Unattended::word).unwrap_or(Unattended::Stay);
                }
            }
        }
        self.model.switches.insert(name.node.clone(), switch);
    }

    fn fill(&mut self, statement: &Statement<'a>) {
        let Statement { stmt, prelude, used, from } = *statement;
        self.ignores(stmt);
        let via: Vec<Via> = used.map(Via::Use).into_iter().collect();
        match &stmt.node {
            Item::Commands { capabilities, family, lines } => {
                let entries = commands::entries(lines, statement.prelude, &mut self.expander, self.sink);
                let all = Capability::ALL;
                let word = |name| self.word(name, "capability", all, Capability::word);
                let capabilities: Vec<Capability> = capabilities.iter().filter_map(word).collect();
                let family =
                    family.as_ref().and_then(|name| self.word(name, "family of commands", Family::ALL, Family::word));
                if let CommandLines::Block(block) = lines {
                    block.stmts.iter().for_each(|stmt| self.ignores(stmt));
                }
                self.model.commands.push(Commands { span: stmt.span, capabilities, family, entries, prelude });
            }
            Item::Layer { name, body, .. } => {
                let own = body.as_ref().map_or(&[][..], |body| &body.stmts);
                let mut imported = via.clone();
                imported.push(Via::From(stmt.span));
                self.layer_rules(name, from, &Place { slot: name.node.as_str().into(), prelude, via: imported });
                self.layer_rules(name, own, &Place { slot: name.node.as_str().into(), prelude, via });
            }
            Item::Merge(slots) => self.merges.push((slots, stmt.span, prelude)),
            Item::Agent { name, body } => self.agent_body(name, &body.stmts, prelude, via),
            Item::Extend { name, body } => {
                if !self.model.agents.contains_key(&name.node) {
                    return self.no_agent(name);
                }
                let mut via = via;
                via.push(Via::Extend(stmt.span));
                self.agent_body(name, &body.stmts, prelude, via);
            }
            Item::DefaultAgent(name) => {
                if let Some(old) = &self.model.default_agent {
                    let old = old.span;
                    return self.conflict(name.span, "the default agent is named twice".to_owned(), old);
                }
                self.model.default_agent = Some(name.clone());
            }
            Item::Visibility(word) => {
                let all = Visibility::ALL;
                self.model.visibility = self.word(word, "visibility", all, Visibility::word).unwrap_or_default();
            }
            Item::Assert(Assert::Promise { who, promise }) => {
                self.promises.push(Pending { who: PendingWho::Who(who), promise, span: stmt.span, prelude });
            }
            Item::Assert(Assert::NoLayerLoosens(layer)) => self.no_layer_loosens(layer, stmt.span, prelude),
            Item::Test { agent, name, body } => self.test(agent, name.as_ref(), body, stmt.span),
            Item::Runtime { .. }
            | Item::Use { .. }
            | Item::Let { .. }
            | Item::Permission { .. }
            | Item::Switch { .. } => {}
        }
    }

    fn ignores<T>(&mut self, stmt: &Stmt<T>) {
        for ignore in &stmt.ignores {
            self.model.ignores.push(Ignore {
                span: ignore.span,
                scope: stmt.span,
                code: ignore.node.code.clone(),
                reason: ignore.node.reason.as_ref().map(|reason| reason.node.clone()),
                until: ignore.node.until.clone(),
            });
        }
    }

    fn layer_rules(&mut self, name: &Name, stmts: &'a [Stmt<LayerClause>], place: &Place) {
        for stmt in stmts {
            self.ignores(stmt);
            match &stmt.node {
                LayerClause::Rule(rule) => {
                    let rules = self.expander.rules(rule, stmt.span, place, self.sink);
                    if let Some(layer) = self.model.layers.get_mut(&name.node) {
                        layer.rules.extend(rules);
                    }
                }
                LayerClause::Combine(word) => {
                    let combine = self.word(word, "combining algorithm", Combine::ALL, Combine::word);
                    if let Some(layer) = self.model.layers.get_mut(&name.node) {
                        layer.combine = combine.or(layer.combine);
                    }
                }
            }
        }
    }

    fn agent_body(&mut self, name: &Name, stmts: &'a [Stmt<AgentClause>], prelude: bool, via: Vec<Via>) {
        let slot: Arc<str> = if prelude { "builtin".into() } else { "own".into() };
        let place = Place { slot, prelude, via };
        // Taken out while it is filled, so that findings can be pushed meanwhile.
        let Some(held) = self.model.agents.get_mut(&name.node) else { return };
        let (builtin, own) = (std::mem::take(&mut held.builtin), std::mem::take(&mut held.own));
        let mut agent = Agent { builtin, own, ..held.clone() };
        if !prelude {
            agent.touched.push(name.span);
        }
        for stmt in stmts {
            self.ignores(stmt);
            match &stmt.node {
                AgentClause::Attribute { name, value } => self.attribute(&mut agent, name, value.as_ref()),
                AgentClause::Option { name, value } => {
                    agent.options.insert(name.node.clone(), value.clone());
                }
                AgentClause::Rule(rule) => {
                    let rules = self.expander.rules(rule, stmt.span, &place, self.sink);
                    if prelude { agent.builtin.extend(rules) } else { agent.own.extend(rules) }
                }
                AgentClause::Promise(promise) => self.promises.push(Pending {
                    who: PendingWho::Agent(agent.name.clone()),
                    promise,
                    span: stmt.span,
                    prelude,
                }),
                AgentClause::Merge(slots) => match &agent.merge {
                    Some(old) if old.prelude == prelude => {
                        let old = old.span.unwrap_or(stmt.span);
                        self.conflict(stmt.span, format!("`{}` has two merge orders", agent.name), old);
                    }
                    _ => agent.merge = Some(self.merge(slots, stmt.span, prelude)),
                },
            }
        }
        self.model.agents.insert(name.node.clone(), agent);
    }

    fn attribute(&mut self, agent: &mut Agent, name: &Name, value: Option<&Spanned<Json>>) {
        let value = value.cloned().unwrap_or_else(|| Spanned::new(Json::Bool(true), name.span));
        match name.node.as_str() {
            "mode" => {
                let word = value.clone().map(|json| json.as_str().unwrap_or_default().to_owned());
                agent.mode = self.word(&word, "mode", Mode::ALL, Mode::word).unwrap_or(agent.mode);
                agent.mode_said = true;
            }
            "hidden" => agent.hidden = self.flag(name, &value).unwrap_or(agent.hidden),
            "disabled" => agent.disabled = self.flag(name, &value).unwrap_or(agent.disabled),
            _ => {}
        }
        agent.attributes.insert(name.node.clone(), value);
    }

    fn flag(&mut self, name: &Name, value: &Spanned<Json>) -> Option<bool> {
        if let Json::Bool(flag) = value.node {
            return Some(flag);
        }
        let text = format!("`{}` is either true or false", name.node);
        self.sink.push(
            Finding::new(UNRESOLVED_NAME, value.span, text).help(format!("write `{}` alone for true", name.node)),
        );
        None
    }

    fn no_layer_loosens(&mut self, layer: &Name, span: Span, prelude: bool) {
        let known: Vec<&str> = self.model.layers.keys().map(String::as_str).chain(SLOTS).collect();
        if !known.contains(&layer.node.as_str()) {
            let finding = Finding::new(UNRESOLVED_NAME, layer.span, format!("no layer is called `{}`", layer.node));
            let finding = match near_name(&layer.node, known) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding,
            };
            return self.sink.push(finding);
        }
        let kind = PromiseKind::NoLayerLoosens { layer: layer.clone() };
        self.model.promises.push(Promise { span, prelude, kind });
    }

    fn test(&mut self, agent: &Name, name: Option<&Name>, body: &'a ast::Block<TestClause>, span: Span) {
        let mut expectations = Vec::new();
        for stmt in &body.stmts {
            self.ignores(stmt);
            let expectation = match &stmt.node {
                TestClause::Request { permission, resource, action } => Expectation::Request {
                    permission: permission.clone(),
                    resource: resource.clone(),
                    action: action.node,
                },
                TestClause::Visible(tool) => Expectation::Visible(tool.clone()),
                TestClause::Hidden(tool) => Expectation::Hidden(tool.clone()),
                TestClause::Call { tool, input, action } => {
                    Expectation::Call { tool: tool.clone(), input: input.clone(), action: action.node }
                }
            };
            expectations.push(Spanned::new(expectation, stmt.span));
        }
        let name = name.map(|name| name.node.clone());
        self.model.tests.push(Test { agent: agent.clone(), name, span, expectations });
    }

    /// The slots of a written merge order: each once, each a layer that is declared or that a prelude leaves room for.
    fn merge(&mut self, slots: &[Name], span: Span, prelude: bool) -> Merge {
        let mut seen: Vec<Arc<str>> = Vec::new();
        let room: Vec<&str> = self
            .merges
            .iter()
            .filter(|(_, _, prelude)| *prelude)
            .flat_map(|(slots, _, _)| slots.iter().map(|slot| slot.node.as_str()))
            .collect();
        let known: Vec<&str> = self.model.layers.keys().map(String::as_str).chain(SLOTS).chain(room).collect();
        for slot in slots {
            if seen.iter().any(|one| **one == *slot.node) {
                let text = format!("`{}` stands twice in this merge order", slot.node);
                self.sink.push(
                    Finding::new(CONFLICTING_DEFINITION, slot.span, text).help("a slot is merged once; delete one"),
                );
            } else if prelude || known.contains(&slot.node.as_str()) {
                seen.push(slot.node.as_str().into());
            } else {
                let text = format!("no layer is called `{}`", slot.node);
                let help = match near_name(&slot.node, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("declare it with `layer {} {{ ... }}`", slot.node),
                };
                self.sink.push(Finding::new(UNRESOLVED_NAME, slot.span, text).help(help));
            }
        }
        Merge { slots: seen, span: Some(span), prelude }
    }

    fn finish(mut self) -> Model {
        self.top_merge();
        for pending in std::mem::take(&mut self.promises) {
            self.promise(&pending);
        }
        self.model.lists = std::mem::take(&mut self.expander.lists);
        self.model
    }

    fn top_merge(&mut self) {
        let merges = self.merges.clone();
        let user: Vec<_> = merges.iter().filter(|(_, _, prelude)| !*prelude).collect();
        if let [(_, first, _), (_, second, _), ..] = user.as_slice() {
            self.conflict(*second, "the merge order is written twice".to_owned(), *first);
        }
        let chosen = user.first().copied().or(merges.first());
        self.model.merge = match chosen {
            Some((slots, span, prelude)) => self.merge(slots, *span, *prelude),
            None => {
                let layers = self.model.layers.keys().map(|name| Arc::from(name.as_str()));
                Merge { slots: layers.chain(["builtin".into(), "own".into()]).collect(), span: None, prelude: true }
            }
        };
    }

    fn promise(&mut self, pending: &Pending<'a>) {
        let who = self.who(&pending.who);
        let expander = &mut self.expander;
        let kind = match pending.promise {
            ast::Promise::Cannot { capability, patterns, except } => {
                let patterns = expander.plain_patterns(patterns.as_ref(), self.sink);
                let except = expander.plain_patterns(except.as_ref(), self.sink);
                let Some(capability) = self.word(capability, "capability", Capability::ALL, Capability::word) else {
                    return;
                };
                PromiseKind::Cannot { who, capability, patterns, except }
            }
            ast::Promise::CannotCall { permission, patterns, except } => {
                self.requests(who, permission, patterns.as_ref(), except.as_ref(), vec![Action::Deny])
            }
            ast::Promise::MustAsk { permission, patterns } => {
                self.requests(who, permission, patterns.as_ref(), None, vec![Action::Ask, Action::Deny])
            }
            ast::Promise::MustAllow { permission, patterns } => {
                self.requests(who, permission, patterns.as_ref(), None, vec![Action::Allow])
            }
        };
        self.model.promises.push(Promise { span: pending.span, prelude: pending.prelude, kind });
    }

    fn requests(
        &mut self,
        who: Vec<String>,
        permission: &Name,
        patterns: Option<&ast::Patterns>,
        except: Option<&ast::Patterns>,
        allowed: Vec<Action>,
    ) -> PromiseKind {
        let patterns = self.expander.plain_patterns(patterns, self.sink);
        let except = self.expander.plain_patterns(except, self.sink);
        let permission = permission.clone().map(|name| Pattern::wildcard(&name));
        PromiseKind::Requests { who, permission, patterns, except, allowed }
    }

    fn who(&mut self, who: &PendingWho<'a>) -> Vec<String> {
        let every = |model: &Model, keep: fn(&Agent) -> bool| {
            model.live_agents().filter(|agent| keep(agent)).map(|agent| agent.name.clone()).collect()
        };
        match who {
            PendingWho::Agent(name) => vec![name.clone()],
            PendingWho::Who(ast::Who::Every(_)) => every(&self.model, |_| true),
            PendingWho::Who(ast::Who::EveryPrimary(_)) => every(&self.model, |agent| agent.mode != Mode::Subagent),
            PendingWho::Who(ast::Who::EverySubagent(_)) => every(&self.model, |agent| agent.mode != Mode::Primary),
            PendingWho::Who(ast::Who::Agents(names)) => {
                let names: &[Name] = names;
                for name in
                    names.iter().filter(|name| !self.model.agents.contains_key(&name.node)).cloned().collect::<Vec<_>>()
                {
                    self.no_agent(&name);
                }
                let known = names.iter().filter(|name| self.model.agents.contains_key(&name.node));
                known.map(|name| name.node.clone()).collect()
            }
        }
    }

    fn no_agent(&mut self, name: &Name) {
        let finding = Finding::new(UNRESOLVED_NAME, name.span, format!("no agent is called `{}`", name.node));
        let finding = match near_name(&name.node, self.model.agents.keys().map(String::as_str)) {
            Some(near) => finding.help(format!("did you mean `{near}`?")),
            None => finding.help(format!("declare it with `agent {} {{ ... }}`", name.node)),
        };
        self.sink.push(finding);
    }

    fn conflict(&mut self, at: Span, text: String, old: Span) {
        self.sink
            .push(Finding::new(CONFLICTING_DEFINITION, at, text).related(old, "first here").help("keep one of them"));
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}
