"""Asks `claude doctor` about the recorded rules and files, and about every rule that policyc writes for generated policies.

usage: real_claude_code.py PROGRAM POLICYC WORK [--full] [--seed N]
"""

import json
import os
import pathlib
import random
import subprocess
import sys

PROGRAM, POLICYC, WORK = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
FULL = "--full" in sys.argv
SEED = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 1
count = 0


def doctor(settings, agents=()):
    """What the program says of settings: what is invalid, and which rules may not work."""
    global count
    count += 1
    home, project = WORK / f"home{count}", WORK / f"project{count}"
    (home / ".claude" / "agents").mkdir(parents=True)
    project.mkdir()
    (home / ".claude" / "settings.json").write_text(settings)
    for name, text in agents:
        (home / ".claude" / "agents" / name).write_text(text)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    done = subprocess.run([PROGRAM, "doctor"], env=environment, cwd=project, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=180)
    section = lambda head: done.stdout.split(head, 1)[1].split("\n\n", 1)[0] if head in done.stdout else ""
    return section("\nInvalid settings\n"), section("\nPermission rules that may not work as written\n")


def recorded():
    """The recorded vectors: rules all at once, files one by one."""
    vectors = json.loads(pathlib.Path("tests/conformance/claude-code.json").read_text())["vectors"]
    rules = [vector for vector in vectors if "rule" in vector]
    sections = {}
    for vector in rules:
        sections.setdefault(vector["section"], []).append(vector["rule"])
    invalid, warned = doctor(json.dumps({"permissions": sections}))
    failures = []
    for vector in vectors:
        if "rule" in vector:
            section, rule = vector["section"], vector["rule"]
            skipped = any(f"permissions.{section}:" in line and f'"{rule}" was skipped' in line
                          for line in invalid.splitlines())
            named = any(f"Permission {section} rule" in line and (f'"{rule}"' in line or f": {rule} is not" in line)
                        for line in warned.splitlines())
            answer = "skipped" if skipped else "warned" if named else "ok"
        else:
            settings = vector["settings"]
            said, _ = doctor(settings if isinstance(settings, str) else json.dumps(settings))
            answer = "invalid" if said else "ok"
        if answer != vector["decision"]:
            failures.append(f"{vector['id']}: recorded {vector['decision']}, is {answer}")
    print(f"real-claude-code: {len(vectors) - len(failures)} of {len(vectors)} recorded answers")
    return failures


PERMISSIONS = ["*", "bash", "edit", "read", "webfetch", "websearch", "external_directory", "task", "skill", "grep",
               '"mcp__gh__*"', "question"]
TEXTS = {
    "bash": ["*", "git *", "git push *", "rm -rf *", "npm:*", "ls", "a?c", "echo (x) *", "* --force", "test -f [a]", "x\\\\y"],
    "webfetch": ["*", "https://docs.rs/*", "https://*.a.b/*", "https://a.b/x?y"],
    "paths": ["*", "*.env", "*.env.*", "docs/*", "docs/*.md", "/etc/*", "~/.ssh/*", "src/a.rs", "a b/*", "*secret*", "x[1]/*"],
    "names": ["*", "Explore", "reviewer", "release-*"],
}
KINDS = {"read": "paths", "edit": "paths", "external_directory": "paths", "grep": "paths", "task": "names",
         "skill": "names", "bash": "bash", "webfetch": "webfetch"}


def policy(chance):
    def rules(most):
        lines = []
        for _ in range(chance.randint(1, most)):
            permission = chance.choice(PERMISSIONS)
            texts = TEXTS.get(KINDS.get(permission, ""), ["*"])
            dialect = chance.choice(["", "", "exact ", "prefix "])
            lines.append(f'  {chance.choice(["allow", "ask", "deny"])} {permission} {dialect}"{chance.choice(texts)}"\n')
        return "".join(lines)
    return f"agent a {{\n  mode primary\n{rules(9)}}}\nagent helper {{\n  mode subagent\n{rules(4)}}}\n"


def written():
    """Generated policies: what is compiled is taken by the program, every rule of it."""
    chance = random.Random(SEED)
    failures, refused, rules = [], 0, 0
    for number in range(400 if FULL else 40):
        text = policy(chance)
        source, out = WORK / f"{number}.policy", WORK / f"out{number}"
        source.write_text(text)
        done = subprocess.run([POLICYC, "compile", str(source), "--target", "claude-code", "--out", str(out)],
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            if "PC0601" not in done.stderr:
                failures.append(f"policy {number} was not compiled:\n{text}{done.stderr}")
            refused += 1
            continue
        settings = (out / ".claude" / "settings.json").read_text()
        permissions = json.loads(settings)["permissions"]
        rules += sum(len(permissions.get(name, [])) for name in ("allow", "ask", "deny"))
        agents = [(path.name, path.read_text()) for path in (out / ".claude" / "agents").glob("*.md")]
        invalid, warned = doctor(settings, agents)
        if invalid or warned:
            failures.append(f"policy {number}:\n{text}{settings}{invalid}\n{warned}")
    print(f"real-claude-code: {rules} rules of generated policies taken, {refused} policies refused")
    return failures


failed = recorded() + written()
for failure in failed:
    print(f"real-claude-code: {failure}")
sys.exit(1 if failed else 0)
