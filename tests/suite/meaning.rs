//! Flattening, decisions, visibility, the default agent: as the language page says them.

use crate::support::compile::{clean, decide, findings, of, policy, rules};
use policyc::decide::visible;
use policyc::model::Visibility;
use policyc::ruleset::{NoDefault, default_agent};

#[test]
fn the_last_match_decides_and_none_asks() {
    let compiled = clean("agent a { allow bash \"*\"; deny bash \"rm *\"; allow bash \"rm tmp/*\" }");
    assert_eq!(decide(&compiled, "a", "bash", "ls"), "allow");
    assert_eq!(decide(&compiled, "a", "bash", "rm x"), "deny");
    assert_eq!(decide(&compiled, "a", "bash", "rm"), "deny", "a final ` *` also matches nothing");
    assert_eq!(decide(&compiled, "a", "bash", "rm tmp/x"), "allow");
    assert_eq!(decide(&compiled, "a", "read", "x"), "ask");
}

#[test]
fn a_rule_is_split_into_one_permission_and_one_pattern_in_order() {
    let compiled = clean(
        "let secrets = [\"*.env\", more]\nlet more = [\"*.pem\"]\nagent a { deny read, edit [secrets, \"x\"]; allow bash }",
    );
    let expected = [
        "read *.env deny",
        "read *.pem deny",
        "read x deny",
        "edit *.env deny",
        "edit *.pem deny",
        "edit x deny",
        "bash * allow",
    ];
    assert_eq!(rules(&compiled, "a"), expected);
}

#[test]
fn layers_merge_in_the_written_order() {
    let text = "layer one { allow bash \"1\" }\nlayer two { allow bash \"2\" }\nlayer one { allow bash \"3\" }\nagent a { allow bash \"4\" }\n";
    let numbers = |compiled: &policyc::project::Compilation, agent: &str| {
        rules(compiled, agent).iter().map(|rule| rule.chars().nth(5).unwrap()).collect::<String>()
    };
    assert_eq!(numbers(&clean(text), "a"), "1324", "without a merge: layers in declaration order, then own");
    assert_eq!(numbers(&clean(&format!("{text}merge own, two, one")), "a"), "4213");
    let own = format!("{text}merge own, two, one\nagent b {{ merge one, own, two; allow bash \"5\" }}");
    assert_eq!(numbers(&clean(&own), "a"), "4213");
    assert_eq!(numbers(&clean(&own), "b"), "1352", "an agent's own merge order is for that one");
}

#[test]
fn a_layer_that_combines_orders_its_own_rules_only() {
    let deny = clean("layer l { combine deny-overrides; deny bash \"a\"; ask bash \"b\"; allow bash }\nagent a {}");
    assert_eq!(rules(&deny, "a"), ["bash * allow", "bash b ask", "bash a deny"]);
    let first = clean("layer l { combine first-match; deny bash \"a\"; allow bash }\nagent a { ask bash \"c\" }");
    assert_eq!(rules(&first, "a"), ["bash * allow", "bash a deny", "bash c ask"]);
}

#[test]
fn extend_adds_in_reading_order() {
    let compiled = clean("agent a { allow bash \"1\" }\nextend a { deny bash \"2\"; mode subagent; hidden }");
    assert_eq!(rules(&compiled, "a"), ["bash 1 allow", "bash 2 deny"]);
    let agent = compiled.model.agents.get("a").unwrap();
    assert!(agent.hidden && !agent.selectable());
}

#[test]
fn merge_orders_that_cannot_hold_are_said() {
    let (files, compiled) = policy("layer user {}\nmerge user, usr, user\nmerge own\nagent a {}");
    let expected = [
        "test.policy:3:1 PC1014 the merge order is written twice",
        "test.policy:2:13 PC1013 no layer is called `usr`",
        "test.policy:2:18 PC1014 `user` stands twice in this merge order",
    ];
    assert_eq!(findings(&files, &compiled), expected);
}

#[test]
fn an_unknown_name_poisons_only_what_depends_on_it() {
    let (files, compiled) =
        policy("agent a { deny read sekrets; deny bash \"x\" }\nextend b { allow bash }\nagent a {}");
    let expected = [
        "test.policy:3:7 PC1014 the agent `a` is declared twice",
        "test.policy:1:21 PC1013 no list is called `sekrets`",
        "test.policy:2:8 PC1013 no agent is called `b`",
    ];
    assert_eq!(findings(&files, &compiled), expected);
    assert_eq!(rules(&compiled, "a"), ["bash x deny"]);
}

#[test]
fn the_default_agent_is_checked_three_ways() {
    let message = |text: &str| {
        let (_, compiled) = policy(text);
        let named = compiled.model.default_agent.as_ref().map_or("", |name| name.node.as_str());
        match default_agent(&compiled.model) {
            Ok(agent) => agent.name.clone(),
            Err(why) => why.message(named),
        }
    };
    assert_eq!(message("agent a {}\ndefault agent b"), "default agent `b` not found");
    assert_eq!(message("agent b { disabled }\ndefault agent b"), "default agent `b` not found");
    assert_eq!(message("agent b { mode subagent; hidden }\ndefault agent b"), "default agent `b` is a subagent");
    assert_eq!(message("agent b { hidden }\ndefault agent b"), "default agent `b` is hidden");
    assert_eq!(message("agent s { mode subagent }\nagent h { hidden }\nagent p { mode primary }"), "p");
    assert_eq!(message("agent s { mode subagent }\nagent h { hidden }"), "no primary visible agent found");
    let (_, compiled) = policy("agent s { mode subagent }");
    assert_eq!(default_agent(&compiled.model).unwrap_err(), NoDefault::NoVisiblePrimary);
}

#[test]
fn visibility_is_textual() {
    let compiled = clean(
        "agent path-allow { deny edit; allow edit \"docs/*\" }\nagent path-deny { deny edit; deny edit \"docs/*\" }\n\
         agent twice { deny edit \"**\" }\nagent bare { allow edit; deny edit }\nagent star { deny *; allow read }",
    );
    let sees = |agent: &str, visibility: Visibility| visible(of(&compiled, agent), "edit", visibility);
    assert!(sees("path-allow", Visibility::LastDeny));
    assert!(sees("path-deny", Visibility::LastDeny));
    assert!(sees("twice", Visibility::LastDeny));
    assert!(!sees("bare", Visibility::LastDeny));
    assert!(!sees("star", Visibility::LastDeny));
    assert!(!sees("path-allow", Visibility::BareDeny));
    assert!(sees("bare", Visibility::Fixed));
    assert_eq!(compiled.model.key_of("write"), "edit");
}

#[test]
fn promises_of_agents_that_do_not_exist_are_said_once() {
    let (files, compiled) = policy("agent a {}\nassert a, bb must ask bash\nassert no layer loosens usr");
    let expected =
        ["test.policy:3:25 PC1013 no layer is called `usr`", "test.policy:2:11 PC1013 no agent is called `bb`"];
    assert_eq!(findings(&files, &compiled), expected);
}

#[test]
fn lists_that_name_each_other_in_a_circle_are_refused() {
    let (files, compiled) = policy("let a = [b]\nlet b = [\"x\", a]\nagent c { deny read a; deny read \"y\" }");
    let expected = [
        "test.policy:1:5 PC1014 the list `a` is part of a circle of lists that name each other",
        "test.policy:2:5 PC1014 the list `b` is part of a circle of lists that name each other",
    ];
    assert_eq!(findings(&files, &compiled), expected);
    assert_eq!(rules(&compiled, "c"), ["read y deny"]);
}

#[test]
fn lists_that_double_do_not_explode() {
    let mut text = "let l0 = [\"x\", \"y\"]\n".to_owned();
    for n in 1..40 {
        text += &format!("let l{n} = [l{p}, l{p}]\n", p = n - 1);
    }
    let (files, compiled) = policy(&(text + "agent a { deny read l39 }"));
    let found = findings(&files, &compiled);
    assert!(found.iter().all(|line| line.contains("PC1017")), "{found:?}");
    assert!(!found.is_empty() && compiled.rulesets[0].rules.len() <= policyc::model::MAX_PATTERNS);
}
