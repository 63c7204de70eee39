#!/usr/bin/env python3
"""Notes what a real OpenCode asks for command lines in FOLDER/commands.json.

    real_commands.py PROGRAM FOLDER [--full] [--seed N]

OpenCode's server runs on a throw-away project, without a network where that can be had. A stand-in model calls `bash` with
lines made by a grammar; every rule asks, so the server shows each request it makes. Lines that ask nothing do run, in a
folder of their own and with no program on the path.
"""
import json
import os
import random
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from real_opencode import alone, free_port, stop

BATCH = 25

# In templates: L a line, W a word, S a simple command.
WORDS = ["a", "x.txt", "-rf", "'q s'", '"d q"', '"$x"', "$y", "${z:-w}", "$(L)", "`S`", "*.md", "a\\ b", "src/a", "../up", "/etc/hostname",
         "~/h", "1", "755", "{a,b}", "<(L)", "é", "$'a\\n'", "a'b'\"c\"", '"a $(L) b"', "$((1+2))", "a=b", "!", "[", "😀", "${x:-$(L)}",
         "/tmp", "\"/etc/passwd\"", "/etc/*.conf", "src/../../o", "+x", "--", "\"\"", "/usr/bin"]
REDIRECTIONS = ["> f", ">> g", "< src/h", "2>&1", "2> e", "&> all", "> $(L)", ">| c", "<<< 'w'", "3>&-", ">&2", "> \"$o\"", ">/dev/null"]
NAMES = ["rm", "echo", "cat", "git status", "cd", "pushd", "ls", "cp", "mkdir", "touch", "chmod", "chown", "mv", "env", "sudo rm", "bash -c",
         "exec", "time rm", "! rm", "[ -f no ]", "[[ -f no && y = z ]]", "export A=1", "declare -x B=2", "unset C", "X=5", "b=(1 2)", "> out",
         "/bin/rm", "\"rm\"", "r\\m", "$(echo rm)", "xargs rm", "popd", "\"cd\"", "CD"]
STATEMENTS = ["( L )", "{ L; }", "if L; then L; fi", "for i in W; do L; done", "case W in a|b) L;; *) L;; esac", "f() { L; }"]
HEREDOCS = ["cat <<E\nL\nE", "cat <<'E'\nL\nE", "cat <<E > f\nbody $(L)\nE", "cat <<E | grep x\nW\nE", "cat <<'E' 2>&1 | rm x\nb\nE",
            "cat <<E && rm y\nb\nE", "cat <<-E\n\tb\n\tE"]


class Lines:
    """Random command lines."""

    def __init__(self, seed):
        self.r = random.Random(seed)

    def fill(self, template, depth):
        rules = {"L": self.line, "S": self.simple, "W": self.word}
        return "".join(rules[c](depth + 1) if c in rules and depth < 3 else c for c in template)

    def word(self, depth):
        return self.fill(self.r.choice(WORDS), depth)

    def simple(self, depth):
        text = self.r.choice(["X=1 ", ">out ", "2>/dev/null ", "B=$(L) "]) if self.r.random() < 0.12 else ""
        text = self.fill(text + self.r.choice(NAMES), depth)
        for _ in range(self.r.randint(0, 3)):
            text += self.r.choice([" ", " ", "  ", "\t", " \\\n"]) + self.word(depth)
        for _ in range(self.r.choice([0, 0, 0, 1, 1, 2])):
            text += " " + self.fill(self.r.choice(REDIRECTIONS), depth)
        return text

    def statement(self, depth):
        if depth > 2 or self.r.random() < 0.7:
            return self.simple(depth)
        template = self.r.choice(HEREDOCS) if self.r.random() < 0.3 else self.r.choice(STATEMENTS)
        return self.fill(template, depth) + self.r.choice(["", "", " > out", " 2>&1"])

    def line(self, depth=0):
        text = self.statement(depth)
        for _ in range(self.r.choice([0, 0, 1, 1, 2]) if depth < 2 else self.r.choice([0, 0, 0, 1])):
            text += self.r.choice([" && ", " || ", " | ", "; ", "\n", " & ", "&&", "|"]) + self.statement(depth)
        return text

    def broken(self):
        text = list(self.line())
        for _ in range(self.r.randint(1, 2)):
            text.insert(self.r.randrange(len(text) + 1), self.r.choice("'\"`$(){}<>|&;\\\n #="))
        return "".join(text)

    def some(self, count):
        out = []
        while len(out) < count:
            text = self.broken() if self.r.random() < 0.25 else self.line()
            if len(text) < 300 and text.strip():
                out.append(text)
        return out


class Model(BaseHTTPRequestHandler):
    """The stand-in: calls what the next batch holds, then stops."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        calls = self.server.batch if body.get("tools") else []
        if calls:
            self.server.batch = []
        deltas = [{"role": "assistant", "tool_calls": [{"index": i, "id": name, "type": "function", "function": {
            "name": tool, "arguments": json.dumps(arguments)}}]}
            for i, (name, tool, arguments) in enumerate(calls)] or [{"role": "assistant", "content": "done"}]
        end = "tool_calls" if calls else "stop"
        chunks = [{"index": 0, "delta": delta, "finish_reason": None} for delta in deltas] + [{"index": 0, "delta": {}, "finish_reason": end}]
        base = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        text = "".join(f"data: {json.dumps({**base, 'choices': [chunk]})}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        data = text.encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def http(method, url, body=None, timeout=60):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, method=method, headers={"content-type": "application/json"}, data=data)
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        text = answer.read()
    return json.loads(text) if text.strip() else None


def batch(base, model, lines, first):
    """What each of these lines asks; None where it could not be seen."""
    names = [f"call_{first + i}" for i in range(len(lines))]
    model.batch = [(name, "bash", {"command": line, "description": "d", "timeout": 3000}) for name, line in zip(names, lines)]
    session = http("POST", f"{base}/session", {"title": names[0]})["id"]
    body = {"agent": "build", "model": {"providerID": "fake", "modelID": "m"}, "parts": [{"type": "text", "text": "go"}]}
    send = threading.Thread(target=lambda: http("POST", f"{base}/session/{session}/message", body, timeout=120), daemon=True)
    send.start()
    asked, seen, waiting, ended = {name: [] for name in names}, set(), {}, set()
    end = time.monotonic() + 45
    while time.monotonic() < end and len(ended | set(waiting)) < len(names):
        for ask in http("GET", f"{base}/permission"):
            name = (ask.get("tool") or {}).get("callID")
            if ask["id"] in seen or name not in asked:
                continue
            seen.add(ask["id"])
            asked[name] += [[ask["permission"], pattern] for pattern in ask["patterns"]]
            if ask["permission"] == "bash":
                waiting[name] = ask["id"]
            else:
                http("POST", f"{base}/permission/{ask['id']}/reply", {"reply": "once"})
        for message in http("GET", f"{base}/session/{session}/message"):
            tools = [part for part in message["parts"] if part["type"] == "tool"]
            ended |= {part["callID"] for part in tools if part["state"]["status"] in ("completed", "error")}
        time.sleep(0.1)
    done = ended | set(waiting)
    for ask in list(waiting.values())[:1]:
        http("POST", f"{base}/permission/{ask}/reply", {"reply": "reject"})
    send.join(60)
    return [{"command": line, "requests": asked[name]} for name, line in zip(names, lines) if name in done]


def stand_in(model):
    """What a config says of a model that answers on this machine."""
    fake = {"npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": f"http://127.0.0.1:{model.server_port}/v1", "apiKey": "none"},
            "models": {"m": {"name": "m", "tool_call": True, "limit": {"context": 1000000, "output": 10000}}}}
    return {"provider": {"fake": fake}, "model": "fake/m", "small_model": "fake/m"}


def start(program, root, cwd, programs, config):
    """OpenCode's server on a machine of its own below a folder, with a config beside the project's; and where it answers."""
    for name in ["home/.config/opencode", "managed", "tmp"]:
        os.makedirs(f"{root}/{name}")
    env = {"HOME": f"{root}/home", "PATH": programs, "TMPDIR": f"{root}/tmp", "LANG": "C.UTF-8", "SHELL": "/bin/bash", "OPENCODE_DISABLE_AUTOUPDATE": "1",
           "OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_TEST_MANAGED_CONFIG_DIR": f"{root}/managed", "OPENCODE_CONFIG_CONTENT": json.dumps(config)}
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    with open(f"{root}/server.log", "w") as log:
        server = subprocess.Popen([program, "serve", "--port", str(port), "--hostname", "127.0.0.1"], env=env, cwd=cwd, stdout=log, stderr=log)
    ready = time.monotonic() + 60
    while time.monotonic() < ready and server.poll() is None:
        try:
            # A request that comes too early is never answered.
            http("GET", f"{base}/config", timeout=8)
            break
        except OSError:
            time.sleep(0.2)
    return server, base


def main():
    alone()
    program, folder = sys.argv[1:3]
    rest = sys.argv[3:]
    full = "--full" in rest
    seed = int(rest[rest.index("--seed") + 1]) if "--seed" in rest else 1
    root = os.path.join(folder, "commands")
    project, home = f"{root}/project", f"{root}/home"
    os.makedirs(f"{project}/src")
    open(f"{project}/src/h", "w").close()
    subprocess.run(["git", "-C", project, "init", "-q"], check=True)
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    model.batch = []
    threading.Thread(target=model.serve_forever, daemon=True).start()
    os.makedirs(f"{root}/empty")
    config = {**stand_in(model), "permission": {"bash": "ask", "external_directory": {"*": "ask"}}}
    server, base = start(program, root, project, f"{root}/empty", config)
    answers = []
    try:
        deadline = time.monotonic() + (1200 if full else 90)
        lines = Lines(seed).some(2000 if full else 200)
        for first in range(0, len(lines), BATCH):
            if time.monotonic() > deadline:
                break
            answers += batch(base, model, lines[first:first + BATCH], first)
    except OSError as error:
        print(f"real-opencode: no more answers for command lines: {error}", file=sys.stderr)
    finally:
        stop(server)
    with open(os.path.join(folder, "commands.json"), "w") as f:
        json.dump({"home": home, "cwd": project, "answers": answers}, f)
    print(f"real-opencode: {len(answers)} command lines asked, seed {seed}")


if __name__ == "__main__":
    main()
