#!/usr/bin/env python3
"""Makes calls that policyc shows as witnesses in a real OpenCode, and compares what becomes of them.

    real_witnesses.py PROGRAM FOLDER POLICYC [--full] [--seed N]

The calls are those of findings and of `policyc can` on the projects of tests/corpus: of `bash`, `edit` and `read`. OpenCode's
server runs on copies of the projects, without a network where that can be had; a stand-in model makes the calls. What is
allowed does run, in the copy and with no program but git on the path; what names a place outside of it is left out.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
import urllib.parse
from http.server import ThreadingHTTPServer

from real_commands import Model, http, stand_in, start
from real_opencode import alone, stop

BATCH = 20
CAPABILITIES = ["write", "read", "exec", "network"]
# A path outside, a variable, a signal, and what a batch cannot tell apart: the same call three times.
OUTSIDE = re.compile(r"""(^|[\s='":>])[/~]|\.\./|\$|\bkill\b""")


def policyc(program, *args):
    run = subprocess.run([program, *args, "--format", "json"], capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode in (0, 1) and run.stdout.strip() else None


def witnesses(program, project, r, asked):
    """Calls with what becomes of them: agent, permission, resource, decision. `can` is asked about so many agents."""
    flat = policyc(program, "flatten", project)
    if not flat or flat["runtime"] != "opencode" or flat["version"] != "1.18":
        return set()
    found = set()
    for finding in (policyc(program, "check", project, "--pedantic") or {"findings": []})["findings"]:
        # Of a chain each call but the last passes.
        for call in (finding["witness"] or {"calls": []})["calls"][-1:]:
            found.add((call["agent"], call["permission"], call["resource"], finding["witness"]["decision"]))
    agents = sorted(agent["name"] for agent in flat["agents"] if not agent["hidden"])
    for agent in r.sample(agents, min(asked, len(agents))):
        for answer in (policyc(program, "can", project, agent, r.choice(CAPABILITIES)) or {"agents": []})["agents"]:
            for call in [call for way in answer["ways"] for call in way["calls"]]:
                # What nobody is asked about has no rule; the test of command lines compares it.
                if call["rule"]:
                    found.add((call["agent"], call["permission"], call["resource"], call["action"]))
    wanted = [one for one in found if one[1] in ("bash", "edit", "read") and not OUTSIDE.search(one[2]) and one[2].strip() == one[2] != ""]
    return {one for one in wanted if one[1] == "bash" or re.fullmatch(r"[\w./-]*\w", one[2])}


def call_of(permission, resource, project):
    path = os.path.join(project, resource)
    if permission == "read" and not os.path.exists(path):
        # What is not there may be refused before anything is asked.
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "w").close()
    if permission == "bash":
        return "bash", {"command": resource, "description": "d", "timeout": 3000}
    return ("read", {"filePath": path}) if permission == "read" else ("write", {"filePath": path, "content": "x"})


def said(url, body):
    """Sends a message; of one that the program cannot answer nothing is seen."""
    try:
        http("POST", url, body, timeout=120)
    except OSError:
        pass


def outcomes(base, model, project, agent, calls, first):
    """What becomes of these calls of an agent: allow, ask, deny; nothing of one that could not be seen."""
    names = [f"call_{first + i}" for i in range(len(calls))]
    model.batch = [(name, *call_of(permission, resource, project)) for name, (permission, resource) in zip(names, calls)]
    where = f"directory={urllib.parse.quote(project)}"
    session = http("POST", f"{base}/session?{where}", {"title": names[0]})["id"]
    body = {"agent": agent, "model": {"providerID": "fake", "modelID": "m"}, "parts": [{"type": "text", "text": "go"}]}
    send = threading.Thread(target=said, args=(f"{base}/session/{session}/message?{where}", body), daemon=True)
    send.start()
    out, waiting = {}, []
    end = time.monotonic() + 30
    while time.monotonic() < end and len(out) < len(names):
        over = not send.is_alive()
        for ask in http("GET", f"{base}/permission?{where}"):
            name = (ask.get("tool") or {}).get("callID")
            if name in names and ask["permission"] == calls[names.index(name)][0]:
                out.setdefault(name, "ask")
                waiting.append(ask["id"])
            elif name in names:
                http("POST", f"{base}/permission/{ask['id']}/reply?{where}", {"reply": "once"})
        for message in http("GET", f"{base}/session/{session}/message?{where}"):
            for part in message["parts"]:
                if part["type"] == "tool" and part["state"]["status"] in ("completed", "error"):
                    # A tool that the model does not see is called in vain.
                    hidden = part["tool"] == "invalid"
                    denied = hidden or "specified a rule which prevents" in part["state"].get("error", "")
                    out.setdefault(part["callID"], "deny" if denied else "allow")
        if over:
            break
        time.sleep(0.1)
    for ask in waiting[:1]:
        http("POST", f"{base}/permission/{ask}/reply?{where}", {"reply": "reject"})
    send.join(60)
    return [(call, out[name]) for name, call in zip(names, calls) if name in out]


def sample(program, full, seed):
    """Witnesses by project and agent, the same ones for the same seed."""
    r = random.Random(seed)
    chosen = {}
    for name in sorted(os.listdir("tests/corpus")):
        project = f"tests/corpus/{name}"
        if not os.path.isdir(project) or any(file.endswith(".policy") for _, _, files in os.walk(project) for file in files):
            continue
        found = sorted(witnesses(program, project, r, 99 if full else r.choice([0, 0, 1])))
        # A call that is denied or asked says more than one of many that are allowed.
        telling = [one for one in found if one[3] != "allow"]
        rest = [one for one in found if one[3] == "allow"]
        few = found if full else r.sample(telling, min(4, len(telling))) + r.sample(rest, min(6, len(rest)))
        for agent, permission, resource, decision in few:
            chosen.setdefault((name, agent), {})[permission, resource] = decision
    return chosen


def main():
    alone()
    program, folder, checker = sys.argv[1:4]
    full = "--full" in sys.argv
    seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 1
    chosen = sample(os.path.abspath(checker), full, seed)
    root = os.path.join(folder, "witnesses")
    os.makedirs(f"{root}/programs")
    # Without git the program takes `/` for the project's root, and asks for paths from there.
    os.symlink(shutil.which("git"), f"{root}/programs/git")
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    model.batch = []
    threading.Thread(target=model.serve_forever, daemon=True).start()
    server, base = start(program, root, root, f"{root}/programs", {**stand_in(model), "snapshot": False})
    compared, differ, made = 0, [], 0
    deadline = time.monotonic() + (1200 if full else 80)
    try:
        # Where the time does not suffice, it is not always the same ones that are left out.
        for (name, agent), calls in random.Random(seed).sample(sorted(chosen.items()), len(chosen)):
            project = f"{root}/projects/{name}"
            if not os.path.isdir(project):
                shutil.copytree(f"tests/corpus/{name}", project)
                subprocess.run(["git", "-C", project, "init", "-q"], check=True)
            listed = list(calls)
            for at in range(0, len(listed), BATCH):
                if time.monotonic() > deadline:
                    break
                for call, outcome in outcomes(base, model, project, agent, listed[at:at + BATCH], made):
                    compared += 1
                    if outcome != calls[call]:
                        differ.append(f"{name}: {agent} {call[0]} {call[1]!r}: the program says {outcome}, policyc {calls[call]}")
                made += BATCH
    except OSError as error:
        print(f"real-opencode: no more answers for witnesses: {error}", file=sys.stderr)
    finally:
        stop(server)
    print("\n".join([f"real-opencode: {compared} witnesses of {sum(map(len, chosen.values()))} made, {len(differ)} differ", *differ]))
    sys.exit(1 if differ or not compared else 0)


if __name__ == "__main__":
    main()
