//! What descriptions promise, and what hidden agents may do.

use crate::support::compile::report;

fn told(code: &str, agents: &str) -> bool {
    report(agents, true).contains(&format!("[{code}]"))
}

#[test]
fn a_description_is_held_against_the_rules() {
    let promised = |description: &str, rules: &str| {
        told("PC1011", &format!("agent a {{ mode primary; description \"{description}\"; {rules} }}\n"))
    };
    assert!(promised("A read-only reviewer", "ask *; allow edit"));
    assert!(promised("Looks, and never edits", "ask *; allow bash \"tee *\""), "through the shell");
    assert!(promised("Only writes docs/", "ask *; allow edit"));
    assert!(promised("Edits only `plans/*.md`.", "ask *; allow edit \"plans/*\""));
    assert!(!promised("Only writes docs/", "ask *; allow edit \"docs/*\""), "as it says");
    assert!(!promised("Writes code", "ask *; allow edit"), "no promise");
    assert!(!promised("This is not read-only", "ask *; allow edit"), "the contrary");
    assert!(!promised("A read-only reviewer", "ask *"), "a person is asked");
    assert!(!promised("A read-only reviewer", "deny *; deny edit; allow bash \"tee *\""), "told of the denial");
}

#[test]
fn a_promise_is_broken_through_others_too() {
    let lead = "agent lead { mode primary; description \"Read-only\"; ask *; allow task \"hand\" }\n";
    assert!(told("PC1011", &format!("runtime opencode\n{lead}agent hand {{ mode subagent; allow edit }}\n")));
    assert!(!told("PC1011", &format!("runtime opencode\n{lead}agent hand {{ mode subagent; ask * }}\n")));
}

#[test]
fn hidden_agents_that_write() {
    let hidden = |agent: &str| told("PC0507", &format!("agent lead {{ mode primary; ask * }}\n{agent}\n"));
    assert!(hidden("agent worker { mode subagent; hidden; deny *; allow edit }"));
    assert!(hidden("agent worker { mode subagent; hidden; deny *; allow bash \"tee *\" }"));
    assert!(!hidden("agent worker { mode subagent; hidden; deny *; ask edit }"), "it asks");
    assert!(!hidden("agent worker { mode subagent; deny *; allow edit }"), "it is shown");
    assert!(!hidden("agent worker { mode subagent; hidden; disabled; deny *; allow edit }"), "it does not exist");
}
