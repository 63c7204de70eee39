//! Group 07: switches that change what stands first in every request.

use crate::support::found::{each, none};

const PRELUDE: &str = "permission run { tools shell; resource command; capability exec }
permission leave { tools leave; resource none; capability switch }
switch leave { from plan; to build; confirm \"Build?\" }
";

fn with(visibility: &str, agents: &str) -> String {
    format!("visibility {visibility}\n{PRELUDE}{agents}\n")
}

#[test]
fn tools_that_a_switch_takes_away_or_brings() {
    let texts = [
        with("last-deny", "agent plan { mode primary; deny run }\nagent build { mode primary; deny run \"rm *\" }"),
        with("bare-deny", "agent plan { mode primary; deny run; allow run \"ls\" }\nagent build { mode primary }"),
        with("last-deny", "agent plan { mode primary }\nagent build { mode primary; deny run }"),
        // In OpenCode two switches join the same agents: one rule is told once.
        "runtime opencode \"1.18\"\nextend plan { deny bash }".to_owned(),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    insta::assert_snapshot!(each("PC0701", &texts));
}

#[test]
fn tools_that_stay_where_they_are() {
    let texts = [
        with("last-deny", "agent plan { mode primary; deny run \"**\" }\nagent build { mode primary }"),
        with("last-deny", "agent plan { mode primary; deny run; allow run \"ls\" }\nagent build { mode primary }"),
        with("fixed", "agent plan { mode primary; deny run }\nagent build { mode primary }"),
        // Hidden from both, or from an agent that no switch leads to.
        with("last-deny", "agent plan { mode primary; deny run }\nagent build { mode primary; deny run }"),
        with("last-deny", "agent plan { mode primary }\nagent build { mode primary }\nagent c { deny run }"),
        "runtime opencode \"1.18\"\nlayer user { ask bash }".to_owned(),
        "runtime opencode \"1.18\"\nlayer user { deny bash }".to_owned(),
    ];
    none("PC0701", &texts.iter().map(String::as_str).collect::<Vec<_>>());
}
