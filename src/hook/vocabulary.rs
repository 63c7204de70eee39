//! From what a tool does to the permissions of a policy.

use super::policy::Policy;
use crate::model::{Capability, Permission, ResourceKind};
use crate::runtimes::protocol::Kind;

/// A permission that a deed is asked under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    /// Its name.
    pub(super) name: String,
    /// What its resources are; `None`: it is declared nowhere.
    pub(super) resource: Option<ResourceKind>,
    /// Whether only rules count that speak of some permissions: the policy has words of its own for the same.
    pub(super) aside: bool,
}

/// How a kind of deed is known to policies: tools that do it, in the order they are looked for, and what they give.
struct Known {
    tools: &'static [&'static str],
    gives: Option<(Capability, ResourceKind)>,
}

fn known(kind: Kind) -> Known {
    let (tools, gives): (&[&str], _) = match kind {
        Kind::Read => (&["read"], Some((Capability::Read, ResourceKind::Path))),
        Kind::Edit => (&["edit"], Some((Capability::Write, ResourceKind::Path))),
        Kind::List => (&["list", "read"], Some((Capability::Read, ResourceKind::Path))),
        Kind::Find => (&["glob", "list", "read"], Some((Capability::Read, ResourceKind::Path))),
        Kind::Search => (&["grep", "read"], Some((Capability::Read, ResourceKind::Path))),
        Kind::Run => (&["bash", "shell"], Some((Capability::Exec, ResourceKind::Command))),
        Kind::Fetch => (&["webfetch"], Some((Capability::Network, ResourceKind::Url))),
        Kind::Query => (&["websearch"], Some((Capability::Network, ResourceKind::Query))),
        Kind::Start => (&["task", "subagent"], Some((Capability::Delegate, ResourceKind::Agent))),
        Kind::Skill => (&["skill"], None),
        Kind::Resource => (&["read_mcp_resource", "read"], None),
        Kind::Mcp | Kind::Session | Kind::Unknown => (&[], None),
    };
    Known { tools, gives }
}

/// The permissions that a deed of a tool is asked under; never none.
///
/// First those that the policy itself declares for the tool's own name. Then those of the first well-known tool that does
/// the same, and in front of them those that the policy declares for what it gives and for no tool. Then all that give the
/// same; then the well-known name alone, of which rules may speak without a declaration.
pub(super) fn keys(policy: &Policy<'_>, tool: &str, kind: Kind, name: Option<&str>) -> Vec<Key> {
    let own = |name: &str, permission: &Permission| !permission.prelude && (name == tool || lists(permission, tool));
    let found = select(policy, own);
    if !found.is_empty() {
        return found;
    }
    let Known { tools, gives } = known(kind);
    let gives = |permission: &Permission| {
        gives.is_some_and(|(capability, resource)| {
            permission.capability == Some(capability) && permission.resource == resource
        })
    };
    let toolless = |permission: &Permission| permission.tools.is_empty() && permission.asked_by.is_empty();
    let mut found = select(policy, |_, permission| !permission.prelude && toolless(permission) && gives(permission));
    let aside = !found.is_empty();
    for known in tools {
        let others = select(policy, |_, permission| permission.tools.iter().any(|tool| tool.node == *known));
        if !others.is_empty() {
            found.extend(others.into_iter().map(|key| Key { aside, ..key }));
            return found;
        }
    }
    if aside {
        return found;
    }
    let found = select(policy, |_, permission| gives(permission));
    if !found.is_empty() {
        return found;
    }
    let name = tools.first().copied().or(name).unwrap_or(tool);
    let declared = policy.permissions().find(|(declared, _)| *declared == name);
    vec![Key { name: name.to_owned(), resource: declared.map(|(_, permission)| permission.resource), aside: false }]
}

fn lists(permission: &Permission, tool: &str) -> bool {
    permission.tools.iter().chain(&permission.asked_by).any(|listed| listed.node == tool)
}

fn select(policy: &Policy<'_>, wanted: impl Fn(&str, &Permission) -> bool) -> Vec<Key> {
    let found = policy.permissions().filter(|(name, permission)| wanted(name, permission));
    let key = |(name, permission): (&str, &Permission)| Key {
        name: name.to_owned(),
        resource: Some(permission.resource),
        aside: false,
    };
    found.map(key).collect()
}
