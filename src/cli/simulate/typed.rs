//! Commands that are typed, as acts.

use super::looks::Look;
use crate::session::{Act, Call, Prompt, Question, Refusal, Session};
use serde_json::{Value, json};

/// What a line says.
pub(super) enum Typed {
    Nothing,
    Quit,
    Help,
    Look(Look),
    /// Another session is meant from now on.
    In(String),
    Act(Box<Act>),
}

/// The commands.
pub(super) const HELP: &str = "  agents, tools, waiting, sessions       what there is
  select AGENT                           choose an agent
  prompt TEXT, or @AGENT TEXT            write a message
  call TOOL {INPUT}                      the model calls a tool; `and TOOL {INPUT}`: in the same message
  run COMMAND LINE                       the model runs a command
  ask PERMISSION RESOURCE                a request by itself
  once, always, reject, yes, no, WORD    answer what has waited longest; an answer goes before a command
  answer NUMBER WORD [TEXT]              answer this request; TEXT is told to the model
  offer TOOL...                          give the session tools
  back NUMBER, fork [NUMBER], resume     go on from an earlier event, branch off, start again
  open NAME, in NAME                     begin another session, go to one
  quit, exit
  {\"do\": ...}                            an act, as in a script. It can say more: a file that is handed in,
    {\"do\":\"call\",\"tool\":\"submit_plan\",\"file\":{\"path\":\"PLAN.md\",\"text\":\"1. a page\"}}
  or a request in the same message as the one before,
    {\"do\":\"call\",\"requests\":[{\"permission\":\"edit\",\"resource\":\"a.md\"}],\"parallel\":true}
";

/// The words that commands begin with, as far as they are long enough to be misspelt.
const COMMANDS: [&str; 18] = [
    "agents", "tools", "waiting", "sessions", "select", "prompt", "call", "run", "ask", "always", "reject", "answer",
    "offer", "back", "fork", "resume", "open", "quit",
];

/// Reads a line that is typed while `session` is meant.
pub(super) fn read(line: &str, session: &str, all: &Session<'_>) -> Result<Typed, Refusal> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(word, rest)| (word, rest.trim()));
    let session = session.to_owned();
    if line.starts_with('{') {
        let act = serde_json::from_str(line).map_err(|error| no_act(&error))?;
        return Ok(Typed::Act(Box::new(act)));
    }
    if line.starts_with('@') {
        return Ok(prompt(session, line));
    }
    if answers_now(word, all) {
        return Ok(Typed::Act(Box::new(said(word, rest))));
    }
    let act = match word {
        "" => return Ok(Typed::Nothing),
        "quit" | "exit" => return Ok(Typed::Quit),
        "help" => return Ok(Typed::Help),
        "agents" => return Ok(Typed::Look(Look::Agents)),
        "tools" => return Ok(Typed::Look(Look::Tools)),
        "waiting" => return Ok(Typed::Look(Look::Waiting)),
        "sessions" => return Ok(Typed::Look(Look::Sessions)),
        "in" => return go(rest, all),
        "prompt" => return Ok(prompt(session, &named(rest, "prompt TEXT")?)),
        "select" => Act::Select { session, agent: named(rest, "select AGENT")? },
        "call" | "and" => call(session, rest, word == "and")?,
        "run" => run(session, rest, all)?,
        "ask" => ask(session, rest)?,
        "answer" => answer(rest)?,
        "offer" => {
            let tools = named(rest, "offer TOOL...")?.split_whitespace().map(str::to_owned).collect();
            Act::Offer { session, tools, silent: Vec::new(), without: Vec::new() }
        }
        "open" => Act::Open { session: named(rest, "open NAME")?, rules: Vec::new() },
        "back" => Act::Back { to: number(&named(rest, "back NUMBER")?)? },
        "fork" if rest.is_empty() => Act::Fork { from: None },
        "fork" => Act::Fork { from: Some(number(rest)?) },
        "resume" => Act::Resume { person: None },
        word if is_answer(word, all) => said(word, rest),
        word => return Err(unknown(word)),
    };
    Ok(Typed::Act(Box::new(act)))
}

/// What is wrong with a line that should be an act; it is one line, so its column is enough.
pub(super) fn no_act(error: &serde_json::Error) -> Refusal {
    let text = error.to_string().replace(" at line 1 column", " at column");
    Refusal::new(format!("it is no act: {text}"))
        .help("write it like {\"do\":\"call\",\"tool\":\"bash\",\"input\":{\"command\":\"ls\"}}")
}

fn unknown(word: &str) -> Refusal {
    let refusal = Refusal::new(format!("`{word}` is no command"));
    match crate::diagnostic::near_name(word, COMMANDS) {
        Some(near) => refusal.help(format!("did you mean `{near}`?")),
        None => refusal.help("`help` lists the commands"),
    }
}

/// What follows a command that must be told something.
fn named(rest: &str, usage: &str) -> Result<String, Refusal> {
    if rest.is_empty() {
        let word = usage.split(' ').next().unwrap_or_default();
        return Err(Refusal::new(format!("`{word}` says too little")).help(format!("write `{usage}`")));
    }
    Ok(rest.to_owned())
}

/// An answer to what has waited longest.
fn said(word: &str, rest: &str) -> Act {
    Act::Answer { request: None, answer: word.to_owned(), text: (!rest.is_empty()).then(|| rest.to_owned()) }
}

/// Whether a word answers what has waited longest: a policy may declare answers that are commands as well.
fn answers_now(word: &str, all: &Session<'_>) -> bool {
    match all.state().waiting.values().next().map(|waiting| &waiting.question) {
        Some(Question::Switch { answers, .. }) => answers.iter().any(|answer| answer == word),
        _ => false,
    }
}

/// Whether a word answers something that could wait.
fn is_answer(word: &str, all: &Session<'_>) -> bool {
    let declared = || all.world().model.switches.values().flat_map(|switch| &switch.answers);
    ["once", "always", "reject", "yes", "no", "cancel"].contains(&word) || declared().any(|one| one.node == word)
}

fn prompt(session: String, text: &str) -> Typed {
    Typed::Act(Box::new(Act::Prompt(Prompt { session, text: text.to_owned(), ..Prompt::default() })))
}

fn go(name: &str, all: &Session<'_>) -> Result<Typed, Refusal> {
    let name = &named(name, "in NAME")?;
    if all.state().sessions.contains_key(name) {
        return Ok(Typed::In(name.to_owned()));
    }
    let known = all.state().sessions.keys().map(String::as_str);
    Err(Refusal::new(format!("there is no session `{name}`")).near(name, known))
}

fn call(session: String, rest: &str, parallel: bool) -> Result<Act, Refusal> {
    let usage = if parallel { "and TOOL {INPUT}" } else { "call TOOL {INPUT}" };
    let rest = named(rest, usage)?;
    let (tool, input) = rest.split_once(char::is_whitespace).unwrap_or((rest.as_str(), "{}"));
    let input: Value =
        serde_json::from_str(input).map_err(|error| Refusal::new(format!("the input is no JSON: {error}")))?;
    Ok(Act::Call(Call { session, tool: Some(tool.to_owned()), input: Some(input), parallel, ..Call::default() }))
}

fn run(session: String, line: &str, all: &Session<'_>) -> Result<Act, Refusal> {
    let world = all.world();
    match world.runtime.command_call(line, world.version) {
        Some((tool, input)) => {
            Ok(Act::Call(Call { session, tool: Some(tool.to_owned()), input: Some(input), ..Call::default() }))
        }
        None => Err(Refusal::new(format!("`{}` does not say how a command line is run", world.runtime.name()))
            .help("ask for it as a request: `ask bash git status`")),
    }
}

fn ask(session: String, rest: &str) -> Result<Act, Refusal> {
    let Some((permission, resource)) = rest.split_once(char::is_whitespace) else {
        return Err(Refusal::new("a request is a permission and a resource").help("like `ask edit src/main.rs`"));
    };
    let call = json!({
        "do": "call", "session": session, "requests": [{ "permission": permission, "resource": resource.trim() }],
    });
    serde_json::from_value(call).map_err(|error| Refusal::new(error.to_string()))
}

fn answer(rest: &str) -> Result<Act, Refusal> {
    let rest = named(rest, "answer NUMBER WORD [TEXT]")?;
    let mut words = rest.splitn(3, char::is_whitespace);
    let request = Some(number(words.next().unwrap_or_default())?);
    let answer = words.next().unwrap_or_default().to_owned();
    Ok(Act::Answer { request, answer, text: words.next().map(str::to_owned) })
}

fn number(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| Refusal::new(format!("`{text}` is no number of an event")))
}
