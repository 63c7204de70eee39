#!/usr/bin/env python3
"""Writes the large projects of this corpus; what it writes is committed. Run it in this folder."""
import json
from pathlib import Path

SCHEMA = "https://opencode.ai/config.json"

# Commands that look at things, by program.
LOOKING = {
    "git": "status|log|show|blame|shortlog|describe|ls-files|ls-tree|rev-parse|rev-list|cat-file|merge-base"
    "|name-rev|count-objects|cherry",
    "gh": "pr view|pr list|pr checks|pr diff|pr status|issue view|issue list|issue status|run list|run view"
    "|release list|release view|repo view|workflow list|label list",
    "cargo": "check|build|test|bench|clippy|doc|tree|metadata|search|info|locate-project|pkgid|verify-project",
    "npm": "ls|outdated|view|audit|explain|fund|query|why|ping|search|test",
    "pnpm": "list|outdated|why|licenses list|audit|test|store path|bin",
    "yarn": "info|why|list|licenses list|outdated|test",
    "go": "build|test|vet|list|doc|version|env",
    "kubectl": "get|describe|logs|top|explain|api-resources|api-versions|cluster-info|version|auth can-i"
    "|rollout status|rollout history|config view|config get-contexts",
    "helm": "list|status|history|get values|get manifest|get notes|lint|template|show chart|show values"
    "|search repo|version",
    "docker": "ps|images|logs|inspect|stats|top|version|info|port|history|network ls|network inspect|volume ls"
    "|volume inspect",
    "terraform": "validate|plan|show|output|providers|version|graph|state list|state show|workspace list",
    "aws": "s3 ls|sts get-caller-identity|ec2 describe-instances|ec2 describe-vpcs|iam list-roles|iam list-users"
    "|logs describe-log-groups|eks list-clusters|eks describe-cluster|rds describe-db-instances"
    "|lambda list-functions|ecr describe-repositories",
    "gcloud": "config list|projects list|compute instances list|container clusters list|logging read|services list"
    "|auth list|info",
    "az": "account show|account list|group list|vm list|aks list|acr list|storage account list",
    "systemctl": "status|list-units|list-timers|is-active|is-enabled|cat|show",
    "brew": "list|info|outdated|deps|leaves|search|doctor|config",
    "apt": "list|show|search|policy",
    "pip": "list|show|freeze|check|index versions",
    "uv": "tree|pip list|pip show|pip check|python list|version",
    "poetry": "show|check|env info|env list|version",
    "bundle": "list|show|outdated|info|check",
    "rails": "routes|stats|about|notes|version",
    "mix": "test|compile|deps.tree|hex.info|hex.outdated|xref",
    "dotnet": "build|test|list package|list reference|sln list",
    "mvn": "test|verify|dependency:tree|help:effective-pom|versions:display-dependency-updates",
    "gradle": "test|tasks|dependencies|projects|properties|check",
    "swift": "build|test|package describe|package show-dependencies",
    "flutter": "analyze|test|doctor|devices|pub deps|pub outdated",
    "adb": "devices|logcat|version|get-state",
    "psql": "--version|--list",
    "redis-cli": "info|ping|dbsize",
    "nix": "flake show|flake metadata|flake check|path-info|eval|search",
    "bazel": "query|cquery|aquery|info|version|build|test",
    "cmake": "--version|--build|--list-presets",
    "rustup": "show|component list|target list|toolchain list|which",
    "pre-commit": "run|validate-config|validate-manifest",
    "ansible": "--version|--list-hosts",
    "vault": "status|version|policy list|auth list",
    "consul": "members|catalog services|catalog nodes|version",
    "nomad": "status|node status|job status|version",
}

# Commands that nobody should run by accident.
BREAKING = {
    "git": "push|reset --hard|clean|filter-branch|gc|prune|update-ref",
    "gh": "pr merge|pr close|release create|release delete|repo delete|secret set|workflow run",
    "kubectl": "delete|drain|cordon|apply|replace|scale|patch|exec",
    "helm": "install|upgrade|uninstall|rollback",
    "docker": "rm|rmi|kill|stop|system prune|volume rm|network rm|push",
    "terraform": "apply|destroy|import|taint|state rm|state mv",
    "aws": "s3 rm|s3 mv|ec2 terminate-instances|iam create-user|iam delete-role|rds delete-db-instance"
    "|lambda delete-function",
    "gcloud": "projects delete|compute instances delete|container clusters delete|auth revoke",
    "az": "group delete|vm delete|aks delete",
    "systemctl": "stop|restart|disable|mask|poweroff|reboot",
    "brew": "uninstall|cleanup|autoremove",
    "apt": "remove|purge|autoremove|upgrade",
    "pip": "uninstall|install",
    "npm": "publish|unpublish|deprecate|owner add|token create",
    "cargo": "publish|yank|owner|login",
    "vault": "delete|write|policy delete|secrets disable",
    "nomad": "job stop|system gc|node drain",
}


def commands(table):
    return [f"{program} {rest}" for program, words in table.items() for rest in words.split("|")]


def write(path, text):
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def config(path, **fields):
    write(path, json.dumps({"$schema": SCHEMA, **fields}, indent=2) + "\n")


def agent(path, description, lines, prompt, mode="subagent"):
    head = ["---", f"description: {description}", f"mode: {mode}", "permission:"]
    write(path, "\n".join([*head, *lines, "---", "", prompt, ""]))


def quartz():
    """A long list of what may run, and one of what may not, over a base that asks."""
    bash = {"*": "ask"}
    bash.update({f"{command} *": "allow" for command in commands(LOOKING)})
    bash.update({f"{command} *": "deny" for command in commands(BREAKING)})
    config("quartz/opencode.json", permission={"bash": bash, "webfetch": "ask"})


SERVICES = (
    "accounts billing catalog checkout delivery events fraud gateway inventory ledger "
    "mailer notify orders payments pricing reports search shipping tax users"
).split()


def rampart():
    """One agent a service, each bound to the folders of its own."""
    for service in SERVICES:
        lines = ['  "*": deny', "  read: allow", "  glob: allow", "  grep: allow", "  edit:", '    "*": deny']
        for folder in ("src", "tests", "docs", "schema"):
            for kind in ("", "-client", "-worker", "-admin"):
                lines.append(f'    "services/{service}{kind}/{folder}/*": allow')
        for frozen in ("schema/v1", "docs/contracts"):
            lines.append(f'    "services/{service}/{frozen}/*": ask')
        lines.append(f'    "services/{service}/src/generated/*": deny')
        prompt = f"You keep the {service} service. Leave the others to their own agents."
        agent(f"rampart/.opencode/agents/services/{service}.md", f"Keeps the {service} service", lines, prompt)
    config("rampart/opencode.json", default_agent="build", permission={"bash": "ask", "webfetch": "ask"})


def sediment():
    """A table that was kept in the order of the alphabet, as it grew."""
    bash = {f"{command} *": "allow" for command in commands(LOOKING)}
    bash.update({f"{command} *": "ask" for command in commands(BREAKING)})
    for command in ("docker rm", "docker stop", "git push", "gh pr merge", "brew cleanup"):
        del bash[f"{command} *"]
        bash[f"{command}*"] = "allow"
    bash["docker rm -f*"] = "deny"
    bash["git push --force*"] = "deny"
    bash["git push origin main*"] = "ask"
    bash["npm test *"] = "allow"
    bash["npm t*"] = "allow"
    for command in ("rm", "shutdown", "mkfs.ext4", "dd", "chown", "crontab", "iptables", "useradd", "visudo"):
        bash[f"{command} *"] = "deny"
    for tool in SERVICES:
        for verb in ("up", "down", "logs", "seed", "reset"):
            bash[f"./dev {verb} {tool}"] = "deny" if verb == "reset" else "allow"
    # An ask for what the base asks already would be noise.
    ordered = {"*": "ask"}
    for pattern in sorted(bash):
        if bash[pattern] != "ask" or pattern == "git push origin main*":
            ordered[pattern] = bash[pattern]
    config("sediment/opencode.json", agent={"build": {"permission": {"bash": ordered}}})


def foundry():
    """A long list of what is forbidden, and an agent with an old map of tools."""
    bash = {"*": "ask", "git status": "allow", "git diff": "allow"}
    bash.update({f"{command} *": "deny" for command in commands(BREAKING)})
    for program in SERVICES:
        for verb in "deploy rollback migrate purge rotate-keys drain scale export anonymise".split():
            bash[f"./ops {verb} {program} *"] = "deny"
    config("foundry/opencode.json", permission={"bash": bash})
    text = ["---", "description: Mends what burns", "mode: primary"]
    text += ["tools:", "  bash: true", "  webfetch: false", "---"]
    write("foundry/.opencode/agent/hotfix.md", "\n".join([*text, "", "Mend it, small and fast. Explain later.", ""]))


def seawall():
    """The agents of many teams in a policy, with what each is held to."""
    out = ["# One agent a team. Shared rules first, then what each team may touch.", "runtime opencode", ""]
    out += ["let looking = ["]
    out += [f'  "{program} {rest} *",' for program in ("cargo", "go", "kubectl", "helm", "terraform")
            for rest in LOOKING[program].split("|")]
    out += ["]", "", "layer user {", "  ask   bash", "  allow bash looking", "  ask   webfetch", "}"]
    for team in SERVICES:
        out += ["", f"agent {team} {{", "  mode        subagent", f'  description "Works on {team}."']
        out += ["  deny  *", "  allow read, glob, grep"]
        folders = ", ".join(f'"teams/{team}/{folder}/*"' for folder in ("src", "tests", "docs", "ci"))
        out += [f"  allow edit [{folders}]"]
        out += [f'  ask   edit "teams/{team}/ci/release/*"', f'  deny  edit "teams/{team}/src/vendor/*"']
        out += [f'  cannot write except "teams/{team}/*"', "  cannot network", "}"]
        out += [f'assert {team} cannot call edit "teams/{team}/src/vendor/*"', f"assert {team} cannot call bash"]
    write("seawall/seawall.policy", "\n".join([*out, ""]))


for project in (quartz, rampart, sediment, foundry, seawall):
    project()
