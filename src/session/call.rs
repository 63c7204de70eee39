//! A call: whether the model has the tool, what it asks, and what becomes of that.

use super::act::Call;
use super::event::Event;
use super::rules::Verdict;
use super::state::OpenCall;
use super::{Refusal, Session};
use crate::model::{Permission, ResourceKind};
use crate::rule::Action;
use crate::runtimes::{Asks, Request};
use serde_json::Value;

/// What a call comes to before anything of it is decided.
#[derive(Debug, Default)]
struct Plan {
    requests: Vec<Request>,
    unasked: Vec<String>,
    /// Why it may ask for more.
    open: Option<String>,
}

/// Requests that are asked at once: one permission, and what it is asked for.
struct Stage<'a> {
    permission: &'a str,
    resources: Vec<&'a str>,
}

impl Session<'_> {
    pub(super) fn call(&mut self, call: Call) -> Result<(), Refusal> {
        let session = call.session.clone();
        self.may_call(&call)?;
        let agent = self.acting(&session)?;
        if let Some(why) = call.tool.as_deref().map(|tool| self.unseen(&session, &agent, tool)).transpose()?.flatten() {
            let id = self.called(call, agent, Plan::default())?;
            return self.emit(&session, Event::Hidden { call: id, why }).map(drop);
        }
        let plan = self.plan(&call, &agent)?;
        let refused = self.refused(&call, &agent, &plan.requests)?;
        let id = self.called(call, agent, plan)?;
        match refused {
            Some(why) => self.emit(&session, Event::Refused { call: id, why }).map(drop),
            None => self.go_on(id, 0),
        }
    }

    /// Whether the model is at it at all.
    fn may_call(&self, call: &Call) -> Result<(), Refusal> {
        let session = &call.session;
        if self.conversation(session)?.stopped {
            return Err(Refusal::new(format!("the turn of session `{session}` has ended"))
                .help("the model calls nothing until a person writes the next message"));
        }
        if call.tool.is_none() && call.requests.is_empty() {
            return Err(Refusal::new("a call has a `tool`, or `requests`")
                .help("write {\"tool\", \"input\": {...}} or {\"requests\": [{\"permission\", \"resource\"}]}"));
        }
        let under_way = self.state.calls.iter().find(|(_, open)| open.session == *session);
        match under_way.filter(|_| !call.parallel) {
            None => Ok(()),
            Some((id, _)) => Err(Refusal::new(format!("call {id} of session `{session}` waits for an answer"))
                .help("answer it first, or make the call `parallel`, in the same message")),
        }
    }

    /// Why the model does not see a tool.
    fn unseen(&self, session: &str, agent: &str, tool: &str) -> Result<Option<String>, Refusal> {
        if !self.has(self.conversation(session)?, tool) {
            return Ok(Some(format!("the session has no tool `{tool}`")));
        }
        let seen = self.sees(session, agent, tool)?;
        Ok((!seen).then(|| format!("rules hide `{tool}` from agent `{agent}`")))
    }

    /// What a call asks.
    fn plan(&self, call: &Call, agent: &str) -> Result<Plan, Refusal> {
        let mut plan = self.asked(call)?;
        if let Some(open) = &plan.open {
            let denied = self.denial(&call.session, agent, &plan.requests)?.is_some();
            if !denied {
                return Err(Refusal::new(open.clone()).help("without that nothing is known of the call"));
            }
        }
        let facts = self.world.facts();
        let conversation = self.conversation(&call.session)?;
        let last = conversation.last.as_ref();
        let again = last.is_some_and(|(tool, input)| *tool == call.tool && *input == call.input);
        let count = if call.parallel && again { conversation.repeats + 1 } else { 1 };
        let repeats = facts.repeats.filter(|repeats| self.world.model.permissions.contains_key(repeats.permission));
        if let (Some(repeats), Some(tool)) = (repeats.filter(|repeats| count >= repeats.times), &call.tool) {
            plan.requests.insert(0, request(repeats.permission, tool));
        }
        Ok(plan)
    }

    fn asked(&self, call: &Call) -> Result<Plan, Refusal> {
        let Some(tool) = call.tool.as_ref().filter(|_| call.requests.is_empty()) else {
            return Ok(Plan { requests: call.requests.clone(), ..Plan::default() });
        };
        // A tool that a permission lists asks for it, whoever says that it asks nobody.
        let custom = self.conversation(&call.session)?.tools.get(tool) == Some(&true)
            && !self.world.model.tools().any(|declared| declared == tool);
        if custom {
            let itself = (!self.world.facts().custom_tools_pass).then(|| request(tool, "*"));
            return Ok(Plan { requests: itself.into_iter().collect(), ..Plan::default() });
        }
        let input = call.input.clone().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        let asks = self.world.runtime.asks(tool, &input, self.world.version, self.world.environment);
        match asks {
            Ok(Asks { requests, unasked, open }) => {
                Ok(Plan { requests, unasked: unasked.into_iter().map(|part| part.text).collect(), open })
            }
            Err(_) if self.world.model.switches.contains_key(tool) => {
                let resource = call.file.as_ref().map_or("*", |file| &file.path);
                Ok(Plan { requests: vec![request(self.world.model.key_of(tool), resource)], ..Plan::default() })
            }
            Err(why) => Err(Refusal::new(why).help("say what it asks: \"requests\": [{\"permission\", \"resource\"}]")),
        }
    }

    fn called(&mut self, call: Call, agent: String, plan: Plan) -> Result<u64, Refusal> {
        let facts = self.world.facts();
        let starts = self.delegation(&plan.requests).map(|(_, request)| request.resource.clone());
        let field = |field: &str| Some(call.input.as_ref()?.get(field)?.as_str()?.to_owned());
        let resumes = facts.resumes_by.filter(|_| starts.is_some()).and_then(field);
        let mentioned = !self.conversation(&call.session)?.mentions.is_empty();
        let open = facts.mention_opens.filter(|_| mentioned);
        let requests = plan.requests.into_iter().filter(|request| Some(request.permission.as_str()) != open).collect();
        let event = Event::Called {
            agent,
            tool: call.tool,
            input: call.input,
            requests,
            unasked: plan.unasked,
            starts,
            resumes,
            file: call.file.map(|file| file.path),
            parallel: call.parallel,
        };
        self.emit(&call.session, event)
    }

    /// The request that starts another agent, and its permission.
    pub(super) fn delegation<'b>(&'b self, requests: &'b [Request]) -> Option<(&'b Permission, &'b Request)> {
        requests.iter().find_map(|request| {
            let declared = self.world.model.permissions.get(&request.permission)?;
            (declared.resource == ResourceKind::Agent).then_some((declared, request))
        })
    }

    /// Why a call fails before anything is asked.
    fn refused(&self, call: &Call, agent: &str, requests: &[Request]) -> Result<Option<String>, Refusal> {
        if let Some(why) = self.too_deep(&call.session, requests)? {
            return Ok(Some(why));
        }
        Ok(self.no_switch(call, agent))
    }

    /// The first request that a rule denies, with what decides it.
    pub(super) fn denial<'b>(
        &self,
        session: &str,
        agent: &str,
        requests: &'b [Request],
    ) -> Result<Option<(&'b Request, Verdict)>, Refusal> {
        for request in requests {
            let verdict = self.decide(session, agent, &request.permission, &request.resource)?;
            if verdict.action == Action::Deny {
                return Ok(Some((request, verdict)));
            }
        }
        Ok(None)
    }

    /// The same for a call under way: a switch beside it may have brought an agent that denies what the one that called may.
    pub(super) fn denial_now<'b>(&self, call: &'b OpenCall) -> Result<Option<(&'b Request, Verdict)>, Refusal> {
        let then = self.denial(&call.session, &call.agent, &call.requests)?;
        let now = self.conversation(&call.session)?.agent.as_deref();
        match now.filter(|now| then.is_none() && *now != call.agent) {
            Some(now) => self.denial(&call.session, now, &call.requests),
            None => Ok(then),
        }
    }

    /// Decides what a call asks, from its stage `from` on, until somebody must be asked.
    pub(super) fn go_on(&mut self, id: u64, from: usize) -> Result<(), Refusal> {
        let call = self.state.open_call(id).map_err(Refusal::new)?.clone();
        let (session, agent) = (call.session.as_str(), call.agent.as_str());
        if !self.world.facts().one_by_one
            && let Some((request, verdict)) = self.denial_now(&call)?
        {
            return self.deny(id, session, request, verdict);
        }
        for (number, stage) in stages(&call.requests).iter().enumerate().skip(from) {
            let mut strictest = Action::Allow;
            for resource in &stage.resources {
                let verdict = self.decide(session, agent, stage.permission, resource)?;
                if verdict.action == Action::Deny {
                    return self.deny(id, session, &request(stage.permission, resource), verdict);
                }
                strictest = strictest.max(verdict.action);
            }
            if strictest == Action::Ask && !self.is_question(&call, stage.permission) {
                return self.ask(id, session, number, stage);
            }
        }
        self.conclude(id, &call)
    }

    pub(super) fn deny(
        &mut self,
        call: u64,
        session: &str,
        request: &Request,
        verdict: Verdict,
    ) -> Result<(), Refusal> {
        let Request { permission, resource } = request.clone();
        // Only rules deny.
        let rule = verdict.rule.ok_or_else(|| Refusal::new(format!("nothing denies {permission} `{resource}`")))?;
        self.emit(session, Event::Denied { call, permission, resource, rule }).map(drop)
    }

    fn ask(&mut self, call: u64, session: &str, number: usize, stage: &Stage<'_>) -> Result<(), Refusal> {
        let permission = stage.permission.to_owned();
        let resources: Vec<String> = stage.resources.iter().map(|resource| (*resource).to_owned()).collect();
        let event = if self.state.person {
            let always = self.world.runtime.remembers(&permission, &resources, self.world.version);
            Event::Asked { call, stage: number, permission, resources, always }
        } else {
            Event::Unanswered { call, permission, resources }
        };
        self.emit(session, event).map(drop)
    }

    /// Nothing stops a call any more.
    fn conclude(&mut self, id: u64, call: &OpenCall) -> Result<(), Refusal> {
        if call.starts.is_some() {
            return self.start_child(id, call);
        }
        if call.tool.as_deref().is_some_and(|tool| self.world.model.switches.contains_key(tool)) {
            return self.switch(id, call);
        }
        self.emit(&call.session, Event::Ran { call: id }).map(drop)
    }
}

pub(super) fn request(permission: &str, resource: &str) -> Request {
    Request { permission: permission.to_owned(), resource: resource.to_owned() }
}

/// Requests for the same permission in a row are asked at once.
fn stages(requests: &[Request]) -> Vec<Stage<'_>> {
    let rows = requests.chunk_by(|a, b| a.permission == b.permission);
    rows.filter_map(|row| {
        let permission = &row.first()?.permission;
        Some(Stage { permission, resources: row.iter().map(|request| request.resource.as_str()).collect() })
    })
    .collect()
}
