#!/usr/bin/env python3
"""Writes configs into folders, asks a real OpenCode for its agents there, and notes the answers in FOLDER/answers.json.

    real_opencode.py PROGRAM FOLDER [--full] [--seed N]

A machine is a home folder with global configs and variables; OpenCode's server runs on it and answers for its projects.
It runs without a network where that can be had.
"""
import fcntl
import json
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

ACTIONS = ["allow", "ask", "deny"]
ALONE = "POLICYC_REAL_ALONE"


def alone():
    """Starts again in a network namespace of its own, if this system lets us, with a loopback."""
    if os.environ.get(ALONE) == "1":
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        ask = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(s, 0x8913, ask))[1]
        fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", flags | 1))
    elif os.environ.get(ALONE) is None:
        for flags in ["-n", "-rn"]:
            try:
                good = subprocess.run(["unshare", flags, "true"], capture_output=True).returncode == 0
            except OSError:
                good = False
            if good:
                os.environ[ALONE] = "1"
                os.execvp("unshare", ["unshare", flags, sys.executable, *sys.argv])
        os.environ[ALONE] = "0"


# --- configs -----------------------------------------------------------------------------------------------------------


class Make:
    """Random configs. Texts are built by hand: order, repetition and odd keys are the point."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def one(self, *things):
        return self.r.choice(things)

    def some(self, things, low, high):
        return [self.r.choice(things) for _ in range(self.r.randint(low, high))]

    def key(self):
        return self.one("bash", "edit", "read", "*", "webfetch", "task", "external_directory", "skill", "glob", "grep", "list",
                        "lsp", "todowrite", "question", "doom_loop", "websearch", "my_tool", "mcp_*", "github_get", "write", "7",
                        "42", "007", "plan_exit", "bash *", "e?it", "-1", "4294967295", "4294967294", "r*")

    def pattern(self):
        return self.one("*", "**", "git *", "git push *", "rm -rf *", "src/*", "*.md", "docs/**", ".env", "*.env", "7", "42", "0",
                        "007", "~/x/*", "~", "$HOME/y", "$HOMEz", "~user/x", "/etc/*", "a\\b", "", " x ", "[a]", "{a,b}", "ls",
                        "explore", "general", "é*", "😀", "a?c", "../o/*", "-5", "10000000000")

    def action(self):
        if self.r.random() < 0.006:
            return self.one("alow", "never", "")
        return self.r.choice(ACTIONS)

    def rules(self, quote):
        patterns = self.some([self.pattern() for _ in range(5)], 0, 6)
        return patterns, [self.action() for _ in patterns], quote

    def permission(self):
        if self.r.random() < 0.15:
            return json.dumps(self.action())
        parts = []
        for key in self.some([self.key() for _ in range(7)], 0, 8):
            wordy = key in ("webfetch", "websearch", "todowrite", "question", "doom_loop") and self.r.random() < 0.98
            if wordy or self.r.random() < 0.45:
                parts.append(f"{json.dumps(key)}: {json.dumps(self.action())}")
            else:
                inner = ", ".join(f"{json.dumps(p)}: {json.dumps(self.action())}" for p in self.some(
                    [self.pattern() for _ in range(5)], 0, 6))
                parts.append(f"{json.dumps(key)}: {{{inner}{self.one('', ',') if inner else ''}}}")
        comment = self.one("", "", " // a comment\n", "/* b */")
        return "{" + comment + ", ".join(parts) + (self.one("", ",") if parts else "") + "}"

    def tools(self):
        names = self.some(["bash", "edit", "write", "patch", "*", "read", "my_*", "apply_patch", "9", "webfetch"], 0, 5)
        return "{" + ", ".join(f"{json.dumps(n)}: {self.one('true', 'false')}" for n in dict.fromkeys(names)) + "}"

    def agent(self):
        parts = []
        if self.r.random() < 0.85:
            parts.append(f'"permission": {self.permission()}')
        if self.r.random() < 0.25:
            parts.append(f'"tools": {self.tools()}')
        if self.r.random() < 0.5:
            parts.append(f'"mode": {json.dumps(self.one("primary", "subagent", "all", "all", "subagent", "primary"))}')
        if self.r.random() < 0.2:
            parts.append(f'"hidden": {self.one("true", "false")}')
        if self.r.random() < 0.08:
            parts.append(f'"disable": {self.one("true", "true", "false")}')
        if self.r.random() < 0.3:
            parts.append(self.one('"description": "d"', '"temperature": 0.3', '"steps": 4', '"maxSteps": 5', '"color": "#ff0000"',
                                  '"reasoningEffort": "high"', '"color": "accent"', '"top_p": 1', '"options": {"a": 1}'))
        if self.r.random() < 0.01:
            parts.append(self.one('"mode": "other"', '"steps": 0', '"hidden": "yes"', '"color": "red"', '"permissions": []',
                                  '"temperature": "hot"', '"permission": null', '"tools": {"bash": 1}'))
        self.r.shuffle(parts)
        return "{" + ", ".join(parts) + "}"

    def agents(self):
        names = dict.fromkeys(self.some(["build", "plan", "general", "explore", "x", "y", "z", "team/r", "5", "title"], 0, 4))
        return "{" + ", ".join(f"{json.dumps(n)}: {self.agent()}" for n in names) + "}"

    def config(self):
        parts = []
        if self.r.random() < 0.8:
            parts.append(f'"permission": {self.permission()}')
        if self.r.random() < 0.15:
            parts.append(f'"tools": {self.tools()}')
        if self.r.random() < 0.7:
            parts.append(f'"agent": {self.agents()}')
        if self.r.random() < 0.1:
            parts.append(f'"mode": {self.agents()}')
        if self.r.random() < 0.1:
            parts.append('"agents": {"w": {"description": "d", "mode": "subagent", "permission": {"edit": "deny"}}, "x": {"hidden": true}}')
        if self.r.random() < 0.1:
            parts.append(self.one('"theme": "x"', '"unknown_key": 1', '"autoupdate": false', '"subagent_depth": 2', '"mcpServers": {}'))
        if self.r.random() < 0.015:
            parts.append(self.one('"permissions": []', '"share": "maybe"', '"permission": []', '"a" "b"', '"instructions": "x"'))
        self.r.shuffle(parts)
        return self.one("", "// first\n", "\ufeff") + "{" + ",\n ".join(parts) + (self.one("", ",\n") if parts else "") + "}\n"

    def yaml(self, text):
        if self.r.random() < 0.06:
            return text
        return self.one(json.dumps(text, ensure_ascii=False), "'" + text.replace("'", "''") + "'", json.dumps(text, ensure_ascii=False))

    def frontmatter(self, shared):
        lines = []
        if self.r.random() < 0.8:
            # Text with a bare colon is read well once in a process, and as nothing when it is read again: not in files that
            # several projects share.
            colon = "description: plain" if shared else "description: with: a colon"
            lines.append(self.one("description: Plain words", colon, "description: 'quoted: text'",
                                  "description: |\n  two\n  lines", "description: >-\n  folded\n  text", "description: 42 is it"))
        if self.r.random() < 0.5:
            lines.append("mode: " + self.one("subagent", "primary", "all", '"subagent"'))
        if self.r.random() < 0.15:
            lines.append("hidden: " + self.one("true", "True", "FALSE"))
        if self.r.random() < 0.2:
            lines.append("tools:\n" + "\n".join(f"  {self.yaml(t)}: {self.one('true', 'false')}" for t in ["bash", "write", "edit", "my_*"][:self.r.randint(1, 4)]))
        if self.r.random() < 0.85:
            lines.append(self.block())
        if self.r.random() < 0.1:
            lines.append(self.one("# a comment", "reasoningEffort: high", "temperature: 0.1", "permissions:\n  - action: edit", "name: other",
                                  "color: '#00ff00'", "steps: 3", "list: [a, b]", "x: {a: 1}", "n: ~"))
        return "\n".join(lines)

    def block(self):
        if self.r.random() < 0.15:
            return "permission: " + self.action()
        out = ["permission:"]
        for key in dict.fromkeys(self.some([self.key() for _ in range(6)], 1, 5)):
            wordy = key in ("webfetch", "websearch", "todowrite", "question", "doom_loop")
            if wordy or self.r.random() < 0.5:
                out.append(f"  {self.yaml(key)}: {self.action()}{self.one('', '', '  # why')}")
            else:
                patterns = dict.fromkeys(self.some([self.pattern() for _ in range(5)], 1, 5))
                out.append(f"  {self.yaml(key)}:")
                out += [f"    {self.yaml(p)}: {self.one(self.action(), self.yaml(self.action()))}" for p in patterns]
                if self.r.random() < 0.05:
                    out.append("\tbash: deny")
        return "\n".join(out)

    def markdown(self, shared):
        end = self.one("\n", "\n", "\n", "\r\n")
        text = self.one("---", "---", "---", "---", "--- ", "---yaml") + "\n" + self.frontmatter(shared) + "\n---\n" + self.one("Do it.", "", "\nDo\n\nit.\n")
        if self.r.random() < 0.03:
            text = "\n" + text
        return text.replace("\n", end)

    def folder(self, files, at, shared=True):
        """Agent and mode files of a config folder."""
        for name in dict.fromkeys(self.some(["x", "y", "z", "team/r", "build", "5", "plan", "m"], 0, 4)):
            files[f"{at}/{self.one('agent', 'agents')}/{name}.md"] = self.markdown(shared)
        for name in dict.fromkeys(self.some(["x", "m", "n"], 0, 1)):
            files[f"{at}/{self.one('mode', 'modes')}/{name}.md"] = self.markdown(shared)

    def project(self):
        files = {}
        chance = lambda p: self.r.random() < p
        if chance(0.85):
            files["opencode.json"] = self.config()
        if chance(0.25):
            files["opencode.jsonc"] = self.config()
        if chance(0.3):
            files[".opencode/opencode.json"] = self.config()
        if chance(0.5):
            self.folder(files, ".opencode", shared=False)
        below = ""
        if chance(0.3):
            below = "sub/deep"
            if chance(0.6):
                files["sub/deep/opencode.json"] = self.config()
            if chance(0.3):
                files["sub/opencode.jsonc"] = self.config()
            if chance(0.4):
                files["sub/deep/.opencode/opencode.json"] = self.config()
            if chance(0.3):
                self.folder(files, "sub/.opencode", shared=False)
        return {"files": files, "below": below}

    def machine(self):
        files, variables = {}, {}
        chance = lambda p: self.r.random() < p
        for name in ["config.json", "opencode.json", "opencode.jsonc"]:
            if chance(0.35):
                files[f"home/.config/opencode/{name}"] = self.config()
        if chance(0.4):
            self.folder(files, "home/.config/opencode")
        if chance(0.3):
            files["home/.opencode/opencode.json"] = self.config()
            self.folder(files, "home/.opencode")
        if chance(0.3):
            files["managed/opencode.json"] = self.config()
        if chance(0.2):
            files["extra/own.json"] = self.config()
            variables["OPENCODE_CONFIG"] = "{}/extra/own.json"
        if chance(0.2):
            files["extra/folder/opencode.json"] = self.config()
            self.folder(files, "extra/folder")
            variables["OPENCODE_CONFIG_DIR"] = "{}/extra/folder"
        if chance(0.25):
            variables["OPENCODE_CONFIG_CONTENT"] = self.config()
        if chance(0.25):
            variables["OPENCODE_PERMISSION"] = self.one('{"edit": "allow", "7": "deny", "bash": {"rm *": "deny", "*": "ask"}}',
                                                        "{bad", '{"*": "ask"}', "[]", "5")
        if chance(0.08):
            variables["OPENCODE_DISABLE_PROJECT_CONFIG"] = "1"
        return {"files": files, "variables": variables}


# Frontmatter that YAML readers differ on. As modes: one that the program refuses is dropped, the others stand.
FRONTMATTER = [
    "permission:\n  bash:\n    *: deny", "description: a: b\npermission:\n  bash:\n    *: deny",
    "description: a: b\npermission:\n  bash: deny", "permission:\n\tbash: deny", "permission:\n  edit: ask\n\tbash: deny",
    "permission:\n  bash: deny\n  bash: allow", "permission:\n  bash: {{x}}", "description: {{x}} y\npermission: deny", "- a", "just text", "# c",
    "permission:\n  external_directory:\n    ~: allow", "permission:\n  external_directory:\n    ~/x/*: allow\n    ~: ask",
    "permission:\n  bash:\n    007: deny", "permission:\n  bash:\n    010: deny\n    0b11: ask", "permission:\n  bash:\n    1:30: deny",
    "permission:\n  bash:\n    true: deny\n    yes: ask\n    no: allow", "permission:\n  bash:\n    1.50: deny\n    .5: ask\n    1e3: allow",
    "permission:\n  bash:\n    0x10: deny\n    1_000: ask\n    42: allow", "permission: &p\n  bash: deny\nx: *p",
    "x: &p {bash: deny}\npermission:\n  <<: *p\n  edit: ask", "permission: !!str deny", "permission: !x deny", "a: !!js/function 'x'\npermission: deny",
    "%YAML 1.1\npermission: deny", "permission: deny\n...\nb: 2", "mode: subagent # c\npermission: 'deny'", "description: [a\npermission: deny",
    "? permission\n: deny", "permission: {bash: {\"*\": deny, 'git *': allow}, edit: ask}", "permission:\n  edit:\n    *.md: allow",
    "permission:\n  edit:\n    docs/*: allow\n    ?x: deny", "permission:\n  edit:\n    ?.md: allow", "permission:\n  bash:\n    git *: allow\n    a#b: deny",
    "permission:\n  bash:\n    a #b: deny", "permission:\n  edit:\n    [a]: deny", "permission:\n  edit:\n    !x: deny", "permission:\n  bash:\n    \"\\q\": deny",
    "description: @foo\npermission: deny", "description: `foo`\npermission: deny", "description: %foo\npermission: deny", "description: a\n  b: c\npermission: deny",
    "permission:\n    bash:\n        \"*\": deny\n    edit: ask", "permission:\n  bash:\n  - deny", "permission: \"deny\"\nmode: primary", "permission:\ndescription: x",
    "permission:\n  bash: deny\n edit: ask", "permission: deny # x\nsteps: 3", "description: \"a\\\n  b\"\npermission: deny", "permission:\n  \"a b\" : deny",
    "permission :\n  bash: deny", "permission:   deny   ", "\npermission: deny", "permission:\n\n  bash:\n\n    \"*\": deny\n", "steps: 1.0\npermission: deny",
    "steps: 0\npermission: deny", "temperature: 1e-1\npermission: deny", "description: 5\npermission: deny", "description: 2020-01-01\npermission: deny",
    "description: null\npermission: deny", "hidden: yes\npermission: deny", "permission:\n  task:\n    explore: allow\n    \"*\": deny",
    "tools: bash, read\npermission: deny", "tools:\n  bash: false\n  \"*\": true", "permission: Deny", "permission:\n  question:\n    \"*\": ask",
    "permissions:\n  - action: edit\n    resource: \"*\"\n    effect: deny", "description: x\ndescription: y\npermission: deny",
    "permission:\n  bash:\n    'it''s': deny\n    \"tab\\t\": ask", "permission: |\n  deny", "permission: >-\n  deny", "permission:\n  bash: \"\"",
    "permission:\n  webfetch: ask\n  \"1\": deny\n  edit: deny", "a: 'b\npermission: deny", "permission:\n  bash:\n    echo: ask\n    \"echo: *\": deny",
    "description: 'x': y\npermission: deny", "description: x:y\npermission: deny", "permission: [deny]", "model: a/b:c\npermission: deny\ncolor: info",
]


def fixed():
    """Projects that show one thing each."""
    modes = {f".opencode/modes/f{i:02}.md": f"---\n{text}\n---\nBody." for i, text in enumerate(FRONTMATTER)}
    whole = ["", "hello", "---\n---\nx", "---\n\n---\nx", "---\npermission: deny\n", "---\npermission: deny\n---more\nx", "----\npermission: deny\n---\nx",
             "---yaml\npermission: deny\n---\nx", "---json\n{\"permission\": \"deny\"}\n---\nx", "---toml\npermission: deny\n---\nx",
             "\n---\npermission: deny\n---\nx", "\ufeff---\npermission: deny\n---\nx", "---\r\npermission: deny\r\n---\r\nx", "--- \npermission: deny\n---\nx",
             "---\ndescription: a: b\r\npermission: deny\n---\nx", "---\npermission: deny\n---\n---\nedit: allow\n---"]
    modes.update({f".opencode/modes/w{i:02}.md": text for i, text in enumerate(whole)})
    configs = [
        '{"permission": {"edit": "deny"}, "agent": {"2": {}, "10": {}, "1": {"mode": "subagent"}}}',
        '{"agent": {"x": {"disable": true}, "plan": {"disable": true}, "y": {"mode": "all", "hidden": true}}}',
        '{"agents": {"x": {"permissions": []}}}', '{"agents": {"x": {"description": "d", "permission": {"edit": "deny"}, "system": "s"}}}',
        '{"permissions": [{"action": "edit", "resource": "*", "effect": "deny"}]}', '{"permission": {"bash": "deny", "bash": "allow"}}',
        '{"agent": {"x": {"permission": {"external_directory": {"*": "deny"}}}}}', '{"permission": {"*": {"~/x/*": "deny", "*": "ask"}}}',
        '[]', '"x"', '', ' ', '// c', '{"permission": "allow"}}', "{'permission': 'allow'}", '{permission: "allow"}', '{"a": 1 "b": 2}', '{"a": 01}',
        '{"a": +1}', '{"permission": {"edit": "d\\u0065ny"}}', '{"permission": {"edit": "deny"},,}', '{"share": null}', '{"tools": {"bash": "no"}}',
        '{"subagent_depth": 1.5}', '{"subagent_depth": -1}', '{"default_agent": 5}', '{"agent": []}', '{"agent": {"x": []}}', '{"agent": {"x": "y"}}',
        '{"mode": {"x": {"mode": "subagent"}}}', '{"skills": ["a"]}', '{"model": {"providerID": "a", "model": "b"}}', '{"snapshots": false}',
        '{"agent": {"x": {"steps": 2.5}}}', '{"agent": {"x": {"color": "blue"}}}', '{"agent": {"x": {"maxSteps": 3, "steps": 4}}}', '{"autoupdate": "never"}',
        '{"layout": "wide"}', '{"permission": {"lsp": {"*": "deny"}, "list": {"a": "ask"}}}', '{"permission": {"todowrite": {"*": "deny"}}}',
        '{"keybinds": 5, "theme": 1, "tui": []}', '{"provider": []}', '{"agent": {"x": {"model": {}}}}', '{"logLevel": "debug"}', '{"formatter": 1}',
        '{"permission": {"constructor": "deny", "toString": "ask"}}', '{"agents": {"x": {"steps": "many"}, "y": {"color": "#aabbcc"}}}', '{"agents": []}',
        '{"instructions": [1]}', '{"plugin": "x"}', '{"experimental": 1}', '{"username": 3}',
        '{"autoshare": "x"}', '{"enabled_providers": {}}', '{"watcher": []}', '{"command": []}', '{"disabled_providers": [1]}', '{"compaction": 1}',
    ]
    projects = [{"files": modes, "below": ""}] + [{"files": {"opencode.json": text}, "below": ""} for text in configs]
    projects.append({"files": {".opencode/agents/a/x.md": "---\npermission: ask\n---\n", ".opencode/agent/x.md": "---\npermission: deny\n---\n",
                               ".opencode/agents/y.md": "---\nname: x2\n---\n", ".opencode/agents/z.md": "---\npermission: never\n---\n"}, "below": ""})
    projects.append({"files": {".opencode/agents/a/x.md": "---\npermission: ask\n---\n", ".opencode/agent/x.md": "---\npermission: deny\n---\n",
                               ".opencode/agents/y.md": "---\nname: x2\n---\n", ".opencode/agents/agent/q.md": "", ".opencode/agents/UP.MD": "x"}, "below": ""})
    machine = {"files": {}, "variables": {}}
    return [(machine, projects)]


# --- asking ------------------------------------------------------------------------------------------------------------


def write(root, files):
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", newline="") as f:
            f.write(text)


def stop(server):
    server.terminate()
    try:
        server.wait(10)
    except subprocess.TimeoutExpired:
        server.kill()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def ask(port, folder, timeout=60):
    url = f"http://127.0.0.1:{port}/agent?directory={urllib.parse.quote(folder)}"
    try:
        with urllib.request.urlopen(url, timeout=timeout) as answer:
            agents = json.load(answer)
    except urllib.error.HTTPError as error:
        return {"error": error.read().decode(errors="replace")[:400]}
    keep = lambda a: {"mode": a["mode"], "hidden": bool(a.get("hidden")), "rules": [[r["permission"], r["pattern"], r["action"]] for r in a["permission"]]}
    return {"agents": {a["name"]: keep(a) for a in agents}}


def wait(server, port, folder):
    """Until the server answers: a request that comes too early is never answered."""
    end = time.monotonic() + 60
    while time.monotonic() < end and server.poll() is None:
        try:
            ask(port, folder, timeout=8)
            return True
        except OSError:
            time.sleep(0.2)
    return False


def run(program, root, machine, projects, template, deadline):
    """One machine's server and its answers."""
    os.makedirs(root)
    for name in ["home/.config/opencode", "managed", "tmp"]:
        os.makedirs(os.path.join(root, name))
    write(root, machine["files"])
    variables = {name: text.replace("{}", root, 1) if name in ("OPENCODE_CONFIG", "OPENCODE_CONFIG_DIR") else text
                 for name, text in machine["variables"].items()}
    env = {"HOME": f"{root}/home", "PATH": os.environ["PATH"], "TMPDIR": f"{root}/tmp", "LANG": "C.UTF-8",
           "OPENCODE_TEST_MANAGED_CONFIG_DIR": f"{root}/managed", "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
           **variables}
    folders = []
    for i, project in enumerate(projects):
        folder = f"{root}/p{i:03}"
        shutil.copytree(template, folder)
        write(folder, project["files"])
        os.makedirs(os.path.join(folder, project["below"]), exist_ok=True)
        folders.append((folder, os.path.join(folder, project["below"]).rstrip("/")))
    port = free_port()
    log = open(f"{root}/server.log", "w")
    # The server's own folder holds no config: its faults would be every project's.
    server = subprocess.Popen([program, "serve", "--port", str(port), "--hostname", "127.0.0.1"], env=env, cwd=f"{root}/tmp",
                              stdout=log, stderr=subprocess.STDOUT)
    try:
        if not wait(server, port, f"{root}/tmp"):
            print(f"real-opencode: the server does not start on {os.path.basename(root)}", file=sys.stderr)
            return []
        def case(place):
            folder, cwd = place
            if time.monotonic() > deadline:
                return None
            try:
                answer = ask(port, cwd)
            except OSError as error:
                print(f"real-opencode: no answer for {cwd}: {error}", file=sys.stderr)
                return None
            return {"name": os.path.relpath(cwd, os.path.dirname(root)), "home": f"{root}/home", "config": f"{root}/home/.config/opencode",
                    "managed": f"{root}/managed", "tmp": f"{root}/tmp", "worktree": folder, "cwd": cwd, "variables": variables, "answer": answer}

        with ThreadPoolExecutor(4) as pool:
            answers = [answer for answer in pool.map(case, folders) if answer]
    finally:
        stop(server)
        log.close()
    return answers


def main():
    alone()
    program, folder = sys.argv[1:3]
    rest = sys.argv[3:]
    full = "--full" in rest
    seed = int(rest[rest.index("--seed") + 1]) if "--seed" in rest else 1
    deadline = time.monotonic() + (3600 if full else 180)
    template = os.path.join(folder, "template")
    os.makedirs(template)
    subprocess.run(["git", "-C", template, "init", "-q"], check=True)
    answers = []
    for i, (machine, projects) in enumerate(fixed()):
        answers += run(program, f"{folder}/fixed{i}", machine, projects, template, deadline)
    count = 0
    for i in range(120 if full else 16):
        if time.monotonic() > deadline:
            break
        make = Make(seed * 1000 + i)
        projects = [make.project() for _ in range(12 if full else 6)]
        machine = make.machine() if i % 3 else {"files": {}, "variables": {}}
        answers += run(program, f"{folder}/m{i:03}", machine, projects, template, deadline)
        count += 1
    with open(os.path.join(folder, "answers.json"), "w") as f:
        json.dump(answers, f)
    agents = sum(len(a["answer"].get("agents", {})) for a in answers)
    refused = sum("error" in a["answer"] for a in answers)
    print(f"real-opencode: {len(answers)} projects asked ({refused} refused, {agents} agents), {count} machines, seed {seed}")


if __name__ == "__main__":
    main()
