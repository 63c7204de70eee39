//! What agents can bring about: each way is decided again by the plain meaning, and where none is found, none of many calls
//! passes.

use crate::support::compile::{policy, report};
use policyc::capabilities::{Act, Closure, Goal, Ways, World};
use policyc::catalogue;
use policyc::decide;
use policyc::language::{Budget, Pattern};
use policyc::model::Capability;
use policyc::project::Compilation;
use policyc::rule::Action;
use proptest::prelude::*;

fn ways(compiled: &Compilation, who: &str, goal: Goal) -> Ways {
    let world = World::new(&compiled.model, &compiled.rulesets, compiled.runtime, compiled.version);
    let found = Closure::new(&world, goal).ways(who, &mut Budget::default());
    replay(compiled, &found);
    found
}

/// Every call of every way passes, by the plain meaning, and each leads to the agent that makes the next.
#[track_caller]
fn replay(compiled: &Compilation, found: &Ways) {
    assert!(found.wrong.is_empty(), "{:?}", found.wrong);
    for way in &found.ways {
        for (at, step) in way.steps.iter().enumerate() {
            let set = compiled.rulesets.iter().find(|set| set.agent == step.agent).unwrap();
            if !matches!(way.act, Act::Unasked(_)) || at + 1 < way.steps.len() {
                let action = decide::decide(set, &step.permission, &step.resource).action;
                assert_eq!(action, step.action, "{way:?}");
                assert_ne!(action, Action::Deny, "{way:?}");
            }
            if let Some(next) = way.steps.get(at + 1) {
                assert_eq!(step.to.as_ref(), Some(&next.agent), "{way:?}");
            }
        }
    }
}

fn write() -> Goal {
    Goal::of(Capability::Write)
}

#[test]
fn each_kind_of_way_is_found() {
    let (_, compiled) = policy(
        "permission leave { tools leave; resource none; capability switch }\n\
         switch leave { from plan; to build }\n\
         agent build { mode primary; deny *; allow edit \"src/*\" }\n\
         agent plan { mode primary; deny *; allow leave }\n\
         agent shell { mode primary; deny *; allow bash \"sort *\" }\n\
         agent lead { mode primary; deny *; allow task \"build\" }\n\
         agent far { mode primary; deny *; allow task \"lead\" }\n\
         agent open { mode primary; deny edit, bash, task }\n\
         agent none { mode primary; deny * }\n",
    );
    let kinds = |who: &str| -> Vec<(usize, String)> {
        let found = ways(&compiled, who, write());
        found
            .ways
            .iter()
            .map(|way| (way.steps.len(), format!("{:?}", way.act).split(' ').next().unwrap().to_owned()))
            .collect()
    };
    assert_eq!(kinds("build"), [(1, "Permission".to_owned())]);
    assert_eq!(kinds("plan"), [(2, "Permission".to_owned())]);
    assert_eq!(kinds("lead"), [(2, "Permission".to_owned())]);
    assert_eq!(kinds("far"), [(3, "Permission".to_owned())]);
    assert_eq!(kinds("open"), [(1, "Undeclared".to_owned())]);
    assert_eq!(kinds("none"), []);
    assert!(kinds("shell").iter().all(|(length, act)| *length == 1 && act == "Command") && !kinds("shell").is_empty());
    let except = Goal { except: vec![Pattern::wildcard("src/*")], ..write() };
    assert!(ways(&compiled, "build", except.clone()).ways.is_empty());
    assert!(ways(&compiled, "far", except).ways.is_empty());
}

#[test]
fn what_is_confirmed_bounded_or_too_deep_is_no_way() {
    let (_, compiled) = policy(
        "permission leave { tools leave; resource none; capability switch }\n\
         permission hand { tools hand; resource agent; capability delegate; delegate own; depth 1 }\n\
         permission lend { tools lend; resource agent; capability delegate; delegate bounded }\n\
         switch leave { from plan; to build; confirm \"sure?\" }\n\
         agent build { mode primary; deny *; allow edit }\n\
         agent plan { mode primary; deny *; allow leave }\n\
         agent borrower { mode primary; deny *; allow lend }\n\
         agent one { mode primary; deny *; allow hand \"two\" }\n\
         agent two { mode subagent; deny *; allow hand \"build\" }\n",
    );
    for who in ["plan", "borrower", "one", "two"] {
        assert_eq!(ways(&compiled, who, write()).ways, [], "{who}");
    }
    assert_eq!(ways(&compiled, "two", Goal::of(Capability::Delegate)).ways, [], "a child at the deepest level");
}

/// Whoever is started at the deepest level can start nobody; whoever is switched to can.
#[test]
fn an_agent_that_is_reached_in_two_ways_is_followed_in_both() {
    let (_, compiled) = policy(
        "permission leave { tools leave; resource none; capability switch }\n\
         permission hand { tools hand; resource agent; capability delegate; delegate own; depth 1 }\n\
         switch leave { from a; to b }\n\
         agent a { mode primary; deny *; allow leave; allow hand \"b\" }\n\
         agent b { mode primary; deny *; allow hand \"c\" }\n\
         agent c { mode subagent; deny *; allow edit }\n",
    );
    let found = ways(&compiled, "a", write());
    let [way] = found.ways.as_slice() else { panic!("{found:?}") };
    assert_eq!(way.steps.len(), 3);
    assert_eq!(way.steps[0].switch.as_deref(), Some("leave"));
}

#[test]
fn a_command_of_the_policys_own_needs_no_family() {
    let shown = report(
        "commands write [\"deploy *\"]\nagent a { mode primary; deny *; allow read; allow bash \"deploy staging\" }\n",
        false,
    );
    assert!(shown.contains("PC0303") && shown.contains("`deploy staging`"), "{shown}");
}

#[test]
fn circles_end() {
    let mut text = String::new();
    for at in 0..40 {
        text.push_str(&format!("agent a{at} {{ mode primary; deny *; allow task }}\n"));
    }
    let (_, compiled) = policy(&text);
    assert!(ways(&compiled, "a0", write()).ways.is_empty());
    assert_eq!(ways(&compiled, "a0", Goal::of(Capability::Delegate)).ways.len(), 40 + 39);
}

#[test]
fn a_remedy_closes_all_and_nothing_of_it_can_be_left_out() {
    let text = "agent a { mode primary; deny *; allow edit \"docs/*\"; allow bash \"sort *\"; allow task \"b\" }\n\
                agent b { mode subagent; deny *; allow edit }\n\
                agent c { mode primary }\n";
    let (_, compiled) = policy(text);
    let world = World::new(&compiled.model, &compiled.rulesets, compiled.runtime, compiled.version);
    let remedy = world.remedy("a", &write(), &mut Budget::default()).unwrap();
    assert_eq!(remedy.changes.len(), 3, "{remedy:?}");
    let some = Goal { except: vec![Pattern::wildcard("docs/*")], ..write() };
    assert_eq!(world.remedy("a", &some, &mut Budget::default()).unwrap().changes.len(), 2);
    assert!(world.remedy("c", &write(), &mut Budget::default()).is_some());
}

#[test]
fn promises_on_capabilities_are_decided() {
    insta::assert_snapshot!(report(
        "agent docs { mode primary; deny *; allow read; allow edit \"docs/*.md\"; cannot write except \"docs/*\" }\n\
         agent loose { mode primary; deny *; allow edit \"docs/**\"; allow bash \"tee docs/*\"; cannot write except \"docs/*.md\" }\n\
         agent lead { mode primary; deny *; allow task \"loose\"; cannot write }\n\
         agent cut { mode primary; deny *; allow read; cannot write; cannot network; cannot exec; cannot delegate }\n\
         assert every agent cannot network\n",
        false
    ));
}

#[test]
fn one_path_outside_is_enough_to_break_an_exception() {
    let breaks = |rule: &str| {
        let policy = format!("agent a {{ deny *; {rule}; cannot write except \"docs/*\" }}\n");
        report(&policy, false).contains("PC0801")
    };
    // A star takes further words along, and each of them is written too.
    for open in ["\"rm docs/*\"", "\"sed -i s/a/b/ docs/*\"", "\"chmod +x docs/*\"", "exact \"mv src/a docs/a\""] {
        assert!(breaks(&format!("allow bash {open}")), "{open}");
    }
    for held in ["touch docs/a docs/b", "sed -i s/a/b/ docs/a docs/b", "mv docs/a docs/b", "truncate -s 0 docs/a"] {
        assert!(!breaks(&format!("allow bash exact \"{held}\"")), "{held}");
    }
    assert!(!breaks("allow bash regex \"sort -o docs/[a-z]+ src/[a-z]+\""), "what follows the option's path is read");
}

/// Rules of a small world, in words that meet the catalogue.
fn rules() -> impl Strategy<Value = String> {
    let action = prop::sample::select(vec!["allow", "ask", "deny"]);
    let about = prop::sample::select(vec![
        "edit",
        "bash",
        "task",
        "*",
        "edit \"docs/*\"",
        "bash \"sort *\"",
        "bash \"git *\"",
        "bash \"git diff *\"",
        "bash \"*>*\"",
        "bash \"find . *\"",
        "task \"b\"",
        "task \"a\"",
        "\"files_*\"",
    ]);
    let rule = (action, about).prop_map(|(action, about)| format!("{action} {about}"));
    prop::collection::vec(rule, 0..5).prop_map(|rules| rules.join("; "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Where no way to write is found, no example of the catalogue passes, no path may be edited, no tool that nobody
    /// declared is open, and no agent that may be started can either.
    #[test]
    fn no_way_means_none(a in rules(), b in rules(), silently: bool) {
        let (_, compiled) = policy(&format!("agent a {{ mode primary; {a} }}\nagent b {{ mode primary; {b} }}\n"));
        let goal = Goal { silently, ..write() };
        let counts = |action: Action| action == Action::Allow || (action == Action::Ask && !silently);
        let own = |agent: &str| {
            let set = compiled.rulesets.iter().find(|set| set.agent == agent).unwrap();
            let passes = |permission: &str, resource: &str| counts(decide::decide(set, permission, resource).action);
            let entries = catalogue::shipped().commands.iter().filter(|commands| {
                commands.capabilities.contains(&Capability::Write)
                    && commands.family != Some(policyc::model::Family::Windows)
            });
            let mut examples = entries.flat_map(|commands| &commands.entries).filter_map(|entry| entry.example.as_ref());
            ["src/a", "docs/a", "x"].iter().any(|path| passes("edit", path))
                || passes("files_write", "*")
                || examples.any(|example| passes("bash", &example.node))
        };
        let starts = |from: &str, to: &str| {
            let set = compiled.rulesets.iter().find(|set| set.agent == from).unwrap();
            counts(decide::decide(set, "task", to).action)
        };
        for (who, other) in [("a", "b"), ("b", "a")] {
            let found = ways(&compiled, who, goal.clone());
            prop_assert!(found.doubts.is_empty());
            let naive = own(who) || (starts(who, other) && own(other));
            // A way may also be a line that is no example, so only one direction is a theorem here; the other is the replay.
            prop_assert!(!naive || !found.ways.is_empty(), "{who} writes, and no way was found");
            let first = {
                let world = World::new(&compiled.model, &compiled.rulesets, compiled.runtime, compiled.version);
                Closure::new(&world, goal.clone()).first(who, &mut Budget::default())
            };
            replay(&compiled, &first);
            prop_assert_eq!(first.ways.is_empty(), found.ways.is_empty());
        }
    }
}
