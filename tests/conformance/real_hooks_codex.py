"""Codex as a whole agent, with a scripted model on the loopback address, calls `policyc hook codex`.

   real_hooks_codex.py CODEX POLICYC WORK

Each case is one tool call that the model asks for. Seen is whether it ran, was refused, or a person was asked.
"""
import http.server
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

codex, policyc, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
PATIENCE = 40


class Model(http.server.BaseHTTPRequestHandler):
    """Asks for one call, and ends the turn when it has its output."""

    call = ("", "")
    outputs = []

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_error(404)

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        kinds = ("function_call_output", "custom_tool_call_output")
        Model.outputs = [item for item in asked.get("input", []) if item.get("type") in kinds]
        name, given = Model.call
        if Model.outputs:
            text = [{"type": "output_text", "text": "done"}]
            item = {"type": "message", "role": "assistant", "id": "m", "content": text}
        elif name == "apply_patch":
            item = {"type": "custom_tool_call", "id": "c", "call_id": "one", "name": name, "input": given}
        else:
            item = {"type": "function_call", "id": "c", "call_id": "one", "name": name, "arguments": json.dumps(given)}
        usage = dict.fromkeys(["input_tokens", "output_tokens", "total_tokens"], 1)
        events = [
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.done", "item": item},
            {"type": "response.completed", "response": {"id": "r", "usage": usage}},
        ]
        body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server:
    """Codex's app server, spoken with by lines of JSON."""

    def __init__(self, home, project):
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CODEX_HOME": str(home)}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([codex, "app-server"], env=environment, cwd=project, text=True, **pipes)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.last = 0

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def write(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.last += 1
        self.write({"id": self.last, "method": method, "params": params})
        while True:
            message = self.next()
            if message.get("id") == self.last and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def next(self):
        return json.loads(self.lines.get(timeout=PATIENCE))


def becomes(number, event, arguments, call):
    """ran, refused or asked; and what the model was told."""
    home, project = work / f"codex-{number}", work / f"codex-{number}-project"
    (home / "rules").mkdir(parents=True)
    project.mkdir()
    (home / "rules" / "default.rules").write_text('prefix_rule(pattern=["make"], decision="prompt")\n')
    command = f"{policyc} hook codex {arguments}"
    hooks = {"hooks": {event: [{"matcher": "", "hooks": [{"type": "command", "command": command}]}]}}
    (home / "hooks.json").write_text(json.dumps(hooks))
    (home / "config.toml").write_text(
        'model = "gpt-5.6-sol"\nmodel_provider = "scripted"\napproval_policy = "on-request"\n'
        'sandbox_mode = "workspace-write"\n[model_providers.scripted]\nname = "scripted"\nwire_api = "responses"\n'
        f'base_url = "http://127.0.0.1:{port}/v1"\n[projects."{project}"]\ntrust_level = "trusted"\n'
    )
    Model.call, Model.outputs = call, []
    server = Server(home, project)
    asked, changed, ended = False, False, False
    try:
        about = {"clientInfo": {"name": "policyc", "version": "0"}, "capabilities": {"experimentalApi": True}}
        server.ask("initialize", about)
        server.write({"method": "initialized", "params": {}})
        for listed in server.ask("hooks/list", {"cwds": [str(project)]})["data"]:
            for hook in listed["hooks"]:
                key = f'hooks.state."{hook["key"]}".trusted_hash'
                value = {"keyPath": key, "value": hook["currentHash"], "mergeStrategy": "replace"}
                server.ask("config/value/write", value)
        thread = server.ask("thread/start", {"cwd": str(project)})["thread"]["id"]
        server.ask("turn/start", {"threadId": thread, "input": [{"type": "text", "text": "go"}]})
        until = time.time() + PATIENCE
        while not ended and time.time() < until:
            message = server.next()
            method = message.get("method")
            if method and "id" in message:
                asked = True
                server.write({"id": message["id"], "result": {"decision": "decline"}})
            elif method == "item/completed":
                item = message["params"].get("item", {})
                changed |= item.get("type") == "fileChange" and item.get("status") == "completed"
            ended = method == "turn/completed"
    finally:
        server.process.kill()
        server.process.wait()
    told = json.dumps([output.get("output") for output in Model.outputs])
    if asked:
        return "asked", told
    if not Model.outputs:
        return "nothing", told
    return ("ran" if changed or "Process exited with code" in told else "refused"), told


def shell(command):
    return "exec_command", {"cmd": command}


def patch(path):
    return "apply_patch", f"*** Begin Patch\n*** Add File: {path}\n+hi\n*** End Patch\n"


GOOD = f"--policy {work}/hooks.policy"
BEFORE, REQUEST = "PreToolUse", "PermissionRequest"
CASES = [
    (BEFORE, GOOD, shell("ls"), "ran", ""),
    (BEFORE, GOOD, shell("ls && rm -rf x"), "refused", "use the trash instead"),
    (BEFORE, GOOD, shell("make ask"), "refused", "Codex cannot ask"),
    (BEFORE, GOOD, patch("src/a.txt"), "ran", ""),
    (BEFORE, GOOD, patch("secrets/a.txt"), "refused", "nobody edits these"),
    (BEFORE, f"--policy {work}/no-such.policy", shell("ls"), "refused", "does not exist"),
    (BEFORE, f"{GOOD} --no-such-option", shell("ls"), "refused", "called wrongly"),
    (REQUEST, GOOD, shell("make all"), "ran", ""),
    (REQUEST, GOOD, shell("make ask"), "asked", ""),
    (REQUEST, GOOD, shell("make deny"), "refused", "use the trash instead"),
    (REQUEST, f"--policy {work}/no-such.policy", shell("make all"), "refused", "does not exist"),
]

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
port = server.server_address[1]
threading.Thread(target=server.serve_forever, daemon=True).start()
failed = 0
for number, (event, arguments, call, wanted, words) in enumerate(CASES):
    try:
        got, told = becomes(number, event, arguments, call)
    except (queue.Empty, RuntimeError, OSError) as error:
        got, told = "nothing", str(error)
    if got != wanted or words not in told:
        failed += 1
        print(f"codex: {event} {call} with {arguments} {got}, and must be {wanted} ({words}): {told[:600]}")
print(f"real-hooks: codex, {len(CASES) - failed} of {len(CASES)} calls as decided")
sys.exit(1 if failed else 0)
