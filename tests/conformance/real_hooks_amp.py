"""Amp's `permissions test` delegates to `policyc hook amp`; what it says of each call is compared.

   real_hooks_amp.py AMP POLICYC WORK
"""
import json
import os
import pathlib
import subprocess
import sys

amp, policyc, work = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
home = work / "amp"
home.mkdir()


def program(name, arguments):
    path = home / name
    path.write_text(f"#!/bin/sh\nexec {policyc} hook amp {arguments}\n")
    path.chmod(0o755)


program("policyc-amp", f"--policy {work}/hooks.policy")
program("policyc-broken", f"--policy {work}/no-such.policy")


def becomes(delegate, tool, arguments):
    settings = home / "settings.json"
    settings.write_text(json.dumps({"amp.permissions": [{"tool": "*", "action": "delegate", "to": delegate}]}))
    command = [amp, "--settings-file", str(settings), "permissions", "test", tool]
    for name, value in arguments.items():
        command += [f"--{name}", value]
    environment = {"PATH": f"{home}:{os.environ['PATH']}", "HOME": str(home)}
    done = subprocess.run(command, env=environment, cwd=home, capture_output=True, text=True, timeout=90)
    text = done.stdout + done.stderr
    action = next((line.split(": ", 1)[1] for line in text.splitlines() if line.startswith("action: ")), "error")
    return action, text


CASES = [
    ("policyc-amp", "Bash", {"cmd": "git status"}, "allow", ""),
    ("policyc-amp", "Bash", {"cmd": "git status; rm -rf x"}, "reject", "use the trash instead"),
    ("policyc-amp", "Bash", {"cmd": "make ask"}, "ask", ""),
    ("policyc-amp", "Read", {"path": "prod.env"}, "reject", "it holds secrets"),
    ("policyc-amp", "create_file", {"path": "src/a.txt", "content": "x"}, "allow", ""),
    ("policyc-broken", "Bash", {"cmd": "ls"}, "reject", "does not exist"),
    ("policyc-missing", "Bash", {"cmd": "ls"}, "reject", ""),
]
failed = 0
for delegate, tool, arguments, wanted, words in CASES:
    action, text = becomes(delegate, tool, arguments)
    if action != wanted or words not in text:
        failed += 1
        print(f"amp: {tool} {arguments} by {delegate} was {action}, and must be {wanted} ({words}): {text}")
print(f"real-hooks: amp, {len(CASES) - failed} of {len(CASES)} calls as decided")
sys.exit(1 if failed else 0)
